"""The campaign of runs: what an agent sent stays the beginning of what it sends later."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, MessageHistory, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, check
from tests.campaigns.targets import TARGETS
from tests.dialects.odd_pieces import PNG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.core.messages.block_base import Block

__all__ = ["failures"]

_IDS: Final = ("1", "2", "call_0", "functions.f:0", "a b", "x" * 70)
_OUTPUTS: Final[tuple[Any, ...]] = ("sunny", "", None, {"degrees": 21.5}, ["a", 1], "  ", [ImageBlock(PNG)])


def failures(seed: int) -> Iterator[str]:
    """Run one agent.

    Args:
        seed: its number; the same number makes the same run.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    target = chance.choice(TARGETS)
    try:
        yield from _Run(chance, seed).go()
    except Exception as error:  # noqa: BLE001 - anything is a failure
        yield f"raised {type(error).__name__} for {target.name}: {error}"


class _Run:
    """One agent at work.

    Args:
        chance: where all chance comes from.
        seed: the number of the run.
    """

    def __init__(self, chance: Random, seed: int) -> None:
        self.chance = chance
        self.target = TARGETS[seed % len(TARGETS)]
        self.history = MessageHistory().with_system(chance.choice((None, "Be brief.")))
        self.running: list[ToolUseBlock] = []

    def go(self) -> Iterator[str]:
        """Work for some turns."""
        before: list[Any] = []
        self.history = self.history.add_user("What now?")
        for turn in range(self.chance.randint(2, 7)):
            sent = self.history.as_sent(self.target)
            wire = sent.for_send(self.target)
            name = f"{self.target.name}[{TARGETS.index(self.target)}]"
            if broken := check(wire, self.target):
                yield f"invalid for {name}: {broken[0].rule} at (turn {turn})"
            if wire[: len(before)] != before:
                yield f"rewritten for {name} at (turn {turn})"
            if self.chance.random() < 0.1 and self.target.name not in ("bedrock", "gemini"):
                if json.loads(self.history.for_send_json(self.target)) != wire:
                    yield f"other as JSON for {name} at (turn {turn})"
            # What the assistant goes on with in its own last message is not settled yet.
            before = wire if sent[-1].role == "user" else wire[:-1]
            self.reply(sent)
            self.running += self.history.awaiting
            for _ in range(self.chance.randint(1, 3)):
                self.meddle()

    def reply(self, sent: MessageHistory) -> None:
        """Take a reply to what was sent, while others talk."""
        blocks: list[Block] = [ThinkingBlock("hm", "c2ln")] if self.chance.random() < 0.2 else []
        blocks += [TextBlock(f"text {self.chance.randint(0, 99)}")] if self.chance.random() < 0.6 else []
        blocks += [
            ToolUseBlock(self.chance.choice(_IDS), self.chance.choice(("f", "g h")), {"a": self.chance.randint(0, 2)})
            for _ in range(self.chance.choice((0, 1, 1, 2)))
        ]
        reply = MessageHistory().add_user("q").add_assistant(blocks or [TextBlock("ok")]).for_send()[1]
        response = {"type": "message", "stop_reason": "end_turn", **reply}
        if not isinstance(reply["content"], list):
            response["content"] = [{"type": "text", "text": reply["content"]}]
        if self.chance.random() < 0.4:
            self.meddle()
            self.history = self.history.add_response(response, sent=sent)
        else:
            self.history = sent.add_response(response)

    def meddle(self) -> None:
        """Do what happens between replies: results in time, late, twice, or never, and users who go on talking."""
        kind = self.chance.choice(("results", "results", "result", "late", "text", "nothing", "state", "keep"))
        if kind == "results":
            for call in self.history.awaiting:
                self.history = self.history.add_tool_result(call, self.chance.choice(_OUTPUTS))
        elif kind == "result" and self.history.awaiting:
            self.history = self.history.add_tool_result(self.chance.choice(self.history.awaiting), "in time")
        elif kind == "late" and self.running:
            late = ToolResultBlock(self.chance.choice(self.running).id, self.chance.choice(_OUTPUTS))
            self.history = self.history.add_user([late])
        elif kind == "text":
            self.history = self.history.add_user(f"steer {self.chance.randint(0, 99)}")
        elif kind == "state" and self.history.awaiting:
            self.history = self.history.record_call(self.chance.choice(self.history.awaiting), "started")
        elif kind == "keep":
            self.history = MessageHistory.from_list(self.history.to_list())
