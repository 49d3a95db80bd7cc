"""A search for what was to be forgotten through all that could still say it, written apart from the library."""

from __future__ import annotations

import gc
import hashlib
import json
import pickle
import warnings
from base64 import b64encode
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.registry import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from message_history import MessageHistory

__all__ = ["Secret", "leaves", "places_in"]

DIGESTS: Final = ("md5", "sha1", "sha256", "sha512")


class Secret:
    """What was to be forgotten, with all that it may be written as.

    Args:
        text: it.
        keys: digests that were made of more than it alone, as the keys of its calls.
    """

    def __init__(self, text: str, keys: tuple[str, ...] = ()) -> None:
        data = text.encode()
        escaped = json.dumps(text)[1:-1]
        written = {text, escaped, json.dumps(escaped)[1:-1], data.hex(), *keys}
        # Base64 says bytes otherwise at each of three places; the first and the last letters depend on what is near.
        for shift in range(3):
            letters = b64encode(b"\0" * shift + data).decode().rstrip("=")
            start = 0 if shift == 0 else 4
            end = len(letters) - (0 if (len(data) + shift) % 3 == 0 else 1)
            written.add(letters[start:end])
        for name in DIGESTS:
            digest = hashlib.new(name, data)
            written |= {digest.hexdigest(), digest.hexdigest()[:16], b64encode(digest.digest()).decode()[:20]}
            written.add(digest.digest().decode("latin-1"))
        self.written = {each.encode("latin-1", "replace") for each in written} | {data}

    def is_in(self, data: bytes) -> bool:
        """Return whether bytes say it."""
        return any(each in data for each in self.written)


def places_in(history: MessageHistory, secret: Secret, dialects: Any = ()) -> list[str]:
    """Name what of a history still says a secret: what can be reached of it, what is saved, what is exported."""
    found = [f"reachable: {each!r:.80}" for each in _texts_of(history) if secret.is_in(each)]
    ways: dict[str, Callable[[], bytes]] = {
        "to_list": lambda: json.dumps(history.to_list(), ensure_ascii=False).encode(errors="surrogatepass"),
        "state": lambda: history._asdict()["_saved"].encode(errors="surrogatepass"),
        "pickle": lambda: pickle.dumps(history),
        "repr": lambda: repr((history, list(history), history.repairs, history.calls)).encode(errors="surrogatepass"),
        "keys": lambda: " ".join(each.key for each in history.calls).encode(),
    }
    for name in dialects:
        dialect = DIALECTS[name]
        ways[f"sent to {name}"] = lambda dialect=dialect: history.for_send_json(dialect)  # type: ignore[misc]
        ways[f"exported to {name}"] = lambda dialect=dialect: repr(history.export(dialect)).encode(  # type: ignore[misc]
            errors="surrogatepass"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return found + [name for name, made in ways.items() if secret.is_in(made())]


def _texts_of(value: object) -> Iterator[bytes]:
    """Yield all texts and bytes that can be reached from a value."""
    seen: set[int] = set()
    todo = [value]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, type | ModuleType | FunctionType):
            continue
        seen.add(id(item))
        if isinstance(item, str):
            yield item.encode(errors="surrogatepass")
        elif isinstance(item, bytes):
            yield item
        elif isinstance(item, int | float):
            yield repr(item).encode()
        else:
            todo += gc.get_referents(item)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each text in a JSON value, and of each number that somebody gave."""
    if isinstance(value, str) or (isinstance(value, int) and {"input", "metadata", "extra", "data"}.intersection(path)):
        yield path
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
