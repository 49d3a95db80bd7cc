"""Find what a provider refuses about images and documents in a list; written separately from what makes them fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, final

if TYPE_CHECKING:
    from message_history.media import Limits
    from message_history.media.headers import Picture
    from message_history.media.inspect import MediaInfo


class _Adds(Protocol):
    def __call__(
        self, rule: str, index: int | None = None, path: str = "", detail: str = "", *, which: int = 0, **values: object
    ) -> None: ...


@final
class MediaCheck:
    """The images and documents of one list."""

    def __init__(self, limits: Limits, add: _Adds, which: dict[str, int] | None = None) -> None:
        self._limits = limits  # what the provider takes; a fault without a rule is not reported
        self._add = add  # gets the violations, as `Findings.add` does
        self._which = which or {}  # the position of a fault's text among those of its rule, where it is not the first
        self._images: list[tuple[int, str, int, dict[str, Any]]] = []
        self._pages = 0
        self._characters = 0

    def elsewhere(self, n: int, path: str) -> None:
        """Count an image whose bytes are not in the list."""
        self._images.append((n, path, 0, {}))

    def url(self, n: int, path: str, url: object, **values: Any) -> None:
        """Check an image given as a URL, which may hold its data; `values` fill the places of the provider's text."""
        from message_history.media.encoded import inline_data  # noqa: PLC0415

        inline = inline_data(url) if isinstance(url, str) else None
        if inline is None:
            self.elsewhere(n, path)
        else:
            self.image(n, path, inline[0], inline[1], **values)

    def image(self, n: int, path: str, declared: str, data: str, **values: Any) -> None:
        """Check an image whose data are at `path`; `values` fill the places of the provider's text."""
        limits = self._limits
        if not limits.inspected:
            return
        self._characters += len(data)
        found = _seen(data, declared, document=False)
        picture = found.picture
        self._images.append((n, path, picture.side if picture is not None else 0, {"tag": declared, **values}))
        if found.data is None and limits.lenient:
            return
        if found.data is None:
            self._fault("broken", n, path, "data that is not base64", **values)
        elif picture is None:
            if not declared or declared in (_known() if limits.types is None else limits.types):
                self._fault("broken", n, path, "no image", **values)
        elif not picture.whole:
            self._fault("broken", n, path, "an image whose end is missing", **values)
        else:
            self._picture(n, path, picture, limits.weight(len(found.data)), {"tag": declared, **values})

    def _picture(self, n: int, path: str, picture: Picture, weight: int, values: dict[str, Any]) -> None:
        limits = self._limits
        size = f"{picture.width} x {picture.height} pixels"
        if "mismatch" in limits.rules and values["tag"] not in ("", picture.media_type):
            self._fault("mismatch", n, path, f"the data is {picture.media_type}", **values)
        elif limits.types is not None and picture.media_type not in limits.types:
            self._fault("type", n, path, f"the data is {picture.media_type}", **values)
        if picture.animated and not limits.animated:
            self._fault("animated", n, path, "an image that moves", **values)
        if limits.image_bytes is not None and weight > limits.image_bytes:
            most = limits.image_bytes
            detail = f"an image of {weight} bytes"
            self._fault("bytes", n, path, detail, count=weight, most=most, limit=most // 1024**2, **values)
        if limits.side is not None and picture.side > limits.side:
            self._fault("side", n, path, f"an image of {size}", **values)
        if limits.pixels is not None and picture.pixels > limits.pixels:
            self._fault("pixels", n, path, f"an image of {size}", count=picture.pixels, **values)

    def document(self, n: int, path: str, declared: str, data: str, **values: Any) -> None:
        """Check a document whose data are at `path`; `values` fill the places of the provider's text."""
        limits = self._limits
        if not limits.inspected:
            return
        self._characters += len(data)
        found = _seen(data, declared, document=True)
        if found.paper is not None:
            self._pages += found.paper.pages or 1
        elif found.data is None:
            self._pages += 1
        if found.data is None:
            if not limits.lenient:
                self._fault("document", n, path, "data that is not base64", **values)
            return
        if limits.pdf and declared == "application/pdf":
            if found.paper is None:
                self._fault("document", n, path, "no PDF", **values)
            elif found.paper.encrypted:
                self._fault("document", n, path, "a PDF that is encrypted", **values)
        weight = limits.weight(len(found.data))
        if limits.document_bytes is not None and weight > limits.document_bytes:
            self._fault("bytes", n, path, f"a document of {weight} bytes", count=weight, most=limits.document_bytes)

    def finish(self) -> None:
        limits = self._limits
        count = len(self._images)
        if limits.many is not None and limits.many_side is not None and count > limits.many:
            for n, path, side, values in self._images:
                if side > limits.many_side:
                    self._fault("many", n, path, f"an image with {side} pixels a side, among {count}", **values)
        if limits.count is not None and count + self._pages > limits.count:
            detail = f"{count} images and {self._pages} pages"
            self._fault("count", None, "", detail, count=count, pages=self._pages, limit=limits.count)
        weight = limits.weight(self._characters)
        if limits.total_bytes is not None and weight > limits.total_bytes:
            self._fault("total", None, "", f"{weight} bytes of images and documents")

    def _fault(self, fault: str, n: int | None, path: str, detail: str, **values: object) -> None:
        rule = self._limits.rules.get(fault)
        if isinstance(rule, str):
            self._add(rule, n, path, detail, which=self._which.get(fault, 0), **values)


def _known() -> frozenset[str]:
    from message_history.media.headers import KNOWN  # noqa: PLC0415

    return KNOWN


def _seen(data: str, declared: str, *, document: bool) -> MediaInfo:
    # Most lists hold no media, and need not wait for what knows about them.
    from message_history.media.inspect import seen  # noqa: PLC0415

    return seen(data, declared, document=document)
