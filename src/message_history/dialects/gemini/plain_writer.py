"""Write common messages as contents of generateContent; whatever else there is, `render` writes.

A short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

from message_history.core.messages.plain import input_of
from message_history.dialects._shared.plain_messages import foreign_to
from message_history.dialects.gemini import schema

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects._shared.writer import Aliases, Changes
    from message_history.dialects.gemini.model_fields import Fields

Wire = dict[str, Any]


class Called(NamedTuple):
    """How a call was written: what its response must repeat."""

    id: str | None
    name: str
    own_name: str
    """The name before it was put in another form."""


UNKNOWN = Called(None, "unknown_tool", "unknown_tool")


@final
class GeminiPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    takes = staticmethod(foreign_to("gemini"))

    def __init__(self, dialect: Fields, changes: Changes, ids: Aliases) -> None:
        self._dialect = dialect
        self._changes = changes
        self._ids = ids
        self._signs = dialect.signatures_required is not False
        # Bare tuples of the fields of `Called`: they are made in a tenth of the time.
        # How the calls of the last message of the model were written, by our id; `render` adds those that it writes,
        # and responses of either are looked up here.
        self.called: dict[str, tuple[str | None, str, str]] = {}

    def begin(self) -> None:
        self._ids.new_scope()
        self.called = {}

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        self.begin()
        has_ids, signs, thinks, called = self._dialect.ids, self._signs, False, self.called
        parts: list[Wire] = []
        for item in plain:
            if type(item) is str:
                parts.append({"text": item})
            elif len(item) == 3:
                id, name, packed = item
                if has_ids:
                    called[id] = (id, name, name)
                    call: Wire = {"id": id, "name": name, "args": input_of(packed)}
                else:
                    called[id] = (None, name, name)
                    self._changes.rewritten(f"the call {id!r:.80} without its id (GM-G21)")
                    call = {"name": name, "args": input_of(packed)}
                if signs:
                    signs = False
                    self._unsigned(id)
                    parts.append({"functionCall": call, "thoughtSignature": schema.BYPASS})
                else:
                    parts.append({"functionCall": call})
            elif not thinks:
                thinks = True
                self._changes.omitted_thinking(message, "thinking issued by another provider (GM-G13)")
        wire.append({"role": "model", "parts": parts})
        return True

    def _unsigned(self, id: str) -> None:
        if self._changes.wanted:
            self._changes.rewritten(f"the call {id!r:.80}, unsigned, with a stand-in for the signature (GM-G14)")

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        ids = message.ids
        if ids:
            wire.append({"role": "user", "parts": self._responses(ids, plain)})
            plain = plain[len(ids) :]
        if plain:
            wire.append({"role": "user", "parts": [{"text": text} for text in plain]})
        return True

    def _responses(self, ids: tuple[str, ...], plain: Plain) -> list[Wire]:
        responses: list[Wire] = []
        called = self.called
        for position, id in enumerate(ids):
            own_id, name, _ = called.get(id, UNKNOWN)
            response = {"output": plain[position][1]}
            if own_id is None:
                responses.append({"functionResponse": {"name": name, "response": response}})
            else:
                responses.append({"functionResponse": {"id": own_id, "name": name, "response": response}})
        return responses
