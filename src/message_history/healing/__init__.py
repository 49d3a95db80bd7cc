"""Follow a raw list that grows, and heal requests on their way to a provider."""

from message_history.following.followed import Followed, Replaced, followed_from
from message_history.healing.conversations import Conversations, MemoryConversations
from message_history.healing.converting import ConvertedRequest, convert_request
from message_history.healing.follow import follow
from message_history.healing.healer import Healer, Healing
from message_history.healing.request import (
    API,
    HealedList,
    HealedRequest,
    Sent,
    Untouched,
    heal_list,
    heal_request,
)
from message_history.healing.routes import Route, route_of

__all__ = [
    "API",
    "Conversations",
    "ConvertedRequest",
    "Followed",
    "HealedList",
    "HealedRequest",
    "Healer",
    "Healing",
    "MemoryConversations",
    "Replaced",
    "Route",
    "Sent",
    "Untouched",
    "convert_request",
    "follow",
    "followed_from",
    "heal_list",
    "heal_request",
    "route_of",
]
