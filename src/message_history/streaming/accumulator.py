"""The accumulator: feed it the events of a stream, and ask at any moment for the history so far.

`stream.py` in a dialect's folder makes a response of the events of its provider's stream; the response is added to the
history like any other. So a stream that is cancelled leaves what a truncated reply leaves.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, final

from message_history.core.turns.replying import add_reply_to
from message_history.core.views.view import ConversationView
from message_history.dialects.base import checked_dialect
from message_history.dialects.inputs import parse_response
from message_history.history import conversation_of, history_of

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.dialects import Dialect
    from message_history.dialects._shared.assembling import Assembler
    from message_history.history import MessageHistory


@final
class Accumulator:
    """A reply that is streamed.

    Args:
        dialect: whose stream it is.
        sent: the version of the history that was sent.

    Raises:
        TypeError: when one is not a dialect, or not a history.
        ValueError: for a dialect that has no stream.

    Examples:
        >>> sent = MessageHistory().add_user("Hello?")
        >>> reply = Accumulator(OpenAIChat(), sent)
        >>> for text in ("Good ", "morn"):
        ...     reply.feed({"choices": [{"index": 0, "delta": {"content": text}}]})
        >>> reply.history_so_far[-1].text, reply.finished
        ('Good morn', False)
    """

    def __init__(self, dialect: Dialect[Any], sent: MessageHistory) -> None:
        self._reply = _new_stream(checked_dialect(dialect))
        self._dialect = dialect
        if not isinstance(sent, ConversationView):
            raise TypeError(f"sent must be the MessageHistory that was sent, not {type(sent).__name__}")
        self._sent = sent.as_sent(dialect)
        self._whole: MessageHistory | None = None

    def feed(self, event: object) -> None:
        """Take the next event of the stream.

        Args:
            event: an SDK's object or its dict; what says nothing of the reply is passed over.

        Complexity: the size of the event.
        """
        self._reply.take(event)
        self._whole = None

    @property
    def finished(self) -> bool:
        """Return whether the provider has said that the reply is complete."""
        return self._reply.finished

    @property
    def response(self) -> dict[str, Any] | None:
        """Return the reply so far as the response that it would have been without streaming.

        It is None while nothing has come. `add_response` takes it, also for a history that has grown since it was
        sent: `history.add_response(reply.response, sent=sent)`.
        """
        return self._reply.response()

    @property
    def history_so_far(self) -> MessageHistory:
        """Return the version that was sent with the reply so far after it.

        It keeps what was said and the calls that are complete; a call whose input was still coming cannot have run,
        and is dropped. Asking costs the size of the reply, changes nothing, and logs nothing before the end.
        """
        if self._whole is None or not self.finished:
            self._whole = self.added_to(self._sent)
        return self._whole

    @property
    def message(self) -> Message | None:
        """Return the reply so far as a message, with what was prefilled; None when it says nothing yet."""
        after = self.history_so_far
        return None if not after or after[-1].role == "user" or after == self._sent else after[-1]

    def added_to(self, history: MessageHistory) -> MessageHistory:
        """Add the reply so far to a history that has grown since it was sent; once more, and it has grown there.

        Until the stream is finished nothing is logged, and a policy to raise lets everything pass: it may all still
        come.

        Args:
            history: the history.

        Returns:
            The history with the reply in its place, followed by what came since; the same when nothing has come.

        Raises:
            InvariantError: see `MessageHistory.add`.
            ValueError: when the history did not grow out of the version that was sent.

        Complexity: the size of the reply and of what was added since.
        """
        response = self.response
        parsed = parse_response(response, self._dialect) if response is not None else None
        if parsed is None:
            return history
        parsed.is_unfinished = not self.finished
        grown = add_reply_to(conversation_of(self._sent), conversation_of(history), parsed)
        return history if grown is conversation_of(history) else history_of(grown)


def _new_stream(dialect: Dialect[Any]) -> Assembler:
    for kind in type(dialect).__mro__:
        module = f"{kind.__module__}.stream"
        # A class in a module that is not a package has none next to it.
        if hasattr(sys.modules.get(kind.__module__), "__path__") and find_spec(module) is not None:
            stream: Assembler = import_module(module).Stream()
            return stream
    raise ValueError(f"dialect: no stream is known for {dialect.name}; pass that of the API that streams")
