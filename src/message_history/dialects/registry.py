"""Find a list's dialect by its shape, entry by entry, and read it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.message import Message, plain_content
from message_history.core.messages.parsed import Parsed
from message_history.core.values.readable import read_anyway
from message_history.dialects import dialect_class, folders
from message_history.dialects._shared.metadata import lift_metadata, read_described
from message_history.dialects._shared.plain_reader import KEEP_OF_CALLS, read_common
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.base import checked_dialect
from message_history.plugins import DIALECTS as GROUP
from message_history.plugins import attempt, entry_points_of, leave_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from message_history.dialects.base import Dialect, Reply


TYPED: Final = "anthropic"
CHAT: Final = "openai_chat"
MISTRAL: Final = "mistral"
PORTABLE: Final = "portable"
NATIVE: Final = "native"
RESPONSES: Final = "openai_responses"
INTERACTIONS: Final = "gemini_interactions"
_BY_SHAPE: Final = (
    *(NATIVE, TYPED, CHAT, RESPONSES, MISTRAL),
    *("bedrock", "pydantic_ai", "gemini", INTERACTIONS, PORTABLE),
)
"""The dialects whose shapes `shape_of` distinguishes itself, without importing them; all others come after them."""


@final
class _Dialects(Mapping[str, "Dialect[Any]"]):
    """Each dialect with the fields for a model that is not known, by name; one is made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Dialect[Any]] = {}

    def __getitem__(self, name: str) -> Dialect[Any]:
        made = self._made.get(name)
        if made is None and name in _BY_SHAPE:
            # Two threads may both make one; they are equal.
            made = self._made[name] = dialect_class(name)()
        return made if made is not None else further_dialects()[name]

    def __contains__(self, name: object) -> bool:
        return name in _BY_SHAPE or name in further_dialects()

    def __iter__(self) -> Iterator[str]:
        yield from _BY_SHAPE
        yield from further_dialects()

    def __len__(self) -> int:
        return len(_BY_SHAPE) + len(further_dialects())


DIALECTS: Final = _Dialects()


@cache
def further_dialects() -> Mapping[str, Dialect[Any]]:
    """Find the dialects that are recognized by their `owns`: of other folders, and of other distributions."""
    found = {name: dialect_class(name)() for name in folders() if name not in _BY_SHAPE}
    for point in entry_points_of(GROUP):
        dialect = attempt(GROUP, point, partial(_made, point))
        if dialect is None:
            continue
        if dialect.name in _BY_SHAPE or found.setdefault(dialect.name, dialect) is not dialect:
            leave_out(GROUP, point, f"there is another dialect {dialect.name}")
    return MappingProxyType({name: each for name, each in found.items() if not each.of_objects})


def _made(point: str) -> Dialect[Any]:
    made = checked_dialect(entry_points_of(GROUP)[point].load()())
    # A distribution may lack the file that its rules are in.
    tuple(made.rules)
    return made


_ITEMS: Final = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "item_reference",
        "tool_search_output",
        "additional_tools",
        "configuration_update",
        "compaction",
        "context_compaction",
        "compaction_trigger",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
    }
)
_STEP_ENDINGS: Final = ("_call", "_result", "user_input", "model_output", "thought")
_TYPED_KEYS: Final = frozenset({"clear_at", "output_config"})
_COMMON: Final = ("user", "assistant", "system")
_CHAT_KEYS: Final = frozenset(
    {"audio", "name", "prefix", "reasoning", "reasoning_content", "reasoning_details", "refusal"}
)


@cache
def _blocks() -> dict[str, str]:
    schema = import_module("message_history.dialects.anthropic.schema")
    typed = schema.IN_USER | schema.IN_RESULTS | schema.IN_ASSISTANT | schema.TOOL_CHANGES
    return {
        **dict.fromkeys(("input_text", "output_text", "input_image", "input_file"), RESPONSES),
        **dict.fromkeys(typed - {"text"}, TYPED),
        **dict.fromkeys(("image_url", "input_audio", "file", "refusal"), CHAT),
    }


def shape_of(entry: object) -> str | None:
    """Return which dialect an entry is written in; None when it could be any's."""
    data = as_mapping(entry)
    if data is None or (len(data) == 2 and type(data.get("content")) is str and data.get("role") in _COMMON):
        return None
    if NATIVE in data:
        return NATIVE
    if "parts" in data:
        if data.get("kind") in ("request", "response") or any(map(_has_part_kind, as_sequence(data["parts"]) or ())):
            return "pydantic_ai"
        return "gemini"
    if _is_interactions(data):
        return INTERACTIONS
    kind = data.get("type")
    if data.get("object") == "response" and "output" in data:
        return RESPONSES
    if isinstance(kind, str) and (kind in _ITEMS or kind.endswith(("_call", "_call_output"))):
        # A reply of the Messages API is a `message` too, but its blocks say whose it is.
        # What has its text in another object is an envelope of a program.
        is_own = "content" in data and not any(_typed(item) for item in as_sequence(data.get("content")) or ())
        if is_own or kind != "message":
            return RESPONSES
    role, items = data.get("role"), as_sequence(data.get("content")) or ()
    if role == "system" and data.keys() & _TYPED_KEYS:
        return TYPED
    if any(map(_is_mistral_s, items)):
        return MISTRAL
    if role in ("tool", "function", "developer") or data.keys() & {"tool_calls", "tool_call_id", "function_call"}:
        return CHAT
    for item in items:
        kind = item.get("type") if isinstance(item, Mapping) else getattr(item, "type", None)
        found = _blocks().get(kind) if isinstance(kind, str) else None
        if found is not None:
            return found
        if kind is None and isinstance(item, Mapping) and item.keys() & _bedrock_blocks():
            return "bedrock"
    if role in ("user", "assistant"):
        return CHAT if data.keys() & _CHAT_KEYS else None
    if role == "system":
        return None
    return next((name for name, dialect in further_dialects().items() if dialect.owns(data)), None)


def _has_part_kind(part: object) -> bool:
    return isinstance(part, Mapping) and "part_kind" in part


def _is_interactions(data: Mapping[Any, Any]) -> bool:
    """Return whether an entry is a step of the Interactions API, a turn of its first version, or a whole one."""
    if data.get("object") == "interaction" or (data.get("role") == "model" and "content" in data):
        return True
    kind = data.get("type")
    return isinstance(kind, str) and kind.endswith(_STEP_ENDINGS) and _is_step()(data)


@cache
def _is_step() -> Callable[[Mapping[Any, Any]], bool]:
    found: Callable[[Mapping[Any, Any]], bool]
    found = import_module("message_history.dialects.gemini_interactions.schema").is_step
    return found


@cache
def _bedrock_blocks() -> frozenset[str]:
    return frozenset(import_module("message_history.dialects.bedrock.schema").BLOCKS)


def _is_mistral_s(item: object) -> bool:
    """Return whether an item of content is a chunk that only Mistral has."""
    if type(item) is not dict and not isinstance(item, Mapping):
        return False
    kind = item.get("type")
    if kind == "thinking":
        return isinstance(item.get("thinking"), list)
    return kind in ("document_url", "reference") or (kind == "file" and "file_id" in item)


def _typed(item: object) -> bool:
    kind = item.get("type") if isinstance(item, Mapping) else getattr(item, "type", None)
    return isinstance(kind, str) and (kind == "text" or _blocks().get(kind) == TYPED)


def dialect_of(raw: Sequence[Any]) -> Dialect[Any]:
    """Find the dialect of a list by the first entry that tells; without one, it reads the same in all."""
    otherwise = TYPED
    for entry in raw:
        shape = shape_of(entry)
        if shape is not None and shape in DIALECTS:
            return DIALECTS[shape]
        if otherwise != CHAT and (as_mapping(entry) or {}).get("role") == "system":
            otherwise = CHAT
    return DIALECTS[otherwise]


def read(raw: Sequence[Any], dialect: Dialect[Any] | None = None, *, is_reply: bool = False) -> Parsed:
    """Read a list; an entry that is written in another dialect than the rest is read in its own.

    What a reply says of itself is its provider's, and no application's.
    """
    parsed = read_anyway(lambda entries: _read_known(entries, dialect), raw)
    if not parsed.own and not is_reply:
        lift_metadata(parsed)
    return parsed


def _read_known(raw: Sequence[Any], dialect: Dialect[Any] | None) -> Parsed:
    parsed = _read(raw, dialect)
    if not parsed.notes or parsed.own:
        return parsed
    strangers = import_module("message_history.dialects._shared.strangers")
    known: Parsed = strangers.without_strangers(raw, parsed, lambda entries: _read(entries, dialect))
    return known


def _read(raw: Sequence[Any], dialect: Dialect[Any] | None) -> Parsed:
    known: list[Message] = []
    if dialect is None:
        read_common(raw, (2,), known, KEEP_OF_CALLS)
        if len(known) < len(raw):
            read_described(raw, known, KEEP_OF_CALLS)
        if len(known) == len(raw):
            return Parsed(known, list(range(len(known))), dialect=TYPED)
        # What all dialects write alike is read already, and does not tell.
        dialect = DIALECTS[TYPED] if any(map(_tells, known)) else dialect_of(raw[len(known) :])
    chosen = dialect

    def foreign(entry: object, source: int) -> Parsed | None:
        if isinstance(entry, Message):
            return Parsed([entry], [source])
        shape = shape_of(entry)
        if shape is None and chosen.name == NATIVE and "role" in (as_mapping(entry) or {}):
            # A message that all dialects write alike is not of the saved form, which always says so.
            shape = dialect_of([entry]).name
        if shape is None or shape == chosen.name or shape not in DIALECTS:
            return None
        if shape == CHAT and chosen.name in (MISTRAL, PORTABLE):
            return None  # Their lists look like Chat Completions.
        return DIALECTS[shape].parse([entry]).at(source)

    if known and chosen.name == TYPED:
        parsed: Parsed = import_module("message_history.dialects.anthropic.parse").parse_behind(known, raw, foreign)
    else:
        parsed = chosen.parse(raw, foreign)
    parsed.dialect = chosen.name
    return parsed


def _tells(message: Message) -> bool:
    """Return whether a message that was read at one look has more than texts: its blocks are of the Messages API."""
    return any(type(item) is not str for item in plain_content(message))


def read_reply(
    response: object, dialect: Dialect[Any] | None = None
) -> tuple[Dialect[Any], Reply, Mapping[Any, Any]] | None:
    """Read a provider's response: its dialect, what it holds, and it as a mapping; None when it is not known."""
    data = as_mapping(response)
    if data is None:
        return None
    return read_anyway(lambda entries: _read_reply(entries[0], dialect), (data,))


def _read_reply(
    data: Mapping[Any, Any], dialect: Dialect[Any] | None
) -> tuple[Dialect[Any], Reply, Mapping[Any, Any]] | None:
    """Ask each dialect, or one, whether a mapping is a response that it knows."""
    for candidate in DIALECTS.values() if dialect is None else (dialect,):
        reply = candidate.reply(data)
        if reply is not None:
            return candidate, reply, data
    return None
