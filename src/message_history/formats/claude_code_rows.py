"""The session files of Claude Code: JSON lines, each with one message or a part of one, linked to the line before.

A reply is written block by block, each in a line of its own with the reply's id. A line names its parent: the
conversation is what the newest line descends from; what was rewound stays in the file, and is not in the conversation.
Sidechains, the conversations of subagents, are in the same file or in their own files.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.blocks import ToolUseBlock
from message_history.core.messages.message import make_message
from message_history.core.messages.repairs import RepairCode
from message_history.dialects import Anthropic
from message_history.dialects.anthropic.parse import keep_blank_texts
from message_history.dialects.anthropic.schema import ID
from message_history.formats.kit.splicing import Piece, Thread, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit.splicing import Addition, Line, Splice

_DIALECT: Final = Anthropic(prefill=True)
# What a line says of the session rather than of its message.
_ENVELOPE: Final = (
    *("isSidechain", "agentId", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug"),
    "timestamp",
)
_NO_MODEL: Final = "<synthetic>"
"""The model of replies that the program wrote itself."""
_LINKS: Final = ("parentUuid", "logicalParentUuid", "leafUuid")
_NAMESPACE: Final = uuid.UUID("6f1d3c52-6a0e-5d43-9a53-1f0f8f6a2b7e")


def is_line(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("message"), Mapping):
        return value.get("type") in ("user", "assistant") and ("uuid" in value or "sessionId" in value)
    return isinstance(value.get("type"), str) and ("sessionId" in value or "leafUuid" in value or "parentUuid" in value)


def threads(lines: Sequence[Line]) -> tuple[Thread, ...]:
    """Part a file into its conversations: the main one, unless there is only a sidechain, and then the sidechains."""
    parts: dict[str, list[int]] = {"": []}
    roots: dict[str, str] = {}
    for n, line in enumerate(lines):
        if line.value is not None:
            parts.setdefault(_side(line.value, roots), []).append(n)
    found = [_Tree(lines, own).thread(f"sidechain {name[:36]}" if name else "") for name, own in parts.items() if own]
    return tuple(thread for thread in found if thread.pieces)


def _side(value: Mapping[str, Any], roots: dict[str, str]) -> str:
    """Name the sidechain of a line by its agent, or else by the line that it goes back to."""
    own = value.get("uuid")
    if value.get("isSidechain") is not True:
        return ""
    name = value.get("agentId") or roots.get(str(value.get("parentUuid"))) or own
    if isinstance(own, str):
        roots[own] = str(name)
    return str(name)


def _id(value: Mapping[str, Any]) -> str | None:
    """Return what other lines name a line by; None when they cannot."""
    own = value.get("uuid")
    return own if isinstance(own, str) else None


def _found_by_id(values: Mapping[int, dict[str, Any]]) -> dict[str | None, int]:
    """Find the lines by their ids; of lines with one id the last message counts, and of copies the first."""
    found: dict[str | None, int] = {}
    for n, value in values.items():
        own = _id(value)
        other = values[found[own]] if own in found else None
        if own is not None and (other is None or (value != other and _is_message(value) >= _is_message(other))):
            found[own] = n
    return found


@final
class _Tree:
    """The lines of one conversation, with what was rewound.

    Args:
        own: the positions of those that belong to the conversation.
    """

    def __init__(self, lines: Sequence[Line], own: Sequence[int]) -> None:
        every = {n: value for n in own if (value := lines[n].value) is not None}
        self._at = _found_by_id(every)
        self._values = {n: value for n, value in every.items() if self._at.get(_id(value), n) == n}
        self._items = {n: _items(value) for n, value in self._values.items()}
        self._numbers = {n: lines[n].number for n in own}
        self._before: dict[int, int | None] = {}
        before = None
        for n in self._values:
            self._before[n] = before
            before = n if _is_message(self._values[n]) else before
        self._linked = any(isinstance(value.get("parentUuid"), str) for value in self._values.values())
        self._anchored = self._anchors()
        self._newest = self._newest_message(before)

    def thread(self, label: str) -> Thread:
        chain = self._chain()
        lines = self._with_siblings(chain)
        pieces = _by_turn(_by_reply([piece for n in lines for piece in _pieces(n, self._values[n], self._items[n])]))
        groups = grouped(pieces)
        return Thread(
            label=label,
            dialect=_DIALECT,
            pieces=tuple(pieces),
            entries=tuple({"role": group[0].role, "content": [piece.raw for piece in group]} for group in groups),
            first_lines=tuple(self._numbers[group[0].line] for group in groups),
            write=_write,
            chain=tuple(chain),
            replies=tuple(self._replies(groups)),
            omitted=sum(bool(self._items[n]) for n in self._values.keys() - set(lines)),
        )

    def _replies(self, groups: Sequence[Sequence[Piece]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Give what has what the API said of each reply; the last line of a reply counts all of its tokens."""
        for n, group in enumerate(groups):
            message = self._values[max(piece.line for piece in group)]["message"]
            if group[0].role == "assistant" and message.get("model") != _NO_MODEL:
                yield n, message

    def _newest_message(self, last: int | None) -> int | None:
        """Return the message that the conversation ends with: the program's own notes, without a parent, do not count.

        It is the last that descends from what someone wrote; the last of all when none does.
        """
        alone: set[int] = set()
        candidate = last
        while candidate is not None:
            at: int | None = candidate
            while at is not None and at not in alone and not _is_spoken(self._values[at]):
                alone.add(at)
                at = self._parent(at)
            if at is not None and at not in alone:
                return candidate
            candidate = self._before[candidate]
        return last

    def _chain(self) -> list[int]:
        """Walk from the newest message back to the first, or to where the conversation was compacted."""
        chain: list[int] = []
        met: set[int] = set()
        at = self._newest
        while at is not None and at not in met:
            met.add(at)
            chain.append(at)
            at = self._parent(at)
        return chain[::-1]

    def _parent(self, at: int) -> int | None:
        value = self._values[at]
        named = self._anchored.get(str(value.get("uuid")), value.get("parentUuid"))
        if isinstance(named, str) and named in self._at:
            return self._at[named]
        if named is None and self._linked and "parentUuid" in value:
            return None
        # The parent is not there any more, or no link was written here or anywhere: it is the line before.
        return self._before[at]

    def _anchors(self) -> dict[str, str]:
        """Return the new parents of messages that were kept when the rest was compacted."""
        found: dict[str, str] = {}
        for value in self._values.values():
            about = value.get("compactMetadata")
            for key in ("preservedSegment", "preservedMessages"):
                kept = about.get(key) if isinstance(about, Mapping) else None
                if isinstance(kept, Mapping):
                    uuids = kept.get("uuids")
                    names = [kept.get("anchorUuid"), *(uuids if isinstance(uuids, list) else [kept.get("headUuid")])]
                    found.update(
                        (own, parent)
                        for parent, own in pairwise(names)
                        if isinstance(own, str) and isinstance(parent, str)
                    )
        return found

    def _with_siblings(self, chain: Sequence[int]) -> list[int]:
        """Add what parallel calls leave next to the chain: other parts of a reply, and the results of its calls."""
        replies: dict[str, list[int]] = defaultdict(list)
        answers: dict[str, list[int]] = defaultdict(list)
        for n, value in self._values.items():
            if (reply := _reply_id(value)) is not None:
                replies[reply].append(n)
            for id in _ids(self._items[n], "tool_result", "tool_use_id"):
                answers[id].append(n)
        there = set(chain)
        answered = {id for id, found in answers.items() if not there.isdisjoint(found)}
        order: list[int] = []
        for n in chain:
            order.append(n)
            parts = replies.get(_reply_id(self._values[n]) or "", ())
            beside = [part for part in parts if part not in there]
            for part in (n, *beside):
                for id in _ids(self._items[part], "tool_use", "id"):
                    beside += [m for m in answers[id][:1] if id not in answered and m not in there]
            order += sorted(set(beside))
            there.update(beside)
        return order


def _is_message(value: Mapping[str, Any]) -> bool:
    return value.get("type") in ("user", "assistant") and isinstance(value.get("message"), dict)


def _is_spoken(value: Mapping[str, Any]) -> bool:
    """Return whether a line is a message, and no note that the program wrote for itself."""
    return _is_message(value) and value.get("isMeta") is not True


def _reply_id(value: Mapping[str, Any]) -> str | None:
    """Return the id of the reply that a line is a part of."""
    message = value.get("message")
    found = message.get("id") if value.get("type") == "assistant" and isinstance(message, dict) else None
    return found if isinstance(found, str) and found else None


def _items(value: Mapping[str, Any]) -> list[Any]:
    if not _is_message(value) or value.get("isApiErrorMessage") is True:
        return []
    content = value["message"].get("content")
    if isinstance(content, list):
        return content
    return [content] if content is not None else []


def kind_of(value: Mapping[str, Any]) -> str | None:
    """Say what a line is that holds no message; None for a message."""
    if _is_message(value):
        return None if _items(value) else "errors of the API, and messages without content"
    named = " ".join(str(value[key]) for key in ("type", "subtype") if isinstance(value.get(key), str))
    return f"lines of type {named}" if named else "lines without a type"


def _ids(items: Sequence[Any], kind: str, key: str) -> list[str]:
    found = [item for item in items if isinstance(item, dict) and item.get("type") == kind]
    return [item[key] for item in found if isinstance(item.get(key), str)]


def _pieces(line: int, value: Mapping[str, Any], items: Sequence[Any]) -> Iterator[Piece]:
    """Yield what a line says, not parsed: who only reads needs the items."""
    role: Role = "assistant" if value.get("type") == "assistant" else "user"
    group = _reply_id(value) or f"line {line}"
    for n, item in enumerate(items):
        yield Piece(line, n, role, _as_block(item), (), group)


def parsed_threads(lines: Sequence[Line]) -> tuple[Thread, ...]:
    """Part a file into its conversations, whose pieces can be repaired."""
    return tuple(
        evolve(each, pieces=tuple(piece for group in grouped(each.pieces) for piece in _parsed(group)))
        for each in threads(lines)
    )


def _parsed(group: Sequence[Piece]) -> Iterator[Piece]:
    """Parse the pieces of one message, and keep the white space that the model wrote next to other text."""
    found = [_DIALECT.parse([{"role": piece.role, "content": [piece.raw]}]).messages for piece in group]
    parts = [tuple(block for message in messages for block in message.content) for messages in found]
    if group[0].role == "assistant" and all(len(blocks) == 1 for blocks in parts):
        parts = [(block,) for block in keep_blank_texts([block for (block,) in parts])]
    for piece, blocks in zip(group, parts, strict=True):
        yield evolve(piece, blocks=blocks, unfit=_unfit(blocks))


def _unfit(blocks: Sequence[Block]) -> tuple[RepairCode, str] | None:
    """Return why a call or a result is rewritten: an id that the API refuses, in both places alike."""
    for block in blocks:
        id = block.id if isinstance(block, ToolUseBlock) else getattr(block, "tool_use_id", "")
        if id and not ID.fullmatch(id):
            return RepairCode.REWRITTEN, f"the id {id!r:.80}, as the API takes ids (AN-C7)"
    return None


def _by_reply(pieces: Sequence[Piece]) -> list[Piece]:
    """Put the parts of a reply next to each other, where its first part is, in the order of the file."""
    parts: dict[str | None, list[Piece]] = {}
    for piece in pieces:
        parts.setdefault(piece.group, []).append(piece)
    return [piece for part in parts.values() for piece in sorted(part, key=lambda piece: (piece.line, piece.item))]


def _by_turn(pieces: Sequence[Piece]) -> list[Piece]:
    """Join what the user says in a row, as it is sent: results first, in the order of their calls."""
    turns: list[Piece] = []
    calls: dict[str, int] = {}
    for role, run in groupby(pieces, lambda piece: piece.role):
        found = list(run)
        if role == "assistant":
            ids = (_id_in(piece, "tool_use", "id") for piece in found)
            calls = {id: n for n, id in enumerate(id for id in ids if id is not None)}
        else:
            found.sort(key=lambda piece: _place(_id_in(piece, "tool_result", "tool_use_id"), calls))
            if len({piece.group for piece in found}) > 1:
                found = [evolve(piece, group=f"user {found[0].line}") for piece in found]
        turns += found
    return turns


def _id_in(piece: Piece, kind: str, key: str) -> str | None:
    raw = piece.raw
    return str(raw.get(key)) if isinstance(raw, Mapping) and raw.get("type") == kind else None


def _place(id: str | None, calls: Mapping[str, int]) -> int:
    """Return the place of a result among the answers to calls; anything but a result comes last."""
    return calls.get(id, len(calls)) if id is not None else len(calls) + 1


def _as_block(item: Any) -> Any:
    return {"type": "text", "text": item} if isinstance(item, str) else item


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    del before
    items: list[Any] = []
    for entry in _DIALECT.render([make_message(role, (block,))]).messages:
        content = entry["content"]
        items += [_as_block(content)] if isinstance(content, str) else list(content)
    return items


def spliced(lines: Sequence[Line], splices: Sequence[Splice]) -> list[tuple[Line | None, dict[str, Any] | None]]:
    """Put repaired conversations back, with None as the value of a line that is new or stays as it was written."""
    weaving = _Weaving(lines)
    for found in splices:
        weaving.take(found)
    return weaving.lines()


@final
class _Weaving:
    """The lines of a file while conversations are put back among them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._values: dict[int, dict[str, Any]] = {}
        self._gone: set[int] = set()
        self._behind: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self._made = 0
        self._taken = {_id(line.value) for line in lines if line.value is not None}

    def take(self, splice: Splice) -> None:
        if not splice.changed:
            return
        for n in dict.fromkeys(piece.line for piece in splice.thread.pieces):
            self._shorten(n, splice)
        chain = [n for n in splice.thread.chain if n not in self._gone]
        ordered = sorted(chain)
        first = splice.thread.pieces[0].line
        behind: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for addition in splice.additions:
            line = addition.after.line if addition.after is not None else first - 1
            made = self._line(addition, self._lines[addition.after.line if addition.after else first].value or {})
            self._behind[line].append(made)
            # The line that it follows may be next to the chain.
            place = bisect_right(ordered, line)
            behind[ordered[place - 1] if place else -1].append(made)
        nodes: list[int | dict[str, Any]] = [*behind[-1]]
        for n in chain:
            nodes += [n, *behind[n]]
        root = self._lines[splice.thread.chain[0]].value or {}
        self._link(nodes, root.get("parentUuid"))

    def _shorten(self, n: int, splice: Splice) -> None:
        """Keep what stays of a line."""
        value = self._lines[n].value or {}
        items = _items(value)
        kept = [item for m, item in enumerate(items) if (n, m) in splice.kept]
        if not kept:
            self._gone.add(n)
        elif len(kept) < len(items):
            self._values[n] = {**value, "message": {**value["message"], "content": kept}}

    def _line(self, addition: Addition, like: Mapping[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": addition.role, "content": list(addition.items)}
        reply = _reply_id(like)
        if addition.role == "assistant" and reply is not None:
            message = {"id": reply, "type": "message", **message}
        envelope = {key: like[key] for key in _ENVELOPE if key in like}
        return {"parentUuid": None, **envelope, "type": addition.role, "message": message, "uuid": self._new_id(like)}

    def _new_id(self, like: Mapping[str, Any]) -> str:
        made = ""
        while not made or made in self._taken:
            self._made += 1
            made = str(uuid.uuid5(_NAMESPACE, f"{like.get('uuid')} {self._made}"))
        return made

    def _link(self, chain: Sequence[int | dict[str, Any]], root: object) -> None:
        """Link new lines with their neighbours, and the first with what the conversation descends from."""
        for n, node in enumerate(chain):
            before = chain[n - 1] if n else None
            if isinstance(node, int) and (before is None or isinstance(before, int)):
                continue
            parent = self._named(before) if before is not None else root
            if isinstance(node, int):
                self._values[node] = {**self._value(node), "parentUuid": parent}
            else:
                node["parentUuid"] = parent

    def _named(self, node: int | dict[str, Any]) -> object:
        """Return a line's id; without one it gets one, or the line after it would not find it."""
        value = self._value(node)
        if isinstance(node, int) and _id(value) is None:
            value = {**value, "uuid": self._new_id(value)}
            self._values[node] = value
        return value["uuid"]

    def _value(self, node: int | dict[str, Any]) -> dict[str, Any]:
        return self._values.get(node, self._lines[node].value or {}) if isinstance(node, int) else node

    def lines(self) -> list[tuple[Line | None, dict[str, Any] | None]]:
        heirs = self._heirs()
        changed = {_id(self._lines[n].value or {}): n for n in (*self._gone, *self._values)}
        out: list[tuple[Line | None, dict[str, Any] | None]] = [
            (None, _linked(made, heirs)) for made in self._behind[-1]
        ]
        for n, line in enumerate(self._lines):
            other = changed.get(_id(line.value or {}), n)
            # A copy of what has changed would undo the change.
            if n not in self._gone and not (other < n and self._lines[other].value == line.value):
                value = self._values.get(n, line.value)
                linked = _linked(value, heirs) if value is not None else None
                out.append((line, linked if linked is not line.value else None))
            out += [(None, _linked(made, heirs)) for made in self._behind[n]]
        return out

    def _heirs(self) -> dict[str, Any]:
        """Return what replaces lines that are gone, for the lines that name them."""
        heirs: dict[str, Any] = {}
        for n in sorted(self._gone):
            own = _id(self._lines[n].value or {})
            if own is not None:
                parent = (self._lines[n].value or {}).get("parentUuid")
                heirs[own] = heirs.get(parent, parent) if isinstance(parent, str) else parent
        return heirs


def _linked(value: dict[str, Any], heirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line whose links lead to lines that are there."""
    new = {key: heirs[value[key]] for key in _LINKS if isinstance(value.get(key), str) and value[key] in heirs}
    return {**value, **new} if new else value
