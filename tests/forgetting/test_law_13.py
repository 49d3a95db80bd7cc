"""Law 13, forgetting: after `redact` and `erase` nothing says what was forgotten, and all else is as it was."""

from __future__ import annotations

import json
import pickle
import re
from base64 import b64encode
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic, Dialect, Native, OpenAIChat, OpenAIResponses, folders
from message_history.dialects.registry import DIALECTS
from message_history.forgetting import erase, redact
from message_history.integrations.strategies import histories
from tests.forgetting.searching import Secret, leaves, places_in
from tests.saved.conversations import BUILT

TOKENS: Final = ("PLANTED7QX", 'plan"ted\\ é7\nQX')
"""One that is written the same everywhere, and one that JSON escapes."""
OURS: Final = re.compile(
    r"(type|role|code|native|state|kind|dialect|issuer|stop_reason|model|provider|media_type|key)$|mark\.reason$"
)
"""Places of the saved form that nobody's words are in."""
NAMES: Final = tuple(name for name in folders() if name in DIALECTS)


def state_of(history: MessageHistory) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(history._asdict()["_saved"])
    return found


def restored(state: dict[str, Any]) -> MessageHistory:
    history: MessageHistory = MessageHistory(_saved=json.dumps(state))  # type: ignore[call-arg]
    return history


def set_at(value: Any, path: tuple[Any, ...], text: str) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = text


@cache
def plantable() -> list[tuple[str, tuple[Any, ...]]]:
    """Return every place of every conversation where words may be."""
    return [
        (name, path)
        for name, made in BUILT.items()
        for part in ("messages", "repairs")
        for path in leaves(state_of(made())[part], (part,))
        if not OURS.search(".".join(str(each) for each in path)) and "branches" not in path
    ]


def planted(name: str, path: tuple[Any, ...], token: str) -> MessageHistory:
    """Return a conversation that says a token in one place."""
    state = state_of(BUILT[name]())
    set_at(state, path, f"before {token} after")
    return restored(state)


def shape(history: MessageHistory) -> list[Any]:
    return [(message.role, len(message.content)) for message in history]


def test_the_places_are_of_every_kind() -> None:
    parents = {key for _, path in plantable() for key in path[2:] if isinstance(key, str)}
    assert {"text", "thinking", "signature", "input", "id", "tool_use_id", "name", "title", "source", "data"} <= parents
    assert {"arrivals", "metadata", "replies", "mark", "decisions", "by", "reason", "detail"} <= parents
    assert {"extra", "arguments", "added", "removed"} <= parents


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.heavy) for n in range(1, 8))])
def test_a_token_in_any_place_is_found_nowhere(number: int) -> None:
    for name, path in plantable()[number::8]:
        for token in TOKENS:
            history = planted(name, path, token)
            left = redact(history, token)
            keys = tuple(each.key for each in history.calls if token in repr(each.call) and not each.call.mark)
            assert places_in(left, Secret(token, keys)) == [], (name, path)
            # What does not fit there was repaired as it was read, and said nothing of the place any more.
            if places_in(history, Secret(token)):
                assert left.repairs[-1].code is RepairCode.CONTENT_FORGOTTEN, (name, path)
                assert shape(left) == shape(history), (name, path)
            assert redact(left, token) is left
            check_laws(left)


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_no_export_says_it(name: str) -> None:
    for built, path in plantable():
        left = redact(planted(built, path, TOKENS[1]), TOKENS[1])
        assert places_in(left, Secret(TOKENS[1]), [name]) == [], (built, path)
        assert not left or check(left.for_send(DIALECTS[name]), DIALECTS[name]) == []


def check_laws(history: MessageHistory) -> None:
    wire = history.to_list()
    assert check(wire, Native()) == []
    again = MessageHistory.from_list(wire)
    assert (again, again.calls, again.repairs) == (history, history.calls, ())
    whole = pickle.loads(pickle.dumps(history))
    assert (whole, whole.calls, whole.repairs) == (history, history.calls, history.repairs)


@given(histories(), st.integers(0, 20))
def test_all_laws_hold_after_redact(history: MessageHistory, number: int) -> None:
    token = f"text {number}"
    left = redact(history, token, "")
    assert token not in json.dumps(left.to_list())
    assert token not in repr(left.repairs)
    assert shape(left) == shape(history)
    check_laws(left)
    for dialect in (Anthropic(), OpenAIChat()):
        assert not left or check(left.export(dialect).messages, dialect) == []


@given(histories(), st.data())
def test_all_laws_hold_after_erase(history: MessageHistory, data: st.DataObject) -> None:
    ways: list[dict[str, Any]] = [{"message": n} for n in range(len(history))]
    ways += [{"key": each.key} for each in history.calls] + [{"turn": -1}] * bool(history)
    if not ways:
        return
    how = data.draw(st.sampled_from(ways))
    left = erase(history, **how)
    assert shape(left) == shape(history)
    assert [(call.id, call.name) for message in left for call in message.calls] == [
        (call.id, call.name) for message in history for call in message.calls
    ]
    assert len({each.key for each in left.calls}) == len(left.calls)
    assert [each.state for each in left.calls] == [each.state for each in history.calls]
    assert "key" in how or erase(left, **how) is left
    check_laws(left)


# Each kind of place


def a_chat() -> MessageHistory:
    return MessageHistory(name="chat").add_user("Pay Alice.")


def test_encodings_are_read() -> None:
    token = 'Ann\n"7" é'
    data = b64encode(f"about {token} and more".encode()).decode()
    history = a_chat().add_user([DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": data})])
    arguments = json.dumps({"to": token})
    call = {"id": "1", "type": "function", "function": {"name": "pay", "arguments": arguments}}
    history = history.add({"role": "assistant", "tool_calls": [call]})
    history = history.add_tool_result("1", {"to": token, "at": f"data:text/plain;base64,{data}"})
    left = redact(history, token)
    assert places_in(left, Secret(token, (history.calls[0].key,)), ["openai_chat", "anthropic"]) == []
    assert left.calls[0].input == {"to": "[redacted]"}
    assert isinstance(left[0].content[1], TextBlock)
    # The inner text was base64, and goes as a whole.
    assert json.loads(left[2].results[0].text) == {"to": "[redacted]", "at": "[redacted]"}


def test_numbers_and_names_of_keys_are_found_too() -> None:
    history = a_chat().add_assistant(ToolUseBlock("1", "pay", {"card": 4111111111111111, "4111111111111111": True}))
    left = redact(history, "4111111111111111", "[card]")
    assert left.calls[0].input == {"card": "[card]", "[card]": True}
    assert places_in(left, Secret("4111111111111111")) == []


def test_a_number_that_the_library_counts_is_no_place() -> None:
    reply = {
        "type": "message", "role": "assistant", "id": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "1234"}], "usage": {"input_tokens": 1234, "output_tokens": 5},
    }  # fmt: skip
    left = redact(a_chat().add_response(reply), "1234")
    assert left.usage().input_tokens == 1234
    assert left[-1].text == "[redacted]"


def test_patterns_and_functions_find_too() -> None:
    history = a_chat().add_user("Ann: +49 30 1234567, Bob: +49 30 7654321")
    assert redact(history, re.compile(r"\+49[ \d]+\d"))[0].text.count("[redacted]") == 2
    assert redact(history, ["Ann", re.compile("Bob")], "X")[0].text.endswith("X: +49 30 1234567, X: +49 30 7654321")
    assert "ANN" in redact(history, lambda text: text.replace("Ann", "ANN"))[0].text


def test_what_is_left_does_not_say_it_again() -> None:
    assert redact(MessageHistory().add_user("aabb"), "ab", "")[0].text == "[This was removed.]"
    assert "ab" not in redact(MessageHistory().add_user("xaabb"), "ab", "")[0].text


@pytest.mark.parametrize(
    ("find", "replace", "error"),
    [
        ("", "x", ValueError), (re.compile("x*"), "-", ValueError), ("x", "xy", ValueError), ([], "-", ValueError),
        (3, "-", TypeError), ([3], "-", TypeError), (re.compile(b"x"), "-", TypeError), ("x", 3, TypeError),
        (len, "-", TypeError),
    ],
)  # fmt: skip
def test_what_cannot_be_found_is_refused(find: Any, replace: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        redact(a_chat(), find, replace)


def test_a_reason_may_not_say_it() -> None:
    with pytest.raises(ValueError, match="reason"):
        redact(a_chat(), "Alice", reason="Alice asked")
    with pytest.raises(ValueError, match="reason"):
        erase(a_chat(), message=0, reason=" ")


def test_ids_stay_one_for_each_call() -> None:
    history = a_chat().add_assistant([ToolUseBlock("a1", "f", {}), ToolUseBlock("a2", "f", {"x": 1})])
    history = history.add(Message.user(ToolResultBlock("a1", "one"), ToolResultBlock("a2", "two")))
    left = redact(history, re.compile(r"a\d"), "id")
    assert [call.id for call in left[1].calls] == [result.tool_use_id for result in left[2].results] == ["id", "id_2"]
    assert [each.result.text for each in left.calls if each.result] == ["one", "two"]


def test_a_key_says_nothing_of_an_input_that_was_forgotten() -> None:
    made = []
    for to in ("Alice", "Bob"):
        history = MessageHistory(name="chat").add_user("Pay.").add_assistant(ToolUseBlock("1", "pay", {"to": to}))
        history = history.add_user("And?").add_assistant("Hm.").add_tool_result("1", "paid")
        left = redact(history, to)
        assert history.calls[0].key not in json.dumps(left.to_list())
        assert left.calls[0].state.value == "answered"
        made.append(left)
    assert made[0].calls[0].key == made[1].calls[0].key != ""
    assert made[0].to_list() == made[1].to_list()


@pytest.mark.parametrize("second", [{}, {"to": "Bob"}])
def test_calls_that_came_with_one_id_stay_two(second: dict[str, str]) -> None:
    history = a_chat().add_assistant([ToolUseBlock("1", "pay", {"to": "Alice"}), ToolUseBlock("1", "pay", second)])
    for each, text in zip(history.awaiting, ("one", "two"), strict=True):
        history = history.add_tool_result(each, text)
    for left in (redact(history, ["Alice", "Bob"]), erase(history, call=history.calls[0].call)):
        assert [call.id for call in left[1].calls] == ["1", "1_2"]
        assert [each.state for each in left.calls] == [each.state for each in history.calls]
        assert left.calls[1].result is not None
        assert left.calls[1].result.text == "two"
        assert len({each.key for each in left.calls}) == 2
        check_laws(left)
    left = erase(erase(history, key=history.calls[0].key), key=history.calls[1].key)
    assert len(left[1].calls) == 2
    assert {each.code for each in left.repairs[len(history.repairs) :]} == {RepairCode.CONTENT_FORGOTTEN}


def test_a_call_that_moved_up_gets_no_key_of_one_that_is_gone() -> None:
    calls = [ToolUseBlock("1", "pay", {"to": "Alice"}), ToolUseBlock("2", "pay", {"to": "Bob"})]
    history = a_chat().add_assistant(calls).add_tool_result("2", "paid").add_user("And?")
    erased = erase(history, key=history.calls[0].key)
    moved = erased.without_unanswered()
    left = erase(moved, key=moved.calls[0].key)
    assert [each.call.id for each in left.calls] == ["2"]
    assert left.calls[0].key not in {each.key for each in (*history.calls, *erased.calls)}


def test_keys_of_other_calls_stay() -> None:
    history = a_chat().add_assistant([ToolUseBlock("1", "f", {"x": "Alice"}), ToolUseBlock("2", "f", {"x": "Bob"})])
    left = redact(history, "Alice")
    assert left.calls[0].key != history.calls[0].key
    assert left.calls[1].key == history.calls[1].key
    assert {each.key for each in redact(MessageHistory(name="Alice").extend(history), "Alice").calls}.isdisjoint(
        each.key for each in history.calls
    )


def test_thinking_that_covers_it_is_invalidated_and_what_says_it_loses_its_signature() -> None:
    history = MessageHistory().add_user("q").add_assistant([ThinkingBlock("one", "c2ln"), TextBlock("Alice")])
    history = history.add_user("more").add_assistant([ThinkingBlock("two", "c2ln"), TextBlock("ok")])
    history = history.add_user("more").add_assistant([ThinkingBlock("of Alice", "c2ln"), TextBlock("ok")])
    left = redact(history, "Alice")
    thoughts = [block for message in left for block in message.content if isinstance(block, ThinkingBlock)]
    assert [(each.bound, each.signature) for each in thoughts] == [(True, "c2ln"), (False, "c2ln"), (False, None)]


def test_metadata_alone_changes_nothing_that_is_sent() -> None:
    history = MessageHistory().add_user("q", metadata={"who": "Alice"}).add_assistant([ThinkingBlock("one", "c2ln")])
    left = redact(history, "Alice")
    assert left == history
    assert left.for_send() == history.for_send()
    assert left[0].arrivals[0].metadata == {"who": "[redacted]"}


def test_what_processes_remember_is_cleared() -> None:
    raw = [{"role": "user", "content": [{"type": "text", "text": "q", "citations": [{"cited_text": "Alice"}]}]}]
    history = MessageHistory.from_list(raw, dialect=Anthropic())
    pickle.dumps(history)
    history.for_send()
    from message_history.core.messages import plain  # noqa: PLC0415
    from message_history.dialects.native import pickled  # noqa: PLC0415

    assert plain.meta_of_keys.cache_info().currsize
    left = redact(history, "Alice")
    assert places_in(left, Secret("Alice"), ["anthropic"]) == []
    assert pickled._text_of.cache_info().currsize == 0


def test_a_repair_says_that_and_never_what() -> None:
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, {"role": "tool", "content": "of Alice"}])
    assert "Alice" in repr(history.repairs)
    left = redact(history, "Alice")
    assert places_in(left, Secret("Alice")) == []
    assert str(left.repairs[-1]) == (
        "message 0: content_forgotten (lossy): redacted, places in the system prompt, repairs and names: 1"
    )


def test_the_user_s_words_lead_a_window_still() -> None:
    history = a_chat().add_assistant(ToolUseBlock("1", "f", {})).add_tool_result("1", "x").add_assistant("y")
    assert redact(history, "Alice").drop_before(3)[0].text == "Pay [redacted]."


# Erasing


def test_what_was_redacted_is_erased_too() -> None:
    history = a_chat().add_assistant(
        [ThinkingBlock("of Alice and Bob", "c2ln"), ToolUseBlock("1", "f", {"a": "Alice", "b": "Bob"})]
    )
    history = history.add_tool_result("1", "Alice and Bob")
    left = erase(redact(history, "Alice"), turn=0)
    assert places_in(left, Secret("Bob")) == []
    assert {block.mark.reason for message in left for block in message.content if block.mark} == {"redacted"}
    check_laws(left)


def test_a_message_is_erased_with_what_came_with_it() -> None:
    history = MessageHistory().add_user("Alice", metadata={"id": "Alice"}).add_assistant("Hello.")
    left = erase(history, message=-2, reason="asked")
    assert places_in(left, Secret("Alice")) == []
    assert left[0].content[0].mark is not None
    assert (left[0].text, left[0].content[0].mark.reason) == ("[This was removed.]", "asked")
    assert str(left.repairs[-1]) == "message 0: content_forgotten (lossy): asked, places: 2"


def listed(text: str, *, dropped: bool = False) -> MessageHistory:
    """Read a list of another program that has a text in keys that no block has a place for."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}, "k": text}
    raw = [
        {"id": "0", "role": "user", "content": "q", "k": text},
        {"id": "1", "role": "assistant", "content": " ", "k": {"deep": [text if dropped else ""]}},
        {"id": "2", "role": "assistant", "content": "a", "toolCalls": [call]},
        {"id": "3", "role": "tool", "toolCallId": "c1", "content": "r", "k": text},
        {"id": "4", "role": "assistant", "content": "e", "k": {text: 1}},
    ]
    return MessageHistory.from_list(raw)


@pytest.mark.parametrize("token", TOKENS)
def test_keys_that_no_block_has_a_place_for_are_forgotten_too(token: str) -> None:
    history, secret = listed(token, dropped=True), Secret(token)
    assert "pickle" in places_in(history, secret)
    assert not [name for name in NAMES if name != "native" and secret.is_in(history.for_send_json(DIALECTS[name]))]
    assert places_in(redact(history, token), secret, NAMES) == []
    assert places_in(erase(listed(token), turn=0), secret, NAMES) == []


def test_what_came_with_the_entries_of_a_call_is_erased_with_it() -> None:
    left = erase(listed("Alice"), call="c1")
    assert [[each.metadata for each in message.arrivals] for message in left] == [
        [{"id": "0", "k": "Alice"}],
        [{}],
        [{}],
        [{"id": "4", "k": {"Alice": 1}}],
    ]
    check_laws(left)


DROPPED: Final[dict[str, Any]] = {
    "no result": {"role": "tool", "tool_call_id": "x", "content": "Alice"},
    "no content": {"role": "assistant", "content": [], "k": "Alice"},
    "blank": {"role": "assistant", "content": " ", "k": "Alice"},
    "no message": {"level": "Alice"},
    "reasoning without a text": {"id": "r", "role": "reasoning", "k": "Alice"},
    "no call of a user": {
        "role": "user", "content": [{"type": "tool_use", "id": "x", "name": "f", "input": {"a": "Alice"}}],
    },
    "no input": {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f", "k": "Alice"}]},
}  # fmt: skip
CHATS: Final[dict[str, list[Any]]] = {
    "plain": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}] * 2,
    "ag-ui": [
        {"id": "1", "role": "user", "content": "q"},
        {"id": "2", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "3", "role": "tool", "toolCallId": "c", "content": "r"},
        {"id": "4", "role": "assistant", "content": "a"},
        {"id": "5", "role": "user", "content": "more"},
        {"id": "6", "role": "assistant", "content": "b"},
    ],
}


TURNS: Final = {"plain": [0, 0, 1, 1], "ag-ui": [0, 0, 0, 0, 1, 1]}
NO_PART: Final = ("no content", "no message", "reasoning without a text")
"""Of these nothing is known of which message they may have been a part."""


@pytest.mark.parametrize("what", DROPPED)
@pytest.mark.parametrize("chat", CHATS)
def test_an_entry_that_was_dropped_goes_with_what_was_said_before_and_after_it(chat: str, what: str) -> None:
    raw, turns = CHATS[chat], TURNS[chat]
    for place in range(len(raw) + 1):
        history = MessageHistory.from_list([*raw[:place], DROPPED[what], *raw[place:]])
        assert "pickle" in places_in(history, Secret("Alice"))
        near = {turns[max(place - 1, 0)], *(turns[place : place + 1] if what in NO_PART else ())}
        for turn in near:
            left = erase(history, turn=turn)
            assert places_in(left, Secret("Alice"), NAMES) == [], (place, turn)
            check_laws(left)


def test_a_call_is_erased_with_its_result_and_what_was_quoted_of_it() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("1", "pay", {"to": "Alice"})])
    history = history.record_call("1", "waiting").record_call("1", "denied", reason="no, Alice", by="Bob")
    history = history.add_user("And?").add_assistant("Hm.")
    history = history.add_tool_result("1", "paid to Alice").add_tool_result("1", "again to Alice").add_user("Well?")
    left = erase(history, call="1")
    assert places_in(left, Secret("Alice", (history.calls[0].key,)), ["anthropic", "openai_chat"]) == []
    assert left.calls[0].state == history.calls[0].state
    assert left[-1].content[-1].text == "Well?"  # type: ignore[attr-defined]
    check_laws(left)


@pytest.mark.parametrize("late", [False, True])
def test_that_a_person_edited_the_arguments_is_no_part_of_what_was_said(late: bool) -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("1", "pay", {"to": "Alice"})])
    history = history.record_call("1", "approved", by="Bob", input={"to": "Alice B."})
    history = history.add_user("And?").add_assistant("Hm.") if late else history
    left = erase(history.add_tool_result("1", "paid to Alice"), call="1")
    result = left.calls[0].result
    assert result is not None
    assert result.text == "[This was removed.]\n[A person edited the arguments of this call.]"
    assert (left.calls[0].by, places_in(left, Secret("Alice"))) == ("Bob", [])
    assert erase(left, call="1") is left


def test_a_turn_goes_on_to_what_the_user_says_next() -> None:
    history = a_chat().add_assistant(ToolUseBlock("1", "f", {"to": "Alice"})).add_tool_result("1", "Alice")
    history = history.add_assistant("Alice is paid.").add_user("Thanks.").add_assistant("Alice says hello.")
    left = erase(history, turn=0)
    assert [message.text for message in left][-2:] == ["Thanks.", "Alice says hello."]
    assert "Alice" not in json.dumps(left.to_list()[:-1])


def test_repairs_lose_what_they_hold_of_it() -> None:
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {"to": "Alice"}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "Alice"}
    raw = [
        {"role": "user", "content": "q"}, {"role": "assistant", "content": [call, call]},
        {"role": "user", "content": [result]}, {"role": "user", "content": [result]},
    ]  # fmt: skip
    history = MessageHistory.from_list(raw)
    assert len(history.repairs) == 2
    for left in (erase(history, call="1"), erase(erase(history, message=1), message=2)):
        assert places_in(left, Secret("Alice", (history.calls[0].key,))) == []
        assert [repair.code for repair in left.repairs[:2]] == [repair.code for repair in history.repairs]


@pytest.mark.parametrize("how", [{}, {"message": 0, "turn": 0}, {"call": 3}, {"message": "x"}])
def test_one_thing_is_erased_at_a_time(how: Any) -> None:
    with pytest.raises(TypeError):
        erase(a_chat(), **how)


@pytest.mark.parametrize("how", [{"message": 1}, {"message": -2}, {"turn": 1}, {"call": "x"}, {"key": "x"}])
def test_what_is_not_there_is_not_erased(how: Any) -> None:
    with pytest.raises(LookupError):
        erase(a_chat(), **how)


def test_media_and_blocks_of_providers_are_erased_as_a_whole() -> None:
    blocks = [ImageBlock({"type": "url", "url": "https://example.com/alice"}), SystemBlock("Alice")]
    history = MessageHistory().add_user("q").add_user(blocks)
    history = history.add_assistant(ProviderBlock("gemini", {"executableCode": {"code": "Alice"}}))
    left = erase(history, turn=0)
    assert {block.text for message in left for block in message.content} == {"[This was removed.]"}  # type: ignore[attr-defined]


def test_what_a_client_sends_again_comes_back() -> None:
    history = a_chat().add_assistant("Done.")
    wire = history.for_send()
    left = redact(history, "Alice")
    assert "Alice" in left.follow([*wire, {"role": "user", "content": "And?"}], dialect=Anthropic()).history[0].text


@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat(), OpenAIResponses()])
def test_what_is_sent_is_the_same_up_to_the_first_change(dialect: Dialect[Any]) -> None:
    history = MessageHistory().add_user("q").add_assistant("a").add_user("Alice").add_assistant("b")
    wire, left = history.for_send(dialect), redact(history, "Alice").for_send(dialect)
    assert left[:2] == wire[:2]
    assert left[2:] != wire[2:]
