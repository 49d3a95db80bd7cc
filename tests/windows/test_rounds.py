"""Cuts inside a turn: a coding agent has one request and a hundred rounds."""

from __future__ import annotations

import pickle

import pytest

from message_history import (
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    check,
    windows,
)
from message_history.core.views.cuts import leading_blocks
from message_history.core.views.windows import drop_before
from message_history.dialects import Anthropic, Gemini, OpenAIChat
from message_history.history import conversation_of
from message_history.windows import WindowError, estimate_tokens

TASK = "Repair the build of this project, please."


def rounds(history: MessageHistory, count: int, first: int = 0) -> MessageHistory:
    """Return a history with more tool rounds."""
    for number in range(first, first + count):
        history = history.add_assistant([f"step {number}", ToolUseBlock(f"c{number}", "run", {"step": number})])
        history = history.add_tool_result(f"c{number}", f"output {number} " * 20)
    return history


def agent(count: int = 100) -> MessageHistory:
    return rounds(MessageHistory().add_user(TASK).with_system("You are careful."), count)


def steered() -> MessageHistory:
    """Return a history whose user says something while tools run."""
    history = rounds(MessageHistory().add_user(TASK), 10)
    history = history.add_user("Leave the tests alone.")
    return rounds(history, 10, 10).add_assistant("Done.")


def is_accepted(history: MessageHistory) -> bool:
    return not any(check(history.for_send(dialect), dialect) for dialect in (Anthropic(), OpenAIChat(), Gemini()))


def test_a_turn_of_a_hundred_rounds_can_be_cut_before_each() -> None:
    history = agent()
    assert [cut.position for cut in history.safe_cuts()] == [0, *range(1, 201, 2)]
    kept = history.window(max_messages=21)
    assert len(kept) == 21
    assert kept[0] == Message.user(TASK)
    assert list(kept[1:]) == list(history[-20:])
    assert kept.system == "You are careful."
    assert is_accepted(kept)
    assert not kept.repairs


@pytest.mark.parametrize("pin", ["turn", "task", None])
@pytest.mark.parametrize(
    "history", [agent(5), steered(), steered().add_user("Why?")], ids=["agent", "steered", "asked"]
)
def test_a_cut_costs_what_is_left_after_it(history: MessageHistory, pin: windows.Pin) -> None:
    def counter(message: Message) -> int:
        return len(message.text) + 10 * len(message.content) + 1_000

    for cut in history.safe_cuts(counter, pin=pin):
        assert cut.cost == sum(map(counter, history.drop_before(cut, pin=pin)))


def test_a_window_finds_something_as_long_as_the_newest_round_fits() -> None:
    history = agent()
    head, *_ = map(estimate_tokens, history)
    newest = sum(map(estimate_tokens, history[-2:]))
    for budget in range(head + newest, head + 5 * newest, 7):
        kept = history.window(max_tokens=budget)
        assert sum(map(estimate_tokens, kept)) <= budget
        assert kept[0].text == TASK
        assert kept[-1] == history[-1]
    with pytest.raises(WindowError, match="the newest round has 3 messages"):
        history.window(max_tokens=newest)


def test_a_task_that_leaves_no_room_gives_way_to_a_placeholder() -> None:
    history = rounds(MessageHistory().add_user(TASK + " Here is all of it: " + "x" * 4_000), 20)
    kept = history.window(max_tokens=400)
    assert kept[0].text == Policy().bootstrap_text
    assert len(kept) > 3
    assert is_accepted(kept)
    strict = MessageHistory.from_list(history.to_list(), policy=Policy(on_violation="raise"))
    with pytest.raises(InvariantError, match="bootstrap_added"):
        strict.window(max_tokens=400)


def test_the_words_that_lead_are_pinned_by_choice() -> None:
    history = steered()
    inside = len(history) - 3
    assert history.drop_before(inside)[0].text == "Leave the tests alone."
    assert history.drop_before(inside, pin="task")[0].text == f"{TASK}\nLeave the tests alone."
    without = history.drop_before(inside, pin=None)
    assert without[0].text == Policy().bootstrap_text
    assert [repair.code for repair in without.repairs] == [RepairCode.BOOTSTRAP_ADDED]
    for pin in ("turn", "task", None):
        kept = history.window(max_messages=5, pin=pin)
        assert list(kept[1:]) == list(history.drop_before(inside, pin=pin)[1:])
        assert is_accepted(kept)
    with pytest.raises(ValueError, match="pin must be 'turn', 'task' or None, not 'system'"):
        history.window(max_messages=5, pin="system")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pin must be 'turn', 'task' or None, not 'system'"):
        MessageHistory().safe_cuts(pin="system")  # type: ignore[arg-type]


def test_the_first_task_is_pinned_before_whole_turns_too() -> None:
    history = MessageHistory().add_user(TASK).add_assistant("Done.").add_user("And now?").add_assistant("Sleep.")
    assert history.drop_before(2).to_list() == history.drop_before(2, pin=None).to_list()
    assert history.drop_before(2, pin="task")[0].text == f"{TASK}\nAnd now?"


def test_words_behind_results_open_a_turn_and_the_results_stay_with_their_calls() -> None:
    history = steered()
    (turn,) = [cut for cut in history.safe_cuts() if history[cut].role == "user" and cut.position]
    assert history[turn].results
    kept = windows.drop_before(history, turn)
    assert kept.history[0] == Message.user("Leave the tests alone.")
    assert kept.omitted.results == 1
    assert is_accepted(kept.history)
    assert list(kept.history[1:]) == list(history[turn.position + 1 :])
    assert history.window(max_messages=len(history) - 1) == kept.history


def test_results_that_were_not_sent_yet_are_never_omitted() -> None:
    history = rounds(MessageHistory().add_user(TASK), 3).add_user("Hurry.")
    assert [cut.position for cut in history.safe_cuts()] == [0, 1, 3, 5]
    kept = history.window(max_messages=3)
    assert kept[-1] == history[-1]
    assert history.add_assistant("Yes.").safe_cuts()[-2].position == 6


def test_operator_text_behind_results_opens_no_turn() -> None:
    history = (
        rounds(MessageHistory().add_user(TASK), 3).add(Message.user(SystemBlock("It is noon."))).add_assistant("a")
    )
    assert [cut.position for cut in history.safe_cuts()] == [0, 1, 3, 5, 7]


def test_a_summary_stands_where_the_head_was_and_calls_stay_open() -> None:
    history = agent(10).add_assistant([ToolUseBlock("a", "run", {}), ToolUseBlock("b", "run", {})])
    history = history.add_tool_result("b", "two")
    alone = history.compact("Ten steps are done.")
    assert [message.text for message in alone] == ["Ten steps are done.", "", ""]
    assert [call.id for call in alone.awaiting] == ["a"]
    (waiting,) = alone.awaiting
    done = alone.add_tool_result(waiting, "one")
    assert [result.text for result in done[-1].results] == ["one", "two"]
    assert is_accepted(done)
    inside = history.compact("Nine steps are done.", keep_from=19)
    assert [message.text for message in inside[:2]] == ["Nine steps are done.", "step 9"]
    assert [call.id for call in inside.awaiting] == ["a"]
    pinned = history.compact("Nine steps are done.", keep_from=19, pin="task")
    assert pinned[0].text == f"{TASK}\nNine steps are done."


def test_a_summary_of_all_may_stand_behind_the_words_that_asked_for_it() -> None:
    asked = agent(2).add_assistant("Done.").add_user("And now?")
    pinned = {pin: asked.compact("So far.", pin=pin)[0].text for pin in (None, "turn", "task")}
    assert pinned == {None: "So far.", "turn": "And now?\nSo far.", "task": f"{TASK}\nAnd now?\nSo far."}
    at_work = agent(2)
    assert at_work.compact("So far.", pin="turn")[0].text == f"{TASK}\nSo far."
    done = asked.add_assistant("Nothing.")
    assert done.compact("So far.", pin="turn")[0].text == "So far."
    assert done.compact("So far.", pin="task")[0].text == f"{TASK}\nSo far."
    assert list(MessageHistory().compact("So far.", pin="task")) == [Message.user("So far.")]


def test_a_window_of_a_window_keeps_the_same_task() -> None:
    history = agent(50).window(max_messages=41)
    history = rounds(history, 20, 50).window(max_messages=21)
    assert history[0] == Message.user(TASK)
    bare = agent(50).drop_before(51, pin=None)
    again = rounds(bare, 20, 50).window(max_messages=21)
    assert again[0].text == Policy().bootstrap_text
    assert [repair.code for repair in again.repairs] == [RepairCode.BOOTSTRAP_ADDED]


def test_thinking_inside_a_turn_is_invalidated_by_a_cut() -> None:
    history = agent(3).add_assistant([ThinkingBlock("hm", "c2ln"), "so"]).add_user("Go on.").add_assistant("Done.")
    kept = windows.drop_before(history, 3)
    assert kept.omitted.invalidated == 1
    blocks = [block for message in kept.history for block in message.content]
    assert [block.bound for block in blocks if isinstance(block, ThinkingBlock)] == [False]


@pytest.mark.parametrize(
    "thinking",
    [ThinkingBlock("hm", "c2ln"), RedactedThinkingBlock("c2ln")],
    ids=["thinking", "redacted"],
)
def test_thinking_without_any_call_is_invalidated_by_what_is_omitted_before_it(
    thinking: ThinkingBlock | RedactedThinkingBlock,
) -> None:
    """No other block of these answers has parts; those that were read hold no blocks until they are asked for."""
    history = MessageHistory()
    for turn in range(3):
        history = history.add_user(f"Question {turn}").add_assistant([thinking, f"Answer {turn}"])
    for each in (history, pickle.loads(pickle.dumps(history))):
        kept = windows.drop_before(each, 2)
        assert kept.omitted.invalidated == 2
        blocks = [block for message in kept.history for block in message.content]
        assert [block.bound for block in blocks if isinstance(block, type(thinking))] == [False, False]


def test_repairs_behind_a_cut_are_found_at_their_new_place() -> None:
    history = agent(5).add_user(["Go on.", " "])
    (repair,) = history.repairs
    assert history[repair.index].text == "Go on."
    kept = history.drop_before(7)
    (repair,) = kept.repairs
    assert kept[repair.index].text == "Go on."


def test_a_message_that_costs_nothing_is_kept_when_the_budget_is_used_up() -> None:
    history = MessageHistory()
    for turn in range(3):
        history = history.add_user(f"Question {turn}").add_assistant(f"Answer {turn}")
    for answers in (1, 2):
        kept = history.window(max_tokens=answers, counter=lambda message: int(message.role == "assistant"))
        assert list(kept) == list(history)[-2 * answers :]


@pytest.mark.parametrize("pin", ["turn", "task", None])
def test_nothing_leads_where_nothing_is_omitted(pin: windows.Pin) -> None:
    for history in (agent(2), steered(), MessageHistory()):
        assert leading_blocks(conversation_of(history), 0, pin) == ()


@pytest.mark.parametrize("since", range(9))
def test_thinking_from_a_message_on_stays_valid_and_only_what_is_kept_before_it_is_invalidated(since: int) -> None:
    history = MessageHistory()
    for turn in range(4):
        history = history.add_user(f"Question {turn}").add_assistant([ThinkingBlock("hm", "c2ln"), f"Answer {turn}"])
    _, omitted = drop_before(conversation_of(history), 2, since=since)
    assert omitted.invalidated == sum(position < since for position in (3, 5, 7))


def test_no_part_of_a_late_result_is_among_the_words_that_lead() -> None:
    asked = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", {})).add_user("b").add_assistant("a")
    late = asked.add_tool_result("1", [TextBlock("late"), TextBlock("later"), TextBlock("last")]).add_user("And?")
    at_work = late.add_assistant(ToolUseBlock("2", "f", {})).add_tool_result("2", "r").add_assistant("c")
    assert at_work.drop_before(len(at_work) - 1)[0].text == "And?"


def test_only_the_placeholder_that_leads_a_system_message_is_told_as_added() -> None:
    opening = Message.user([SystemBlock("Be brief."), TextBlock("b")])
    asked = MessageHistory().add_user("q").add_assistant("a").add(opening)
    at_work = asked.add_assistant(ToolUseBlock("1", "f", {})).add_tool_result("1", "r").add_assistant("c")
    kept = at_work.drop_before(len(at_work) - 1)
    assert [type(block) for block in kept[0].content] == [TextBlock, SystemBlock, TextBlock]
    assert [(repair.code, repair.added) for repair in kept.repairs] == [
        (RepairCode.BOOTSTRAP_ADDED, kept[0].content[:1])
    ]
