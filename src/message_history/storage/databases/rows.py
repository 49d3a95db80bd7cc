"""What the rows of a session say (messages and repairs, each by its position), and which ones a history needs."""

from __future__ import annotations

from operator import eq
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, final

from attrs import evolve, frozen

from message_history.core.messages.message import with_content
from message_history.core.turns.calls import calls_since as recent_calls
from message_history.core.turns.conversation import branched, context_of
from message_history.core.turns.rules import CallState, behind_change
from message_history.core.turns.stubs import unrecorded_stubs
from message_history.core.values.keys import WHOLE, lineage_from_json, lineage_to_json
from message_history.dialects.native.parse import LINEAGE, NATIVE, PIECE, VERSION, read_ahead
from message_history.dialects.native.render import first_entry, mark_open_stubs, message_to_json
from message_history.dialects.state import repair_from_json, repair_to_json
from message_history.files.damaged_json import Decoder
from message_history.files.files import json_bytes
from message_history.files.saved import is_same
from message_history.history import MessageHistory, conversation_of, history_of, restored
from message_history.plain_json import read_plain
from message_history.storage.working import WaitingCall, is_waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.files.saved import Growth

T = TypeVar("T")


class Head(NamedTuple):
    """A session's own row."""

    number: int = 0
    revision: int = 0
    messages: int = 0
    repairs: int = 0
    system: str | None = None


NEW: Final = Head()
"""In place of the row of a session that is not saved yet."""


class Row(NamedTuple):
    """A message or a repair."""

    position: int  # where it is among its kind
    body: str
    more: dict[str, Any]
    text: str = ""  # what is searched


@final
@frozen
class Held:
    """What a session knows of its rows."""

    history: MessageHistory  # the history that they give, or its newest turns
    head: Head = NEW  # the session's own row; revision 0 when it has none yet
    first: int = 0  # the position of the history's first message in the session
    sound: bool = True  # whether the rows give the history without any repair

    @property
    def repairs_before(self) -> int:
        """Return how many repairs are saved that the history does not have; less than none when it has more."""
        return self.head.repairs - len(self.history.repairs)


class WaitingRows(NamedTuple):
    """What has changed of the calls that wait.

    Args:
        settled: the keys of calls that do not, and may have.
    """

    settled: list[str]
    waiting: list[dict[str, Any]]


class Change(NamedTuple):
    """What is to be written."""

    head: Head  # the session's own row as it is to be, at the next revision
    messages: list[Row]
    repairs: list[Row]
    calls: WaitingRows
    changed: int | None  # the position of the first message that was saved and is another now, or none


def held_by(head: Head, messages: Sequence[str], repairs: Sequence[str], policy: Policy, first: int = 0) -> Held:
    """Read the rows from the message at `first`, which begins a turn, and whether they were sound."""
    recorded = [repair for body in repairs if (repair := repair_from_json(_value(body))) is not None]
    entries = [_value(head.system)] if head.system is not None else []
    omitted = 0
    if first:
        entries = [_moved_keys(entries[0] if entries else None, first // 2 - 1)]
        # Cutting is left to `drop_before`: these two are in place of all that is not read.
        omitted = len(_STAND_IN)
        entries += _STAND_IN
        recorded = [evolve(repair, index=repair.index - first + omitted) for repair in recorded]
    for start in range(0, len(messages) - 1, PIECE):
        entries += read_ahead(_values(messages[start : min(start + PIECE, len(messages) - 1)]))
    history = restored([*entries, *_values(messages[-1:])], policy, recorded)
    sound = len(history) == head.messages - first + omitted and len(history.repairs) == len(recorded)
    if first and sound:
        history = history.drop_before(omitted)
    return Held(history, head, first, sound)


def needs_all(held: Held) -> bool:
    """Return whether the newest turns cannot be read alone, as rows are damaged."""
    return bool(held.first) and not held.sound


def starts_turn(message: Message) -> bool:
    """Return whether a whole turn begins with a message: then the session may be cut before it."""
    return message.role == "user" and not message.results


def body_starts_turn(body: str) -> bool:
    """Return the same of a message in the saved form."""
    value = _value(body)
    if not isinstance(value, dict) or value.get("role") != "user" or not isinstance(value.get("content"), list):
        return False
    return all(isinstance(block, dict) and block.get("type") != "tool_result" for block in value["content"])


def searched(entry: Any) -> str:
    """Return what is searched of a message in the saved form: its texts, but for those that this library wrote."""
    content = entry.get("content") if isinstance(entry, dict) else None
    blocks = [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    texts = [each["text"] for each in blocks if each.get("type") == "text" and "mark" not in each and each.get("text")]
    whole = "\n".join(each for each in texts if isinstance(each, str))[:MOST_SEARCHED]
    return whole.replace("\0", " ").encode(errors="replace").decode()


MOST_SEARCHED: Final = 100_000
"""How many characters of a message are searched: PostgreSQL refuses to index more than a megabyte."""


def body_text(body: str) -> str:
    """Return the same of a body."""
    return searched(_value(body))


def grown(held: Held, history: MessageHistory, found: Growth) -> Change:
    """Find the rows for what is new in the history and has settled, and for the open tail."""
    saved = held.history
    same = found.message < len(saved) and is_same(history[found.message], saved[found.message])
    old, new = saved.repairs[found.repair :], history.repairs[found.repair :]
    new_repairs = () if old == new else _moved(new, held.first)
    head = _next(held, history, held.first + len(history), held.repairs_before + len(history.repairs))
    positions = range(found.message + same, len(history))
    return Change(
        head,
        [
            _message_row(held.first + n, _in_session(held, n, history[n]), history, last=n == len(history) - 1)
            for n in positions
        ],
        [_repair_row(n, repair) for n, repair in enumerate(new_repairs, held.repairs_before + found.repair)],
        calls_since(history, found.message, len(saved)),
        held.first + positions.start if positions.start < len(saved) else None,
    )


def rewritten(held: Held, history: MessageHistory, whole: Held) -> Change:
    """Find the rows from the first on that differs from `whole`, the session that `held` is part of."""
    first = held.first
    saved = whole.history if whole.sound else MessageHistory()
    # Under another system prompt the older messages' thinking is not what its issuer saw, either.
    older = whole.history.with_system(history.system) if first else whole.history
    messages = list(older[:first])
    for n, message in enumerate(history):
        kept = first and n < len(held.history) and is_same(message, held.history[n])
        messages.append(older[first + n] if kept else _in_session(held, n, message))
    repairs = [repair for repair in whole.history.repairs if repair.index < first]
    repairs += _moved(history.repairs, first)
    start = _first_difference(saved, messages, is_same)
    calls = calls_since(history, 0, len(history))
    first_repair = 0 if whole.repairs_before else _first_difference(saved.repairs, repairs, eq)
    return Change(
        _next(held, history, len(messages), len(repairs)),
        [_message_row(n, messages[n], history, last=n == len(messages) - 1) for n in range(start, len(messages))],
        [_repair_row(n, repairs[n]) for n in range(first_repair, len(repairs))],
        calls._replace(settled=list({*calls.settled, *(each.key for each in held.history.calls)})),
        start if start < whole.head.messages else None,
    )


def calls_since(history: MessageHistory, first: int, saved: int) -> WaitingRows:
    """Find which calls wait, and which do not any more, of those that the messages from a position on speak of.

    `saved` is how many messages were saved before.
    """
    parts = (block.mark for n in range(first, len(history)) for block in history[n].content)
    # What the provider has run is found by the call's id, wherever it is.
    first = 0 if any(mark is not None and mark.kind == "approval" for mark in parts) else first
    found = recent_calls(conversation_of(history), history, first)
    # A result right after its call ends no state that was saved.
    known = [each for each in found if each.position + 1 < saved or each.call.approval]
    return WaitingRows(
        [each.key for each in known if not is_waiting(each)],
        [
            {
                "key": each.key,
                "state": str(each.state),
                "until": each.until,
                "body": _text([each.call.id, each.call.name, each.by]),
            }
            for each in found
            if is_waiting(each)
        ],
    )


def waiting_call(session: str, key: str, state: str, until: float | None, body: str) -> WaitingCall:
    id, name, by = _value(body)
    return WaitingCall(session=session, key=key, call_id=id, name=name, state=CallState(state), by=by, until=until)


_STAND_IN: Final = [{"role": role, "content": "-", NATIVE: VERSION} for role in ("user", "assistant")]


def _in_session(held: Held, n: int, message: Message) -> Message:
    """Return a message that was added to the newest turns as it is after all turns."""
    if not held.first:
        return message
    content = message.content
    if n == 0 and len(content) > 1 and content[0].mark is not None and content[0].mark.kind == "bootstrap":
        # It opens what was loaded, and not the session.
        message = with_content(message, content[1:])
    return behind_change(message)


def _moved(repairs: Sequence[Repair], by: int) -> Sequence[Repair]:
    return [evolve(repair, index=repair.index + by) for repair in repairs] if by else repairs


def _moved_keys(entry: Any, turns: int) -> Any:
    """Return the first entry of a session for a part of it, which begins after some turns."""
    value = entry if isinstance(entry, dict) else {}
    lineage = lineage_from_json(value.get(LINEAGE) or {}) or WHOLE
    return {**FIRST, **value, LINEAGE: lineage_to_json(lineage._replace(dropped=lineage.dropped + turns))}


FIRST: Final[dict[str, Any]] = {"role": "system", "content": [], NATIVE: VERSION}


def _next(held: Held, history: MessageHistory, messages: int, repairs: int) -> Head:
    head, context = held.head, context_of(conversation_of(history))
    lineage = context.lineage._replace(dropped=context.lineage.dropped - held.first // 2)
    entries = first_entry(context.system, lineage)
    return Head(head.number, head.revision + 1, messages, repairs, _text(entries[0]) if entries else None)


def forked(held: Held, name: str) -> Held:
    """Return what a copy of a session holds: its calls keep their keys, and those that are added have the new name."""
    history = history_of(branched(conversation_of(held.history), name))
    head = _next(held, history, held.head.messages, held.head.repairs)
    return evolve(held, history=history, head=head._replace(revision=1))


def _first_difference(old: Sequence[T], new: Sequence[T], is_alike: Callable[[T, T], bool]) -> int:
    pairs = zip(old, new, strict=False)
    return next((n for n, (was, now) in enumerate(pairs) if not is_alike(was, now)), min(len(old), len(new)))


def _message_row(position: int, message: Message, history: MessageHistory, *, last: bool) -> Row:
    entry = message_to_json(message)
    if last:
        mark_open_stubs((entry,), unrecorded_stubs(conversation_of(history)))
    return Row(position, _text(entry), {"starts_turn": starts_turn(message)}, searched(entry))


def _repair_row(position: int, repair: Repair) -> Row:
    return Row(position, _text(repair_to_json(repair)), {"message": repair.index})


def _text(value: Any) -> str:
    return json_bytes(value).decode()


def _values(bodies: Sequence[str]) -> list[Any]:
    """Read bodies; one that is not JSON is returned as it is."""
    try:
        return list(map(read_plain, bodies))
    except (ValueError, RecursionError):
        return list(map(_value, bodies))


def _value(body: str) -> Any:
    """Read a body; one that is not JSON is returned as it is, for a repair to hold."""
    decoder = Decoder()
    value = decoder.value(body)
    return value if decoder.failure is None else body
