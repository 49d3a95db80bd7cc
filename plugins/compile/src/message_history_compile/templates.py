"""Chat templates, rendered in a sandbox as transformers does it. Only here is jinja2 imported."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from message_history.extras import needs_extra

with needs_extra("templates", "message-history-compile"):
    import jinja2
    import jinja2.ext
    import jinja2.nodes
    from jinja2.sandbox import ImmutableSandboxedEnvironment

from message_history_compile.targets.base import Settings

if TYPE_CHECKING:
    from os import PathLike

    from jinja2.parser import Parser

TODAY: Final = "2026-01-01"
"""What templates get when they ask for the date: a row does not depend on the day."""
_TOKENS: Final = ("bos_token", "eos_token", "pad_token", "unk_token")
_USUAL_TOKENS: Final = (("bos_token", "<s>"), ("eos_token", "</s>"))


@final
class TemplateRefusedError(ValueError):
    """A template raised, or could not be rendered."""


def read_template(path: str | PathLike[str], *, tools: bool = True) -> Settings:
    """Read the chat template of a tokenizer.

    Args:
        path: the tokenizer's folder, or the file of a template.
        tools: whether to prefer the template for tools, where a tokenizer has several.

    Returns:
        The settings of the target `chat-template`.

    Raises:
        FileNotFoundError: when there is no template.
    """
    found = Path(path)
    if not found.is_dir():
        if found.suffix == ".json":
            return _from_config(json.loads(found.read_text(encoding="utf-8")), None, found, tools=tools)
        return Settings(template=found.read_text(encoding="utf-8"), tokens=_USUAL_TOKENS)
    config_file, template_file = found / "tokenizer_config.json", found / "chat_template.jinja"
    config = json.loads(config_file.read_text(encoding="utf-8")) if config_file.exists() else {}
    template = template_file.read_text(encoding="utf-8") if template_file.exists() else None
    beside = found / "chat_template.json"
    if template is None and "chat_template" not in config and beside.exists():
        config = {**config, **json.loads(beside.read_text(encoding="utf-8"))}
    return _from_config(config, template, found, tools=tools)


def _from_config(config: Any, template: str | None, path: Path, *, tools: bool) -> Settings:
    chosen = template if template is not None else config.get("chat_template")
    if isinstance(chosen, list):
        named = {each["name"]: each["template"] for each in chosen}
        chosen = named.get("tool_use" if tools else "default", next(iter(named.values()), None))
    if not isinstance(chosen, str):
        raise FileNotFoundError(f"{path}: there is no chat template in it")
    tokens = {key: config[key] for key in _TOKENS if config.get(key) is not None}
    texts = {key: token["content"] if isinstance(token, dict) else str(token) for key, token in tokens.items()}
    return Settings(template=chosen, tokens=tuple(sorted(texts.items())))


def render(settings: Settings, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Render messages.

    A template may change the messages. Raises `TemplateRefusedError` when the template raises or is no template.
    """
    try:
        copy = json.loads(json.dumps(messages))
        text: str = _compiled(settings.template or "").render(
            messages=copy,
            tools=tools or None,
            documents=None,
            add_generation_prompt=False,
            **dict(settings.tokens),
        )
    except RecursionError:
        raise TemplateRefusedError("it does not come to an end") from None
    except (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TemplateRefusedError(f"{error}" or type(error).__name__) from error
    return text


@lru_cache(maxsize=8)
def _compiled(template: str) -> jinja2.Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _date
    return environment.from_string(template)


class _Generation(jinja2.ext.Extension):
    """Renders what stands between `generation` tags, which mark what the assistant wrote."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> list[jinja2.nodes.Node]:
        """Parse a block and leave out its tags."""
        next(parser.stream)
        body: list[jinja2.nodes.Node] = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return body


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _date(form: str) -> str:
    return TODAY if "%d" in form or "%Y" in form else ""


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON; jinja2's own filter escapes what HTML would take for tags."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
