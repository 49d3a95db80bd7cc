"""Instances of the SDKs' types: the smallest that a type allows, then one for each further key and alternative."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

import botocore
from pydantic import BaseModel
from typing_extensions import TypeAliasType, get_type_hints, is_typeddict

__all__ = ["bare", "of_model", "of_shape", "of_type", "shapes_of_converse", "walk", "with_media"]

Instance = dict[str, Any]
DEEPEST = 4
MOST = 8
"""How many alternatives of one key get an instance of their own."""
SIGNATURE = "EqQBCkgIBRABGAIiQL8x9TzQm1mKcXzH0a7Yw2vGgA="
WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("signature", "encrypted_content", "encrypted_index", "encrypted_stdout", "data"), SIGNATURE),
    **dict.fromkeys(("thoughtSignature", "redactedContent"), SIGNATURE),
    **dict.fromkeys(("url", "fileUri"), "https://example.com/x.png"),
    "uri": "s3://bucket/key",
    **dict.fromkeys(("image_url", "document_url", "audio_url"), "https://example.com/x.png"),
    "file_url": "https://example.com/x.pdf",
    "arguments": '{"a": 1}',
    "bucketOwner": "123456789012",
    "mimeType": "image/png",
    "media_type": "image/png",
    "language": "PYTHON",
    "toolUseId": "tooluse_1",
    "content": "words",
    "call_id": "call_1",
    "name": "lookup",
    "tool_id": "srvtoolu_1",
}
"""What stands for a text under keys where not every text may stand."""


def bare(hint: Any) -> list[Any]:
    """Return the alternatives of a type, without what only says how it is used."""
    while True:
        origin = get_origin(hint)
        if isinstance(hint, TypeAliasType):
            hint = hint.__value__
        elif origin in (Annotated, Required, NotRequired):
            hint = get_args(hint)[0]
        else:
            break
    inner = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return [each for one in inner for each in bare(one)] if inner else [hint]


def of_type(hint: Any, key: str = "", depth: int = 0) -> list[Any]:
    """Return instances of a type, the smallest first."""
    kinds = [one for one in bare(hint) if one is not type(None)]
    named = [one for one in kinds if one is not Any] or kinds
    return [found for one in named for found in _alternative(one, key, depth)]


def _alternative(hint: Any, key: str, depth: int) -> list[Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        hints = get_type_hints(hint, include_extras=True)
        needed = {name for name in hints if name == "type" or _is_needed(hints[name], total=hint.__total__)}
        return _combined({name: partial(of_type, hints[name], name, depth + 1) for name in hints}, needed, depth)
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return of_model(hint, depth)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [next(iter(hint)).value]
    if origin is Literal:
        return list(inner) if key == "type" else [value for value in inner if value == "completed"] or list(inner)[:1]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return [{"a": "1"}]
    if inner and (origin is list or getattr(origin, "__name__", "") in ("Iterable", "Sequence", "SequenceNotStr")):
        return [[one] for one in of_type(inner[0], key.removesuffix("s"), depth + 1)]
    return [_plain(hint, key)] if hint in (str, bytes, bool, int, float, object, Any) or inner else []


def _plain(hint: Any, key: str) -> Any:
    if hint in (bool, int, float):
        return hint(1)
    if hint is bytes:
        return SIGNATURE
    return WORDS.get(key, "words") if hint is str or key in WORDS else {"a": 1}


def _is_needed(hint: Any, *, total: bool) -> bool:
    return get_origin(hint) is Required or (total and get_origin(hint) is not NotRequired)


def _combined(keys: Mapping[str, Callable[[], list[Any]]], needed: set[str], depth: int) -> list[Instance]:
    """Return an object with what it needs, then one for each alternative of a needed key and for each other key."""
    smallest = {key: (keys[key]() or ["words"])[0] for key in keys if key in needed}
    found = [smallest]
    if depth < DEEPEST:
        for key, values in keys.items():
            given = values()[1 if key in smallest else 0 :][:MOST]
            found += [{**smallest, key: value} for value in given if key != "cache_control"]
    return found


def of_model(model: type[BaseModel], depth: int = 0) -> list[Instance]:
    """Return instances of a pydantic model, under the names of the wire."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    needed = {name for name, field in fields.items() if name == "type" or field.is_required()}
    values = {
        name: lambda n=name, f=field: (
            (of_type(f.annotation, n, depth + 1) or ["words"]) if depth < DEEPEST else ["words"]
        )
        for name, field in fields.items()
    }
    return _combined(values, needed, depth)


def shapes_of_converse() -> Mapping[str, Any]:
    """Return botocore's description of Converse."""
    place = max((Path(botocore.__file__).parent / "data" / "bedrock-runtime").glob("*/service-2.json.gz"))
    shapes: Mapping[str, Any] = json.loads(gzip.decompress(place.read_bytes()))["shapes"]
    return shapes


def of_shape(shapes: Mapping[str, Any], name: str, key: str = "", depth: int = 0) -> list[Any]:
    """Return instances of one of botocore's shapes."""
    shape = shapes[name]
    members: Mapping[str, Any] = shape.get("members", {})
    if shape.get("union"):
        kinds = ((kind, of_shape(shapes, one["shape"], kind, depth + 1)) for kind, one in members.items())
        return [{kind: value} for kind, values in kinds for value in values[:MOST]]
    if shape["type"] == "structure":
        return _combined(
            {k: partial(of_shape, shapes, members[k]["shape"], k, depth + 1) for k in members},
            set(shape.get("required", ())),
            depth,
        )
    if shape["type"] == "list":
        return [[one] for one in of_shape(shapes, shape["member"]["shape"], key, depth + 1)]
    return [_of_leaf(shape, key)]


def _of_leaf(shape: Mapping[str, Any], key: str) -> Any:
    enum: Sequence[str] = shape.get("enum", ())
    leaves = {"boolean": True, "blob": b"bytes", "string": enum[0] if enum else WORDS.get(key, "words")}
    return leaves.get(shape["type"], {"a": 1} if shape.get("document") or shape["type"] == "map" else 1)


def with_media(value: Any, form: str = "") -> Any:
    """Put media in the place of what stands for their data, and let a source name what it holds."""
    if isinstance(value, list):
        return [with_media(item, form) for item in value]
    if not isinstance(value, dict):
        return base64.b64decode({"mkv": MATROSKA, "pdf": PDF}.get(form, PIXEL)) if isinstance(value, bytes) else value
    form = value.get("format", form)
    kind = value.get("media_type", value.get("mimeType"))
    data = PDF if kind == "application/pdf" else PIXEL
    named = {"media_type": "image/png"} if kind == "image/jpeg" else {}
    whole = {**value, **named, **_missing(value)}
    return {key: data if key == "data" and kind else with_media(item, form) for key, item in whole.items()}


def _missing(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return where media are, where a type says of no key that one of several must be there."""
    kind = value.get("type")
    address = "https://example.com/x.png"
    if kind in ("input_image", "computer_screenshot") and not value.keys() & {"image_url", "file_id"}:
        return {"image_url": address}
    if kind == "input_file" and not value.keys() & {"file_url", "file_id", "file_data"}:
        return {"file_url": "https://example.com/x.pdf"}
    if kind in MEDIA_TYPES and value.keys() <= OF_CONTENT:
        return {"mime_type": MEDIA_TYPES[kind], **({"data": PIXEL} if "data" in value else {"uri": address})}
    return {}


MEDIA_TYPES: Mapping[Any, str] = {
    "audio": "audio/wav",
    "image": "image/png",
    "video": "video/mp4",
    "document": "application/pdf",
}
OF_CONTENT = {"type", "data", "uri", "mime_type", "channels", "sample_rate", "rate", "resolution", "title"} | {
    *("language", "processing", "annotations"),
}


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
MATROSKA = "GkXfow=="
PDF = base64.b64encode(b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n").decode()


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every leaf of a value with the keys that lead to it."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from ((f"{key}.{place}" if place else str(key), leaf) for place, leaf in walk(item))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from walk(item)
    else:
        yield "", value
