"""Tools of requests of Chat Completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from message_history.dialects._shared.tools.form import ToolForm, described, required, strictness

if TYPE_CHECKING:
    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice


class ChatForm(ToolForm):
    """What Chat Completions and those who speak it write."""

    def owns(self, tool: Mapping[str, Any]) -> bool:
        return isinstance(tool.get("function"), Mapping)

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        if self.owns(tool):
            reader.tool(f"{path}.function", tool["function"], "parameters")
            reader.rest(path, tool, "type", "function")
        elif path.startswith("functions[") and (tool.get("type") == "function" or "name" in tool):
            # The first form of the API had tools without a type.
            reader.tool(path, tool, "parameters", "type")
        else:
            return False
        return True

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        if "type" in choice and isinstance(choice.get("allowed_tools"), Mapping):
            reader.choose_among(path, choice, choice["allowed_tools"])
        elif choice.get("type") == "function" and isinstance(choice.get("function"), Mapping):
            reader.choose(path, choice, "any", [choice["function"].get("name")])
        elif "name" in choice and not isinstance(choice.get("type"), str):
            reader.choose(path, choice, "any", [choice["name"]])
        else:
            return False
        return True

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        function = {**described(tool, name), "parameters": dict(tool.schema), **strictness(tool)}
        return {"type": "function", "function": function}

    def choice(self, choice: ToolChoice) -> Any:
        return {"type": "function", "function": {"name": choice.names[0]}} if choice.names else required(choice.mode)


@final
class OpenAIForm(ChatForm):
    """What OpenAI itself writes: it can name several tools to choose among."""

    def can_say(self, choice: ToolChoice) -> bool:
        return not choice.names or choice.mode != "none"

    def choice(self, choice: ToolChoice) -> Any:
        if super().can_say(choice):
            return super().choice(choice)
        tools = [{"type": "function", "function": {"name": name}} for name in choice.names]
        return {"type": "allowed_tools", "allowed_tools": {"mode": required(choice.mode), "tools": tools}}
