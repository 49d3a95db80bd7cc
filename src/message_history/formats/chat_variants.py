"""Messages of Chat Completions but for some names: of AG-UI, of Cohere's second API, of xAI's own SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.ai_sdk import ai_sdk_messages
from message_history.formats.kit.base import NOTHING_JUDGED, STATE, Collector, Fit, Format, Reading, fit_items
from message_history.formats.kit.chat_messages import ROLES, add_chat_message, blocks_of, first_of
from message_history.formats.kit.chat_rows import ChatRows
from message_history.formats.kit.raw_blocks import BLOCKS, image, json_text, objects_in, thinking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from message_history.formats.kit.document import Document

_ROLE: Final = "ROLE_"
_SHOWN: Final = "activity"
_THOUGHT: Final = "reasoning"
_CALLS: Final = ("tool_calls", "toolCalls")


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role")
    return role.lower() if isinstance(role, str) else ""


def _messages(document: Document) -> list[dict[str, Any]]:
    return objects_in([message for _, message in ai_sdk_messages(document)[:60]])


def _reader(add: Callable[[Collector, int, Any], bool]) -> Callable[[Document], Reading]:
    def read(document: Document) -> Reading:
        collector = Collector()
        for n, message in ai_sdk_messages(document):
            if not add(collector, n, message):
                collector.note(n, "a message of an unknown role", message)
        return collector.reading(BLOCKS, id=document.object.get("threadId"))

    return read


def _is_ag_ui(message: Mapping[str, Any]) -> bool:
    return "id" in message and (_role(message) in ROLES or _role(message) in (_SHOWN, _THOUGHT))


def _is_ag_uis_own(message: Mapping[str, Any]) -> bool:
    is_shown = _role(message) == _SHOWN and "activityType" in message
    has_calls = _role(message) == "assistant" and isinstance(message.get("toolCalls"), list)
    is_thought = _role(message) == _THOUGHT and isinstance(message.get("content"), str) and "type" not in message
    return is_shown or has_calls or is_thought or (_role(message) == "tool" and "toolCallId" in message)


def _fit_ag_ui(document: Document) -> Fit:
    messages = _messages(document)
    return fit_items(messages, _is_ag_ui, lambda each: _is_ag_ui(each) and _is_ag_uis_own(each), is_common=True)


def _add_ag_ui(collector: Collector, n: int, message: Any) -> bool:
    role = _role(message) if isinstance(message, dict) else ""
    if role == _SHOWN:
        collector.omit("activities that are shown")
        return True
    if role == _THOUGHT:
        collector.add_blocks(n, "assistant", thinking(message.get("content")))
        return True
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        message = {**message, "content": [part for each in content for part in _part(each)]}
    if role == "tool" and isinstance(message.get("error"), str):
        message = {**message, "content": message.get("content") or message["error"]}
    return add_chat_message(collector, n, message)


def _part(part: Any) -> list[Any]:
    """Return a part of what a user says as one that is known, or as it is."""
    if not isinstance(part, dict) or part.get("type") == "text":
        return [part]
    source = part["source"] if isinstance(part.get("source"), dict) else part
    media, data = first_of(source, "mimeType", "mime_type"), first_of(source, "data", "value")
    is_image = part.get("type") == "image" or str(media).startswith("image/")
    if not is_image or (data is None and source.get("url") is None):
        return [part]
    is_url = source.get("type") == "url" or data is None
    return [image(first_of(source, "url", "value") if is_url else f"data:{media};base64,{data}")]


def _is_coheres(message: Mapping[str, Any]) -> bool:
    documents = objects_in(message.get("content")) if _role(message) == "tool" else []
    is_document = bool(documents) and all(isinstance(each.get("document"), dict) for each in documents)
    return "tool_plan" in message or is_document


def _add_coheres(collector: Collector, n: int, message: Any) -> bool:
    """Add a message: what the model plans is said before its calls, and documents are what a tool found."""
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    if _role(message) == "tool":
        found = [_document(each) for each in content] if isinstance(content, list) else content
        message = {**message, "content": found}
    elif message.get("tool_plan"):
        message = {**message, "content": [*blocks_of(message["tool_plan"]), *blocks_of(content)]}
    collector.omit("citations", len(objects_in(message.get("citations"))))
    return add_chat_message(collector, n, message)


def _document(part: Any) -> Any:
    inner = part.get("document") if isinstance(part, dict) else None
    if not isinstance(inner, dict):
        return part
    data = inner.get("data", inner)
    return {"type": "text", "text": json_text(data)}


def _is_xais(message: Mapping[str, Any]) -> bool:
    role = message.get("role") if "parts" not in message else None
    return isinstance(role, str) and role.startswith(_ROLE) and role.removeprefix(_ROLE).lower() in ROLES


def _add_xais(collector: Collector, n: int, message: Any) -> bool:
    """Add a message as its protocol buffer is written in JSON: what a part is, its one key says."""
    if not isinstance(message, dict) or not _is_xais(message):
        return False
    collector.omit("encrypted reasoning", bool(first_of(message, "encrypted_content", "encryptedContent")))
    parts = [_xais_part(part) for part in objects_in(message.get("content"))]
    plain = {
        "role": message["role"].removeprefix(_ROLE).lower(),
        "content": parts,
        "tool_calls": first_of(message, *_CALLS),
        "tool_call_id": first_of(message, "tool_call_id", "toolCallId"),
        "reasoning_content": first_of(message, "reasoning_content", "reasoningContent"),
    }
    return add_chat_message(collector, n, plain)


def _xais_part(part: Mapping[str, Any]) -> dict[str, Any]:
    picture = first_of(part, "image_url", "imageUrl")
    if isinstance(picture, dict):
        return image(first_of(picture, "image_url", "imageUrl", "url"))
    return {"type": "text", **part} if "text" in part else dict(part)


AG_UI: Final = Format(
    name="ag-ui",
    rank=430,
    title="AG-UI messages (CopilotKit and other frontends)",
    files="`messages` of what a frontend sends an agent, and of the snapshots that an agent sends back",
    omits="activities that are shown, names of speakers",
    source="ag-ui-protocol/ag-ui: sdks/python/ag_ui/core/types.py, docs/concepts/messages",
    checked="2026-11-23",
    fit=_fit_ag_ui,
    read=_reader(_add_ag_ui),
    repair=ChatRows(list_key="messages", calls_key="toolCalls", result_key="toolCallId", id_key="id", add=_add_ag_ui)
    .form()
    .repair,
)
COHERE: Final = Format(
    name="cohere",
    rank=435,
    title="Cohere's messages (its second API)",
    files="`messages` of requests, and lists of them",
    omits="citations",
    source="cohere-ai/cohere-python: src/cohere/types/assistant_chat_message_v2.py, tool_chat_message_v2.py",
    checked="2026-11-23",
    fit=lambda document: fit_items(
        _messages(document), lambda each: _role(each) in ROLES and "content" in each, _is_coheres, is_common=True
    ),
    read=_reader(_add_coheres),
    repair=ChatRows(list_key="messages", add=_add_coheres).form().repair,
)
XAI: Final = Format(
    name="xai",
    rank=436,
    title="xAI's messages, as its SDK writes them in JSON",
    files="`messages` of requests, and lists of them",
    omits="encrypted reasoning",
    unwritten=STATE,
    source="xai-org/xai-sdk-python: src/xai_sdk/proto/v6/chat_pb2.pyi (`Message`, `MessageRole`)",
    checked="2026-11-23",
    fit=lambda document: fit_items(_messages(document), _is_xais),
    read=_reader(_add_xais),
    judged=NOTHING_JUDGED,
)
