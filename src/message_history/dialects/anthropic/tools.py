"""Tools of requests of the Messages API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.tools.form import ToolForm, described, strictness
from message_history.dialects.anthropic.schema import NAME, NAME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice


@final
class _Form(ToolForm):
    def owns(self, tool: Mapping[str, Any]) -> bool:
        return "input_schema" in tool

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        if not self.owns(tool) or tool.get("type") not in (None, "custom"):
            return False
        reader.tool(path, tool, "input_schema", "type")
        return True

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        kind = choice.get("type")
        # It is read whatever form the rest of the choice has.
        if isinstance(choice.get("disable_parallel_tool_use"), bool):
            reader.parallel = not choice["disable_parallel_tool_use"]
        if kind == "tool":
            reader.choose(path, choice, "any", [choice.get("name")])
        elif reader.is_mode(kind) and "allowed_tools" not in choice:
            reader.choose(path, choice, kind)
        else:
            return False
        return True

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        return {**described(tool, name), "input_schema": dict(tool.schema), **strictness(tool)}

    def takes_parallel(self, choice: ToolChoice | None) -> bool:
        return choice is None or choice.mode != "none"

    def keys(self, tools: list[dict[str, Any]], choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any]:
        if choice is None and parallel is None:
            return {"tools": tools}
        made: dict[str, Any] = {"type": choice.mode if choice is not None else "auto"}
        if choice is not None and choice.names:
            made = {"type": "tool", "name": choice.names[0]}
        if parallel is not None:
            made["disable_parallel_tool_use"] = not parallel
        return {"tools": tools, "tool_choice": made}


FORM: Final = _Form(NAME, NAME_LIMIT)
