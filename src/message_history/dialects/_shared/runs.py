"""Neighbouring entries of one side, which are one message: for dialects whose entries are parts of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from message_history.core.messages.message import make_message, with_replies

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.replies import ReplyInfo


@final
class Runs:
    """The entries since the last change of sides; `side` is None without entries."""

    def __init__(self, parsed: Parsed, in_order: Callable[[list[Block]], list[Block]] | None = None) -> None:
        self.side: Role | None = None
        self.blocks: list[Block] = []
        self.truncated = False
        self._replies: tuple[ReplyInfo, ...] = ()
        self._parsed = parsed  # gets a message for each run
        self._in_order = in_order  # puts the blocks of a user message in order
        self._source = 0

    def begin(self, side: Role, source: int) -> None:
        if side != self.side:
            self.end()
            self.side, self._source = side, source

    def take(self, side: Role, blocks: list[Block], source: int) -> None:
        """Add blocks to the run of a side; the message's source is that of the first."""
        self.begin(side, source)
        self.blocks += blocks

    def came_in(self, reply: ReplyInfo | None) -> None:
        """Take what a provider said of a whole reply that is in the run."""
        self._replies += (reply,) if reply is not None and self.side == "assistant" else ()

    def end(self) -> None:
        if self.blocks and self.side is not None:
            if self.side == "user" and self._in_order is not None:
                self.blocks = self._in_order(self.blocks)
            message = with_replies(make_message(self.side, tuple(self.blocks)), self._replies)
            self._parsed.add(message, self._source, interrupted=self.side == "assistant" and self.truncated)
        self.side, self.blocks, self.truncated, self._replies = None, [], False, ()
