"""The conversations of a ChatGPT export: each is a tree of messages with the newest one named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Format,
    call,
    item_fit,
    json_text,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading


def _is_conversation(item: Mapping[str, Any]) -> bool:
    mapping = item.get("mapping")
    return isinstance(mapping, dict) and all(map(_is_node, mapping.values()))


def _is_node(node: Any) -> bool:
    """Return whether a value is a node of a tree of ChatGPT's, whose messages have no fragments as DeepSeek's do."""
    is_one = isinstance(node, dict) and "message" in node and ("children" in node or "parent" in node)
    return is_one and not (isinstance(node["message"], dict) and "fragments" in node["message"])


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_conversation(item):
            collector.note(n, "an item that is not a conversation", item)
        else:
            calls = _Calls()
            for message in messages_on_branch(item, collector):
                _add(collector, n, message, calls)
            id = item.get("conversation_id") or item.get("id")
            label = f"conversation {n + 1}" if n else ""
            found.add(collector.conversation(BLOCKS, label=label, id=id, title=item.get("title")))
    return found.reading()


def branch_to(nodes: dict[str, Any], newest: object, parent_key: str) -> list[Any]:
    """Walk from the newest node of a tree to its root.

    `newest` is the id of the newest one; without a node of that id it is the last node. Returns the nodes, oldest
    first.
    """
    at = newest if newest in nodes else next(reversed(nodes), None)
    path: list[Any] = []
    met: set[object] = set()
    while at in nodes and at not in met:
        met.add(at)
        path.append(nodes[str(at)])
        at = nodes[str(at)].get(parent_key)
    return path[::-1]


def messages_on_branch(conversation: Mapping[str, Any], collector: Collector) -> list[dict[str, Any]]:
    """Return the messages that lead to the newest one, oldest first, and count the others."""
    mapping = conversation["mapping"]
    path = branch_to(mapping, conversation.get("current_node"), "parent")
    on_branch = [node["message"] for node in path if isinstance(node.get("message"), dict)]
    every = sum(isinstance(node.get("message"), dict) for node in mapping.values())
    if every > len(on_branch):
        collector.omit("messages on another branch", every - len(on_branch))
    return on_branch


class _Calls:
    """The calls that wait for a result, which names no id."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str]] = []

    def add(self, id: str, name: str) -> None:
        self._open.append((id, name))

    def answered_by(self, name: str) -> str | None:
        """Return the id of the oldest call of a tool; without one of that name, of the oldest of all."""
        found = next((each for each in self._open if each[1].split(".")[0] == name.split(".", maxsplit=1)[0]), None)
        found = found or (self._open[0] if self._open else None)
        if found is not None:
            self._open.remove(found)
        return found[0] if found is not None else None


def _add(collector: Collector, n: int, message: Mapping[str, Any], calls: _Calls) -> None:
    author = message.get("author") or {}
    role, content = author.get("role"), message.get("content") or {}
    if content.get("content_type") == "reasoning_recap":
        collector.omit("recaps of reasoning")
        return
    blocks = [*_blocks(content), *_attached(message)]
    recipient = message.get("recipient")
    id = str(message.get("id"))
    if role == "user":
        collector.add_blocks(n, "user", blocks)
    elif role == "assistant" and recipient not in (None, "all"):
        calls.add(id, str(recipient))
        written = "".join(str(block.get("text", "")) for block in blocks)
        arguments = call(id, recipient, written)["input"]
        made = call(id, recipient, {"input": written} if "_raw" in arguments else arguments)
        collector.add_blocks(n, "assistant", [made])
    elif role == "assistant":
        collector.add_blocks(n, "assistant", blocks)
    elif role == "tool":
        answered = calls.answered_by(str(author.get("name")))
        if answered is None:
            answered = id
            collector.omit("results without a call, which each have an empty one made for them")
            collector.add_blocks(n, "assistant", [call(id, author.get("name") or "unknown_tool", {})])
        collector.add_blocks(n, "user", [result(answered, blocks or "")])
    elif role == "system" and blocks:
        collector.add(n, {"role": "system", "content": blocks})
    elif role == "system":
        collector.omit("empty system messages")
    else:
        collector.note(n, f"a message of the unknown role {role!r}", message)


def _blocks(content: Mapping[str, Any]) -> list[Any]:
    kind = content.get("content_type")
    if kind in ("text", "multimodal_text") or (kind is None and isinstance(content.get("parts"), list)):
        return [block for part in content.get("parts") or [] for block in _part(part)]
    if kind == "thoughts":
        return [block for each in content.get("thoughts") or [] for block in thinking(_thought(each))]
    if kind == "tether_quote":
        about = "\n".join(str(content[key]) for key in ("title", "url") if content.get(key))
        return text("\n".join(filter(None, (about, str(content.get("text") or "")))))
    for key in ("text", "result", "content"):
        if isinstance(content.get(key), str):
            return text(content[key])
    rest = {key: value for key, value in content.items() if key != "content_type" and value}
    return text(json_text(rest)) if rest else []


def _attached(message: Mapping[str, Any]) -> list[Any]:
    """Return the names of files that are attached to a message and that no part of it points to."""
    parts = json_text((message.get("content") or {}).get("parts"))
    files = (message.get("metadata") or {}).get("attachments")
    names = [
        each.get("name")
        for each in (files if isinstance(files, list) else ())
        if isinstance(each, dict) and str(each.get("id")) not in parts
    ]
    return [block for name in names if name for block in text(f"[attached: {name}]")]


def _thought(thought: Mapping[str, Any]) -> str:
    return "\n".join(str(thought[key]) for key in ("summary", "content") if thought.get(key))


def _part(part: Any) -> list[Any]:
    if isinstance(part, str):
        return text(part)
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return text(part["text"])
    # Images and sounds are in files next to the export, if they are there at all.
    pointer = part.get("asset_pointer") if isinstance(part, dict) else None
    return text(f"[{part.get('content_type', 'asset')}: {pointer}]") if pointer else text(json_text(part))


CHATGPT_EXPORT: Final = Format(
    name="chatgpt-export",
    rank=520,
    title="ChatGPT data exports",
    files="conversations.json of the export",
    omits="messages on other branches, recaps of reasoning, images and sounds (their names are kept)",
    unwritten=EXPORTED,
    source="exports of 2023 to 2026; no public source",
    checked="2026-11-22",
    fit=item_fit(_is_conversation),
    read=_read,
    judged=NOTHING_JUDGED,
)
