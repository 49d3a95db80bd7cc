"""Tools and the choice among them as values that belong to no provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, final

from attrs import Factory, field, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@final
@frozen(kw_only=True)
class Tool:
    """A function that the model may call.

    Args:
        name: its name.
        description: what it does; None when nobody says.
        schema: the JSON Schema of its input: an object.
        strict: whether the provider holds the model to the schema; None where the provider decides.
    """

    name: str
    description: str | None = None
    schema: Mapping[str, Any]
    strict: bool | None = False


@final
@frozen(kw_only=True)
class ToolChoice:
    """Whether the model must call a tool, and which.

    Args:
        mode: `auto` lets the model decide, `any` demands a call, `none` forbids it.
        names: the tools to choose among; empty for all of them.
    """

    mode: Literal["auto", "any", "none"] = "auto"
    names: tuple[str, ...] = ()


@final
@frozen
class OmittedPart:
    """A part of a request that the converted request does not have.

    Args:
        path: where it was, as `tools[1].cache_control`.
        value: what it was.
        why: the reason.
    """

    path: str
    value: Any = field(repr=False)
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@final
@frozen(kw_only=True)
class Toolset:
    """What a request says of tools.

    Args:
        tools: the functions.
        choice: the choice among them; None when the request does not say.
        parallel: whether one reply may hold several calls; None when the request does not say.
        keys: the keys of the request that all this was read from.
        omitted: what of it only its provider understands.
    """

    tools: tuple[Tool, ...] = ()
    choice: ToolChoice | None = None
    parallel: bool | None = None
    keys: frozenset[str] = frozenset()
    omitted: tuple[OmittedPart, ...] = Factory(tuple)
