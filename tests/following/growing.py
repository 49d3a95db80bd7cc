"""Conversations that grow and break as agents' lists do, in the forms of three APIs."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Form = Literal["chat", "anthropic", "responses"]
Raw = list[dict[str, Any]]


def versions(seed: int, form: Form, *, broken: bool = True, steps: int = 5) -> list[Raw]:
    """Give the raw lists that an agent sends one after the other.

    Args:
        seed: which conversation.
        form: the API's form.
        broken: whether results are lost, come late or twice, and texts are blank.
        steps: how many requests there are.

    Returns:
        The lists; each has all of the one before, and late results where they belong.
    """
    chance = Random(seed)
    raw: Raw = [user(form, f"Task {seed}: look into it.")]
    late: list[tuple[dict[str, Any], dict[str, Any]]] = []
    found = [list(raw)]
    for step in range(1, steps):
        if late and chance.random() < 0.6:
            before, result = late.pop(chance.randrange(len(late)))
            # Beside the call's own turn, or at the end: both are seen in the field.
            where = next(n for n, entry in enumerate(raw) if entry is before) + 1 if chance.random() < 0.5 else len(raw)
            raw = [*raw[:where], result, *raw[where:]]
        if chance.random() < 0.7:
            ids = [f"call_{seed}_{step}_{n}" for n in range(chance.choice((1, 1, 2, 3)))]
            entries = calls(form, ids)
            raw += entries
            for id in chance.sample(ids, len(ids)) if broken else ids:
                result = answer(form, id, f"result of {id}")
                fate = chance.random() if broken else 0.0
                if fate < 0.6:
                    raw.append(result)
                elif fate < 0.75:
                    raw += [result, result]
                elif fate < 0.9:
                    late.append((entries[-1], result))
        else:
            raw.append(assistant(form, f"I see, {step}."))
        if broken and chance.random() < 0.15:
            raw.append(answer(form, f"call_of_nobody_{step}", "?"))
        if broken and chance.random() < 0.15:
            raw.append(user(form, " "))
        if chance.random() < 0.5 or (raw[-1].get("role") == "assistant"):
            raw.append(user(form, f"Go on, {step}."))
        found.append(list(raw))
    return found


def requests(seed: int, form: Form) -> Iterator[Raw]:
    """Give the lists of two clients that begin alike, and edit and branch."""
    chance = Random(f"{seed} {form}")
    first = versions(seed, form, steps=6, broken=chance.random() < 0.85)
    others = [[*first[1], *raw] for raw in versions(seed + 1000, form, steps=4)] if chance.random() < 0.5 else []
    sent: Raw = []
    while first or others:
        if sent and chance.random() < 0.35:
            edited = chance.randrange(len(sent)) if chance.random() < 0.5 else len(sent) - 1
            sent = [*sent[:edited], user(form, f"Edited in {chance.random()}.")]
            yield sent
            if chance.random() < 0.5:
                yield [*sent, assistant(form, "So be it."), user(form, "Go on then.")]
        lists = first if first and (not others or chance.random() < 0.6) else others
        sent = lists.pop(0)
        yield sent
        if chance.random() < 0.1:
            yield sent


def user(form: Form, text: str) -> dict[str, Any]:
    """Make a user message."""
    del form
    return {"role": "user", "content": text}


def assistant(form: Form, text: str) -> dict[str, Any]:
    """Make an assistant message."""
    del form
    return {"role": "assistant", "content": text}


def calls(form: Form, ids: list[str]) -> Raw:
    """Make the message, or the items, of parallel calls."""
    raw = {"path": "a.txt"}
    if form == "chat":
        function = {"name": "read", "arguments": json.dumps(raw)}
        made = [{"id": id, "type": "function", "function": function} for id in ids]
        return [{"role": "assistant", "content": None, "tool_calls": made}]
    if form == "anthropic":
        made = [{"type": "tool_use", "id": id, "name": "read", "input": raw} for id in ids]
        return [{"role": "assistant", "content": made}]
    return [{"type": "function_call", "call_id": id, "name": "read", "arguments": json.dumps(raw)} for id in ids]


def answer(form: Form, id: str, text: str) -> dict[str, Any]:
    """Make the message, or the item, of a result."""
    if form == "chat":
        return {"role": "tool", "tool_call_id": id, "content": text}
    if form == "anthropic":
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}
    return {"type": "function_call_output", "call_id": id, "output": text}
