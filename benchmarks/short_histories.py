"""Every history of one to four messages over ten kinds: 11,110 short lists, most of them broken.

Every text and every result says the place of its message, so that what is lost can be told. Tests and benchmarks share
them.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KINDS", "SHORT"]


def _call(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": f"tool_{id}", "input": {"n": int(id)}}


def _result(id: str, label: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": f"R{id}@{label}"}


def _text(label: str) -> dict[str, Any]:
    return {"type": "text", "text": f"T@{label}"}


KINDS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "user text": lambda n: {"role": "user", "content": [_text(n)]},
    "assistant text": lambda n: {"role": "assistant", "content": [_text(n)]},
    "call 1": lambda _: {"role": "assistant", "content": [_call("1")]},
    "call 2": lambda _: {"role": "assistant", "content": [_call("2")]},
    "calls 1 2": lambda _: {"role": "assistant", "content": [_call("1"), _call("2")]},
    "text call 1": lambda n: {"role": "assistant", "content": [_text(n), _call("1")]},
    "result 1": lambda n: {"role": "user", "content": [_result("1", n)]},
    "result 2": lambda n: {"role": "user", "content": [_result("2", n)]},
    "results 1 2": lambda n: {"role": "user", "content": [_result("1", n), _result("2", n)]},
    "result 1 text": lambda n: {"role": "user", "content": [_result("1", n), _text(n)]},
}
SHORT: Final = [
    [KINDS[kind](str(n)) for n, kind in enumerate(kinds)]
    for length in range(1, 5)
    for kinds in product(KINDS, repeat=length)
]
