"""The tools of a request, from any provider's form into any other's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from message_history.dialects._shared.tools.reader import CONFIGS, ToolReader
from message_history.dialects._shared.tools.values import OmittedPart
from message_history.dialects.registry import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.dialects import Dialect
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.dialects._shared.tools.values import ToolChoice, Toolset


def parse_toolset(body: Mapping[str, Any]) -> Toolset:
    """Read the tools of a request, and the choice among them.

    Args:
        body: the request, of any provider.

    Returns:
        What it says of tools.

    Complexity: linear in the tools.
    """
    return ToolReader([form for _, form in _forms()]).read(body)


def tool_api(body: Mapping[str, Any]) -> str | None:
    """Name the dialect that the tools of a request are written in; None when they do not say."""
    if any(key in body for key in CONFIGS):
        for name, form in _forms():
            if form.owns_request(body):
                return name
    for tool in body["tools"] if isinstance(body.get("tools"), list) else ():
        if isinstance(tool, dict):
            for name, form in _forms():
                if form.owns(tool):
                    return name
    return None


def _forms() -> Iterator[tuple[str, ToolForm]]:
    for name, dialect in DIALECTS.items():
        form = dialect.tool_form()
        if form is not None:
            yield name, form


def render_toolset(toolset: Toolset, dialect: Dialect[Any]) -> tuple[dict[str, Any], list[OmittedPart]]:
    """Write tools and the choice among them as keys of a request.

    Args:
        toolset: what a request says of tools.
        dialect: the dialect to write. A tool's name is changed as the names of calls are.

    Returns:
        The keys, and what the dialect cannot say.

    Complexity: linear in the tools.
    """
    form, choice, parallel = dialect.tool_form(), toolset.choice, toolset.parallel
    if form is None:
        return {}, [OmittedPart("tools", tool, f"{dialect.name} has no requests") for tool in toolset.tools]
    if not toolset.tools:
        why = "there is no tool to choose"
        parts = (("tool_choice", choice), ("parallel_tool_calls", parallel))
        return {}, [OmittedPart(path, value, why) for path, value in parts if value is not None]
    omitted = [
        OmittedPart(f"tools: {tool.name}: strict", True, f"{dialect.name} has no such field")
        for tool in toolset.tools
        if tool.strict and not form.has_strict
    ]
    if parallel is not None and not form.has_parallel:
        omitted.append(OmittedPart("parallel_tool_calls", parallel, f"{dialect.name} has no such field"))
        parallel = None
    why = _why_not(choice, toolset, form, dialect)
    if why:
        omitted.append(OmittedPart("tool_choice", choice, why))
        choice = None
    if parallel is not None and not form.takes_parallel(choice):
        omitted.append(OmittedPart("parallel_tool_calls", parallel, "no tool may be called"))
        parallel = None
    if choice is not None:
        choice = evolve(choice, names=tuple(map(form.name, choice.names)))
    return form.keys([form.tool(tool, form.name(tool.name)) for tool in toolset.tools], choice, parallel), omitted


def _why_not(choice: ToolChoice | None, toolset: Toolset, form: ToolForm, dialect: Dialect[Any]) -> str:
    """Return why a choice cannot be written; an empty text when it can."""
    if choice is None:
        return ""
    if not {tool.name for tool in toolset.tools}.issuperset(choice.names):
        return "a tool in it is not in the request"
    return "" if form.can_say(choice) else f"{dialect.name} cannot say it"
