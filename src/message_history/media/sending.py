"""What happens to images and documents on their way out.

Each one is first judged alone: its type is corrected from its bytes, what does not fit is scaled and re-encoded where
Pillow is there, and what cannot be sent is replaced by a text that says why. Then come the limits of the whole
request, which change the oldest first. They are the exception to the stable prefix, so they go in steps: once one is
reached, a quarter of the room is made, and what was left out stays out while that room lasts.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define, evolve

from message_history.core.messages.blocks import TextBlock
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.messages.message import Message, make_message
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.values.json_values import FrozenDict
from message_history.media.faults import faults_of, fitting_reasons, what_is_wrong, why_not_fitted, words_for
from message_history.media.inspect import Media, MediaInfo, claims_image, inspect_media
from message_history.media.nested import inside, with_inside
from message_history.media.pdf import PDF, claims_pdf
from message_history.media.scale_cache import bounds_of, made_to_fit
from message_history.media.scaling import can_fit

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.values.meta import Meta
    from message_history.media.headers import Picture
    from message_history.media.limits import Limits
    from message_history.media.scaling import Fitted


def send_media(
    messages: Sequence[Message], bearing: Iterable[int], limits: Limits
) -> tuple[Sequence[Message], list[Repair]]:
    """Make the images and documents of a closed history fit; `bearing` are the positions of messages with any."""
    request = _Request(limits)
    for index in bearing:
        if messages[index].role == "user" or limits.by_assistant:
            request.take(index, messages[index])
    request.judge()
    changed = dict(request.changed())
    if not changed:
        return messages, []
    return [changed.get(index, message) for index, message in enumerate(messages)], request.repairs()


@final
@define(eq=False)
class _Item:
    """One image or document of a request."""

    place: tuple[int, ...]  # the positions of the message, of the block in it, and of what is inside that
    block: Media
    look: MediaInfo
    sent: Media | TextBlock
    is_image: bool  # whether the receiver takes it for an image
    why: str = ""  # what was changed, or why it was left out
    side: int = 0  # the longer side of the image that goes out, 0 where that is not known

    @property
    def stays(self) -> bool:
        return not isinstance(self.sent, TextBlock)

    @property
    def kind(self) -> str:
        return "image" if self.is_image else "document"

    def leave_out(self, why: str, rule: str) -> None:
        self.sent = TextBlock(f"[{self.kind} left out: {why}]", meta=_kept(self.block.meta))
        self.why = f"{self.kind}: {why}{rule}"

    def replace(self, media_type: str, data: str, why: str) -> None:
        source = FrozenDict({"type": "base64", "media_type": media_type, "data": data})
        self.sent = evolve(self.block, source=source)
        self.why = why

    def correct(self, media_type: str, data: str, rule: str) -> None:
        self.replace(
            media_type, data, f"the media type {self.look.declared!r:.80} as {media_type!r}, which the data is{rule}"
        )

    def fit(self, fitted: Fitted, rules: str) -> None:
        if self.look.picture is not None and self.look.data is not None:
            reasons = fitting_reasons(self.look.data, self.look.picture, fitted)
            self.replace(fitted.media_type, fitted.data, reasons + rules)
            self.side = max(fitted.width, fitted.height)


@final
class _Request:
    """The media of one request."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items: list[_Item] = []
        self._messages: dict[int, Message] = {}

    def take(self, index: int, message: Message) -> None:
        self._messages[index] = message
        for position, block in enumerate(message.content):
            self._take((index, position), block)

    def _take(self, place: tuple[int, ...], block: Block) -> None:
        if isinstance(block, Media):
            look = inspect_media(block)
            self._items.append(_Item(place, block, look, block, self._is_image(block, look)))
        for position, part in inside(block):
            self._take((*place, position), part)

    def _is_image(self, block: Media, look: MediaInfo) -> bool:
        if isinstance(block, ImageBlock):
            return True
        return self._limits.by_type and look.inline and look.paper is None and claims_image(look.declared)

    def judge(self) -> None:
        limits = self._limits
        for item in self._items:
            if item.look.inline and not (limits.lenient and item.look.data is None):
                (self._image if item.is_image else self._document)(item)
        self._all()
        self._many()

    # One alone

    def _image(self, item: _Item) -> None:
        limits, look = self._limits, item.look
        picture = look.picture
        wrong = what_is_wrong(look, limits)
        if wrong:
            item.leave_out(wrong, limits.named("broken"))
            return
        if picture is None or look.data is None:
            return
        item.side = picture.side
        faults = faults_of(look.data, picture, limits)
        if faults or (limits.upright and picture.orientation != 1 and can_fit()):
            self._fit(item, look.data, picture, faults)
        elif not _is_named(look.declared, picture.media_type, limits):
            item.correct(picture.media_type, look.data, limits.named("mismatch"))
        elif look.repaired and not (limits.lenient and item.block.source.get("type") == "base64"):
            item.replace(picture.media_type, look.data, "an image's data in plain base64")

    def _fit(self, item: _Item, data: str, picture: Picture, faults: list[str]) -> None:
        limits = self._limits
        fitted = made_to_fit(item.look, bounds_of(limits, limits.side))
        rules = "".join(limits.named(fault) for fault in faults)
        if fitted is not None:
            item.fit(fitted, rules)
        elif faults:
            why = "; ".join(words_for(fault, data, picture, limits) for fault in faults)
            item.leave_out(f"{why}; {why_not_fitted(picture)}", rules)

    def _document(self, item: _Item) -> None:
        limits, look = self._limits, item.look
        why = ""
        if look.data is None:
            why = "its data is no base64"
        elif limits.pdf and look.paper is None and claims_pdf(look.declared):
            why = "it is no PDF"
        elif limits.pdf and look.paper is not None and look.paper.encrypted:
            why = "it is encrypted"
        if why:
            item.leave_out(why, limits.named("document"))
            return
        data = look.data or ""
        weight = limits.weight(len(data))
        if limits.document_bytes is not None and weight > limits.document_bytes:
            item.leave_out(f"it has {weight} bytes, {limits.document_bytes} are taken", limits.named("bytes"))
        elif look.paper is not None and not _is_named(look.declared, PDF, limits):
            item.correct(PDF, data, limits.named("document"))
        elif look.repaired:
            item.replace(look.declared, data, "a document's data in plain base64")

    # All of them

    def _all(self) -> None:
        """Leave out the oldest of a request that holds too many, or too much."""
        limits = self._limits
        if limits.count is not None:
            held = [item for item in self._items if item.stays]
            for item in _crowded_out(held, [_pages(item) for item in held], limits.count):
                why = f"a request holds {limits.count} images and pages at most, and newer ones came"
                item.leave_out(why, limits.named("count"))
        if limits.total_bytes is not None:
            held = [item for item in self._items if item.stays]
            sizes = [limits.weight(_length(item)) for item in held]
            for item in _crowded_out(held, sizes, limits.total_bytes):
                why = f"a request holds {limits.total_bytes} bytes of images at most, and newer ones came"
                item.leave_out(why, limits.named("total"))

    def _many(self) -> None:
        """Scale the larger images of a request that holds many; leave out the oldest where that cannot be done."""
        limits = self._limits
        images = [item for item in self._items if item.stays and item.kind == "image"]
        if limits.many is None or limits.many_side is None or len(images) <= limits.many:
            return
        unfit: set[int] = set()
        for item in images:
            if item.side > limits.many_side:
                # From the original image: what is scaled twice is worse.
                fitted = made_to_fit(item.look, bounds_of(limits, limits.many_side))
                if fitted is None:
                    unfit.add(id(item))
                else:
                    item.fit(fitted, limits.named("many"))
        waiting: deque[_Item] = deque()
        held = 0
        for item in images:
            held += 1
            if id(item) in unfit:
                waiting.append(item)
            if held > limits.many:
                while waiting and held > limits.many - _step(limits.many):
                    side = limits.many_side
                    why = f"a request with more than {limits.many} images takes none larger than {side} pixels a side"
                    waiting.popleft().leave_out(why, limits.named("many"))
                    held -= 1

    # What came of it

    def changed(self) -> Iterator[tuple[int, Message]]:
        """Yield the messages that are not sent unchanged."""
        sent = {item.place: item.sent for item in self._items if item.sent is not item.block}
        around = {place[:depth] for place in sent for depth in range(1, len(place))}
        for index, message in self._messages.items():
            if (index,) in around:
                content = [_changed((index, n), block, sent, around) for n, block in enumerate(message.content)]
                yield index, make_message(message.role, tuple(content))

    def repairs(self) -> list[Repair]:
        return [
            Repair(
                code=RepairCode.REWRITTEN if item.stays else RepairCode.WITHHELD,
                index=item.place[0],
                removed=(item.block,),
                added=() if item.stays else (item.sent,),
                detail=item.why,
            )
            for item in self._items
            if item.sent is not item.block
        ]


def _changed(
    place: tuple[int, ...], block: Block, sent: Mapping[tuple[int, ...], Block], around: Container[tuple[int, ...]]
) -> Block:
    if place not in around:
        return sent.get(place, block)
    parts = {position: _changed((*place, position), part, sent, around) for position, part in inside(block)}
    return with_inside(block, parts)


def _is_named(declared: str, media_type: str, limits: Limits) -> bool:
    """Return whether a declared type says what the data is."""
    return declared == media_type or (limits.lenient and declared.lower() in _SAME.get(media_type, ("",)))


def _kept(meta: Meta | None) -> Meta | None:
    """Return the part of a block's meta that goes with the text in its place."""
    return evolve(meta, issuer=None, signature=None, converted=()) if meta is not None else None


def _length(item: _Item) -> int:
    """Return the length of the base64 text that is sent; 0 for bytes elsewhere, or text."""
    if isinstance(item.sent, TextBlock) or not item.look.inline:
        return 0
    data: Any = item.sent.source.get("data")
    return len(data) if isinstance(data, str) else len(item.look.data or "")


def _pages(item: _Item) -> int:
    """Return for how many images something counts: a document for the pages that are known of it, and text for none."""
    look = item.look
    if look.paper is not None:
        return look.paper.pages or 1
    is_document = item.kind == "document"
    return 0 if is_document and (look.data is not None or item.block.source.get("type") in _TEXTS) else 1


def _step(limit: int) -> int:
    """Return how much room is made once a limit is reached."""
    return max(limit // 4, 1)


def _crowded_out(items: Sequence[_Item], sizes: Sequence[int], limit: int) -> list[_Item]:
    """Find what a limit leaves no room for, oldest first; it is left out for more, too, until the next step."""
    held: deque[tuple[_Item, int]] = deque()
    out: list[_Item] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if not size:
            continue
        held.append((item, size))
        total += size
        if total <= limit:
            continue
        while held and total > limit - _step(limit) and (len(held) > 1 or total > limit):
            oldest, gone = held.popleft()
            out.append(oldest)
            total -= gone
    return out


_TEXTS: Final = ("text", "content")
_SAME: Final = {PDF: (PDF, "pdf")} | {
    kind: ("", kind, kind.removeprefix("image/"), *others)
    for kind, others in (
        ("image/png", ()),
        ("image/jpeg", ("image/jpg", "jpg")),
        ("image/gif", ()),
        ("image/webp", ()),
        ("image/heic", ("image/heif", "heif")),
        ("image/heif", ("image/heic", "heic")),
    )
}
