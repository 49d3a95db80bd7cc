"""The steps of a walk that reply: whole or streamed, while others go on, and in lists that others keep."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final

from message_history import InvariantError, Message, MessageHistory, Policy
from message_history.streaming import Accumulator
from tests.campaigns.ledgers import DIALECTS, Ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history import ToolUseBlock
    from message_history.dialects import Dialect

STRICT: Final = Policy(on_violation="raise")


class Logged(logging.Handler):
    """Counts what is logged."""

    count: ClassVar[int] = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one more."""
        del record
        Logged.count += 1


class Replies(Ledger):
    """The steps that reply."""

    def do_user(self) -> None:
        """The user says something."""
        number = self.number()
        if self.random.random() < 0.5:
            self.history = self.history.add_user(f"user {number}", metadata=self.metadata(number))
        else:
            entry = {"role": "user", "content": f"user {number}", **self.metadata(number)}
            self.history = self.history.extend([entry])
        self.settle()

    def do_text(self) -> None:
        """The assistant says something."""
        number = self.number()
        self.history = self.history.add(Message.assistant(f"text <{number}>"), metadata=self.metadata(number))
        self.settle()

    def do_call(self) -> None:
        """The assistant proposes calls."""
        self.history = self.history.add_assistant(self.some_calls(often=-1))
        self.take_new()
        self.settle()

    def do_record(self) -> None:
        """Somebody decides."""
        raise NotImplementedError

    def do_result(self) -> None:
        """A tool has run."""
        raise NotImplementedError

    def others(self) -> None:
        """Others go on meanwhile."""
        self.some_of(self.do_user, self.do_record, self.do_result, self.do_call)

    def do_reply(self) -> None:
        """A reply to what was sent comes while others go on; what was sent stays the beginning from then on."""
        sent, dialect = self.history, self.random.choice(DIALECTS)
        if not sent:
            return
        wire = sent.for_send(dialect)
        closed = sent.as_sent(dialect)
        assert closed.for_send(dialect) == wire, "as sent, it is sent otherwise"
        self.others()
        known = {each.key for each in self.calls()}
        calls = self.some_calls(often=-1) if self.random.random() < 0.5 else []
        number = self.number()
        reply = whole(dialect, f"reply <{number}>", calls, self.number())
        is_alone = self.history is sent
        metadata = self.metadata(number)
        self.history = self.history.add_response(reply, sent=sent, dialect=dialect, metadata=metadata)
        self.take_new()
        self.settle()
        assert known <= {each.key for each in self.calls()}
        if self.random.random() < 0.2:
            again = self.history.add_response(reply, sent=sent, dialect=dialect)
            assert again == self.history, "the same reply was added twice"
        if is_alone:
            assert self.history.add_response(reply, dialect=dialect) == self.history, "the same reply was added twice"
        # What the assistant goes on with in its own last message is not settled yet.
        self.sends = [*self.sends[-3:], (dialect, wire if closed[-1].role == "user" else wire[:-1])]
        self.check_prefixes()

    def do_stream(self) -> None:
        """A reply is streamed; others look at it, run its calls and go on before it ends, if it ends."""
        if not self.history:
            return
        dialect = self.random.choice(DIALECTS)
        calls = self.some_calls() if self.random.random() < 0.7 else []
        events = list(streamed(dialect, f"stream <{self.number()}> and so on", calls, self.number()))
        reply = Accumulator(dialect, self.history)
        looked = reply
        with suppress(InvariantError):  # What cannot be sent by that policy has no stream.
            looked = Accumulator(dialect, MessageHistory.from_list(self.history.to_list(), policy=STRICT))
        end = self.random.randrange(len(events)) if self.random.random() < 0.2 else len(events)
        for event in events[:end]:
            reply.feed(event)
            if looked is not reply:
                looked.feed(event)
            kind = self.random.random()
            if kind < 0.1 and not reply.finished:
                before = Logged.count
                assert looked.history_so_far == reply.history_so_far, "with another policy it is another"
                assert Logged.count == before, "a look is logged"
            elif kind < 0.2:
                self._stream(reply)
                self.others()
        self._stream(reply)
        assert reply.added_to(self.history) == self.history, "added once more, it is another"

    def _stream(self, reply: Accumulator) -> None:
        self.history = reply.added_to(self.history)
        self.take_new()
        self.settle()

    def do_follow(self) -> None:
        """A raw list grows at the end, and results are put into it where their calls stand."""
        dialect = self.random.choice(DIALECTS)
        raw: list[dict[str, Any]] = []
        followed = MessageHistory().follow(raw, dialect=dialect)
        results: dict[int, str] = {}
        sent: list[Any] = []
        for _ in range(self.random.randrange(2, 5)):
            raw = [*raw, {"role": "user", "content": f"user {self.number()}"}]
            raw.append(entry_of(dialect, self.some_calls()))
            if self.random.random() < 0.5:
                followed = followed.follow(raw)
            if self.random.random() < 0.8:
                raw = self._answered(dialect, raw, results)
                followed = followed.follow(raw)
                wire = followed.history.for_send(dialect)
                assert followed.replaced is not None or wire[: len(sent)] == sent, "what was sent was rewritten"
                sent = wire[:-1]  # The last message may grow.
        followed = followed.follow(raw)
        for history in (followed.history, MessageHistory.from_list(raw, dialect=dialect)):
            found = {each.call.input["amount"]: each.result.text for each in history.calls if each.result}
            assert found == results, f"a result of a list is another call's: {raw}, {found}, {results}"

    def _answered(
        self, dialect: Dialect[Any], raw: list[dict[str, Any]], results: dict[int, str]
    ) -> list[dict[str, Any]]:
        """Put in results of one message: those of its first calls, in order, where none is there yet."""
        waiting = [n for n, entry in enumerate(raw) if (found := amounts(entry)) and found[0][1] not in results]
        if not waiting:
            return raw
        where = self.random.choice(waiting)
        called = amounts(raw[where])
        chosen = called[: self.random.randint(1, len(called))]
        results.update((amount, f"paid {amount}") for _, amount in chosen)
        return [*raw[: where + 1], *answers(dialect, chosen), *raw[where + 1 :]]


# How replies, their events and results are written


def whole(dialect: Dialect[Any], text: str, calls: list[ToolUseBlock], number: int) -> dict[str, Any]:
    """Write a reply."""
    if dialect is DIALECTS[0]:
        made = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in calls]
        content = [{"type": "text", "text": text}, *made]
        head = {"type": "message", "id": f"msg_{number}", "role": "assistant", "model": "m"}
        return {**head, "stop_reason": "tool_use" if calls else "end_turn", "content": content}
    message = {"role": "assistant", "content": text, **({"tool_calls": _functions(calls)} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "model": "m", "choices": [choice]}


def entry_of(dialect: Dialect[Any], calls: list[ToolUseBlock]) -> dict[str, Any]:
    """Write a message of the assistant in a list."""
    if dialect is DIALECTS[0]:
        return {"role": "assistant", "content": whole(dialect, "", calls, 0)["content"][1:]}
    return {"role": "assistant", "content": None, "tool_calls": _functions(calls)}


def answers(dialect: Dialect[Any], chosen: list[tuple[str, int]]) -> list[dict[str, Any]]:
    """Write the results of calls."""
    if dialect is DIALECTS[0]:
        made = [{"type": "tool_result", "tool_use_id": id, "content": f"paid {amount}"} for id, amount in chosen]
        return [{"role": "user", "content": made}]
    return [{"role": "tool", "tool_call_id": id, "content": f"paid {amount}"} for id, amount in chosen]


def amounts(entry: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the ids and the amounts of the calls of an entry."""
    if entry["role"] != "assistant":
        return []
    if isinstance(entry["content"], list):
        return [(block["id"], block["input"]["amount"]) for block in entry["content"]]
    return [(call["id"], json.loads(call["function"]["arguments"])["amount"]) for call in entry["tool_calls"]]


def _functions(calls: list[ToolUseBlock]) -> list[dict[str, Any]]:
    return [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.input)}}
        for call in calls
    ]


def streamed(dialect: Dialect[Any], text: str, calls: list[ToolUseBlock], number: int) -> Iterator[dict[str, Any]]:
    """Write the events of a reply; the tokens come at the very end."""
    return (_typed_events if dialect is DIALECTS[0] else _chunks)(text, calls, number)


def _typed_events(text: str, calls: list[ToolUseBlock], number: int) -> Iterator[dict[str, Any]]:
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield {"type": "message_start", "message": {**head, "stop_reason": None, "usage": {"input_tokens": number}}}
    said: dict[str, Any] = {"type": "text", "text": ""}
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        (said, [{"type": "text_delta", "text": each} for each in _pieces(text)])
    ]
    for call in calls:
        start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        pieces = _pieces(json.dumps(call.input))
        blocks.append((start, [{"type": "input_json_delta", "partial_json": each} for each in pieces]))
    for index, (start, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": "tool_use" if calls else "end_turn"}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": number}}
    yield {"type": "message_stop"}


def _chunks(text: str, calls: list[ToolUseBlock], number: int) -> Iterator[dict[str, Any]]:
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "model": "m"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield from (chunk({"content": each}) for each in _pieces(text))
    for index, call in enumerate(_functions(calls)):
        arguments = call["function"]["arguments"]
        yield chunk({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
        for each in _pieces(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": each}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    yield {**head, "choices": [], "usage": {"prompt_tokens": number, "completion_tokens": number}}


def _pieces(text: str, size: int = 9) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]
