"""What the keys of messages, parts and content may hold, as data: the schema of pydantic-ai-slim 2.68 (2026-11).

Keys that are not listed are ignored by the package, so they travel; a listed key with another value would make it
refuse the whole list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias, final

from attrs import field, frozen

__all__ = [
    "IN_REQUEST",
    "IN_RESPONSE",
    "ITEMS",
    "REQUEST",
    "RESPONSE",
    "Misfit",
    "Shape",
    "is_base64",
    "misfits",
    "typed_kind_fits",
]

Fits: TypeAlias = Callable[[Any], bool]
Misfit: TypeAlias = tuple[str, bool]
"""A key, and whether it is missing; else its value is wrong."""


@final
@frozen
class Shape:
    """The keys of one kind of object.

    Args:
        fields: what each key may hold.
        required: the keys that must be there.
    """

    fields: Mapping[str, Fits] = field(factory=dict)
    required: tuple[str, ...] = ()


def misfits(shape: Shape, data: Mapping[Any, Any]) -> list[Misfit]:
    """Find the keys that the package would refuse.

    Args:
        shape: the keys of such an object.
        data: the object.

    Returns:
        The keys that are missing or hold something else.
    """
    missing: list[Misfit] = [(key, True) for key in shape.required if key not in data]
    return missing + [(key, False) for key, fits in shape.fields.items() if key in data and not fits(data[key])]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _nothing(value: Any) -> bool:
    return value is None


def _anything(value: Any) -> bool:
    del value
    return True


def _cost(value: Any) -> bool:
    return _number(value) or (isinstance(value, str) and _DECIMAL.fullmatch(value) is not None)


_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")


def _time(value: Any) -> bool:
    if _number(value):
        return bool(-(10**10) <= value <= 10**13)
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value[:19])
    except ValueError:
        return False
    return True


_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?)?"
)


def is_base64(value: object) -> bool:
    """Tell whether a value is base64 text that the package decodes: standard or URL-safe, with no stray bits."""
    found = _BASE64.fullmatch(value) if isinstance(value, str) else None
    if found is None or not isinstance(value, str):
        return False
    end = max(found.end(1), found.end(2))
    last = value[end - 1 : end]
    if end % 4 == 0:
        return end == len(value)
    return last in _LAST.get(end % 4, "")


_BASE64: Final = re.compile("(?:([A-Za-z0-9+/]*+)|([A-Za-z0-9_-]*+))={0,2}")
_LAST: Final = {2: "AQgw", 3: "AEIMQUYcgkosw048"}
"""The letters that leave no stray bits, by how many letters the last group has."""


def _or_none(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def _one_of(*values: object) -> Fits:
    return lambda value: isinstance(value, (str, bool)) and value in values


def _each(fits: Fits, least: int = 0) -> Fits:
    return lambda value: isinstance(value, (list, tuple)) and len(value) >= least and all(map(fits, value))


def _like(shape: Shape) -> Fits:
    return lambda value: isinstance(value, Mapping) and not misfits(shape, value)


def _tagged(key: str, shapes: Mapping[str, Shape]) -> Fits:
    def fits(value: Any) -> bool:
        tag = value.get(key) if isinstance(value, Mapping) else None
        return isinstance(tag, str) and tag in shapes and not misfits(shapes[tag], value)

    return fits


_TEXT: Final = _or_none(_text)
_KEYS: Final = _or_none(_mapping)

# Content of user prompts, results and files.

_URL: Final = Shape(
    {
        "url": _text,
        "force_download": _one_of(True, False, "allow-local"),
        "vendor_metadata": _KEYS,
        "media_type": _TEXT,
        "identifier": _TEXT,
    },
    ("url",),
)
_BINARY: Final = Shape(
    {
        "data": is_base64,
        "media_type": _text,
        "vendor_metadata": _KEYS,
        "identifier": _TEXT,
        "kind": _one_of("binary"),
    },
    ("data", "media_type"),
)
_UPLOADED: Final = Shape(
    {
        "file_id": _text,
        "provider_name": _one_of(
            "anthropic", "openai", "google", "google-cloud", "google-gla", "google-vertex", "bedrock", "xai"
        ),
        "vendor_metadata": _KEYS,
        "media_type": _TEXT,
        "identifier": _TEXT,
    },
    ("file_id", "provider_name"),
)
ITEMS: Final[dict[str, Shape]] = {
    "text-content": Shape({"content": _text}, ("content",)),
    "structured-content": Shape(
        {"content": lambda value: isinstance(value, str) and value != "", "tag": _TEXT, "description": _TEXT},
        ("content", "value"),
    ),
    "image-url": _URL,
    "audio-url": _URL,
    "document-url": _URL,
    "video-url": _URL,
    "binary": _BINARY,
    "uploaded-file": _UPLOADED,
    "cache-point": Shape({"ttl": _one_of("5m", "1h")}),
}
"""What a list of user content may hold besides text, by `kind`."""


def _prompt(value: Any) -> bool:
    item = _tagged("kind", ITEMS)
    return isinstance(value, str) or _each(lambda part: isinstance(part, str) or item(part))(value)


# Parts.

_ERRORS: Final = _each(
    _like(
        Shape(
            {"type": _text, "loc": _each(lambda step: _text(step) or _whole(step)), "msg": _text},
            ("type", "loc", "msg", "input"),
        )
    )
)


def _complaint(value: Any) -> bool:
    return isinstance(value, str) or _ERRORS(value)


def _retry(*causes: str) -> Fits:
    counts = {"attempt": _or_none(_whole), "max_retries": _or_none(_whole)}
    return _like(Shape({"cause": _one_of(*causes), **counts}, ("cause",)))


_ISSUED: Final[dict[str, Fits]] = {"id": _TEXT, "provider_name": _TEXT, "provider_details": _KEYS}
_RETURN: Final[dict[str, Fits]] = {
    "tool_name": _text,
    "tool_call_id": _text,
    "tool_kind": _TEXT,
    "timestamp": _time,
    "outcome": _one_of("success", "failed", "denied", "interrupted", "retried"),
    "content_file_digests": _each(_text),
}
_CALL: Final[dict[str, Fits]] = {
    "tool_name": _text,
    "args": lambda value: value is None or isinstance(value, (str, Mapping)),
    "tool_call_id": _text,
    "tool_kind": _TEXT,
    **_ISSUED,
}
_SPEECH: Final[dict[str, Fits]] = {
    "transcript": _TEXT,
    "audio": _or_none(_like(_BINARY)),
    "interrupted_at_ms": _or_none(_whole),
    "timestamps": _or_none(
        _each(
            _like(
                Shape(
                    {
                        "text": _text,
                        "start_ms": _whole,
                        "duration_ms": _whole,
                        "granularity": _one_of("word", "segment"),
                    },
                    ("text", "start_ms", "duration_ms"),
                )
            )
        )
    ),
    **_ISSUED,
}
_INSTRUCTION: Final = Shape(
    {
        "content": _text,
        "dynamic": _flag,
        "on_change": _one_of("rewrite", "append"),
        "name": _TEXT,
        "id": _TEXT,
        "part_kind": _one_of("instruction"),
    },
    ("content",),
)
_DIGEST: Final = Shape(
    {"id": _TEXT, "dynamic": _flag, "content_hash": _text, "part_kind": _one_of("instruction-digest")},
    ("content_hash", "part_kind"),
)
_EXCERPTS: Final = _each(_text)
_CITED: Final = _tagged(
    "kind",
    {
        "web": Shape({"url": _text, "title": _TEXT, "excerpts": _EXCERPTS}, ("url",)),
        "document": Shape({"document_id": _TEXT, "title": _TEXT, "excerpts": _EXCERPTS}),
    },
)


def _source(value: Any) -> bool:
    named = any(value.get(key) for key in ("document_id", "title", "excerpts")) if _mapping(value) else False
    return _CITED(value) and (named or value.get("kind") == "web")


def _anchor(value: Any) -> bool:
    if not _mapping(value) or value.get("kind") not in ("content", "marker"):
        return False
    start, end = value.get("start"), value.get("end")
    return _whole(start) and _whole(end) and 0 <= start < end


_CITATIONS: Final = _each(_like(Shape({"sources": _each(_source, least=1), "anchor": _or_none(_anchor)}, ("sources",))))

IN_REQUEST: Final[dict[str, Shape]] = {
    "system-prompt": Shape(
        {
            "content": _text,
            "timestamp": _time,
            "dynamic_ref": _TEXT,
            "context_id": _TEXT,
            "scope": _one_of("conversation", "request"),
            "metadata": _KEYS,
        },
        ("content",),
    ),
    "user-prompt": Shape({"content": _prompt, "timestamp": _time}, ("content",)),
    "tool-return": Shape(
        {
            **_RETURN,
            "retry": _or_none(_retry("validation_error", "model_retry", "unknown_tool", "unavailable_tool")),
        },
        ("tool_name", "content"),
    ),
    "retry-prompt": Shape(
        {"content": _complaint, "tool_name": _TEXT, "tool_call_id": _text, "timestamp": _time}, ("content",)
    ),
    "retry-feedback": Shape(
        {
            "content": _complaint,
            "retry": _retry("validation_error", "no_output", "model_retry"),
            "timestamp": _time,
        },
        ("content", "retry"),
    ),
    "speech": Shape({"speaker": _one_of("user"), **_SPEECH}, ("speaker",)),
    # A summary in a request is nobody's: the package refuses one that names a provider.
    "compaction": Shape(
        {
            "content": _TEXT,
            "id": _nothing,
            "provider_name": _nothing,
            "provider_details": _nothing,
            "metadata": _KEYS,
        }
    ),
    "tool-availability-delta": Shape({"tools_added": _each(_text), "added": _each(_text), "tool_call_id": _TEXT}),
    "capability-load-delta": Shape({"loaded": _each(_text), "tool_call_id": _TEXT}),
    "model-settings-delta": Shape(
        {
            "settings": _like(
                Shape({"thinking": _or_none(_one_of("minimal", "low", "medium", "high", "xhigh", "max"))})
            ),
            "top_level": _flag,
        },
        ("settings",),
    ),
    "instruction-delta": Shape({"id": _TEXT, "content": _TEXT, "base_hash": _TEXT}, ("id", "content")),
    "instruction-baseline": Shape(
        {"instructions": _each(lambda value: _like(_DIGEST)(value) or _like(_INSTRUCTION)(value))}, ("instructions",)
    ),
}
"""The parts of a request, by `part_kind`."""

IN_RESPONSE: Final[dict[str, Shape]] = {
    "text": Shape({"content": _text, **_ISSUED, "citations": _or_none(_CITATIONS)}, ("content",)),
    "thinking": Shape({"content": _text, "signature": _TEXT, **_ISSUED}, ("content",)),
    "tool-call": Shape(_CALL, ("tool_name",)),
    "builtin-tool-call": Shape(_CALL, ("tool_name",)),
    "builtin-tool-return": Shape({**_RETURN, **_ISSUED}, ("tool_name", "content")),
    "file": Shape({"content": _like(_BINARY), **_ISSUED}, ("content",)),
    "compaction": Shape({"content": _TEXT, **_ISSUED, "metadata": _KEYS}),
    "speech": Shape({"speaker": _one_of("assistant"), **_SPEECH}, ("speaker",)),
}
"""The parts of a response, by `part_kind`."""


def typed_kind_fits(part: Mapping[Any, Any]) -> bool:
    """Tell whether a part with a `tool_kind` of the package's own holds what that kind demands.

    Args:
        part: a call or a return.

    Returns:
        True for any other kind, and for none.
    """
    kind, kind_of_part = part.get("tool_kind"), part.get("part_kind")
    if kind not in _TYPED or part.get("outcome", "success") != "success":
        return True
    name, args, content = _TYPED[kind]
    if kind == "tool-search" and str(kind_of_part).startswith("builtin"):
        name = "tool_search"
    if part.get("tool_name") != name:
        return False
    if str(kind_of_part).endswith("return"):
        return _like(content)(part.get("content"))
    given = part.get("args")
    return given is None or isinstance(given, str) or _like(args)(given)


_TYPED: Final[dict[object, tuple[str, Shape, Shape]]] = {
    "tool-search": (
        "search_tools",
        Shape({"queries": _each(_text)}, ("queries",)),
        Shape(
            {"discovered_tools": _each(_like(Shape({"name": _text}, ("name",)))), "message": _text},
            ("discovered_tools",),
        ),
    ),
    "capability-load": (
        "load_capability",
        Shape({"id": _text}, ("id",)),
        Shape({"message": _text, "instructions": _text}),
    ),
}

# Messages.

_TOKENS: Final = (
    "input_tokens",
    "request_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
    "output_tokens",
    "response_tokens",
    "unmeasured_requests",
    "output_reasoning_tokens",
    "input_audio_tokens",
    "cache_audio_read_tokens",
    "output_audio_tokens",
)
_USAGE: Final = _like(
    Shape(
        {
            **dict.fromkeys(_TOKENS, _whole),
            "audio_seconds": _number,
            "details": lambda value: value is None or (_mapping(value) and all(map(_whole, value.values()))),
            "cost": _or_none(_cost),
        }
    )
)
_DURATION: Final = re.compile(
    r"-?P(?=.)([0-9]{1,6}D)?(T(?=.)([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,9}(\.[0-9]{1,9})?S)?)?"
)
_ATTEMPT: Final = Shape(
    {
        "model_name": _text,
        "provider_name": _TEXT,
        "outcome": _one_of("error", "rejected"),
        "error": _TEXT,
        "timestamp": _time,
        "duration": lambda value: _number(value) or (isinstance(value, str) and _DURATION.fullmatch(value) is not None),
        "usage": _or_none(_USAGE),
    },
    ("model_name", "outcome", "timestamp", "duration"),
)

REQUEST: Final = Shape(
    {
        "timestamp": _or_none(_time),
        "instructions": _TEXT,
        "run_id": _TEXT,
        "conversation_id": _TEXT,
        "metadata": _KEYS,
        "state": _one_of("complete", "interrupted"),
    }
)
RESPONSE: Final = Shape(
    {
        "usage": _USAGE,
        "model_name": _TEXT,
        "model_id": _TEXT,
        "timestamp": _time,
        "provider_name": _TEXT,
        "provider_url": _TEXT,
        "canonical_system": _TEXT,
        "provider_details": _KEYS,
        "vendor_details": _KEYS,
        "provider_response_id": _TEXT,
        "vendor_id": _TEXT,
        "finish_reason": _or_none(_one_of("stop", "length", "content_filter", "tool_call", "error")),
        "run_id": _TEXT,
        "conversation_id": _TEXT,
        "metadata": _KEYS,
        "workspace_ref": _or_none(_like(Shape({"provider": _text, "id": _text}, ("provider", "id")))),
        "history_digest": _TEXT,
        "failed_attempts": _or_none(_each(_like(_ATTEMPT))),
        "state": _one_of("complete", "incomplete", "suspended", "interrupted"),
    }
)
