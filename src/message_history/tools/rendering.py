"""Tools and the choice among them in the form of one provider."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.writer import Changes, named_for
from message_history.tools.values import OmittedPart, ToolChoice

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.dialects import Dialect
    from message_history.tools.values import Tool, Toolset

__all__ = ["render_toolset"]

CHAT: Final = ("openai_chat", "mistral", "portable")
MANY_NAMES: Final = ("openai_chat", "openai_responses", "gemini", "gemini_interactions")
"""The dialects that can name several tools to choose among."""
NO_STRICT: Final = ("gemini", "gemini_interactions")


def render_toolset(toolset: Toolset, dialect: Dialect[Any]) -> tuple[dict[str, Any], list[OmittedPart]]:
    """Write tools and the choice among them as keys of a request.

    Args:
        toolset: what a request says of tools.
        dialect: the dialect to write. A tool's name is changed as the names of calls are.

    Returns:
        The keys, and what the dialect cannot say.

    Complexity: linear in the tools.
    """
    write = _Writer(toolset, dialect)
    return write.keys(), write.omitted


@final
class _Writer:
    """One request."""

    def __init__(self, toolset: Toolset, dialect: Dialect[Any]) -> None:
        self._toolset = toolset
        self._api = dialect.name
        self._name = _names_of(dialect)
        self.omitted: list[OmittedPart] = []

    def keys(self) -> dict[str, Any]:
        write = _TOOLS.get(self._api)
        if write is None:
            self.omitted = [OmittedPart("tools", tool, f"{self._api} has no requests") for tool in self._toolset.tools]
            return {}
        if not self._toolset.tools:
            self._omit_choice("there is no tool to choose")
            return {}
        keys: dict[str, Any] = {"tools": [write(tool, self._name(tool.name)) for tool in self._toolset.tools]}
        if self._api in NO_STRICT:
            self.omitted += [
                OmittedPart(f"tools: {tool.name}: strict", True, f"{self._api} has no such field")
                for tool in self._toolset.tools
                if tool.strict
            ]
        choice = self._choice()
        if self._api == "gemini":
            declared = {"tools": [{"functionDeclarations": keys["tools"]}]}
            return declared if choice is None else {**declared, "toolConfig": {"functionCallingConfig": choice}}
        if self._api == "bedrock":
            return {"toolConfig": keys if choice is None else {**keys, "toolChoice": choice}}
        if self._api == "gemini_interactions":
            return keys if choice is None else {**keys, "generation_config": {"tool_choice": choice}}
        if choice is not None:
            keys["tool_choice"] = choice
        if self._toolset.parallel is not None and self._api != "anthropic":
            keys["parallel_tool_calls"] = self._toolset.parallel
        return keys

    def _omit_choice(self, why: str) -> None:
        if self._toolset.choice is not None:
            self.omitted.append(OmittedPart("tool_choice", self._toolset.choice, why))
        if self._toolset.parallel is not None:
            self.omitted.append(OmittedPart("parallel_tool_calls", self._toolset.parallel, why))

    def _choice(self) -> Any:
        """Write the choice; None where there is none, or the dialect cannot say it."""
        choice, parallel, api = self._toolset.choice, self._toolset.parallel, self._api
        if parallel is not None and api in ("gemini", "gemini_interactions", "bedrock"):
            self.omitted.append(OmittedPart("parallel_tool_calls", parallel, f"{api} has no such field"))
        known = {tool.name for tool in self._toolset.tools}
        if choice is not None and (
            not known.issuperset(choice.names)
            or (len(choice.names) > 1 and api not in MANY_NAMES)
            or (choice.names and choice.mode != "any" and api not in MANY_NAMES)
            or (choice.names and choice.mode != "any" and api == "gemini")
            or (choice.mode == "none" and (api == "bedrock" or choice.names))
        ):
            gone = not known.issuperset(choice.names)
            why = "a tool in it is not in the request" if gone else f"{api} cannot say it"
            self.omitted.append(OmittedPart("tool_choice", choice, why))
            choice = None
        if api == "anthropic":
            return self._anthropic(choice, parallel)
        if choice is None:
            return None
        return _CHOICES[api](choice, [self._name(name) for name in choice.names])

    def _anthropic(self, choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any] | None:
        if choice is None and parallel is None:
            return None
        mode = choice.mode if choice is not None else "auto"
        made: dict[str, Any] = {"type": mode}
        if choice is not None and choice.names:
            made = {"type": "tool", "name": self._name(choice.names[0])}
        if parallel is not None and mode == "none":
            self.omitted.append(OmittedPart("parallel_tool_calls", parallel, "no tool may be called"))
        elif parallel is not None:
            made["disable_parallel_tool_use"] = not parallel
        return made


def _names_of(dialect: Dialect[Any]) -> Callable[[str], str]:
    """Return what writes a tool's name in a dialect's alphabet, as its calls have it."""
    if dialect.name not in _TOOLS:
        return str
    # The portable form is that of Chat Completions.
    folder = "openai_chat" if dialect.name == "portable" else dialect.name
    schema = import_module(f"message_history.dialects.{folder}.schema")
    fits, limit = getattr(dialect, "name_pattern", schema.NAME), getattr(dialect, "name_limit", schema.NAME_LIMIT)
    return lambda name: named_for(name, fits, limit, Changes())


def _described(tool: Tool, name: str) -> dict[str, Any]:
    return {"name": name, **({"description": tool.description} if tool.description is not None else {})}


def _strict(tool: Tool) -> dict[str, Any]:
    return {"strict": True} if tool.strict else {}


def _anthropic_tool(tool: Tool, name: str) -> dict[str, Any]:
    return {**_described(tool, name), "input_schema": dict(tool.schema), **_strict(tool)}


def _chat_tool(tool: Tool, name: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {**_described(tool, name), "parameters": dict(tool.schema), **_strict(tool)},
    }


def _responses_tool(tool: Tool, name: str) -> dict[str, Any]:
    # There a tool is strict unless it says that it is not.
    strict = {} if tool.strict is None else {"strict": tool.strict}
    return {"type": "function", **_described(tool, name), "parameters": dict(tool.schema), **strict}


def _gemini_tool(tool: Tool, name: str) -> dict[str, Any]:
    return {**_described(tool, name), "parametersJsonSchema": dict(tool.schema)}


def _interactions_tool(tool: Tool, name: str) -> dict[str, Any]:
    return {"type": "function", **_described(tool, name), "parameters": dict(tool.schema)}


def _bedrock_tool(tool: Tool, name: str) -> dict[str, Any]:
    return {"toolSpec": {**_described(tool, name), "inputSchema": {"json": dict(tool.schema)}, **_strict(tool)}}


def _required(mode: str) -> str:
    return "required" if mode == "any" else mode


def _chat_choice(choice: ToolChoice, names: list[str]) -> Any:
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    if not tools:
        return _required(choice.mode)
    if len(tools) == 1 and choice.mode == "any":
        return tools[0]
    return {"type": "allowed_tools", "allowed_tools": {"mode": _required(choice.mode), "tools": tools}}


def _responses_choice(choice: ToolChoice, names: list[str]) -> Any:
    tools = [{"type": "function", "name": name} for name in names]
    if not tools:
        return _required(choice.mode)
    if len(tools) == 1 and choice.mode == "any":
        return tools[0]
    return {"type": "allowed_tools", "mode": _required(choice.mode), "tools": tools}


def _mistral_choice(choice: ToolChoice, names: list[str]) -> Any:
    return {"type": "function", "function": {"name": names[0]}} if names else _required(choice.mode)


def _gemini_choice(choice: ToolChoice, names: list[str]) -> Any:
    return {"mode": choice.mode.upper(), **({"allowedFunctionNames": names} if names else {})}


def _interactions_choice(choice: ToolChoice, names: list[str]) -> Any:
    return {"allowed_tools": {"mode": choice.mode, "tools": names}} if names else choice.mode


def _bedrock_choice(choice: ToolChoice, names: list[str]) -> Any:
    return {"tool": {"name": names[0]}} if names else {choice.mode: {}}


_TOOLS: Final[dict[str, Callable[[Tool, str], dict[str, Any]]]] = {
    "anthropic": _anthropic_tool,
    **dict.fromkeys(CHAT, _chat_tool),
    "openai_responses": _responses_tool,
    "gemini": _gemini_tool,
    "gemini_interactions": _interactions_tool,
    "bedrock": _bedrock_tool,
}
_CHOICES: Final[dict[str, Callable[[ToolChoice, list[str]], Any]]] = {
    "openai_chat": _chat_choice,
    "portable": _chat_choice,
    "mistral": _mistral_choice,
    "openai_responses": _responses_choice,
    "gemini": _gemini_choice,
    "gemini_interactions": _interactions_choice,
    "bedrock": _bedrock_choice,
}
