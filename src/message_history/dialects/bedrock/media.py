"""Media of the Converse API: formats for media types, and bytes for the base64 text that our JSON world holds."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from message_history.dialects.bedrock.schema import DOCUMENTS, IMAGES
from message_history.media.encoded import encoded, is_masked

_FORMATS: Final[dict[str, dict[str, str]]] = {
    "image": {"image/jpg": "jpeg", **{kind: name for name, kind in IMAGES.items()}},
    "document": {"text/x-markdown": "md", **{kind: name for name, kind in DOCUMENTS.items()}},
}
_EXTENSION: Final = re.compile(rf"\.({'|'.join((*DOCUMENTS, 'htm', 'markdown', 'text'))})$", re.IGNORECASE)


def format_of(kind: str, media_type: object) -> str | None:
    """Return the format of an `image` or `document` for a media type; parameters after that do not matter."""
    bare = media_type.partition(";")[0].strip().lower() if isinstance(media_type, str) else ""
    return _FORMATS[kind].get(bare)


def media_type_of(kind: str, form: object) -> str:
    """Return the media type for the API's name of a format, or a wrong one that people use; else one of its name."""
    name = form if isinstance(form, str) else "octet-stream"
    known = name.lower()
    if kind == "image":
        return IMAGES.get("jpeg" if known == "jpg" else known, f"image/{name}")
    return DOCUMENTS.get(known, f"application/{name}")


def base64_of(blob: object) -> str | None:
    """Return bytes, or base64 text, as base64 text; None for anything else."""
    if isinstance(blob, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(blob)).decode()
    return blob if isinstance(blob, str) else None


def bytes_of(text: object) -> bytes | None:
    """Return the bytes of base64 text, whatever its line breaks and padding; None for none."""
    if not isinstance(text, str) or not text.isascii():
        return None
    plain = "".join(text.split())
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def utf8_of(text: object) -> bytes | None:
    """Return the bytes of a text; None when it has none, or when UTF-8 cannot carry it."""
    try:
        return text.encode() or None if isinstance(text, str) else None
    except UnicodeEncodeError:
        return None


def with_text(kind: str, value: object) -> Any:
    """Return the block `{kind: value}` with base64 text where its source has bytes."""
    source = value.get("source") if isinstance(value, Mapping) else None
    blob = source.get("bytes") if isinstance(source, Mapping) else None
    if isinstance(value, Mapping) and isinstance(source, Mapping) and isinstance(blob, bytes | bytearray | memoryview):
        return {kind: {**value, "source": {**source, "bytes": base64_of(blob)}}}
    return {kind: value}


def with_bytes(source: Mapping[str, Any], kind: str, s3: frozenset[str]) -> dict[str, Any] | None:
    """Return a source as boto3 takes it.

    `source` has `bytes` as base64 text, or an `s3Location`. Other text is the bytes itself, as boto3 has it, but no
    image: of one that was looked at, it can only be what a recording left. `kind` is the key of its block, `s3` the
    kinds that the model reads from S3. Returns None when it cannot be sent.
    """
    text = source.get("bytes")
    found = encoded(text) if isinstance(text, str) else None
    blob = found.decoded() if found is not None else utf8_of(text)
    if blob is not None and (found is not None or kind != "image" or is_masked(blob)):
        return {"bytes": blob}
    location = source.get("s3Location")
    uri = location.get("uri") if isinstance(location, Mapping) else None
    if kind not in s3 or not isinstance(uri, str) or not S3_URI.fullmatch(uri) or not isinstance(location, Mapping):
        return None
    owner = location.get("bucketOwner")
    is_account = isinstance(owner, str) and ACCOUNT.fullmatch(owner) is not None
    return {"s3Location": {"uri": uri, **({"bucketOwner": owner} if is_account else {})}}


ACCOUNT: Final = re.compile("[0-9]{12}")
S3_URI: Final = re.compile(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/[^\ud800-\udfff]*)?")


def clean_name(title: str | None, limit: int) -> str:
    """Return a document's title, without a file's extension, in the API's alphabet; anything else becomes spaces."""
    bare = _EXTENSION.sub("", title or "")
    return " ".join(re.sub(r"[^a-zA-Z0-9_()\[\]-]+", " ", bare).split())[:limit].strip() or "document"
