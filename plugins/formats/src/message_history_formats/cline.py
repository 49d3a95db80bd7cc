"""Cline and Roo Code: the messages of their display. Their list for the API is one of the Messages API's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    fit_items,
    image,
    json_of,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_USER: Final = ("task", "user_feedback", "user_feedback_diff")
_ASSISTANT: Final = ("text", "completion_result", "followup", "plan_mode_respond")
_TOOLS: Final = ("tool", "command", "browser_action_launch", "browser_action", "use_mcp_server")
_OUTPUTS: Final = ("command_output", "mcp_server_response", "browser_action_result")


def _is_message(item: Mapping[str, Any]) -> bool:
    return "ts" in item and (
        ("say" in item and item.get("type") == "say") or ("ask" in item and item.get("type") == "ask")
    )


def _fit(document: Document) -> Fit:
    return fit_items(document.first_items, _is_message) if document.items else Fit.NONE


def _read(document: Document) -> Reading:
    collector = Collector()
    open_call = ""
    started = False
    for n, item in enumerate(document.items):
        if not isinstance(item, dict) or not _is_message(item):
            collector.note(n, "an item that is not a message", item)
            continue
        kind, written = str(item.get("say") or item.get("ask")), item.get("text")
        if item.get("partial") is True:
            collector.omit("messages that were not finished")
        elif kind in _USER or (kind == "text" and not started):
            started = True
            images = [image(each) for each in item.get("images") or []]
            collector.add_blocks(n, "user", [*text(written), *images])
        elif kind in _ASSISTANT:
            collector.add_blocks(n, "assistant", text(_text_in_json(written)))
        elif kind == "reasoning":
            collector.add_blocks(n, "assistant", thinking(written))
        elif kind in _TOOLS:
            open_call = f"item_{n}"
            collector.add_blocks(n, "assistant", [_call(open_call, kind, written)])
        elif kind in _OUTPUTS:
            if not open_call:
                open_call = f"item_{n}"
                collector.add_blocks(n, "assistant", [call(open_call, kind, {})])
            collector.add_blocks(n, "user", [result(open_call, written)])
            open_call = ""
        else:
            collector.omit(f"{kind} messages")
    return collector.reading(BLOCKS)


def _text_in_json(written: object) -> object:
    """Return the question or the reply of a message that holds it as JSON."""
    value = json_of(written) if isinstance(written, str) and written.startswith("{") else None
    found = (value.get("question") or value.get("response")) if isinstance(value, dict) else None
    return found if isinstance(found, str) else written


def _call(id: str, kind: str, written: object) -> dict[str, Any]:
    if kind == "command":
        return call(id, "execute_command", {"command": written})
    made = call(id, kind, written)
    name = made["input"].get("tool") or made["input"].get("toolName")
    return {**made, "name": name} if isinstance(name, str) else made


CLINE_DISPLAY: Final = Format(
    name="cline-display",
    rank=340,
    title="Cline and Roo Code: messages of the display (ui_messages.json); api_conversation_history.json is `cline`",
    files="globalStorage/saoudrizwan.claude-dev/tasks/*/ui_messages.json, globalStorage/rooveterinaryinc.roo-cline/...",
    omits="requests, checkpoints, errors, unfinished messages; results of tools are mostly in the other file",
    unwritten="the programs go on from api_conversation_history.json, which is `cline`; this is what they showed",
    source="cline/cline: apps/vscode/src/shared/ExtensionMessage.ts, core/storage/disk.ts",
    checked="2026-08-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
