"""ShareGPT and its kin: turns with `from` and `value`, and calls as JSON text or between tags."""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Fit,
    Format,
    call,
    json_of,
    json_text,
    objects_in,
    result,
    text,
    thinking,
)
from message_history_formats.python_calls import literal_of, python_calls

if TYPE_CHECKING:
    from message_history.formats.kit import Collector, Document, Reading

_ROLES: Final = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bing", "bard", "model"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), "call"),
    **dict.fromkeys(("observation", "tool", "function_response", "tool_response", "function"), "result"),
    "system": "system",
}
_MASKS: Final = ("weight", "train", "loss", "trainable", "synthetic", "training_detail", "train_detail")
"""The keys of a turn that say whether it is learned."""
_ACTION: Final = re.compile(
    r"\A(?P<before>.*?)^Action:(?P<name>.+)\nAction Input:\s*(?P<input>\{.*\})\s*\Z", re.MULTILINE | re.DOTALL
)
"""A call of ToolBench, as ReAct has them."""
_TAGGED: Final = re.compile(r"<(think|tool_call|tool_response)>\s*(.*?)\s*</\1>", re.DOTALL)


def _turns(item: Any) -> list[Any] | None:
    found = (
        next((item[key] for key in ("conversations", "conversation") if key in item), None)
        if isinstance(item, dict)
        else item
    )
    if not isinstance(found, list):
        return None
    if item is found:  # A mere list of turns may hold something else.
        return found if sum(map(_is_turn, found)) * 2 > len(found) else None
    return found if all(map(_is_turn, found)) else None


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, dict) and "from" in turn and "value" in turn


def _items(document: Document) -> list[tuple[int, Any]]:
    """Return the conversations; a mere list of turns is one of them."""
    if isinstance(document.value, list) and _turns(document.value):
        return [(0, document.value)]
    return document.numbered_items


def _fit(document: Document) -> Fit:
    items = [item for _, item in _items(document)[:60]]
    found = [_turns(item) for item in items]
    fitting = sum(map(bool, found))
    # A data set may hold conversations without a turn.
    if fitting and sum(turns is not None for turns in found) * 2 > len(items):
        return Fit.CERTAIN
    return Fit.NEAR if fitting else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in _items(document):
        collector = found.collector()
        turns = _turns(item)
        if turns is None:
            collector.note(n, "an item that is not a conversation", item)
        else:
            about = item if isinstance(item, dict) else {}
            ends = _ends(found, n, about)
            for key, answers in ends or [("", [])]:
                end = collector if not key else found.collector()
                if isinstance(about.get("system"), str) and about["system"]:
                    end.add(n, {"role": "system", "content": about["system"]})
                _Turns(end, n, step=int(item is document.value)).take_all([*turns, *answers])
                which = "rejected" if about.get("label") is False else key
                name = f"item {n}, {which}" if which else f"item {n}"
                label = name if found or which == "rejected" else ""
                tools = json_of(about.get("tools"))
                found.add(end.conversation(BLOCKS, label=label, id=about.get("id"), tools=tools))
    return found.reading()


def _ends(found: Conversations, n: int, about: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the answers that a row of preferences goes on with, each under its key."""
    made = []
    for key in ("chosen", "rejected"):
        end = about.get(key)
        answers = _turns([end] if isinstance(end, dict) else end)
        if answers:
            made.append((key, answers))
        elif end is not None:
            found.collector().note(n, f"a preference under `{key}`", end)
    return made


class _Turns:
    """The turns of one conversation; calls and results have no ids, so they are paired in order."""

    def __init__(self, collector: Collector, place: int, *, step: int = 0) -> None:
        self._collector = collector
        self._place = place
        self._step = step  # from the place of one turn to that of the next, in a list of nothing but turns
        self._open: list[str] = []
        self._made = 0
        self._masks: dict[str, Any] = {}

    def take_all(self, turns: list[Any]) -> None:
        before = None
        for turn, following in zip_longest(turns, turns[1:]):
            if not _is_turn(turn):
                self._collector.note(self._place, "an entry that is not a turn", turn)
                self._place += self._step
                continue
            role, value = _ROLES.get(str(turn["from"]).lower()), turn["value"]
            if before == "result" and role != "result":
                # What was not answered by now has no result; the next one is of another call.
                self._open.clear()
            before = role
            written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            self._masks = {key: turn[key] for key in _MASKS if turn.get(key) is not None}
            if role is None:
                self._collector.note(self._place, f"a turn of the unknown speaker {turn['from']!r}", turn)
            elif role == "system":
                self._collector.add(self._place, {"role": "system", "content": written})
            elif role == "call":
                self._add("assistant", self._calls(written) or text(written))
            elif role == "result":
                tagged = [each[2] for each in _TAGGED.finditer(written) if each[1] == "tool_response"]
                named = turn.get("tool_call_id")
                answers = [written] if named else tagged or self._several(written)
                self._add("user", [self._result(each, named) for each in answers])
            elif role == "assistant":
                thoughts, asked = thinking(turn.get("reasoning_content")), self._listed(turn.get("tool_calls"))
                is_answered = _is_result(following) and not asked
                self._add(role, [*thoughts, *self._parts(written, is_answered=is_answered), *asked])
            else:
                self._add(role, text(written))
            self._place += self._step

    def _add(self, role: str, blocks: list[Any]) -> None:
        if self._masks and blocks:
            # A mask is for one turn: the history joins neighbours, not this.
            self._collector.add(self._place, {"role": role, "content": blocks, **self._masks})
        else:
            self._collector.add_blocks(self._place, role, blocks)

    def _listed(self, calls: object) -> list[Any]:
        """Read calls that a turn has next to its text, as Axolotl writes them."""
        made = []
        for each in objects_in(calls):
            function = each.get("function")
            if isinstance(function, dict):
                made.append(call(self._new_id(each.get("id")), function.get("name"), function.get("arguments")))
        return made

    def _parts(self, written: str, *, is_answered: bool = False) -> list[Any]:
        """Part what the assistant wrote into text, thinking and calls."""
        asked = python_calls(written) if is_answered else []
        if asked:
            return [call(self._new_id(), name, input) for name, input in asked]
        action = _ACTION.search(written) if is_answered else None
        if action is not None and isinstance(input := json_of(action["input"]), dict):
            return [*text(action["before"].strip()), call(self._new_id(), action["name"].strip(), input)]
        blocks: list[Any] = []
        at = 0
        for found in _TAGGED.finditer(written):
            inner = (
                thinking(found[2]) if found[1] == "think" else self._calls(found[2]) if found[1] == "tool_call" else []
            )
            if inner:
                blocks += [*text(written[at : found.start()].strip()), *inner]
                at = found.end()
        rest = written[at:]
        return [*blocks, *text(rest.strip() if blocks else rest)]

    def _calls(self, written: str) -> list[Any]:
        value = json_of(written)
        value = literal_of(written) if value is None else value
        made = []
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                return []
            made.append(call(self._new_id(), each["name"], each.get("arguments", each.get("parameters"))))
        return made

    def _several(self, written: str) -> list[str]:
        """Return the results of parallel calls that are one list; any other result is one."""
        found = json_of(written) if len(self._open) > 1 else None
        if not isinstance(found, list) or len(found) != len(self._open):
            return [written]
        return list(map(json_text, found))

    def _new_id(self, known: object = None) -> str:
        self._made += 1
        self._open.append(known if isinstance(known, str) and known else f"call_{self._made}")
        return self._open[-1]

    def _result(self, written: str, named: object = None) -> dict[str, Any]:
        if named in self._open:
            self._open.remove(str(named))
            return result(named, written)
        return result(self._open.pop(0) if self._open else named, written)


def _is_result(turn: Any) -> bool:
    return _is_turn(turn) and _ROLES.get(str(turn["from"]).lower()) == "result"


SHAREGPT: Final = Format(
    name="sharegpt",
    rank=900,
    title="ShareGPT data sets (LLaMA-Factory, Axolotl, Hermes, ToolBench)",
    files="data sets: a JSON list, or a conversation in each line",
    omits="nothing; ids are given to calls, for the format has none",
    unwritten=DATA_SET,
    source="hiyouga/LLaMA-Factory: data/README.md, src/llamafactory/data/converter.py; axolotl: prompt_strategies",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
