"""Write messages of the shapes that nearly all have; whatever else there is, `render` writes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.message import kept_keys
from message_history.core.messages.plain import meta_of_keys
from message_history.core.values.json_values import EMPTY
from message_history.dialects._shared.plain_messages import SHORT, are_foreign
from message_history.dialects._shared.writer import arguments_of
from message_history.dialects.openai_chat.block_writer import OTHER_ID
from message_history.dialects.openai_chat.parse import OPENAI_CHAT
from message_history.dialects.openai_chat.schema import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects.openai_chat.block_writer import BlockWriter
    from message_history.dialects.openai_chat.model_fields import Fields

Wire = dict[str, Any]
NOT_TAKEN_BACK: Final = "reasoning that this API does not take back"
"""Why thinking is omitted."""
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""
GO_ON: Final = "Go on."
"""What the user says where text and calls of one message must be two."""
RESULT: Final = 2
"""How many parts a result has in a plain content; thinking, which has as many, comes without keys."""
_THINKING: Final = re.compile("<think>(.*?)</think>", re.DOTALL)
EMPTIED: Final = frozenset({"empty", "emptied"})
"""The values of `null_content` under which an empty text stands for missing content."""


def is_common(dialect: Fields) -> bool:
    """Return whether there is a short way: calls are calls, and texts are sent as they are."""
    return dialect.tools == "messages" and not (dialect.native or dialect.banned_text or dialect.result_names)


@final
class ChatPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    def __init__(self, dialect: Fields, writer: BlockWriter) -> None:
        self._dialect = dialect  # the provider's and model's fields, see `is_common`
        self._writer = writer
        self._changes = writer.changes
        self._ids = writer.ids
        self._takes_names = dialect.name_pattern is NAME
        self._adds_reasoning = bool(dialect.reasoning) and dialect.reasoning_required != "never"
        # Whether a message of one text is that and nothing else.
        self._is_whole = not self._adds_reasoning and not dialect.thinking_first
        self._without_text = without_text(dialect)

    def takes(self, keys: bytes | None, item: Any) -> bool:
        """Return whether packed keys came from elsewhere, or are the name of a result alone."""
        return (len(item) == RESULT and type(item) is tuple and _name_in(keys) != "") or are_foreign(keys, OPENAI_CHAT)

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        """Write an assistant message; see `PlainWriter`. The calls that it cannot hold come with their results."""
        dialect, texts, thinks = self._dialect, [], False
        if self._is_whole and len(plain) == 1 and type(plain[0]) is str:
            self._ids.new_scope()
            wire.append({"role": "assistant", "content": plain[0]})
            return True
        calls: list[Wire] = []
        aliases = self._ids.of_calls(message.ids)
        for item in plain:
            if type(item) is str:
                texts.append(item)
            elif len(item) == 3:
                id, name, packed = item
                fitting = name if self._takes_names else self._writer.name(name)
                alias = aliases[len(calls)]
                if alias != id:
                    self._changes.renamed(id, alias, OTHER_ID)
                function = {"name": fitting, "arguments": arguments_of(packed)}
                calls.append({"id": alias, "type": "function", "function": function})
            elif not thinks:
                thinks = True
                self._changes.omitted_thinking(message, NOT_TAKEN_BACK)
        written: Wire = {"role": "assistant", **self._without_text}
        if texts:
            written["content"] = self._joined(texts)
        if calls:
            written["tool_calls"] = calls
        self._writer.later_calls = self._later(written, calls) if len(calls) > dialect.max_calls else []
        if self._adds_reasoning:
            add_reasoning(written, dialect, has_calls=bool(calls))
        if dialect.text_with_calls and not dialect.thinking_first:
            wire.append(written)
        else:
            wire += as_messages(written, dialect, self._writer)
        return True

    def _later(self, written: Wire, calls: list[Wire]) -> list[Wire]:
        """Leave a message as many calls as it may have, and return the others."""
        limit = self._dialect.max_calls
        if self._changes.wanted:
            self._changes.rewritten(f"{len(calls)} calls as messages of at most {limit} (OC-05, HF-06)")
        written["tool_calls"] = calls[:limit]
        return calls[limit:]

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        ids = message.ids
        texts = plain[len(ids) :] if ids else plain
        if ids:
            self._results(message, plain, wire)
        if texts:
            if ids and self._dialect.bridge:
                self._bridge(wire)
            wire.append({"role": "user", "content": texts[0] if len(texts) == 1 else self._joined(texts)})
        return True

    def _results(self, message: Message, plain: Plain, wire: list[Wire]) -> None:
        dialect, later, kept = self._dialect, self._writer.later_calls, kept_keys(message)
        for position, alias in enumerate(self._ids.of_results(message.ids)):
            if later and position and position % dialect.max_calls == 0:
                wire.append(call_message(later[position - dialect.max_calls : position], dialect))
            id, content = plain[position]
            if not content and dialect.empty_result is not None:
                self._changes.added("text of an empty result (KM-02, XA-02)")
                content = dialect.empty_result
            if alias != id:
                self._changes.renamed(id, alias, OTHER_ID)
            wire.append({"role": "tool", "tool_call_id": alias, "content": content})
            if kept and (name := _name_in(kept[position])):
                wire[-1]["name"] = name if self._takes_names else self._writer.name(name)
        self._writer.later_calls = []

    def _bridge(self, wire: list[Wire]) -> None:
        """Let the assistant say something where a user message may not follow a tool message."""
        self._changes.added("an assistant message between a tool message and a user message (HF-02)")
        written: Wire = {"role": "assistant", "content": BRIDGE}
        if self._adds_reasoning:
            add_reasoning(written, self._dialect, has_calls=False)
        wire.append(written)

    def _joined(self, texts: Sequence[str]) -> str | list[Wire]:
        if len(texts) == 1:
            return texts[0]
        return self._writer.joined([{"type": "text", "text": text} for text in texts])


@lru_cache(maxsize=1_000)
def _name_in(keys: bytes | None) -> str:
    """Return the name that a result came with and that is sent back; empty without one, or with more than that."""
    meta = meta_of_keys(keys)
    own = meta.extra.get(OPENAI_CHAT, EMPTY) if meta is not None else EMPTY
    name = own.get("name") if len(own) == 1 else None
    return name if isinstance(name, str) and name.isascii() and name.isidentifier() and len(name) <= SHORT else ""


def as_messages(wire: Wire, dialect: Fields, writer: BlockWriter) -> list[Wire]:
    """Put an assistant message into the form that the dialect takes, which may be two messages."""
    if dialect.thinking_first and (content := wire.get("content")):
        is_text = isinstance(content, str) or all("text" in part for part in content)
        texts = [content] if isinstance(content, str) else [part["text"] for part in content if is_text]
        pieces = _THINKING.split("\n\n".join(texts))
        if len(pieces) > 3 or (len(pieces) == 3 and pieces[0].strip()):
            writer.changes.rewritten("reasoning inside the content as one, before all other text")
            wire["content"] = "\n".join([f"<think>{''.join(pieces[1::2])}</think>", *filter(str.strip, pieces[::2])])
    return [wire] if dialect.text_with_calls else _apart(wire, dialect, writer)


def _apart(wire: Wire, dialect: Fields, writer: BlockWriter) -> list[Wire]:
    """Split an assistant message that holds text and calls, where it may not hold both."""
    calls = wire.get("tool_calls")
    if not calls or not wire.get("content"):
        return [wire]
    text = {key: value for key, value in wire.items() if key != "tool_calls"}
    if not dialect.go_on:
        writer.changes.rewritten("text and calls of one message as two (HF-14)")
        return [text, call_message(calls, dialect)]
    writer.changes.added("a user message between text and calls of one message (VX-01)")
    return [text, {"role": "user", "content": GO_ON}, call_message(calls, dialect)]


def without_text(dialect: Fields) -> Wire:
    """Return the content of an assistant message without text."""
    return {} if dialect.null_content == "omit" else {"content": "" if dialect.null_content in EMPTIED else None}


def call_message(calls: list[Wire], dialect: Fields) -> Wire:
    """Write an assistant message of calls alone, as of those that the message before could not hold."""
    made: Wire = {"role": "assistant", **without_text(dialect), "tool_calls": calls}
    add_reasoning(made, dialect, has_calls=True)
    return made


def add_reasoning(wire: Wire, dialect: Fields, *, has_calls: bool) -> None:
    """Give a message an empty reasoning where there must be one (DS-09, KM-05)."""
    required = dialect.reasoning_required
    if dialect.reasoning and (required in ("once shown", "always") or (required == "calls" and has_calls)):
        wire.setdefault(dialect.reasoning, "")
