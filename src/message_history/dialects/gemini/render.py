"""Write valid messages as contents of generateContent.

A message of the assistant is one content of the model. A message of the user is one content with all responses, if
there are any, then one with everything else (GM-G23). What is written for a message depends on it and those before it:
the value that stands for a missing signature is added wherever a model could ask for it, not only in the last turn.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, json_text
from message_history.dialects._shared.blank_texts import is_kept_blank
from message_history.dialects._shared.list_writer import write_messages, write_turn
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, named_for, thaw_well_formed
from message_history.dialects.gemini import schema
from message_history.dialects.gemini.block_writer import Parts, Wire, fits, is_media, kind_of, type_of
from message_history.dialects.gemini.entries import GEMINI, noted
from message_history.dialects.gemini.media import is_base64
from message_history.dialects.gemini.plain_writer import UNKNOWN, Called, GeminiPlainWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.gemini.model_fields import Fields


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._parts = Parts(dialect, self.changes)
        self._ids = Aliases(schema.ID, schema.ID_LIMIT)
        self._short = GeminiPlainWriter(dialect, self.changes, self._ids)

    def written(self, messages: Iterable[Message], system: Sequence[SystemBlock]) -> tuple[list[Wire], Wire | None]:
        prompt = self._prompt(system)
        return write_messages(self, messages, self._short), prompt

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without media; of another, return None."""
        return write_turn(self, messages, self._short)

    def message(self, message: Message) -> list[Wire]:
        """Write a message that the short way is not for."""
        if message.role == "assistant":
            self._short.begin()
            return [{"role": "model", "parts": self.assistant(message) or [self._placeholder()]}]
        return self.user(message)

    def _prompt(self, system: Sequence[SystemBlock]) -> Wire | None:
        """Write the system prompt as the content that `systemInstruction` takes."""
        for block in system:
            self._parts.keys(block, {}, ())
        return {"parts": [{"text": self._parts.text(block.text)} for block in system]} if system else None

    def _placeholder(self) -> Wire:
        self.changes.added("a message of which nothing could be sent")
        return {"text": PLACEHOLDER}

    # The model's contents

    def assistant(self, message: Message) -> list[Wire]:
        parts: list[Wire] = []
        beside = any(isinstance(block, TextBlock | ToolUseBlock) for block in message.content)
        for block in message.content:
            if isinstance(block, TextBlock):
                self._text(block, parts)
            elif isinstance(block, ToolUseBlock):
                parts.append(self._call(block, is_first=not self._short.called))
            elif isinstance(block, ThinkingBlock):
                self._thought(block, parts)
            elif isinstance(block, ImageBlock | DocumentBlock) or is_media(block):
                written = self._parts.media(block)
                parts += written if "text" in written[-1] else self._signed(block, written)
            elif is_kept_blank(block, GEMINI):
                self._blank(block, parts, beside=beside)
            elif isinstance(block, ProviderBlock) and block.dialect == GEMINI:
                parts += self._own(block)
            else:
                self.changes.omitted(block, "a block of another provider")
        return parts

    def _text(self, block: TextBlock, parts: list[Wire]) -> None:
        signature = self._signature(block)
        alone = signature is not None and not block.text and noted(block).get("text") is False
        part = self._parts.keys(block, {} if alone else {"text": self._parts.text(block.text)}, ("thought",))
        if signature is not None:
            part["thoughtSignature"] = signature
        if not is_blank(block.text) or (signature is not None and (alone or block.text or self._dialect.empty_text)):
            parts.append(part)
        elif signature is not None and parts and parts[-1].get("text") and not parts[-1].keys() & _ASIDE:
            self.changes.rewritten("the signature of an empty text on the text before it (GM-G04)", block)
            parts[-1]["thoughtSignature"] = signature
        else:
            self.changes.omitted(block, "empty text (GM-G04)")

    def _blank(self, block: ProviderBlock, parts: list[Wire], *, beside: bool) -> None:
        """Write a blank text unchanged, where it is next to something."""
        if beside and (block.data["text"] or self._dialect.empty_text):
            parts.append(self._parts.keys(block, {"text": block.data["text"]}, ()))
        else:
            self.changes.omitted(block, "empty text (GM-G04)")

    def _thought(self, block: ThinkingBlock, parts: list[Wire]) -> None:
        if block.issuer != GEMINI:
            self.changes.omitted(block, f"thinking issued by {block.issuer or 'another provider'} (GM-G13)")
        elif not block.thinking and not block.signature and not self._dialect.empty_text:
            self.changes.omitted(block, "empty thinking (GM-G04)")
        else:
            part: Wire = {"text": self._parts.text(block.thinking), "thought": True}
            if not block.thinking and (noted(block).get("text") is False or not self._dialect.empty_text):
                del part["text"]
            written = self._signed(block, [self._parts.keys(block, part, ())])
            parts += [wire for wire in written if wire.keys() & {"text", "thoughtSignature"}]

    def _call(self, block: ToolUseBlock, *, is_first: bool) -> Wire:
        facts = noted(block) if block.meta is not None else {}
        name = named_for(block.name, schema.NAME, schema.NAME_LIMIT, self.changes)
        called = Called(self._id(block.id) if facts.get("id") is not False else None, name, block.name)
        self._short.called[block.id] = called
        call: Wire = {"id": called.id} if called.id is not None else {}
        call["name"] = name
        if not block.readable:
            self.changes.rewritten("an input that is not a JSON object, under `_raw` (GM-G20)", block)
        if block.frozen_input or facts.get("args") is not False:
            call["args"] = thaw_well_formed(block.frozen_input, self.changes)
        part: Wire = {"functionCall": call}
        if block.meta is not None:
            part = self._parts.keys(block, part, ("thought",))
        signature = self._signature(block)
        if signature is not None:
            part["thoughtSignature"] = signature
        elif is_first and (self._dialect.signatures_required is not False or facts.get("bypass")):
            if not facts.get("bypass"):
                self.changes.rewritten(
                    f"the call {block.id!r:.80}, unsigned, with a stand-in for the signature (GM-G14)"
                )
            part["thoughtSignature"] = schema.BYPASS
        return part

    def _id(self, id: str) -> str | None:
        if not self._dialect.ids:
            self.changes.rewritten(f"the call {id!r:.80} without its id (GM-G21)")
            return None
        alias = self._ids(id)
        if alias != id:
            self.changes.renamed(id, alias, "")
        return alias

    def _own(self, block: ProviderBlock) -> list[Wire]:
        kind = next((kind for kind in schema.MODEL_PARTS if isinstance(block.data.get(kind), FrozenDict)), None)
        inner: Any = block.data[kind] if kind is not None else EMPTY
        if kind is None or not all(fits(key, value) for key, value in inner.items()):
            self.changes.omitted(block, "a part that this API does not know (GM-G22)")
            return []
        if kind in schema.SERVER_PARTS and not self._dialect.server_tools:
            self.changes.omitted(block, "a server tool's part that does not go here (GM-G25)")
            return []
        return self._signed(block, [self._parts.whole(block, kind)])

    # Signatures

    def _signature(self, block: Block) -> str | None:
        """Return the signature that is sent back with a block: only this API's own, and only one that decodes."""
        signature = getattr(block, "signature", None)
        if signature is None and block.meta is not None:
            signature = block.meta.signature
        if not signature:
            return None
        if block.issuer != GEMINI:
            self.changes.rewritten(f"without the signature of {block.issuer or 'another provider'} (GM-G13)", block)
        elif not is_base64(signature):
            self.changes.rewritten("without a signature that does not decode (GM-G12)", block)
        else:
            return str(signature)
        return None

    def _signed(self, block: Block, parts: list[Wire]) -> list[Wire]:
        signature = self._signature(block)
        if signature is not None and parts:
            parts[-1]["thoughtSignature"] = signature
        return parts

    # The user's contents

    def user(self, message: Message) -> list[Wire]:
        """Write a user message: responses, then everything else in a content of its own (GM-G23)."""
        responses: list[Wire] = []
        behind: list[Wire] = []
        taken = {id for id, _, _ in self._short.called.values()}
        for block in message.content:
            if type(block) is TextBlock and block.meta is None:
                behind.append({"text": self._parts.text(block.text)})
            elif isinstance(block, ToolResultBlock):
                self._without_signature(block)
                responses.append(self._response(block, behind, taken))
            else:
                behind += self._user(block)
        if not responses and not behind:
            behind.append(self._placeholder())
        return [{"role": "user", "parts": parts} for parts in (responses, behind) if parts]

    def _user(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock) and block.text:
            if self._came_blank(block):
                return [{"text": ""}]
            self._without_signature(block)
            return [self._parts.keys(block, {"text": self._parts.text(block.text)}, ())]
        if isinstance(block, SystemBlock):
            self.changes.rewritten("a system message as marked text of the user's turn (GM-G05)", block)
            return [self._parts.keys(block, {"text": self._parts.text(f"<system>\n{block.text}\n</system>")}, ())]
        if isinstance(block, ImageBlock | DocumentBlock) or is_media(block):
            return self._parts.media(block)
        if isinstance(block, ProviderBlock) and block.dialect == GEMINI and block.data.keys() <= schema.BESIDE:
            # Nothing else goes without data (GM-G03).
            if any(fits(key, block.data[key]) for key in schema.ALONE & block.data.keys()):
                return [self._parts.beside(block)]
        self.changes.omitted(block, "not for a user message")
        return []

    def _without_signature(self, block: Block) -> None:
        if block.meta is not None and block.meta.signature is not None:
            self.changes.rewritten("without a signature, which only the model's text has", block)

    def _came_blank(self, block: TextBlock) -> bool:
        """Return whether a placeholder stands for an empty text that a list of this API began with."""
        mark = block.mark
        return mark is not None and mark.kind == "bootstrap" and mark.reason == GEMINI and self._dialect.empty_text

    def _response(self, block: ToolResultBlock, behind: list[Wire], taken: set[str | None]) -> Wire:
        """Write a result; media that a response does not hold go after the responses (GM-G24)."""
        called = Called._make(self._short.called.get(block.tool_use_id, UNKNOWN))
        facts = noted(block) if block.meta is not None else {}
        own_id = facts.get("id") if self._dialect.ids else None
        id = called.id if called.id is not None or own_id in taken else own_id
        response: Wire = {"id": id} if isinstance(id, str) else {}
        response["name"] = self._name_of(block, facts, called)
        texts: list[str] = []
        media: list[Wire] = []
        whole = facts.get("response")
        # Histories saved before media could be in one content with such a response do not say how many blocks it is.
        in_whole = 0 if whole is None else facts.get("blocks", len(block.content))
        for part in block.content[in_whole:]:
            if isinstance(part, TextBlock):
                texts.append(part.text)
                self._parts.keys(part, {}, ())
            elif isinstance(part, ImageBlock | DocumentBlock) or is_media(part):
                self._result_part(part, called, texts, media, behind)
            else:
                self.changes.rewritten("a block that a response may not hold, as JSON text", part)
                texts.append(json_text(part.data if isinstance(part, ProviderBlock) else repr(part)))
        if whole is None and sum(isinstance(part, TextBlock) for part in block.content) > 1:
            self.changes.rewritten("the texts of a result as one", block)
        response["response"] = thaw_well_formed(whole or _output("\n".join(texts), block, facts), self.changes)
        if whole is not None:
            behind += [{"text": text} for text in texts]
        if media:
            response["parts"] = media
        inner = ("scheduling",) if self._dialect.vertex else ("scheduling", "willContinue")
        keys = {key: value for key, value in block.extra(GEMINI).items() if key in inner and fits(key, value)}
        response.update(thaw_well_formed(FrozenDict(keys), self.changes))
        return self._parts.keys(block, {"functionResponse": response}, (), written=(*keys, "name"))

    def _name_of(self, block: ToolResultBlock, facts: Mapping[str, Any], called: Called) -> str:
        """Name a response's function: as it came where an id pairs it, else as its call does (GM-G17)."""
        own = block.extra(GEMINI).get("name", facts.get("name"))
        if own is None or own == called.own_name:
            return called.name
        if isinstance(own, str) and len(own) <= schema.NAME_LIMIT:
            # What no function could be called is an id in the place of the name, and recorded requests have it there.
            named = schema.NAME if called.id is not None or self._dialect.vertex else schema.RESPONSE_NAME
            is_id = not schema.NAME.fullmatch(own) or schema.MADE_ID.fullmatch(own) is not None
            if named.fullmatch(own) and (called.id is not None or is_id):
                return own
        self.changes.omitted(FrozenDict({"name": own}), "a response's own name, replaced by its call's (GM-G17)")
        return called.name

    def _result_part(
        self, part: Block, called: Called, texts: list[str], media: list[Wire], behind: list[Wire]
    ) -> None:
        """Write what a tool gave besides text."""
        held = bool(self._dialect.media_in_responses) and type_of(part) in schema.RESPONSE_TYPES
        written = self._parts.media(part, in_response=held)
        if not written[-1].keys() & {"inlineData", "fileData"}:
            texts += [str(note["text"]) for note in written]
        elif held:
            media += written
        else:
            what = kind_of(part)
            self.changes.rewritten(f"a tool's {what} after the responses (GM-G24)", part)
            texts.append(f"[The {what} follows in the next user message.]")
            behind += [{"text": f"[The {what} that the call of {called.name} gave:]"}, *written]


_ASIDE: Final = frozenset({"thought", "thoughtSignature"})


def _output(text: str, block: ToolResultBlock, facts: Any) -> Any:
    """Put what a tool gave into an object: as it came, if it came from here and still says so."""
    key = facts.get("key", "error" if block.is_error else "output")
    if (key == "error") != block.is_error:
        key, facts = "error" if block.is_error else "output", {}
    if not facts.get("json"):
        return FrozenDict({key: text})
    if not text and not key:
        return FrozenDict()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return FrozenDict({key or "output": text})
    if key:
        return FrozenDict({key: value})
    return FrozenDict(value) if isinstance(value, dict) else FrozenDict({"output": text})
