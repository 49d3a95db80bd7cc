"""Tools of requests of `generateContent`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.tools.form import ToolForm, described
from message_history.dialects._shared.tools.schemas import from_openapi
from message_history.dialects.gemini.schema import NAME, NAME_LIMIT

if TYPE_CHECKING:
    from message_history.dialects._shared.tools.reader import ToolReader
    from message_history.dialects._shared.tools.values import Tool, ToolChoice

_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
_SCHEMAS: Final = ("parametersJsonSchema", "parameters_json_schema")
_CALLING: Final = ("functionCallingConfig", "function_calling_config")


@final
class _Form(ToolForm):
    has_strict = False
    has_parallel = False

    def owns(self, tool: Mapping[str, Any]) -> bool:
        return any(key in tool for key in _DECLARATIONS)

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        if not any(isinstance(tool.get(key), list) for key in _DECLARATIONS):
            return False
        for key in _DECLARATIONS:
            declarations = tool.get(key)
            for n, one in enumerate(declarations if isinstance(declarations, list) else ()):
                self._read_declaration(reader, f"{path}.{key}[{n}]", one)
        reader.rest(path, tool, *_DECLARATIONS)
        return True

    def _read_declaration(self, reader: ToolReader, path: str, declaration: Any) -> None:
        if not isinstance(declaration, Mapping):
            reader.omit(path, declaration, "it is not a tool")
            return
        written = next((declaration[name] for name in _SCHEMAS if declaration.get(name) is not None), None)
        schema = written if written is not None else from_openapi(declaration.get("parameters"))
        reader.tool(path, {**declaration, "parameters": schema}, "parameters", *_SCHEMAS)

    def read_config(self, reader: ToolReader, path: str, config: Mapping[str, Any]) -> tuple[str, ...]:
        for key in _CALLING:
            calling = config.get(key)
            if isinstance(calling, Mapping):
                place = f"{path}.{key}"
                names = calling.get("allowedFunctionNames", calling.get("allowed_function_names"))
                mode = str(calling.get("mode", "AUTO")).lower()
                reader.choose(place, calling, mode, names if isinstance(names, list) else ())
                reader.rest(place, calling, "mode", "allowedFunctionNames", "allowed_function_names")
        return _CALLING

    def tool(self, tool: Tool, name: str) -> dict[str, Any]:
        return {**described(tool, name), "parametersJsonSchema": dict(tool.schema)}

    def can_say(self, choice: ToolChoice) -> bool:
        return not choice.names or choice.mode == "any"

    def choice(self, choice: ToolChoice) -> Any:
        names = {"allowedFunctionNames": list(choice.names)} if choice.names else {}
        return {"mode": choice.mode.upper(), **names}

    def keys(self, tools: list[dict[str, Any]], choice: ToolChoice | None, parallel: bool | None) -> dict[str, Any]:
        keys: dict[str, Any] = {"tools": [{"functionDeclarations": tools}]}
        if choice is not None:
            keys["toolConfig"] = {"functionCallingConfig": self.choice(choice)}
        return keys


FORM: Final = _Form(NAME, NAME_LIMIT)
