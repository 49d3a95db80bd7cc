"""What a receiver accepts, as data: the dialects have the values, each with its source and date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, fields, frozen

from message_history.core.values.json_values import EMPTY, FrozenDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def _sorted(types: Iterable[str] | None) -> tuple[str, ...] | None:
    return tuple(sorted(types)) if types is not None else None


def _frozen(rules: Mapping[str, Any]) -> FrozenDict:
    return FrozenDict(rules)


@final
@frozen(kw_only=True, cache_hash=True, repr=False)
class Limits:
    """What a provider accepts of images and documents; None is for what is not limited, or not known to be.

    Args:
        inspected: whether images and documents are inspected on export at all.
        types: the media types of images; another format is re-encoded.
        image_bytes: how large one image may be.
        document_bytes: how large one document may be.
        lenient: whether the dialect itself knows what to do with data that is not base64, and with short type names.
        by_type: whether the media type alone tells an image from a document, so that a document with an image's type is
            inspected as an image.
        encoded: whether sizes are those of the base64 text rather than of the bytes that it encodes.
        side: how many pixels a side of an image may have.
        pixels: how many pixels an image may have.
        animated: whether an image may move; else its first picture is sent.
        upright: whether the provider reads no EXIF data, so that an image is turned before it is sent.
        pdf: whether a document is looked at as a PDF: it must be one, and not be encrypted.
        many: how many images a request may hold before `many_side` holds for each of them.
        many_side: how many pixels a side may have then.
        count: how many images and pages of documents a request may hold.
        total_bytes: how large they may be together.
        by_assistant: whether the assistant's own images are sent at all.
        rules: the dialect's rules that say so, by what is wrong: `type`, `mismatch`, `broken`, `animated`, `bytes`,
            `side`, `pixels`, `many`, `count`, `total`, `document`.
        source: where that was seen: a page or an issue.
        date: when, as `YYYY-MM`.
    """

    inspected: bool = True
    types: tuple[str, ...] | None = field(default=None, converter=_sorted)
    image_bytes: int | None = None
    document_bytes: int | None = None
    lenient: bool = False
    by_type: bool = False
    encoded: bool = True
    side: int | None = None
    pixels: int | None = None
    animated: bool = True
    upright: bool = False
    pdf: bool = False
    many: int | None = None
    many_side: int | None = None
    count: int | None = None
    total_bytes: int | None = None
    by_assistant: bool = False
    rules: FrozenDict = field(default=EMPTY, converter=_frozen)
    source: str = ""
    date: str = ""

    def __repr__(self) -> str:
        shown = (each for each in fields(Limits) if each.name not in ("rules", "source", "date"))
        values = ((each.name, getattr(self, each.name), each.default) for each in shown)
        return f"Limits({', '.join(f'{name}={value!r}' for name, value, default in values if value != default)})"

    def weight(self, characters: int) -> int:
        """Return the size that is limited.

        Args:
            characters: the length of the base64 text, with its padding.

        Returns:
            That length, or the number of bytes that it encodes.
        """
        return characters if self.encoded else characters // 4 * 3

    def named(self, fault: str) -> str:
        """Name the rule that something breaks, in the form that follows the text of a repair."""
        rule = self.rules.get(fault)
        return f" ({rule})" if isinstance(rule, str) else ""


NO_LIMITS: Final = Limits(inspected=False)
"""Where no provider receives them: media go out unchanged."""
