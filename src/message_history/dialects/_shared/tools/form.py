"""How a provider writes the tools of a request and the choice among them: what a dialect's `tools.py` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects._shared.tools.reader import ToolShapes
from message_history.dialects._shared.writer import Changes, named_for

if TYPE_CHECKING:
    import re

    from message_history.dialects._shared.tools.values import Tool, ToolChoice


class ToolForm(ToolShapes):
    """How a provider writes tools; the defaults are what most do.

    Args:
        name_pattern: what a tool's name must look like.
        name_limit: how long it may be.
    """

    has_strict = True
    """Whether a tool can say that the model is held to its schema."""
    has_parallel = True
    """Whether a request can say whether one reply may hold several calls."""

    def __init__(self, name_pattern: re.Pattern[str], name_limit: int) -> None:
        self._name_pattern = name_pattern
        self._name_limit = name_limit

    def name(self, name: str) -> str:
        """Return a tool's name as the calls of this dialect have it."""
        return named_for(name, self._name_pattern, self._name_limit, Changes())

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        """Write a tool under a name."""
        raise NotImplementedError

    def can_say(self, choice: ToolChoice) -> bool:
        """Return whether a choice can be written: by default, one tool can be demanded, or any."""
        return not choice.names or (choice.mode == "any" and len(choice.names) == 1)

    def takes_parallel(self, choice: ToolChoice | None) -> bool:
        """Return whether a request with a choice can say whether one reply may hold several calls."""
        return True

    def choice(self, choice: ToolChoice) -> Any:
        """Write a choice that can be written."""
        raise NotImplementedError

    def keys(self, tools: list[dict[str, Any]], choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any]:
        """Write the keys of a request.

        Args:
            tools: the tools, as they are written.
            choice: the choice among them.
            parallel: whether one reply may hold several calls.
        """
        keys: dict[str, Any] = {"tools": tools}
        if choice is not None:
            keys["tool_choice"] = self.choice(choice)
        if parallel is not None:
            keys["parallel_tool_calls"] = parallel
        return keys


def described(tool: Tool, name: str) -> dict[str, Any]:
    return {"name": name, **({"description": tool.description} if tool.description is not None else {})}


def strictness(tool: Tool) -> dict[str, Any]:
    """Write whether the model is held to a tool's schema, where it is."""
    return {"strict": True} if tool.strict else {}


def required(mode: str) -> str:
    """Return the name of a mode where a demanded call is called required."""
    return "required" if mode == "any" else mode
