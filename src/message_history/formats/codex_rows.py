"""The rollout files of Codex: JSON lines, of which those that hold an item of the Responses API are the conversation.

A line names its kind and has what it says as `payload`. Older files have the items as they are, after a line about
the session. A line that says that the conversation was compacted holds what takes the place of all before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import TextBlock, ToolResultBlock
from message_history.core.messages.message import make_message
from message_history.core.messages.repairs import RepairCode
from message_history.dialects import OpenAIResponses
from message_history.formats.kit.splicing import Piece, Thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit.splicing import Line, Splice

# A rollout is the whole conversation.
_DIALECT: Final = OpenAIResponses(continues=False)
_KINDS: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
# The first line of an older file.
_HEADER: Final = frozenset({"id", "timestamp", "instructions", "git", "cwd", "originator", "cli_version", "source"})
_ITEMS: Final = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call"),
        *("custom_tool_call_output", "local_shell_call", "web_search_call", "compaction"),
    }
)
# What Codex itself changes when it sends is not checked: a rollout is not a request.
_JUDGED: Final = frozenset({"OR-01", "OR-02", "OR-03", "OR-04", "OR-05", "OR-15", "OR-19", "DS-16"})
# What begins a user message that Codex wrote itself.
_CODEX_OPENINGS: Final = ("<", "# AGENTS.md")


def is_line(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("payload"), Mapping):
        return value.get("type") in _KINDS
    # The marks of an older file are between its items.
    is_header = "instructions" in value and "timestamp" in value and "id" in value and value.keys() <= _HEADER
    return is_header or value == {"record_type": "state"}


def threads(lines: Sequence[Line]) -> tuple[Thread, ...]:
    pieces: list[Piece] = []
    counted = _Counted()
    every = 0
    for n, line in enumerate(lines):
        kind, payload = _envelope(line.value)
        if _is_compaction(kind, payload):
            pieces.clear()
        if kind == "event_msg" and payload.get("type") == "thread_rolled_back":
            _roll_back(pieces, payload.get("num_turns"))
        counted.take(kind, payload, pieces)
        found = [_piece(n, m, item) for m, item in enumerate(_items(line.value))]
        pieces += [piece for piece in found if piece.blocks]
        every += any(piece.blocks for piece in found)
    if not pieces:
        return ()
    return (
        Thread(
            label="",
            dialect=_DIALECT,
            pieces=tuple(pieces),
            entries=tuple(piece.raw for piece in pieces),
            first_lines=tuple(lines[piece.line].number for piece in pieces),
            write=_write,
            judged=_JUDGED,
            omitted=every - len({piece.line for piece in pieces}),
            replies=tuple((n, reply) for n, piece in enumerate(pieces) for reply in counted.of(piece)),
        ),
    )


@final
class _Counted:
    """What Codex writes of tokens after each reply, and of the model before each turn."""

    def __init__(self) -> None:
        self._model: str | None = None
        self._total: object = None
        self._replies: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)

    def take(self, kind: str, payload: Mapping[str, Any], pieces: Sequence[Piece]) -> None:
        if kind == "turn_context" and isinstance(payload.get("model"), str):
            self._model = payload["model"]
        info = payload.get("info") if kind == "event_msg" and payload.get("type") == "token_count" else None
        if not isinstance(info, Mapping) or info.get("total_token_usage") == self._total:
            return  # The counts are written again when only the limits have changed.
        self._total = info.get("total_token_usage")
        last = info.get("last_token_usage")
        piece = next((piece for piece in reversed(pieces) if piece.role == "assistant"), None)
        if piece is not None and isinstance(last, Mapping):
            self._replies[piece.line, piece.item].append({"model": self._model, "usage": _usage(last)})

    def of(self, piece: Piece) -> Sequence[dict[str, Any]]:
        """Return what follows a piece."""
        return self._replies.get((piece.line, piece.item), ())


def _usage(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Write the counts of Codex as the API gave them."""
    cached, thinking = counts.get("cached_input_tokens"), counts.get("reasoning_output_tokens")
    return {
        "input_tokens": counts.get("input_tokens"),
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": counts.get("output_tokens"),
        "output_tokens_details": {"reasoning_tokens": thinking},
        "total_tokens": counts.get("total_tokens"),
    }


def _envelope(value: Mapping[str, Any] | None) -> tuple[str, Mapping[str, Any]]:
    payload = value.get("payload") if value is not None else None
    if value is None or not isinstance(payload, Mapping):
        return "", {}
    return str(value.get("type")), payload


def _is_compaction(kind: str, payload: Mapping[str, Any]) -> bool:
    """Return whether a line replaces all before it: Codex skips one that does not say with what."""
    says = isinstance(payload.get("message"), str) or isinstance(payload.get("replacement_history"), list)
    return kind == "compacted" and says


def _items(value: Mapping[str, Any] | None) -> list[Any]:
    kind, payload = _envelope(value)
    if kind == "response_item":
        return [payload]
    if kind == "compacted":
        kept, summary = payload.get("replacement_history"), payload.get("message")
        if isinstance(kept, list):
            return kept
        return [_message("user", summary)] if isinstance(summary, str) else []
    if value is not None and "payload" not in value and (value.get("type") in _ITEMS or _is_plain(value)):
        return [value]
    return []


def kind_of(value: Mapping[str, Any]) -> str | None:
    """Say what a line is that holds no item of the conversation; None for one that holds an item."""
    kind, payload = _envelope(value)
    if _items(value) or _is_compaction(kind, payload):
        return None
    kind = kind or str(value.get("type") or value.get("record_type") or "session")
    return (
        f"lines of type {kind} {payload['type']}" if isinstance(payload.get("type"), str) else f"lines of type {kind}"
    )


def _is_plain(value: Mapping[str, Any]) -> bool:
    return "type" not in value and value.get("role") in ("user", "assistant")


def _piece(line: int, n: int, item: Any) -> Piece:
    parsed = _DIALECT.parse([item])
    role: Role = parsed.messages[0].role if parsed.messages else "user"
    blocks = tuple(block for message in parsed.messages for block in message.content)
    unfit = next(((note.code, note.detail) for note in parsed.notes if note.code is RepairCode.ROLE_ASSUMED), None)
    return Piece(line, n, role, item, blocks, unfit=unfit)


def _roll_back(pieces: list[Piece], turns: object) -> None:
    """Take back the newest turns, each of which begins with the user's own words."""
    left = turns if isinstance(turns, int) else 0
    while left > 0 and pieces:
        left -= _is_typed_by_user(pieces.pop())


def _is_typed_by_user(piece: Piece) -> bool:
    texts = [block.text for block in piece.blocks if isinstance(block, TextBlock)]
    is_users = isinstance(piece.raw, Mapping) and piece.raw.get("role") == "user"
    return is_users and any(not text.startswith(_CODEX_OPENINGS) for text in texts)


def _message(role: Role, text: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    if isinstance(block, TextBlock):
        return [_message(role, block.text)]
    messages = [make_message(role, (block,))]
    if isinstance(block, ToolResultBlock):
        # How an output is written depends on its call.
        calls = [call for call in before.calls if call.id == block.tool_use_id] if before is not None else []
        messages = [make_message("assistant", tuple(calls)), *messages] if calls else messages
    items = _DIALECT.render(messages).messages
    if isinstance(block, ToolResultBlock):
        items = [item for item in items if str(item.get("type")).endswith("_output")]
    return [item if "type" in item else {"type": "message", **item} for item in items]


def spliced(lines: Sequence[Line], splices: Sequence[Splice]) -> list[tuple[Line | None, dict[str, Any] | None]]:
    """Put a repaired conversation back, with None as the value of a line that is new or stays as it was written."""
    kept = {place for splice in splices for place in splice.kept}
    touched = {piece.line for splice in splices if splice.changed for piece in splice.thread.pieces}
    wrapped = any("payload" in (line.value or {}) for line in lines)
    # By the line and the item that they follow; -1 for what comes before the first.
    behind: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for splice in splices:
        for addition in splice.additions:
            after = addition.after
            behind[(after.line, after.item) if after else (splice.thread.pieces[0].line, -1)] += addition.items
    out: list[tuple[Line | None, dict[str, Any] | None]] = []
    for n, line in enumerate(lines):
        items = _items(line.value) if n in touched else []
        new = [*behind.get((n, -1), [])]
        for m, item in enumerate(items):
            new += [item] if (n, m) in kept else []
            new += behind.get((n, m), [])
        if line.value is not None and _is_compaction(*_envelope(line.value)):
            # It stays when nothing is left in it, too: what comes before it would count again.
            payload = {**line.value["payload"], "replacement_history": new}
            out.append((line, None if new == items else {**line.value, "payload": payload}))
        elif not items:
            out.append((line, None))
        else:
            like = line.value or {}
            out += [
                (line, None) if item is items[0] else (None, _line(item, like) if wrapped else item) for item in new
            ]
    return out


def _line(item: Any, like: Mapping[str, Any]) -> dict[str, Any]:
    around = {"timestamp": like["timestamp"]} if "timestamp" in like else {}
    return {**around, "type": "response_item", "payload": item}
