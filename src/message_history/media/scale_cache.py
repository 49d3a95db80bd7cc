"""Images that were made to fit, remembered by their content: the same bytes in another block are not scaled twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from message_history.media.scaling import Bounds, Fitted, can_fit, fit

if TYPE_CHECKING:
    from message_history.media.inspect import MediaInfo
    from message_history.media.limits import Limits


def made_to_fit(look: MediaInfo, bounds: Bounds) -> Fitted | None:
    """Make an image fit, or remember how it was done. Returns None when it cannot be made to fit."""
    if look.data is None or look.picture is None or not can_fit():
        return None
    key = look.digest, bounds
    known = _MADE.get(key)
    if known is None:
        known = _Known(fit(look.data, look.picture, bounds))
        _MADE.keep(key, known)
    return known.fitted


def bounds_of(limits: Limits, side: int | None) -> Bounds:
    """Say what an image must fit into. `side` is how many pixels a side may have."""
    size = limits.image_bytes
    if size is not None and limits.encoded:
        size = size // 4 * 3
    return Bounds(types=limits.types, size=size, side=side, pixels=limits.pixels)


@final
@frozen
class _Known:
    """How it went."""

    fitted: Fitted | None  # the image; None when it could not be made to fit

    @property
    def cost(self) -> int:
        """Return the memory that this takes."""
        return (len(self.fitted.data) if self.fitted is not None else 0) + 200


_Key = tuple[bytes, Bounds]


@final
class _Made:
    """The newest images that were made to fit, by their content and bounds."""

    def __init__(self, most: int) -> None:
        self._most = most  # how many characters of base64 they may have together
        self._size = 0
        self._held: OrderedDict[_Key, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key) -> _Known | None:
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
            return found

    def keep(self, key: _Key, made: _Known) -> None:
        with self._lock:
            before = self._held.pop(key, None)
            self._size += made.cost - (before.cost if before is not None else 0)
            self._held[key] = made
            while self._size > self._most and len(self._held) > 1:
                self._size -= self._held.popitem(last=False)[1].cost


_MADE: Final = _Made(64_000_000)


def forget() -> None:
    """Forget all images that were made to fit, and the digests of what they were."""
    with _MADE._lock:
        _MADE._held.clear()
        _MADE._size = 0
