"""The types of the providers' SDKs, closed: for pydantic to look at once, and to refuse what no type names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin

from pydantic import BaseModel
from typing_extensions import TypedDict, get_type_hints, is_typeddict

__all__ = ["closed"]


@cache
def closed(kind: Any) -> Any:
    """Give an SDK type that looks at once, knows every key and takes no response object; None when nothing is left.

    The SDK's lists are lazy, so that pydantic looks into them only when somebody reads them, and takes a mapping for
    one; and keys that no type names pass in silence.
    """
    origin: Any = get_origin(kind)
    inner: tuple[Any, ...] = get_args(kind)
    if isinstance(kind, type) and is_typeddict(kind):
        make: Any = TypedDict
        hints = get_type_hints(kind, include_extras=True)
        made = make(kind.__name__, {key: closed(hint) for key, hint in hints.items()}, total=False)
        made.__pydantic_config__ = {"extra": "forbid"}
        return made
    if isinstance(kind, type):
        return None if issubclass(kind, BaseModel) else kind
    if origin is Required:
        return Required[closed(inner[0])]
    if origin in (Iterable, Sequence, list):
        return list[closed(inner[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        left = tuple(made for one in inner if (made := closed(one)) is not None or one is type(None))
        return Union[left] if left else None  # noqa: UP007
    return closed(inner[0]) if origin is Annotated else kind
