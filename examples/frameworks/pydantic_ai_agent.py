"""An agent of pydantic-ai that goes on from a history, whatever state that is in.

`python examples/frameworks/pydantic_ai_agent.py`
"""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from message_history import MessageHistory, ToolUseBlock
from message_history.integrations.pydantic_ai import ValidHistory, model_messages, read_messages


def short(history: MessageHistory) -> MessageHistory:
    """Keep the newest whole turns."""
    return history.window(max_messages=20)


def main() -> None:
    """Go on from a conversation that ended in the middle of a tool call."""
    crashed = MessageHistory().add_user("Weather in Paris?")
    crashed = crashed.add_assistant([ToolUseBlock("call_1", "weather", {"city": "Paris"})])

    agent = Agent(TestModel(custom_output_text="Shall I look again?"), capabilities=[ValidHistory(process=short)])
    result = agent.run_sync("And?", message_history=model_messages(crashed))

    history = read_messages(result.all_messages())
    for message in history:
        print(message.role, [result.text for result in message.results], message.text)


if __name__ == "__main__":
    main()
