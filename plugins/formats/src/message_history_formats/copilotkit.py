"""Messages of CopilotKit's runtime: each a text, a call, a result or an agent's state, as GraphQL has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.ai_sdk import ai_sdk_messages
from message_history.formats.kit import (
    BLOCKS,
    STATE,
    Collector,
    Format,
    Reading,
    call,
    fit_items,
    image,
    json_text,
    objects_in,
    result,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Fit

_KINDS: Final = ("text", "actionExecution", "result", "agentState", "image")
_ROLES: Final = ("user", "assistant", "system", "developer")


def _named_kind(message: Mapping[str, Any]) -> str | None:
    """Return what a message is by its type or, in what a frontend sends, by the key that it is under."""
    named = message.get("type", message.get("__typename"))
    if isinstance(named, str):
        kind = named.removesuffix("Input").removesuffix("Output").removesuffix("Message")
        kind = kind[:1].lower() + kind[1:]
        return kind if kind in _KINDS and not named.startswith(kind[0]) else ""
    return next((kind for kind in _KINDS if isinstance(message.get(f"{kind}Message"), dict)), None)


def _kind(message: Mapping[str, Any]) -> str:
    named = _named_kind(message)
    return _of_keys(message) if named is None else named


def _of_keys(message: Mapping[str, Any]) -> str:
    """Return what a message is that does not say it, as those in Python."""
    if "actionExecutionId" in message:
        return "result"
    if "role" in message:
        return "text" if message["role"] in _ROLES and "content" in message else ""
    return "actionExecution" if {"id", "name", "arguments"} <= message.keys() else ""


def _body(message: Mapping[str, Any], kind: str) -> dict[str, Any]:
    inner = message.get(f"{kind}Message")
    return {**message, **inner} if isinstance(inner, dict) else dict(message)


def _is_own(message: Mapping[str, Any]) -> bool:
    return _kind(message) == "result" and "actionExecutionId" in _body(message, "result")


def _is_marked(message: Mapping[str, Any]) -> bool:
    return _is_own(message) or _named_kind(message) == "actionExecution"


def _fit(document: Document) -> Fit:
    items = [message for _, message in ai_sdk_messages(document)[:60]]
    return fit_items(objects_in(items), lambda message: bool(_kind(message)), _is_marked, is_common=True)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in ai_sdk_messages(document):
        kind = _kind(message) if isinstance(message, dict) else ""
        if not kind or not _add(collector, n, kind, _body(message, kind)):
            collector.note(n, "an entry that is not a message", message)
    return collector.reading(BLOCKS, id=document.object.get("threadId"))


def _add(collector: Collector, n: int, kind: str, body: Mapping[str, Any]) -> bool:
    role = str(body.get("role")).lower()
    if kind == "actionExecution":
        collector.add_blocks(n, "assistant", [call(body.get("id"), body.get("name"), _whole(body.get("arguments")))])
    elif kind == "result":
        found = body.get("result")
        content = found if isinstance(found, str) else json_text(found)
        collector.add_blocks(n, "user", [result(body.get("actionExecutionId"), content)])
    elif kind == "agentState":
        collector.omit("states of agents")
    elif role not in _ROLES:
        return False
    elif kind == "image":
        collector.add_blocks(n, role, [image(f"data:image/{body.get('format')};base64,{body.get('bytes')}")])
    elif role in ("system", "developer"):
        collector.add(n, {"role": "system", "content": _whole(body.get("content"))})
    else:
        collector.add_blocks(n, role, text(_whole(body.get("content"))))
    return True


def _whole(value: Any) -> Any:
    """Return a text that comes in pieces as one."""
    return "".join(map(str, value)) if isinstance(value, list) else value


COPILOTKIT: Final = Format(
    name="copilotkit",
    rank=438,
    title="CopilotKit: messages of its runtime and its hooks",
    files="what `useCopilotChat` has, and what a frontend and the runtime send each other",
    omits="states of agents",
    unwritten=STATE,
    source="CopilotKit/CopilotKit: packages/runtime-client-gql/src/client/types.ts, conversion.ts",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
)
