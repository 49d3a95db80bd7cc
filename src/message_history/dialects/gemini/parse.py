"""Read contents of generateContent, and what people have saved in its form.

Field names come as the REST API writes them or as the SDK's objects do (`function_call`); both are read as the former.
"""

from __future__ import annotations

import base64
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import EMPTY, freeze, json_text, short_repr
from message_history.core.values.meta import Meta
from message_history.dialects._shared.blank_texts import kept_beside
from message_history.dialects._shared.mcp import mcp_result
from message_history.dialects._shared.plain_runs import read_runs
from message_history.dialects._shared.reader import add_message, read_entries, role_of
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import MODELLED, call_of_text, read_block, read_blocks, text_of_json
from message_history.dialects.gemini import schema
from message_history.dialects.gemini.entries import (
    GEMINI,
    Came,
    Entry,
    asked,
    fields_of,
    id_of,
    ids_in,
    known_fields,
    responds,
)
from message_history.dialects.gemini.media import (
    in_plain_base64,
    is_held_by_google,
    is_modelled,
    media_type,
    type_of_data,
    type_of_url,
)
from message_history.dialects.gemini.pairing import Answered, Pairing
from message_history.dialects.gemini.plain_reader import PlainReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from message_history.dialects.base import Foreign

_ROLES: Final = {
    "model": "assistant",
    "assistant": "assistant",
    "user": "user",
    "tool": "user",
    "function": "user",
    "system": "system",
    "developer": "system",
}


@final
class Reader:
    """One list on its way in; each content is one message."""

    issuer: str | None = GEMINI

    def __init__(self) -> None:
        self.parsed = Parsed()
        self._pairing = Pairing()
        self._entries: list[Entry] = []
        self._role = "user"
        self._source = 0

    def read(self, raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
        follow = self._pairing.follow
        ahead = partial(self._ahead, raw)
        return read_entries(raw, foreign, self, "no content", lambda found: follow(found.messages), ahead=ahead)

    def _ahead(self, raw: Sequence[Any], source: int) -> int:
        """Read contents at one look each; the pairing gets to know them when an entry needs a second one."""
        first, reached, waiting = len(self.parsed.messages), source, self._pairing.waiting()
        if waiting is not None:
            reached = read_runs(raw, source, self.parsed, PlainReader(waiting[0], answering=waiting[1]).read)
        if reached < len(raw):
            self._pairing.follow(self.parsed.messages[first:])
            if not self._entries:
                self._entries = [Entry.of(entry) for entry in raw]
                self._pairing.avoid(id for entry in self._entries for part in entry.parts for id in ids_in(part))
        return reached

    def own_entry(self, entry: object, source: int) -> bool:
        self._source = source
        known = self._entries[source]
        if not known.is_content or known.data is None:
            return False
        self._content(known.data, known)
        return True

    def other_entry(self, entry: object, source: int) -> bool:
        """Read a text or a part, which the SDK takes where a content is meant, or a message of nobody in particular."""
        known = self._entries[source]
        if known.items:
            self._content({}, known)
            return True
        if known.data is None or not known.data.keys() & {"role", "content"}:
            return False
        self._plain(known.data)
        return True

    def _plain(self, data: Mapping[Any, Any]) -> None:
        """Read a message whose content is under `content`, as other providers have it."""
        blocks = read_blocks(data.get("content"), self._source, self.parsed, self)
        self._message(data, self._role_of(data, [{}]), blocks, {"role", "content"})

    def _content(self, data: Mapping[Any, Any], entry: Entry) -> None:
        self._role = self._role_of(data, entry.parts)
        responses = [asked(part["functionResponse"]) for part in entry.parts if responds(part)]
        answered = iter(self._pairing.answers(responses))
        if self._role == "assistant":
            self._pairing.begin_model()
        else:
            self._pairing.begin_user()
        blocks: list[Block] = []
        for item, part in zip(entry.items, entry.parts, strict=True):
            blocks += self._part(item, part, answered)
        if self._role == "assistant":
            blocks = kept_beside(blocks, GEMINI, lambda text: {"text": text}, empty=True)
        self._message(data, self._role, blocks, {"role", "parts"})

    def _role_of(self, data: Mapping[Any, Any], parts: Sequence[Mapping[str, Any]]) -> str:
        role = role_of(data)
        known = _ROLES.get(role.lower()) if isinstance(role, str) else None
        if known is None:
            calls = any("functionCall" in part for part in parts)
            known = "assistant" if calls and not role else "user"
            self.parsed.role_assumed(self._source, role, f"role {{}} taken as the {known}'s")
        return known

    def _message(self, data: Mapping[Any, Any], role: str, blocks: list[Block], read: set[str]) -> None:
        keys = {key: value for key, value in data.items() if key not in read}
        add_message(self.parsed, data, self._source, dialect=GEMINI, role=role, blocks=blocks, keys=keys)

    # Parts

    def _part(self, item: object, fields: dict[str, Any], answered: Iterator[Answered]) -> list[Block]:
        if isinstance(item, str):
            return [text_block(str.__str__(item))]
        if isinstance(item, Block):
            return [item]
        if not fields:
            if as_mapping(item) is not None or item is None:
                self.parsed.dropped(item, self._source, "a part without data")
                return []
            return [self._as_text(item, "a part that is not one")]
        present = [kind for kind in schema.DATA if kind in fields]
        came = self._came({key: value for key, value in fields.items() if key not in schema.DATA})
        if not present:
            return self._without_data(fields, came)
        if len(present) > 1:
            self._converted("a part with two data fields, split")
        # Whatever is next to the data belongs to the call if there is one.
        owner = "functionCall" if "functionCall" in present else present[0]
        return [self._data(kind, fields[kind], came if kind == owner else Came(), answered) for kind in present]

    def _came(self, beside: dict[str, Any]) -> Came:
        """Take the signature from a part's other fields; the value that means a missing one does not count (GM-G14)."""
        signature = beside.pop("thoughtSignature", None)
        if isinstance(signature, bytes | bytearray | memoryview):
            signature = base64.b64encode(signature).decode()
        if signature is None or signature == "":
            return Came(beside)
        if isinstance(signature, str) and signature in schema.BYPASSES:
            return Came(beside, facts={"bypass": True})
        if isinstance(signature, str) and self._role == "assistant":
            return Came(beside, str.__str__(signature))
        return Came({**beside, "thoughtSignature": signature})

    def _without_data(self, fields: dict[str, Any], came: Came) -> list[Block]:
        """Read a part that has no data field of this API."""
        if came.signature is not None and not came.keys.keys() - {"thought"}:
            # Streams end with a signature alone, with or without its empty text.
            came.facts["text"] = False
            return [self._text("", came)]
        if fields.keys() <= schema.BESIDE and (self._role != "user" or fields.keys().isdisjoint(schema.ALONE)):
            self.parsed.dropped(fields, self._source, "a part without data")
            return []
        if isinstance(fields.get("type"), str) and fields["type"] in MODELLED:
            return [read_block(fields, self._source, self.parsed, self)]
        return [ProviderBlock(GEMINI, fields)]

    def _data(self, kind: str, value: Any, came: Came, answered: Iterator[Answered]) -> Block:
        if kind == "text":
            return self._text(value, came)
        data = as_mapping(value)
        if data is None:
            return self._as_text(value, f"a {kind} that is not one", came)
        inner = known_fields(data, kind)
        if kind == "functionCall":
            return self._call(inner, came)
        if kind == "functionResponse":
            return self._response(inner, came, next(answered))
        if kind in ("inlineData", "fileData"):
            return self._media(kind, inner, came)
        return self._own(kind, inner, came)

    def _own(self, kind: str, inner: Mapping[str, Any], came: Came) -> ProviderBlock:
        """Keep a part whole; its signature stays where signatures are."""
        return ProviderBlock(GEMINI, {kind: inner, **came.keys}, meta=Came(signature=came.signature).meta())

    def _text(self, value: Any, came: Came) -> Block:
        if not isinstance(value, str):
            return self._as_text(value, "text that is not a string", came)
        keys = came.keys
        if keys.get("thought") is True and self._role == "assistant":
            beside = Came({key: item for key, item in keys.items() if key != "thought"}, facts=came.facts).meta()
            return ThinkingBlock(str.__str__(value), came.signature, meta=evolve(beside or Meta(), issuer=GEMINI))
        facts = {"text": False} if came.facts.get("text") is False else {}
        return text_block(str.__str__(value), Came(keys, came.signature, facts).meta())

    def _call(self, inner: dict[str, Any], came: Came) -> ToolUseBlock:
        name, args = inner.pop("name", None), inner.pop("args", None)
        name = "" if name is None else name if isinstance(name, str) else text_of_json(name)
        own_id = id_of(inner.pop("id", None))
        id = self._pairing.call(own_id, name)
        if not own_id:
            came.facts["id"] = False
        partial = inner.get("partialArgs")
        came.keys.update(inner)
        if args is None and partial is not None:
            return call_of_text(id, name, text_of_json(partial), came.meta())
        if args is None:
            came.facts["args"] = False
            return ToolUseBlock(id, name, EMPTY, meta=came.meta())
        mapping = as_mapping(args)
        if mapping is not None:
            return ToolUseBlock(id, name, mapping, meta=came.meta())
        self._converted(f"the arguments of call {id!r:.80} were not an object")
        if args == []:
            return ToolUseBlock(id, name, EMPTY, meta=came.meta())
        return call_of_text(id, name, text_of_json(args), came.meta())

    def _response(self, inner: dict[str, Any], came: Came, answered: Answered) -> ToolResultBlock:
        own_id = id_of(inner.pop("id", None))
        if own_id and not answered.has_id:
            came.facts["id"] = own_id
        response, media = inner.pop("response", None), inner.pop("parts", None)
        name = inner.pop("name", None)
        if name is not None and name != answered.name:
            # Without its call at hand, a name is most likely the call's.
            (came.facts if answered.name is None else came.keys)["name"] = name
        content, is_error = self._output(response, came.facts)
        items = as_sequence(media)
        for item in ([] if media is None else [media]) if items is None else items:
            content.append(self._held(item))
        came.keys.update(inner)
        return tool_result_block(answered.id, tuple(content), is_error, came.meta())

    def _output(self, response: object, facts: dict[str, Any]) -> tuple[list[Block], bool]:
        mapping = as_mapping(response)
        if mapping is None:
            is_present = response is not None and response != ""
            return ([self._as_text(response, "a response that is not an object")] if is_present else []), False
        found = mcp_result(mapping) if "content" in mapping else None
        if found is not None:
            facts["response"], facts["blocks"] = mapping, len(found.content)
            return found.content, found.is_error
        key, value = "", response
        if len(mapping) == 1:
            only, inside = next(iter(mapping.items()))
            if only in ("output", "result") or (only == "error" and inside is not None):
                key, value = only, inside
        if isinstance(value, str):
            if key == "result":
                facts["key"] = key
            return ([text_block(str.__str__(value))] if value else []), key == "error"
        facts["key"], facts["json"] = key, True
        if not mapping:
            return [], False
        frozen, converted = freeze(mapping if not key else value)
        if converted:
            self._converted("; ".join(converted))
        return [text_block(json_text(frozen))], key == "error"

    def _held(self, item: object) -> Block:
        fields = fields_of(item)
        kind = next((kind for kind in ("inlineData", "fileData") if as_mapping(fields.get(kind)) is not None), None)
        if kind is None:
            return ProviderBlock(GEMINI, fields) if fields else self._as_text(item, "an entry that is not media")
        came = Came({key: value for key, value in fields.items() if key != kind})
        return self._media(kind, known_fields(as_mapping(fields[kind]) or {}, kind), came)

    def _media(self, kind: str, inner: dict[str, Any], came: Came) -> Block:
        declared, key = inner.get("mimeType"), "data" if kind == "inlineData" else "fileUri"
        where = inner.get(key)
        if isinstance(where, bytes | bytearray | memoryview):
            where = base64.b64encode(where).decode()
        if not isinstance(where, str):
            return self._own(kind, inner, came)
        if kind == "inlineData" and where.startswith("data:") and "," in where:
            head, _, where = where[5:].partition(",")
            self._converted("data with the head of a data URL, without it", head)
            declared = declared or head.partition(";")[0]
        mime = media_type(declared) or (type_of_data(where) if kind == "inlineData" else "")
        if mime and mime != (stood := inner.get("mimeType")):
            self._converted(f"the media type {short_repr(stood)} as {mime!r:.80}", *([] if stood is None else [stood]))
            inner["mimeType"] = mime
        inner[key] = where
        if not is_modelled(mime):
            return self._own(kind, inner, came)
        source, issuer = self._source_of(kind, where, mime, came)
        name = inner.get("displayName")
        title = name if isinstance(name, str) else None
        came.keys.update({key: value for key, value in inner.items() if key not in schema.FIELDS[kind]})
        if name and (title is None or mime.startswith("image/")):
            came.keys["displayName"] = name
        if mime.startswith("image/"):
            return ImageBlock(source, meta=came.meta(issuer))
        return DocumentBlock(source, title or None, meta=came.meta(issuer))

    def _source_of(self, kind: str, where: str, mime: str, came: Came) -> tuple[dict[str, str], str | None]:
        if kind == "inlineData":
            data = in_plain_base64(where)
            if data != where:
                came.facts["alphabet"] = "url"
            return {"type": "base64", "media_type": mime, "data": data}, None
        if is_held_by_google(where):
            return {"type": "file", "file_id": where, "media_type": mime}, GEMINI
        if type_of_url(where) != mime:
            came.keys["mimeType"] = mime
        return {"type": "url", "url": where}, None

    def _as_text(self, value: object, what: str, came: Came | None = None) -> TextBlock:
        """Keep a value that is not of this API, and the keys next to it."""
        self._converted(f"{what}, kept as JSON text")
        return text_block(text_of_json(value), came.meta() if came is not None else None)

    def _converted(self, detail: str, *stood: object) -> None:
        """Note what was put in another form, and what was there before."""
        removed = tuple(freeze(value)[0] for value in stood)
        self.parsed.note(RepairCode.VALUE_CONVERTED, self._source, removed, detail)

    # What `read_blocks` asks of a reader

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        return Came({key: value for key, value in others.items() if value is not None}).meta()

    def other(self, data: Mapping[Any, Any]) -> Block:
        return ProviderBlock(GEMINI, data)
