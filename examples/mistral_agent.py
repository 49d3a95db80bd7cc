"""A whole agent loop with Mistral's SDK.

Run it with a key in `MISTRAL_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/mistral_agent.py`.
"""

from __future__ import annotations

import os

from mistralai.client import Mistral
from mistralai.client.models import Function, Tool

from message_history import MessageHistory, ToolUseBlock, dialects

MODEL = "mistral-large-latest"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Function(name="weather", description="Tell the weather in a city.", parameters=PARAMETERS)


def run(call: ToolUseBlock) -> str:
    """Run a tool."""
    return f"It is sunny in {call.input['city']}."


def agent(client: Mistral, history: MessageHistory) -> MessageHistory:
    """Let the model call tools until it has its answer."""
    dialect = dialects.Mistral.for_model(MODEL)
    while True:
        sent = history.as_sent(dialect)
        reply = client.chat.complete(model=MODEL, tools=[Tool(function=WEATHER)], messages=sent.for_send(dialect))
        history = history.add_response(reply, sent=sent)
        if not history.awaiting:
            return history
        for call in history.awaiting:
            history = history.add_tool_result(call, run(call))


if __name__ == "__main__":
    question = MessageHistory().with_system("Be brief.").add_user("What's the weather in Paris and Rome?")
    here = Mistral(api_key=os.environ["MISTRAL_API_KEY"], server_url=os.environ.get("MISTRAL_SERVER_URL"))
    print(agent(here, question)[-1].text)
