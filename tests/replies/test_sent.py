"""A reply belongs to the version that was sent; what came since is heard after it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.turns.replying import has_begun
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.integrations.strategies import histories, messages, texts
from tests.needs import needs_event_loop

DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini(), Mistral(), Bedrock()]
every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)


def reply(*content: dict[str, Any] | str, stop_reason: str = "end_turn") -> dict[str, Any]:
    blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    return {"type": "message", "role": "assistant", "content": blocks, "stop_reason": stop_reason}


def call(id: str, name: str = "look", **raw: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": raw}


def codes(history: MessageHistory) -> list[str]:
    return [repair.code.value for repair in history.repairs]


ASKED = MessageHistory().add_user("Look at a and b.").add_response(reply(call("a"), call("b")))


def test_nothing_was_added() -> None:
    sent = ASKED.add_tool_result("a", "A").as_sent(Anthropic())
    both = sent.add_response(reply("ok")), ASKED.add_tool_result("a", "A").add_response(reply("ok"), sent=sent)
    assert both[0] == both[1]
    assert both[0].repairs == both[1].repairs


def test_steering_text_comes_after_the_reply() -> None:
    history = MessageHistory().add_user("Count to ten.")
    sent = history.as_sent(Anthropic())
    history = history.add_user("Stop at five.").add_response(reply("1 2 3"), sent=sent)
    assert [(message.role, message.text) for message in history] == [
        ("user", "Count to ten."),
        ("assistant", "1 2 3"),
        ("user", "Stop at five."),
    ]
    assert history.repairs == ()


def test_a_result_whose_stub_was_sent_is_quoted_as_late() -> None:
    history = ASKED.add_tool_result("a", "A")
    sent = history.as_sent(Anthropic())
    history = history.add_tool_result("b", "B").add_user("Well?").add_response(reply("b is missing"), sent=sent)
    assert codes(history) == ["late_result_quoted", "result_stubbed"] or codes(history) == [
        "result_stubbed",
        "late_result_quoted",
    ]
    assert [result.is_stub for result in history[2].results] == [False, True]
    assert history[3].text == "b is missing"
    heading, *rest = history[4].content
    assert heading.mark is not None
    assert (heading.mark.kind, heading.mark.reason, heading.mark.tool_use_id) == ("quote", "late", "b")
    assert rest == [TextBlock("B"), TextBlock("Well?")]
    wire = sent.for_send()
    assert history.for_send()[: len(wire)] == wire


def test_a_call_of_the_sent_turn_is_answered_later_too() -> None:
    """The caller still holds the call, and answers it when the reply is there already."""
    sent = ASKED.add_tool_result("a", "A").as_sent(Anthropic())
    (waiting,) = sent.awaiting
    history = ASKED.add_tool_result("a", "A").add_user("more").add_response(reply(call("b")), sent=sent)
    history = history.add_tool_result(waiting, "B of before")
    assert [c.id for c in history.awaiting] == ["b"]
    assert "late_result_quoted" in codes(history)
    assert history.add_tool_result("b", "B of now")[4].results == (ToolResultBlock("b", "B of now"),)


def test_a_result_goes_to_the_call_of_the_turn_that_was_sent_though_the_reply_repeats_its_id() -> None:
    history = MessageHistory().add_user("q").add_response(reply(call("call_0", "read")))
    sent = history.as_sent(Anthropic())
    history = history.add_tool_result("call_0", "what was read")
    history = history.add_response(reply(call("call_0", "write")), sent=sent)
    assert [waiting.name for waiting in history.awaiting] == ["write"]
    mark = history[4].content[1].mark
    assert mark is not None
    assert (mark.reason, mark.tool_use_id, mark.name) == ("late", "call_0", "read")


def test_replies_to_one_version_keep_their_results_though_their_calls_have_one_id() -> None:
    def found(what: str) -> dict[str, Any]:
        called = {"functionCall": {"name": "search", "args": {"q": what}}}
        return {"candidates": [{"content": {"role": "model", "parts": [called]}, "finishReason": "STOP"}]}

    history = MessageHistory().add_user("q")
    sent = history.as_sent(Gemini())
    history = history.add_response(found("cats"), sent=sent)
    (cats,) = history.awaiting
    early = history.add_tool_result(cats, "about cats").add_response(found("dogs"), sent=sent)
    late = history.add_response(found("dogs"), sent=sent).add_tool_result(cats, "about cats")
    for after in (early, late):
        assert {call.input["q"]: result.text for call, result in pairs(after) if not result.is_stub} == {
            "cats": "about cats"
        }
        assert [waiting.input["q"] for waiting in after.awaiting] == ["dogs"]


def test_the_continuation_that_was_sent_stays() -> None:
    history = MessageHistory().add_user("q").add_assistant("half an")
    sent = history.as_sent(Anthropic())
    history = history.add_user("And?").add_response(reply(" answer"), sent=sent)
    assert [message.role for message in history] == ["user", "assistant"] * 2 + ["user"]
    assert history[4].text == "And?"
    assert codes(history) == ["continuation_added"]
    wire = sent.for_send()
    assert history.for_send()[: len(wire)] == wire


def test_what_is_sent_open_counts_as_closed() -> None:
    history = ASKED.add_tool_result("b", "B")
    assert history.add_tool_result("a", "A").add_response(reply("ok"), sent=history) == history.add_tool_result(
        "a", "A"
    ).add_response(reply("ok"), sent=history.as_sent())


def test_calls_that_were_sent_open_had_stubs() -> None:
    after = ASKED.add_response(reply("I wait."), sent=ASKED)
    assert [message.role for message in after] == ["user", "assistant"] * 2
    assert all(result.is_stub for result in after[2].results)


def test_an_empty_reply_leaves_nothing_of_the_continuation() -> None:
    history = MessageHistory().add_user("q").add_assistant("half an")
    sent = history.as_sent(Anthropic())
    assert len(sent) == 3
    assert history.add_response(reply(), sent=sent) == history
    assert [message.text for message in history.add_user("And?").add_response(reply(), sent=sent)] == [
        "q",
        "half an",
        "And?",
    ]


def test_an_empty_reply_leaves_the_turn_open() -> None:
    history = ASKED.add_tool_result("a", "A")
    sent = history.as_sent(Anthropic())
    after = history.add_tool_result("b", "B").add_response(reply(), sent=sent)
    assert after == history.add_tool_result("b", "B")
    assert codes(after) == ["empty_message_dropped"]


def test_a_reply_of_results_alone_changes_nothing_that_was_replied_to() -> None:
    sent = ASKED.as_sent(Anthropic())
    history = sent.add_response(reply("I go on."))
    after = history.add_response(reply({"type": "tool_result", "tool_use_id": "a", "content": "A"}), sent=sent)
    assert after[: len(history)] == history[:]
    assert after[-1].text.endswith("\nA")
    assert codes(after)[-1] == "late_result_quoted"


def test_another_reply_that_came_meanwhile_goes_behind_it_and_its_thinking_is_unbound() -> None:
    history = MessageHistory().add_user("q")
    sent = history.as_sent(Anthropic())
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    history = history.add_user("r").add_response(reply(thinking, call("x"))).add_tool_result("x", "X")
    history = history.add_response(reply(thinking, "first"), sent=sent)
    assert [message.role for message in history] == ["user", "assistant"] * 2 + ["user"]
    assert history[0].text == "q"
    assert history[1].content[0] == ThinkingBlock("hm", "s", meta=history[1].content[0].meta)
    invalidate_thinking = history[3].content[0]
    assert isinstance(invalidate_thinking, ThinkingBlock)
    assert not invalidate_thinking.bound
    assert history[4].results == (ToolResultBlock("x", "X"),)


def test_repairs_made_since_are_kept_and_move_with_what_they_tell_of() -> None:
    history = MessageHistory().add_user("q")
    sent = history.as_sent(Anthropic())
    history = history.add({"role": "user", "content": [{"type": "text", "text": " "}]}).add_user("r")
    assert [(repair.code, repair.index) for repair in history.repairs] == [(RepairCode.BLANK_TEXT_DROPPED, 0)]
    after = history.add_response(reply("ok"), sent=sent)
    assert [(repair.code, repair.index) for repair in after.repairs] == [(RepairCode.BLANK_TEXT_DROPPED, 2)]


def test_a_stub_that_was_read_back_and_sent_is_not_assistant_to_be_replaced() -> None:
    history = MessageHistory.from_list(ASKED.to_list(), open_tail="stub")
    sent = history.as_sent(Anthropic())
    answered = history.add_tool_result("a", "A")
    assert codes(answered)[-1] == "stub_replaced"
    after = answered.add_response(reply("ok"), sent=sent)
    assert codes(after) == ["result_stubbed", "result_stubbed", "late_result_quoted"]


@pytest.mark.parametrize(
    "sent",
    [
        MessageHistory().add_user("something else"),
        ASKED.add_tool_result("a", "another A"),
        ASKED.add_tool_result("a", "A").add_user("never added"),
        ASKED.add_tool_result("a", "A").add_tool_result("b", "B").add_assistant("further"),
        MessageHistory().add_user("Look at a and b.").add_assistant([ToolUseBlock("a", "look", {"x": 1})]),
    ],
)
def test_a_history_that_did_not_grow_out_of_it_is_refused(sent: MessageHistory) -> None:
    with pytest.raises(ValueError, match="is not an earlier version"):
        ASKED.add_tool_result("a", "A").add_response(reply("ok"), sent=sent)


def test_what_is_no_history_is_refused() -> None:
    with pytest.raises(TypeError, match="sent must be"):
        ASKED.add_response(reply("ok"), sent=ASKED.for_send())  # type: ignore[arg-type]


def test_a_version_that_was_saved_and_read_again_is_known() -> None:
    history = MessageHistory().add_user("q").add_assistant("a").add_user("r")
    sent = MessageHistory.from_list(history.to_list(), open_tail="keep")
    after = history.add_user("s").add_response(reply("ok"), sent=sent)
    assert [message.text for message in after] == ["q", "a", "r", "ok", "s"]


def test_the_policy_to_raise_is_kept() -> None:
    history = MessageHistory(policy=Policy(on_violation="raise")).add_user("q")
    sent = history.as_sent(Anthropic())
    cut = reply({"type": "tool_use", "id": "a", "name": "look", "input": '{"x'}, stop_reason="max_tokens")
    with pytest.raises(InvariantError):
        history.add_user("r").add_response(cut, sent=sent)


@every_dialect
def test_what_was_sent_is_never_rewritten_and_nothing_is_lost(dialect: Dialect[Any]) -> None:
    @given(histories(), st.lists(st.one_of(messages(), texts()), max_size=4))
    def law(history: MessageHistory, meanwhile: list[Message | str]) -> None:
        sent = history.as_sent(dialect)
        exported = sent.for_send(dialect)
        for item in meanwhile:
            if isinstance(item, Message):
                history = history.add(item)
            elif history.awaiting:
                history = history.add_tool_result(history.awaiting[0], item)
        after = history.add_response(reply("so", call("1")), sent=sent)
        roles = [message.role for message in after]
        assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
        wire = after.for_send(dialect)
        assert not wire or not check(wire, dialect)
        if "cache_control" not in repr(wire) and history.system == sent.system:
            # A paused turn goes on in the message that was sent last.
            lasting = exported[:-1] if sent and sent[-1].role == "assistant" else exported
            assert wire[: len(lasting)] == lasting
        assert not Counter(texts_in(history)) - Counter(texts_in(after))

    law()


def pairs(history: MessageHistory) -> list[tuple[ToolUseBlock, ToolResultBlock]]:
    """Give every call that has a result or a stub, with it."""
    return [
        pair
        for assistant, user in pairwise(history)
        if assistant.calls
        for pair in zip(assistant.calls, user.results, strict=True)
    ]


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(n, marks=pytest.mark.heavy) for n in range(20, 200))])
def test_no_result_goes_to_another_call_while_two_requests_are_under_way(seed: int) -> None:
    chance = random.Random(seed)
    history = MessageHistory().add_user("q")
    under_way: list[MessageHistory] = []
    held: list[ToolUseBlock] = []
    for step in range(30):
        kind = chance.choice(["send", "reply", "result"])
        if kind == "send" and len(under_way) < 2:
            under_way.append(history.as_sent(Anthropic()))
        elif kind == "reply" and under_way:
            calls = [call(f"call_{n}", step=step, n=n) for n in range(chance.randrange(3))]
            with suppress(ValueError):  # What was sent second may hold what the first reply went before.
                history = history.add_response(reply(f"{step}", *calls), sent=under_way.pop(0))
            held += [waiting for waiting in history.awaiting if waiting.input["step"] == step]
        elif kind == "result" and held:
            answered = held.pop(chance.randrange(len(held)))
            history = history.add_tool_result(answered, told(answered))
        for asked, result in pairs(history):
            assert result.is_stub or result.text == told(asked)
        assert not check(history.for_send(), Anthropic())


def told(asked: ToolUseBlock) -> str:
    return f"result of {asked.input['step']}, {asked.input['n']}"


def texts_in(history: MessageHistory) -> list[str]:
    """Give what was said, by whomever, but for what this library says."""
    found = []
    for message in history:
        parts = [part for result in message.results if not result.is_stub for part in result.content]
        words = [part for part in (*message.content, *parts) if isinstance(part, TextBlock)]
        found += [part.text for part in words if part.mark is None and part.text.strip()]
    return found


class Loop:
    """An agent whose tools run at the same time, and whose user speaks when he likes; no lock anywhere."""

    def __init__(self, dialect: Dialect[Any], seed: int) -> None:
        self.dialect = dialect
        self.chance = random.Random(seed)
        self.history = MessageHistory().add_user("Look at all ten.")
        self.requests: list[list[Any]] = []
        self.tools: set[asyncio.Task[None]] = set()

    async def pause(self) -> None:
        for _ in range(self.chance.randrange(6)):
            await asyncio.sleep(0)

    async def ask(self, answer: dict[str, Any]) -> None:
        sent = self.history.as_sent(self.dialect)
        self.requests.append(sent.for_send(self.dialect))
        await self.pause()
        self.history = self.history.add_response(answer, sent=sent)

    async def run(self, waiting: ToolUseBlock) -> None:
        await self.pause()
        await self.pause()
        self.history = self.history.add_tool_result(waiting, f"result of {waiting.id}")

    async def steer(self) -> None:
        for number in range(5):
            await self.pause()
            self.history = self.history.add_user(f"steering {number}")

    async def main(self) -> None:
        steering = asyncio.create_task(self.steer())
        for turn in range(4):
            # Some providers number the calls of every reply from zero.
            await self.ask(reply(f"turn {turn}", *(call(f"call_{n}", n=n, turn=turn) for n in range(10))))
            self.tools |= {asyncio.create_task(self.run(waiting)) for waiting in self.history.awaiting}
            await self.pause()
            await self.ask(reply(f"waiting in turn {turn}"))
        await asyncio.gather(steering, *self.tools)
        await self.ask(reply("done"))


@needs_event_loop
@every_dialect
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.heavy) for n in range(2, 8))])
def test_ten_tools_finish_in_any_order_while_the_user_speaks(dialect: Dialect[Any], seed: int) -> None:
    loop = Loop(dialect, seed)
    asyncio.run(loop.main())
    loop.requests.append(loop.history.as_sent(dialect).for_send(dialect))
    for request in loop.requests:
        assert not check(request, dialect)
    for earlier, later in pairwise(loop.requests):
        assert later[: len(earlier)] == earlier
    texts = "\n".join(texts_in(loop.history))
    for number in range(5):
        assert texts.count(f"steering {number}") == 1
    for number in range(10):
        assert texts.count(f"result of call_{number}") == 4
    quoted = [repair for repair in loop.history.repairs if repair.code is RepairCode.LATE_RESULT_QUOTED]
    assert quoted
    assert {repair.code for repair in loop.history.repairs} <= {
        RepairCode.LATE_RESULT_QUOTED,
        RepairCode.RESULT_STUBBED,
        RepairCode.CONTINUATION_ADDED,
    }


def test_the_placeholder_that_led_what_was_added_does_not_follow_the_reply() -> None:
    greeted = MessageHistory().add_assistant("Hello, how can I help?")
    after = greeted.add_response(reply("Here I am."), sent=MessageHistory())
    assert [(message.role, message.text) for message in after] == [
        ("user", after.policy.bootstrap_text),
        ("assistant", "Hello, how can I help?\nHere I am."),
    ]
    assert codes(after) == ["bootstrap_added"]


def test_a_placeholder_that_was_sent_stays_where_it_led() -> None:
    greeted = MessageHistory().add_assistant("Hello, how can I help?")
    after = greeted.add_user("Look.").add_response(reply("I do."), sent=greeted.add_user("Look."))
    assert [message.role for message in after] == ["user", "assistant", "user", "assistant"]
    assert codes(after) == ["bootstrap_added"]


@pytest.mark.parametrize(
    ("was", "now", "begun"),
    [
        ([TextBlock("a")], [TextBlock("ab")], True),
        ([TextBlock("ab")], [TextBlock("a")], False),
        ([TextBlock("a")], [TextBlock("b")], False),
        ([TextBlock("a")], [TextBlock("ab"), ToolUseBlock("c", "f", {})], True),
        ([TextBlock("a"), ToolUseBlock("c", "f", {})], [TextBlock("ab")], False),
        ([ThinkingBlock("a")], [ThinkingBlock("ab", "c2ln")], True),
        ([ThinkingBlock("a")], [ThinkingBlock("b", "c2ln")], False),
        ([ThinkingBlock("a", "c2ln")], [ThinkingBlock("ab", "b3Ro")], False),
    ],
)
def test_a_reply_begins_another_that_goes_on_from_it(was: list[Any], now: list[Any], *, begun: bool) -> None:
    assert has_begun(Message("assistant", was), Message("assistant", now)) is begun
    assert not has_begun(Message("user", "a"), Message("user", "ab"))
