"""A session of the OpenAI Agents SDK whose limit never parts a call from its output.

`python examples/frameworks/openai_agents_session.py`
"""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from message_history.integrations.openai_agents import HistorySession


@function_tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


async def main() -> None:
    """Hold a conversation of two runs; in place of the scripted model stands your own."""
    set_tracing_disabled(True)
    model = ScriptedModel(
        [
            [function_call("weather", {"city": "Paris"}, call_id="call_1", item_id="fc_1")],
            [assistant_message("It is sunny in Paris.", item_id="msg_1")],
            [assistant_message("You are welcome.", item_id="msg_2")],
        ]
    )
    agent = Agent(name="assistant", model=model, tools=[weather])
    session = HistorySession("ann")
    await Runner.run(agent, "Weather in Paris?", session=session)
    result = await Runner.run(agent, "Thank you.", session=session)

    print(result.final_output)
    print([message.role for message in session.history])
    print([len(await session.get_items(limit)) for limit in range(7)])


if __name__ == "__main__":
    asyncio.run(main())
