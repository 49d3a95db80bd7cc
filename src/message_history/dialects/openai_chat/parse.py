"""Read lists of Chat Completions, and what people have saved in its form."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
)
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.messages.message import CLEAN_USER, Message, make_message
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import EMPTY, freeze
from message_history.core.values.meta import Meta
from message_history.dialects._shared.blank_texts import kept_beside, without_empty_texts
from message_history.dialects._shared.plain_runs import read_runs, says_something
from message_history.dialects._shared.reader import add_message, assume_user, read_entries, role_of
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import (
    call_of_text,
    is_plain_text,
    meta_of,
    name_of,
    read_parts,
    rest_of,
    text_of_json,
    within_result,
)
from message_history.dialects.openai_chat.media import document_at, document_of, image_of, media_type_of
from message_history.dialects.openai_chat.plain_reader import READERS
from message_history.dialects.openai_chat.schema import THINKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.base import Foreign

OPENAI_CHAT: Final = "openai_chat"
REASONING_KEYS: Final = ("reasoning_content", "reasoning")


class Reader:
    """One list on its way in; a run of tool messages is one message."""

    def __init__(self, dialect: str = OPENAI_CHAT) -> None:
        self.parsed = Parsed()
        self._dialect = dialect  # the name under which unknown keys are kept
        self._results: list[Block] = []
        self._results_source = 0
        self._functions: dict[str, list[str]] = {}
        self._before: object = None

    def read(self, raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
        read_entries(raw, foreign, self, ahead=partial(self._ahead, raw))
        self._end_results()
        return without_empty_texts(self.parsed) if self._dialect == OPENAI_CHAT else self.parsed

    def _ahead(self, raw: Sequence[Any], source: int) -> int:
        """Read entries at one look each, where what was read before says nothing of them."""
        entry = raw[source]
        if type(entry) is not dict or self._before == _NAMED:
            return source
        if source == 0 and len(entry) == 2 and entry.get("role") == "system" and says_something(entry.get("content")):
            self.parsed.add(make_message("user", (SystemBlock(entry["content"]),)), source)
            self._before, source = "system", 1
        if self._results:
            if entry.get("role") in ("tool", "function"):
                return source
            self._end_results()
        reached = read_runs(raw, source, self.parsed, READERS[self._dialect])
        roles = (raw[n]["role"] for n in range(reached - 1, source - 1, -1))
        self._before = next((role for role in roles if role != "tool"), self._before)
        return reached

    def own_entry(self, entry: object, source: int) -> bool:
        """Read a result, or a message that is surely of this dialect."""
        data = as_mapping(entry)
        if data is not None and data.get("role") in ("tool", "function") and not self._stands_alone(data):
            self._result(data, source)
            return True
        self._end_results()
        if data is None or not _is_surely_ours(data):
            return False
        self._message(data, source)
        return True

    def other_entry(self, entry: object, source: int) -> bool:
        data = as_mapping(entry)
        if data is None or ("role" not in data and "content" not in data):
            return False
        if data.get("role") == "function":
            kept = ProviderBlock(self._dialect, {**rest_of(data, "role"), "type": "function"})
            self.parsed.add(make_message("user", (kept,)), source)
        else:
            self._message(data, source)
        return True

    def _stands_alone(self, data: Mapping[Any, Any]) -> bool:
        """Return whether a message of the form of 2023 says what a function gave that nobody called."""
        name, content = data.get("name"), data.get("content")
        if data.get("role") != "function" or data.get("tool_call_id") or not isinstance(content, str):
            return False
        if not isinstance(name, str) or not name or self._functions.get(name):
            return False
        before = self.parsed.messages[-1] if self.parsed.messages else None
        return not self._results and (before is None or not before.calls)

    def _message(self, data: Mapping[Any, Any], source: int) -> None:
        role, content = role_of(data), data.get("content")
        # Whoever reads a key takes it out; what is left is carried.
        keys = {key: value for key, value in data.items() if key not in ("role", "content")}
        calls = self._calls(keys, source)
        blocks: list[Block]
        if role in ("system", "developer"):
            blocks = self.content(content, source)
        elif role == "assistant":
            # Many servers write an empty text in messages with calls and no content.
            blocks = self._assistant(keys, None if calls and content == "" else content, source)
        else:
            assume_user(self.parsed, role, source)
            images = self._images(keys) if "images" in keys else []
            # Images without text come with an empty text.
            blocks = [*self.content(None if images and content == "" else content, source), *images]
        blocks += calls
        if role == "assistant" and self._dialect == OPENAI_CHAT:
            blocks = kept_beside(blocks, OPENAI_CHAT, lambda text: {"type": "text", "text": text})
        if blocks:
            keys.update(self._distinguished(role, keys))
        kind = "system" if role == "developer" else role
        add_message(self.parsed, data, source, dialect=self._dialect, role=kind, blocks=blocks, keys=keys)

    def _distinguished(self, role: object, keys: Mapping[Any, Any]) -> dict[str, Any]:
        """Return what must be carried so that this message and the one before it are not taken for one."""
        before, self._before = self._before, role
        if self._dialect != OPENAI_CHAT:
            return {}
        if role == "developer" or (role == "system" and before in ("system", "developer")):
            return {"role": role}
        if role == "user" and keys.get("name"):
            self._before = _NAMED
        elif role == "user" and before == _NAMED:
            return {"name": ""}
        return {}

    def _images(self, keys: dict[Any, Any]) -> list[Block]:
        """Take the images that Ollama's own API has next to the text, as bare base64."""
        images = as_sequence(keys["images"])
        if not images or not all(isinstance(image, str) for image in images):
            return []
        del keys["images"]
        return [ImageBlock({"type": "base64", "media_type": media_type_of(image), "data": image}) for image in images]

    def _assistant(self, keys: dict[Any, Any], content: object, source: int) -> list[Block]:
        blocks: list[Block] = []
        seen = ""
        for key in REASONING_KEYS:
            reasoning = _take_text(keys, key)
            if reasoning not in ("", seen):
                meta = meta_of(self._dialect, {"key": key}, self._dialect)
                blocks.append(ThinkingBlock(reasoning, meta=meta))
                seen = reasoning  # Gateways say the same under both keys.
        details = keys.pop("reasoning_details", None)
        if details:
            blocks.append(self._own({"type": "reasoning_details", "reasoning_details": details}))
        blocks += self.content(content, source)
        refusal = _take_text(keys, "refusal")
        if refusal:
            blocks.append(self._refusal(refusal))
        audio = keys.pop("audio", None)
        if audio:
            blocks.append(self._own({"type": "audio", "audio": audio}))
        return blocks

    def _calls(self, keys: dict[Any, Any], source: int) -> list[Block]:
        blocks: list[Block] = []
        if "tool_calls" in keys:
            items = self._items(keys["tool_calls"], source)
            if items is not None:
                del keys["tool_calls"]
            for item in items or ():
                call = self._object(item, "a call", source)
                if call is None:
                    self.parsed.dropped(item, source, "no call")
                else:
                    blocks.append(self._call(call, source))
        if "function_call" in keys:
            function = self._object(keys["function_call"], "a call", source)
            if function is not None or not keys["function_call"]:
                del keys["function_call"]
            if function:
                # The form of 2023: no ids, one call at a time.
                made = self._function_call(f"function_{source}", function, {})
                self._functions.setdefault(made.name, []).append(made.id)
                blocks.append(made)
        return blocks

    def _items(self, value: object, source: int) -> list[Any] | None:
        """Read a list of calls; a single call, or the JSON text of either, is taken as one."""
        if isinstance(value, list):
            return value
        if not value:
            return []
        found = _decoded(value)
        alone = as_mapping(found)
        items = as_sequence(found) if alone is None else [alone] if alone.keys() & _KEYS_OF_CALLS else None
        if items is not None and not isinstance(value, tuple):
            self._converted(value, "calls that came as no list", source)
        return items

    def _object(self, value: object, what: str, source: int) -> Mapping[Any, Any] | None:
        """Read an object, or the JSON text of one; None for anything else."""
        if not isinstance(value, str):
            return as_mapping(value)
        found = as_mapping(_decoded(value))
        if found is not None:
            self._converted(value, f"{what} that came as JSON text", source)
        return found

    def _converted(self, value: object, what: str, source: int) -> None:
        self.parsed.note(RepairCode.VALUE_CONVERTED, source, (freeze(value)[0],), what)

    def _call(self, call: Mapping[Any, Any], source: int) -> ToolUseBlock:
        id, kind = name_of(call.get("id")), call.get("type")
        others = rest_of(call, "id", "type")
        if kind not in ("function", "custom"):
            others["type"] = kind
        custom = self._object(call["custom"], "a custom call", source) if "custom" in call else None
        if custom is not None:
            others |= {"type": "custom", "custom": rest_of(custom, "name", "input") or None}
            return ToolUseBlock(
                id, name_of(custom.get("name")), {"input": custom.get("input")}, meta=self._meta(others)
            )
        function = self._object(call.get("function"), "a function", source)
        if function is not None:
            del others["function"]
        return self._function_call(id, function or {}, others)

    def _function_call(self, id: str, function: Mapping[Any, Any], others: dict[Any, Any]) -> ToolUseBlock:
        name, arguments = name_of(function.get("name")), function.get("arguments")
        rest = rest_of(function, "name", "arguments")
        meta = self._meta({**others, "function": rest} if rest else others)
        if isinstance(arguments, str):
            if arguments.strip():
                return call_of_text(id, name, arguments, meta, keep=True)
            meta = evolve(meta, arguments=arguments) if meta is not None else Meta(arguments=arguments)
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        if arguments is None:
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        input = as_mapping(arguments)
        if input is not None:
            return ToolUseBlock(id, name, input, meta=meta)
        return call_of_text(id, name, text_of_json(arguments), meta)

    def _result(self, data: Mapping[Any, Any], source: int) -> None:
        """Read a tool message; a run of them is one message."""
        if not self._results:
            self._results_source = source
        id = name_of(data.get("tool_call_id"))
        if data.get("role") == "function" and not id:
            open_calls = self._functions.get(name_of(data.get("name")))
            id = open_calls.pop() if open_calls else ""
        content: list[Block] = []
        if data.get("content") != "":
            content = self.content(data.get("content"), source, in_result=True)
        others = rest_of(data, "role", "content", "tool_call_id")
        if isinstance(others.get("tool_name"), str) and "name" not in others:
            others["name"] = others.pop("tool_name")  # As Ollama's own API calls it.
        held = within_result(content, source, self.parsed)
        self._results.append(tool_result_block(id, held, is_error=False, meta=self._meta(others)))

    def _end_results(self) -> None:
        if not self._results:
            return
        self._number_results()
        message = make_message("user", tuple(self._results))
        before = self.parsed.messages[-1] if self.parsed.messages else None
        calls = before.ids if before is not None and before.role == "assistant" else ()
        if message.ids != calls and message.shape == CLEAN_USER and sorted(message.ids) == sorted(calls):
            # Tool messages come as the tools finish; their order says nothing.
            message = _in_order(message, calls)
        self.parsed.add(message, self._results_source)
        self._results = []

    def _number_results(self) -> None:
        """Give ids to several calls without one, and to as many results right after them: they pair by position."""
        results = [block for block in self._results if isinstance(block, ToolResultBlock) and not block.tool_use_id]
        before = self.parsed.messages[-1] if self.parsed.messages else None
        if before is None or len(results) < 2 or len(results) != len(self._results):
            return
        if len(before.calls) != len(results) or any(call.id for call in before.calls):
            return
        ids = [f"call_{self._results_source}_{position}" for position in range(len(results))]
        numbered = iter(ids)
        content = [
            evolve(block, id=next(numbered)) if isinstance(block, ToolUseBlock) else block for block in before.content
        ]
        self.parsed.messages[-1] = make_message("assistant", tuple(content))
        self._results = [evolve(block, tool_use_id=id) for block, id in zip(results, ids, strict=True)]
        detail = f"{len(ids)} calls without an id, and their results"
        self.parsed.note(RepairCode.ID_ASSIGNED, self.parsed.sources[-1], detail=detail)

    def content(self, content: object, source: int, *, in_result: bool = False) -> list[Block]:
        """Read text, parts, or whatever is there; in a result that may be any JSON."""
        if content is None:
            return []
        if isinstance(content, str):
            return [text_block(str.__str__(content))]
        items = as_sequence(content)
        if items is None:
            part = as_mapping(content)
            items = [part] if part is not None and isinstance(part.get("type"), str) else None
        if items is None or (in_result and not all(_is_part(item) for item in items)):
            self.parsed.note(RepairCode.VALUE_CONVERTED, source, detail="content that is not text, kept as JSON text")
            return [text_block(text_of_json(content))]
        return read_parts(items, source, self.parsed, self._part)

    def _part(self, part: Mapping[Any, Any]) -> Block:
        kind = part.get("type")
        others = rest_of(part, "type", kind) if isinstance(kind, str) else {}
        if kind == "text" and isinstance(part.get("text"), str):
            return text_block(part["text"], self._meta(others))
        if kind == "refusal" and isinstance(part.get("refusal"), str):
            return self._refusal(part["refusal"], others)
        value = as_mapping(part.get(kind)) if isinstance(kind, str) else None
        if kind == "image_url":
            if isinstance(part.get("image_url"), str):
                value = {"url": part["image_url"]}
            image = image_of(value, self._dialect, others) if value is not None else None
            return image if image is not None else self._own(part)
        if kind == "file" and value is not None:
            return document_of(value, self._dialect, others) or self._own(part)
        if kind == "document_url":
            return document_at(part, self._dialect) or self._own(part)
        if is_plain_text(part):
            return text_block(part["text"], self._meta({"part": kind}))
        if _is_reasoning(part) and self._dialect == OPENAI_CHAT:
            meta = meta_of(OPENAI_CHAT, {**rest_of(part, "type", "thinking"), "key": THINKING}, OPENAI_CHAT)
            return ThinkingBlock(part["thinking"], meta=meta)
        return self._own(part)

    def _refusal(self, text: str, others: Mapping[Any, Any] = EMPTY) -> TextBlock:
        return text_block(text, self._meta({**others, "type": "refusal"}))

    def _own(self, data: Mapping[Any, Any]) -> ProviderBlock:
        return ProviderBlock(self._dialect, data)

    def _meta(self, keys: Mapping[Any, Any]) -> Meta | None:
        return meta_of(self._dialect, keys)


def _decoded(value: object) -> object:
    """Read JSON text; anything else is given back as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _take_text(keys: dict[Any, Any], key: str) -> str:
    """Take a text out of the keys of a message; an empty one when it is missing."""
    return str.__str__(keys.pop(key)) if isinstance(keys.get(key), str) else ""


def _is_surely_ours(data: Mapping[Any, Any]) -> bool:
    content = data.get("content")
    if isinstance(content, list):
        return data.get("role") == "assistant" and _has_reasoning(content)
    return data.get("role") in _ROLES and "tool_calls" in data


def _has_reasoning(content: Sequence[Any]) -> bool:
    """Return whether parts are text and reasoning as Cohere has them: nothing signs it."""
    parts = [as_mapping(part) or {} for part in content]
    return all(part.get("type") == "text" or _is_reasoning(part) for part in parts) and any(map(_is_reasoning, parts))


def _is_reasoning(part: Mapping[Any, Any]) -> bool:
    text = part.get("thinking")
    return part.get("type") == THINKING and "signature" not in part and isinstance(text, str) and bool(text.strip())


_NAMED: Final = "a user with a name"
_KEYS_OF_CALLS: Final = frozenset({"id", "function", "custom"})
_ROLES: Final = ("user", "assistant", "system", "developer")


def _is_part(item: object) -> bool:
    part = as_mapping(item)
    return isinstance(item, str | Block) or (part is not None and isinstance(part.get("type"), str))


def _in_order(message: Message, calls: tuple[str, ...]) -> Message:
    by_id = {block.tool_use_id: block for block in message.results}
    return make_message("user", tuple(by_id[id] for id in calls))
