"""What of a request and a response goes through: all but what belongs to one connection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from message_history_healing.routes import Route, route_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from message_history_proxy.settings import Upstream

Headers = list[tuple[bytes, bytes]]

_OF_ONE_CONNECTION: Final = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_NOT_SENT_ON: Final = _OF_ONE_CONNECTION | {b"host", b"content-length", b"expect"}


class Target(NamedTuple):
    """Where a request goes."""

    upstream: Upstream
    path: str
    route: Route | None  # which API it is for; None when it is forwarded untouched


def target_of(
    upstreams: Mapping[str, Upstream], method: str, path: str, headers: Iterable[tuple[bytes, bytes]]
) -> Target | None:
    """Find the upstream by the path's first part, else by its API, else by the headers in lower case; None for none."""
    named = _NAMED.match(path)
    if named is not None and named["name"] in upstreams:
        upstream, path = upstreams[named["name"]], named["rest"] or "/"
    else:
        alone = next(iter(upstreams.values())) if len(upstreams) == 1 else None
        guessed = upstreams.get(_guessed(path, {name for name, _ in headers}), alone)
        if guessed is None:
            return None
        upstream = guessed
    if upstream.url.endswith("/v1") and path.startswith("/v1/"):
        path = path.removeprefix("/v1")
    route = None
    if method == "POST":
        route = route_of(path, mistral=upstream.name == "mistral" or upstream.provider == "mistral")
    return Target(upstream, path, route)


_NAMED: Final = re.compile(r"/(?P<name>[^/]+)(?P<rest>/.*)?$", re.DOTALL)


def _guessed(path: str, names: set[bytes]) -> str:
    if "/model/" in path or path.startswith("/guardrail"):
        return "bedrock"
    if path.startswith("/v1beta") or b"x-goog-api-key" in names:
        return "gemini"
    if path.startswith(("/v1/messages", "/v1/complete")) or b"anthropic-version" in names or b"x-api-key" in names:
        return "anthropic"
    return "openai"


def header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")


def forwarded_request_headers(
    headers: Iterable[tuple[bytes, bytes]], *, drop: frozenset[bytes] = frozenset()
) -> Headers:
    """Return the headers that an upstream gets: all but those of the connection and the length, which is set anew.

    Those in `drop`, in lower case, are left out too.
    """
    return _kept(headers, _NOT_SENT_ON | drop)


def forwarded_response_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers that a client gets: all but those of the connection."""
    return _kept(headers, _OF_ONE_CONNECTION)


def _kept(headers: Iterable[tuple[bytes, bytes]], drop: frozenset[bytes]) -> Headers:
    lowered = [(name.lower(), value) for name, value in headers]
    # What `connection` names belongs to the connection too.
    listed = {part.strip().lower() for name, value in lowered if name == b"connection" for part in value.split(b",")}
    return [(name, value) for name, value in lowered if name not in drop and name not in listed]
