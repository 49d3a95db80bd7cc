"""Heal the requests of many conversations on their way: what the proxy, the transports and the hooks share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from attrs import frozen

from message_history_healing.bodies import Bodies
from message_history_healing.conversations import Conversations, Found, MemoryConversations
from message_history_healing.request import HealedRequest, heal_read_request, read_request

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.dialects import Dialect
    from message_history_healing.routes import Route

BodyT = TypeVar("BodyT")


@final
@frozen(eq=False)
class Healing(Generic[BodyT]):
    """A request that was healed, and the conversation that it goes on with.

    Args:
        request: the request to send.
        group: what its conversation is kept under.
        found: the conversation.
        counts: whether tokens are only counted: then nothing is kept.
    """

    request: HealedRequest[BodyT]
    group: str
    found: Found
    counts: bool = False


@final
class Healer:
    """Heals requests, and keeps what was sent of each conversation, so that it stays as it is.

    Args:
        conversations: where that is kept; in memory by default.
        policy: decides where there is a choice.
    """

    def __init__(self, conversations: Conversations | None = None, policy: Policy | None = None) -> None:
        self.conversations = conversations if conversations is not None else MemoryConversations()
        self._policy = policy
        self._bodies = Bodies()

    def heal(
        self,
        body: BodyT,
        route: Route,
        *,
        group: str = "",
        provider: str | None = None,
        dialect: Dialect[Any] | None = None,
    ) -> Healing[BodyT]:
        """Heal one request.

        Args:
            body: the body, as a dict or as bytes; it is never changed.
            route: which API it is for.
            group: what keeps conversations apart that must not be mixed, as the name of the upstream.
            provider: who serves it, as for `heal_request`.
            dialect: what is known of the server, as `OpenAIChat.from_probe` reads it, for requests of that API.

        Returns:
            The request to send. Give it to `sent` once the provider has taken it.

        Raises:
            InvariantError: see `heal_request`.

        Complexity: linear in the body.
        """
        group = f"{group}\n{route.api}"
        read = read_request(body, route.api, self._bodies, group)
        found = self.conversations.find(group, read.digests) if read.digests else Found()
        request = heal_read_request(
            read,
            model=route.model,
            provider=provider,
            dialect=dialect if dialect is not None and dialect.name == route.api else None,
            sent=found.sent,
            policy=self._policy,
        )
        if read.placed is not None:
            self._bodies.keep(read.placed)
        return Healing(request, group, found, route.counts)

    def sent(self, healing: Healing[BodyT]) -> None:
        """Keep what was sent of a conversation: the provider has taken the request.

        Args:
            healing: what `heal` gave.

        Complexity: linear in the entries of the request.
        """
        sent = healing.request.sent
        if sent is None or healing.counts:
            return
        body = healing.request.body
        size = len(body) if isinstance(body, bytes | bytearray) else _GUESS * len(sent.entries)
        self.conversations.keep(healing.group, sent, healing.found, size)


_GUESS = 1_000
"""How many bytes an entry holds, about, where nobody has counted them."""
