"""The blocks of a message as HTML: texts, calls with their results folded, images, thinking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import json_text, thaw
from message_history.markup import Markup, element, join
from message_history_pages.markdown import markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block

LONG: Final = 4_000
"""Texts of more characters are folded."""
MANY_LINES: Final = 60
"""Texts of more lines are folded."""
SHORT: Final = 120
"""How much of a call's input or result its heading shows."""

# What a browser shows as a picture and never runs.
_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]*=*\s*")


def block(value: Block) -> Markup:
    """Return a block as HTML. The mark of what this library made is shown."""
    if isinstance(value, TextBlock):
        return join((_mark(value), folded_text(value.text, markdown(value.text))))
    if isinstance(value, ToolUseBlock):
        return call(value, None)
    if isinstance(value, ToolResultBlock):
        return _result(value, heading=True)
    if isinstance(value, ThinkingBlock | RedactedThinkingBlock):
        return _thinking(value)
    if isinstance(value, SystemBlock):
        return element("div", _label("system"), _mark(value), folded_text(value.text), class_="system-block")
    if isinstance(value, ImageBlock):
        return element("figure", _image(value.source), _mark(value), class_="image")
    if isinstance(value, DocumentBlock):
        return element("figure", _label("document"), value.title or "", " ", _document(value.source), class_="document")
    if isinstance(value, ProviderBlock):
        head = element("summary", _label(value.dialect), value.type or "block")
        return element("details", head, json_block(thaw(value.data)), class_="provider")
    return json_block(repr(value))


def call(value: ToolUseBlock, result: ToolResultBlock | None) -> Markup:
    """Return a call and its result, if it has one that is not shown elsewhere, as one folded element."""
    plain = thaw(value.frozen_input)
    state = "open" if result is None else "stub" if result.is_stub else "failed" if result.is_error else "answered"
    summary = element(
        "summary",
        element("b", value.name or "(no name)", class_="tool"),
        element("code", _shortened(json_text(plain)), class_="input"),
        element("span", _STATES[state], class_=f"state {state}"),
    )
    inner = [
        summary,
        element("div", _label("id"), element("code", value.id), _mark(value), class_="facts"),
        json_block(plain),
    ]
    if result is not None:
        inner.append(_result(result, heading=False))
    return element("details", *inner, class_=f"call {state}")


_STATES: Final = {"open": "no result", "stub": "no result: stub", "failed": "error", "answered": "answered"}


def _result(value: ToolResultBlock, *, heading: bool) -> Markup:
    name = "error result" if value.is_error else "result"
    head = join((_label(name), element("code", value.tool_use_id) if heading else "", _mark(value)))
    content = [block(part) for part in value.content] or [element("p", "(empty)", class_="empty")]
    return element("div", element("div", head, class_="facts"), *content, class_="result")


def _thinking(value: ThinkingBlock | RedactedThinkingBlock) -> Markup:
    if isinstance(value, RedactedThinkingBlock):
        what, inner = "thinking, encrypted", element("p", f"{len(value.data):,} characters", class_="empty")
    else:
        what, inner = "thinking", folded_text(value.thinking)
    state = "" if value.bound else element("span", "invalidated", class_="state stub")
    return element("details", element("summary", _label(what), state, _mark(value)), inner, class_="thinking")


def _image(source: Mapping[str, Any]) -> Markup:
    kind, data = source.get("media_type"), source.get("data")
    if kind in _PICTURES and isinstance(data, str) and _BASE64.fullmatch(data):
        picture = element("img", src=f"data:{kind};base64,{''.join(data.split())}", alt="image", loading="lazy")
        return join((picture, element("figcaption", f"{kind}, {len(data) * 3 // 4:,} bytes")))
    return join((_label("image"), _document(source)))


def _document(source: Mapping[str, Any]) -> Markup:
    """Say where an image or a document is; nothing is loaded from there."""
    data = source.get("data")
    if source.get("type") == "text" and isinstance(data, str):
        return folded_text(data)
    shown = {
        key: f"({len(value):,} characters)" if isinstance(value, str) and len(value) > LONG else value
        for key, value in thaw(source).items()
    }
    return element("code", json_text(shown))


def folded_text(value: str, shown: str = "") -> Markup:
    """Return a text, folded where it is long; `shown` is the same text as HTML, if it is more than text."""
    lines = value.count("\n")
    content = element("div", shown or value, class_="text", dir="auto")
    if len(value) <= LONG and lines <= MANY_LINES:
        return content
    size = f"{len(value):,} characters" + (f", {lines + 1:,} lines" if lines else "")
    head = element("summary", element("span", _shortened(value), class_="start"), element("span", size, class_="size"))
    return element("details", head, content, class_="long")


def json_block(value: Any) -> Markup:
    if isinstance(value, dict) and value:
        rows = [join((element("dt", str(key)), element("dd", _json_value(item)))) for key, item in value.items()]
        return element("dl", *rows, class_="json")
    return _json_value(value)


def _json_value(value: Any) -> Markup:
    return folded_text(value) if isinstance(value, str) else folded_text(json_text(value))


def _shortened(value: str) -> str:
    line = " ".join(value[: SHORT * 4].split())
    return line if len(line) <= SHORT and len(value) <= SHORT * 4 else f"{line[:SHORT]}…"


def _label(name: str) -> Markup:
    return element("span", name, class_="label")


def _mark(value: Block) -> Markup:
    mark = value.mark
    if mark is None:
        return Markup()
    reason = f": {mark.reason.replace('_', ' ')}" if mark.reason else ""
    return element("span", f"made here: {mark.kind}{reason}", class_="made")
