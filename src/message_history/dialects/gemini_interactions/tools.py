"""Tools of requests of the Interactions API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.tools.form import ToolForm, described
from message_history.dialects.gemini_interactions.schema import NAME, NAME_LIMIT

if TYPE_CHECKING:
    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice

_GENERATION: Final = ("generation_config", "generationConfig")


@final
class _Form(ToolForm):
    has_strict = False
    has_parallel = False

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        allowed = choice.get("allowed_tools")
        if isinstance(allowed, Mapping):
            reader.choose_among(path, choice, allowed)
        return isinstance(allowed, Mapping)

    def read_elsewhere(self, reader: ToolReader, body: Mapping[str, Any]) -> None:
        for key in _GENERATION:
            # The choice is among the parameters of generation, which are left unchanged.
            inner = body.get(key)
            if isinstance(inner, Mapping):
                reader.choice(f"{key}.tool_choice", inner.get("tool_choice"))

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        return {"type": "function", **described(tool, name), "parameters": dict(tool.schema)}

    def can_say(self, choice: ToolChoice) -> bool:
        return not choice.names or choice.mode != "none"

    def choice(self, choice: ToolChoice) -> Any:
        if not choice.names:
            return choice.mode
        return {"allowed_tools": {"mode": choice.mode, "tools": list(choice.names)}}

    def keys(self, tools: list[dict[str, Any]], choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any]:
        keys: dict[str, Any] = {"tools": tools}
        if choice is not None:
            keys["generation_config"] = {"tool_choice": self.choice(choice)}
        return keys


FORM: Final = _Form(NAME, NAME_LIMIT)
