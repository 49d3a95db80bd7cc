"""Heal requests on their way to a provider."""

from message_history_healing.conversations import Conversations, MemoryConversations
from message_history_healing.converting import ConvertedRequest, convert_request
from message_history_healing.healer import Healer, Healing
from message_history_healing.request import (
    API,
    HealedList,
    HealedRequest,
    Sent,
    Untouched,
    heal_list,
    heal_request,
)
from message_history_healing.routes import Route, route_of

__all__ = [
    "API",
    "Conversations",
    "ConvertedRequest",
    "HealedList",
    "HealedRequest",
    "Healer",
    "Healing",
    "MemoryConversations",
    "Route",
    "Sent",
    "Untouched",
    "convert_request",
    "heal_list",
    "heal_request",
    "route_of",
]
