"""Tools of requests of the Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.tools.form import ToolForm, described, required
from message_history.dialects.openai_responses.schema import NAME, NAME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice


@final
class _Form(ToolForm):
    def owns(self, tool: Mapping[str, Any]) -> bool:
        return tool.get("type") == "function"

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        if self.owns(tool):
            reader.tool(path, tool, "parameters", "type", strict=None)
        return self.owns(tool)

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        if choice.get("type") == "allowed_tools":
            reader.choose_among(path, choice, choice)
        elif choice.get("type") == "function":
            reader.choose(path, choice, "any", [choice.get("name")])
        else:
            return False
        return True

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        # Here a tool is strict unless it says that it is not.
        strict = {} if tool.strict is None else {"strict": tool.strict}
        return {"type": "function", **described(tool, name), "parameters": dict(tool.schema), **strict}

    def can_say(self, choice: ToolChoice) -> bool:
        return not choice.names or choice.mode != "none"

    def choice(self, choice: ToolChoice) -> Any:
        tools = [{"type": "function", "name": name} for name in choice.names]
        if not tools:
            return required(choice.mode)
        if super().can_say(choice):
            return tools[0]
        return {"type": "allowed_tools", "mode": required(choice.mode), "tools": tools}


FORM: Final = _Form(NAME, NAME_LIMIT)
