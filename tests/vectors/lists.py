"""The lists of the vectors: short ones, all of them; those of the field; and random ones of three forms."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

from benchmarks.broken_histories import CASES, as_chat
from benchmarks.short_histories import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

Entry = dict[str, Any]
Listed = tuple[str, str, dict[str, str], list[Any], str]
"""A name, the form, the policy, the list, and what is wrong with it, where somebody has said so."""
Kinds = dict[str, "Callable[[str], Any]"]

DROP: Final = {"leading_assistant": "drop"}
SOUND: Final = (("assistant text", "user text"), ("call 1", "result 1"), ("call 2", "result 2"))
RAISE: Final = {"on_violation": "raise"}
ANTHROPIC, CHAT, RESPONSES = "anthropic", "openai_chat", "openai_responses"


def short_lists() -> Iterator[Listed]:
    """Make every list of one to three messages over ten kinds; those that the assistant begins with both policies."""
    for length in range(1, 4):
        for kinds in product(KINDS, repeat=length):
            entries = [KINDS[kind](str(n)) for n, kind in enumerate(kinds)]
            yield ", ".join(kinds), ANTHROPIC, {}, entries, ""
            if length < 3 and entries[0]["role"] == "assistant":
                yield f"{', '.join(kinds)}; drop", ANTHROPIC, DROP, entries, ""


def broken_lists() -> Iterator[Listed]:
    """Give the broken histories of the field, each in two forms."""
    for case in CASES:
        yield f"{case.name}, as blocks", ANTHROPIC, {}, case.messages, case.shape
        yield f"{case.name}, as Chat Completions", CHAT, {}, as_chat(case.messages), case.shape


def random_lists(chance: Random, count: int) -> Iterator[Listed]:
    """Make random lists of one to five entries; every fourth is sound, and two of the others begin as they should.

    Args:
        chance: where all chance comes from.
        count: how many.
    """
    for n in range(count):
        form = chance.choice(tuple(FORMS))
        kinds = FORMS[form]
        if n % 4 == 0:
            chosen = ["user text", *(kind for _ in range(chance.randint(0, 2)) for kind in chance.choice(SOUND))]
        else:
            chosen = ["user text"] if n % 4 > 1 else []
            chosen += [chance.choice(tuple(kinds)) for _ in range(chance.randint(1, 4))]
        policy: Mapping[str, str] = chance.choice(({}, {}, {}, {}, {}, DROP, RAISE))
        entries = [kinds[kind](str(place)) for place, kind in enumerate(chosen)]
        yield f"{n}: {', '.join(chosen)}", form, dict(policy), entries, ""


def _blocks(role: str, *blocks: Entry) -> Entry:
    return {"role": role, "content": list(blocks)}


def _text(text: str) -> Entry:
    return {"type": "text", "text": text}


def _call(id: str, input: Any = None, name: str = "look") -> Entry:
    return {"type": "tool_use", "id": id, "name": name, "input": {"n": 1} if input is None else input}


def _result(id: str, content: Any, **more: Any) -> Entry:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


BLOCK_KINDS: Final[Kinds] = {
    **KINDS,
    "user string": lambda n: {"role": "user", "content": f"T@{n}"},
    "assistant string": lambda n: {"role": "assistant", "content": f"T@{n}"},
    "system": lambda n: {"role": "system", "content": f"T@{n}"},
    "blank user text": lambda _: _blocks("user", _text(" \n")),
    "blank text and call": lambda _: _blocks("assistant", _text(""), _call("1")),
    "empty message": lambda _: _blocks("assistant"),
    "one id for two calls": lambda _: _blocks("assistant", _call("1", {"n": 1}), _call("1", {"n": 2})),
    "the same call twice": lambda _: _blocks("assistant", _call("1"), _call("1")),
    "call without an id": lambda _: _blocks("assistant", _call("")),
    "call without a name": lambda _: _blocks("assistant", _call("1", name="")),
    "result without an id": lambda n: _blocks("user", _result("", f"R@{n}")),
    "empty result": lambda _: _blocks("user", _result("1", "")),
    "failed result": lambda n: _blocks("user", _result("1", [_text(f"R@{n}")], is_error=True)),
    "result of another call": lambda n: _blocks("user", _result("9", f"R@{n}")),
    "text before result 1": lambda n: _blocks("user", _text(f"T@{n}"), _result("1", f"R@{n}")),
    "results 2 1": lambda n: _blocks("user", _result("2", f"R2@{n}"), _result("1", f"R1@{n}")),
    "call in a user message": lambda n: _blocks("user", _text(f"T@{n}"), _call("1")),
    "result in an assistant message": lambda n: _blocks("assistant", _call("1"), _result("1", f"R@{n}")),
    "signed thinking": lambda n: _blocks(
        "assistant", {"type": "thinking", "thinking": f"H@{n}", "signature": "c2ln"}, _text(f"T@{n}"), _call("1")
    ),
}


def _chat_call(id: str, arguments: str = '{"n": 1}') -> Entry:
    return {"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}}


def _calling(*calls: Entry, content: str | None = None) -> Entry:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def _tool(id: str, content: str) -> Entry:
    return {"role": "tool", "tool_call_id": id, "content": content}


CHAT_KINDS: Final[Kinds] = {
    "user text": lambda n: {"role": "user", "content": f"T@{n}"},
    "user parts": lambda n: _blocks("user", _text(f"T1@{n}"), _text(f"T2@{n}")),
    "assistant text": lambda n: {"role": "assistant", "content": f"T@{n}"},
    "system": lambda n: {"role": "system", "content": f"T@{n}"},
    "blank user text": lambda _: {"role": "user", "content": " "},
    "nothing said": lambda _: {"role": "assistant", "content": None},
    "call 1": lambda _: _calling(_chat_call("1")),
    "call 2": lambda _: _calling(_chat_call("2")),
    "calls 1 2": lambda _: _calling(_chat_call("1"), _chat_call("2")),
    "text call 1": lambda n: _calling(_chat_call("1"), content=f"T@{n}"),
    "one id for two calls": lambda _: _calling(_chat_call("1", '{"n": 1}'), _chat_call("1", '{"n": 2}')),
    "arguments that are no JSON": lambda _: _calling(_chat_call("1", '{"n": ')),
    "empty arguments": lambda _: _calling(_chat_call("1", "")),
    "result 1": lambda n: _tool("1", f"R@{n}"),
    "result 2": lambda n: _tool("2", f"R@{n}"),
    "empty result": lambda _: _tool("1", ""),
    "result of another call": lambda n: _tool("9", f"R@{n}"),
}


def _function_call(id: str) -> Entry:
    return {"type": "function_call", "call_id": id, "name": "look", "arguments": '{"n": 1}'}


def _output(id: str, output: str) -> Entry:
    return {"type": "function_call_output", "call_id": id, "output": output}


RESPONSES_KINDS: Final[Kinds] = {
    "user text": lambda n: {"role": "user", "content": f"T@{n}"},
    "user parts": lambda n: _blocks("user", {"type": "input_text", "text": f"T@{n}"}),
    "assistant text": lambda n: {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": f"T@{n}"}],
    },
    "system": lambda n: {"role": "developer", "content": f"T@{n}"},
    "blank user text": lambda _: {"role": "user", "content": ""},
    "call 1": lambda _: _function_call("1"),
    "call 2": lambda _: _function_call("2"),
    "result 1": lambda n: _output("1", f"R@{n}"),
    "result 2": lambda n: _output("2", f"R@{n}"),
    "empty result": lambda _: _output("1", ""),
    "result of another call": lambda n: _output("9", f"R@{n}"),
}
FORMS: Final = {ANTHROPIC: BLOCK_KINDS, CHAT: CHAT_KINDS, RESPONSES: RESPONSES_KINDS}
