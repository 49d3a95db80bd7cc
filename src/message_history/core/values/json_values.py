"""Deep-frozen JSON values: what a block may hold besides text.

`freeze` takes any Python value and gives a value that cannot be changed and that JSON can carry; what JSON cannot
carry is kept in the nearest JSON form, and the change is described. `thaw` gives fresh plain dicts and lists back.
"""

from __future__ import annotations

import json
import math
import reprlib
from binascii import b2a_base64
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Never, TypeAlias, TypeGuard, Union, final

if TYPE_CHECKING:
    from datetime import date, time

Frozen: TypeAlias = Union[bool, int, float, str, "FrozenList", "FrozenDict", None]

MAX_DEPTH: Final = 100
"""Containers nested deeper than this become JSON text."""
MAX_REPEATED: Final = 1_000_000
"""How many values may be copied because one container object appears in several places."""
MAX_INT: Final = 10**4000
"""Integers from here on become text: Python itself refuses to print much longer ones."""
MIN_INT: Final = -MAX_INT


@final
class FrozenList(tuple["Frozen", ...]):
    """A JSON array that cannot be changed; equal to a tuple or list of the same items."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        items = tuple(other) if isinstance(other, list) else other
        equal = tuple.__eq__(self, items)
        return _is_same(self, items) if equal is True else equal

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


@final
class FrozenDict(Mapping[str, "Frozen"]):
    """A JSON object that cannot be changed; equal to any mapping with the same items."""

    # The items are in a proxy, so that not even the private name leads to something that can be changed.
    __slots__ = ("_view",)
    _view: MappingProxyType[str, Frozen]

    def __init__(self, value: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **items: Any) -> None:
        if hasattr(self, "_view"):
            raise AttributeError("FrozenDict cannot be changed (calling __init__ again); make a new one")
        frozen, _ = freeze_mapping(dict(value, **items))
        _set_view(self, frozen._view)

    if not TYPE_CHECKING:
        # A type checker refuses to set what is not declared, unless it sees a `__setattr__`.

        def __setattr__(self, name: str, value: object) -> Never:
            raise AttributeError(f"FrozenDict cannot be changed (setting {name!r}); dict(...) makes a copy that can")

        def __delattr__(self, name: str) -> Never:
            raise AttributeError(f"FrozenDict cannot be changed (deleting {name!r}); dict(...) makes a copy that can")

    def __getitem__(self, key: str) -> Frozen:
        return self._view[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._view)

    def __len__(self) -> int:
        return len(self._view)

    def __contains__(self, key: object) -> bool:
        return key in self._view

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, else the default; `Mapping.get` would catch an error for each missing key."""
        return self._view.get(key, default)

    def keys(self) -> KeysView[str]:
        """The keys, in the order in which they came."""
        return self._view.keys()

    def values(self) -> ValuesView[Frozen]:
        """The values, in the order in which they came."""
        return self._view.values()

    def items(self) -> ItemsView[str, Frozen]:
        """The pairs, in the order in which they came."""
        return self._view.items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenDict):
            return self._view is other._view or (self._view == other._view and _is_same(self, other))
        return (self._view == other and _is_same(self, other)) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._view.items()))

    def __repr__(self) -> str:
        return repr(dict(self._view))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Frozen]]]:
        return FrozenDict, (dict(self._view),)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self


def _is_same(left: Any, right: Any) -> bool:
    """Return whether two values that are equal in Python are the same in JSON, where 1 is not 1.0 and not true."""
    if left is right:
        return True
    if isinstance(left, Mapping):
        return all(_is_same(item, right[key]) for key, item in left.items())
    if isinstance(left, list | tuple):
        return all(map(_is_same, left, right))
    kind = type(left)
    if kind not in _NUMBERS:
        return True
    return kind is type(right) and (kind is not float or left != 0 or math.copysign(1, left) == math.copysign(1, right))


_NUMBERS: Final = frozenset({bool, int, float})


def with_whole_pairs(text: str) -> str:
    """Return a text whose pairs of surrogates, as joined pieces of a stream have them, are characters, as in JSON."""
    if is_unicode(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def is_unicode(text: str) -> bool:
    """Return whether UTF-8 can carry a text: whether it has no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_new = object.__new__
_set_view = FrozenDict._view.__set__  # type: ignore[attr-defined]


def _own(items: dict[str, Frozen]) -> FrozenDict:
    """Wrap a dict of frozen values that nobody else holds."""
    frozen = _new(FrozenDict)
    _set_view(frozen, MappingProxyType(items))
    return frozen


EMPTY: Final = _own({})
_CONTAINERS: Final = (dict, list, tuple, Mapping, set, frozenset)
_FLAT: Final = frozenset({int, float, bool, type(None)})


def thaw_flat(value: FrozenDict) -> dict[str, Any] | None:
    """Return a fresh dict of an object that holds only ASCII text and other scalars; None for any other."""
    view = value._view
    for key, item in view.items():
        if not key.isascii() or not (item.isascii() if type(item) is str else type(item) in _FLAT):
            return None
    return view.copy()


def freeze_mapping(value: Mapping[Any, Any]) -> tuple[FrozenDict, tuple[str, ...]]:
    """Freeze a copy of a mapping; with a text for each converted value, `path: what happened`."""
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                break
            kind = type(item)
            if kind is str:
                if not item.isascii() and with_whole_pairs(item) is not item:
                    break
            elif not (kind is bool or item is None or (kind is int and MIN_INT < item < MAX_INT)):
                break
        else:
            frozen = _new(FrozenDict)
            _set_view(frozen, MappingProxyType(value.copy()))
            return frozen, ()
    freezer = _Freezer()
    return freezer.mapping(value, "", 1), tuple(freezer.changes)


def freeze(value: object) -> tuple[Frozen, tuple[str, ...]]:
    """Freeze a copy of any value; with a text for each converted value, `path: what happened`."""
    if isinstance(value, Mapping):
        return freeze_mapping(value)
    freezer = _Freezer()
    return freezer.any(value, "", 0), tuple(freezer.changes)


class _Freezer:
    """One pass over one value: bounded recursion, cycles and repeated containers kept in check."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        self._open: set[int] = set()
        self._sizes: dict[int, int] = {}
        self._repeated = 0
        self._size = 0

    def any(self, value: object, path: str, depth: int) -> Frozen:
        self._size += 1
        kind = type(value)
        if kind is str:
            return with_whole_pairs(value)  # type: ignore[arg-type]
        if value is None or kind is bool:
            return value  # type: ignore[return-value]
        # Whether a number is a `Mapping` takes as long to find out as all else that is done for it.
        if kind not in _NUMBERS and isinstance(value, _CONTAINERS):
            return self._container(value, path, depth)
        return self._scalar(value, path)

    def mapping(self, value: Mapping[Any, Any], path: str, depth: int) -> FrozenDict:
        items: dict[str, Frozen] = {}
        for key, item in value.items():
            name = key if type(key) is str and key.isascii() else self._key(key, items, path)
            items[name] = self.any(item, f"{path}.{name}" if path else name, depth)
        return _own(items)

    def _container(self, value: Any, path: str, depth: int) -> Frozen:
        if depth == 0 and isinstance(value, FrozenDict | FrozenList):
            return value
        identity = id(value)
        if identity in self._open:
            return self._changed(path, "a container that holds itself was left out", "[cycle]")
        if depth >= MAX_DEPTH:
            return self._changed(path, f"nested deeper than {MAX_DEPTH}, kept as JSON text", json_text(value))
        if identity in self._sizes:
            self._repeated += self._sizes[identity]
            if self._repeated > MAX_REPEATED:
                return self._changed(path, "a container repeated too often was left out", "[repeated]")
        before = self._size
        self._open.add(identity)
        frozen: Frozen
        if type(value) is dict or (type(value) is not list and isinstance(value, Mapping)):
            frozen = self.mapping(value, path, depth + 1)
        else:
            items = value
            if isinstance(value, set | frozenset):
                items = _in_order(value)
                self._changed(path, f"a {type(value).__name__}, kept as a sorted list", "")
            frozen = FrozenList(self.any(item, f"{path}[{n}]", depth + 1) for n, item in enumerate(items))
        self._open.discard(identity)
        self._sizes[identity] = self._size - before
        return frozen

    def _scalar(self, value: object, path: str) -> Frozen:
        if isinstance(value, str):
            return with_whole_pairs(str.__str__(value))
        if isinstance(value, int):
            number = int(value)
            if MIN_INT < number < MAX_INT:
                return number
            return self._changed(path, "an integer of over 4,000 digits, kept as hexadecimal text", hex(number))
        if isinstance(value, float):
            number_ = float(value)
            return number_ if math.isfinite(number_) else self._not_finite(number_, path)
        if isinstance(value, bytes | bytearray | memoryview):
            data = bytes(value)
            try:
                return self._changed(path, "bytes, kept as text", data.decode())
            except UnicodeDecodeError:
                return self._changed(path, "bytes, kept as base64 text", b2a_base64(data, newline=False).decode())
        if _is_moment(value):
            return self._changed(path, f"a {type(value).__name__}, kept as text", value.isoformat())
        return self._changed(path, f"a {type(value).__name__}, kept as text", _text_of(value))

    def _not_finite(self, value: float, path: str) -> str:
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return self._changed(path, f"{name}, kept as text", name)

    def _key(self, key: object, taken: Mapping[str, Frozen], path: str) -> str:
        if isinstance(key, str):
            return with_whole_pairs(str.__str__(key))
        name = base = _key_text(key)
        count = 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        return self._changed(path, f"a key of the type {type(key).__name__}, kept as {name!r}", name)

    def _changed(self, path: str, what: str, value: str) -> str:
        self.changes.append(f"{path or 'value'}: {what}")
        return value


def _key_text(key: object) -> str:
    """Name a key as JSON would."""
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return _text_of(key)


def _text_of(value: object) -> str:
    """Return the text of a value that is not JSON, without the memory address that a default `repr` holds."""
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return _name_of(kind)
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a foreign __str__ may do anything; the value is still to be kept
        return _name_of(kind)


def _name_of(kind: type) -> str:
    return f"<{kind.__module__}.{kind.__qualname__}>"


def short_repr(value: object) -> str:
    """Show any value in a few words, however large or deep it is."""
    return _SHORT.repr(value)


def _is_moment(value: object) -> TypeGuard[date | time]:
    from datetime import date, time  # noqa: PLC0415 - no JSON holds them

    return isinstance(value, date | time)


@final
class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to print much longer ones in decimal.
        return super().repr_int(x, level) if MIN_INT < x < MAX_INT else self.repr_str(hex(x), level)

    def repr_instance(self, x: object, level: int) -> str:
        # The default holds the address, which differs in every run; so does the text for a `repr` that raises.
        shown = super().repr_instance(x, level)
        return _name_of(type(x)) if f"{id(x):#x}" in shown else shown


_SHORT: Final = _Short()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = 80


def _in_order(values: Iterable[object]) -> list[object]:
    """Sort the members of a set by type and text, so that no hash order shows."""
    return sorted(values, key=lambda item: (type(item).__name__, _text_of(item)))


def json_text(value: object) -> str:
    """Write any value as JSON text, however deep it is.

    What JSON cannot carry is written as `freeze` would keep it; non-ASCII characters stay as they are. It needs no
    recursion.
    """
    out: list[str] = []
    scalars = _Freezer()
    open_: set[int] = set()
    seen: set[int] = set()
    repeated = 0
    # What is still to be written: a str as it is, a 1-tuple holds a value, an int closes the container with that id.
    todo: list[str | tuple[object] | int] = [(value,)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        if isinstance(item, int):
            open_.discard(item)
            continue
        (value,) = item
        if not isinstance(value, _CONTAINERS):
            out.append(json.dumps(scalars.any(value, "", 0), ensure_ascii=False))
            continue
        identity = id(value)
        repeated += identity in seen
        if identity in open_ or repeated > MAX_REPEATED:
            out.append('"[cycle]"' if identity in open_ else '"[repeated]"')
            continue
        open_.add(identity)
        seen.add(identity)
        todo.append(identity)
        todo.extend(reversed(_pieces(value)))
    return "".join(out)


def _pieces(container: Any) -> list[str | tuple[object]]:
    """Split a container into its JSON punctuation and the values between."""
    pieces: list[str | tuple[object]] = []
    if isinstance(container, Mapping):
        for key, item in container.items():
            name = key if isinstance(key, str) else _key_text(key)
            pieces += [", " if pieces else "{", json.dumps(name, ensure_ascii=False) + ": ", (item,)]
        return [*pieces, "}"] if pieces else ["{}"]
    if isinstance(container, set | frozenset):
        container = _in_order(container)
    for item in container:
        pieces += [", " if pieces else "[", (item,)]
    return [*pieces, "]"] if pieces else ["[]"]


def thaw(value: Any) -> Any:
    """Return fresh plain dicts and lists, yours to change, for what `freeze` gave."""
    if type(value) is FrozenDict:
        plain = dict(value._view)
        for key, item in plain.items():
            if type(item) is FrozenDict or type(item) is FrozenList:
                plain[key] = thaw(item)
        return plain
    if type(value) is FrozenList:
        return [thaw(item) for item in value]
    return value
