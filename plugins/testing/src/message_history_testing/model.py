"""What the model replies: a script instead of a model, so that the same conversation can be had again.

A script is a function of the request. `use_tools` calls the tools that the request offers, `weather` is the one of the
examples, and `Moody` says anything at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from message_history.tools import parse_toolset
from message_history_testing.examples import example_of

if TYPE_CHECKING:
    from random import Random

    from message_history.tools import Tool


@dataclass(frozen=True)
class ModelRequest:
    """What a script knows of a request.

    Args:
        calls: how many calls the conversation has so far.
        paused: whether the model paused its own turn, and is asked to go on.
        body: the request's JSON object.
    """

    calls: int
    paused: bool = False
    body: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the tools that the request offers, in the form of no provider."""
        return parse_toolset(self.body).tools


@dataclass(frozen=True)
class ModelReply:
    """What the model replies.

    Args:
        text: the words.
        thinking: what it thought before.
        calls: the names and inputs of the tools that it calls.
        stop: why it stops; `cut` ends the last call in the middle of its input, or the text.
        search: whether it searches first, with a tool that runs on the server.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    stop: Literal["end", "cut", "refused", "paused"] = "end"
    search: bool = False


Script: TypeAlias = Callable[[ModelRequest], ModelReply]


def use_tools(request: ModelRequest) -> ModelReply:
    """Call the first two tools that are offered, with inputs made from their schemas; with their results, answer."""
    tools = request.tools[:2]
    if request.calls or not tools:
        return ModelReply(text="Done.", thinking="There is nothing more to do.")
    calls = tuple((tool.name, example_of(tool.schema)) for tool in tools)
    return ModelReply(text="I will look.", thinking="I need the tools.", calls=calls)


def weather(request: ModelRequest) -> ModelReply:
    """Ask for the weather of two cities at once, then tell of it."""
    if request.calls:
        return ModelReply(text="It is sunny in Paris and in Rome.", thinking="Both are sunny.")
    calls = (("weather", {"city": "Paris"}), ("weather", {"city": "Rome"}))
    return ModelReply(text="I will look.", thinking="I need both cities.", calls=calls)


@dataclass
class Moody:
    """A model that says anything at all.

    Args:
        chance: where its moods come from.
        pauses: whether it may pause its turn.
        replies: how many replies it has made.
    """

    chance: Random
    pauses: bool = False
    replies: int = field(default=0)

    def __call__(self, request: ModelRequest) -> ModelReply:
        chance = self.chance
        self.replies += 1
        mood = chance.random()
        if self.pauses and not request.paused and mood < 0.1:
            return ModelReply(text="I will search.", search=True, stop="paused")
        if mood < 0.15:
            return ModelReply(text="I cannot h", stop="refused")
        text = chance.choice(("", "So.", "I will look at it: ünïcode 🎉", "Two\n\nlines."))
        thinking = chance.choice(("", "Hm.", "They want to know."))
        inputs: tuple[dict[str, Any], ...] = (
            {},
            {"city": "Paris"},
            {"city": "Rome", "days": [1, {"n": None}], "deep": {"x": 1.5}},
        )
        count = chance.choice((0, 0, 1, 1, 2, 3))
        calls = tuple((chance.choice(("weather", "now")), chance.choice(inputs)) for _ in range(count))
        stop: Literal["end", "cut"] = "cut" if chance.random() < 0.15 else "end"
        if not text and not calls:
            text = f"Answer {self.replies}."
        return ModelReply(text, thinking, calls, stop, search=chance.random() < 0.2)


def sign(*what: Any) -> str:
    text = json.dumps(what, sort_keys=True, ensure_ascii=True)
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // 3))
    return [text[start : start + size] for start in range(0, len(text), size)]
