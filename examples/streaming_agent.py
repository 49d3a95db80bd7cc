"""A streamed loop that its user may cancel at any time: what was said stays, half a call does not.

Run it with a key in `ANTHROPIC_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/streaming_agent.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic

from message_history import MessageHistory
from message_history.dialects import Anthropic
from message_history.streaming import Accumulator

if TYPE_CHECKING:
    from collections.abc import Callable

    from anthropic.types import ToolParam

MODEL = "claude-opus-4-6"
TOOLS: list[ToolParam] = [
    {
        "name": "weather",
        "description": "Tell the weather in a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]


def answer(client: anthropic.Anthropic, history: MessageHistory, cancelled: Callable[[], bool]) -> MessageHistory:
    """Stream one reply; give the history with as much of it as came before it was cancelled."""
    dialect = Anthropic.for_model(MODEL)
    reply = Accumulator(dialect, history)
    with client.messages.create(
        model=MODEL, max_tokens=4096, tools=TOOLS, messages=history.for_send(dialect), stream=True
    ) as stream:
        for event in stream:
            reply.feed(event)
            if cancelled():
                break
    return reply.history_so_far


def agent(client: anthropic.Anthropic, history: MessageHistory, cancelled: Callable[[], bool]) -> MessageHistory:
    """Let the model call tools until it has its answer, or until the user has had enough."""
    while True:
        history = answer(client, history, cancelled)
        if not history.awaiting or cancelled():
            return history.as_sent(reason="cancelled")
        for call in history.awaiting:
            history = history.add_tool_result(call, f"It is sunny in {call.input['city']}.")


if __name__ == "__main__":
    asked = MessageHistory().add_user("What's the weather in Paris and Rome?")
    print(agent(anthropic.Anthropic(), asked, lambda: False)[-1].text)
