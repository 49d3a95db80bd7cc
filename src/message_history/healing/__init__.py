"""Follow a raw list that grows, and heal requests on their way to a provider."""

from message_history.healing.following import Followed, Replaced, follow, followed_from
from message_history.healing.request import API, HealedRequest, Sent, Untouched, heal_request

__all__ = [
    "API",
    "Followed",
    "HealedRequest",
    "Replaced",
    "Sent",
    "Untouched",
    "follow",
    "followed_from",
    "heal_request",
]
