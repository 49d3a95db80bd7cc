"""What the server needs to know of each provider."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from message_history.violations import check

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from message_history.dialects import Dialect
    from message_history_testing.model import ModelReply, ModelRequest

Body = dict[str, Any]


class ForModel(Protocol):
    """A dialect that differs by model."""

    @classmethod
    def for_model(cls, model: str, /) -> Dialect[Any]: ...


class Provider(ABC):
    """One provider's API."""

    family: ClassVar[type[ForModel]]  # its dialect
    list_key: ClassVar[str] = "messages"  # the key of the list in a request
    path: ClassVar[re.Pattern[str]]  # the paths that it serves
    stops_to_call: ClassVar[str] = "tool_calls"  # its word for a reply that calls
    stops: ClassVar[dict[str, str]]  # its words for why a reply ends
    stream_type: ClassVar[str] = "text/event-stream"  # the media type of its streams

    def __init__(self) -> None:
        self.calls = 0
        self.replies = 0
        self.repeats_ids = False

    def reply_id(self, prefix: str) -> str:
        self.replies += 1
        return f"{prefix}{self.replies}"

    def numbers(self, reply: ModelReply) -> range:
        """Number the calls of a reply: in a row through the conversation, or from zero again in each reply."""
        first = 0 if self.repeats_ids else self.calls
        self.calls += len(reply.calls)
        return range(first, first + len(reply.calls))

    def refusal(self, path: str, body: Body) -> str | None:
        """Say what the provider answers to a list that it refuses; rules of our own come first."""
        dialect = self.dialect(path, body)
        unread: str | None = None
        try:
            own = self.own_rules(body, dialect)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # The dialect says what is missing, where it has a rule for that.
            own, unread = None, f"The request cannot be read: {error!r}"
        if own is not None:
            return own
        found = check(self.wire(body), dialect)
        return (found[0].error or str(found[0])) if found else unread

    def stop(self, reply: ModelReply) -> str:
        return self.stops_to_call if reply.calls and reply.stop == "end" else self.stops[reply.stop]

    def streams(self, _path: str, body: Body, /) -> bool:
        return bool(body.get("stream"))

    def dialect(self, path: str, body: Body) -> Dialect[Any]:
        return self.family.for_model(self.model(path, body))

    def model(self, _path: str, body: Body, /) -> str:
        model: str = body["model"]
        return model

    def wire(self, body: Body) -> list[Any]:
        entries: list[Any] = body[self.list_key]
        return entries

    @abstractmethod
    def own_rules(self, body: Body, dialect: Any, /) -> str | None:
        """Find what the provider refuses without the library's help, but for the fields that tell models apart."""

    @abstractmethod
    def error(self, text: str) -> tuple[dict[str, str], Body]:
        """Return the headers and the body of a refusal."""

    @abstractmethod
    def request(self, body: Body) -> ModelRequest:
        """Return what a request holds, for a script."""

    @abstractmethod
    def response(self, reply: ModelReply, body: Body, path: str, /) -> Body:
        """Return a reply as a whole."""

    @abstractmethod
    def events(self, reply: ModelReply, body: Body, path: str, /) -> Iterable[bytes]:
        """Return a reply as a stream, event by event."""


def sse(data: Any, event: str | None = None) -> bytes:
    head = f"event: {event}\n" if event is not None else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
