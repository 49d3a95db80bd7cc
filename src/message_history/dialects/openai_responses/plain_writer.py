"""Write common messages as items; whatever else there is, `plan` and `render` write.

Their items have no ids, so that no reasoning is looked for; a short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.plain_messages import foreign_to
from message_history.dialects._shared.writer import arguments_of

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects._shared.writer import Aliases, Changes

Wire = dict[str, Any]
RENAMED: Final = "OR-15, DS-16"
"""The rules that demand another id."""


@final
class ResponsesPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    takes = staticmethod(foreign_to("openai_responses", "openai_chat"))

    def __init__(self, limit: int, changes: Changes, ids: Aliases) -> None:
        # The last assistant message that was written; None when it was not written here, or has its answer.
        self.asked: Message | None = None
        self.may_answer = True  # whether the next user message may be written: nothing is planned that goes before it
        self._limit = limit  # how long a text may be
        self._changes = changes
        self._ids = ids

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        limit = self._limit
        for item in plain:
            if type(item) is str and len(item) > limit:
                return False
        aliases = self._ids.of_calls(message.ids)
        position, thinks = 0, False
        for item in plain:
            if type(item) is str:
                wire.append({"role": "assistant", "content": item})
            elif len(item) == 3:
                id, name, packed = item
                alias = aliases[position]
                position += 1
                if alias != id:
                    self._changes.renamed(id, alias, RENAMED)
                arguments = arguments_of(packed)
                wire.append({"type": "function_call", "call_id": alias, "name": name, "arguments": arguments})
            elif not thinks:
                thinks = True
                self._changes.omitted_thinking(message, "thinking of another provider (OR-21)")
        self.asked, self.may_answer = message, True
        return True

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        """Write a user message; see `PlainWriter`. Results must be those of the calls, in their order."""
        ids = message.ids
        if not self.may_answer or ids != (self.asked.ids if self.asked is not None else ()) or not self._fits(plain):
            return False
        texts = plain[len(ids) :] if ids else plain
        for position, alias in enumerate(self._ids.of_results(ids) if ids else ids):
            wire.append({"type": "function_call_output", "call_id": alias, "output": plain[position][1]})
        if len(texts) == 1:
            wire.append({"role": "user", "content": texts[0]})
        elif texts:
            wire.append({"role": "user", "content": [{"type": "input_text", "text": text} for text in texts]})
        self.asked = None
        return True

    def _fits(self, plain: Plain) -> bool:
        """Return whether nothing in a user message is too long, and it is not a first one without text."""
        limit = self._limit
        for item in plain:
            text = item if type(item) is str else item[1]
            if len(text) > limit:
                return False
        return self._changes.index > 0 or type(plain[-1]) is str
