"""Read lists in the tagged form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history import ProviderBlock, ToolUseBlock
from message_history.dialects.kit import (
    Block,
    Meta,
    Parsed,
    add_message,
    as_mapping,
    assume_user,
    call_of_text,
    meta_of,
    read_blocks,
    read_entries,
    rest_of,
    role_of,
    text_block,
    text_of_json,
    tool_result_block,
)
from message_history_example.tagged.schema import ROLES, TAGGED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.kit import Foreign


def parse(raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
    """Read a list."""
    return read_entries(raw, foreign, _Reader())


@final
class _Reader:
    """One list on its way in."""

    issuer: str | None = None

    def __init__(self) -> None:
        self.parsed = Parsed()

    def own_entry(self, entry: object, source: int) -> bool:
        """Read an entry that says whose it is."""
        data = as_mapping(entry)
        speaker = data.get("speaker") if data is not None else None
        role = ROLES.get(speaker) if isinstance(speaker, str) else None
        if data is None or role is None:
            return False
        keys = rest_of(data, "speaker", "text", "actions", "outcomes")
        blocks: list[Block] = [_outcome(each) for each in _objects(data, "outcomes", keys)]
        if data.get("text"):
            blocks.append(text_block(text_of_json(data["text"])))
        blocks += [_action(each) for each in _objects(data, "actions", keys)]
        add_message(self.parsed, data, source, dialect=TAGGED, role=role, blocks=blocks, keys=keys)
        return True

    def other_entry(self, entry: object, source: int) -> bool:
        """Read a plain message: a role, with a text or typed blocks."""
        data = as_mapping(entry)
        if data is None or "content" not in data:
            return False
        role, keys = role_of(data), rest_of(data, "role", "content")
        blocks = read_blocks(data["content"], source, self.parsed, self)
        if role != "system":
            assume_user(self.parsed, role, source)
        add_message(self.parsed, data, source, dialect=TAGGED, role=role, blocks=blocks, keys=keys)
        return True

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        """Keep the other keys of a typed block."""
        del kind
        return meta_of(TAGGED, others)

    def other(self, data: Mapping[Any, Any]) -> Block:
        """Keep a typed block of another kind whole."""
        return ProviderBlock(TAGGED, data)


def _outcome(data: Mapping[Any, Any]) -> Block:
    gave = data.get("gave")
    content = (text_block(text_of_json(gave)),) if gave else ()
    meta = meta_of(TAGGED, rest_of(data, "key", "gave"))
    return tool_result_block(text_of_json(data.get("key") or ""), content, is_error=False, meta=meta)


def _action(data: Mapping[Any, Any]) -> Block:
    id, name = text_of_json(data.get("key") or ""), text_of_json(data.get("do") or "")
    args, taken = data.get("with"), ("key", "do", "with")
    if isinstance(args, str):
        return call_of_text(id, name, args, meta_of(TAGGED, rest_of(data, *taken)), keep=True)
    if not isinstance(args, dict):
        return ToolUseBlock(id, name, None, meta=meta_of(TAGGED, rest_of(data, *taken[:2])))
    return ToolUseBlock(id, name, args, meta=meta_of(TAGGED, rest_of(data, *taken)))


def _objects(data: Mapping[Any, Any], key: str, keys: dict[Any, Any]) -> list[Mapping[Any, Any]]:
    """Return the objects of a list; what is no such list stays with the other keys."""
    found = data.get(key)
    if isinstance(found, list) and all(isinstance(each, dict) for each in found):
        return found
    if found is not None:
        keys[key] = found
    return []
