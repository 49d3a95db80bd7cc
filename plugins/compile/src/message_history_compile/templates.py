"""Chat templates: what they take and what they render."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from message_history.extras import needs_extra

with needs_extra("templates", "message-history-compile"):
    from message_history_measure import Measurement, TemplateRefusedError, TooCostlyError, measure_template
    from message_history_measure.sandbox import Template
    from message_history_measure.sources import read_template as find_template

from message_history_compile.targets.base import Settings

if TYPE_CHECKING:
    from os import PathLike


def read_template(path: str | PathLike[str]) -> Settings:
    """Read the chat template of a tokenizer; where it has several, the one for tools.

    Args:
        path: the tokenizer's folder, a GGUF, or the file of a template.

    Returns:
        The settings of the target `chat-template`.

    Raises:
        FileNotFoundError: when there is no template.
    """
    template, tokens = find_template(path)
    return Settings(template=template, tokens=tokens)


@lru_cache(maxsize=8)
def measured(settings: Settings) -> Measurement | str:
    """Measure what a template takes; why it takes nothing, where it does not."""
    try:
        return measure_template({"chat_template": settings.template, **dict(settings.tokens)})
    except (TemplateRefusedError, TooCostlyError) as error:
        return str(error)


def render(settings: Settings, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """Render messages. Raises `TemplateRefusedError` when the template raises or is not a template."""
    return _compiled(settings).render(messages, tools, {}, generate=False)


@lru_cache(maxsize=8)
def _compiled(settings: Settings) -> Template:
    return Template(settings.template or "", dict(settings.tokens))
