"""What a provider said of a reply: its id, model, stop reason and usage.

It travels on the assistant message and is in the saved form; no provider is sent it. Nothing here knows a provider's
names for these: `dialects/_shared/reply_info.py` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, fields, frozen
from attrs.validators import ge, optional

from message_history.core.values.json_values import EMPTY, FrozenDict, freeze_mapping, thaw
from message_history.core.values.validators import instance_of
from message_history.core.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NATURAL: Final = [instance_of(int), ge(0)]


@final
@frozen(kw_only=True, repr=False, eq=False)
class Usage(Value):
    """Tokens that replies have used; the same meaning for every provider.

    Args:
        input_tokens: all tokens of the requests, cached ones included.
        output_tokens: all tokens of the replies, thinking included.
        cache_read_tokens: how many input tokens were read from the cache.
        cache_write_tokens: how many input tokens were written to the cache.
        reasoning_tokens: how many output tokens were thinking, where the provider says so.
    """

    input_tokens: int = field(default=0, validator=_NATURAL)
    output_tokens: int = field(default=0, validator=_NATURAL)
    cache_read_tokens: int = field(default=0, validator=_NATURAL)
    cache_write_tokens: int = field(default=0, validator=_NATURAL)
    reasoning_tokens: int = field(default=0, validator=_NATURAL)

    def __add__(self, other: Usage) -> Usage:
        if not isinstance(other, Usage):
            return NotImplemented
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in COUNTS})


_REFUSALS: Final = frozenset(
    {
        *("refusal", "content_filter", "content_filtered", "guardrail_intervened"),
        *("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"),
    }
)
"""The stop reasons that say so, in the words of all providers."""
_UNFINISHED: Final = frozenset({None, "interrupted", "incomplete", "in_progress"})
"""The stop reasons of what has come so far of a reply that is streamed."""
COUNTS: Final = tuple(count.name for count in fields(Usage))


@final
@frozen(init=False, repr=False, eq=False)
class ReplyInfo(Value):
    """What a provider said of one reply.

    Args:
        id: the reply's id.
        model: the model that made it.
        stop_reason: why it ended, in the provider's word.
        provider: the name of the dialect that it was read in, or the provider that a framework names.
        usage: its tokens, counted the same way for every provider; None when the provider did not say.
        raw_usage: the provider's own object, with everything in it.
        extra: the other keys of the response, as the provider gave them: without its content, what the fields above
            hold, and what it only repeats of the request.
    """

    id: str | None = field(validator=optional(instance_of(str)))
    model: str | None = field(validator=optional(instance_of(str)))
    stop_reason: str | None = field(validator=optional(instance_of(str)))
    provider: str | None = field(validator=optional(instance_of(str)))
    usage: Usage | None = field(validator=optional(instance_of(Usage)))
    frozen_usage: FrozenDict = field(repr=False)
    frozen_extra: FrozenDict = field(repr=False)

    def __init__(
        self,
        *,
        id: str | None = None,
        model: str | None = None,
        stop_reason: str | None = None,
        provider: str | None = None,
        usage: Usage | None = None,
        raw_usage: Mapping[str, Any] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        raw, more = (freeze_mapping(found)[0] if found else EMPTY for found in (raw_usage, extra))
        self.__attrs_init__(id, model, stop_reason, provider, usage, raw, more)

    @property
    def is_refusal(self) -> bool:
        """Return whether the model refused, or a filter of the provider stopped the reply."""
        return self.stop_reason in _REFUSALS

    @property
    def has_ended(self) -> bool:
        """Return whether the provider has said why the reply ended."""
        return self.stop_reason not in _UNFINISHED

    @property
    def raw_usage(self) -> dict[str, Any]:
        """Return the provider's own object of the usage: a fresh plain dict, {} when it gave none."""
        return _plain(self.frozen_usage)

    @property
    def extra(self) -> dict[str, Any]:
        """Return the other keys of the response: a fresh plain dict."""
        return _plain(self.frozen_extra)


def _plain(value: FrozenDict) -> dict[str, Any]:
    found = thaw(value)
    return found if isinstance(found, dict) else {}


def joined_replies(first: tuple[ReplyInfo, ...], more: Iterable[ReplyInfo]) -> tuple[ReplyInfo, ...]:
    """Join what is said of the replies in two messages, `first` that is there; one in pieces is one reply."""
    joined = list(first)
    for reply in more:
        if joined and _is_same(joined[-1], reply):
            joined[-1] = reply
        else:
            joined.append(reply)
    return tuple(joined)


def as_json(reply: ReplyInfo) -> dict[str, Any]:
    """Return what is said of a reply as JSON, without what is not known."""
    known: dict[str, Any] = {
        name: value
        for name in ("id", "model", "stop_reason", "provider")
        if (value := getattr(reply, name)) is not None
    }
    if reply.usage is not None:
        known["usage"] = {name: count for name in COUNTS if (count := getattr(reply.usage, name))}
    if reply.frozen_usage:
        known["raw_usage"] = reply.raw_usage
    if reply.frozen_extra:
        known["extra"] = reply.extra
    return known


def total_usage(replies: Iterable[ReplyInfo]) -> Usage:
    usages = [reply.usage for reply in joined_replies((), replies) if reply.usage is not None]
    return Usage(**{name: sum(getattr(usage, name) for usage in usages) for name in COUNTS})


def _is_same(earlier: ReplyInfo, later: ReplyInfo) -> bool:
    """Return whether two neighbours are pieces of one reply: some programs save a reply in several lines.

    Where a server gives every reply the same id, replies differ by their input tokens, which grow.
    """
    if earlier.id is None or earlier.id != later.id or earlier.model != later.model:
        return False
    before = earlier.usage.input_tokens if earlier.usage is not None else None
    return before == (later.usage.input_tokens if later.usage is not None else None)
