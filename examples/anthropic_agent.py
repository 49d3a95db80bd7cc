"""A whole agent loop with the SDK of Anthropic: thinking, parallel tools, and as many rounds as it takes.

Run it with a key in `ANTHROPIC_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/anthropic_agent.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic

from message_history import MessageHistory
from message_history.dialects import Anthropic

if TYPE_CHECKING:
    from anthropic.types import ToolParam

    from message_history import ToolUseBlock

MODEL = "claude-opus-4-6"
TOOLS: list[ToolParam] = [
    {
        "name": "weather",
        "description": "Tell the weather in a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]


def run(call: ToolUseBlock) -> str:
    """Run a tool."""
    return f"It is sunny in {call.input['city']}."


def agent(client: anthropic.Anthropic, history: MessageHistory) -> MessageHistory:
    """Let the model call tools until it has its answer."""
    dialect = Anthropic.for_model(MODEL)
    while True:
        sent = history.as_sent(dialect)
        reply = client.messages.create(
            model=MODEL,
            max_tokens=4096,
            thinking={"type": "adaptive"},
            tools=TOOLS,
            messages=sent.for_send(dialect),
        )
        history = history.add_response(reply, sent=sent)
        if not history.awaiting:
            return history
        for call in history.awaiting:
            history = history.add_tool_result(call, run(call))


if __name__ == "__main__":
    answered = agent(anthropic.Anthropic(), MessageHistory().add_user("What's the weather in Paris and Rome?"))
    print(answered[-1].text)
