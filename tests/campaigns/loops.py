"""The campaign of loops: the tutorial's own loop, which says nothing of what it sent, while everything goes wrong.

What `for_send` gave before a reply is the beginning of what it gives afterwards, and no call is forgotten.
"""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, Final

from message_history import CallState, MessageHistory, ToolUseBlock, check
from message_history.core.turns.states import CallStateError
from message_history.integrations.merging import merged
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["failures"]

_OPEN: Final = (CallState.PROPOSED, CallState.WAITING, CallState.APPROVED, CallState.STARTED, CallState.UNKNOWN)
_MODELS: Final = ("", "claude-opus-5", "gpt-5", "a-model")


def failures(seed: int) -> Iterator[str]:
    """Run one loop; the same number makes the same one. Yields what should not have happened, one line each."""
    chance = Random(seed)
    run = _Loop(chance, TARGETS[seed % len(TARGETS)])
    for turn in range(chance.randint(2, 7)):
        try:
            yield from (f"{found} for {run.target.name} at (turn {turn})" for found in run.turn())
        except Exception as error:  # noqa: BLE001 - anything is a failure
            yield f"raised {type(error).__name__} for {run.target.name}: {error}"
            return


class _Loop:
    """One agent: where all chance comes from, and where it sends."""

    def __init__(self, chance: Random, target: Any) -> None:
        self.chance = chance
        self.target = target
        self.history = MessageHistory().with_system(chance.choice((None, "Be brief."))).add_user("What now?")
        self.held: list[ToolUseBlock] = []
        self.replies = 0
        self.lasting: list[Any] = []
        # A loop names its dialect, or leaves it to the reply.
        self.dialect = target if target.name in _FORMS and chance.random() < 0.5 else None
        self.form = _FORMS.get(target.name, _as_typed)
        self.answered: set[str] = set()
        self.model = chance.choice(_MODELS)

    def turn(self) -> Iterator[str]:
        """Send, take the reply, and let things happen."""
        before, wire = self.history, self.history.for_send(self.target)
        if broken := check(wire, self.target):
            yield f"invalid: {broken[0].rule}"
        is_prefilled = before[-1].role == "assistant" and not before.awaiting
        if not is_prefilled or (self.dialect is not None and before.as_sent(self.target)[-1].role == "user"):
            # Whether a reply goes on from a prefilled text or answers "go on", only its dialect says.
            self.lasting = wire
        yield from getattr(self, self.chance.choice(_REPLIES))()
        if self.history.for_send(self.target)[: len(self.lasting)] != self.lasting:
            yield "rewritten"
        yield from _forgotten(before, self.history, self.answered)
        self.held += self.history.awaiting
        for _ in range(self.chance.randint(0, 3)):
            self.meddle()

    # How a reply comes

    def once(self) -> Iterator[str]:
        self.add(self.reply())
        yield from ()

    def twice(self) -> Iterator[str]:
        reply = self.reply()
        self.add(reply)
        if self.chance.random() < 0.5:
            self.meddle()
        once = self.history
        self.add(reply)
        if self.history != once or self.history.repairs != once.repairs:
            yield "a reply that came twice is there twice"

    def retried(self) -> Iterator[str]:
        reply, sent = self.reply(), self.history
        self.meddle()
        self.history = self.added(self.history, reply, sent)
        loaded = MessageHistory.from_list(self.history.to_list())
        if self.added(loaded, reply, sent) != loaded:
            yield "a retried update added the reply again"

    def branched(self) -> Iterator[str]:
        base = self.history
        one, other = self.reply(), self.reply()
        if self.chance.random() < 0.5:
            self.history = self.added(self.added(base, one, base), other, base)
        else:
            left, right = self.added(base, one, base), self.added(base, other, base)
            self.history = merged(base, merged(base, base, left), right)
        made = [call["id"] for reply in (one, other) for call in _calls(reply)]
        if [call.id for call in self.history.awaiting][-len(made) :] != made[:]:
            yield "a branch's calls do not wait in the order of arrival"

    def in_pieces(self) -> Iterator[str]:
        reply = self.reply(text="text of pieces", calls=2)
        pieces = [reply | {"content": [block], "stop_reason": None} for block in reply["content"]]
        pieces[-1]["stop_reason"] = "tool_use"
        before = self.history
        self.add(reply)
        whole, self.history = self.history, before
        for piece in pieces:
            self.add(piece)
        if self.history.for_send() != whole.for_send():
            yield "a reply in pieces is not the same as the whole"

    def grown(self) -> Iterator[str]:
        reply, sent = self.reply(text="text that grows", calls=2), self.history
        first = reply | {"content": [{"type": "text", "text": "text that"}, reply["content"][1]], "stop_reason": None}
        eager = self.added(sent, first, sent)
        started = eager.record_call(eager.awaiting[0], "started") if eager.awaiting else eager
        self.history = self.added(started, reply, sent)
        if self.history[-2] != self.added(sent, reply, sent)[-1]:
            yield "a reply that grew is not the same as the whole"

    # What happens in between

    def meddle(self) -> None:
        """Let results come in time, in part, late, twice or never, and the user go on talking."""
        kind = self.chance.choice(("all", "all", "one", "late", "twice", "text", "nothing", "state", "saved"))
        if kind == "all":
            self.answer(*self.history.awaiting)
        elif kind == "one" and self.history.awaiting:
            self.answer(self.chance.choice(self.history.awaiting))
        elif kind in ("late", "twice") and self.held:
            call = self.chance.choice(self.held)
            self.answer(*[call] * (1 + (kind == "twice")))
        elif kind == "text":
            self.history = self.history.add_user(f"steer {self.chance.randint(0, 99)}")
        elif kind == "state" and self.history.awaiting:
            call = self.chance.choice(self.history.awaiting)
            with suppress(CallStateError):
                self.history = self.history.record_call(call, self.chance.choice(("waiting", "approved", "started")))
        elif kind == "saved":
            self.history = MessageHistory.from_list(self.history.to_list())

    def answer(self, *calls: ToolUseBlock) -> None:
        for call in calls:
            self.history = self.history.add_tool_result(call, f"result of {call.id}")
            self.answered.add(call.id)

    def add(self, reply: dict[str, Any]) -> None:
        """Add a reply as the tutorial does."""
        self.history = self.added(self.history, reply)

    def added(self, to: MessageHistory, reply: dict[str, Any], sent: MessageHistory | None = None) -> MessageHistory:
        return to.add_response(self.form(reply), dialect=self.dialect, sent=sent)

    def reply(self, text: str | None = None, calls: int | None = None) -> dict[str, Any]:
        """Make a reply, as the provider of the Messages API writes it."""
        self.replies += 1
        blocks: list[dict[str, Any]] = []
        if text is not None or self.chance.random() < 0.6:
            blocks.append({"type": "text", "text": text or f"text {self.replies}"})
        for n in range(self.chance.choice((0, 1, 1, 2)) if calls is None else calls):
            id = f"call_{self.replies}_{n}"
            blocks.append({"type": "tool_use", "id": id, "name": "f", "input": {"n": self.replies}})
        blocks = blocks or [{"type": "text", "text": f"text {self.replies}"}]
        made = {"type": "message", "role": "assistant", "id": f"msg_{self.replies}", "content": blocks}
        return {**made, "model": self.model, "stop_reason": "end_turn"}


_REPLIES: Final = ("once", "once", "once", "twice", "retried", "branched", "in_pieces", "grown")


def _forgotten(before: MessageHistory, after: MessageHistory, answered: set[str]) -> Iterator[str]:
    """Find calls that a reply has taken or answered."""
    now = {each.call.id: each.state for each in after.calls}
    for each in before.calls:
        if each.call.id not in now:
            yield "a call is gone"
        elif (now[each.call.id] is CallState.ANSWERED) != (each.call.id in answered):
            yield f"a call that was {each.state} is {now[each.call.id]}"


def _as_typed(reply: dict[str, Any]) -> dict[str, Any]:
    return reply


def _as_chat(reply: dict[str, Any]) -> dict[str, Any]:
    texts = [block["text"] for block in reply["content"] if block["type"] == "text"]
    calls = [
        {"id": call["id"], "type": "function", "function": {"name": "f", "arguments": json.dumps(call["input"])}}
        for call in _calls(reply)
    ]
    message = {"role": "assistant", "content": "".join(texts) or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": reply["stop_reason"]}
    return {"id": reply["id"], "object": "chat.completion", "model": reply["model"], "choices": [choice]}


def _as_gemini(reply: dict[str, Any]) -> dict[str, Any]:
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"id": block["id"], "name": "f", "args": block["input"]}}
        for block in reply["content"]
    ]
    ended = {"finishReason": "STOP"} if reply["stop_reason"] else {}
    candidate = {"content": {"role": "model", "parts": parts}, **ended}
    return {"responseId": reply["id"], "modelVersion": reply["model"], "candidates": [candidate]}


def _as_bedrock(reply: dict[str, Any]) -> dict[str, Any]:
    content = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"toolUse": {"toolUseId": block["id"], "name": "f", "input": block["input"]}}
        for block in reply["content"]
    ]
    ended = {"stopReason": reply["stop_reason"]} if reply["stop_reason"] else {}
    message = {"role": "assistant", "content": content}
    return {"output": {"message": message}, **ended, "ResponseMetadata": {"RequestId": reply["id"]}}


def _as_responses(reply: dict[str, Any]) -> dict[str, Any]:
    output = [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": block["text"]}]}
        if block["type"] == "text"
        else {"type": "function_call", "call_id": block["id"], "name": "f", "arguments": json.dumps(block["input"])}
        for block in reply["content"]
    ]
    ended = {"status": "completed"} if reply["stop_reason"] else {}
    return {"id": reply["id"], "object": "response", "model": reply["model"], "output": output, **ended}


def _calls(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in reply["content"] if block["type"] == "tool_use"]


_FORMS: Final = {
    "anthropic": _as_typed,
    "openai_chat": _as_chat,
    "mistral": _as_chat,
    "portable": _as_chat,
    "gemini": _as_gemini,
    "bedrock": _as_bedrock,
    "openai_responses": _as_responses,
}
