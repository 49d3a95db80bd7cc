"""Changes of turns that some targets and some chat templates need. Each is recorded in the sample's omissions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history import Repair, RepairCode
from message_history_compile.turns import Turn, join_users, joined_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history_compile.targets.base import Sample

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_SHORT: Final = 9


def rewritten(index: int, what: str) -> Repair:
    """Record what was put in another form."""
    return Repair(code=RepairCode.REWRITTEN, index=index, detail=what)


def system_in_user(sample: Sample) -> list[Turn]:
    """Return the turns after the system prompt, with later system messages as marked text of the user's turn."""
    spoken = list(sample.after_system)
    if not any(turn.role == "system" for turn in spoken):
        return spoken
    changed: list[Turn] = []
    for position, turn in enumerate(spoken):
        if turn.role != "system":
            _append(changed, turn)
            continue
        sample.omissions.append(rewritten(position, "a late system message as marked text of the user's turn"))
        _append(changed, Turn("user", _as_text(turn)))
    return changed


def system_first(turns: Sequence[Turn]) -> list[Turn]:
    """Put the system prompt into the first user turn: some templates refuse the role."""
    if turns[0].role != "system":
        return list(turns)
    first = next((n for n, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        return [turns[0]._replace(role="user"), *turns[1:]]
    user = turns[first]
    return [*turns[1:first], join_users(turns[0]._replace(role="user"), user), *turns[first + 1 :]]


def single_calls(turns: Sequence[Turn]) -> list[Turn]:
    """Write parallel calls one after the other, each with its result: some templates know one call a message."""
    changed: list[Turn] = []
    position = 0
    while position < len(turns):
        turn = turns[position]
        position += 1
        if len(turn.calls) < 2:
            changed.append(turn)
            continue
        results = turns[position : position + len(turn.calls)]
        position += sum(result.role == "tool" for result in results)
        for n, call in enumerate(turn.calls):
            head = turn if n == 0 else turn._replace(text="", reasoning="", parts=())
            changed.append(head._replace(calls=(call,)))
            changed += [result for result in results[n : n + 1] if result.role == "tool"]
    return changed


def user_in_results(turns: Sequence[Turn]) -> list[Turn]:
    """Put user text after results into the last of them: some templates demand that roles alternate.

    An assistant message of ours between them would be learned: no template can mark it as not to be learned.
    """
    changed: list[Turn] = []
    for turn in turns:
        last = changed[-1] if changed else None
        if last is not None and turn.role == "user" and last.role == "tool":
            changed[-1] = last._replace(text=joined_texts(last.text, turn.text))
        else:
            changed.append(turn)
    return changed


def text_apart(turns: Sequence[Turn]) -> list[Turn]:
    """Write the text of a message with calls as a separate message: some templates leave it out."""
    changed: list[Turn] = []
    for turn in turns:
        if turn.calls and turn.text:
            changed += [turn._replace(calls=()), turn._replace(text="", reasoning="")]
        else:
            changed.append(turn)
    return changed


def without_text(turns: Sequence[Turn]) -> list[Turn]:
    """Omit the text of a message with calls: some templates leave it out, and have no other place for it."""
    return [turn._replace(text="") if turn.calls else turn for turn in turns]


def calls_as_text(turns: Sequence[Turn], tools: Sequence[dict[str, Any]]) -> list[Turn]:
    """Write calls, results and definitions of tools as text, with the tags of Hermes, for templates without calls."""
    defined = "".join(f"{json.dumps(tool, ensure_ascii=False)}\n" for tool in tools)
    changed = [Turn("system", f"<tools>\n{defined}</tools>")] if tools else []
    for turn in turns:
        if turn.role == "system" and changed:
            changed[0] = turn._replace(text=joined_texts(turn.text, changed[0].text))
        elif turn.calls:
            written = [{"name": call.name, "arguments": call.input} for call in turn.calls]
            tagged = [f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in written]
            changed.append(turn._replace(text="\n".join(filter(None, (turn.text, *tagged))), calls=()))
        elif turn.role == "tool":
            tagged_result = f"<tool_response>\n{turn.text}\n</tool_response>"
            _append(changed, Turn("user", tagged_result, synthetic=turn.synthetic))
        else:
            _append(changed, turn)
    return changed


def short_ids(turns: Sequence[Turn]) -> list[Turn]:
    """Give calls ids of nine letters and digits, numbered in the order of the calls: Mistral's templates demand it."""
    changed: list[Turn] = []
    ids: dict[str, str] = {}
    made = 0
    for turn in turns:
        if turn.calls:
            ids = {}
            for call in turn.calls:
                ids[call.id] = _numbered(made)
                made += 1
            changed.append(turn._replace(calls=tuple(call._replace(id=ids[call.id]) for call in turn.calls)))
        elif turn.role == "tool":
            changed.append(turn._replace(call_id=ids.get(turn.call_id, turn.call_id)))
        else:
            changed.append(turn)
    return changed


def _numbered(number: int) -> str:
    digits = ""
    for _ in range(_SHORT):
        number, digit = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits


def _append(turns: list[Turn], turn: Turn) -> None:
    if turns and turns[-1].role == turn.role == "user":
        turns[-1] = join_users(turns[-1], turn)
    else:
        turns.append(turn)


def _as_text(turn: Turn) -> str:
    return f"<system>\n{turn.text}\n</system>"


def join_results(turns: Iterable[Turn], between: str) -> list[Turn]:
    """Join neighbouring results, and the user text after them, into one turn."""
    changed: list[Turn] = []
    for turn in turns:
        last = changed[-1] if changed else None
        if last is not None and last.role == "tool" and turn.role == "tool":
            changed[-1] = last._replace(
                text=f"{last.text}{between}{turn.text}", synthetic=last.synthetic or turn.synthetic
            )
        elif last is not None and last.role == "tool" and turn.role == "user":
            changed[-1] = last._replace(text=joined_texts(last.text, turn.text))
        else:
            changed.append(turn)
    return changed
