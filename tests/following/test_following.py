"""A raw list that grows: every export begins with the one before, is valid, and loses nothing."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    CallState,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses, registry
from message_history.following import Followed, Replaced, followed_from
from message_history.following.digests import digest_of
from message_history.integrations.strategies import broken_lists
from tests.following.prefixes import begins_with
from tests.helpers import ASKED, CALL

if TYPE_CHECKING:
    from collections.abc import Iterator

DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), Mistral(), Gemini(), Bedrock(), OpenAIResponses()]
grown = st.sampled_from(DIALECTS).flatmap(lambda dialect: st.tuples(st.just(dialect), broken_lists(dialect)))


def sent(followed: Followed[MessageHistory]) -> list[Any]:
    return followed.history.export(followed.dialect).messages


@given(grown)
def test_every_export_of_a_list_that_grows_begins_with_the_one_before(case: tuple[Dialect[Any], list[Any]]) -> None:
    dialect, raw = case
    before = copy.deepcopy(raw)
    followed = MessageHistory().follow(raw[:1], dialect=dialect)
    exports = [sent(followed)]
    for length in range(2, len(raw) + 1):
        followed = followed.follow(raw[:length])
        assert followed.replaced is None
        exports.append(sent(followed))
        assert begins_with(exports[-1], exports[-2]), (exports[-2], exports[-1])
        assert not exports[-1] or check(exports[-1], dialect) == []
    assert raw == before


@given(grown, st.data())
def test_a_list_that_grows_by_any_number_of_entries_stays_valid_and_as_sent(
    case: tuple[Dialect[Any], list[Any]], data: st.DataObject
) -> None:
    dialect, raw = case
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), min_size=1)))
    followed = MessageHistory().follow(raw[: cuts[0]], dialect=dialect)
    for cut in (*cuts[1:], len(raw)):
        before, followed = followed, followed.follow(raw[:cut])
        assert begins_with(sent(followed), sent(before))
        assert not sent(followed) or check(sent(followed), dialect) == []
        recorded = len(before.history.repairs) + len(followed.new_repairs) if cut > len(before.entries) else 0
        assert len(followed.history.repairs) == recorded or cut == len(before.entries)


@given(st.sampled_from([Anthropic(), OpenAIChat()]).flatmap(broken_lists))
def test_nothing_of_a_list_that_grows_is_lost(raw: list[Any]) -> None:
    followed = MessageHistory().follow([])
    for length in range(1, len(raw) + 1):
        followed = followed.follow(raw[:length])
        held = json.dumps(followed.history.to_list()) + repr([repair.removed for repair in followed.history.repairs])
        for text in texts_in(raw[:length]):
            assert json.dumps(text)[1:-1] in held or repr(text)[1:-1] in held


def texts_in(raw: list[Any]) -> Iterator[str]:
    for entry in raw:
        content = entry.get("content") if isinstance(entry, dict) else None
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            text = block.get("text", block.get("content")) if isinstance(block, dict) else None
            if isinstance(text, str):
                yield text


@given(grown, st.data())
def test_it_is_what_from_list_gives_where_nothing_sent_had_to_be_invented(
    case: tuple[Dialect[Any], list[Any]], data: st.DataObject
) -> None:
    dialect, raw = case
    cut = data.draw(st.integers(0, len(raw)))
    before = MessageHistory().follow(raw[:cut], dialect=dialect)
    whole = MessageHistory.from_list(raw, dialect=dialect).as_sent(dialect)
    if before.history.repairs or len(whole) < len(before.history):
        return  # a stub or a continuation was sent, or a result whose call came later was dropped
    assert before.follow(raw).history == whole


USER = {"role": "user", "content": "Read a.txt and b.txt."}
CALLS: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_0", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}},
        {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path": "b.txt"}'}},
    ],
}
A: dict[str, Any] = {"role": "tool", "tool_call_id": "call_0", "content": "contents of a"}
B: dict[str, Any] = {"role": "tool", "tool_call_id": "call_1", "content": "contents of b"}
REPLY = {"role": "assistant", "content": "a.txt is fine."}
MORE = {"role": "user", "content": "And now?"}


def chat(*raws: list[Any]) -> list[Followed[MessageHistory]]:
    """Follow a list through its versions."""
    versions = [MessageHistory().follow(raws[0], dialect=OpenAIChat())]
    for raw in raws[1:]:
        versions.append(versions[-1].follow(raw))
        if versions[-1].replaced is None:
            assert begins_with(sent(versions[-1]), sent(versions[-2]))
        assert check(sent(versions[-1]), OpenAIChat()) == []
    return versions


@pytest.mark.parametrize("more", [[MORE], [A, REPLY, MORE]], ids=["at once", "after a result and a reply"])
def test_a_stub_that_comes_back_is_no_result(more: list[Any]) -> None:
    before = MessageHistory().follow([USER, CALLS], dialect=OpenAIChat())
    stub = {**B, "content": sent(before)[-1]["content"]}
    followed = before.follow([USER, CALLS, *more[:1], stub, *more[1:]] if A in more else [USER, CALLS, stub, *more])
    assert followed.history.calls[1].state is CallState.UNKNOWN
    assert RepairCode.STUB_REPLACED not in codes(followed)


def codes(followed: Followed[Any]) -> list[RepairCode]:
    return [repair.code for repair in followed.new_repairs]


def test_a_result_whose_stub_was_sent_is_quoted_as_late_while_its_turn_is_open() -> None:
    _, last = chat([USER, CALLS, A], [USER, CALLS, A, B])
    assert codes(last) == [RepairCode.LATE_RESULT_QUOTED]
    (quoted,) = last.new_repairs
    assert (quoted.index, quoted.source) == (2, 3)
    assert "contents of b" in sent(last)[-1]["content"][-1]["text"]


def test_a_result_that_shows_up_in_the_middle_goes_behind_the_reply_that_was_given_without_it() -> None:
    *_, last = chat([USER, CALLS, A], [USER, CALLS, A, REPLY, MORE], [USER, CALLS, A, B, REPLY, MORE, REPLY, MORE])
    assert codes(last) == [RepairCode.LATE_RESULT_QUOTED]
    assert [message["role"] for message in sent(last)[-3:]] == ["user", "assistant", "user"]
    assert "contents of b" in json.dumps(sent(last)[-1])


def test_a_result_that_came_before_the_reply_goes_behind_it() -> None:
    _, last = chat([USER, CALLS, A], [USER, CALLS, A, B, REPLY])
    assert [message["role"] for message in sent(last)] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert codes(last) == [RepairCode.LATE_RESULT_QUOTED]
    assert "contents of b" in json.dumps(sent(last)[-1])


def test_a_late_result_is_not_taken_for_that_of_a_newer_call_with_its_id() -> None:
    again = {**CALLS, "tool_calls": [{**CALLS["tool_calls"][1], "id": "call_1"}]}
    _, last = chat([USER, CALLS, A], [USER, CALLS, A, B, again, {**B, "content": "newer"}])
    assert RepairCode.LATE_RESULT_QUOTED in codes(last)
    answers = [message["content"] for message in sent(last) if message["role"] == "tool"]
    assert answers[-1] == "newer"


def test_the_same_late_result_twice_is_quoted_once() -> None:
    *_, last = chat([USER, CALLS, A], [USER, CALLS, A, B], [USER, CALLS, A, B, B])
    assert codes(last) == [RepairCode.DUPLICATE_RESULT_DROPPED]
    assert json.dumps(sent(last)).count("contents of b") == 1


@pytest.mark.parametrize("apart", [False, True])
def test_another_late_result_that_comes_with_the_first_is_a_second_one(apart: bool) -> None:
    raw = list(ASKED)
    results = [ToolResultBlock("1", "late"), ToolResultBlock("1", "other")]
    more = [Message.user([each]) for each in results] if apart else [Message.user(results)]
    followed = MessageHistory().follow(raw).follow([*raw, *more])
    found = [RepairCode.LATE_RESULT_QUOTED, RepairCode.SECOND_RESULT_QUOTED]
    assert [repair.code for repair in followed.new_repairs] == found


def test_a_late_result_without_its_calls_id_is_taken_for_the_one_call_that_waits_only_if_it_has_none() -> None:
    raw = list(ASKED)
    found = MessageHistory().follow(raw).follow([*raw, Message.user([ToolResultBlock("", "late")])])
    assert [repair.code for repair in found.new_repairs] == [RepairCode.LATE_RESULT_QUOTED]
    unknown = MessageHistory().follow(raw).follow([*raw, Message.user([ToolResultBlock("2", "late")])])
    assert [repair.code for repair in unknown.new_repairs] == [RepairCode.ORPHAN_RESULT_DROPPED]
    raw[1] = Message.assistant([CALL, ToolUseBlock("2", "g", {})])
    of_two = MessageHistory().follow(raw).follow([*raw, Message.user([ToolResultBlock("", "late")])])
    assert [repair.code for repair in of_two.new_repairs] == [RepairCode.ORPHAN_RESULT_DROPPED]


def test_a_result_before_its_call_is_moved_next_to_a_late_one() -> None:
    raw = list(ASKED)
    results = Message.user([ToolResultBlock("1", "late"), ToolResultBlock("2", "early")])
    followed = MessageHistory().follow(raw).follow([*raw, results, Message.assistant(ToolUseBlock("2", "g", {}))])
    assert {repair.code for repair in followed.new_repairs} == {
        RepairCode.RESULT_MOVED,
        RepairCode.LATE_RESULT_QUOTED,
    }
    assert [call.result and call.result.text for call in followed.history.calls] == ["late", "early"]


def test_the_same_late_result_in_two_new_messages_is_quoted_once() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "result of a"}]}
    after = MessageHistory().follow([USER, call], dialect=Anthropic()).follow([USER, call, result, result])
    assert codes(after) == [RepairCode.LATE_RESULT_QUOTED, RepairCode.DUPLICATE_RESULT_DROPPED]
    assert json.dumps(sent(after)).count("result of a") == 1


def test_a_result_that_is_put_into_an_old_message_is_late() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "ab"]}
    results = [{"type": "tool_result", "tool_use_id": id, "content": f"result of {id}"} for id in "ab"]
    first = [USER, call, {"role": "user", "content": results[:1]}]
    then = [USER, call, {"role": "user", "content": results}, REPLY, MORE]
    before = MessageHistory().follow([*first, REPLY], dialect=Anthropic(prefill=True))
    after = before.follow(then)
    assert begins_with(sent(after), sent(before))
    assert codes(after) == [RepairCode.LATE_RESULT_QUOTED]
    assert after.follow([*then, REPLY]).replaced is None


def test_a_compaction_counts_from_the_common_prefix_on_and_is_told() -> None:
    raw = [USER, CALLS, A]
    first, second, third = chat(raw, [*raw, REPLY, MORE], [*raw, {"role": "user", "content": "A summary."}, REPLY])
    assert second.replaced is None
    assert third.replaced == Replaced(start=3, entries=2, kept=3)
    assert begins_with(sent(third), sent(first))
    summary = {"role": "user", "content": "All before, in short."}
    fourth = third.follow([summary, REPLY, MORE])
    assert fourth.replaced == Replaced(start=0, entries=5, kept=0)
    assert fourth.history == MessageHistory.from_list([summary, REPLY, MORE])
    assert fourth.follow([summary, REPLY, MORE, REPLY]).replaced is None


def test_a_shorter_list_goes_back() -> None:
    first, _, third = chat([USER], [USER, REPLY, MORE], [USER])
    assert sent(third) == sent(first)
    assert third.replaced == Replaced(start=1, entries=2, kept=1)


def test_cache_marks_may_move() -> None:
    def marked(n: int) -> list[Any]:
        texts: list[Any] = [
            {"role": role, "content": [{"type": "text", "text": role}]} for role in ("user", "assistant", "user")
        ]
        texts[n]["content"][0]["cache_control"] = {"type": "ephemeral"}
        return texts

    assert MessageHistory().follow(marked(0), dialect=Anthropic()).follow([*marked(2), REPLY]).replaced is None
    assert digest_of(marked(0)[0]) == digest_of(marked(2)[0]) == digest_of({"content": "user", "role": "user"})


def test_what_an_agent_changes_in_place_later_does_not_change_what_was_followed() -> None:
    raw: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    first = MessageHistory().follow(raw, dialect=Anthropic())
    raw[0]["content"].append({"type": "text", "text": "b"})
    second = first.follow(raw)
    assert second.replaced is None
    assert sent(second)[0]["content"] == raw[0]["content"]
    raw[0]["content"][0]["text"] = "changed"
    assert second.follow(raw).replaced == Replaced(start=0, entries=1, kept=0)


def test_responses_without_ids_find_their_calls_in_a_turn_that_was_read_before() -> None:
    def call(city: str) -> dict[str, Any]:
        return {"functionCall": {"name": "weather", "args": {"city": city}}}

    def response(city: str) -> dict[str, Any]:
        return {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"output": city}}}]}

    raw = [{"role": "user", "parts": [{"text": "?"}]}, {"role": "model", "parts": [call("Paris"), call("Rome")]}]
    raw += [response("Paris"), response("Rome")]
    before = MessageHistory().follow(raw[:3], dialect=Gemini())
    after = before.follow(raw)
    assert begins_with(sent(after), sent(before))
    assert codes(after) == [RepairCode.LATE_RESULT_QUOTED]


def test_old_entries_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    read = registry.read

    def counting(entries: list[Any], dialect: Dialect[Any] | None = None) -> Any:
        seen.append(len(entries))
        return read(entries, dialect)

    raw = [entry for _ in range(100) for entry in (MORE, REPLY)]
    before = MessageHistory().follow(raw, dialect=OpenAIChat())
    monkeypatch.setattr("message_history.following.followed.read", counting)
    before.follow([*raw, MORE])
    assert seen == [1]


def test_a_history_is_followed_from_its_export() -> None:
    history = MessageHistory.from_list([USER, CALLS, A])
    before = followed_from(history, OpenAIChat())
    after = before.follow([*history.for_send(OpenAIChat()), REPLY, MORE])
    assert after.replaced is None
    assert after.new_repairs == ()
    assert len(after.history) == 5


def test_a_history_follows_by_its_own_method() -> None:
    assert MessageHistory().follow([USER, CALLS, A]).history == MessageHistory.from_list([USER, CALLS, A])
    history = MessageHistory.from_list([USER, CALLS, A])
    after = history.follow([*history.for_send(OpenAIChat()), REPLY, MORE], dialect=OpenAIChat())
    assert after.replaced is None
    assert len(after.history) == 5


def test_nothing_new_changes_nothing() -> None:
    first, second = chat([USER, CALLS], [USER, CALLS])
    assert second.history is first.history
    assert second.new_repairs == ()


def test_the_policy_is_kept() -> None:
    with pytest.raises(InvariantError):
        MessageHistory(policy=Policy(on_violation="raise")).follow([USER, CALLS])
    strict = MessageHistory(policy=Policy(on_violation="raise")).follow([USER])
    with pytest.raises(InvariantError):
        strict.follow([USER, CALLS])


@pytest.mark.parametrize("raw", ["text", {"role": "user"}, 7])
def test_what_is_no_list_is_refused(raw: Any) -> None:
    with pytest.raises(TypeError, match="raw must be the whole list of messages, not "):
        MessageHistory().follow(raw)


def test_a_second_result_is_not_taken_for_that_of_a_newer_call_with_its_id() -> None:
    again = {**CALLS, "tool_calls": [{**CALLS["tool_calls"][1], "id": B["tool_call_id"]}]}
    _, last = chat([USER, CALLS, A, B], [USER, CALLS, A, B, {**B, "content": "second"}, again])
    assert set(codes(last)) == {RepairCode.SECOND_RESULT_QUOTED, RepairCode.RESULT_STUBBED}
    assert [call.result is None or call.result.is_stub for call in last.history.calls] == [False, False, True]


@pytest.mark.parametrize("order", [("r", "and?"), ("and?", "r")])
def test_what_the_user_says_next_to_a_late_result_keeps_its_place(order: tuple[str, str]) -> None:
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    raw: list[Any] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]}
    said = {"r": result, "and?": {"role": "user", "content": "and?"}}
    followed = MessageHistory().follow(raw).follow([*raw, *map(said.__getitem__, order)])
    assert [text for text in followed.history[-1].text.split("\n") if text in said] == list(order)


def test_a_result_that_comes_with_its_call_and_behind_a_reply_is_moved_next_to_it() -> None:
    raw: list[Any] = [Message.user("q"), Message.assistant("a"), Message.user("b")]
    more = [Message.assistant(ToolUseBlock("1", "f", {})), Message.user("c"), Message.assistant("d")]
    late = Message.user([ToolResultBlock("1", "r"), TextBlock("e")])
    history = MessageHistory().follow(raw).follow([*raw, *more, late]).history
    assert [repair.code for repair in history.repairs] == [RepairCode.RESULT_MOVED]
    assert history[4].results[0].text == "r"


@pytest.mark.parametrize(("id", "code"), [("1", RepairCode.LATE_RESULT_QUOTED), ("2", RepairCode.SECOND_RESULT_QUOTED)])
def test_a_result_that_leads_the_message_of_a_reply_goes_behind_what_was_replied(id: str, code: RepairCode) -> None:
    asked = Message.assistant([ToolUseBlock("1", "f", {}), ToolUseBlock("2", "f", {})])
    raw: list[Any] = [Message.user("q"), asked, Message.user([ToolResultBlock("2", "r")])]
    before = MessageHistory().follow(raw)
    after = before.follow([*raw, Message.assistant([ToolResultBlock(id, "late"), TextBlock("done")])])
    assert begins_with(sent(after), sent(before))
    assert after.history[3].text == "done"
    assert after.history[4].text.endswith("late")
    assert after.history.repairs[-1].code is code


def test_a_result_behind_its_call_in_one_message_is_of_that_call_and_no_older_one() -> None:
    call = ToolUseBlock("1", "f", {})
    raw: list[Any] = [Message.user("q"), Message.assistant(call)]
    both = Message.assistant([TextBlock("again"), call, ToolResultBlock("1", "r")])
    calls = MessageHistory().follow(raw).follow([*raw, both]).history.calls
    assert [each.result and each.result.text for each in calls] == [None, "r"]


def test_a_call_with_an_unreadable_input_stays_beside_one_with_an_id_that_was_there_before() -> None:
    def calling(**arguments: str) -> dict[str, Any]:
        made = [{"id": id, "function": {"name": "f", "arguments": text}} for id, text in arguments.items()]
        return {"role": "assistant", "content": None, "tool_calls": made}

    raw: list[Any] = [{"role": "user", "content": "q"}, calling(a="{}")]
    results = [{"role": "tool", "tool_call_id": id, "content": f"r{id}"} for id in "ab"]
    followed = MessageHistory().follow(raw, dialect=OpenAIChat()).follow([*raw, calling(a="{}", b='{"n": '), *results])
    found = [(each.call.id, each.result and each.result.text) for each in followed.history.calls]
    assert found[-1] == ("b", "rb")
