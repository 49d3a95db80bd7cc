"""Begin to follow a raw list that an agent grows and sends whole each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.following.followed import follow_new
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.policy import Policy
    from message_history.dialects import Dialect
    from message_history.following.followed import Followed


def follow(
    raw: Iterable[Any],
    *,
    dialect: Dialect[Any] | None = None,
    policy: Policy | None = None,
) -> Followed[MessageHistory]:
    """Begin to follow a raw list that an agent grows and sends whole each time.

    Args:
        raw: the list as it is now, in the form of any provider; it is never changed.
        dialect: its dialect, in which it is sent as well; None to find it by shape.
        policy: decides where there is a choice.

    Returns:
        What to send. Its `follow` takes the list the next time.

    Raises:
        InvariantError: when the policy says to raise and more than lossless repairs are needed.
        TypeError: when `raw` is not a list of entries.

    Complexity: linear in the list.
    """
    return follow_new(MessageHistory(policy=policy), raw, dialect)
