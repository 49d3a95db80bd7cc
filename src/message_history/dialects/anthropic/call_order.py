"""Order the blocks of an assistant message as the Messages API takes them: nothing but calls after the first call.

Signed thinking is the exception: the model may think between two calls, and such a reply is sent back in its original
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Kind: TypeAlias = Literal["call", "thinking", "server", "content"]
CALL: Final = "call"
THINKING: Final = "thinking"
SERVER: Final = "server"
"""A server tool use, its result, or any other block that only the provider knows."""
CONTENT: Final = "content"

T = TypeVar("T")


def calls_last(blocks: Sequence[T], kind_of: Callable[[T], Kind]) -> list[T]:
    """Put text and media before the first call, and server blocks before the calls that they follow.

    Thinking and server blocks keep their order, calls too, and a call moves across thinking only where no call follows
    it.
    """
    leading: list[T] = []
    parts: list[tuple[list[T], list[T]]] = [(leading, [])]
    last: Kind = CONTENT
    for block in blocks:
        last = kind_of(block)
        if last == CALL:
            parts[-1][1].append(block)
        elif last == CONTENT:
            leading.append(block)
        elif last == THINKING and parts[-1][1]:
            parts.append(([block], []))
        else:
            parts[-1][0].append(block)
    if not parts[-1][1] and len(parts) > 1 and last != THINKING:
        # Two replies were joined: the thinking of the second cannot come last.
        parts[-2][0].extend(parts.pop()[0])
    return [block for before, calls in parts for block in (*before, *calls)]
