"""What a request of any provider says of tools. Each tool is read by its own shape, as entries of a list are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeGuard, final

from message_history.dialects._shared.tools.schemas import object_schema
from message_history.dialects._shared.tools.values import OmittedPart, Tool, ToolChoice, Toolset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LISTS: Final = ("tools", "functions")
CONFIGS: Final = ("toolConfig", "tool_config")
CHOICES: Final = ("tool_choice", "toolChoice", "function_call")
MODES: Final[dict[str, Literal["auto", "any", "none"]]] = {
    "auto": "auto",
    "any": "any",
    "required": "any",
    "none": "none",
}
ITS_OWN: Final = "only the provider that it was for understands it"


class ToolShapes:
    """The shapes in which a dialect's requests have tools: what reads them, each for itself."""

    def owns(self, tool: Mapping[str, Any]) -> bool:
        """Return whether a tool of a request is written in this form, and in no other dialect's."""
        return False

    def owns_request(self, body: Mapping[str, Any]) -> bool:
        """Return whether a request has its tools where only this form has them."""
        return False

    def read_tool(self, reader: ToolReader, path: str, tool: Mapping[str, Any]) -> bool:
        """Read a tool, and return whether it is one of this form."""
        return False

    def read_choice(self, reader: ToolReader, path: str, choice: Mapping[str, Any]) -> bool:
        """Read a choice among tools that is an object, and return whether it is one of this form; see `read_tool`."""
        return False

    def read_config(self, reader: ToolReader, path: str, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Read what only this form has in the `toolConfig` of a request; return its keys."""
        return ()

    def read_elsewhere(self, reader: ToolReader, body: Mapping[str, Any]) -> None:
        """Read what only this form has elsewhere in a request."""


@final
class ToolReader:
    """Reads one request, with the forms of all dialects."""

    def __init__(self, forms: Sequence[ToolShapes]) -> None:
        self.parallel: bool | None = None
        """Whether one reply may hold several calls."""
        self._forms = forms  # those forms; the first that knows a shape reads it
        self._tools: list[Tool] = []
        self._choice: ToolChoice | None = None
        self._keys: set[str] = set()
        self._omitted: list[OmittedPart] = []

    def read(self, body: Mapping[str, Any]) -> Toolset:
        for key in LISTS:
            self._listed(key, body.get(key))
        for key in CONFIGS:
            self._config(key, body.get(key))
        for key in CHOICES:
            if body.get(key) is not None:
                self._keys.add(key)
                self.choice(key, body[key])
        for form in self._forms:
            form.read_elsewhere(self, body)
        parallel = body.get("parallel_tool_calls")
        if isinstance(parallel, bool):
            self._keys.add("parallel_tool_calls")
            self.parallel = parallel
        return Toolset(
            tools=tuple(self._tools),
            choice=self._choice,
            parallel=self.parallel,
            keys=frozenset(self._keys),
            omitted=tuple(self._omitted),
        )

    def omit(self, path: str, value: Any, why: str = ITS_OWN) -> None:
        self._omitted.append(OmittedPart(path, value, why))

    def _listed(self, key: str, tools: object) -> None:
        if not isinstance(tools, list):
            return
        self._keys.add(key.partition(".")[0])
        for n, tool in enumerate(tools):
            path = f"{key}[{n}]"
            if not isinstance(tool, Mapping):
                self.omit(path, tool, "it is not a tool")
            elif not any(form.read_tool(self, path, tool) for form in self._forms):
                self.omit(path, tool, "a tool that the provider defines or runs itself")

    def tool(self, path: str, tool: Mapping[str, Any], schema: str, *known: str, strict: bool | None = False) -> None:
        """Take a tool whose fields are its own.

        `schema` is the key of the schema of its input, and the keys that are `known` say nothing more. `strict` says
        whether the provider holds the model to the schema where the tool does not say; None where the provider decides.
        """
        name, strictness = tool.get("name"), tool.get("strict", strict)
        if not isinstance(name, str) or not name:
            self.omit(path, tool, "a tool without a name")
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
        self.rest(path, tool, "name", "description", "strict", schema, *known)

    def rest(self, path: str, tool: Mapping[str, Any], *known: str) -> None:
        """Omit the keys of a part of a request that are not known."""
        for key, value in tool.items():
            if key not in known and value is not None:
                self.omit(f"{path}.{key}", value)

    def _config(self, key: str, config: object) -> None:
        if not isinstance(config, Mapping):
            return
        self._keys.add(key)
        self._listed(f"{key}.tools", config.get("tools"))
        self.choice(f"{key}.toolChoice", config.get("toolChoice"))
        known = [name for form in self._forms for name in form.read_config(self, key, config)]
        self.rest(key, config, "tools", "toolChoice", *known)

    def choice(self, path: str, choice: Any) -> None:
        """Read a choice among the tools, by its shape; there may be none."""
        if isinstance(choice, str):
            self.choose(path, choice, choice)
        elif choice is not None and not isinstance(choice, Mapping):
            self.omit(path, choice, "it is not a choice of a tool")
        elif choice is not None and not any(form.read_choice(self, path, choice) for form in self._forms):
            self.omit(path, choice)

    def choose_among(self, path: str, choice: Mapping[str, Any], allowed: Mapping[str, Any]) -> None:
        """Take a choice among some of the tools. `allowed` is what of it has the mode and the tools."""
        tools = allowed.get("tools")
        names = [_name_in(tool) for tool in tools] if isinstance(tools, list) else []
        self.choose(path, choice, str(allowed.get("mode", "auto")), names)

    def choose(self, path: str, choice: Any, mode: str, names: Iterable[Any] = ()) -> None:
        names = tuple(names)
        if not self.is_mode(mode) or not all(isinstance(name, str) for name in names):
            self.omit(path, choice)
            return
        self._choice = ToolChoice(mode=MODES[mode], names=names)

    def is_mode(self, kind: object) -> TypeGuard[str]:
        return isinstance(kind, str) and kind in MODES


def _name_in(tool: object) -> object:
    """Return the name in a reference to a tool, in any provider's form."""
    if isinstance(tool, Mapping):
        held = tool.get("function")
        kind = tool.get("type", "function")
        return (held if isinstance(held, Mapping) else tool).get("name") if kind == "function" else None
    return tool
