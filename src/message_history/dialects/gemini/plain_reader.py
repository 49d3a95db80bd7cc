"""Read contents of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast, final

from message_history.core.messages.plain import pack_keys
from message_history.dialects._shared.plain_runs import Piece, message_of_parts
from message_history.dialects.gemini import schema
from message_history.dialects.gemini.entries import GEMINI, NOTED
from message_history.dialects.gemini.pairing import calls_of

if TYPE_CHECKING:
    from message_history.core.messages.message import Message, Role

_ROLES: Final[dict[str, Role]] = {"user": "user", "model": "assistant"}
_UNSIGNED: Final = pack_keys(GEMINI, {NOTED: {"bypass": True}})
_UNDER: Final = {"output": None, "result": pack_keys(GEMINI, {NOTED: {"key": "result"}})}
"""Where the text of a response is, and what is kept of it."""


@final
class PlainReader:
    """Reads a run of contents; it knows the ids and names of the calls that wait in the turn."""

    def __init__(self, waiting: list[tuple[str, str]], *, answering: bool) -> None:
        self._waiting = waiting
        self._answered = 0  # how many of them do not wait any more
        self._answering = answering  # whether the next content of the model begins a turn

    def read(self, content: dict[str, Any]) -> Message | None:
        """Read a content; None when it needs a second look."""
        role = content.get("role")
        side = _ROLES.get(role) if type(role) is str else None
        if side is None or len(content) != 2:
            return None
        message = message_of_parts(side, content.get("parts"), self._response if side == "user" else _call)
        return message if message is not None and self._note(message) else None

    def _note(self, message: Message) -> bool:
        """Note which calls wait; False for calls of one turn in several contents."""
        if message.role == "user":
            self._answered += len(message.ids)
        elif self._answering or not self._waiting:
            self._waiting, self._answered = calls_of(message), 0
        elif message.ids:
            return False
        self._answering = message.role == "user"
        return True

    def _response(self, part: dict[str, Any], piece: Piece) -> bool:
        """Read a response to the first call that waits, with its id and name."""
        response, position = part.get("functionResponse"), self._answered + len(piece.ids)
        if type(response) is not dict or len(part) != 1 or len(response) != 3 or position >= len(self._waiting):
            return False
        id, name, output = response.get("id"), response.get("name"), response.get("response")
        if type(id) is not str or type(name) is not str or (id, name) != self._waiting[position]:
            return False
        if type(output) is not dict or len(output) != 1:
            return False
        ((key, text),) = output.items()
        return key in _UNDER and type(text) is str and piece.result(self._waiting[position][0], text, _UNDER[key])


def _call(part: dict[str, Any], piece: Piece) -> bool:
    """Read a call that is not signed."""
    call, signature = cast("Any", part.get("functionCall")), part.get("thoughtSignature")
    args = call.get("args") if type(call) is dict and len(call) == 3 else None
    is_unsigned = len(part) == 2 and type(signature) is str and signature in schema.BYPASSES
    if type(args) is not dict or not (is_unsigned or len(part) == 1):
        return False
    return piece.call(call.get("id"), call.get("name"), args, _UNSIGNED if is_unsigned else None)
