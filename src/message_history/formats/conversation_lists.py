"""Many conversations in one file: logs of requests, batches, data sets for fine-tuning; in lines or in a JSON list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.registry import shape_of
from message_history.files.budgets import CONVERSATION, spend
from message_history.files.conversations import Conversation, Origin
from message_history.files.damaged_json import Decoder, LineNote, decode_bytes
from message_history.files.files import FileForm, SavedFile, contained, json_bytes
from message_history.files.repaired_lists import repair_file
from message_history.files.request_bodies import entries_at, find_place, held_at
from message_history.formats.kit.base import Fit, Format, Reading, Rewritten
from message_history.formats.kit.document import parse_document, rows_in
from message_history.formats.kit.raw_blocks import json_of
from message_history.formats.kit.spliced import line_bytes
from message_history.formats.message_lists import fit_of_messages

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.formats.kit.document import Document

_LISTS: Final = ("requests", "data", "conversations", "items", "examples", "chats")
"""The keys of an object that may hold a list of conversations."""
_IDS: Final = ("custom_id", "recordId", "id")


def _is_around(item: Any) -> bool:
    """Return whether an item holds a conversation, and is not a message itself."""
    if isinstance(item, list):
        return fit_of_messages(item) is Fit.CERTAIN
    return isinstance(item, dict) and "role" not in item and shape_of(item) is None and find_place(item) is not None


def _with_list(item: Any) -> Any:
    """Return a request of the Responses API whose input is a text with it as the user's message; any other as it is."""
    body = item.get("body") if isinstance(item, dict) else None
    url = item.get("url") if isinstance(item, dict) else None
    if not isinstance(body, dict) or not isinstance(body.get("input"), str) or not str(url).endswith("/responses"):
        return item
    return {**item, "body": {**body, "input": [{"role": "user", "content": body["input"]}]}}


def _entries(item: Any) -> list[Any]:
    return item if isinstance(item, list) else entries_at(item, find_place(item) or ())


def _items(document: Document) -> list[tuple[int, Any]]:
    """Return the items of a list, also of one inside an object, or of a file of lines."""
    key = _key(document.value)
    return list(enumerate(document.object[key])) if key is not None else document.numbered_items


def _key(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    found = (key for key in _LISTS if isinstance(value.get(key), list) and any(map(_is_around, value[key])))
    key = next(found, None)
    # Data sets hold the messages of one conversation under the name of a list of them.
    return key if key is not None and find_place(value) in (None, (key,)) else None


def _fit(document: Document) -> Fit:
    items = [_with_list(item) for _, item in _items(document)]
    # A single object is a request.
    if isinstance(document.value, dict) and _key(document.value) is None:
        return Fit.NONE
    around = [item for item in items if _is_around(item)]
    if not around or (document.value is None and len(items) < 2):
        return Fit.NONE
    if len(around) * 2 <= len(items):
        return Fit.NEAR
    fits = [fit_of_messages(_entries(item)) for item in around]
    is_whole = document.value is None or len(around) == len(items)
    return Fit.CERTAIN if is_whole and all(fit is Fit.CERTAIN for fit in fits) else Fit.NEAR


def _read(document: Document) -> Reading:
    is_list = document.value is not None
    found: list[Conversation] = []
    notes: list[LineNote] = []
    for n, item in _items(document):
        file = _inside(item)
        if file is None:
            detail = "no conversation"
            notes.append(LineNote(line=1 if is_list else n, detail=f"item {n}: {detail}" if is_list else detail))
            continue
        spend(CONVERSATION)
        id = next((item[key] for key in _IDS if isinstance(item, dict) and isinstance(item.get(key), str)), None)
        tools = json_of(held_at(item, (*file.place[:-1], "tools")))
        found.append(
            Conversation(
                file=file,
                origin=Origin(label=f"item {n}" if is_list else f"line {n}", id=id),
                tools=tuple(tools) if isinstance(tools, list) else (),
                places=(n,) * len(file.entries),
            )
        )
    return Reading(conversations=tuple(found), notes=tuple(notes))


def _inside(item: Any) -> SavedFile | None:
    item = _with_list(item)
    if isinstance(item, list):
        return SavedFile(entries=tuple(item), form=FileForm.LIST)
    place = find_place(item) if isinstance(item, dict) else None
    return contained(item, place) if place is not None else None


def _repaired(item: Any, policy: Policy) -> tuple[Any, tuple[Repair, ...]] | None:
    file = _inside(item)
    if file is None:
        return None
    repaired = repair_file(file, policy=policy)
    if not (repaired.repairs or Conversation(file=file).violations()):
        return None
    return Decoder().value(decode_bytes(repaired.data)), repaired.repairs


def _repair(data: bytes, policy: Policy) -> Rewritten:
    """Repair each item; one that is sound, and one that holds something else, stays as it was."""
    document = parse_document(data)
    repairs: list[tuple[str, tuple[Repair, ...]]] = []
    if document.value is not None:
        items = []
        for n, item in _items(document):
            new = _repaired(item, policy)
            items.append(item if new is None else new[0])
            repairs += [] if new is None else [(f"item {n}", new[1])]
        key = _key(document.value)
        whole = items if key is None else {**document.object, key: items}
        return Rewritten(json_bytes(whole, indent=2) + b"\n", tuple(repairs))
    written: list[bytes] = []
    for line in rows_in(data)[0]:
        new = _repaired(line.value, policy)
        written.append(line_bytes(line, None if new is None else new[0]))
        repairs += [] if new is None else [(f"line {line.number}", new[1])]
    return Rewritten(b"".join(written), tuple(repairs))


CONVERSATION_LISTS: Final = Format(
    name="log",
    rank=2020,
    title="Conversations or requests, many in a file: logs, batches (OpenAI, Anthropic, Bedrock), fine-tuning",
    files="anywhere",
    omits="nothing; what is around the messages stays",
    source="the providers' references of their batch and fine-tuning APIs; docs/dialects.md",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_repair,
    judged=None,
    general=True,
    by_line=True,
)
