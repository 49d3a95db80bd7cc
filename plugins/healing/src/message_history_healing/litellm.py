"""LiteLLM: heal requests before its proxy sends them, and a function for its SDK.

In the proxy's `config.yaml`:

    litellm_settings:
      callbacks: message_history_healing.litellm.healing

With the SDK:

    litellm.completion(**heal(model="anthropic/claude-sonnet-4-5", messages=messages))
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, final

from litellm.integrations.custom_logger import CustomLogger

from message_history_healing.healer import Healer, Healing
from message_history_healing.routes import Route

if TYPE_CHECKING:
    from message_history_healing.request import API

__all__ = ["HealingLogger", "heal", "healing"]

_ROUTES: Final[dict[str, API]] = {
    "completion": "openai_chat",
    "acompletion": "openai_chat",
    "anthropic_messages": "anthropic",
    "aanthropic_messages": "anthropic",
    "responses": "openai_responses",
    "aresponses": "openai_responses",
}
MAX_UNDER_WAY: Final = 10_000


@final
class HealingLogger(CustomLogger):
    """Heals requests before LiteLLM sends them: Chat Completions, Anthropic's messages and Responses.

    Args:
        healer: keeps what was sent of each conversation; one of its own by default.
    """

    def __init__(self, healer: Healer | None = None) -> None:
        super().__init__()
        self._healer = healer if healer is not None else Healer()
        self._under_way: OrderedDict[str, Healing[dict[str, Any]]] = OrderedDict()

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Heal a request of the proxy."""
        api = _ROUTES.get(call_type)
        if api is None:
            return data
        healed = self._healer.heal(data, Route(api))
        number = data.get("litellm_call_id")
        if isinstance(number, str):
            self._under_way[number] = healed
            while len(self._under_way) > MAX_UNDER_WAY:
                self._under_way.popitem(last=False)
        else:
            self._healer.sent(healed)
        if healed.request.is_healed:
            data.update(healed.request.body)
        return data

    async def async_log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Keep what was sent: the provider has taken it."""
        self._took(kwargs)

    def log_success_event(self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Keep what was sent: the provider has taken it."""
        self._took(kwargs)

    def _took(self, kwargs: dict[str, Any]) -> None:
        healed = self._under_way.pop(str(kwargs.get("litellm_call_id")), None)
        if healed is not None:
            self._healer.sent(healed)


_HEALER: Final = Healer()


def heal(*, healer: Healer | None = None, **request: Any) -> dict[str, Any]:
    """Heal the arguments of `litellm.completion` or `litellm.acompletion`.

    Args:
        healer: keeps what was sent of each conversation; one for the process by default.
        request: the arguments; they are never changed.

    Returns:
        The arguments, with a list of messages that is valid and begins with what was sent before.

    Complexity: linear in the messages.
    """
    chosen = healer if healer is not None else _HEALER
    healed = chosen.heal(request, Route("openai_chat"))
    chosen.sent(healed)
    return healed.request.body


healing: Final = HealingLogger()
"""For LiteLLM's `callbacks`, which names an object of a module."""
