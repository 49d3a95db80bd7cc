"""Chats as programs on a desktop keep them: SillyTavern, text-generation-webui, TypingMind, AI Studio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Gemini
from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    STATE,
    Collector,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    item_fit,
    objects_in,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_BEGAN: Final = "<|BEGIN-VISIBLE-CHAT|>"
"""What text-generation-webui writes as the user's message where the character speaks first."""


def _is_tavern_row(item: Mapping[str, Any]) -> bool:
    is_message = isinstance(item.get("mes"), str) and isinstance(item.get("is_user"), bool)
    return is_message or {"user_name", "character_name"} <= item.keys()


def _read_tavern(document: Document) -> Reading:
    collector = Collector()
    title: object = None
    for n, row in document.numbered_items:
        if not isinstance(row, dict) or not _is_tavern_row(row):
            collector.note(n, "a row that is not a message", row)
        elif "mes" not in row:
            title = row["character_name"]
        elif row.get("is_system") is True:
            # It is shown, and not sent.
            collector.omit("hidden messages")
        else:
            collector.add_blocks(n, "user" if row["is_user"] else "assistant", text(row["mes"]))
            swipes = row.get("swipes")
            collector.omit("other replies", len(swipes) - 1 if isinstance(swipes, list) and swipes else 0)
    return collector.reading(BLOCKS, title=title)


def _pairs(document: Document) -> list[Any]:
    found = document.object.get("internal")
    return found if isinstance(found, list) and isinstance(document.object.get("visible"), list) else []


def _fit_textgen(document: Document) -> Fit:
    pairs = _pairs(document)
    are_pairs = all(isinstance(each, list) and len(each) == 2 for each in pairs)
    return Fit.CERTAIN if pairs and are_pairs else Fit.NONE


def _read_textgen(document: Document) -> Reading:
    collector = Collector()
    for n, pair in enumerate(_pairs(document)):
        for role, words in zip(("user", "assistant"), pair if isinstance(pair, list) else (), strict=False):
            if words != _BEGAN:
                collector.add_blocks(n, role, text(words))
    return collector.reading(BLOCKS)


def _typing_chats(document: Document) -> list[Any]:
    data = document.object.get("data")
    found = data.get("chats") if isinstance(data, dict) else None
    return found if isinstance(found, list) else []


def _fit_typing(document: Document) -> Fit:
    chats = _typing_chats(document)
    is_own = all(isinstance(each, dict) and isinstance(each.get("messages"), list) for each in chats)
    return Fit.CERTAIN if chats and is_own else Fit.NONE


def _read_typing(document: Document) -> Reading:
    found = Conversations()
    for n, chat in enumerate(_typing_chats(document)):
        collector = found.collector()
        for message in chat["messages"]:
            if not add_chat_message(collector, n, message):
                collector.note(n, "a message of an unknown role", message)
        label = f"chat {chat.get('id') or n}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=chat.get("id"), title=chat.get("chatTitle")))
    return found.reading()


def _chunks(document: Document) -> list[Any]:
    prompt = document.object.get("chunkedPrompt")
    found = prompt.get("chunks") if isinstance(prompt, dict) else None
    return found if isinstance(found, list) else []


def _read_studio(document: Document) -> Reading:
    collector = Collector()
    system = document.object.get("systemInstruction")
    parts = objects_in(system.get("parts")) if isinstance(system, dict) else []
    words = "".join(str(part.get("text", "")) for part in parts)
    if words.strip():
        collector.add(0, {"role": "system", "parts": [{"text": words}]})
    for n, chunk in enumerate(_chunks(document)):
        role = chunk.get("role") if isinstance(chunk, dict) else None
        if role not in ("user", "model"):
            collector.note(n, "a chunk of an unknown role", chunk)
        elif made := _studio_part(chunk):
            thought = {"thought": True} if chunk.get("isThought") is True else {}
            signature = chunk.get("thoughtSignatures")
            signed = {"thoughtSignature": signature[-1]} if isinstance(signature, list) and signature else {}
            collector.add_blocks(n, role, [{**made, **thought, **signed}], "parts")
        else:
            collector.omit("files on Drive, and other chunks without words")
    return collector.reading(Gemini())


def _studio_part(chunk: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(chunk.get("text"), str) and chunk["text"].strip():
        return {"text": chunk["text"]}
    held = chunk.get("inlineImage", chunk.get("inlineFile"))
    return {"inlineData": held} if isinstance(held, dict) and "data" in held else {}


SILLYTAVERN: Final = Format(
    name="sillytavern",
    rank=540,
    title="SillyTavern chats",
    files="data/*/chats/*/*.jsonl",
    omits="hidden messages, other replies, the settings of the chat",
    unwritten=STATE,
    source="SillyTavern/SillyTavern: public/script.js (`saveChat`), src/endpoints/chats.js",
    checked="2026-11-23",
    fit=item_fit(_is_tavern_row, lambda item: "mes" in item and _is_tavern_row(item)),
    read=_read_tavern,
    judged=NOTHING_JUDGED,
)
TEXTGEN: Final = Format(
    name="text-generation-webui",
    rank=550,
    title="Chats of text-generation-webui",
    files="user_data/logs/chat/*/*.json",
    omits="what was shown where it differs from what was sent",
    unwritten=STATE,
    source="oobabooga/text-generation-webui: modules/chat.py (`save_history`)",
    checked="2026-11-23",
    fit=_fit_textgen,
    read=_read_textgen,
    judged=NOTHING_JUDGED,
)
TYPINGMIND: Final = Format(
    name="typingmind",
    rank=560,
    title="Exports of TypingMind",
    files="`Settings, Export`",
    omits="folders, prompts, settings",
    unwritten=EXPORTED,
    source="docs.typingmind.com: import and export of data",
    checked="2026-11-23",
    fit=_fit_typing,
    read=_read_typing,
    judged=NOTHING_JUDGED,
)
AI_STUDIO: Final = Format(
    name="ai-studio",
    rank=570,
    title="Prompts of Google AI Studio",
    files="Google Drive, `Google AI Studio`",
    omits="settings, prompts that were not sent, files on Drive",
    unwritten=EXPORTED,
    source="files of AI Studio as people publish them",
    checked="2026-11-23",
    fit=lambda document: Fit.CERTAIN if _chunks(document) else Fit.NONE,
    read=_read_studio,
    judged=NOTHING_JUDGED,
)
