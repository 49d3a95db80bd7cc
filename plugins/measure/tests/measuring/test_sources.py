from __future__ import annotations

import json
import struct
import sys
from typing import TYPE_CHECKING, Any

import pytest

from measuring.templates import ALL, WHIMS, template
from message_history.dialects import OpenAIChat
from message_history_measure import TemplateRefusedError, TooCostlyError, measure_template
from message_history_measure.sources import read_template

if TYPE_CHECKING:
    from pathlib import Path

TOKENS = (("bos_token", "<s>"), ("eos_token", "</s>"))
ONE_CALL = WHIMS["one call"]


def test_a_dialect_for_a_template() -> None:
    dialect = OpenAIChat.for_template(ONE_CALL)

    assert (dialect.provider, dialect.max_calls, dialect.text_with_calls) == ("templates", 1, True)


def test_a_template_is_measured_once() -> None:
    found = measure_template(ONE_CALL)

    assert measure_template(ONE_CALL) is found
    assert found.dialect == OpenAIChat.for_template(ONE_CALL)
    assert (found.arguments, found.losses) == ("object", ("reasoning", "images: they are left out, with a note"))
    assert len(found.sha256) == 64


def test_the_text_itself() -> None:
    assert read_template(ALL) == (ALL, TOKENS)


def test_what_a_server_says_of_itself() -> None:
    props = {"chat_template": "{{ plain }}", "chat_template_tool_use": ALL, "bos_token": "<begin>", "n_ctx": 1}

    assert read_template(props) == (ALL, (("bos_token", "<begin>"), ("eos_token", "</s>")))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chat_template.jinja", ALL),
        ("additional_chat_templates/tool_use.jinja", ALL),
        ("tokenizer_config.json", json.dumps({"chat_template": ALL})),
        ("chat_template.json", json.dumps({"chat_template": ALL})),
        (
            "tokenizer_config.json",
            json.dumps(
                {"chat_template": [{"name": n, "template": t} for n, t in (("default", "{{ x }}"), ("tool_use", ALL))]}
            ),
        ),
    ],
)
def test_a_folder_and_its_files(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")

    assert read_template(tmp_path) == read_template(file) == read_template(str(file)) == (ALL, TOKENS)


def test_the_tokens_of_a_tokenizer(tmp_path: Path) -> None:
    config = {"chat_template": ALL, "bos_token": {"content": "<one>"}, "eos_token": None, "pad_token": "<pad>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")

    assert read_template(tmp_path)[1] == (("bos_token", "<one>"), ("eos_token", "</s>"), ("pad_token", "<pad>"))


def gguf(pairs: dict[str, Any]) -> bytes:
    """Write the head of a GGUF: what stands before the weights."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def value_of(value: Any) -> bytes:
        if isinstance(value, str):
            return struct.pack("<I", 8) + text(value)
        if isinstance(value, int):
            return struct.pack("<II", 4, value)
        if isinstance(value[0], str):
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        return struct.pack("<IIQ", 9, 6, len(value)) + struct.pack(f"<{len(value)}f", *value)

    written = b"".join(text(key) + value_of(value) for key, value in pairs.items())
    return struct.pack("<4sIQQ", b"GGUF", 3, 0, len(pairs)) + written + b"weights"


def test_a_gguf(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    tokens = {"tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.scores": [0.5, 1.5], "general.alignment": 32}
    file.write_bytes(gguf({**tokens, "tokenizer.chat_template": ALL}))

    assert read_template(file) == (ALL, TOKENS)


def test_a_gguf_with_a_template_for_tools(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_bytes(gguf({"tokenizer.chat_template": "{{ x }}", "tokenizer.chat_template.tool_use": ALL}))

    assert read_template(file)[0] == ALL


def test_a_file_that_is_no_gguf(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"x" * 30)

    with pytest.raises(ValueError, match="is not a GGUF: it begins with b'xxxx'"):
        read_template(file)


def test_no_template(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="it holds no chat template"):
        read_template(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"missing\.jinja"):
        read_template(tmp_path / "missing.jinja")


def test_a_refused_template_says_why() -> None:
    with pytest.raises(TemplateRefusedError, match="it is not a template"):
        measure_template("{% for m in messages %}")


def test_a_template_that_goes_on_and_on_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_measure.bounded.SECONDS", 1)
    endless = template(first="{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")

    with pytest.raises(TooCostlyError, match=r"took more than 1"):
        measure_template(endless)


@pytest.mark.skipif(sys.platform != "linux", reason="this system does not limit memory")
def test_a_template_that_grows_and_grows_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_measure.bounded.MEGABYTES", 200)
    growing = template(
        first="{% set ns = namespace(s='x') %}{% for a in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"
    )

    with pytest.raises(TooCostlyError, match="took more than 200 MB"):
        measure_template(growing)
