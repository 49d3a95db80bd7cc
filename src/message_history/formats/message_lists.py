"""Lists of messages in a provider's form: a JSON list, an object or a request around one, one message per line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.elsewhere import API_ROLES
from message_history.dialects.registry import CHAT, further_dialects, shape_of
from message_history.files.conversations import Conversation
from message_history.files.damaged_json import LineNote
from message_history.files.files import UnreadableFileError, read_bytes
from message_history.files.repaired_lists import repair_file
from message_history.formats.kit.base import Fit, Format, Reading, Rewritten
from message_history.formats.kit.chat_messages import ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.document import Document

_CONTENT: Final = frozenset(
    {"content", "parts", "tool_calls", "function_call", "refusal", "audio", "reasoning_content", "reasoning_details"}
)
_NO_WORDS: Final = frozenset({"type", "id", "index"})
_IDS: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "tool_use": ("id", frozenset({"type", "name", "input", "caller", "cache_control", "index"})),
    "tool_result": ("tool_use_id", frozenset({"type", "content", "is_error", "cache_control", "index"})),
}
"""The key of the id of calls and results in blocks of the Messages API, and their other keys."""
_ASSISTANT: Final = ("assistant", "model")
_OF_PROGRAMS: Final = frozenset({"toolRequest", "frontendToolRequest", "toolResponse", "toolCall", "toolResult"})
"""How programs call their calls and results, and no API: a list with these is of a format that was not recognised."""
_REPLIES: Final = ("response", "interaction", "chat.completion")
"""What APIs call their replies under `object`."""
_WITHOUT_ROLE: Final = _CONTENT | {"tool_call_id", "name", "id", "index", "type", "timestamp", "created_at"}
"""The keys of a message of Chat Completions that lost its role; an event with an id of a call has others."""
_AROUND: Final = frozenset(
    {
        *("role", "id", "index", "type", "name", "tool_call_id", "timestamp", "created_at", "created", "model"),
        *("usage", "status", "stop_reason", "finish_reason"),
    }
)
"""The keys of a message that hold no words of it."""


def is_message(entry: object) -> bool:
    """Return whether an entry is a message of a dialect, with its content where the dialect has it."""
    if not isinstance(entry, Mapping):
        return False
    parts = entry.get("parts")
    if isinstance(parts, list) and "kind" not in entry and not all(map(_is_gemini_part, parts)):
        return False
    content = entry.get("content")
    if isinstance(content, list) and any(_is_text_elsewhere(part) or _is_block_of_another(part) for part in content):
        return False
    if "role" in entry:
        has_content = not _CONTENT.isdisjoint(entry) or len(entry) == 1
        return isinstance(entry["role"], str) and (has_content or _is_typed_item(entry) or _is_further(entry))
    found = shape_of(entry)
    return found is not None and (found != CHAT or (not _CONTENT.isdisjoint(entry) and entry.keys() <= _WITHOUT_ROLE))


def _is_typed_item(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is what its type says, whoever's role it has, such as tools that Responses adds."""
    bare = {key: value for key, value in entry.items() if key != "role"}
    return entry.get("type") not in (None, "message") and shape_of(bare) is not None


def _is_further(entry: Mapping[str, Any]) -> bool:
    """Return whether a dialect of another distribution owns an entry: it may have roles of its own, and ours' keys."""
    return any(dialect.owns(entry) for dialect in further_dialects().values())


def _is_text_elsewhere(part: object) -> bool:
    """Return whether a part of type text has its words under another key than all dialects: they would be lost."""
    if not isinstance(part, Mapping) or part.get("type") != "text" or "text" in part:
        return False
    return any(isinstance(value, str) and bool(value.strip()) for key, value in part.items() if key not in _NO_WORDS)


def _is_block_of_another(part: object) -> bool:
    """Return whether a call or a result is a program's, or has its id under another key: it would be lost."""
    if not isinstance(part, Mapping):
        return False
    kind = part.get("type")
    if isinstance(kind, str) and kind in _OF_PROGRAMS:
        return True
    id, known = _IDS.get(kind, ("", frozenset())) if isinstance(kind, str) else ("", frozenset())
    return bool(id) and id not in part and any(bool(part[key]) for key in part.keys() - known)


def _is_gemini_part(part: object) -> bool:
    """Return whether a part of Gemini's form has no `type`: with one it is of another program."""
    return not isinstance(part, Mapping) or "type" not in part


def fit_of_messages(entries: Sequence[Any]) -> Fit:
    """Judge a list of messages: every object in it must be one, or it would be lost; see `_has_own_roles`."""
    # Among messages, one that lost its content is an empty one; alone, such entries may be anything.
    objects = [entry for entry in entries if isinstance(entry, Mapping) and not _is_bare(entry)]
    messages = sum(map(is_message, objects))
    if messages == len(objects) and not _has_own_roles(objects):
        return Fit.CERTAIN if messages or not entries else Fit.NONE
    return Fit.NEAR if messages else Fit.NONE


def _is_bare(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is a message without its content."""
    role = entry.get("role")
    return isinstance(role, str) and role in API_ROLES and entry.keys() <= _AROUND and not is_message(entry)


def _has_own_roles(entries: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the program has its own name for the assistant: a role that is merely damaged is rare."""
    roles = [entry["role"] for entry in entries if isinstance(entry.get("role"), str)]
    strange = [entry["role"] for entry in entries if _has_strange_role(entry)]
    if any(role.lower() in ROLES for role in strange):
        return True
    return len(set(roles)) > 1 and len(strange) > sum(role in _ASSISTANT for role in roles)


def _has_strange_role(entry: Mapping[str, Any]) -> bool:
    return isinstance(role := entry.get("role"), str) and role not in API_ROLES and not _is_further(entry)


def strange_entry(document: Document) -> str:
    """Say what keeps a list from being recognised: an entry of it, or that it is not a list.

    Returns a sentence's end, with the place of the first such entry; empty when nothing does.
    """
    if is_reply(document.object):
        return "it is one reply of an API alone, without the messages that it answers"
    try:
        saved = document.saved
    except UnreadableFileError:
        return ""
    objects = [(n, entry) for n, entry in enumerate(saved.entries) if isinstance(entry, Mapping)]
    place = next((n for n, entry in objects if not is_message(entry) and not _is_bare(entry)), None)
    if place is not None:
        return f"{saved.place_of(place)} is not a message of any dialect, and would be lost"
    if _has_own_roles([entry for _, entry in objects]):
        n, role = next((n, entry["role"]) for n, entry in objects if _has_strange_role(entry))
        return f"no dialect knows the role {role!r} of {saved.place_of(n)}, and its text would become the user's"
    return ""


def is_reply(about: Mapping[str, Any]) -> bool:
    """Return whether an object is one reply of an API: what a provider sent, and no conversation that goes on."""
    return about.get("object") in _REPLIES or ("usage" in about and ("stop_reason" in about or "stopReason" in about))


def _fit(document: Document) -> Fit:
    try:
        saved = document.saved
    except UnreadableFileError:
        return Fit.NONE
    found = fit_of_messages(saved.entries)
    return min(found, Fit.NEAR) if is_reply(document.object) else found


def _read(document: Document) -> Reading:
    file = document.saved
    tools = file.container.get("tools") if file.container is not None else None
    conversation = Conversation(file=file, tools=tuple(tools) if isinstance(tools, list) else ())
    objects = [(n, entry) for n, entry in enumerate(file.entries) if isinstance(entry, Mapping)]
    strange = [n for n, entry in objects if not is_message(entry) and not _is_bare(entry)]
    unread = [
        LineNote(line=n, detail="an entry that is not a message of any dialect", skipped=str(file.entries[n]))
        for n in strange
    ]
    return Reading(conversations=(conversation,), notes=file.notes, unread=tuple(unread))


def _repair(data: bytes, policy: Policy) -> Rewritten:
    repaired = repair_file(read_bytes(data), policy=policy)
    return Rewritten(repaired.data, (("", repaired.repairs),), repaired.form)


MESSAGE_LISTS: Final = Format(
    name="messages",
    rank=2030,
    title="Lists of messages in a provider's form, and bodies of requests (`messages`, `contents`, `input`)",
    files="anywhere; Cline's and Roo Code's api_conversation_history.json among others",
    omits="nothing; other keys of an object stay",
    source="docs/dialects.md",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_repair,
    judged=None,
    general=True,
)
