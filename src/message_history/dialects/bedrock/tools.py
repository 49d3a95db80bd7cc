"""Tools of requests of the Converse API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.tools.form import ToolForm, described, strictness
from message_history.dialects.bedrock.schema import NAME, NAME_LIMIT

if TYPE_CHECKING:
    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice

_CONFIGS: Final = ("toolConfig", "tool_config")


@final
class _Form(ToolForm):
    has_parallel = False

    def owns_request(self, body: Mapping[str, Any]) -> bool:
        return any(isinstance(body.get(key), Mapping) and "tools" in body[key] for key in _CONFIGS)

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        spec = tool.get("toolSpec")
        if not isinstance(spec, Mapping):
            return False
        held = spec.get("inputSchema")
        schema = held.get("json") if isinstance(held, Mapping) else None
        reader.tool(f"{path}.toolSpec", {**spec, "inputSchema": schema}, "inputSchema")
        reader.rest(path, tool, "toolSpec")
        return True

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        kind = next(iter(choice), None)
        if isinstance(choice.get("tool"), Mapping):
            reader.choose(path, choice, "any", [choice["tool"].get("name")])
        elif reader.is_mode(kind):
            reader.choose(path, choice, kind)
        else:
            return False
        return True

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        spec = {**described(tool, name), "inputSchema": {"json": dict(tool.schema)}, **strictness(tool)}
        return {"toolSpec": spec}

    def can_say(self, choice: ToolChoice) -> bool:
        return choice.mode != "none" and super().can_say(choice)

    def choice(self, choice: ToolChoice) -> Any:
        return {"tool": {"name": choice.names[0]}} if choice.names else {choice.mode: {}}

    def keys(self, tools: list[dict[str, Any]], choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any]:
        return {"toolConfig": {"tools": tools, **({"toolChoice": self.choice(choice)} if choice is not None else {})}}


FORM: Final = _Form(NAME, NAME_LIMIT)
