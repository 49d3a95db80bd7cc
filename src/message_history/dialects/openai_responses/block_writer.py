"""The pieces that items are made of: texts, parts, and the other keys that an item may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict
from message_history.dialects._shared.sources import omit_beside_source
from message_history.dialects._shared.writer import Changes, thaw_well_formed, well_formed
from message_history.dialects.openai_responses import notes, schema
from message_history.dialects.openai_responses.schema import OPENAI_RESPONSES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from message_history.core.messages.blocks import ProviderBlock, TextBlock
    from message_history.dialects.openai_responses.model_fields import Fields

Wire = dict[str, Any]
OURS: Final = notes.NOTES | {"type"}
"""The keys that a block keeps for us, and those that say what is written."""
PART_KEYS: Final = frozenset({"detail", "prompt_cache_breakpoint"})
"""The keys that a part may hold besides what it is."""


@final
class Pieces:
    """The pieces of one export."""

    def __init__(self, dialect: Fields, changes: Changes) -> None:
        self.changes = changes
        self._dialect = dialect

    def text_parts(self, block: TextBlock) -> list[Wire]:
        extra = block.extra(OPENAI_RESPONSES) if block.meta is not None else {}
        parts: list[Wire] = [{"type": "input_text", "text": text} for text in self.texts(block.text)]
        mark = extra.get("prompt_cache_breakpoint")
        if isinstance(mark, FrozenDict):
            parts[-1]["prompt_cache_breakpoint"] = thaw_well_formed(mark, self.changes)
        self.omit_keys(extra, {"prompt_cache_breakpoint"} if isinstance(mark, FrozenDict) else set())
        return parts

    def media(self, block: ImageBlock | DocumentBlock) -> Wire:
        """Write an image or a document as a part; one that cannot be sent as a note."""
        what = "image" if isinstance(block, ImageBlock) else "document"
        title = block.title if isinstance(block, DocumentBlock) else None
        found = self._held(block)
        if found is not None and (self._dialect.images if what == "image" else self._dialect.files):
            omit_beside_source(block, self.changes, sends_type=False)
            extra = block.extra(OPENAI_RESPONSES)
            kept = {key: value for key, value in extra.items() if key in PART_KEYS and schema.suits(key, value)}
            self.omit_keys(extra, kept)
            wire: Wire = {"type": "input_image" if what == "image" else "input_file", **found}
            if what == "document" and (title is not None or "file_data" in found):
                wire["filename"] = well_formed(title or "document.pdf", self.changes)
            return {**wire, **{key: thaw_well_formed(value, self.changes) for key, value in kept.items()}}
        text = block.source.get("data")
        if what == "document" and block.source.get("type") == "text" and isinstance(text, str):
            self.changes.rewritten("a text document as text", block)
            return {"type": "input_text", "text": self.text(f"[Document{f' {title}' if title else ''}]\n{text}")}
        self.changes.omitted(block, f"{what}: a source that this API does not take")
        return {"type": "input_text", "text": f"[{what} left out: it cannot be sent here]"}

    def own(self, block: ProviderBlock) -> Wire:
        """Write a part unchanged; a recording as a note where it is refused (OR-18, OR-39)."""
        held = block.data.get("file_data")
        kind = held[5:11] if isinstance(held, str) and held.startswith("data:") else ""
        refused = self._dialect.checks_keys is True and block.type == "input_audio"
        if not refused and (self._dialect.checks_keys is False or kind not in ("audio/", "video/")):
            part: Wire = thaw_well_formed(block.data, self.changes)
            return part
        self.changes.omitted(block, "a recording, which this API does not take")
        return {"type": "input_text", "text": "[recording left out: it cannot be sent here]"}

    def _held(self, block: ImageBlock | DocumentBlock) -> Wire | None:
        """Return the key that holds what an image or a document is."""
        name = "image" if isinstance(block, ImageBlock) else "file"
        source, kind = block.source, block.source.get("type")
        held = source.get({"url": "url", "base64": "data", "file": "file_id"}.get(str(kind), ""))
        if not isinstance(held, str) or (kind != "base64" and not held.strip()):
            return None
        if kind == "base64":
            media_type = str(source.get("media_type"))
            if (
                name == "file"
                and self._dialect.checks_keys is not False
                and media_type.startswith(("audio/", "video/"))
            ):
                return None
            held = f"data:{source.get('media_type') or 'text/plain'};base64,{held}"
        if kind == "url" and self._dialect.checks_keys is not False and _is_refused_at(held, name):
            return None
        held = well_formed(held, self.changes)
        if kind == "file":
            return {"file_id": held} if block.issuer in (None, OPENAI_RESPONSES) else None
        return {f"{name}_data" if kind == "base64" and name == "file" else f"{name}_url": held}

    def texts(self, text: str) -> list[str]:
        """Write a text, in several pieces if it is too long for one (OR-23)."""
        text = self.text(text)
        limit = self._dialect.text_limit
        if len(text) <= limit:
            return [text]
        self.changes.rewritten(f"a text of {len(text)} characters in pieces of {limit} (OR-23)")
        return [text[start : start + limit] for start in range(0, len(text), limit)]

    def text(self, text: str) -> str:
        if text.isascii() and "\0" not in text:
            return text
        text = well_formed(text, self.changes)
        if "\0" in text:
            self.changes.rewritten("U+0000 in text, replaced by U+FFFD (OC-21)")
            text = text.replace("\0", "\ufffd")
        return text

    def kept(
        self, extra: Mapping[str, Any], kind: str, *others: str, written: Collection[str] = (), free: bool = False
    ) -> Wire:
        """Return the further keys that an item of this type may hold, and record those that it may not.

        What the item says in the fields of its block is `written` already; no other value takes its place. An item that
        another server than OpenAI's made is `free`: that server takes back what it gave.
        """
        free = free or self._dialect.checks_keys is False
        asked = extra.keys() if free else schema.KEYS[kind]
        known = {key for key in asked - OURS if key in extra and schema.suits(key, extra[key])}
        known -= _OF_BLOCKS.intersection(written)
        if kind == "apply_patch_call" and extra.get("status") == "incomplete":
            known.discard("status")
        self.omit_keys(extra, known | {"id"})
        return {
            key: thaw_well_formed(value, self.changes)
            for key, value in extra.items()
            if key in known and key != "id" and key not in others
        }

    def omit_keys(self, keys: Mapping[str, Any], known: Iterable[str]) -> None:
        omitted = {key: value for key, value in keys.items() if key not in OURS and key not in known}
        if omitted:
            self._omitted(omitted)

    def _omitted(self, omitted: Mapping[str, Any]) -> None:
        self.changes.omitted(FrozenDict(omitted), f"keys that this API does not take (OR-17): {', '.join(omitted)}")


_OF_BLOCKS: Final = frozenset({"type", "role", "content", "call_id", "name", "input", "arguments", "output"})
"""The keys that are written from the fields of a block."""


def plain(parts: list[Wire]) -> str | list[Wire]:
    """Return the content of a message or an output: a text if that is all."""
    if len(parts) == 1 and parts[0].keys() == {"type", "text"}:
        text: str = parts[0]["text"]
        return text
    return list(parts)


def is_part(block: ProviderBlock) -> bool:
    """Return whether a block is a part that is sent unchanged: a recording, or a file in a form of its own."""
    if block.dialect != OPENAI_RESPONSES:
        return False
    held = {"input_audio": ("input_audio",), "input_file": ("file_data",)}.get(block.type, ())
    return any(block.data.get(key) for key in held)


def _is_refused_at(url: str, name: str) -> bool:
    """Return whether an image has no address (OR-41), or a file that of a text or recording, by its ending (OR-40)."""
    if name == "image":
        return not url.startswith(_ADDRESSES)
    return url.partition("?")[0].partition("#")[0].lower().endswith(_NO_DOCUMENTS)


_ADDRESSES: Final = ("https://", "http://", "data:")
_NO_DOCUMENTS: Final = (".txt", ".aac", ".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav", ".mov", ".mp4", ".webm")
