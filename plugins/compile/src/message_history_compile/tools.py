"""Definitions of tools, of every provider's form, in the one that trainers take."""

from __future__ import annotations

import marshal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.plain import VERSION, unpack
from message_history.tools import parse_toolset
from message_history_compile.turns import omitted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history import Repair
    from message_history.tools import Tool

_SHAPED: Final = frozenset(
    {"function", "functionDeclarations", "function_declarations", "input_schema", "toolSpec", "type"}
)
"""The keys that say whose a definition is."""


def functions_of(tools: Iterable[Any]) -> tuple[list[dict[str, Any]], list[Repair]]:
    """Write definitions of tools as functions of Chat Completions.

    What was omitted comes with them: tools that a provider runs itself have no definition. Neither is to be changed.
    """
    return _functions_in(marshal.dumps(list(tools), VERSION))


@lru_cache(maxsize=16)
def _functions_in(packed: bytes) -> tuple[list[dict[str, Any]], list[Repair]]:
    """Parse definitions once: the rows of a data set have the same ones."""
    toolset = parse_toolset({"tools": [_with_type(tool) for tool in unpack(packed)]})
    return [_function(tool) for tool in toolset.tools], [omitted(0, str(part)) for part in toolset.omitted]


def _with_type(tool: Any) -> Any:
    """Complete a bare function, as data sets have it, and one of MCP."""
    if not isinstance(tool, dict) or tool.keys() & _SHAPED:
        return tool
    if "inputSchema" in tool:
        return {
            **{key: value for key, value in tool.items() if key != "inputSchema"},
            "input_schema": tool["inputSchema"],
        }
    return {"type": "function", **tool}


def _function(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description or "", "parameters": dict(tool.schema)}
    return {"type": "function", "function": {**function, "strict": True} if tool.strict else function}
