"""What each provider calls the id, model, stop reason and usage of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from message_history.core.messages.message import Message, with_replies
from message_history.core.messages.replies import ReplyInfo, Usage
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence

_IDS: Final = ("id", "responseId", "response_id", "provider_response_id")
_MODELS: Final = ("model", "modelVersion", "model_version", "model_name", "modelId", "modelID")
_STOP_REASONS: Final = ("stop_reason", "stopReason", "finish_reason", "finishReason", "done_reason")
_USAGES: Final = ("usage", "usageMetadata", "usage_metadata", "tokens")
_INSIDE: Final = ("choices", "candidates")
_METADATA: Final = ("response_metadata", "incomplete_details", "ResponseMetadata")

_COUNTS: Final[Mapping[str, tuple[str, ...]]] = {
    "input_tokens": (
        "input_tokens",
        "prompt_tokens",
        "inputTokens",
        "promptTokenCount",
        "prompt_token_count",
        "total_input_tokens",
    ),
    "output_tokens": (
        "output_tokens",
        "completion_tokens",
        "outputTokens",
        "candidatesTokenCount",
        "candidates_token_count",
        "total_output_tokens",
    ),
    "cache_read_tokens": (
        "cache_read_input_tokens",
        "cacheReadInputTokens",
        "cache_read_tokens",
        "cached_tokens",
        "cache_read",
        "cachedContentTokenCount",
        "cached_content_token_count",
        "total_cached_tokens",
        "prompt_cache_hit_tokens",
    ),
    "cache_write_tokens": (
        "cache_creation_input_tokens",
        "cacheWriteInputTokens",
        "cache_write_tokens",
        "cache_creation",
    ),
    "reasoning_tokens": (
        "reasoning_tokens",
        "reasoning",
        "thoughtsTokenCount",
        "thoughts_token_count",
        "total_thought_tokens",
    ),
}
_DETAILS: Final = (
    *("tokens", "prompt_tokens_details"),
    "completion_tokens_details",
    "input_tokens_details",
    "output_tokens_details",
    "input_token_details",
    "output_token_details",
    "details",
)
_BESIDE: Final = {
    "input_tokens": (
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
        "toolUsePromptTokenCount",
        "tool_use_prompt_token_count",
        "total_tool_use_tokens",
    ),
    "output_tokens": ("thoughtsTokenCount", "thoughts_token_count", "total_thought_tokens"),
}
"""Tokens that their provider does not count among those of the input or the output."""
_NAMES: Final = {key: name for name, keys in _COUNTS.items() for key in keys}


def reply_info(data: Mapping[Any, Any], provider: str, beside: Mapping[str, Any] | None = None) -> ReplyInfo | None:
    """Read what a provider said of a reply.

    `data` is a response, or a message that was saved with what its response said. `beside` is what a response holds in
    addition to its entries; what no other field holds is kept as `extra`. Returns None where there is neither a model
    nor usage nor anything else, as in a message of a request.
    """
    places = [data, *_first_choices(data), *_mappings(data, _METADATA)]
    model = _text(places, _MODELS)
    raw = next((found for place in places for found in _mappings(place, _USAGES)), None)
    id = _text([data], _IDS) or _text(places, ("RequestId",))
    # A response is recognized by its id alone; a message of a request may have its own id.
    if model is None and raw is None and not beside and (beside is None or id is None):
        return None
    stop_reason = _text(places, _STOP_REASONS) or _text(_mappings(data, ("incomplete_details",)), ("reason",))
    stop_reason = stop_reason or _text([data], ("status",))
    held = {
        **dict.fromkeys((*_IDS, "RequestId"), id),
        **dict.fromkeys(_MODELS, model),
        **dict.fromkeys((*_STOP_REASONS, "status", "reason"), stop_reason),
        **dict.fromkeys(_USAGES, raw),
    }
    return ReplyInfo(
        id=id,
        model=model,
        stop_reason=stop_reason,
        provider=_text(places, ("provider_name", "model_provider")) or provider,
        usage=_usage(raw) if raw is not None else None,
        raw_usage={key: value for key, value in raw.items() if value is not None} if raw is not None else None,
        extra=_not_held(beside or {}, held),
    )


def _not_held(beside: Mapping[Any, Any], held: Mapping[str, object]) -> dict[Any, Any]:
    """Return what a response holds in addition to its entries and no other field holds."""
    rest: dict[Any, Any] = {}
    for key, value in beside.items():
        if key in held and held[key] is not None and _same(value, held[key]):
            continue
        if key in _INSIDE and isinstance(value, list):
            choices = [_not_held(found, held) if (found := as_mapping(each)) is not None else each for each in value]
            rest |= {key: choices} if any(choices) else {}
        elif key in _METADATA and (found := as_mapping(value)) is not None:
            inner = _not_held(found, held)
            rest |= {key: inner} if inner else {}
        else:
            rest[key] = value
    return rest


def _same(value: object, held: object) -> bool:
    """Return whether a value is what is held: an enumeration's text, or the usage, as a mapping."""
    return getattr(value, "value", value) == held if isinstance(held, str) else as_mapping(value) == held


def with_info(message: Message, data: Mapping[Any, Any], provider: str) -> Message:
    """Return a message of a list with what its provider said of it, where that was saved with it."""
    info = reply_info(data, provider) if not data.keys() <= _OF_REQUESTS else None
    return with_replies(message, (info,)) if info is not None else message


_OF_REQUESTS: Final = frozenset({"role", "content", "type", "parts", "kind"})


def saved_replies(value: object, key: str) -> tuple[tuple[ReplyInfo, ...], list[Any]]:
    """Read what the saved form holds of replies, and what it may not; what is of a later version goes under `key`."""
    entries = as_sequence(value)
    wrong: list[Any] = [value] if entries is None and value is not None else []
    replies = [_saved(entry, key, wrong) for entry in entries or ()]
    return tuple(reply for reply in replies if reply is not None), wrong


def _saved(entry: object, key: str, wrong: list[Any]) -> ReplyInfo | None:
    if not isinstance(entry, Mapping):
        wrong.append(entry)
        return None
    rest = {name: value for name, value in entry.items() if value is not None}
    fields: dict[str, Any] = {name: rest.pop(name) for name in _TEXTS if isinstance(rest.get(name), str)}
    fields |= {name: rest.pop(name) for name in ("raw_usage", "extra") if isinstance(rest.get(name), Mapping)}
    if isinstance(rest.get("usage"), Mapping):
        counts = dict(rest.pop("usage"))
        fields["usage"] = Usage(**{name: counts.pop(name) for name in _COUNTS if _is_count(counts.get(name))})
        miscounted = {name: counts.pop(name) for name in _COUNTS if name in counts}
        wrong += [{"usage": miscounted}] if miscounted else []
        rest |= {"usage": counts} if counts else {}
    mistyped = {name: rest.pop(name) for name in (*_TEXTS, "raw_usage", "extra") if name in rest}
    if "usage" not in fields and "usage" in rest:
        mistyped["usage"] = rest.pop("usage")
    wrong += [mistyped] if mistyped else []
    return ReplyInfo(**{**fields, "extra": with_unknown(fields.get("extra", {}), key, rest)})


def with_unknown(extra: Mapping[Any, Any], key: str, unknown: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the keys that nothing models, with those of a later version, which are under `key`."""
    if not unknown:
        return dict(extra)
    before = extra.get(key, {})
    return {**extra, key: {**(before if isinstance(before, Mapping) else {key: before}), **unknown}}


_TEXTS: Final = ("id", "model", "stop_reason", "provider")


def _usage(raw: Mapping[Any, Any]) -> Usage:
    """Count the tokens of a reply in the one way that `Usage` documents."""
    counts: dict[str, int] = {}
    for place in (raw, *_mappings(raw, _DETAILS)):
        for key, value in place.items():
            name = _NAMES.get(key)
            if name is not None and _is_count(value):
                counts.setdefault(name, value)
    for name, keys in _BESIDE.items():
        beside = sum([raw[key] for key in keys if key in raw and _is_count(raw[key])])
        if beside:
            counts[name] = counts.get(name, 0) + beside
    return Usage(**counts)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _text(places: list[Mapping[Any, Any]], keys: tuple[str, ...]) -> str | None:
    for place in places:
        for key in keys:
            found = place.get(key)
            if isinstance(found, str) and found:
                return str.__str__(getattr(found, "value", found))
    return None


def _first_choices(data: Mapping[Any, Any]) -> list[Mapping[Any, Any]]:
    lists = (as_sequence(data.get(key)) for key in _INSIDE)
    return [choice for found in lists for choice in map(as_mapping, (found or [])[:1]) if choice is not None]


def _mappings(data: Mapping[Any, Any], keys: tuple[str, ...]) -> list[Mapping[Any, Any]]:
    return [found for key in keys if key in data and (found := as_mapping(data.get(key))) is not None]
