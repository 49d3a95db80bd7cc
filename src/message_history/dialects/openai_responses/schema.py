"""The items of the Responses API, as data: whose side each is on, its keys, and how a client's tools are called.

The keys are those of `ResponseInputItemParam` of the `openai` package 3.51 (2026-11), which the oracle tests pin,
except what the live API is known to refuse (OR-17). A type that is not listed here is kept whole and sent unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history.core.values.json_values import FrozenDict, FrozenList
from message_history.dialects._shared.schema import (
    Shape,
    each,
    like,
    one_of,
    or_none,
    tagged,
    text,
    text_or_none,
    whole,
)

if TYPE_CHECKING:
    from message_history.core.messages.message import Role
    from message_history.dialects._shared.schema import Fits

from message_history.dialects._shared.tables import ModelTable, RuleTable

OPENAI_RESPONSES: Final = "openai_responses"
RULES: Final = RuleTable(__package__)
"""Includes what depends on the account, the request or the server's memory, which no list alone can show."""
FUNCTION: Final = "function_call"
CUSTOM: Final = "custom_tool_call"
APPROVAL: Final = "mcp_approval_request"
DECISION: Final = "mcp_approval_response"

STATUSES: Final = frozenset({"in_progress", "completed", "incomplete"})
"""What a status may be, except tools that have further ones."""
ROLES: Final = frozenset({"assistant", "system", "developer", "user"})
CALL_ID: Final = re.compile("[^\0\ud800-\udfff]+", re.DOTALL)
CALL_ID_LIMIT: Final = 64
TEXT_LIMIT: Final = 10_485_760
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
ID: Final = re.compile("[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]")
"""What an item's id looks like (OR-13, OR-14)."""
_UUID: Final = "-".join(f"[0-9a-f]{{{digits}}}" for digits in (8, 4, 4, 4, 12))
ID_OF_ANOTHER: Final = re.compile(f"[a-z]+_{_UUID}[A-Za-z0-9_-]*|[a-z]+_[0-9a-f]+:[a-z]+_[0-9a-f]+")
"""Ids that other servers make: the type and a UUID, or two ids and a colon, as Meta's; OpenAI's are the type and
hexadecimal digits."""
PREFIXES: Final = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
"""What the id of an item of these types begins with (OR-12)."""


@final
@frozen(kw_only=True)
class ClientTool:
    """A tool of the API that the client runs."""

    name: str  # what the history calls it
    input_keys: tuple[str, ...]  # the keys that hold what it is to do
    output: str  # the type of its outputs
    form: str  # what an output holds: `text`, a `screenshot`, or something of its own (`whole`)
    as_function: bool = False  # whether a function's output answers it too
    defaults: tuple[tuple[str, object], ...] = ()  # the keys that a call must have, with what they mostly are


_DONE: Final = (("status", "completed"),)
CLIENT_TOOLS: Final = {
    # Codex answers it with function outputs: https://github.com/openai/codex/pull/6101 (2025-11).
    "local_shell_call": ClientTool(
        name="local_shell", input_keys=("action",), output="local_shell_call_output", form="text", as_function=True,
        defaults=_DONE,
    ),
    "shell_call": ClientTool(name="shell", input_keys=("action",), output="shell_call_output", form="whole"),
    "apply_patch_call": ClientTool(
        name="apply_patch", input_keys=("operation",), output="apply_patch_call_output", form="text", defaults=_DONE
    ),
    "computer_call": ClientTool(
        name="computer", input_keys=("action", "actions"), output="computer_call_output", form="screenshot",
        defaults=(*_DONE, ("pending_safety_checks", ())),
    ),
    # Function outputs were recorded after it: https://github.com/pydantic/pydantic-ai (2026-08).
    "tool_search_call": ClientTool(
        name="tool_search", input_keys=("arguments",), output="tool_search_output", form="whole", as_function=True
    ),
}  # fmt: skip
"""The tools that the client runs, besides functions and custom tools, by the type of their calls."""

_PATCHED: Final = Shape({"path": text, "diff": text}, ("path", "diff"))
ORDERS: Final[dict[str, Fits]] = {
    "local_shell_call": like(
        Shape(
            {
                "type": one_of("exec"),
                "command": each(text),
                "env": lambda value: isinstance(value, Mapping) and all(map(text, value.values())),
                "timeout_ms": or_none(whole),
                "user": text_or_none,
                "working_directory": text_or_none,
            },
            ("type", "command", "env"),
        )
    ),
    "shell_call": like(
        Shape(
            {"commands": each(text), "timeout_ms": or_none(whole), "max_output_length": or_none(whole)}, ("commands",)
        )
    ),
    "apply_patch_call": tagged(
        "type", {"create_file": _PATCHED, "update_file": _PATCHED, "delete_file": Shape({"path": text}, ("path",))}
    ),
}
"""What a call of these types says that its tool is to do."""

OUTPUTS: Final = {
    "function_call_output": FUNCTION,
    "custom_tool_call_output": CUSTOM,
    **{tool.output: kind for kind, tool in CLIENT_TOOLS.items()},
}
"""The types of outputs, with the type of the calls that they answer."""

CLEAN_ASSISTANT: Final = frozenset(
    {
        "reasoning",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_list_tools",
        "mcp_call",
        "mcp_approval_request",
        "program",
        "program_output",
    }
)
"""The types of items that the server makes and the client answers with nothing: they are the assistant's."""

CLEAN_USER: Final = frozenset(
    {"additional_tools", "configuration_update", "compaction_trigger", "mcp_approval_response"}
)
"""The types of items that the client makes. Any other type goes with the items before it."""

KEYS: Final[dict[str, frozenset[str]]] = {
    # A status without an id was taken, of both sides: https://github.com/crmne/ruby_llm (2026-08).
    "easy": frozenset({"type", "role", "content", "phase", "status"}),
    "input": frozenset({"type", "role", "content", "status"}),
    "message": frozenset({"type", "role", "content", "id", "status", "phase"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content"}),
    FUNCTION: frozenset({"type", "id", "call_id", "name", "arguments", "status", "namespace", "caller", "async"}),
    "function_call_output": frozenset({"type", "id", "call_id", "output", "status", "caller", "name", "namespace"}),
    CUSTOM: frozenset({"type", "id", "call_id", "name", "input", "namespace", "caller", "async"}),
    "custom_tool_call_output": frozenset({"type", "id", "call_id", "output", "caller"}),
    "local_shell_call": frozenset({"type", "id", "call_id", "action", "status"}),
    # `call_id` came later than the specification: https://github.com/openai/openai-python/pull/3923 (2026-09).
    "local_shell_call_output": frozenset({"type", "id", "call_id", "output", "status"}),
    "shell_call": frozenset({"type", "id", "call_id", "action", "status", "caller", "environment"}),
    "shell_call_output": frozenset({"type", "id", "call_id", "output", "status", "caller", "max_output_length"}),
    "apply_patch_call": frozenset({"type", "id", "call_id", "operation", "status", "caller"}),
    "apply_patch_call_output": frozenset({"type", "id", "call_id", "output", "status", "caller"}),
    "computer_call": frozenset({"type", "id", "call_id", "action", "actions", "pending_safety_checks", "status"}),
    "computer_call_output": frozenset({"type", "id", "call_id", "output", "acknowledged_safety_checks", "status"}),
    "tool_search_call": frozenset({"type", "id", "call_id", "arguments", "execution", "status"}),
    "tool_search_output": frozenset({"type", "id", "call_id", "tools", "execution", "status"}),
    "additional_tools": frozenset({"type", "id", "role", "tools"}),
    "configuration_update": frozenset({"type", "id", "reasoning", "text"}),
    "web_search_call": frozenset({"type", "id", "action", "status"}),
    "file_search_call": frozenset({"type", "id", "queries", "results", "status"}),
    "code_interpreter_call": frozenset({"type", "id", "code", "container_id", "outputs", "status"}),
    "image_generation_call": frozenset(
        {"type", "id", "result", "status", "action", "background", "error", "output_format", "quality"}
    )
    | {"revised_prompt", "size", "svg_usage"},
    "mcp_list_tools": frozenset({"type", "id", "server_label", "tools", "error"}),
    "mcp_approval_request": frozenset({"type", "id", "arguments", "name", "server_label"}),
    "mcp_approval_response": frozenset({"type", "id", "approval_request_id", "approve", "reason"}),
    "mcp_call": frozenset({"type", "id", "arguments", "name", "server_label", "approval_request_id", "error"})
    | {"output", "status"},
    "compaction": frozenset({"type", "id", "encrypted_content"}),
    "compaction_trigger": frozenset({"type", "id"}),
    "item_reference": frozenset({"type", "id"}),
    "program": frozenset({"type", "id", "call_id", "code", "fingerprint"}),
    "program_output": frozenset({"type", "id", "call_id", "result", "status"}),
}
"""The keys that an item of each type may hold; `easy` and `input` are messages without an id."""

NULLABLE: Final[dict[str, frozenset[str]]] = {
    "easy": frozenset({"phase"}),
    "message": frozenset({"phase"}),
    "reasoning": frozenset({"encrypted_content"}),
    # A call whose status is null was taken: https://github.com/pydantic/pydantic-ai (2026-08).
    FUNCTION: frozenset({"caller", "status"}),
    "function_call_output": frozenset({"id", "status", "caller", "name", "namespace"}),
    CUSTOM: frozenset({"caller"}),
    "custom_tool_call_output": frozenset({"caller"}),
    "local_shell_call_output": frozenset({"status"}),
    "shell_call": frozenset({"id", "status", "caller", "environment"}),
    "shell_call_output": frozenset({"id", "status", "caller", "max_output_length"}),
    "apply_patch_call": frozenset({"id", "caller"}),
    "apply_patch_call_output": frozenset({"id", "output", "caller"}),
    "computer_call_output": frozenset({"id", "acknowledged_safety_checks", "status"}),
    "tool_search_call": frozenset({"id", "call_id", "status"}),
    "tool_search_output": frozenset({"id", "call_id", "status"}),
    "additional_tools": frozenset({"id"}),
    "configuration_update": frozenset({"id"}),
    "file_search_call": frozenset({"results"}),
    "code_interpreter_call": frozenset({"code", "outputs"}),
    "image_generation_call": frozenset({"result", "action", "background", "output_format", "quality"})
    | {"revised_prompt", "size"},
    "mcp_list_tools": frozenset({"error"}),
    "mcp_approval_response": frozenset({"id", "reason"}),
    "mcp_call": frozenset({"approval_request_id", "error", "output"}),
    "compaction": frozenset({"id"}),
    "compaction_trigger": frozenset({"id"}),
    "item_reference": frozenset({"type"}),
}
"""The keys that may be null; any other null is a key that the server did not give (OR-17)."""

VALUES: Final[dict[str, frozenset[str] | type]] = {
    "status": STATUSES,
    "phase": frozenset({"commentary", "final_answer"}),
    "execution": frozenset({"server", "client"}),
    "detail": frozenset({"auto", "low", "high", "original"}),
    **dict.fromkeys(("name", "namespace"), str),
    **dict.fromkeys(("caller", "environment", "prompt_cache_breakpoint"), FrozenDict),
    **dict.fromkeys(("annotations", "logprobs", "acknowledged_safety_checks", "pending_safety_checks"), FrozenList),
    "max_output_length": int,
    "async": bool,
}
"""What the values of keys are that travel with a block: one of some texts, or of a type."""

PASSED: Final = "internal_chat_message_metadata_passthrough"
"""The key under which Codex tells OpenAI, and nobody else, where an item comes from: openai/codex#28968, 2026-06."""

NO_ITEMS: Final = frozenset(
    {"image", "image_url", "document", "thinking", "tool_use", "tool_result", "tool_call", "context_compaction"}
)
"""The types of parts and of other APIs' blocks that lists hold as items by mistake (OR-32)."""
SEARCHES: Final = frozenset({"search", "open_page", "find_in_page"})
"""What a search of the server's can have done (OR-33)."""

NEEDS_ID: Final = frozenset(
    {
        "local_shell_call",
        "computer_call",
        "item_reference",
        "program",
        "program_output",
        *(CLEAN_ASSISTANT - {"reasoning"}),
    }
)
"""The types of items that cannot be sent without an id."""

REASONED: Final = frozenset({"message", FUNCTION, CUSTOM})
"""The types of items that, by their id alone, ask for the reasoning that they were made with (OR-07)."""

PARTS: Final[dict[str, frozenset[str]]] = {
    "assistant": frozenset({"output_text", "refusal"}),
    **dict.fromkeys(
        ("user", "system", "developer"), frozenset({"input_text", "input_image", "input_file", "input_audio"})
    ),
}
"""The parts that a message of each role may hold."""

MODELLED: Final = frozenset(
    {"message", "reasoning", "text", FUNCTION, CUSTOM, *CLIENT_TOOLS, *OUTPUTS, *PARTS["user"], *PARTS["assistant"]}
)
"""The types that become blocks of our own; all others are kept whole. The server's searches for tools are too."""


def is_known(item: Mapping[Any, Any]) -> bool:
    """Return whether the API takes an item that is kept whole: not one of `NO_ITEMS`, nor an unknown action (OR-33)."""
    action = item.get("action")
    did = action.get("type") if isinstance(action, Mapping) else None
    if item.get("type") == "web_search_call" and isinstance(did, str) and did not in SEARCHES:
        return False
    return item.get("type") not in NO_ITEMS


def is_bare_reference(item: Mapping[Any, Any]) -> bool:
    """Return whether an item is a reference that does not say so: its type may be null, or missing."""
    return item.keys() <= {"id", "type"} and item.get("type") is None and isinstance(item.get("id"), str)


def is_hosted(kind: str) -> bool:
    """Return whether items of this type are calls of tools that the server runs."""
    return kind in CLEAN_ASSISTANT and kind.endswith("_call")


def is_searched_by_server(item: Mapping[Any, Any]) -> bool:
    """Return whether an item belongs to a search for tools that the server makes itself, which is the default."""
    return item.get("type") in ("tool_search_call", "tool_search_output") and item.get("execution") != "client"


def suits(key: str, value: object) -> bool:
    """Return whether a value is allowed under a key that travels with a block."""
    known = VALUES.get(key)
    if known is None:
        return True
    return isinstance(value, known) if isinstance(known, type) else isinstance(value, str) and value in known


def side_of(item: Mapping[Any, Any]) -> Role | None:
    """Return whose an item is that is kept whole; None for one that goes with the items before it."""
    kind, id = item.get("type"), item.get("id")
    if not isinstance(kind, str):
        return None
    if kind in CLEAN_ASSISTANT or kind.endswith("_call") or is_searched_by_server(item):
        return "assistant"
    if kind == "item_reference" and isinstance(id, str) and id.startswith(("rs_", "msg_", "fc_", "ctc_", "ws_")):
        return "assistant"
    return "user" if kind in CLEAN_USER else None


MODELS: Final = ModelTable(__package__)
"""What differs by model; a model that no row covers gets the defaults."""
