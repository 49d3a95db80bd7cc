"""An agent whose dangerous tool waits for a person, over a session file, while the user goes on writing.

Each step saves before it acts: a process that is killed anywhere is continued by the next one, and no payment is made
twice. The model here is a function, so that the example runs without a key; put your provider's call in its place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from message_history import CallRecord, CallState, MessageHistory, ToolUseBlock
from message_history.storage.sessions.jsonl import JsonlSession

Model: TypeAlias = Callable[[MessageHistory], str | ToolUseBlock]


class Payments:
    """A tool that takes effect in the world: it writes a line to a file.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def pay(self, key: str, amount: object) -> str:
        """Pay once for a key."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{key} {amount}\n")
        return f"paid {amount}"

    def made(self, key: str) -> str | None:
        """Return what was paid for a key; None if nothing was."""
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        found = next((line for line in lines if line.startswith(f"{key} ")), None)
        return f"paid {found.split()[1]}" if found is not None else None


class Agent:
    """One conversation in a file.

    Args:
        session: where the history is saved.
        payments: the dangerous tool.
        model: writes the next message.
    """

    def __init__(self, session: JsonlSession, payments: Payments, model: Model) -> None:
        self.session = session
        self.payments = payments
        self.model = model
        self.history = session.load()

    def user_says(self, text: str) -> None:
        """Add what the user writes, and let the model answer."""
        self.save(self.history.add_user(text))
        self.go_on()

    def decide(self, call_id: str, *, approved: bool, reason: str = "") -> None:
        """Record what the person decided; any process may do that, at any time."""
        self.save(self.history.record_call(call_id, "approved" if approved else "denied", reason=reason))

    def go_on(self) -> None:
        """Do what the state of each call asks for, then let the model answer, until it is the user's turn."""
        while True:
            for record in self.history.calls.unsettled():
                self.act(record)
            if not self.history or self.history[-1].role == "assistant":
                return
            waiting = self.history.calls.where(CallState.WAITING, turn=len(self.history) - 2)
            if waiting and len(self.history[-1].content) == len(self.history[-1].results):
                return  # A call of this turn waits for a person, and nobody has written since.
            self.save(self.history.add_assistant(self.model(self.history.as_sent())))

    def act(self, record: CallRecord) -> None:
        """Do what the state of one call asks for."""
        call, state = record.call, record.state
        if state is CallState.PROPOSED:
            self.save(self.history.record_call(call, "waiting"))
        elif state is CallState.APPROVED:
            # First on disk, then in the world.
            self.save(self.history.record_call(call, "started"))
            self.save(self.history.add_tool_result(call, self.payments.pay(record.key, call.input["amount"])))
        elif state in (CallState.STARTED, CallState.UNKNOWN):
            made = self.payments.made(record.key)
            if made is not None:
                self.save(self.history.add_tool_result(call, made))
            else:
                # What was started was approved; of what is unknown, nobody knows that.
                self.save(self.history.record_call(call, "approved" if state is CallState.STARTED else "waiting"))

    def save(self, history: MessageHistory) -> None:
        """Save first, then go on with it."""
        self.session.append(history)
        self.history = history


def scripted(history: MessageHistory) -> str | ToolUseBlock:
    """Write the next message as a model might: propose one payment, then talk."""
    if not history.calls:
        return ToolUseBlock("call_1", "pay", {"amount": 5})
    return f"The payment is {history.calls[0].state}."


def main(folder: Path, command: str) -> None:
    """Run one command in a process of its own.

    Args:
        folder: where the session and the payments are.
        command: `say TEXT`, `approve`, `deny` or `go on`.
    """
    agent = Agent(JsonlSession(folder / "session.jsonl"), Payments(folder / "payments.txt"), scripted)
    if command.startswith("say "):
        agent.user_says(command.removeprefix("say "))
    elif command in ("approve", "deny"):
        agent.decide("call_1", approved=command == "approve")
    agent.go_on()
    print("\n".join(f"{message.role}: {message.text or message.content}" for message in agent.history))


if __name__ == "__main__":
    main(Path(sys.argv[1]), " ".join(sys.argv[2:]))
