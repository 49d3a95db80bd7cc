"""The chats of Copilot in VS Code: requests with their responses, as one object or as a log of changes to it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    image,
    objects_in,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.files.damaged_json import LineNote
    from message_history.formats.kit import Document

_INITIAL: Final = 0
_SET: Final = 1
_PUSH: Final = 2
_DELETE: Final = 3
_CALLS: Final = ("toolInvocationSerialized", "toolInvocation")
_SHOWN: Final = frozenset(
    {
        *(
            "progressMessage",
            "progressTaskSerialized",
            "codeblockUri",
            "undoStop",
            "mcpServersStarting",
            "confirmation",
        ),
        *("prepareToolInvocation", "textEditGroup", "notebookEditGroup", "workspaceEdit", "multiDiffData", "command"),
        *("warning", "extensions", "pullRequest", "treeData", "hook", "elicitation", "elicitationSerialized"),
        *("questionCarousel", "clearToPreviousToolInvocation", "disabledClaudeHooks", "codeCitation", "reference"),
        *("planReview", "externalEdit", "systemNotification", "autoModeResolution"),
    }
)
"""Parts of a response that show what the calls and the program do, and are not the model's words."""


def _is_request(item: Any) -> bool:
    return isinstance(item, dict) and "role" not in item and ("requestId" in item or "response" in item)


def _is_chat(value: Any) -> bool:
    requests = value.get("requests") if isinstance(value, dict) else None
    about = ("responderUsername", "requesterUsername", "initialLocation", "creationDate", "sessionId")
    return isinstance(requests, list) and all(map(_is_request, requests)) and any(key in value for key in about)


def _fit(document: Document) -> Fit:
    first = next((row for _, row in document.rows()), document.object)
    initial = first.get("v") if first.get("kind") == _INITIAL and "role" not in first else first
    return Fit.CERTAIN if _is_chat(initial) else Fit.NONE


def _read(document: Document) -> Reading:
    unread = Collector()
    chat = document.object if "requests" in document.object else _replayed(document, unread)
    collector = Collector()
    for n, request in enumerate(chat.get("requests") or []):
        if not _is_request(request):
            collector.note(n, "an item that is not a request", request)
        elif request.get("shouldBeRemovedOnSend") or request.get("isHidden") is True:
            collector.omit("requests that were undone")
        else:
            _add_request(collector, n, request)
    collector.omit("requests that wait", len(chat.get("pendingRequests") or []))
    reading = collector.reading(BLOCKS, id=chat.get("sessionId"), title=chat.get("customTitle"))
    notes: tuple[LineNote, ...] = (*unread.unread, *reading.unread)
    return Reading(conversations=reading.conversations, unread=notes)


def _replayed(document: Document, collector: Collector) -> dict[str, Any]:
    """Apply the changes of a log one after the other."""
    state: dict[str, Any] = {}
    for number, row in document.rows():
        kind, path = row.get("kind"), row.get("k")
        if kind == _INITIAL and isinstance(row.get("v"), dict):
            # The document is shared; what is changed is a copy.
            state = copy.deepcopy(row["v"])
            continue
        try:
            _apply(state, kind, path, row)
        except (IndexError, KeyError, TypeError, ValueError):
            collector.note(number, "a change of what is not there", row)
    return state


def _apply(state: dict[str, Any], kind: object, path: Any, row: Mapping[str, Any]) -> None:
    if kind not in (_SET, _PUSH, _DELETE) or not isinstance(path, list) or not path:
        raise ValueError("an unknown kind of change")
    holder: Any = state
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    if kind == _DELETE:
        holder.pop(key, None) if isinstance(holder, dict) else holder.pop(key)
    elif kind == _SET and isinstance(holder, list) and key == len(holder):
        holder.append(copy.deepcopy(row.get("v")))
    elif kind == _SET:
        holder[key] = copy.deepcopy(row.get("v"))
    else:
        items = holder.setdefault(key, []) if isinstance(holder, dict) else holder[key]
        if isinstance(row.get("i"), int):
            del items[row["i"] :]
        items += copy.deepcopy(row.get("v") or [])


def _add_request(collector: Collector, n: int, request: Mapping[str, Any]) -> None:
    asked = request.get("message")
    variables = (request.get("variableData") or {}).get("variables") or []
    attached = [block for each in variables if isinstance(each, dict) for block in _attachment(each)]
    collector.add_blocks(n, "user", [*text(asked.get("text") if isinstance(asked, dict) else asked), *attached])
    about = request.get("result")
    about = about if isinstance(about, dict) else {}
    metadata = about.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    rounds = objects_in(metadata.get("toolCallRounds"))
    response = request.get("response")
    parts = [{"value": response}] if isinstance(response, str) else list(response or [])
    if rounds:
        results = metadata.get("toolCallResults")
        _add_rounds(collector, n, rounds, results if isinstance(results, dict) else {})
        _add_beside(collector, n, rounds, parts)
    else:
        for part in parts:
            _add_part(collector, n, part)
    collector.omit("errors of replies", int(bool(about.get("errorDetails"))))
    collector.omit("summaries", len(metadata.get("summaries") or []))


def _attachment(variable: Mapping[str, Any]) -> list[Any]:
    kind, value, media = variable.get("kind"), variable.get("value"), variable.get("mimeType")
    if kind == "image" and isinstance(value, list):
        return [image(f"data:{media};base64,{_base64(bytes(value))}")]
    if kind == "image" and isinstance(value, dict) and all(str(key).isdigit() for key in value):
        return [image(f"data:{media};base64,{_base64(bytes(value.values()))}")]
    if kind in ("paste", "string") and isinstance(value, str):
        return text(value)
    return text(f"[attached: {variable.get('name')}]") if variable.get("name") else []


def _base64(data: bytes) -> str:
    import base64  # noqa: PLC0415 - few chats have images

    return base64.b64encode(data).decode()


def _add_rounds(collector: Collector, n: int, rounds: Sequence[Mapping[str, Any]], results: Mapping[str, Any]) -> None:
    """Add what was sent and came back, round by round; the response shows the same once more."""
    for each in rounds:
        collector.add_blocks(n, "assistant", [*thinking(_thought(each)), *text(each.get("response"))])
        calls = [one for one in each.get("toolCalls") or [] if isinstance(one, dict)]
        made = [call(one.get("id"), one.get("name"), one.get("arguments")) for one in calls]
        collector.add_blocks(n, "assistant", made)
        answers = [result(one.get("id"), _output(results[one["id"]])) for one in calls if one.get("id") in results]
        collector.add_blocks(n, "user", answers)


def _output(found: Any) -> Any:
    """Return the content of a result: texts, or the tree of nodes that its extension renders."""
    content = found.get("content") if isinstance(found, dict) else found
    if not isinstance(content, list):
        return content
    blocks = [block for each in content for block in _output_part(each)]
    return blocks if any(block["type"] != "text" for block in blocks) else "".join(block["text"] for block in blocks)


def _output_part(part: Any) -> list[Any]:
    value = part.get("value") if isinstance(part, dict) else part
    if isinstance(value, dict) and "node" in value:
        return [{"type": "text", "text": "".join(_node_texts(value["node"]))}]
    if isinstance(part, dict) and str(part.get("mimeType")).startswith("image/") and isinstance(part.get("data"), str):
        return [image(f"data:{part['mimeType']};base64,{part['data']}")]
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return [{"type": "text", "text": str(result("", part)["content"])}]


def _node_texts(node: Any) -> list[str]:
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if isinstance(node.get("text"), str) else []
    return own + [each for child in node.get("children") or [] for each in _node_texts(child)]


def _add_beside(collector: Collector, n: int, rounds: Sequence[Mapping[str, Any]], parts: Sequence[Any]) -> None:
    """Add the words of a response that are in no round, such as those of a turn that was cancelled."""
    known = "".join("".join(f"{each.get('response')}{_thought(each)}".split()) for each in rounds)
    for part in parts:
        kind = part.get("kind") if isinstance(part, dict) else None
        written = _thought(part, "value") if kind == "thinking" else _markdown(part)
        # What the response shows of a call has an id of its own.
        is_known = kind in _CALLS if written is None else "".join(written.split()) in known
        if is_known:
            collector.omit("parts of responses that show what the rounds hold")
        else:
            _add_part(collector, n, part)


def _thought(holder: Mapping[str, Any], key: str = "thinking") -> str:
    """Return the text of a thought, which may come in pieces; none when it is encrypted."""
    found = holder.get(key)
    found = found.get("text") if isinstance(found, dict) else found
    return "".join(map(str, found)) if isinstance(found, list) else found if isinstance(found, str) else ""


def _markdown(part: Any) -> str | None:
    """Return the text of a part that the model wrote; None for another part."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("kind") not in (None, "markdownContent", "markdownVuln"):
        return None
    content = part.get("content", part)
    value = content.get("value") if isinstance(content, dict) else content
    return value if isinstance(value, str) else None


def _add_part(collector: Collector, n: int, part: Any) -> None:
    kind, written = part.get("kind") if isinstance(part, dict) else None, _markdown(part)
    if written is not None:
        collector.add_blocks(n, "assistant", text(written))
    elif kind == "thinking":
        collector.add_blocks(n, "assistant", thinking(_thought(part, "value")))
    elif kind in _CALLS:
        _add_invocation(collector, n, part)
    elif kind == "inlineReference":
        collector.add_blocks(n, "assistant", text(_reference(part)))
    elif kind in _SHOWN:
        collector.omit(f"{kind} parts")
    else:
        collector.note(n, f"a part of the unknown kind {kind!r}", part)


def _reference(part: Mapping[str, Any]) -> str:
    found = part.get("inlineReference")
    found = found if isinstance(found, dict) else {}
    uri = found.get("uri") or (found.get("location") or {}).get("uri") or found
    path = uri.get("path") if isinstance(uri, dict) else uri
    return f"`{part.get('name') or found.get('name') or path}`"


def _add_invocation(collector: Collector, n: int, part: Mapping[str, Any]) -> None:
    """Add a call as the response shows it: what it was asked and what it gave are not always there."""
    details, about = part.get("resultDetails"), part.get("toolSpecificData")
    details = details if isinstance(details, dict) else {}
    about = about if isinstance(about, dict) else {}
    line = about.get("commandLine")
    asked = details.get("input") or about.get("rawInput")
    if asked is None and (line or about.get("command")):
        asked = {"command": line.get("original") if isinstance(line, dict) else line or about.get("command")}
    shown = part.get("pastTenseMessage") or part.get("invocationMessage")
    if asked is None and shown:
        asked = {"shown": shown.get("value") if isinstance(shown, dict) else shown}
    id = part.get("toolCallId")
    collector.add_blocks(n, "assistant", [call(id, part.get("toolId") or "tool", asked)])
    output = details.get("output")
    ended = (about.get("terminalCommandOutput") or {}).get("text")
    if output is not None or ended is not None:
        found = [block for each in output for block in _output_part(each)] if isinstance(output, list) else output
        content = ended if output is None else found
        collector.add_blocks(n, "user", [result(id, content, is_error=details.get("isError"))])
    else:
        collector.omit("results that the file does not hold")


VSCODE_CHAT: Final = Format(
    name="vscode-chat",
    rank=350,
    title="Copilot Chat in VS Code: chat sessions and exported chats",
    files="workspaceStorage/*/chatSessions/*.json and .jsonl, `Chat: Export Chat...`",
    omits="requests that were undone or wait, parts that show edits and the like, summaries, errors",
    unwritten="VS Code answers calls without a result itself when it sends, and its log of changes is replayed",
    source="microsoft/vscode: src/vs/workbench/contrib/chat/common/model/chatModel.ts, objectMutationLog.ts, "
    "chatSessionOperationLog.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
