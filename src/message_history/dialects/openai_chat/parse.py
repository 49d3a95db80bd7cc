"""Read lists of Chat Completions, and what people have saved in its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.blocks import (
    Block,
    ImageBlock,
    Meta,
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
)
from message_history.dialects.base import Parsed, is_cut_off
from message_history.dialects.openai_chat.media import data_url, document_at, document_of, image_of, media_type_of
from message_history.dialects.plain import as_mapping, as_sequence
from message_history.dialects.typed_blocks import call_of_text, carry, meta_of, read_parts, text_of_json
from message_history.frozen import EMPTY, brief
from message_history.message import HEARD, Message, make_message
from message_history.repairs import RepairCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.base import Foreign

__all__ = ["OPENAI_CHAT", "Reader", "data_url", "image_of"]

OPENAI_CHAT: Final = "openai_chat"
REASONING_KEYS: Final = ("reasoning_content", "reasoning")
_READ: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "audio", "reasoning_details", *REASONING_KEYS}
)


class Reader:
    """One list on its way in.

    Args:
        foreign: reads an entry that has another dialect's form.
        dialect: the name under which unknown keys are kept.
    """

    def __init__(self, foreign: Foreign | None, dialect: str = OPENAI_CHAT) -> None:
        self.parsed = Parsed()
        self._foreign = foreign
        self._dialect = dialect
        self._results: list[Block] = []
        self._results_source = 0
        self._functions: dict[str, list[str]] = {}
        self._before: object = None

    def read(self, raw: Sequence[Any]) -> Parsed:
        """Read all entries.

        Args:
            raw: the entries.

        Returns:
            The messages in them; a run of tool messages is one message.

        Complexity: linear in the entries.
        """
        for source, entry in enumerate(raw):
            data = as_mapping(entry)
            role = data.get("role") if data is not None else None
            if data is not None and role in ("tool", "function"):
                self._result(data, source)
                continue
            self._end_results()
            if self._foreign is not None and (data is None or not _is_surely_ours(data, role)):
                if self._foreign(entry, source, self.parsed):
                    continue
            if data is None or ("role" not in data and "content" not in data):
                self.parsed.dropped(entry, source, "no message")
            else:
                self._message(data, source)
        self._end_results()
        return self.parsed

    def _message(self, data: Mapping[Any, Any], source: int) -> None:
        role = data.get("role")
        blocks: list[Block]
        images: list[Block] = []
        if role in ("system", "developer"):
            blocks = [
                SystemBlock(block.text, meta=block.meta) if isinstance(block, TextBlock) else block
                for block in self.content(data.get("content"), source)
            ]
        elif role == "assistant":
            blocks = self._assistant(data, source)
        else:
            if role != "user":
                self.parsed.note(RepairCode.ROLE_ASSUMED, source, detail=f"role {brief(role)} taken as the user's")
            images = self._images(data) if "images" in data else []
            # Images without words come beside an empty text.
            words = data.get("content") if not images or data.get("content") != "" else ()
            blocks = [*self.content(words, source), *images]
        if not blocks:
            self.parsed.empty(data, source)
            return
        keys = {key: value for key, value in data.items() if key not in _READ and not (images and key == "images")}
        keys.update(self._told_apart(role, keys))
        carry(blocks, self._dialect, keys)
        message = make_message("assistant" if role == "assistant" else "user", tuple(blocks))
        self.parsed.add(message, source, interrupted=role == "assistant" and is_cut_off(data))

    def _told_apart(self, role: object, keys: Mapping[Any, Any]) -> dict[str, Any]:
        """Give what must be carried so that this message and the one before it are not taken for one."""
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

    def _images(self, data: Mapping[Any, Any]) -> list[Block]:
        """Read the images that Ollama's own API has beside the text, as bare base64."""
        given = as_sequence(data.get("images")) or ()
        if not all(isinstance(image, str) for image in given):
            return []
        return [ImageBlock({"type": "base64", "media_type": media_type_of(image), "data": image}) for image in given]

    def _assistant(self, data: Mapping[Any, Any], source: int) -> list[Block]:
        blocks: list[Block] = []
        told = ""
        for key in REASONING_KEYS:
            reasoning = data.get(key)
            if isinstance(reasoning, str) and reasoning and reasoning != told:
                meta = meta_of(self._dialect, {"key": key}, self._dialect)
                blocks.append(ThinkingBlock(reasoning, meta=meta))
                told = reasoning  # Gateways say the same under both keys.
        details = data.get("reasoning_details")
        if details:
            blocks.append(self._own({"type": "reasoning_details", "reasoning_details": details}))
        if data.get("content") != "" or not data.get("tool_calls"):
            # Empty text beside calls is how many servers write no content at all.
            blocks += self.content(data.get("content"), source)
        if isinstance(data.get("refusal"), str) and data["refusal"]:
            blocks.append(self._refusal(data["refusal"]))
        if data.get("audio"):
            blocks.append(self._own({"type": "audio", "audio": data["audio"]}))
        for item in as_sequence(data.get("tool_calls")) or ():
            call = as_mapping(item)
            if call is None:
                self.parsed.dropped(item, source, "no call")
            else:
                blocks.append(self._call(call))
        function = as_mapping(data.get("function_call"))
        if function is not None:
            # The form of 2023: no ids, one call at a time.
            id = f"function_{source}"
            self._functions.setdefault(str(function.get("name", "")), []).append(id)
            blocks.append(self._function_call(id, function, {}))
        return blocks

    def _call(self, call: Mapping[Any, Any]) -> ToolUseBlock:
        id = call.get("id")
        others = {key: value for key, value in call.items() if key not in ("id", "type", "function", "custom")}
        id = id if isinstance(id, str) else "" if id is None else text_of_json(id)
        custom = as_mapping(call.get("custom"))
        if custom is not None:
            meta = self._meta({"type": "custom", **others})
            given = custom.get("input")
            return ToolUseBlock(id, str(custom.get("name") or ""), {"input": given}, meta=meta)
        return self._function_call(id, as_mapping(call.get("function")) or {}, others)

    def _function_call(self, id: str, function: Mapping[Any, Any], others: Mapping[Any, Any]) -> ToolUseBlock:
        name, arguments = function.get("name"), function.get("arguments")
        name = name if isinstance(name, str) else ""
        meta = self._meta(others)
        if isinstance(arguments, str):
            if arguments.strip():
                return call_of_text(id, name, arguments, meta, keep=True)
            meta = evolve(meta if meta is not None else Meta(), arguments=arguments)
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        if arguments is None:
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        given = as_mapping(arguments)
        if given is not None:
            return ToolUseBlock(id, name, given, meta=meta)
        return call_of_text(id, name, text_of_json(arguments), meta)

    def _result(self, data: Mapping[Any, Any], source: int) -> None:
        """Read a tool message; a run of them is one message."""
        if not self._results:
            self._results_source = source
        id = data.get("tool_call_id")
        id = id if isinstance(id, str) else "" if id is None else text_of_json(id)
        if data.get("role") == "function" and not id:
            id = self._function_id(data.get("name"))
        content: list[Block] = []
        if data.get("content") != "":
            content = self.content(data.get("content"), source, in_result=True)
        others = {key: value for key, value in data.items() if key not in ("role", "content", "tool_call_id")}
        if isinstance(others.get("tool_name"), str):
            others = {"name": others.pop("tool_name"), **others}  # As Ollama's own API calls it.
        self._results.append(tool_result_block(id, tuple(content), is_error=False, meta=self._meta(others)))

    def _function_id(self, name: object) -> str:
        """Find the call that a function message of 2023 answers: the last one of that name."""
        called = self._functions.get(name) if isinstance(name, str) else None
        return called.pop() if called else ""

    def _end_results(self) -> None:
        if not self._results:
            return
        self._number_results()
        message = make_message("user", tuple(self._results))
        before = self.parsed.messages[-1] if self.parsed.messages else None
        calls = before.ids if before is not None and before.role == "assistant" else ()
        if message.ids != calls and message.way == HEARD and sorted(message.ids) == sorted(calls):
            # Tool messages come as the tools finish; their order says nothing.
            message = _in_order(message, calls)
        self.parsed.add(message, self._results_source)
        self._results = []

    def _number_results(self) -> None:
        """Give ids to several calls without one, and to as many results right behind them: they pair by position."""
        before = self.parsed.messages[-1] if self.parsed.messages else None
        calls = before.calls if before is not None else ()
        results = [block for block in self._results if isinstance(block, ToolResultBlock) and not block.tool_use_id]
        if before is None or len(calls) < 2 or any(call.id for call in calls):
            return
        if not len(self._results) == len(results) == len(calls):
            return
        ids = [f"call_{self._results_source}_{position}" for position in range(len(calls))]
        given = iter(ids)
        said = [evolve(block, id=next(given)) if isinstance(block, ToolUseBlock) else block for block in before.content]
        self.parsed.messages[-1] = make_message("assistant", tuple(said))
        self._results = [evolve(block, tool_use_id=id) for block, id in zip(results, ids, strict=True)]
        detail = f"{len(ids)} calls without an id, and their results"
        self.parsed.note(RepairCode.ID_ASSIGNED, self.parsed.sources[-1], detail=detail)

    def content(self, content: object, source: int, *, in_result: bool = False) -> list[Block]:
        """Read content: text, parts, or whatever stands there.

        Args:
            content: the raw content.
            source: the entry of the raw list.
            in_result: True for what a tool gave, which may be any JSON.

        Returns:
            The blocks.
        """
        if content is None:
            return []
        if isinstance(content, str):
            return [text_block(str.__str__(content))]
        items = as_sequence(content)
        if items is None:
            part = as_mapping(content)
            items = [part] if part is not None and isinstance(part.get("type"), str) else None
        if items is None or (in_result and not all(_is_part(item) for item in items)):
            self.parsed.note(RepairCode.VALUE_CONVERTED, source, detail="content that is no text, kept as JSON text")
            return [text_block(text_of_json(content))]
        return read_parts(items, source, self.parsed, self._part)

    def _part(self, part: Mapping[Any, Any]) -> Block:
        kind = part.get("type")
        others = {key: value for key, value in part.items() if key not in ("type", kind)}
        if kind == "text" and isinstance(part.get("text"), str):
            return text_block(part["text"], self._meta(others))
        if kind == "refusal" and isinstance(part.get("refusal"), str):
            return self._refusal(part["refusal"])
        value = as_mapping(part.get(kind)) if isinstance(kind, str) else None
        if kind == "image_url":
            if isinstance(part.get("image_url"), str):
                value = {"url": part["image_url"]}
            image = image_of(value, self._dialect, others) if value is not None else None
            return image if image is not None else self._own(part)
        if kind == "file" and value is not None:
            return document_of(value, self._dialect) or self._own(part)
        if kind == "document_url":
            return document_at(part, self._dialect) or self._own(part)
        return self._own(part)

    def _refusal(self, text: str) -> TextBlock:
        return text_block(text, self._meta({"type": "refusal"}))

    def _own(self, data: Mapping[Any, Any]) -> ProviderBlock:
        return ProviderBlock(self._dialect, data)

    def _meta(self, keys: Mapping[Any, Any]) -> Meta | None:
        return meta_of(self._dialect, keys) if keys else None


def _is_surely_ours(data: Mapping[Any, Any], role: object) -> bool:
    return role in _ROLES and "tool_calls" in data and not isinstance(data.get("content"), list)


_NAMED: Final = "a user with a name"
_ROLES: Final = ("user", "assistant", "system", "developer")


def _is_part(item: object) -> bool:
    part = as_mapping(item)
    return isinstance(item, str | Block) or (part is not None and isinstance(part.get("type"), str))


def _in_order(message: Message, calls: tuple[str, ...]) -> Message:
    by_id = {block.tool_use_id: block for block in message.results}
    return make_message("user", tuple(by_id[id] for id in calls))
