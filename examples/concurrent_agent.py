"""A loop without a lock: ten tools run at once, and the user speaks whenever he likes.

What is added while a request is under way is heard behind its reply; a result that comes after its turn was sent is
quoted. Every request begins with all of the request before it, so prompt caches hit and signatures hold.

Run it with a key in `ANTHROPIC_API_KEY`, or without one against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/concurrent_agent.py`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anthropic

from message_history import CallState, MessageHistory
from message_history.dialects import Anthropic

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anthropic.types import ToolParam

    from message_history import ToolUseBlock

MODEL = "claude-opus-4-6"
DIALECT = Anthropic.for_model(MODEL)
TOOLS: list[ToolParam] = [
    {
        "name": "weather",
        "description": "Tell the weather in a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]


class Agent:
    """One conversation; whoever has something to say adds it.

    Args:
        client: the SDK's client.
        history: how it begins.
    """

    def __init__(self, client: anthropic.AsyncAnthropic, history: MessageHistory) -> None:
        self.client = client
        self.history = history
        self.tasks: set[asyncio.Task[None]] = set()
        self.news = False

    async def ask(self) -> None:
        """Send what there is, and start the tools that the reply calls."""
        self.news = False
        sent = self.history.as_sent(DIALECT)
        reply = await self.client.messages.create(
            model=MODEL, max_tokens=4096, tools=TOOLS, messages=sent.for_send(DIALECT)
        )
        self.history = self.history.add_response(reply, sent=sent)
        self.start()

    def start(self) -> None:
        """Start the calls that were not started; the history says which, also when a reply was empty."""
        for record in self.history.calls.where(CallState.PROPOSED, CallState.UNKNOWN):
            self.history = self.history.record_call(record.call, CallState.STARTED)
            self.tasks.add(asyncio.create_task(self.run(record.call)))

    async def run(self, call: ToolUseBlock) -> None:
        """Run one tool; some cities take longer."""
        city = str(call.input["city"])
        await asyncio.sleep(len(city) % 4 / 100)
        self.history = self.history.add_tool_result(call, f"It is sunny in {city}.")
        self.news = True

    async def listen(self, words: AsyncIterator[str]) -> None:
        """Hear what the user says in between."""
        async for text in words:
            self.history = self.history.add_user(text)
            self.news = True

    async def main(self, words: AsyncIterator[str]) -> MessageHistory:
        """Ask whenever there is news, until nothing is left to run or to hear."""
        self.tasks.add(asyncio.create_task(self.listen(words)))
        self.news = True
        while self.news or self.tasks:
            if self.news:
                await self.ask()
            else:
                done, self.tasks = await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        return self.history


async def steering() -> AsyncIterator[str]:
    """Say what the user says."""
    for text in ("And in Oslo?", "Be quick."):
        await asyncio.sleep(0.01)
        yield text


async def conversation() -> None:
    """Have one conversation."""
    async with anthropic.AsyncAnthropic() as client:
        agent = Agent(client, MessageHistory().add_user("What's the weather in Paris and Rome?"))
        print((await agent.main(steering()))[-1].text)


if __name__ == "__main__":
    asyncio.run(conversation())
