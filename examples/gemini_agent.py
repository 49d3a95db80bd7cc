"""A whole agent loop with Google's SDK for Gemini: calls go back with their thought signatures.

Run it with a key in `GEMINI_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/gemini_agent.py`.
"""

from __future__ import annotations

from google import genai
from google.genai import types

from message_history import MessageHistory, ToolUseBlock
from message_history.dialects import Gemini

MODEL = "gemini-3-pro-preview"
WEATHER = types.FunctionDeclaration(
    name="weather",
    description="Tell the weather in a city.",
    parameters_json_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


def run(call: ToolUseBlock) -> str:
    """Run a tool."""
    return f"It is sunny in {call.input['city']}."


def agent(client: genai.Client, history: MessageHistory) -> MessageHistory:
    """Let the model call tools until it has its answer."""
    dialect = Gemini.for_model(MODEL)
    tools: types.ToolListUnion = [types.Tool(function_declarations=[WEATHER])]
    while True:
        sent = history.as_sent(dialect)
        # Gemini takes the system prompt beside the contents.
        config = types.GenerateContentConfig(tools=tools, system_instruction=sent.export(dialect).system)
        reply = client.models.generate_content(model=MODEL, contents=sent.for_send(dialect), config=config)
        history = history.add_response(reply, sent=sent)
        if not history.awaiting:
            return history
        for call in history.awaiting:
            history = history.add_tool_result(call, run(call))


if __name__ == "__main__":
    print(agent(genai.Client(), MessageHistory().add_user("What's the weather in Paris and Rome?"))[-1].text)
