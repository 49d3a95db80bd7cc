"""Programs that write a message in each line: broken ones are repaired row by row, and new rows are linked.

A format says how its rows hold items, what the items are in a dialect, and how a row is made; the rest is the same for
all of them. Rows that are sound stay as they were written.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, final

from attrs import Factory, field, frozen

from message_history.core.messages.message import make_message
from message_history.files.files import json_bytes
from message_history.formats.kit.base import PAIRING
from message_history.formats.kit.document import parse_document
from message_history.formats.kit.raw_blocks import BLOCKS
from message_history.formats.kit.spliced import repair_threads
from message_history.formats.kit.splicing import Line, Piece, Thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.core.messages.policy import Policy
    from message_history.dialects import Dialect
    from message_history.formats.kit.base import Rewritten
    from message_history.formats.kit.spliced import Woven
    from message_history.formats.kit.splicing import Addition, Splice

Items = tuple["Role", list[Any]]
"""Who a row is of, and what it says, item by item."""
_NAMESPACE: Final = uuid.UUID("0b5c4c8e-6f8e-5a51-9a30-58a7d2f3f9d1")


@final
@frozen(kw_only=True)
class RowForm:
    """How a program writes messages in rows."""

    dialect: Dialect[Any] = BLOCKS  # the dialect that items are parsed in
    content: str = "content"  # the key of a message's items in that dialect
    inside: str = ""  # the key of the message in a row; empty when the row is the message
    # The key of the list of rows in a file that is one object, or the list itself; empty when there are no such files.
    list_key: str = ""
    # Finds the object that holds the list, and its key there, in a file that is one object.
    place: Callable[[dict[str, Any]], tuple[dict[str, Any], str] | None] = field(
        default=Factory(lambda form: form._at_the_top, takes_self=True), repr=False
    )
    # Returns the items of a row; no items when it is not a message.
    items: Callable[[Mapping[str, Any]], Items] = field(repr=False)
    # Makes rows of items, like another row.
    make: Callable[[Role, list[Any], Mapping[str, Any]], list[dict[str, Any]]] = field(repr=False)
    # Gives the positions of the rows of the conversation, in its order; by default of all that have items.
    path: Callable[[Sequence[Line]], list[int]] = field(
        default=Factory(lambda form: form._rows_with_items, takes_self=True), repr=False
    )
    # Gives a row with other items; by default they are the content of the message.
    with_items: Callable[[dict[str, Any], list[Any]], dict[str, Any]] = field(
        default=Factory(lambda form: form._with_content, takes_self=True), repr=False
    )
    # Gives an item in the dialect's form; it is in that form by default.
    parse: Callable[[Any], list[Any]] = field(default=lambda item: [item], repr=False)
    # Gives a block that was made as items; as the dialect writes it by default.
    write: Callable[[Role, Block, Message | None], list[Any]] = field(
        default=Factory(lambda form: partial(dialect_items, form.dialect, form.content), takes_self=True), repr=False
    )
    id_key: str = ""  # the key of a row's id; empty when rows have none
    parent_key: str = ""  # the key of the id of the row before
    id_length: int = 36  # how long ids are at most

    def repair(self, data: bytes, policy: Policy) -> Rewritten:
        """Repair a file of rows, or one that is an object with the rows in a list; a sound one keeps its bytes."""
        document = parse_document(data)
        if self.list_key and (document.items or self.place(document.object)):
            return repair_threads(
                data, policy, self.threads, self.weave, parts=self._listed_rows, written=self._with_list
            )
        return repair_threads(data, policy, self.threads, self.weave)

    def _listed_rows(self, data: bytes) -> list[Line]:
        document = parse_document(data)
        holder, key = self.place(document.object) or ({}, "")
        items = enumerate(document.items or holder[key], 1)
        return [Line(n, json_bytes(item), item if isinstance(item, dict) else None) for n, item in items]

    def _at_the_top(self, whole: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
        return (whole, self.list_key) if isinstance(whole.get(self.list_key), list) else None

    def _with_list(self, data: bytes, woven: Woven) -> bytes:
        is_same = all(line is not None and value is None for line, value in woven)
        if is_same and len(woven) == len(self._listed_rows(data)):
            return data
        items = [json.loads(line.written) if value is None and line is not None else value for line, value in woven]
        document = parse_document(data)
        whole = json.loads(data) if not document.items else items
        if isinstance(whole, dict) and (found := self.place(whole)) is not None:
            found[0][found[1]] = items
        return json_bytes(whole, indent=2) + b"\n"

    def _rows_with_items(self, lines: Sequence[Line]) -> list[int]:
        return [n for n, line in enumerate(lines) if line.value is not None and self.items(line.value)[1]]

    def _with_content(self, row: dict[str, Any], items: list[Any]) -> dict[str, Any]:
        content = {self.content: items}
        return {**row, self.inside: {**row[self.inside], **content}} if self.inside else {**row, **content}

    def threads(self, lines: Sequence[Line]) -> tuple[Thread, ...]:
        path = self.path(lines)
        pieces = [piece for n in path for piece in self._pieces(n, lines[n].value or {})]
        if not pieces:
            return ()
        entries, first = [], []
        for role, run in groupby(pieces, lambda piece: piece.role):
            found = list(run)
            raw = [block for piece in found for block in self.parse(piece.raw)]
            entries.append({"role": self._role(role), self.content: raw})
            first.append(lines[found[0].line].number)
        thread = Thread(
            label="",
            dialect=self.dialect,
            pieces=tuple(pieces),
            entries=tuple(entries),
            first_lines=tuple(first),
            write=self.write,
            judged=PAIRING,
            chain=tuple(path),
        )
        return (thread,)

    def _pieces(self, n: int, row: Mapping[str, Any]) -> Iterable[Piece]:
        role, items = self.items(row)
        for m, item in enumerate(items):
            entry = {"role": self._role(role), self.content: self.parse(item)}
            blocks = tuple(block for message in self.dialect.parse([entry]).messages for block in message.content)
            # What says nothing is left where it is.
            if blocks:
                yield Piece(n, m, role, item, blocks, f"line {n}")

    def _role(self, role: Role) -> str:
        return "model" if role == "assistant" and self.content == "parts" else role

    def weave(
        self, lines: Sequence[Line], splices: Sequence[Splice]
    ) -> list[tuple[Line | None, dict[str, Any] | None]]:
        """Put a repaired conversation back among the lines; see `codex.spliced`."""
        changed = [splice for splice in splices if splice.changed]
        return _Weaving(self, lines, changed[0]).lines() if changed else [(line, None) for line in lines]


@final
class _Weaving:
    """The rows of a file while a conversation is put back among them."""

    def __init__(self, form: RowForm, lines: Sequence[Line], splice: Splice) -> None:
        self._form = form
        self._lines = lines
        self._values: dict[int, dict[str, Any]] = {}
        self._gone: set[int] = set()
        self._made = 0
        self._taken = {(line.value or {}).get(form.id_key) for line in lines}
        self._behind: dict[int, list[dict[str, Any]]] = defaultdict(list)
        there = {(piece.line, piece.item) for piece in splice.thread.pieces}
        for n in {piece.line for piece in splice.thread.pieces}:
            self._keep(n, there - splice.kept)
        first = splice.thread.pieces[0].line
        for addition in splice.additions:
            self._add(addition, first)
        if form.parent_key:
            self._link(splice.thread.chain)

    def _keep(self, n: int, dropped: set[tuple[int, int]]) -> None:
        value = self._lines[n].value or {}
        items = self._form.items(value)[1]
        if not items:
            # What follows from a row and is not in it cannot be taken out of it.
            return
        kept = [item for m, item in enumerate(items) if (n, m) not in dropped]
        if not kept:
            self._gone.add(n)
        elif len(kept) < len(items):
            self._values[n] = self._form.with_items(value, kept)

    def _add(self, addition: Addition, first: int) -> None:
        line = addition.after.line if addition.after is not None else first - 1
        like = self._lines[addition.after.line if addition.after is not None else first].value or {}
        rows = self._form.make(addition.role, list(addition.items), like)
        key = self._form.id_key
        self._behind[line] += [{**row, key: self._new_id(like)} if key and key in like else row for row in rows]

    def _new_id(self, like: Mapping[str, Any]) -> str:
        made = ""
        while not made or made in self._taken:
            self._made += 1
            made = str(uuid.uuid5(_NAMESPACE, f"{like.get(self._form.id_key)} {self._made}"))[: self._form.id_length]
        self._taken.add(made)
        return made

    def _link(self, chain: Sequence[int]) -> None:
        """Link the rows of the conversation that have other neighbours now, and what names a row that is gone."""
        key, parent_key = self._form.id_key, self._form.parent_key
        root = (self._lines[chain[0]].value or {}).get(parent_key)
        heirs: dict[Any, Any] = {}
        before, moved = root, False
        for made in self._behind.get(min(chain) - 1, []):
            made[parent_key], before, moved = before, made.get(key), True
        for n in chain:
            value = self._values.get(n, self._lines[n].value or {})
            if n in self._gone:
                heirs[value.get(key)], moved = before, True
            else:
                # A parent that is not there would end the conversation for its program.
                adrift = value.get(parent_key) not in self._taken
                if (moved or adrift) and key in value and value.get(parent_key) != before:
                    self._values[n] = {**value, parent_key: before}
                before, moved = value.get(key, before), False
            for made in self._behind.get(n, []):
                made[parent_key], before, moved = before, made.get(key), True
        on_chain = set(chain)
        for n, line in enumerate(self._lines):
            value = line.value or {}
            if n not in on_chain and value.get(parent_key) in heirs:
                self._values[n] = {**value, parent_key: heirs[value[parent_key]]}

    def lines(self) -> list[tuple[Line | None, dict[str, Any] | None]]:
        out: list[tuple[Line | None, dict[str, Any] | None]] = [(None, made) for made in self._behind.get(-1, [])]
        for n, line in enumerate(self._lines):
            if n not in self._gone:
                out.append((line, self._values.get(n)))
            out += [(None, made) for made in self._behind.get(n, [])]
        return out


def dialect_items(dialect: Dialect[Any], content: str, role: Role, block: Block, before: Message | None) -> list[Any]:
    """Write a block as items of a dialect, under the key `content`; a result by its call in the message before."""
    made = make_message(role, (block,))
    messages = [before, made] if role == "user" and before is not None and before.calls else [made]
    written = dialect.render(messages).messages
    found = written[-1].get(content) if written else None
    if isinstance(found, str):
        return [{"type": "text", "text": found}]
    return list(found or [])[-1:] if len(messages) > 1 else list(found or [])
