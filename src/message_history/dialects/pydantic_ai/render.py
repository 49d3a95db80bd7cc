"""Write valid messages as the JSON of pydantic-ai's messages.

One message is one request or response, or several where the metadata of several came in and can be kept apart: a
request splits where a block brings other keys of its own, but never among results; a response splits as long as it
has made no call. What is written for a message depends on it and those before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import define, field

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, is_unicode, json_text
from message_history.dialects._shared.list_writer import write_messages
from message_history.dialects._shared.schema import Shape, misfits
from message_history.dialects._shared.typed_blocks import parsed_input
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, thaw_well_formed
from message_history.dialects.pydantic_ai.block_writer import Content
from message_history.dialects.pydantic_ai.parse import REQUEST_ONLY, is_stopped
from message_history.dialects.pydantic_ai.plain_writer import PydanticPlainWriter
from message_history.dialects.pydantic_ai.provider_blocks import PYDANTIC_AI, json_of
from message_history.dialects.pydantic_ai.schema import ID, PROVIDERS
from message_history.dialects.pydantic_ai.shapes import IN_REQUEST, IN_RESPONSE, REQUEST, RESPONSE, typed_kind_fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.pydantic_ai.model_fields import Fields

Wire = dict[str, Any]


@final
@define(eq=False)
class _Piece:
    """A request or a response that is being written."""

    keys: FrozenDict = EMPTY  # the message's own keys, unchanged
    parts: list[Wire] = field(factory=list)
    prompt: Wire | None = None  # the user prompt that may still take content; None without one
    opening: bool = True  # True while it holds system prompts only


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields[Any]) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._content = Content(self.changes)
        self._ids = Aliases(ID, 1 << 30)
        self._short = PydanticPlainWriter(self.changes, self._ids)
        self._opening: Sequence[SystemBlock] = ()
        self._last = 0

    def written(
        self, messages: Sequence[Message], system: Sequence[SystemBlock]
    ) -> tuple[list[Wire], list[Wire] | None]:
        """Write a whole conversation; the system prompt opens the first request."""
        self._opening, self._last = system, len(messages) - 1
        self._short.opens = bool(system)
        wire = write_messages(self, messages, self._short)
        # Without a request to open, the system prompt is sent next to the list.
        beside = [self._system(block) for block in system] if system and not messages else None
        for keys in (_carried(block) for block in system) if beside else ():
            if keys:
                self.changes.omitted(keys, "the keys of a request that is not sent")
        return wire, beside

    def message(self, message: Message) -> list[Wire]:
        """Write a message that the short way is not for."""
        if message.role == "user":
            return self.user(message, self._opening if self.changes.index == 0 else ())
        self._short.begin()
        return self.assistant(message)

    # Requests

    def user(self, message: Message, system: Sequence[SystemBlock]) -> list[Wire]:
        """Write the user messages of a turn: results, then everything else."""
        pieces = [_Piece()]
        for prompt in system:
            self._request_for(prompt, pieces).parts.append(self._system(prompt))
        for block in message.content:
            piece = self._request_for(block, pieces)
            if isinstance(block, ToolResultBlock):
                piece.parts.append(self._result(block))
                piece.opening = False
            elif isinstance(block, SystemBlock):
                if self.changes.index == 0 and _written(pieces) == len(system):
                    # It is not the system prompt: that would be read from the beginning of the list.
                    self._hold_place(piece)
                piece.parts.append(self._system(block))
                piece.prompt = None
            else:
                self._user(block, piece)
        if _written(pieces) == len(system) and not any(map(_instructs, pieces)):
            self._hold_place(pieces[-1])
        return self._kept(pieces, "request", REQUEST)

    def _hold_place(self, piece: _Piece) -> None:
        self.changes.added("a message of which nothing could be sent")
        piece.parts.append({"content": PLACEHOLDER, "part_kind": "user-prompt"})
        piece.opening = False

    def _request_for(self, block: Block, pieces: list[_Piece]) -> _Piece:
        piece = pieces[-1]
        keys = self._message_keys(block, REQUEST)
        if not keys or keys == piece.keys:
            return piece
        if not piece.keys and piece.opening:
            piece.keys = keys
        elif isinstance(block, ToolResultBlock):
            self._join(piece, keys)
        else:
            piece = _Piece(keys)
            pieces.append(piece)
        return piece

    def _join(self, piece: _Piece, keys: FrozenDict) -> None:
        """Add the keys of another message to a piece; what differs has no place."""
        omitted = {key: value for key, value in keys.items() if key in piece.keys and piece.keys[key] != value}
        if omitted:
            self.changes.omitted(FrozenDict(omitted), f"keys of a message that was joined: {', '.join(omitted)}")
        piece.keys = FrozenDict({**keys, **piece.keys})

    def _system(self, block: SystemBlock) -> Wire:
        wire: Wire = {"content": self._content.text(block.text)}
        return self._part(wire, "system-prompt", block, IN_REQUEST)

    def _user(self, block: Block, piece: _Piece) -> None:
        """Write a block of a user message that is neither a result nor a system prompt."""
        extra = block.extra(PYDANTIC_AI)
        if isinstance(block, ProviderBlock) and block.dialect == PYDANTIC_AI and "part_kind" in block.data:
            piece.parts += self._whole(block, IN_REQUEST)
            piece.prompt = None
        elif isinstance(block, ProviderBlock) and block.dialect == PYDANTIC_AI and block.type == REQUEST_ONLY:
            pass
        elif isinstance(block, TextBlock) and extra.get("kind") in IN_REQUEST:
            piece.parts.append(self._marked_text(block, str(extra["kind"])))
            piece.prompt = None
        else:
            item = self._content.item(block)
            if item is None:
                return
            self._ask(block, item, extra, piece)
        piece.opening = False

    def _ask(self, block: Block, item: str | Wire, extra: Mapping[str, Any], piece: _Piece) -> None:
        """Put content into a user prompt: its own, or that of the block before it."""
        goes_on = extra.get("joined") is True or (not extra and not isinstance(item, str))
        if piece.prompt is not None and goes_on:
            content = piece.prompt["content"]
            piece.prompt["content"] = [*([content] if isinstance(content, str) else content), item]
            return
        listed = extra.get("items") is True or extra.get("joined") is True or not isinstance(item, str)
        wire: Wire = {"content": [item] if listed else item}
        piece.prompt = self._part(wire, "user-prompt", block, IN_REQUEST)
        piece.parts.append(piece.prompt)

    def _marked_text(self, block: TextBlock, kind: str) -> Wire:
        """Write text that is not a user prompt: a retry, a summary, a transcript."""
        text = self._content.text(block.text)
        extra = block.extra(PYDANTIC_AI)
        key = "transcript" if kind == "speech" else "content"
        wire: Wire = {key: json_of(text) if extra.get("form") == "json" else text}
        wire = self._part(wire, kind, block, IN_REQUEST)
        if misfits(IN_REQUEST[kind], wire):
            self.changes.rewritten(f"a {kind} that lacks something, as a user prompt", block)
            return {"content": text, "part_kind": "user-prompt"}
        if kind == "retry-prompt" and wire.get("tool_call_id"):
            # Without the key it would answer a call that has this id.
            wire.setdefault("tool_name", None)
        return wire

    def _result(self, block: ToolResultBlock) -> Wire:
        extra = block.extra(PYDANTIC_AI)
        part = extra.get("part")
        recorded = part.get("tool_name") if isinstance(part, FrozenDict) else None
        known = isinstance(recorded, str) and recorded.strip() != ""
        name = self._content.text(str(recorded)) if known else self._short.names.get(block.tool_use_id, "unknown_tool")
        kind = "retry-prompt" if extra.get("kind") == "retry-prompt" else "tool-return"
        wire: Wire = {
            "tool_name": name,
            "content": self._content.returned(block, extra.get("form")),
            "tool_call_id": self._id(block.tool_use_id),
        }
        if not extra and block.is_error:
            denied = block.mark is not None and block.mark.reason == "denied"
            wire["outcome"] = "failed" if not block.is_stub else "denied" if denied else "interrupted"
        written = self._part(dict(wire), kind, block, IN_REQUEST)
        if kind == "retry-prompt" and misfits(IN_REQUEST[kind], written):
            self.changes.rewritten("a retry prompt of another form, as a return", block)
            written = {**wire, "outcome": "retried", "part_kind": "tool-return"}
        return written

    # Responses

    def assistant(self, message: Message) -> list[Wire]:
        pieces = [_Piece()]
        for block in message.content:
            piece = self._response_for(block, pieces)
            if isinstance(block, ToolUseBlock):
                piece.parts.append(self._call(block))
            else:
                piece.parts += self._assistant(block)
        if not _written(pieces):
            self.changes.added("a message of which nothing could be sent")
            pieces[-1].parts.append({"content": PLACEHOLDER, "part_kind": "text"})
        return self._kept(pieces, "response", RESPONSE)

    def _response_for(self, block: Block, pieces: list[_Piece]) -> _Piece:
        """Choose the response that a block goes to: another one where it brings other keys and no call was made."""
        piece = pieces[-1]
        keys = self._message_keys(block, RESPONSE)
        if not keys or keys == piece.keys:
            return piece
        if not piece.keys and not piece.parts:
            piece.keys = keys
        elif self._short.names:
            self._join(piece, keys)
        else:
            piece = _Piece(keys)
            pieces.append(piece)
        return piece

    def _call(self, block: ToolUseBlock) -> Wire:
        name = self._content.text(block.name)
        self._short.names[block.id] = name
        form = block.extra(PYDANTIC_AI).get("form")
        wire: Wire = {"tool_name": name}
        if block.arguments is not None:
            wire["args"] = self._content.text(block.arguments)
        elif block.frozen_input or form not in ("null", "absent"):
            wire["args"] = thaw_well_formed(block.frozen_input, self.changes)
        elif form == "null":
            wire["args"] = None
        wire["tool_call_id"] = self._id(block.id)
        return self._signed(self._part(wire, "tool-call", block, IN_RESPONSE), block)

    def _assistant(self, block: Block) -> list[Wire]:
        """Write a block of an assistant message that is not a call."""
        if isinstance(block, TextBlock):
            return [self._text_part(block)]
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            return [self._file(block)]
        if isinstance(block, ProviderBlock) and block.dialect == PYDANTIC_AI and "part_kind" in block.data:
            return self._whole(block, IN_RESPONSE)
        self.changes.omitted(block, "not for a response")
        return []

    def _text_part(self, block: TextBlock) -> Wire:
        text = self._content.text(block.text)
        if block.extra(PYDANTIC_AI).get("kind") == "speech":
            wire = self._part({"transcript": text}, "speech", block, IN_RESPONSE)
            if not misfits(IN_RESPONSE["speech"], wire):
                return wire
            self.changes.rewritten("speech of another form, as text (PA-10)", block)
            return {"content": text, "part_kind": "text"}
        return self._signed(self._part({"content": text}, "text", block, IN_RESPONSE), block)

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> list[Wire]:
        text = block.thinking if isinstance(block, ThinkingBlock) else ""
        signature = block.signature if isinstance(block, ThinkingBlock) else block.data
        extra = block.extra(PYDANTIC_AI)
        provider = PROVIDERS.get(block.issuer or "anthropic")
        if signature and not block.bound and self._dialect.binds_thinking:
            self.changes.omitted(block, "thinking whose prefix was changed")
            return []
        if signature and not extra and provider is None:
            self.changes.omitted(block, f"thinking signed by {block.issuer}, which has no name here (PA-20)")
            return []
        # Signed text is written as it is: any edit would break the signature.
        wire: Wire = {"content": text if signature else self._content.text(text)}
        if signature is not None:
            wire["signature"] = signature
        if not extra and isinstance(block, RedactedThinkingBlock):
            wire["id"] = "redacted_content" if block.issuer == "bedrock" else "redacted_thinking"
        if not extra and (signature or (block.issuer is not None and provider is not None)):
            wire["provider_name"] = provider
        wire = self._part(wire, "thinking", block, IN_RESPONSE)
        if not is_unicode(f"{wire['content']}{wire.get('signature')}"):
            self.changes.omitted(block, "signed thinking with a lone surrogate (PA-09)")
            return []
        return [wire]

    def _file(self, block: ImageBlock | DocumentBlock) -> Wire:
        others = block.extra(PYDANTIC_AI).get("item")
        item = self._content.media(block, others if isinstance(others, FrozenDict) else EMPTY)
        if isinstance(item, dict) and item.get("kind") == "binary":
            return self._signed(self._part({"content": item}, "file", block, IN_RESPONSE), block)
        if isinstance(item, dict):
            self.changes.omitted(block, "media that is not data, in a response")
            item = f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]"
        return {"content": item, "part_kind": "text"}

    def _signed(self, wire: Wire, block: Block) -> Wire:
        """Put a signature of Google's that came from elsewhere where a part has it."""
        signature = block.meta.signature if block.meta is not None else None
        if signature is not None and block.issuer == "gemini" and wire.get("provider_details") is None:
            wire["provider_name"] = PROVIDERS["gemini"]
            wire["provider_details"] = {"thought_signature": signature}
        return wire

    # Both

    def _whole(self, block: ProviderBlock, known: Mapping[str, Shape]) -> list[Wire]:
        """Write a part that only this package understands: unchanged, if it is allowed there."""
        kind = block.data.get("part_kind")
        wire = self._content.thawed(block.data)
        shape = known.get(kind) if isinstance(kind, str) else None
        # A response may hold parts that are newer than the list of them.
        is_newer = isinstance(kind, str) and kind != "" and known is IN_RESPONSE and kind not in IN_REQUEST
        if (shape is None and not is_newer) or kind in _PAIRED:
            self.changes.omitted(block, "a part that is not allowed there")
            return []
        if shape is not None and (wrong := misfits(shape, wire)):
            keys = ", ".join(key for key, _ in wrong)
            self.changes.omitted(block, f"a {kind} whose keys do not fit: {keys} (PA-06)")
            return []
        if not typed_kind_fits(wire):
            self.changes.omitted(FrozenDict(tool_kind=wire.pop("tool_kind")), "a tool kind that does not fit (PA-19)")
        return [wire]

    def _part(self, wire: Wire, kind: str, block: Block, known: Mapping[str, Shape]) -> Wire:
        """Add the other keys with which a part came, as far as they fit, and its kind."""
        others = block.extra(PYDANTIC_AI).get("part")
        if isinstance(others, FrozenDict):
            for key, value in self._keys(known[kind], others).items():
                wire.setdefault(key, value)
        wire["part_kind"] = kind
        if not typed_kind_fits(wire):
            self.changes.omitted(FrozenDict(tool_kind=wire.pop("tool_kind")), "a tool kind that does not fit (PA-19)")
        return wire

    def _kept(self, pieces: Sequence[_Piece], kind: str, shape: Shape) -> list[Wire]:
        wire: list[Wire] = []
        for piece in pieces:
            if piece.parts or (kind == "request" and _instructs(piece)):
                self._end_well(piece)
                wire.append({"parts": piece.parts, **self._keys(shape, piece.keys), "kind": kind})
            elif piece.keys:
                self.changes.omitted(piece.keys, f"the keys of a {kind} of which nothing could be sent")
        self._resume(wire if self.changes.index < self._last else wire[:-1])
        return wire

    def _resume(self, followed: Sequence[Wire]) -> None:
        """Write what has been followed by anything as no longer suspended (PA-18)."""
        for message in followed:
            if message.get("state") == "suspended":
                state = FrozenDict(state=message.pop("state"))
                self.changes.omitted(state, "that a response is suspended, which something follows (PA-18)")

    def _end_well(self, piece: _Piece) -> None:
        """Write the calls of a response that was truncated elsewhere so that they do not seem to have been cut off."""
        if not is_stopped(piece.keys):
            return
        for part in piece.parts:
            if part["part_kind"] != "tool-call":
                continue
            args = part.get("args")
            if isinstance(args, str) and parsed_input(args) is None:
                part["args"] = json_text({"_raw": args})
            elif part is piece.parts[-1] and not isinstance(args, str):
                part["args"] = json_text(args or {})
            else:
                continue
            self.changes.rewritten("a call's arguments as text that is complete, in a response that was cut off")

    def _message_keys(self, block: Block, shape: Shape) -> FrozenDict:
        """Return the keys of the message that a block opened, as far as they fit, and record the others."""
        keys = _carried(block)
        wrong = self._wrong(shape, keys) if keys else {}
        return FrozenDict({key: value for key, value in keys.items() if key not in wrong}) if wrong else keys

    def _keys(self, shape: Shape, keys: FrozenDict) -> Wire:
        """Return keys that fit, and record the others."""
        wrong = self._wrong(shape, keys)
        return {key: value for key, value in self._content.thawed(keys).items() if key not in wrong}

    def _wrong(self, shape: Shape, keys: FrozenDict) -> Wire:
        wrong = {key: keys[key] for key, missing in misfits(shape, keys) if not missing}
        wrong |= {key: keys[key] for key in _WRITTEN if key in keys}
        if wrong:
            self.changes.omitted(
                FrozenDict(wrong), f"keys with values that do not fit (PA-06): {', '.join(map(str, wrong))}"
            )
        return wrong

    def _id(self, id: str) -> str:
        alias = self._ids(id)
        if alias != id:
            self.changes.renamed(id, alias, "PA-09")
        return alias


def _carried(block: Block) -> FrozenDict:
    keys = block.carried(PYDANTIC_AI) if block.meta is not None else EMPTY
    return keys if isinstance(keys, FrozenDict) else EMPTY


def _instructs(piece: _Piece) -> bool:
    return isinstance(piece.keys.get("instructions"), str)


def _written(pieces: Sequence[_Piece]) -> int:
    return sum(len(piece.parts) for piece in pieces)


_WRITTEN: Final = ("parts", "kind", "part_kind")
"""The keys that are written here; what came under one next to the content is not part of it."""
_PAIRED: Final = ("tool-call", "tool-return", "retry-prompt")
"""The parts that are calls and results: one that could not be read as such has no partner."""
