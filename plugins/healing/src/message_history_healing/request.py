"""Heal one request on its way to a provider: repair its list of messages, and touch nothing that is sound."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar, final

from attrs import define, evolve, field, frozen

from message_history.core.values.json_values import short_repr
from message_history.core.values.log import Log
from message_history.dialects import dialect_class
from message_history.files.files import allow_assistant_tail
from message_history.files.request_bodies import key_for
from message_history.following.digests import EntryDigest, digest_of
from message_history.following.followed import AsItCame, Followed, common_entries
from message_history.history import MessageHistory
from message_history.plain_json import compact_json
from message_history.violations import check
from message_history_healing.verbatim import is_assistants, wire_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.violations import Violation
    from message_history_healing.bodies import Bodies, ReadBody

API: TypeAlias = Literal["anthropic", "openai_chat", "openai_responses", "gemini", "mistral", "bedrock"]
"""The APIs, by the names of their dialects."""
APIS: Final[tuple[API, ...]] = ("anthropic", "openai_chat", "openai_responses", "gemini", "mistral", "bedrock")

BodyT = TypeVar("BodyT")
EntryT = TypeVar("EntryT")


@final
@frozen(eq=False)
class Untouched:
    """A conversation that has been sound so far: all of it was sent unchanged.

    Args:
        entries: what the entries of its raw list are known by.
    """

    entries: Log[EntryDigest] = field(factory=Log, repr=lambda entries: str(len(entries)))


Sent: TypeAlias = Followed[MessageHistory] | Untouched
"""What was sent of a conversation, to go on from."""


@final
@define(eq=False)
class HealedRequest(Generic[BodyT]):
    """A request as it is to be sent.

    Args:
        body: the body; the very one that came when nothing in it needs repair.
        repairs: all that differs from the body that came; empty when it is the one that came.
        new_repairs: those that were not made for an earlier request of the conversation.
        is_healed: whether the body is another than the one that came. It may be without repairs: to join neighbours of
            one role, for a provider that refuses them, is the ordinary course of a conversation and no repair.
        violations: what the provider would have refused in the body that came.
        unhealed: what the provider would still refuse.
        sent: what to give as `sent` with the conversation's next request.
        dialect: the dialect of the list.
    """

    body: BodyT
    repairs: tuple[Repair, ...]
    new_repairs: tuple[Repair, ...]
    violations: tuple[Violation, ...]
    unhealed: tuple[Violation, ...]
    sent: Sent | None
    dialect: Dialect[Any]
    is_healed: bool
    _read: ReadRequest[BodyT] = field(repr=False)
    _history: MessageHistory | None = field(default=None, repr=False)

    @property
    def history(self) -> MessageHistory:
        """Return the conversation as it is sent; a system prompt outside the list stays in the body."""
        if self._history is None:
            if isinstance(self.sent, Followed):
                self._history = self.sent.history
            else:
                self._history = MessageHistory.from_list(
                    self._read.all_entries(), dialect=self.dialect, open_tail="keep"
                )
        return self._history


def heal_request(
    body: BodyT,
    *,
    api: API,
    model: str | None = None,
    provider: str | None = None,
    dialect: Dialect[Any] | None = None,
    sent: Sent | None = None,
    policy: Policy | None = None,
) -> HealedRequest[BodyT]:
    """Heal one request on its way to a provider.

    Args:
        body: the request's JSON object, as a dict or as bytes; it is never changed.
        api: the API that it is for.
        model: the model, for the APIs that have it in the path and not in the body.
        provider: who serves an `openai_chat` or `openai_responses` request, as for `OpenAIChat.for_model`.
        dialect: the dialect of the list; None to choose it by the API, the model and the provider.
        sent: what was sent of the conversation so far: `sent` of the request before. What was sent stays as it is.
        policy: decides where there is a choice.

    Returns:
        The request to send. A list that the provider takes comes back as it is, in the very same body; so does a body
        that holds no list of messages, or only what follows cached contents. A list that goes on from a response or a
        conversation that the provider keeps is healed alone: its results may answer calls that only the provider has,
        and there is nothing to give as `sent` with the next request.

    Raises:
        InvariantError: when the policy says to raise and more than lossless repairs are needed.
        TypeError: when the body is neither a mapping nor bytes.
        ValueError: when `api` is not a known API.

    Complexity: linear in the body.
    """
    read = read_request(body, api)
    return heal_read_request(read, model=model, provider=provider, dialect=dialect, sent=sent, policy=policy)


@final
@frozen(eq=False)
class ReadRequest(Generic[BodyT]):
    """A request's body, and its list of messages."""

    body: BodyT
    api: API
    data: Mapping[str, Any] | None  # its JSON object; None when it is not one
    entries: list[Any]  # the messages; none when the body holds no list of them that can be healed
    digests: Sequence[EntryDigest]  # what these are known by; none for a list that is only a part of a conversation
    continues: bool = False  # whether the list goes on from what the provider keeps
    placed: ReadBody | None = None  # where the list is in the body; then `entries` are read when they are wanted

    def all_entries(self) -> list[Any]:
        return self.entries if self.placed is None else self.placed.entries()


def read_request(body: BodyT, api: API, bodies: Bodies | None = None, group: str = "") -> ReadRequest[BodyT]:
    """Read the list of messages of a request, of an API that is known."""
    if api not in APIS:
        raise ValueError(f"api must be one of {', '.join(APIS)}, not {short_repr(api)}")
    placed = bodies.read(body, key_for(api), group) if bodies is not None and isinstance(body, bytes) else None
    if placed is not None and not any(placed.data.get(key) for key in (*_CACHED_THERE, *_KEPT_THERE)):
        return ReadRequest(body, api, placed.data, [], placed.digests, placed=placed)
    data = _data(body)
    entries = data.get(key_for(api)) if data is not None else None
    if data is None or not isinstance(entries, list) or any(data.get(key) for key in _CACHED_THERE):
        return ReadRequest(body, api, data, [], [])
    if any(data.get(key) for key in _KEPT_THERE):
        return ReadRequest(body, api, data, entries if api == "openai_responses" else [], [], continues=True)
    return ReadRequest(body, api, data, entries, [digest_of(entry) for entry in entries])


def heal_read_request(
    read: ReadRequest[BodyT],
    *,
    model: str | None = None,
    provider: str | None = None,
    dialect: Dialect[Any] | None = None,
    sent: Sent | None = None,
    policy: Policy | None = None,
) -> HealedRequest[BodyT]:
    """Heal a request that was read; see `heal_request`."""
    body, data, placed = read.body, read.data, read.placed
    name = model if model is not None else (data or {}).get("model")
    target = dialect if dialect is not None else dialect_for(read.api, str(name or ""), provider)
    if read.api == "openai_responses":
        target = _kept_by_request(target, data or {}, is_chosen=dialect is None, continues=read.continues)
    healed: HealedList[Any] = HealedList(messages=[], sent=None)
    if placed is not None and not isinstance(sent, Followed) and placed.is_sound_for(target):
        healed = HealedList(messages=[], sent=Untouched(placed.digests.entries))
    elif read.continues and read.entries:
        healed = evolve(heal_list(read.entries, target, policy=policy), sent=None)
    elif read.digests:
        healed = heal_list(read.all_entries(), target, sent=sent, policy=policy, digests=read.digests)
        if placed is not None and not healed.violations:
            placed.sound = target
    new: Any = body
    if healed.is_healed and placed is not None:
        new = placed.with_entries(healed.messages)
    elif healed.is_healed:
        new = {**(data or {}), key_for(read.api): healed.messages}
        new = compact_json(new) if isinstance(body, bytes | bytearray) else new
    return HealedRequest(
        body=new,
        repairs=healed.repairs,
        new_repairs=healed.new_repairs,
        violations=healed.violations,
        unhealed=healed.unhealed,
        sent=healed.sent,
        dialect=target,
        is_healed=healed.is_healed,
        read=read,
    )


def dialect_for(api: API, model: str, provider: str | None = None) -> Dialect[Any]:
    """Choose the dialect of a request. `provider` is who serves it, where others serve the API too."""
    kind: Any = dialect_class(api)
    found: Dialect[Any] = kind.for_model(model, provider) if api.startswith("openai") else kind.for_model(model)
    return found


_KEPT_THERE: Final = ("previous_response_id", "conversation")
"""Keys of requests whose list is only a part: the provider has the rest."""
_CACHED_THERE: Final = ("cachedContent", "cached_content")
"""Keys of requests whose list follows contents that are cached at the provider."""


def _kept_by_request(dialect: Dialect[Any], data: Mapping[str, Any], *, is_chosen: bool, continues: bool) -> Any:
    """Return a dialect of Responses that was chosen here with `store` as the request has it."""
    responses: Any = dialect
    if is_chosen and isinstance(data.get("store"), bool):
        # Whether the server keeps the items decides what depends on what.
        responses = evolve(responses, store=data["store"])
    return evolve(responses, continues=True) if continues and responses.continues is None else responses


def _data(body: object) -> Mapping[str, Any] | None:
    if isinstance(body, Mapping):
        return body
    if not isinstance(body, bytes | bytearray):
        raise TypeError(f"body must be a mapping or bytes, not {type(body).__name__}: {short_repr(body)}")
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


@final
@frozen(kw_only=True)
class HealedList(Generic[EntryT]):
    """A list of messages as it is to be sent.

    Args:
        messages: the list; the very one that came when nothing in it needs repair.
        is_healed: whether it is another than the one that came.
        sent: what to give as `sent` with the conversation's next list.
        repairs: all that differs from the list that came.
        new_repairs: those that were not made for an earlier list of the conversation.
        violations: what the provider would have refused in the list that came.
        unhealed: what the provider would still refuse.
    """

    messages: list[EntryT]
    is_healed: bool = False
    sent: Sent | None
    repairs: tuple[Repair, ...] = ()
    new_repairs: tuple[Repair, ...] = ()
    violations: tuple[Violation, ...] = ()
    unhealed: tuple[Violation, ...] = ()


def heal_list(
    messages: list[EntryT],
    dialect: Dialect[Any],
    *,
    sent: Sent | None = None,
    policy: Policy | None = None,
    digests: Sequence[EntryDigest] | None = None,
) -> HealedList[EntryT]:
    """Heal a list of messages on its way to a provider.

    Args:
        messages: the list; it is never changed.
        dialect: its dialect.
        sent: what was sent of the conversation so far: `sent` of the list before. What was sent stays as it is.
        policy: decides where there is a choice.
        digests: what its entries are known by, where the caller has worked that out.

    Returns:
        The list to send; the very one that came when the provider takes it and it goes on with what was sent.

    Raises:
        InvariantError: when the policy says to raise and more than lossless repairs are needed.

    Complexity: linear in the list.
    """
    violations = tuple(check(messages, dialect))
    known = digests if digests is not None else [digest_of(entry) for entry in messages]
    unchanged = HealedList(messages=messages, sent=Untouched(Log(entry.alone() for entry in known)))
    if not isinstance(sent, Followed) and not violations:
        return unchanged
    closing = _closing(messages, dialect, violations)
    followed = _followed(messages, known, closing, sent, policy)
    if not violations and followed.replaced is not None and not followed.replaced.kept:
        return unchanged
    as_it_came = followed.as_it_came
    if common_entries(as_it_came.entries, known) < len(as_it_came.entries):
        as_it_came = AsItCame(repairs=as_it_came.repairs)
    wire = wire_of(followed.history, messages, closing, as_it_came)
    if not wire.messages or wire.messages == messages:
        # Nothing is left to send, or nothing differs: the list goes out unchanged.
        return evolve(unchanged, sent=followed, violations=violations, unhealed=violations)
    unhealed = () if dialect is closing else tuple(check(wire.messages, dialect))
    repairs, begun = followed.history.repairs, len(as_it_came.entries)
    # What went as it came, and does not any more.
    late = repairs[: as_it_came.repairs] if wire.messages[:begun] != messages[:begun] else ()
    return HealedList(
        messages=wire.messages,
        is_healed=True,
        sent=followed,
        repairs=(*late, *repairs[as_it_came.repairs :], *wire.repairs),
        new_repairs=(*followed.new_repairs, *((*late, *wire.repairs) if not isinstance(sent, Followed) else ())),
        violations=violations,
        unhealed=unhealed or tuple(wire.violations),
    )


def _closing(messages: Sequence[Any], dialect: Dialect[Any], violations: Sequence[Violation]) -> Dialect[Any]:
    """Choose the dialect to close for: where the provider accepts the list's end, nothing is added."""
    if not messages or not is_assistants(messages[-1]):
        return dialect
    lenient = allow_assistant_tail(dialect)
    return lenient if len(check(messages, lenient)) == len(violations) else dialect


def _followed(
    entries: Sequence[Any],
    known: Sequence[EntryDigest],
    dialect: Dialect[Any],
    sent: Sent | None,
    policy: Policy | None,
) -> Followed[MessageHistory]:
    if isinstance(sent, Followed):
        return evolve(sent, dialect=dialect).follow(entries, digests=known)
    if sent is not None and sent.entries and common_entries(sent.entries, known) == len(sent.entries):
        # It was sent unchanged: what comes now follows it.
        start = len(sent.entries)
        before = MessageHistory.from_list(entries[:start], dialect=dialect, policy=policy).as_sent()
        blocks = len(before[-1].content) if before else 0
        as_it_came = AsItCame(sent.entries, len(before), blocks, len(before.repairs))
        start_with = Followed(before, dialect, Log(map(EntryDigest.settled, known[:start])), as_it_came=as_it_came)
        return start_with.follow(entries, digests=known)
    return MessageHistory(policy=policy).follow(entries, dialect=dialect)
