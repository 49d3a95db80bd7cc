"""Images and documents, of bytes, files and URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen
from attrs.validators import optional

from message_history.core.messages.block_base import Block, frozen_mapping, shortened_values
from message_history.core.values.meta import Meta, plain_text
from message_history.core.values.sources import bytes_at, document_source, image_source, url_source
from message_history.core.values.validators import instance_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from message_history.core.values.json_values import FrozenDict


@final
@frozen(init=False, repr=False, eq=False)
class ImageBlock(Block):
    """An image.

    Args:
        source: where it is: `{"type": "base64", "media_type": ..., "data": ...}`, `{"type": "url", "url": ...}` or a
            provider's file reference.
    """

    source: FrozenDict

    def __init__(self, source: Mapping[str, Any], *, meta: Meta | None = None) -> None:
        value, meta = frozen_mapping("source", source, meta)
        self.__attrs_init__(value, meta=meta)

    @classmethod
    def from_bytes(cls, data: bytes, *, media_type: str | None = None) -> ImageBlock:
        """Make an image of its bytes.

        Args:
            data: the bytes of a PNG, JPEG, GIF, WebP, BMP or TIFF image, or of one whose type is given.
            media_type: its type; None to read it from the bytes.

        Returns:
            The block, with the bytes in it. An export scales or converts what a provider does not take as it is.

        Raises:
            TypeError: for what is not bytes.
            ValueError: for bytes that are not an image, or a type that is not an image's.
        """
        return cls(image_source(data, media_type))

    @classmethod
    def from_path(cls, path: str | PathLike[str], *, media_type: str | None = None) -> ImageBlock:
        """Make an image of a file.

        Args:
            path: the file; see `from_bytes`. It is read now.
            media_type: its type; None to read it from the bytes.

        Returns:
            The block, with the bytes in it.

        Raises:
            OSError: when the file cannot be read.
            ValueError: see `from_bytes`.
        """
        return cls(image_source(bytes_at(path)[0], media_type))

    @classmethod
    def from_url(cls, url: str) -> ImageBlock:
        """Make an image that the provider fetches itself.

        Args:
            url: where it is; it begins with https://, http://, gs:// or s3://, as far as the provider takes that.

        Returns:
            The block.

        Raises:
            TypeError: for anything but a str.
            ValueError: for any other URL.
        """
        return cls(url_source(url))

    def __repr__(self) -> str:
        return self._repr(shortened_values(self.source))


@final
@frozen(init=False, repr=False, eq=False)
class DocumentBlock(Block):
    """A document.

    Args:
        source: where it is, in the forms of `ImageBlock`, or `{"type": "text", "media_type": ..., "data": ...}`.
        title: its name, or None.
    """

    source: FrozenDict
    title: str | None = field(default=None, validator=optional(instance_of(str)))

    def __init__(self, source: Mapping[str, Any], title: str | None = None, *, meta: Meta | None = None) -> None:
        value, meta = frozen_mapping("source", source, meta)
        self.__attrs_init__(value, None if title is None else plain_text(title), meta=meta)

    @classmethod
    def from_bytes(cls, data: bytes, *, media_type: str | None = None, title: str | None = None) -> DocumentBlock:
        """Make a document of its bytes.

        Args:
            data: the bytes of a PDF, or of text in UTF-8, or of a document whose type is given.
            media_type: its type; None to read it from the bytes.
            title: its name.

        Returns:
            The block, with the bytes in it. Text is kept as text.

        Raises:
            TypeError: for what is not bytes.
            ValueError: for bytes that are neither, or a type that is not a document's.
        """
        return cls(document_source(data, media_type), title)

    @classmethod
    def from_path(
        cls, path: str | PathLike[str], *, media_type: str | None = None, title: str | None = None
    ) -> DocumentBlock:
        """Make a document of a file.

        Args:
            path: the file; see `from_bytes`. It is read now. Files of Word and Excel are known by their names.
            media_type: its type; None to read it from the bytes.
            title: its name; that of the file by default.

        Returns:
            The block, with the bytes in it.

        Raises:
            OSError: when the file cannot be read.
            ValueError: see `from_bytes`.
        """
        data, name = bytes_at(path)
        return cls(document_source(data, media_type, name), title if title is not None else name)

    @classmethod
    def from_url(cls, url: str, *, title: str | None = None) -> DocumentBlock:
        """Make a document that the provider fetches itself.

        Args:
            url: where it is; it begins with https://, http://, gs:// or s3://, as far as the provider takes that.
            title: its name.

        Returns:
            The block.

        Raises:
            TypeError: for anything but a str.
            ValueError: for any other URL.
        """
        return cls(url_source(url), title)

    def __repr__(self) -> str:
        return self._repr(shortened_values(self.source), *([self.title] if self.title is not None else []))
