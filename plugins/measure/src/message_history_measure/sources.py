"""Find a chat template, where models have theirs."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from os import PathLike

Found = tuple[str, tuple[tuple[str, str], ...]]
"""A template's text, and the tokenizer's special tokens by their names."""
_TOKENS: Final = ("bos_token", "eos_token", "pad_token", "unk_token")
_USUAL: Final = {"bos_token": "<s>", "eos_token": "</s>"}


def read_template(template: str | PathLike[str] | Mapping[str, Any]) -> Found:
    """Find the text of a template and the special tokens; that for tools, where there are several."""
    if isinstance(template, Mapping):
        return _of_config(template, "the mapping")
    if isinstance(template, str) and ("{%" in template or "{{" in template):
        return _of_config({"chat_template": template}, "")
    path = Path(template)
    if path.is_dir():
        return _of_folder(path)
    if path.suffix == ".json":
        return _of_config(_json(path), str(path))
    if path.suffix == ".gguf":
        return _of_config(_gguf_of(path), str(path))
    return _of_config({"chat_template": path.read_text(encoding="utf-8")}, str(path))


def _of_folder(folder: Path) -> Found:
    config = _json(folder / "tokenizer_config.json") | _json(folder / "chat_template.json")
    for name in ("chat_template.jinja", "additional_chat_templates/tool_use.jinja"):
        if (folder / name).exists():
            config["chat_template"] = (folder / name).read_text(encoding="utf-8")
    return _of_config(config, str(folder))


def _of_config(config: Mapping[str, Any], where: str) -> Found:
    """Find the template in a tokenizer's settings, or in those of a server."""
    chosen = config.get("chat_template_tool_use") or config.get("chat_template")
    if isinstance(chosen, list):
        named = {each["name"]: each["template"] for each in chosen}
        chosen = named.get("tool_use") or named.get("default")
    if not isinstance(chosen, str):
        raise FileNotFoundError(f"{where}: it holds no chat template; name the file that has one, or pass its text")
    tokens = {**_USUAL, **{key: config[key] for key in _TOKENS if config.get(key) is not None}}
    texts = {key: str(token["content"] if isinstance(token, Mapping) else token) for key, token in tokens.items()}
    return chosen, tuple(sorted(texts.items()))


def _json(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found if isinstance(found, dict) else {}


_SIZES: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The types of numbers in a GGUF, as `struct` writes them."""
_TEXT: Final = 8
_ARRAY: Final = 9


def _gguf_of(path: Path) -> dict[str, Any]:
    """Read the templates of a GGUF's metadata, which come before the weights."""
    with path.open("rb") as file:
        magic, _, _, pairs = struct.unpack("<4sIQQ", file.read(24))
        if magic != b"GGUF":
            raise ValueError(f"{path} is not a GGUF: it begins with {magic!r}")
        found = {}
        for _ in range(pairs):
            name = _gguf_text(file)
            value = _gguf_value(file, *struct.unpack("<I", file.read(4)))
            found[name.removeprefix("tokenizer.").replace("chat_template.tool_use", "chat_template_tool_use")] = value
    return found


def _gguf_text(file: BinaryIO) -> str:
    (size,) = struct.unpack("<Q", file.read(8))
    return file.read(size).decode(errors="replace")


def _gguf_value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _gguf_text(file)
    if kind == _ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in _SIZES:
            file.seek(count * struct.calcsize(_SIZES[inner]), 1)
            return None
        return [None for _ in range(count) if _gguf_value(file, inner) is None]
    form = f"<{_SIZES[kind]}"
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]
