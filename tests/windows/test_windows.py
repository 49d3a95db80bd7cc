"""Windows: whole turns only, always valid, and no more left out than the budget asks for."""

from __future__ import annotations

import gc
import inspect
import json
import pickle
import weakref
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    DocumentBlock,
    ImageBlock,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
    windows,
)
from message_history.core.messages.blocks import with_meta
from message_history.core.views.costs import Costs
from message_history.dialects import Anthropic, Dialect, Native, OpenAIChat
from message_history.integrations.strategies import histories, messages
from message_history.windows import TRIMMED, Cut, MovingWindow, Omitted, Window, WindowError, estimate_tokens

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block

DIALECTS: tuple[Dialect[Any], ...] = (Anthropic(), OpenAIChat())
Thinking = ThinkingBlock | RedactedThinkingBlock


def call(id: str = "1") -> ToolUseBlock:
    return ToolUseBlock(id, "run", {})


def talk(turns: int, *, tools: bool = False) -> MessageHistory:
    history = MessageHistory()
    for turn in range(turns):
        history = history.add_user(f"question {turn}")
        if tools:
            history = history.add_assistant([call()]).add_tool_result("1", f"result {turn} " * 20)
        history = history.add_assistant(f"answer {turn}")
    return history


def is_valid(history: MessageHistory) -> bool:
    """Tell whether a history keeps the laws, in the saved form, on the wire and after a reload."""
    saved = history.to_list()
    again = MessageHistory.from_list(saved, open_tail="keep")
    sent = all(not check(history.for_send(dialect), dialect) for dialect in DIALECTS if history)
    return not check(saved[bool(history.system) :], Native()) and again == history and not again.repairs and sent


def plain(block: Block) -> Block:
    """Give a block without what a window may change on it."""
    mark = block.mark
    if mark is not None and mark.kind == "quote":
        block = with_meta(block, mark=attrs.evolve(mark, reason=""))
    return attrs.evolve(block, bound=True) if isinstance(block, Thinking) else block


def content(history: MessageHistory, start: int = 0, end: int | None = None) -> list[list[Block]]:
    return [[plain(block) for block in message.content] for message in history[start:end]]


def words(message: Message) -> list[Block]:
    """Give what the user and the operator wrote in a message: no result, no quote, nothing that the library wrote."""
    found: list[Block] = []
    quoted = 0
    for block in message.content:
        if block.mark is not None and not isinstance(block, ToolResultBlock):
            quoted = block.mark.blocks
        elif quoted:
            quoted -= 1
        elif not isinstance(block, ToolResultBlock):
            found.append(block)
    return found


def opens(message: Message) -> bool:
    """Tell whether the user says something in a message, beside results."""
    if message.role == "assistant":
        return False
    return not message.results or any(not isinstance(block, SystemBlock) for block in words(message))


def places(history: MessageHistory) -> list[int]:
    """Give the places where a history may be cut, by looking at each."""
    last = len(history) - 1
    return [
        n
        for n, message in enumerate(history)
        if message.role == "assistant" or not message.results or (n < last and opens(message))
    ]


def whole(history: MessageHistory) -> list[Cut]:
    """Give the cuts where a turn begins."""
    return [cut for cut in history.safe_cuts() if history[cut].role == "user"]


def expected(history: MessageHistory, cut: int) -> list[list[Block]]:
    """Give what must be there after a cut: all that stood behind it, and before that the words that opened the turn."""
    kept = content(history, cut)
    if not cut:
        return kept
    opening: list[Block] = [TextBlock(history.policy.bootstrap_text)]
    if history[cut].role == "assistant":
        before = next(n for n in range(cut - 1, -1, -1) if opens(history[n]))
        head = [plain(block) for block in words(history[before])]
        return [head if head and not isinstance(head[0], SystemBlock) else [*opening, *head], *kept]
    first = [block for block in kept[0] if not isinstance(block, ToolResultBlock)]
    return [[*opening, *first] if isinstance(first[0], SystemBlock) else first, *kept[1:]]


def unmarked(found: list[list[Block]]) -> list[list[Block]]:
    """Give blocks without the mark of an opening."""
    if found and found[0][0].mark is not None and found[0][0].mark.kind == "bootstrap":
        found[0][0] = with_meta(found[0][0], mark=None)
    return found


@given(histories(max_size=14))
def test_a_safe_cut_is_before_each_assistant_message_and_where_the_user_says_something(history: MessageHistory) -> None:
    cuts = history.safe_cuts()
    assert [cut.position for cut in cuts] == places(history)
    for cut in cuts:
        assert cut.cost == sum(map(estimate_tokens, history.drop_before(cut)))


@given(histories(max_size=14))
def test_a_window_at_every_cut_is_valid_and_keeps_pairs_whole(history: MessageHistory) -> None:
    for cut in history.safe_cuts():
        kept = windows.drop_before(history, cut)
        assert is_valid(kept.history)
        assert unmarked(content(kept.history)) == unmarked(expected(history, cut.position))
        assert [call.id for call in kept.history.awaiting] == [call.id for call in history.awaiting]
        assert kept.omitted.messages == cut.position
        assert list(kept.omitted.positions) == list(range(cut.position))
        assert kept.omitted.results == (len(history[cut].results) if history[cut].role == "user" else 0)
        assert kept.history.policy == history.policy
        assert kept.history.system == history.system


@given(histories(max_size=14))
def test_what_is_kept_is_what_adding_it_anew_would_give(history: MessageHistory) -> None:
    for cut in history.safe_cuts():
        kept = history.drop_before(cut)
        again = MessageHistory.from_list(kept.to_list(), policy=history.policy)
        assert again == kept
        assert [call.state for call in again.calls] == [call.state for call in kept.calls]
        assert [repair.index for repair in kept.repairs if repair.index >= len(kept)] == [
            repair.index - len(history) + len(kept) for repair in history.repairs if repair.index >= len(history)
        ]


@given(histories(max_size=14))
def test_everywhere_else_is_no_safe_cut(history: MessageHistory) -> None:
    safe = {cut.position for cut in history.safe_cuts()}
    for position in {-1, *range(len(history) + 2)} - safe:
        for cut in (history.drop_before, lambda cut: history.compact("x", keep_from=cut)):
            with pytest.raises(WindowError, match=f"{position} is not a safe cut"):
                cut(position)


@given(histories(max_size=14), st.data())
def test_a_window_is_the_longest_that_fits_and_keeps_whole_turns_if_it_can(history: MessageHistory, data: Any) -> None:
    cuts = history.safe_cuts()
    bare = {cut.position: cut for cut in history.safe_cuts(pin=None)}
    turns = whole(history)
    inside = [cut for cut in cuts if cut not in turns]
    budgets = sorted({0, 1, *(cut.cost + more for cut in (*cuts, *bare.values()) for more in (-1, 0, 1))} - {-1})
    for budget in budgets:
        ways = ([*turns], [*inside], [bare[cut.position] for cut in inside])
        fitting = next((way[0] for cuts_of_way in ways if (way := [c for c in cuts_of_way if c.cost <= budget])), None)
        if fitting is None and history:
            with pytest.raises(WindowError, match="the newest round has"):
                history.window(max_tokens=budget)
            continue
        kept = history.window(max_tokens=budget)
        assert sum(map(estimate_tokens, kept)) <= budget
        if fitting is not None:
            assert windows.window(history, max_tokens=budget).omitted.messages == fitting.position
    assert not cuts or history.window(max_tokens=max(cut.cost for cut in cuts)) is history
    most = data.draw(st.integers(0, len(history) + 1))
    sizes = [(cut.position, len(history.drop_before(cut))) for cut in (*turns, *inside)]
    fits = [position for position, size in sizes if size <= most]
    if fits or not history:
        assert windows.window(history, max_messages=most).omitted.messages == (fits[0] if fits else 0)
    else:
        with pytest.raises(WindowError, match=f"does not fit max_messages={most}: pass more"):
            history.window(max_messages=most)


@given(histories(max_size=10), st.lists(messages(), max_size=4))
def test_what_is_added_to_a_window_ends_as_it_would_have_ended(history: MessageHistory, later: list[Message]) -> None:
    ids = {block.id for message in history for block in message.calls}
    if any(block.tool_use_id in ids for message in later for block in message.results):
        return  # A result whose call was left out has nobody to go to.
    if any(not call.id for message in later for call in message.calls):
        return  # Calls without an id are numbered by their position, which a window changes.
    for cut in history.safe_cuts():
        grown, kept = history.extend(later), history.drop_before(cut).extend(later)
        assert unmarked(content(kept)) == unmarked(expected(grown, cut.position))


def test_a_history_that_fits_comes_back_itself() -> None:
    history = talk(3)
    assert history.window(max_tokens=10**9) is history
    assert history.window(max_messages=6) is history
    assert history.drop_before(0) is history
    assert history.rewind(0) is history
    assert history.trim_results(older_than=6) is history
    empty = MessageHistory()
    assert empty.window(max_tokens=0) is empty
    assert empty.window(max_messages=0) is empty
    assert empty.safe_cuts() == ()


def test_a_window_counts_what_it_is_told_to_count() -> None:
    history = talk(4)
    assert [cut.cost for cut in history.safe_cuts(lambda _: 1)] == [8, 8, 6, 6, 4, 4, 2, 2]
    assert [cut.cost for cut in history.safe_cuts(len)] == [8, 8, 6, 6, 4, 4, 2, 2]
    by_text = [cut.cost for cut in history.safe_cuts(lambda message: len(message.text))]
    assert by_text == [cut.cost for cut in history.safe_cuts(lambda found: sum(len(one.text) for one in found))]
    assert len(history.window(max_tokens=5, counter=lambda _: 1)) == 4
    assert len(history.window(max_tokens=100, max_messages=3, counter=len)) == 2
    assert len(history.window(max_tokens=3, max_messages=100, counter=len)) == 2


def test_only_what_is_kept_is_counted() -> None:
    counted: list[Message] = []

    def counter(message: Message) -> int:
        counted.append(message)
        return 1

    talk(500).window(max_tokens=4, counter=counter)
    assert len(counted) <= 6
    counted.clear()
    long = talk(1)
    for n in range(500):
        long = long.add_assistant([call(str(n))]).add_tool_result(str(n), "r")
    long = long.add_assistant("done").add_user("thanks").add_assistant("welcome")
    assert len(long.window(max_tokens=4, counter=counter)) == 2
    assert len(counted) <= 6
    counted.clear()
    rounds = long.rewind().window(max_tokens=4, counter=counter)
    assert [message.text for message in rounds] == ["question 0", "", "", "done"]
    assert len(counted) <= 7


def test_what_goes_wrong_in_a_counter_is_told() -> None:
    with pytest.raises(TypeError, match="TextBlock is not JSON serializable"):
        talk(1).window(max_tokens=5, counter=lambda message: len(json.dumps(message.content)))
    seen: list[object] = []

    def counter(message: Message) -> int:
        seen.append(message)
        if len(seen) > 1:
            raise TypeError("no more")
        return 1

    with pytest.raises(TypeError, match="no more"):
        talk(2).window(max_tokens=5, counter=counter)
    assert all(isinstance(each, Message) for each in seen)


@pytest.mark.parametrize("cost", [None, "x", -1, 1.5])
def test_a_counter_that_gives_no_number_is_told_so(cost: Any) -> None:
    with pytest.raises(TypeError, match="counter must return a whole number"):
        talk(1).window(max_tokens=5, counter=lambda _: cost)


@pytest.mark.parametrize("budget", [{}, {"max_messages": "5"}, {"max_messages": True}, {"max_tokens": [1]}])
def test_a_window_without_a_budget_is_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        talk(1).window(**budget)


@pytest.mark.parametrize("budget", [{"max_tokens": -1}, {"max_messages": -1}, {"max_tokens": float("nan")}])
def test_a_negative_budget_is_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        talk(1).window(**budget)


def test_a_part_of_a_budget_is_a_budget() -> None:
    history = talk(4)
    assert history.window(max_tokens=6 * 0.8, counter=lambda _: 1) == history.window(max_tokens=4, counter=lambda _: 1)


@pytest.mark.parametrize("place", ["3", 1.0, None])
def test_a_place_that_is_no_number_is_refused(place: Any) -> None:
    for ask in (
        talk(2).drop_before,
        talk(2).__getitem__,
        lambda place: talk(2).trim_results(older_than=place),
    ):
        with pytest.raises(TypeError):
            ask(place)


@pytest.mark.parametrize("text", [5, None, b"x"])
def test_only_text_can_stand_in_the_place_of_a_result(text: Any) -> None:
    with pytest.raises(TypeError, match="must be a str"):
        talk(2, tools=True).trim_results(older_than=8, text=text)


def test_a_policy_that_raises_is_asked_about_what_a_window_puts_in() -> None:
    history = MessageHistory(policy=Policy(on_violation="raise")).add_user("q").add_assistant("a")
    history = history.add_user([SystemBlock("Be brief."), "r"]).add_assistant("b")
    with pytest.raises(InvariantError, match="blank_text_dropped"):
        history.compact(["x", " "])
    with pytest.raises(InvariantError, match="bootstrap_added"):
        history.drop_before(2)
    assert len(history.compact("x")) == 1


def test_a_turn_that_does_not_fit_is_an_error_with_the_numbers() -> None:
    history = talk(2, tools=True)
    with pytest.raises(WindowError) as found:
        history.window(max_tokens=10, max_messages=3)
    cost = history.safe_cuts()[-1].cost
    assert str(found.value) == (
        f"the newest round has 2 messages and costs {cost}; it does not fit max_tokens=10 and max_messages=3: pass "
        "more, or shorten its results with trim_results"
    )
    assert (found.value.cost, found.value.messages) == (cost, 2)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


def test_the_error_of_a_bad_cut_names_the_nearest_good_ones() -> None:
    with pytest.raises(
        WindowError, match="2 is not a safe cut of a history of 8 messages; the nearest safe cuts are 1 an"
    ):
        talk(2, tools=True).drop_before(2)
    with pytest.raises(WindowError, match="the history is empty"):
        MessageHistory().drop_before(0)


def test_a_cut_is_an_index() -> None:
    history = talk(3)
    cut = history.safe_cuts()[2]
    position, cost = cut
    assert (position, cost) == (cut.position, cut.cost) == (2, cut.cost)
    assert history[cut] == history[2]
    assert history[cut:] == history[2:]
    assert history.drop_before(cut) == history.drop_before(2)


def test_what_was_left_out_is_told_in_numbers_and_not_kept_alive() -> None:
    history = MessageHistory().add_user(["a", " "]).add_assistant("b").add_user(["c", " "]).add_assistant("d")
    kept = windows.window(history, max_messages=2)
    assert kept == Window(history.window(max_messages=2), Omitted(messages=2, positions=range(2), repairs=1))
    assert [repair.index for repair in kept.history.repairs] == [0]
    gone = weakref.ref(history)
    del history
    gc.collect()
    assert gone() is None
    assert len(kept.history) == 2


def test_words_stand_before_a_system_message_that_would_lead() -> None:
    history = talk(1).add_user([SystemBlock("The clock says noon."), "go on"]).add_assistant("yes")
    kept = history.drop_before(2)
    assert kept.system is None
    assert [type(block) for block in kept[0].content] == [TextBlock, SystemBlock, TextBlock]
    assert kept[0].content[0] == TextBlock(Policy().bootstrap_text, meta=kept[0].content[0].meta)
    (repair,) = kept.repairs
    assert (repair.code, repair.index) == (RepairCode.BOOTSTRAP_ADDED, 0)
    dearer = history.safe_cuts()[2].cost
    assert dearer > sum(estimate_tokens(message) for message in history[2:])
    assert history.window(max_tokens=dearer - 1)[0].text == history.policy.bootstrap_text
    assert history.window(max_tokens=dearer) == kept


def test_thinking_behind_a_cut_is_marked_and_thinking_before_a_rewind_is_not() -> None:
    thought = [ThinkingBlock("hm", "c2ln"), RedactedThinkingBlock("ZGF0YQ=="), TextBlock("so")]
    history = talk(1).add_user("think").add_assistant(thought).add_user("more").add_assistant("no")
    kept = windows.drop_before(history, 2)
    assert kept.omitted.invalidated == 2
    assert [block.bound for block in kept.history[1].content if isinstance(block, Thinking)] == [False, False]
    assert [block.bound for block in history.rewind()[3].content if isinstance(block, Thinking)] == [True, True]
    assert windows.drop_before(kept.history, 2).omitted.invalidated == 0


def test_thinking_before_a_rewind_stays_valid_where_it_takes_a_call_that_waits() -> None:
    asked = MessageHistory().add_user("q").add_assistant([ThinkingBlock("t", "c2ln"), TextBlock("a")])
    kept = asked.add_user("b").add_assistant(call("1")).rewind()
    assert [repair.code for repair in kept.repairs] == [RepairCode.UNSETTLED_CALL_OMITTED]
    assert kept == asked


def test_awaited_calls_stay_awaited() -> None:
    history = talk(2).add_user("run both").add_assistant([call("1"), call("2")]).add_tool_result("2", "two")
    kept = history.window(max_messages=3)
    assert [call.id for call in kept.awaiting] == ["1"]
    (waiting,) = kept.awaiting
    assert waiting.turn == 1
    done = kept.add_tool_result(waiting, "one")
    assert [result.text for result in done[2].results] == ["one", "two"]
    assert not done.repairs


def test_a_closed_history_keeps_its_stubs_and_their_repairs() -> None:
    closed = talk(2).add_user("run").add_assistant([call()]).as_sent(reason="interrupted")
    kept = closed.window(max_messages=3)
    assert [(repair.code, repair.index) for repair in kept.repairs] == [(RepairCode.RESULT_STUBBED, 2)]
    assert kept[2].results[0].mark == closed[-1].results[0].mark
    assert [call.id for call in kept.awaiting] == ["1"]


def late() -> MessageHistory:
    """Give a history in which a call's result came too late, and the id was used again."""
    history = MessageHistory().add_user("a").add_assistant([call("1")]).add_user("never mind").add_assistant("well")
    history = history.add_user("go on").add_tool_result("1", "first").add_assistant("aha")
    return history.add_user("again").add_assistant([call("1")]).add_user("stop").add_assistant("stopped")


def test_a_quote_whose_call_was_left_out_answers_no_later_call() -> None:
    history = late()
    whole, kept = history.add_tool_result("1", "first"), history.drop_before(4).add_tool_result("1", "first")
    assert whole.repairs[-1].code is RepairCode.LATE_RESULT_QUOTED
    assert kept.repairs[-1].code is RepairCode.LATE_RESULT_QUOTED
    assert kept[-1].text == whole[-1].text
    reasons = [block.mark.reason for message in kept for block in message.content if block.mark is not None]
    assert reasons == ["late", "not_recorded", "late"]
    assert is_valid(kept)


def test_quotes_of_calls_left_out_are_known_while_calls_are_awaited() -> None:
    history = MessageHistory().add_user("a").add_assistant([call("1")]).add_user("b").add_assistant("c")
    history = history.add_user("d").add_assistant([call("1"), call("2")])
    history = history.add_tool_result(history.awaiting[0], "new").add_tool_result(
        attrs.evolve(call("1"), turn=1), "old"
    )
    for whole in (history, history.add_tool_result("2", "two")):
        kept = whole.drop_before(4)
        assert [block.mark.reason for block in kept[2].content if block.mark and block.mark.kind == "quote"] == ["late"]
        assert [call.id for call in kept.awaiting] == [call.id for call in whole.awaiting]
        assert [message.text for message in kept] == [message.text for message in whole[4:]]
        assert is_valid(kept)


def test_a_quote_whose_call_is_kept_stays_its_quote() -> None:
    history = MessageHistory().add_user("old").add_assistant("old").extend(late())
    kept = history.drop_before(2)
    reasons = [block.mark.reason for message in kept for block in message.content if block.mark is not None]
    assert reasons == ["not_recorded", "late", "not_recorded"]


def test_a_result_whose_call_was_left_out_is_dropped_and_recorded() -> None:
    kept = late().rewind(2).add_user("go on").drop_before(4).add(Message.user(ToolResultBlock("1", "too late")))
    (removed,) = kept.repairs[-1].removed
    assert kept.repairs[-1].code is RepairCode.ORPHAN_RESULT_DROPPED
    assert isinstance(removed, ToolResultBlock)


@given(histories(max_size=14))
def test_a_rewind_is_a_prefix_of_whole_turns_and_sends_the_same(history: MessageHistory) -> None:
    positions = [n for n, message in enumerate(history) if message.role == "user" and not message.results]
    for turns in range(len(positions) + 1):
        kept = windows.rewind(history, turns)
        end = positions[-turns] if turns else len(history)
        assert list(kept.history) == list(history[:end])
        assert kept.omitted.messages == len(history) - end
        assert is_valid(kept.history)
        if turns:
            assert not kept.history.awaiting
            prefix = kept.history.for_send(OpenAIChat(prefill=True))
            assert history.for_send(OpenAIChat(prefill=True))[: len(prefix)] == prefix
    for turns in (-1, len(positions) + 1):
        with pytest.raises(WindowError, match="turns cannot be omitted"):
            history.rewind(turns)


@given(histories(max_size=14))
def test_a_summary_leads_and_the_kept_turns_follow(history: MessageHistory) -> None:
    for cut in history.safe_cuts():
        kept = history.compact("So far: nothing.", keep_from=cut)
        assert is_valid(kept)
        assert kept[0].content[0] == TextBlock("So far: nothing.")
        inside = history[cut].role == "assistant"
        first = [] if inside else content(history, cut.position)[0]
        assert content(kept)[0][1:] == [block for block in first if not isinstance(block, ToolResultBlock)]
        assert content(kept, 1) == content(history, cut.position + (not inside))
        assert kept.system == history.system
        assert [call.id for call in kept.awaiting] == [call.id for call in history.awaiting]
        pinned = history.compact("So far: nothing.", keep_from=cut, pin="turn")
        assert is_valid(pinned)
        assert content(pinned, 1) == content(kept, 1)
    if history.awaiting:
        kept = history.compact("So far: nothing.")
        assert is_valid(kept)
        assert [call.id for call in kept.awaiting] == [call.id for call in history.awaiting]
    else:
        assert list(history.compact("So far: nothing.")) == [Message.user("So far: nothing.")]
        for pin in ("turn", "task"):
            pinned = history.compact("So far: nothing.", pin=pin)
            assert is_valid(pinned)
            assert pinned[0].content[-1] == TextBlock("So far: nothing.")
            assert len(pinned) == 1


@pytest.mark.parametrize("summary", ["", " ", [], ["", "\n"], SystemBlock("x"), call(), ToolResultBlock("1", "x")])
def test_a_summary_says_something_that_a_user_may_say(summary: Any) -> None:
    with pytest.raises(ValueError, match="summary"):
        talk(2).compact(summary, keep_from=2)


def test_a_summary_may_hold_an_image() -> None:
    image = ImageBlock({"type": "url", "url": "https://example.com/a.png"})
    assert talk(2).compact(["See:", image], keep_from=2)[0].content[1] == image


@given(histories(max_size=14))
def test_trimming_touches_no_structure_and_doing_it_twice_is_doing_it_once(history: MessageHistory) -> None:
    for end in range(len(history) + 1):
        kept = windows.trim_results(history, older_than=end)
        assert is_valid(kept.history)
        assert [message.role for message in kept.history] == [message.role for message in history]
        changed = []
        for position, (new, old) in enumerate(zip(kept.history, history, strict=True)):
            assert new.calls == old.calls
            assert [(r.tool_use_id, r.is_error, r.mark) for r in new.results] == [
                (r.tool_use_id, r.is_error, r.mark) for r in old.results
            ]
            changed += [position] * (new.results != old.results)
            assert [b for b in content(kept.history)[position] if not isinstance(b, ToolResultBlock)] == [
                b for b in content(history)[position] if not isinstance(b, ToolResultBlock)
            ]
        assert changed == list(kept.omitted.positions)
        assert max(changed, default=-1) < end
        assert kept.history.repairs == history.repairs
        assert kept.history.awaiting == history.awaiting
        assert kept.history.trim_results(older_than=end) is kept.history


def test_trimming_shortens_old_results_only() -> None:
    history = talk(3, tools=True).add_user("last").add_assistant([call("9")])
    history = history.add_tool_result(
        "9", [ImageBlock({"type": "base64", "media_type": "image/png", "data": "A" * 99})]
    )
    kept = windows.trim_results(history, older_than=whole(history)[2], text="[gone]")
    assert kept.omitted == Omitted(results=2, positions=(2, 6))
    texts = [result.text for message in kept.history for result in message.results]
    assert [text == "[gone]" for text in texts] == [True, True, False, False]
    assert history.trim_results(older_than=-1)[2].results[0].text == TRIMMED
    assert history.trim_results(older_than=-1)[-1] == history[-1]
    assert history.trim_results(older_than=99)[-1].results[0].text == TRIMMED
    assert history.trim_results(older_than=99, text="")[-1].results[0].content == ()


@pytest.mark.parametrize("text", ["[gone]", ""])
def test_a_result_that_is_no_longer_than_what_replaces_it_stays(text: str) -> None:
    history = MessageHistory().add_user("q").add_assistant(call("1")).add_tool_result("1", "x" * len(text))
    assert history.trim_results(keep=0, text=text) is history


def test_the_newest_results_may_stay_whichever_messages_they_are_in() -> None:
    history = talk(3, tools=True).add_user("last").add_assistant([call("8"), call("9")])
    history = history.add_tool_result("8", "x" * 99).add_tool_result("9", "y" * 99)
    for keep in range(7):
        texts = [result.text for message in history.trim_results(keep=keep) for result in message.results]
        assert [text == TRIMMED for text in texts] == [True] * (5 - keep) + [False] * min(keep, 5)
    assert history.trim_results(keep=5) is history


def test_the_text_of_a_trimmed_result_may_say_what_it_was() -> None:
    history = talk(2, tools=True)
    kept = history.trim_results(
        keep=1, text=lambda each: f"[{each.call.name}: {len(each.result.text if each.result else '')}]"
    )
    assert next(result.text for message in kept for result in message.results) == f"[{call().name}: 180]"
    with pytest.raises(TypeError, match="must return a str"):
        history.trim_results(keep=0, text=lambda _: None)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("how", "error"), [({}, TypeError), ({"keep": 1, "older_than": 1}, TypeError), ({"keep": -1}, ValueError)]
)
def test_which_results_are_trimmed_is_said_in_one_way(how: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        talk(1, tools=True).trim_results(**how)


@given(histories(max_size=14))
def test_a_history_as_it_was_is_sent_as_it_was(history: MessageHistory) -> None:
    for position in range(len(history) + 1):
        kept = windows.drop_from(history, position)
        assert is_valid(kept.history)
        assert len(kept.history) == position
        assert content(kept.history)[: position - 1] == content(history)[: max(position - 1, 0)]
        assert (kept.history.system, kept.history.policy) == (history.system, history.policy)
        assert kept.omitted.messages == len(history) - position
        for dialect in DIALECTS:
            # The last message is still open, and so may lead to a continuation.
            wire = history.for_send(dialect)
            sent = windows.drop_from(history, position).history.for_send(dialect)
            if position and history[position - 1].role == "user" and not kept.history.awaiting:
                assert wire[: len(sent)] == sent or position == len(history)


def test_what_comes_after_a_history_as_it_was_has_keys_of_its_own() -> None:
    history = MessageHistory(name="chat").add_user("q").add_assistant([call("1")]).add_tool_result("1", "x")
    history = history.add_assistant([call("2")])
    again = windows.drop_from(history, 3).history
    assert again.calls[0].key == history.calls[0].key
    assert again.add_assistant([call("2")]).calls[1].key != history.calls[1].key
    waiting = windows.drop_from(history, -2).history
    assert [each.key for each in waiting.awaiting] == [history.calls[0].key]


def test_tokens_are_of_a_message_or_of_all() -> None:
    history = talk(2, tools=True)
    assert windows.tokens(history) == sum(map(estimate_tokens, history)) == history.safe_cuts()[0].cost
    assert windows.tokens(history[0], lambda message: len(message.text)) == len("question 0")
    assert windows.tokens(history, len) == len(history)


def test_trimming_marks_thinking_behind_the_first_change() -> None:
    thought = [ThinkingBlock("hm", "c2ln"), call()]
    history = MessageHistory()
    for _ in range(3):
        history = history.add_user("a").add_assistant(thought).add_tool_result("1", "x" * 99)
        history = history.add_assistant("b")
    kept = windows.trim_results(history, older_than=7)
    bound = [block.bound for message in kept.history for block in message.content if isinstance(block, ThinkingBlock)]
    assert bound == [True, False, False]
    assert kept.omitted.invalidated == 2


def test_a_trimmed_result_cannot_be_taken_for_a_missing_one() -> None:
    with pytest.raises(ValueError, match=r"must not be the text of a stub, .*; pass another"):
        talk(1, tools=True).trim_results(older_than=9, text=Policy().stub_text)


def test_the_estimate_is_near_what_it_says() -> None:
    assert estimate_tokens(Message.user("x" * 400)) == pytest.approx(100, abs=10)
    assert estimate_tokens(Message.user("漢" * 400)) == pytest.approx(300, abs=10)
    assert estimate_tokens(Message.user("\ud800" * 4)) < 20
    assert estimate_tokens(Message.user(ImageBlock({"type": "url", "url": "https://example.com"}))) > 1_000
    assert estimate_tokens(Message.user(DocumentBlock({"type": "base64", "data": "x" * 30_000}))) > 1_000
    assert estimate_tokens(Message.user(DocumentBlock({"type": "text", "data": "x" * 4_000}))) > 1_000
    assert estimate_tokens(Message.user(ToolResultBlock("1", "x" * 400))) > 100
    assert estimate_tokens(Message.assistant(ToolUseBlock("1", "run", {"a": "x" * 400}))) > 100
    assert estimate_tokens(Message.assistant(ThinkingBlock("x" * 400), RedactedThinkingBlock("x" * 400))) > 200
    assert estimate_tokens(Message.assistant(ProviderBlock("anthropic", {"type": "x", "y": "z" * 400}))) > 100


def test_windows_keep_the_policy_also_one_that_raises() -> None:
    policy = Policy(on_violation="raise")
    history = MessageHistory(policy=policy).extend(talk(3)).with_system("Be brief.")
    for kept in (history.window(max_messages=2), history.rewind(), history.compact("x", keep_from=Cut(2, 0))):
        assert kept.policy is policy
        assert kept.system == "Be brief."


@pytest.mark.parametrize("name", ["window", "drop_before", "rewind", "compact", "trim_results"])
def test_each_says_what_becomes_of_the_stable_prefix(name: str) -> None:
    # From Python 3.13 on, docstrings come without their indent.
    assert "\nStable prefix: " in str(inspect.getdoc(getattr(windows, name)))
    docstring = str(getattr(MessageHistory, name).__doc__)
    assert f"see `windows.{name}`" in docstring
    assert "sent" in docstring


def test_a_window_takes_its_limits_by_name_alone() -> None:
    with pytest.raises(TypeError, match="positional"):
        MovingWindow(10)  # type: ignore[call-arg]


def test_no_blocks_cost_nothing_whatever_a_message_costs() -> None:
    costs = Costs(lambda _: 7)
    assert (costs.of_blocks(()), costs.of_blocks((TextBlock("a"),))) == (0, 7)


def test_what_a_loaded_call_costs_is_what_a_made_one_costs_in_any_writing() -> None:
    call = ToolUseBlock("1", "f", {"a": "漢字 naïve " * 20, "b": [1, {"c": None}]})
    made = MessageHistory().add_user("q").add_assistant(call)
    loaded = MessageHistory.from_list(made.to_list())
    assert windows.estimate_tokens(loaded[1]) == windows.estimate_tokens(Message.assistant(call))


def test_repairs_of_messages_that_are_omitted_are_omitted_with_them() -> None:
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    blank = {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "r"}]}
    history = MessageHistory.from_list([*raw, blank, raw[1]])
    assert [repair.index for repair in history.repairs] == [2]
    for position, left in ((2, 0), (3, 1)):
        kept = windows.drop_from(history, position)
        assert (kept.omitted.repairs, len([each for each in kept.history.repairs if each.index == 2])) == (
            1 - left,
            left,
        )
