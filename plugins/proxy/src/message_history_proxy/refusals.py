"""The refusals of an upstream: read before they are passed on, so that their headers can say what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

REFUSED: Final = (400, 422)
MAX_REFUSAL: Final = 1024 * 1024
"""A longer refusal is passed on without an explanation."""
_STREAM: Final = "text/event-stream"


class Beginning(NamedTuple):
    """What was read of a response before it is passed on."""

    read: bytes
    rest: AsyncIterator[bytes]
    is_whole: bool  # whether none follow


async def beginning_of(response: httpx.Response) -> Beginning:
    """Read a refusal to its end, or as far as refusals go.

    Most refusals have no length, as those that a provider compresses while it sends them. Nothing is read of a stream,
    whose end may be far. Where the upstream breaks off, `rest` raises that.
    """
    rest = response.aiter_raw()
    if response.headers.get("content-type", "").startswith(_STREAM):
        return Beginning(b"", rest, is_whole=False)
    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in rest:
            parts.append(chunk)
            size += len(chunk)
            if size > MAX_REFUSAL:
                return Beginning(b"".join(parts), rest, is_whole=False)
    except httpx.HTTPError as error:
        return Beginning(b"".join(parts), _broken(error), is_whole=False)
    return Beginning(b"".join(parts), rest, is_whole=True)


async def _broken(error: httpx.HTTPError) -> AsyncIterator[bytes]:
    """Break off where the upstream did."""
    yield b""
    raise error


def text_in(response: httpx.Response, body: bytes) -> str:
    """Return the text of a response; empty for one that cannot be decoded."""
    try:
        text: str = httpx.Response(response.status_code, headers=response.headers, content=body).text
    except httpx.DecodingError:
        return ""
    return text
