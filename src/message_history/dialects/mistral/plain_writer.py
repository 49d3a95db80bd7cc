"""Write common messages in Mistral's form; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.plain_messages import SHORT, foreign_to
from message_history.dialects._shared.writer import arguments_of, named_for
from message_history.dialects.mistral.schema import ANY_NAME, NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects._shared.writer import Aliases, Changes
    from message_history.dialects.mistral.model_fields import Fields

Wire = dict[str, Any]
NOT_TAKEN_BACK: Final = "thinking that this model does not take back (MS-M10)"
"""Why thinking is omitted."""
OTHER_ID: Final = "MS-M07"
"""The rule that demands another id."""
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""
GO_ON: Final = "Go on."
"""What the user says where text and calls of one message must be two."""


@final
class MistralPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    takes = staticmethod(foreign_to("mistral", "openai_chat"))

    def __init__(self, dialect: Fields, changes: Changes, ids: Aliases) -> None:
        self._dialect = dialect
        self._changes = changes
        self._ids = ids
        self._takes_names = dialect.name_pattern in (NAME, ANY_NAME) and dialect.name_limit >= SHORT

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        texts, thinks = [], False
        calls: list[Wire] = []
        aliases = self._ids.of_calls(message.ids)
        for item in plain:
            if type(item) is str:
                texts.append(item)
            elif len(item) == 3:
                id, name, packed = item
                fitting = name if self._takes_names else self._name(name)
                function = {"name": fitting, "arguments": arguments_of(packed)}
                alias = aliases[len(calls)]
                if alias != id:
                    self._changes.renamed(id, alias, OTHER_ID)
                calls.append({"id": alias, "type": "function", "function": function})
            elif not thinks:
                thinks = True
                self._changes.omitted_thinking(message, NOT_TAKEN_BACK)
        written: Wire = {"role": "assistant", "content": self._content(texts)}
        wire.append(written)
        if calls and texts and not self._dialect.text_with_calls:
            self._changes.added("a user message between text and calls of one message (MS-M09)")
            written = {"role": "assistant", "content": ""}
            wire += [{"role": "user", "content": GO_ON}, written]
        if calls:
            written["tool_calls"] = calls
        return True

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        ids = message.ids
        texts = plain[len(ids) :] if ids else plain
        for position, alias in enumerate(self._ids.of_results(ids) if ids else ids):
            id, content = plain[position]
            if alias != id:
                self._changes.renamed(id, alias, OTHER_ID)
            wire.append({"role": "tool", "tool_call_id": alias, "content": content})
        if texts:
            if ids and self._dialect.bridge:
                self._changes.added("an assistant message between a tool message and a user message (MS-M03a)")
                wire.append({"role": "assistant", "content": BRIDGE})
            wire.append({"role": "user", "content": self._content(texts)})
        return True

    def _name(self, name: str) -> str:
        return named_for(name, self._dialect.name_pattern, self._dialect.name_limit, self._changes)

    def _content(self, texts: Sequence[str]) -> str | list[Wire]:
        if len(texts) == 1:
            return texts[0]
        in_list = texts and self._dialect.text_lists
        return [{"type": "text", "text": text} for text in texts] if in_list else "\n\n".join(texts)
