"""A session that Claude Code goes on with: a line for each block of a reply, and for each result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid5

from attrs import evolve

from message_history.dialects import Anthropic
from message_history.formats.claude_code import CLAUDE_CODE as _KNOWN
from message_history.formats.kit import NewSession
from message_history.tools import OmittedPart
from message_history_formats._going_on import messages_of, moments, session_id, without_system

if TYPE_CHECKING:
    from datetime import datetime

    from message_history import Message, MessageHistory

_DIALECT: Final = Anthropic(prefill=True)
VERSION: Final = "2.1.197"
"""The version whose lines these are."""
_NO_MODEL: Final = "<synthetic>"
"""What Claude Code calls the model of replies that Claude did not make; it counts no tokens of them."""
_CLAUDE: Final = "claude-"
_BOUND: Final = "newer models refuse thinking that comes after another system prompt than it came after"


def write(history: MessageHistory, folder: str, at: datetime) -> NewSession:
    export = history.export(_DIALECT)
    id = session_id("claude_code", folder, export)
    messages = messages_of(history, [entry["role"] for entry in export.messages])
    omitted = list(without_system(export))
    rows: list[dict[str, Any]] = []
    parent = None
    times = moments(messages, at)
    for n, (entry, message, time) in enumerate(zip(export.messages, messages, times, strict=True)):
        about = _reply(entry, message, f"msg_{_uuid(id, f'reply {n}').hex[:24]}")
        for m, content in enumerate(_parts(entry["content"])):
            if _is_bound(content, message):
                omitted.append(OmittedPart(f"[{n}].content[{m}]", content[0], _BOUND))
                continue
            own = str(_uuid(id, f"line {len(rows)}"))
            rows.append(
                {
                    "parentUuid": parent,
                    "isSidechain": False,
                    "type": entry["role"],
                    "message": {**about, "content": content},
                    "uuid": own,
                    "timestamp": time,
                    "userType": "external",
                    "cwd": folder,
                    "sessionId": id,
                    "version": VERSION,
                    "gitBranch": "",
                }
            )
            parent = own
    return NewSession(
        rows=tuple(rows),
        dialect=_DIALECT,
        export=export,
        path=f"~/.claude/projects/{re.sub('[^a-zA-Z0-9]', '-', folder)}/{id}.jsonl",
        resume=f"claude --resume {id}",
        omitted=tuple(omitted),
    )


def _uuid(session: str, name: str) -> UUID:
    return uuid5(UUID(session), name)


def _parts(content: Any) -> list[Any]:
    return [content] if isinstance(content, str) else [[block] for block in content]


def _is_bound(content: Any, message: Message | None) -> bool:
    """Return whether a part is thinking that its model may refuse here: the program puts other words before it."""
    if not isinstance(content, list) or content[0]["type"] not in ("thinking", "redacted_thinking"):
        return False
    model = (message.replies[-1].model if message is not None and message.replies else None) or ""
    return not model.startswith(_CLAUDE) or Anthropic.for_model(model).binds_thinking


def _reply(entry: dict[str, Any], message: Message | None, id: str) -> dict[str, Any]:
    """Write what each line of a message says of all of it."""
    if entry["role"] == "user":
        return {"role": "user"}
    info = message.replies[-1] if message is not None and message.replies else None
    is_claudes = info is not None and (info.model or "").startswith(_CLAUDE)
    usage = info.raw_usage if info is not None and is_claudes else {}
    return {
        "id": info.id if info is not None and is_claudes and info.id else id,
        "type": "message",
        "role": "assistant",
        "model": info.model if info is not None and is_claudes else _NO_MODEL,
        "usage": {"input_tokens": 0, "output_tokens": 0, **usage},
        "stop_reason": info.stop_reason if info is not None and is_claudes else "end_turn",
        "stop_sequence": None,
    }


CLAUDE_CODE: Final = evolve(_KNOWN, write=write)
