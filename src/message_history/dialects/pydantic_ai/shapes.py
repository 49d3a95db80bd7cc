"""What the keys of messages, parts and content may hold, as data: the schema of pydantic-ai-slim 2.68 (2026-11).

Keys that are not listed are ignored by the package, so they travel; a listed key with another value would make it
refuse the whole list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from message_history.dialects._shared.schema import (
    Fits,
    Shape,
    each,
    flag,
    like,
    mapping,
    mapping_or_none,
    nothing,
    number,
    one_of,
    or_none,
    tagged,
    text,
    text_or_none,
    whole,
)


def _cost(value: Any) -> bool:
    return number(value) or (isinstance(value, str) and _DECIMAL.fullmatch(value) is not None)


_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")


def _time(value: Any) -> bool:
    if number(value):
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
    """Return whether a value is base64 text that the package decodes: standard or URL-safe, with no stray bits."""
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


# Content of user prompts, results and files.

_URL: Final = Shape(
    {
        "url": text,
        "force_download": one_of(True, False, "allow-local"),
        "vendor_metadata": mapping_or_none,
        "media_type": text_or_none,
        "identifier": text_or_none,
    },
    ("url",),
)
_BINARY: Final = Shape(
    {
        "data": is_base64,
        "media_type": text,
        "vendor_metadata": mapping_or_none,
        "identifier": text_or_none,
        "kind": one_of("binary"),
    },
    ("data", "media_type"),
)
_UPLOADED: Final = Shape(
    {
        "file_id": text,
        "provider_name": one_of(
            "anthropic", "openai", "google", "google-cloud", "google-gla", "google-vertex", "bedrock", "xai"
        ),
        "vendor_metadata": mapping_or_none,
        "media_type": text_or_none,
        "identifier": text_or_none,
    },
    ("file_id", "provider_name"),
)
ITEMS: Final[dict[str, Shape]] = {
    "text-content": Shape({"content": text}, ("content",)),
    "structured-content": Shape(
        {
            "content": lambda value: isinstance(value, str) and value != "",
            "tag": text_or_none,
            "description": text_or_none,
        },
        ("content", "value"),
    ),
    "image-url": _URL,
    "audio-url": _URL,
    "document-url": _URL,
    "video-url": _URL,
    "binary": _BINARY,
    "uploaded-file": _UPLOADED,
    "cache-point": Shape({"ttl": one_of("5m", "1h")}),
}
"""What a list of user content may hold besides text, by `kind`."""


def _prompt(value: Any) -> bool:
    item = tagged("kind", ITEMS)
    return isinstance(value, str) or each(lambda part: isinstance(part, str) or item(part))(value)


# Parts.

_ERRORS: Final = each(
    like(
        Shape(
            {"type": text, "loc": each(lambda step: text(step) or whole(step)), "msg": text},
            ("type", "loc", "msg", "input"),
        )
    )
)


def _complaint(value: Any) -> bool:
    return isinstance(value, str) or _ERRORS(value)


def _retry(*causes: str) -> Fits:
    counts = {"attempt": or_none(whole), "max_retries": or_none(whole)}
    return like(Shape({"cause": one_of(*causes), **counts}, ("cause",)))


_ISSUED: Final[dict[str, Fits]] = {
    "id": text_or_none,
    "provider_name": text_or_none,
    "provider_details": mapping_or_none,
}
_RETURN: Final[dict[str, Fits]] = {
    "tool_name": text,
    "tool_call_id": text,
    "tool_kind": text_or_none,
    "timestamp": _time,
    "outcome": one_of("success", "failed", "denied", "interrupted", "retried"),
    "content_file_digests": each(text),
}
_CALL: Final[dict[str, Fits]] = {
    "tool_name": text,
    "args": lambda value: value is None or isinstance(value, (str, Mapping)),
    "tool_call_id": text,
    "tool_kind": text_or_none,
    **_ISSUED,
}
_SPEECH: Final[dict[str, Fits]] = {
    "transcript": text_or_none,
    "audio": or_none(like(_BINARY)),
    "interrupted_at_ms": or_none(whole),
    "timestamps": or_none(
        each(
            like(
                Shape(
                    {"text": text, "start_ms": whole, "duration_ms": whole, "granularity": one_of("word", "segment")},
                    ("text", "start_ms", "duration_ms"),
                )
            )
        )
    ),
    **_ISSUED,
}
_INSTRUCTION: Final = Shape(
    {
        "content": text,
        "dynamic": flag,
        "on_change": one_of("rewrite", "append"),
        "name": text_or_none,
        "id": text_or_none,
        "part_kind": one_of("instruction"),
    },
    ("content",),
)
_DIGEST: Final = Shape(
    {"id": text_or_none, "dynamic": flag, "content_hash": text, "part_kind": one_of("instruction-digest")},
    ("content_hash", "part_kind"),
)
_EXCERPTS: Final = each(text)
_CITED: Final = tagged(
    "kind",
    {
        "web": Shape({"url": text, "title": text_or_none, "excerpts": _EXCERPTS}, ("url",)),
        "document": Shape({"document_id": text_or_none, "title": text_or_none, "excerpts": _EXCERPTS}),
    },
)


def _source(value: Any) -> bool:
    named = any(value.get(key) for key in ("document_id", "title", "excerpts")) if mapping(value) else False
    return _CITED(value) and (named or value.get("kind") == "web")


def _anchor(value: Any) -> bool:
    if not mapping(value) or value.get("kind") not in ("content", "marker"):
        return False
    start, end = value.get("start"), value.get("end")
    return whole(start) and whole(end) and 0 <= start < end


_CITATIONS: Final = each(like(Shape({"sources": each(_source, least=1), "anchor": or_none(_anchor)}, ("sources",))))

IN_REQUEST: Final[dict[str, Shape]] = {
    "system-prompt": Shape(
        {
            "content": text,
            "timestamp": _time,
            "dynamic_ref": text_or_none,
            "context_id": text_or_none,
            "scope": one_of("conversation", "request"),
            "metadata": mapping_or_none,
        },
        ("content",),
    ),
    "user-prompt": Shape({"content": _prompt, "timestamp": _time}, ("content",)),
    "tool-return": Shape(
        {**_RETURN, "retry": or_none(_retry("validation_error", "model_retry", "unknown_tool", "unavailable_tool"))},
        ("tool_name", "content"),
    ),
    "retry-prompt": Shape(
        {"content": _complaint, "tool_name": text_or_none, "tool_call_id": text, "timestamp": _time}, ("content",)
    ),
    "retry-feedback": Shape(
        {"content": _complaint, "retry": _retry("validation_error", "no_output", "model_retry"), "timestamp": _time},
        ("content", "retry"),
    ),
    "speech": Shape({"speaker": one_of("user"), **_SPEECH}, ("speaker",)),
    # A summary in a request is nobody's: the package refuses one that names a provider.
    "compaction": Shape(
        {
            "content": text_or_none,
            "id": nothing,
            "provider_name": nothing,
            "provider_details": nothing,
            "metadata": mapping_or_none,
        }
    ),
    "tool-availability-delta": Shape({"tools_added": each(text), "added": each(text), "tool_call_id": text_or_none}),
    "capability-load-delta": Shape({"loaded": each(text), "tool_call_id": text_or_none}),
    "model-settings-delta": Shape(
        {
            "settings": like(Shape({"thinking": or_none(one_of("minimal", "low", "medium", "high", "xhigh", "max"))})),
            "top_level": flag,
        },
        ("settings",),
    ),
    "instruction-delta": Shape(
        {"id": text_or_none, "content": text_or_none, "base_hash": text_or_none}, ("id", "content")
    ),
    "instruction-baseline": Shape(
        {"instructions": each(lambda value: like(_DIGEST)(value) or like(_INSTRUCTION)(value))}, ("instructions",)
    ),
}
"""The parts of a request, by `part_kind`."""

IN_RESPONSE: Final[dict[str, Shape]] = {
    "text": Shape({"content": text, **_ISSUED, "citations": or_none(_CITATIONS)}, ("content",)),
    "thinking": Shape({"content": text, "signature": text_or_none, **_ISSUED}, ("content",)),
    "tool-call": Shape(_CALL, ("tool_name",)),
    "builtin-tool-call": Shape(_CALL, ("tool_name",)),
    "builtin-tool-return": Shape({**_RETURN, **_ISSUED}, ("tool_name", "content")),
    "file": Shape({"content": like(_BINARY), **_ISSUED}, ("content",)),
    "compaction": Shape({"content": text_or_none, **_ISSUED, "metadata": mapping_or_none}),
    "speech": Shape({"speaker": one_of("assistant"), **_SPEECH}, ("speaker",)),
}
"""The parts of a response, by `part_kind`."""


def typed_kind_fits(part: Mapping[Any, Any]) -> bool:
    """Return whether a part holds what its `tool_kind` demands; any that is not the package's own fits."""
    kind, kind_of_part = part.get("tool_kind"), part.get("part_kind")
    if not isinstance(kind, str) or kind not in _TYPED or part.get("outcome", "success") != "success":
        return True
    name, args, content = _TYPED[kind]
    if kind == "tool-search" and str(kind_of_part).startswith("builtin"):
        name = "tool_search"
    if part.get("tool_name") != name:
        return False
    if str(kind_of_part).endswith("return"):
        return like(content)(part.get("content"))
    input = part.get("args")
    return input is None or isinstance(input, str) or like(args)(input)


_TYPED: Final[dict[str, tuple[str, Shape, Shape]]] = {
    "tool-search": (
        "search_tools",
        Shape({"queries": each(text)}, ("queries",)),
        Shape(
            {"discovered_tools": each(like(Shape({"name": text}, ("name",)))), "message": text}, ("discovered_tools",)
        ),
    ),
    "capability-load": (
        "load_capability",
        Shape({"id": text}, ("id",)),
        Shape({"message": text, "instructions": text}),
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
_USAGE: Final = like(
    Shape(
        {
            **dict.fromkeys(_TOKENS, whole),
            "audio_seconds": number,
            "details": lambda value: value is None or (mapping(value) and all(map(whole, value.values()))),
            "cost": or_none(_cost),
        }
    )
)
_DURATION: Final = re.compile(
    r"-?P(?=.)([0-9]{1,6}D)?(T(?=.)([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,9}(\.[0-9]{1,9})?S)?)?"
)
_ATTEMPT: Final = Shape(
    {
        "model_name": text,
        "provider_name": text_or_none,
        "outcome": one_of("error", "rejected"),
        "error": text_or_none,
        "timestamp": _time,
        "duration": lambda value: number(value) or (isinstance(value, str) and _DURATION.fullmatch(value) is not None),
        "usage": or_none(_USAGE),
    },
    ("model_name", "outcome", "timestamp", "duration"),
)

REQUEST: Final = Shape(
    {
        "timestamp": or_none(_time),
        "instructions": text_or_none,
        "run_id": text_or_none,
        "conversation_id": text_or_none,
        "metadata": mapping_or_none,
        "state": one_of("complete", "interrupted"),
    }
)
RESPONSE: Final = Shape(
    {
        "usage": _USAGE,
        "model_name": text_or_none,
        "model_id": text_or_none,
        "timestamp": _time,
        "provider_name": text_or_none,
        "provider_url": text_or_none,
        "canonical_system": text_or_none,
        "provider_details": mapping_or_none,
        "vendor_details": mapping_or_none,
        "provider_response_id": text_or_none,
        "vendor_id": text_or_none,
        "finish_reason": or_none(one_of("stop", "length", "content_filter", "tool_call", "error")),
        "run_id": text_or_none,
        "conversation_id": text_or_none,
        "metadata": mapping_or_none,
        "workspace_ref": or_none(like(Shape({"provider": text, "id": text}, ("provider", "id")))),
        "history_digest": text_or_none,
        "failed_attempts": or_none(each(like(_ATTEMPT))),
        "state": one_of("complete", "incomplete", "suspended", "interrupted"),
    }
)
