"""Read lists of pydantic-ai: its message objects, and the JSON that they are saved as."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    is_blank,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.message import make_message
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import EMPTY, freeze_mapping
from message_history.core.values.meta import Mark, Meta
from message_history.dialects._shared.plain_runs import read_runs
from message_history.dialects._shared.reader import read_entries
from message_history.dialects._shared.reply_info import with_info
from message_history.dialects._shared.sdk_objects import as_sequence
from message_history.dialects._shared.truncated import is_truncated
from message_history.dialects._shared.typed_blocks import call_of_text, half_written, text_of_json
from message_history.dialects.anthropic.parse import parse as parse_typed
from message_history.dialects.pydantic_ai.objects import plain
from message_history.dialects.pydantic_ai.plain_reader import read_message
from message_history.dialects.pydantic_ai.provider_blocks import (
    PYDANTIC_AI,
    is_file,
    media_of,
    meta_of,
    others_of,
    rest_of,
    with_extra,
)
from message_history.dialects.pydantic_ai.schema import ISSUERS, REASONING_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.base import Foreign

"""What stubs say, by which they are known again."""

REQUEST_ONLY: Final = "request"
"""The type of the block that stands for a request without parts: its instructions are what it says."""
SYNTHESIZED: Final = "pydantic_ai_synthesized_tool_return"
"""The metadata key under which the package marks a return that it made itself."""

_FAILED: Final = ("failed", "retried")
_RESPONSE_PARTS: Final = ("text", "thinking", "tool-call", "builtin-tool-call", "builtin-tool-return", "file")
_STOPPED: Final = ("interrupted", "incomplete")


def is_stopped(response: Mapping[Any, Any]) -> bool:
    """Return whether the keys of a response say that it was truncated."""
    return is_truncated(response) or response.get("state") in _STOPPED


@final
class Reader:
    """One list on its way in."""

    def __init__(self) -> None:
        self.parsed = Parsed()
        self._source = 0
        self._calls: set[str] = set()
        self._response: Mapping[Any, Any] = EMPTY
        self._instructed = False

    def read(self, raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
        read_entries(raw, foreign, self, ahead=partial(self._ahead, raw))
        self._ask()
        return self.parsed

    def _ahead(self, raw: Sequence[Any], source: int) -> int:
        """Read messages at one look each, except after a request that may say nothing but instructions."""
        first = len(self.parsed.messages)
        reached = source if self._instructed else read_runs(raw, source, self.parsed, read_message)
        self._calls.update(*[message.ids for message in self.parsed.messages[first:] if message.role == "assistant"])
        return reached

    def own_entry(self, entry: object, source: int) -> bool:
        self._source = source
        if not (isinstance(entry, Mapping) and "parts" in entry and entry.get("kind") in ("request", "response")):
            return False
        self._message(entry, entry)
        return True

    def other_entry(self, entry: object, source: int) -> bool:
        """Read an object of the package, or an entry in the form of nobody in particular."""
        data = plain(entry)
        if isinstance(data, Mapping) and "parts" in data:
            self._message(data, entry)
        else:
            self.parsed.extend(parse_typed([entry]).at(source))
        return True

    def _message(self, data: Mapping[Any, Any], entry: object) -> None:
        parts = data["parts"]
        items = [parts] if isinstance(parts, str | Mapping) else as_sequence(parts)
        role = self._role(data.get("kind", data.get("role")), items or ())
        self._response = data if role == "assistant" else EMPTY
        blocks = [block for part in items or () for block in self._part(part)]
        keys = {key: plain(value) for key, value in data.items() if key not in ("parts", "kind")}
        if not blocks and role == "user" and isinstance(data.get("instructions"), str) and not data.get("parts"):
            blocks = [ProviderBlock(PYDANTIC_AI, {"type": REQUEST_ONLY})]
        if not blocks:
            self.parsed.empty(entry, self._source)
            return
        truncated = role == "assistant" and is_stopped(data)
        if truncated and isinstance(blocks[-1], ToolUseBlock):
            blocks[-1] = half_written(blocks[-1])
        _carry(blocks, keys)
        message = make_message("assistant" if role == "assistant" else "user", tuple(blocks))
        if role == "assistant":
            message = with_info(message, data, PYDANTIC_AI)
            self._ask()
        self._instructed = role == "user" and isinstance(data.get("instructions"), str) and _only_prompts(blocks)
        self._calls.update(call.id for call in message.calls)
        self.parsed.add(message, self._source, interrupted=truncated)

    def _ask(self) -> None:
        """Let a request that is answered ask for something: its prompts are lifted out, and its instructions stay."""
        if self._instructed:
            asked = self.parsed.messages[-1]
            content = (*asked.content, ProviderBlock(PYDANTIC_AI, {"type": REQUEST_ONLY}, meta=asked.content[0].meta))
            self.parsed.messages[-1] = make_message("user", content)

    def _role(self, kind: object, parts: Sequence[object]) -> str:
        if isinstance(kind, str) and kind in _SIDES:
            return _SIDES[kind]
        for part in parts:
            if isinstance(part, Mapping) and part.get("part_kind") in _RESPONSE_PARTS:
                self.parsed.role_assumed(self._source, kind, "kind {} taken as a response, by its parts")
                return "assistant"
        self.parsed.role_assumed(self._source, kind, "kind {} taken as a request")
        return "user"

    def _part(self, part: object) -> list[Block]:
        if isinstance(part, str):
            return [TextBlock(part)]
        if isinstance(part, Block):
            return [part]
        data = part if isinstance(part, Mapping) else plain(part)
        if not isinstance(data, Mapping):
            self._note(RepairCode.VALUE_CONVERTED, f"a {type(part).__name__} as a part, kept as JSON text")
            return [TextBlock(text_of_json(part))]
        kind = data.get("part_kind")
        if kind == "user-prompt":
            return self._prompt(data)
        if kind == "retry-prompt" and not self._answers(data):
            return [self._marked_text(data, "retry-prompt")]
        match kind:
            case "system-prompt":
                return [self._system(data)]
            case "text":
                return [self._assistant(data)]
            case "thinking":
                return [self._thinking(data)]
            case "tool-call":
                return [self._call(data)]
            case "tool-return" | "retry-prompt":
                return [self._result(data, kind)]
            case "retry-feedback":
                return [self._marked_text(data, kind)]
            case "speech" if isinstance(data.get("transcript"), str) and not is_blank(data["transcript"]):
                return [TextBlock(data["transcript"], meta=meta_of(data, "transcript", kind=kind))]
            case "compaction" if self._response is EMPTY and isinstance(data.get("content"), str):
                return [TextBlock(data["content"], meta=meta_of(data, "content", kind=kind))]
            case "file":
                return [self._file(data)]
            case _:
                return [ProviderBlock(PYDANTIC_AI, plain(data))]

    def _answers(self, data: Mapping[Any, Any]) -> bool:
        """Return whether a retry prompt answers a call: one that says it has no tool is the user's for the package."""
        if "tool_name" in data:
            return data["tool_name"] is not None
        return _id(data.get("tool_call_id")) in self._calls

    def _system(self, data: Mapping[Any, Any]) -> Block:
        text = self._text(data.get("content"))
        if is_blank(text) and data.get("context_id") is not None:
            # Without text it withdraws an earlier prompt of that id.
            return ProviderBlock(PYDANTIC_AI, plain(data))
        return SystemBlock(text, meta=meta_of(data, "content"))

    def _prompt(self, data: Mapping[Any, Any]) -> list[Block]:
        content = data.get("content")
        if isinstance(content, str):
            return [TextBlock(content, meta=meta_of(data, "content"))]
        items = as_sequence(content)
        if items is None:
            return [TextBlock(self._text(plain(content)), meta=meta_of(data, "content"))]
        if not items:
            self.parsed.dropped(data, self._source, "a user prompt without content")
        blocks = [self._item(item) for item in items]
        return [
            with_extra(block, part=others_of(data, "content"), items=True) if n == 0 else with_extra(block, joined=True)
            for n, block in enumerate(blocks)
        ]

    def _item(self, item: object) -> Block:
        if isinstance(item, str):
            return TextBlock(item)
        if isinstance(item, Block):
            return item
        data = plain(item)
        if not isinstance(data, Mapping):
            self._note(RepairCode.VALUE_CONVERTED, f"a {type(item).__name__} as content, kept as JSON text")
            return TextBlock(text_of_json(item))
        kind = data.get("kind")
        if kind in ("text-content", "structured-content") and isinstance(data.get("content"), str):
            return with_extra(TextBlock(data["content"]), item=rest_of(data, "content"))
        return media_of(data) or ProviderBlock(PYDANTIC_AI, data)

    def _marked_text(self, data: Mapping[Any, Any], kind: str) -> Block:
        """Read text of the package itself, which answers no call."""
        content = data.get("content")
        form = None if isinstance(content, str) else "json"
        text = content if isinstance(content, str) else text_of_json(plain(content))
        return TextBlock(text, meta=meta_of(data, "content", kind=kind, form=form))

    def _result(self, data: Mapping[Any, Any], kind: str) -> Block:
        content, form = self._content(data.get("content"))
        outcome = data.get("outcome")
        is_error = kind == "retry-prompt" or outcome in _FAILED
        meta = meta_of(data, "content", "tool_call_id", kind=kind if kind != "tool-return" else None, form=form)
        metadata = data.get("metadata")
        why = content[0].text if len(content) == 1 and isinstance(content[0], TextBlock) else ""
        if outcome == "interrupted" or (isinstance(metadata, Mapping) and metadata.get(SYNTHESIZED) is True):
            is_error = True
            # The package has one outcome for all stubs but a denial's: the text distinguishes them.
            found = DEFAULT_POLICY.reason_of_text(why)
            reason, detail = found if found is not None else ("interrupted", "")
            mark = Mark(kind="stub", reason=reason, detail=detail)
            meta = evolve(meta if meta is not None else Meta(), mark=mark)
        elif outcome == "denied":
            is_error = True
            mark = Mark(kind="stub", reason="denied", detail=_denial(why))
            meta = evolve(meta if meta is not None else Meta(), mark=mark)
        return tool_result_block(_id(data.get("tool_call_id")), content, is_error, meta)

    def _content(self, content: object) -> tuple[tuple[Block, ...], str | None]:
        """Read what a tool gave, and its form: the model is shown text, files, and everything else as JSON."""
        if isinstance(content, str):
            return ((TextBlock(content),) if content else ()), None
        if content is None:
            return (), "null"
        if isinstance(content, Block):
            return (content,), None
        value = plain(content)
        if is_file(value):
            return (self._item(value),), "item"
        items = value if isinstance(value, list | tuple) else ()
        shown = all(isinstance(item, str) for item in items) or any(map(is_file, items))
        if items and shown:
            return tuple(map(self._output, items)), "list"
        return (TextBlock(text_of_json(value)),), "json"

    def _output(self, item: object) -> Block:
        if isinstance(item, str) or is_file(item):
            return self._item(item)
        return with_extra(TextBlock(text_of_json(item)), form="json")

    def _assistant(self, data: Mapping[Any, Any]) -> Block:
        meta = meta_of(data, "content")
        return TextBlock(self._text(data.get("content")), meta=self._signed(data, meta))

    def _thinking(self, data: Mapping[Any, Any]) -> Block:
        text, signature = self._text(data.get("content")), data.get("signature")
        issuer = self._issuer(data)
        modelled = ("content", "signature") if isinstance(signature, str) else ("content",)
        # A part whose provider is known from elsewhere is sent back without a name all the same.
        bare = issuer is not None and "provider_name" not in data
        meta = meta_of(data, *modelled, form="bare" if bare else None)
        if issuer is not None:
            meta = evolve(meta if meta is not None else Meta(), issuer=issuer)
        if issuer == "openai_chat":
            chat = {**_thawed(meta), "openai_chat": {"key": data.get("id")}}
            meta = evolve(meta if meta is not None else Meta(), extra=freeze_mapping(chat)[0])
        signature = signature if isinstance(signature, str) else None
        if signature is not None and not text and data.get("id") in ("redacted_thinking", "redacted_content"):
            return RedactedThinkingBlock(signature, meta=meta)
        return ThinkingBlock(text, signature, meta=meta)

    def _issuer(self, data: Mapping[Any, Any]) -> str | None:
        """Return who signed a part: by the provider it names, else by its response; None when nobody is named."""
        if data.get("id") in REASONING_KEYS:
            return "openai_chat"
        provider = data.get("provider_name") or self._response.get("provider_name")
        if isinstance(provider, str):
            return ISSUERS.get(provider, PYDANTIC_AI)
        model = self._response.get("model_name")
        if isinstance(model, str) and "claude" in model:
            return "anthropic"
        return PYDANTIC_AI if data.get("signature") else None

    def _signed(self, data: Mapping[Any, Any], meta: Meta | None) -> Meta | None:
        """Take Google's signature of a text or a call out of the details, for those who know what it is."""
        details = data.get("provider_details")
        signature = details.get("thought_signature") if isinstance(details, Mapping) else None
        if not isinstance(signature, str) or not signature or self._issuer(data) != "gemini":
            return meta
        return evolve(meta if meta is not None else Meta(), signature=signature, issuer="gemini")

    def _call(self, data: Mapping[Any, Any]) -> Block:
        id, name, args = _id(data.get("tool_call_id")), _id(data.get("tool_name")), data.get("args")
        meta = self._signed(data, meta_of(data, "tool_name", "args", "tool_call_id"))
        if isinstance(args, str):
            if not args.strip():
                return ToolUseBlock(id, name, EMPTY, meta=evolve(meta if meta is not None else Meta(), arguments=args))
            return call_of_text(id, name, args, meta, keep=True)
        if args is None:
            empty = meta_of(data, "tool_name", "args", "tool_call_id", form="null" if "args" in data else "absent")
            return ToolUseBlock(id, name, EMPTY, meta=self._signed(data, empty))
        input = plain(args)
        if isinstance(input, Mapping):
            return ToolUseBlock(id, name, input, meta=meta)
        self._note(RepairCode.VALUE_CONVERTED, f"the arguments of call {id!r:.80} were not an object")
        return call_of_text(id, name, text_of_json(input), meta)

    def _file(self, data: Mapping[Any, Any]) -> Block:
        content = plain(data.get("content"))
        media = media_of({"kind": "binary", **content}) if isinstance(content, Mapping) else None
        if media is None:
            return ProviderBlock(PYDANTIC_AI, plain(data))
        return with_extra(media, part=others_of(data, "content"))

    def _text(self, value: object) -> str:
        if isinstance(value, str):
            return str.__str__(value)
        if value is None:
            return ""
        self._note(RepairCode.VALUE_CONVERTED, f"a {type(value).__name__} as content, kept as JSON text")
        return text_of_json(value)

    def _note(self, code: RepairCode, detail: str) -> None:
        self.parsed.note(code, self._source, detail=detail)


_SIDES: Final = {
    "request": "user",
    "response": "assistant",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
}


def _carry(blocks: list[Block], keys: Mapping[Any, Any]) -> None:
    """Let the message's own keys travel with its first block, and with the first that is not lifted out of the list."""
    if not keys:
        return
    carried, converted = freeze_mapping({PYDANTIC_AI: keys})
    noted = blocks[0].meta.converted if blocks[0].meta is not None else ()
    blocks[0] = with_meta(blocks[0], carried=carried, converted=(*noted, *converted))
    opener = next((n for n, block in enumerate(blocks) if not isinstance(block, SystemBlock)), 0)
    if opener:
        blocks[opener] = with_meta(blocks[opener], carried=carried)


def _only_prompts(blocks: Sequence[Block]) -> bool:
    return all(isinstance(block, SystemBlock) for block in blocks)


def _thawed(meta: Meta | None) -> dict[str, Any]:
    return dict(meta.extra) if meta is not None else {}


def _denial(text: str) -> str:
    """Return the reason in the text of a denial: all of it, unless it is the package's or ours."""
    known = DEFAULT_POLICY.reason_of_text(text)
    return known[1] if known is not None else "" if text == "The tool call was denied." else text


def _id(value: object) -> str:
    """Read an id or a name; any other value becomes its text, a missing one an empty text."""
    if isinstance(value, str):
        return str.__str__(value)
    return "" if value is None or isinstance(value, bool) else text_of_json(value)
