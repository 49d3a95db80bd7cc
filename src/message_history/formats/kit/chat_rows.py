"""Programs that keep messages with a role, content and calls, one in a row: their broken files are repaired by rows."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

from message_history.formats.kit.base import Collector
from message_history.formats.kit.chat_messages import ROLES, add_chat_message
from message_history.formats.kit.message_rows import RowForm, dialect_items
from message_history.formats.kit.raw_blocks import BLOCKS, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit.message_rows import Items

_THOUGHTS: Final = ("reasoning_content", "reasoning")


def chat_call(made: Mapping[str, Any]) -> dict[str, Any]:
    """Write a call as Chat Completions does."""
    function = {"name": made["name"], "arguments": json_text(made["input"])}
    return {"type": "function", "id": made["id"], "function": function}


@final
@frozen(kw_only=True)
class ChatRows:
    """How a program writes messages.

    Args:
        list_key: the key of the list of messages in a file that is one object; empty when there are no such files.
        role_key: the key of a message's role.
        calls_key: the key of a message's calls.
        result_key: the key of the id of the call that a result answers.
        id_key: the key of a message's id; empty when messages have none.
        add: reads a message; returns whether it is one.
    """

    list_key: str = ""
    role_key: str = "role"
    result_role: str = "tool"
    calls_key: str = "tool_calls"
    result_key: str = "tool_call_id"
    id_key: str = ""
    call: Callable[[Mapping[str, Any]], dict[str, Any]] = field(default=chat_call, repr=False)
    add: Callable[[Collector, int, Any], bool] = field(default=add_chat_message, repr=False)

    def form(self) -> RowForm:
        """Return how rows are repaired."""
        return RowForm(
            list_key=self.list_key,
            items=self._items,
            parse=self._parse,
            with_items=self._with_items,
            write=self._write,
            make=self._make,
            id_key=self.id_key,
        )

    def _items(self, message: Mapping[str, Any]) -> Items:
        role = message.get(self.role_key)
        known = ROLES.get(role.lower()) if isinstance(role, str) else None
        if known == "tool":
            return "user", [dict(message)]
        if known not in ("user", "assistant"):
            return "user", []
        head = {self.role_key: role, "content": ""}
        thoughts = [{**head, key: message[key]} for key in _THOUGHTS if isinstance(message.get(key), str)]
        content = message.get("content")
        parts = [{**head, "content": [part]} for part in content] if isinstance(content, list) else []
        texts = [{**head, "content": content}] if isinstance(content, str) and content.strip() else []
        calls = message.get(self.calls_key)
        asked = [{**head, self.calls_key: [each]} for each in calls] if isinstance(calls, list) else []
        return "assistant" if known == "assistant" else "user", [*thoughts[:1], *texts, *parts, *asked]

    def _parse(self, item: Any) -> list[Any]:
        collector = Collector()
        self.add(collector, 0, item)
        return [block for entry in collector.entries for block in entry["content"]]

    def _with_items(self, row: dict[str, Any], items: list[Any]) -> dict[str, Any]:
        message = dict(row)
        joined = self._joined(items)
        for key in ("content", self.calls_key, *_THOUGHTS):
            if key in joined:
                message[key] = joined[key]
            else:
                message.pop(key, None)
        if isinstance(row.get("content"), list) and not message.get("content"):
            message["content"] = []
        return message

    def _joined(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Put messages of one role together."""
        joined = {key: value for item in items for key, value in item.items() if key not in ("content", self.calls_key)}
        contents = [item["content"] for item in items if item.get("content")]
        if len(contents) > 1 or (contents and isinstance(contents[0], list)):
            listed = [each if isinstance(each, list) else [{"type": "text", "text": each}] for each in contents]
            joined["content"] = [part for each in listed for part in each]
        else:
            joined["content"] = contents[0] if contents else ""
        calls = [call for item in items for call in item.get(self.calls_key) or ()]
        return {**joined, self.calls_key: calls} if calls else joined

    def _write(self, role: Role, block: Block, before: Message | None) -> list[Any]:
        return [self._written(role, made) for made in dialect_items(BLOCKS, "content", role, block, before)]

    def _written(self, role: Role, made: Mapping[str, Any]) -> dict[str, Any]:
        kind, head = made.get("type"), {self.role_key: role, "content": ""}
        if kind == "tool_result":
            return {self.role_key: self.result_role, "content": made["content"], self.result_key: made["tool_use_id"]}
        if kind == "tool_use":
            return {**head, self.calls_key: [self.call(made)]}
        return {**head, "content": made["text"] if kind == "text" else [dict(made)]}

    def _make(self, _: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []
        for role, run in groupby(items, lambda item: item[self.role_key]):
            found = list(run)
            messages += found if role == self.result_role else [self._joined(found)]
        return messages
