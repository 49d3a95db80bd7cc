"""What a request of any provider says of tools. Each tool is read by its own shape, as entries of a list are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, final

from message_history.tools.schemas import from_openapi, object_schema
from message_history.tools.values import OmittedPart, Tool, ToolChoice, Toolset

__all__ = ["parse_toolset", "tool_api"]

CHOICES: Final = ("tool_choice", "toolChoice", "function_call")
DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
SCHEMAS: Final = ("parametersJsonSchema", "parameters_json_schema")
CONFIGS: Final = ("toolConfig", "tool_config")
CALLING: Final = ("functionCallingConfig", "function_calling_config")
GENERATION: Final = ("generation_config", "generationConfig")
MODES: Final[dict[str, Literal["auto", "any", "none"]]] = {
    "auto": "auto",
    "any": "any",
    "required": "any",
    "none": "none",
}
ITS_OWN: Final = "only the provider that it was for understands it"


def parse_toolset(body: Mapping[str, Any]) -> Toolset:
    """Read the tools of a request, and the choice among them.

    Args:
        body: the request, of any provider.

    Returns:
        What it says of tools.

    Complexity: linear in the tools.
    """
    return _Parser(body).toolset()


def tool_api(body: Mapping[str, Any]) -> str | None:
    """Name the dialect that the tools of a request are written in; None when they do not tell."""
    if any(isinstance(body.get(key), Mapping) and "tools" in body[key] for key in CONFIGS):
        return "bedrock"
    for tool in body["tools"] if isinstance(body.get("tools"), list) else ():
        if isinstance(tool, Mapping):
            if "input_schema" in tool:
                return "anthropic"
            if isinstance(tool.get("function"), Mapping):
                return "openai_chat"
            if any(key in tool for key in DECLARATIONS):
                return "gemini"
            if tool.get("type") == "function":
                return "openai_responses"
    return None


@final
class _Parser:
    """One request."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body
        self._tools: list[Tool] = []
        self._choice: ToolChoice | None = None
        self._parallel: bool | None = None
        self._keys: set[str] = set()
        self._omitted: list[OmittedPart] = []

    def toolset(self) -> Toolset:
        for key in ("tools", "functions"):
            self._listed(key, self._body.get(key))
        for key in CONFIGS:
            self._config(key, self._body.get(key))
        for key in CHOICES:
            if self._body.get(key) is not None:
                self._keys.add(key)
                self._choose(key, self._body[key])
        for key in GENERATION:
            # The Interactions API has the choice among its parameters of generation, which are left as they are.
            inner = self._body.get(key)
            if isinstance(inner, Mapping) and inner.get("tool_choice") is not None:
                self._choose(f"{key}.tool_choice", inner["tool_choice"])
        parallel = self._body.get("parallel_tool_calls")
        if isinstance(parallel, bool):
            self._keys.add("parallel_tool_calls")
            self._parallel = parallel
        return Toolset(
            tools=tuple(self._tools),
            choice=self._choice,
            parallel=self._parallel,
            keys=frozenset(self._keys),
            omitted=tuple(self._omitted),
        )

    def _omit(self, path: str, value: Any, why: str = ITS_OWN) -> None:
        self._omitted.append(OmittedPart(path, value, why))

    def _listed(self, key: str, tools: object) -> None:
        if not isinstance(tools, list):
            return
        self._keys.add(key.partition(".")[0])
        for n, tool in enumerate(tools):
            path = f"{key}[{n}]"
            if not isinstance(tool, Mapping):
                self._omit(path, tool, "it is no tool")
            elif isinstance(tool.get("function"), Mapping):
                self._tool(f"{path}.function", tool["function"], "parameters")
                self._rest(path, tool, "type", "function")
            elif isinstance(tool.get("toolSpec"), Mapping):
                self._spec(f"{path}.toolSpec", tool["toolSpec"])
                self._rest(path, tool, "toolSpec")
            elif any(isinstance(tool.get(name), list) for name in DECLARATIONS):
                self._declared(path, tool)
            elif "input_schema" in tool and tool.get("type") in (None, "custom"):
                self._tool(path, tool, "input_schema", "type")
            elif tool.get("type") == "function" or (key == "functions" and "name" in tool):
                self._tool(path, tool, "parameters", "type", strict=False if key == "functions" else None)
            else:
                self._omit(path, tool, "a tool that the provider defines or runs itself")

    def _tool(self, path: str, tool: Mapping[str, Any], schema: str, *known: str, strict: bool | None = False) -> None:
        """Read a tool whose fields are its own."""
        name, strictness = tool.get("name"), tool.get("strict", strict)
        if not isinstance(name, str) or not name:
            self._omit(path, tool, "a tool without a name")
            return
        description = tool.get("description")
        self._tools.append(
            Tool(
                name=name,
                description=description if isinstance(description, str) and description else None,
                schema=object_schema(tool.get(schema)),
                strict=strictness if isinstance(strictness, bool) else None if strict is None else False,
            )
        )
        self._rest(path, tool, "name", "description", "strict", schema, *known)

    def _spec(self, path: str, spec: Mapping[str, Any]) -> None:
        held = spec.get("inputSchema")
        schema = held.get("json") if isinstance(held, Mapping) else None
        self._tool(path, {**spec, "inputSchema": schema}, "inputSchema")

    def _declared(self, path: str, tool: Mapping[str, Any]) -> None:
        for key in DECLARATIONS:
            declarations = tool.get(key)
            for n, one in enumerate(declarations if isinstance(declarations, list) else ()):
                place = f"{path}.{key}[{n}]"
                if not isinstance(one, Mapping):
                    self._omit(place, one, "it is no tool")
                    continue
                written = next((one[name] for name in SCHEMAS if one.get(name) is not None), None)
                schema = written if written is not None else from_openapi(one.get("parameters"))
                self._tool(place, {**one, "parameters": schema}, "parameters", *SCHEMAS)
        self._rest(path, tool, *DECLARATIONS)

    def _rest(self, path: str, tool: Mapping[str, Any], *known: str) -> None:
        """Omit the keys of a tool that are not known."""
        for key, value in tool.items():
            if key not in known and value is not None:
                self._omit(f"{path}.{key}", value)

    def _config(self, key: str, config: object) -> None:
        """Read the `toolConfig` of Converse or of Gemini."""
        if not isinstance(config, Mapping):
            return
        self._keys.add(key)
        self._listed(f"{key}.tools", config.get("tools"))
        if config.get("toolChoice") is not None:
            self._choose(f"{key}.toolChoice", config["toolChoice"])
        for name in CALLING:
            if isinstance(config.get(name), Mapping):
                self._calling(f"{key}.{name}", config[name])
        self._rest(key, config, "tools", "toolChoice", *CALLING)

    def _calling(self, path: str, config: Mapping[str, Any]) -> None:
        mode = str(config.get("mode", "AUTO")).lower()
        names = config.get("allowedFunctionNames", config.get("allowed_function_names"))
        self._chosen(path, config, mode, names if isinstance(names, list) else ())
        self._rest(path, config, "mode", "allowedFunctionNames", "allowed_function_names")

    def _choose(self, path: str, choice: Any) -> None:
        """Read a choice by its shape."""
        if isinstance(choice, str):
            self._chosen(path, choice, choice)
        elif not isinstance(choice, Mapping):
            self._omit(path, choice, "it is no choice of a tool")
        elif isinstance(choice.get("allowed_tools"), Mapping):
            self._allowed(path, choice, choice["allowed_tools"])
        elif choice.get("type") == "allowed_tools":
            self._allowed(path, choice, choice)
        elif choice.get("type") in ("function", "tool"):
            held = choice.get("function")
            self._chosen(path, choice, "any", [(held if isinstance(held, Mapping) else choice).get("name")])
        elif isinstance(choice.get("tool"), Mapping):
            self._chosen(path, choice, "any", [choice["tool"].get("name")])
        elif isinstance(choice.get("type"), str):
            self._chosen(path, choice, choice["type"])
        elif "name" in choice:
            self._chosen(path, choice, "any", [choice["name"]])
        else:
            self._chosen(path, choice, next(iter(choice), ""))
        if isinstance(choice, Mapping) and isinstance(choice.get("disable_parallel_tool_use"), bool):
            self._parallel = not choice["disable_parallel_tool_use"]

    def _allowed(self, path: str, choice: Mapping[str, Any], allowed: Mapping[str, Any]) -> None:
        """Read a choice among some of the tools."""
        tools = allowed.get("tools")
        names = [_name_in(tool) for tool in tools] if isinstance(tools, list) else []
        self._chosen(path, choice, str(allowed.get("mode", "auto")), names)

    def _chosen(self, path: str, choice: Any, mode: str, names: Any = ()) -> None:
        chosen = MODES.get(mode)
        if chosen is None or not all(isinstance(name, str) for name in names):
            self._omit(path, choice)
            return
        self._choice = ToolChoice(mode=chosen, names=tuple(names))


def _name_in(tool: object) -> object:
    """Return the name in a reference to a tool, in any provider's form."""
    if isinstance(tool, Mapping):
        held = tool.get("function")
        kind = tool.get("type", "function")
        return (held if isinstance(held, Mapping) else tool).get("name") if kind == "function" else None
    return tool
