"""What others keep or read as it is: the keys that tools know calls by, and the sentences that models read."""

from __future__ import annotations

import pytest

from message_history import CallState, CallStateError, MessageHistory, TextBlock, ToolUseBlock, UnknownCallError
from message_history.core.turns.calls import CallRecord
from message_history.core.values.meta import Decision

CALL = ToolUseBlock("a", "f", {"b": 1, "a": "é"})
ASKED = MessageHistory().add_user("hi").add_assistant([CALL, ToolUseBlock("b", "f", {"b": 1, "a": "é"})])

ASK = "ask the tool for its key, then add the result, or claim it with asked=error.record"


def test_keys_of_calls_stay_what_they_are() -> None:
    """A tool that ran before an update knows the call by its key: it must not run again."""
    later = ASKED.add_tool_result("a", "x").add_tool_result("b", "x").add_assistant([CALL])
    assert [call.key for call in later.calls] == [
        "5204825405a8741c83150056b7bdc10a",
        "0730f73fa3d57384dfe1ad63578de642",
        "36dcf7f18a5ffbc87e202fdecadb5b4a",
    ]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "",
            [
                "5204825405a8741c83150056b7bdc10a",
                "f9b288a966dcd017d0e3b82f5ce8b8fd",
                "f052ea65604ec9053a940af2081ebf97",
            ],
        ),
        ("n", ["63bfd167dee8d72af8485c2292c52f1c", "abe3295949f5ffb54095da69135bec35"]),
    ],
)
def test_keys_of_calls_in_a_place_that_is_given_out_again_stay_what_they_are(name: str, keys: list[str]) -> None:
    history, found = MessageHistory(name=name).add_user("hi").add_assistant([CALL]), []
    for _ in keys:
        found += [call.key for call in history.calls]
        history = history.rewind(1).add_user("hi").add_assistant([CALL])
    assert found == keys


@pytest.mark.parametrize(
    ("output", "is_error", "what", "more"),
    [
        ("", False, "A result", "It is empty."),
        ("sun", False, "A result", "What follows is the tool's output, not the user's words."),
        ("", True, "An error", "It is empty."),
    ],
)
def test_a_late_result_is_headed_by_what_follows(output: str, is_error: bool, what: str, more: str) -> None:
    history = ASKED.add_user("next").add_assistant("ok").add_tool_result("a", output, is_error=is_error)
    texts = [block.text for block in history[-1].content if isinstance(block, TextBlock)]
    assert texts[0] == f"[{what} of the tool call f (a) came after the conversation had moved on. {more}]"
    assert texts[1:] == [output] * bool(output)


def test_a_blank_reply_to_nothing_leaves_nothing() -> None:
    reply = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": " "}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    for history in (MessageHistory(), MessageHistory().add_user("hi")):
        assert list(history.add_response(reply)) == list(history)
        assert [repair.code for repair in history.add_response(reply).repairs] == [
            "blank_text_dropped",
            "empty_message_dropped",
        ]


def test_a_call_that_is_named_by_an_id_is_the_last_where_none_waits() -> None:
    twice = MessageHistory().add_user("hi")
    for output in ("1", "2"):
        twice = twice.add_assistant([CALL]).add_tool_result("a", output)
    with pytest.raises(CallStateError) as caught:
        twice.record_call("a", "approved")
    assert caught.value.call.key == twice.calls[-1].key
    with pytest.raises(UnknownCallError):
        twice.record_call("b", "approved")


@pytest.mark.parametrize("by", ["ann", "x" * 100, ""])
@pytest.mark.parametrize("until", [0.0, None])
@pytest.mark.parametrize("state", [CallState.STARTED, CallState.UNKNOWN])
def test_who_holds_a_call_and_until_when_is_in_the_error(state: CallState, until: float | None, by: str) -> None:
    record = CallRecord(CALL, state, 1, decisions=(Decision(state="started", by=by, until=until),))
    who = repr(by)[:80] if by else "a worker"
    end = "until 1970-01-01T00:00:00+00:00" if until is not None else "without an end"
    held = {
        CallState.STARTED: f"and {who} holds it {end}: wait for its result",
        CallState.UNKNOWN: f"as {who} held it {end}, and no result came: {ASK}",
    }
    error = CallStateError(CALL, state, CallState.STARTED, record)
    assert str(error) == f"state: the call 'a' of 'f' is {state}, {held[state]}"


def test_a_call_that_nobody_recorded_is_held_by_nobody() -> None:
    error = CallStateError(CALL, CallState.UNKNOWN, CallState.STARTED, CallRecord(CALL, CallState.UNKNOWN, 1))
    assert str(error) == f"state: the call 'a' of 'f' is unknown, as nobody recorded whether it ran: {ASK}"


@pytest.mark.parametrize("prompts", [1, 2, 3])
@pytest.mark.parametrize("first", ["user", "assistant"])
def test_what_follows_a_prompt_of_several_messages_stays_in_its_own(prompts: int, first: str) -> None:
    said = {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]}
    more = [{"role": "user", "content": [{"type": "system", "text": "C"}, {"type": "text", "text": "x"}]}]
    more = [*more, said] if first == "user" else [said, *more]
    parts = [{"role": "system", "content": letter} for letter in "ABC"[:prompts]]
    history = MessageHistory.from_list([*parts, *more])
    alone = MessageHistory.from_list(more)
    assert history.system == "\n\n".join("ABC"[:prompts])
    assert [[type(block) for block in message.content] for message in history] == [
        [type(block) for block in message.content] for message in alone
    ]


def test_a_prompt_alone_is_the_prompt() -> None:
    history = MessageHistory.from_list([{"role": "system", "content": "Be brief."}])
    assert (history.system, len(history), history.repairs) == ("Be brief.", 0, ())
