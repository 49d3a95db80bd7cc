"""A whole agent loop with OpenAI's Chat Completions; the same for the many servers that speak them.

Run it with a key in `OPENAI_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/openai_chat_agent.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import openai

from message_history import MessageHistory
from message_history.dialects import OpenAIChat

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionToolParam

    from message_history import ToolUseBlock

MODEL = "gpt-5-mini"
TOOLS: list[ChatCompletionToolParam] = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Tell the weather in a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]


def run(call: ToolUseBlock) -> str:
    """Run a tool."""
    return f"It is sunny in {call.input['city']}."


def agent(client: openai.OpenAI, history: MessageHistory) -> MessageHistory:
    """Let the model call tools until it has its answer."""
    dialect = OpenAIChat.for_model(MODEL)
    while True:
        sent = history.as_sent(dialect)
        reply = client.chat.completions.create(model=MODEL, tools=TOOLS, messages=sent.for_send(dialect))
        history = history.add_response(reply, sent=sent)
        if not history.awaiting:
            return history
        for call in history.awaiting:
            history = history.add_tool_result(call, run(call))


if __name__ == "__main__":
    question = MessageHistory().with_system("Be brief.").add_user("What's the weather in Paris and Rome?")
    print(agent(openai.OpenAI(), question)[-1].text)
