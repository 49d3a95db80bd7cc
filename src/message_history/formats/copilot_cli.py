"""The events of GitHub Copilot CLI: what the user and the model wrote, tools that ran, and subagents.

What is sent is what the program itself makes of the events when it goes on with a session: calls are those that a reply
requests; an abort, and a session that is resumed, answer the calls that are open; a compaction takes the place of what
was before it began; the first result of a call counts; commands that the user ran are not sent.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import evolve

from message_history.files.files import UnreadableFileError
from message_history.formats.kit.base import NOTHING_JUDGED, PAIRING, Collector, Format, Reading, row_fit
from message_history.formats.kit.document import rows_in
from message_history.formats.kit.message_rows import RowForm, dialect_items
from message_history.formats.kit.raw_blocks import (
    BLOCKS,
    call,
    image,
    json_text,
    objects_in,
    result,
    state_result,
    text,
    text_of,
    thinking,
)
from message_history.formats.kit.spliced import repair_threads
from message_history.formats.kit.splicing import Piece, Thread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.base import Rewritten
    from message_history.formats.kit.document import Document
    from message_history.formats.kit.message_rows import Items
    from message_history.formats.kit.splicing import Line

_SENT: Final = ("user.message", "assistant.message", "tool.execution_complete", "system.message")
_WORDS: Final = ("content", "textResultForLlm", "text_result_for_llm")
"""Where a result has its text, in the order of the versions, newest first."""
_PREFIXES: Final = (
    *("session.", "assistant.", "tool.", "hook.", "subagent.", "system.", "user.", "skill.", "permission."),
    *("model.", "mcp.", "external_tool.", "command.", "user_input.", "elicitation.", "sampling.", "exit_plan_mode."),
)
_ANSWERS_OPEN_CALLS: Final = ("abort", "session.resume")
_SENT_AS: Final = evolve(BLOCKS, split_results=False)
"""A result after what the user wrote meanwhile is apart from its call, whatever the model accepts."""
_JUDGED: Final = PAIRING | {"AN-C3"}
"""The program sends results where it has them, also after what the user wrote meanwhile: providers refuse that."""
_NAMESPACE: Final = uuid.UUID("9d5a7c1e-2f0b-5c3d-8a4e-61b7c2d93f05")


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return (
        isinstance(row.get("data"), dict) and isinstance(kind, str) and (kind.startswith(_PREFIXES) or kind == "abort")
    )


def _is_marked(row: Mapping[str, Any]) -> bool:
    return _is_row(row) and row.get("type") in (*_SENT, "session.start")


class _Share(NamedTuple):
    """What an event adds to the conversation: the position of its line, the role, and the blocks."""

    at: int
    role: Role
    items: list[Any]


@final
class _Session:
    """The main conversation, and one for each subagent by the call that started it, or by its id."""

    def __init__(self, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self.about: Mapping[str, Any] = {}
        self.system = ""
        self.shares: list[_Share] = []
        self.sides: dict[str, list[_Share]] = {}
        self.omitted: Counter[str] = Counter()
        self.unread: list[tuple[int, object]] = []
        self._compacted_from: int | None = None
        self._answered: set[object] = set()
        self._open: dict[object, None] = {}
        every = list(rows)
        self.is_copy = any("vscodeVersion" in _data(row) for _, row in every if row.get("type") == "session.start")
        asked = (each for _, row in every for each in _data(row).get("toolRequests") or () if isinstance(each, dict))
        self._asked = {each.get("toolCallId") for each in asked}
        self._by_user = {_data(row).get("toolCallId") for _, row in every if row.get("type") == "tool.user_requested"}
        self._reasoned = {_data(row).get("reasoningText") for _, row in every}
        for at, row in every:
            self._take(at, row)

    def _take(self, at: int, row: Mapping[str, Any]) -> None:
        kind, data = row.get("type"), row.get("data")
        if not isinstance(data, dict) or not isinstance(kind, str):
            self.unread.append((at, row))
            return
        side = data.get("parentToolCallId") or row.get("agentId")
        role, items = _items(row)
        if self.is_copy and kind == "tool.execution_start" and data.get("toolCallId") not in self._asked:
            # VS Code does not always write the reply that asks for a call.
            role, items = "assistant", [call(data.get("toolCallId"), data.get("toolName"), data.get("arguments"))]
        if items and self._is_sent(kind, data, side):
            self._note_other_texts(data)
            if side:
                self.sides.setdefault(str(side), []).append(_Share(at, role, items))
            else:
                self._add(_Share(at, role, items))
        elif items and kind == "tool.execution_complete":
            self.omitted["results of the user's own commands, and second results"] += 1
        elif kind == "system.message" and not self.system and not side:
            self.system = text_of(data.get("content"))
        else:
            self.omitted[kind] += 1
        if not side:
            self._follow(at, kind, data)

    def _add(self, share: _Share) -> None:
        self.shares.append(share)
        for item in share.items:
            if item["type"] == "tool_use":
                self._open[item.get("id")] = None
            elif item["type"] == "tool_result":
                self._answered.add(item.get("tool_use_id"))
                self._open.pop(item.get("tool_use_id"), None)

    def _replace(self, shares: list[_Share]) -> None:
        self.shares, self._answered, self._open = [], set(), {}
        for each in shares:
            self._add(each)

    def _is_sent(self, kind: str, data: Mapping[str, Any], side: object) -> bool:
        if kind == "assistant.reasoning":
            return data.get("content") not in self._reasoned
        if kind != "tool.execution_complete" or side:
            return True
        is_users = data.get("isUserRequested") is True or data.get("toolCallId") in self._by_user
        return not is_users and data.get("toolCallId") not in self._answered

    def _note_other_texts(self, data: Mapping[str, Any]) -> None:
        sent = data.get("transformedContent")
        if isinstance(sent, str) and sent != data.get("content"):
            self.omitted["texts of the user as they were sent, with what the program added"] += 1
        found = data.get("result")
        if isinstance(found, dict) and found.get("detailedContent") not in (None, found.get("content")):
            self.omitted["details of results for the display"] += 1

    def _follow(self, at: int, kind: str, data: Mapping[str, Any]) -> None:
        """Do what an event means for those before it."""
        if kind == "session.start":
            self.about = data
        elif kind == "session.compaction_start":
            self._compacted_from = len(self.shares)
        elif kind == "session.compaction_complete":
            self._compact(at, data)
        elif kind == "session.context_cleared":
            self.omitted["messages that were cleared"] += len(self.shares)
            self._replace(_text_shares(at, data.get("initialMessage")))
        elif kind in _ANSWERS_OPEN_CALLS and self._open:
            self._add(_Share(at, "user", [state_result(id, "interrupted") for id in self._open]))

    def _compact(self, at: int, data: Mapping[str, Any]) -> None:
        cut = self._compacted_from if self._compacted_from is not None else len(self.shares)
        self._compacted_from = None
        summary = _text_shares(at, data.get("summaryContent"))
        if data.get("success") is True and summary:
            self.omitted["session.compaction_complete"] -= 1
            self.omitted["messages that a summary takes the place of"] += cut
            self._replace([*summary, *self.shares[cut:]])


def _text_shares(at: int, written: object) -> list[_Share]:
    """Return a text that an event puts in the place of what was before; none for blank text."""
    return [_Share(at, "user", items) for items in [text(written)] if items]


def _data(row: Mapping[str, Any]) -> Mapping[str, Any]:
    data = row.get("data")
    return data if isinstance(data, dict) else {}


def _items(row: Mapping[str, Any]) -> Items:
    """Return what an event says by itself; nothing for one that is not sent."""
    kind, data = row.get("type"), _data(row)
    if kind == "user.message":
        return "user", [*text(data.get("content")), *_attached(data)]
    if kind == "system.notification":
        return "user", text(data.get("content"))
    if kind == "assistant.reasoning":
        return "assistant", thinking(data.get("content"))
    if kind == "assistant.message":
        calls = list(map(_call, objects_in(data.get("toolRequests"))))
        return "assistant", [*thinking(data.get("reasoningText")), *text(data.get("content")), *calls]
    return "user", [_result(data)] if kind == "tool.execution_complete" else []


def _call(asked: Mapping[str, Any]) -> dict[str, Any]:
    return call(asked.get("toolCallId"), asked.get("name"), asked.get("arguments"))


def _result(data: Mapping[str, Any]) -> dict[str, Any]:
    found, error = data.get("result"), data.get("error")
    content: Any = found
    if isinstance(found, dict):
        # A result without `content` is in the form of the SDK, or in one that is not known, and kept as it is.
        others = {key: value for key, value in found.items() if key != "binaryResultsForLlm"} or None
        content = next((found[key] for key in _WORDS if key in found), others)
    if content is None and isinstance(error, dict):
        content = error.get("message")
    binary = found.get("binaryResultsForLlm") if isinstance(found, dict) else None
    media = list(map(_binary, objects_in(binary)))
    return result(data.get("toolCallId"), [*text(content), *media] if media else content, is_error=not _worked(data))


def _worked(data: Mapping[str, Any]) -> bool:
    return data.get("success") is not False


def _binary(each: Mapping[str, Any]) -> dict[str, Any]:
    kind = each.get("mimeType")
    if isinstance(each.get("data"), str) and str(kind).startswith("image/"):
        return image(f"data:{kind};base64,{each['data']}")
    return {"type": "text", "text": f"[{kind or each.get('type')}: {each.get('assetId') or each.get('description')}]"}


def _attached(data: Mapping[str, Any]) -> list[Any]:
    """Return what is attached: pasted images and selected text are in the file, of other files the names are."""
    found: list[Any] = []
    for each in data.get("attachments") or []:
        if not isinstance(each, dict):
            continue
        named = each.get("path") or each.get("filePath") or each.get("displayName") or each.get("title")
        name = named or json_text({key: value for key, value in each.items() if key != "data"})
        if each.get("type") == "blob" and isinstance(each.get("data"), str):
            found.append(_binary(each))
        else:
            found += text(f"[attached: {name}]")
            found += text(each.get("text"))
    return found


def _read(document: Document) -> Reading:
    session = _Session(document.rows())
    main = Collector()
    for at, row in session.unread:
        main.note(at, "a row that is not an event", row)
    if session.system.strip():
        main.add(0, {"role": "system", "content": session.system})
    for kind, times in session.omitted.items():
        main.omit(kind, times)
    _add_all(main, session.shares)
    subagents = []
    for name, shares in session.sides.items():
        collector = Collector()
        _add_all(collector, shares)
        found = collector.conversation(_SENT_AS, label=f"subagent {name}")
        # The program does not go on with these.
        subagents.append(evolve(found, judged=NOTHING_JUDGED))
    first = main.conversation(_SENT_AS, id=session.about.get("sessionId"))
    # No program goes on with what VS Code writes in this form.
    first = evolve(first, judged=NOTHING_JUDGED) if session.is_copy else first
    return Reading(conversations=(first, *subagents), unread=tuple(main.unread))


def _add_all(collector: Collector, shares: Sequence[_Share]) -> None:
    for run in _messages(shares):
        collector.add(run[0].at, {"role": run[0].role, "content": [item for each in run for item in each.items]})


def _messages(shares: Sequence[_Share]) -> list[list[_Share]]:
    """Split what was read into messages: a result after the user's text goes into another message."""
    runs: list[list[_Share]] = []
    for each in shares:
        last = runs[-1][-1] if runs else None
        is_late = last is not None and _is_result(each) and not _is_result(last)
        if last is not None and last.role == each.role and not is_late:
            runs[-1].append(each)
        else:
            runs.append([each])
    return runs


def _is_result(share: _Share) -> bool:
    return bool(share.items) and share.items[0]["type"] == "tool_result"


def _threads(lines: Sequence[Line]) -> tuple[Thread, ...]:
    shares = _Session((n, line.value) for n, line in enumerate(lines) if line.value is not None).shares
    pieces: list[Piece] = []
    for each in shares:
        for m, item in enumerate(each.items):
            parsed = _SENT_AS.parse([{"role": each.role, "content": [item]}])
            blocks = tuple(block for message in parsed.messages for block in message.content)
            if blocks:
                pieces.append(Piece(each.at, m, each.role, item, blocks, f"line {each.at}"))
    if not pieces:
        return ()
    collector = Collector()
    _add_all(collector, shares)
    thread = Thread(
        label="",
        dialect=_SENT_AS,
        pieces=tuple(pieces),
        entries=tuple(collector.entries),
        first_lines=tuple(lines[at].number for at in collector.places),
        write=_write,
        judged=_JUDGED,
    )
    return (thread,)


def _with_items(row: dict[str, Any], items: list[Any]) -> dict[str, Any]:
    data = dict(row["data"])
    kept = {item.get("id") for item in items if item["type"] == "tool_use"}
    if "toolRequests" in data:
        data["toolRequests"] = [each for each in data["toolRequests"] if each.get("toolCallId") in kept]
    if not any(item["type"] == "text" for item in items):
        data["content"] = ""
    if not any(item["type"] == "thinking" for item in items):
        data.pop("reasoningText", None)
    return {**row, "data": data}


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    return dialect_items(_SENT_AS, "content", role, block, before)


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    results = [item for item in items if item["type"] == "tool_result"]
    written = [item for item in items if item["type"] != "tool_result"]
    rows: list[dict[str, Any]] = [{"type": "tool.execution_complete", "data": _execution(item)} for item in results]
    if written and role == "user":
        rows.append({"type": "user.message", "data": {"content": text_of(written)}})
    elif written:
        asked = [item for item in written if item["type"] == "tool_use"]
        requests = [{"toolCallId": each["id"], "name": each["name"], "arguments": each["input"]} for each in asked]
        data: dict[str, Any] = {"content": text_of([item for item in written if item["type"] == "text"])}
        thought = "\n\n".join(item["thinking"] for item in written if item["type"] == "thinking")
        data |= {"reasoningText": thought} if thought else {}
        id = str(uuid.uuid5(_NAMESPACE, json.dumps([like.get("id"), data, requests], sort_keys=True)))
        rows.append({"type": "assistant.message", "data": {"messageId": id, **data, "toolRequests": requests}})
    envelope = {key: like[key] for key in ("id", "timestamp") if key in like}
    return [{**row, **envelope, "parentId": like.get("id")} for row in rows]


def _execution(made: Mapping[str, Any]) -> dict[str, Any]:
    data = {"toolCallId": made.get("tool_use_id"), "success": made.get("is_error") is not True}
    if not data["success"]:
        return {**data, "error": {"message": text_of(made.get("content"))}}
    content = made.get("content")
    images = [
        {"type": "image", "mimeType": part["source"]["media_type"], "data": part["source"]["data"]}
        for part in (content if isinstance(content, list) else [])
        if part.get("type") == "image" and part["source"].get("type") == "base64"
    ]
    found = {"content": text_of(content), **({"binaryResultsForLlm": images} if images else {})}
    return {**data, "result": found}


_FORM: Final = RowForm(
    dialect=_SENT_AS,
    content="content",
    path=lambda lines: list(range(len(lines))),
    items=_items,
    with_items=_with_items,
    make=_make,
    write=_write,
    id_key="id",
)


def _repair(data: bytes, policy: Policy) -> Rewritten:
    session = _Session((line.number, line.value) for line in rows_in(data)[0] if line.value is not None)
    if session.is_copy:
        raise UnreadableFileError("it is not written: VS Code does not go on from its transcripts")
    shares = session.shares
    ids = Counter(item.get("id") for each in shares for item in each.items if item["type"] == "tool_use")
    twice = next((id for id, times in ids.items() if times > 1), None)
    if twice is not None:
        # A result names its call by the id only.
        raise UnreadableFileError(f"it is not written: several calls have the id {twice!r}")
    return repair_threads(data, policy, _threads, _FORM.weave)


COPILOT_CLI: Final = Format(
    name="copilot-cli",
    rank=80,
    title="GitHub Copilot CLI events",
    files="~/.copilot/session-state/*/events.jsonl; transcripts of VS Code: GitHub.copilot-chat/transcripts/*.jsonl",
    omits="session, hook, turn and telemetry events, system prompts of later turns, what was compacted or cleared",
    source="github/copilot-sdk: nodejs/src/generated/session-events.ts; the loader of @github/copilot 1.0.39; files of "
    "versions 0.0.420 to 1.0.77",
    checked="2026-11-22",
    fit=row_fit(_is_row, _is_marked),
    read=_read,
    repair=_repair,
    judged=_JUDGED,
)
