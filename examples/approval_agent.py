"""An agent whose dangerous tool waits for a person, with any number of workers, while the user goes on writing.

A worker claims a call before it pays, and has the turn while the model answers. So a process may be killed anywhere,
and two may be at it at once: each payment is made once. The model here is a function, so that the example runs without
a key; put your provider's call in its place. A `SqlSession` fits where the `JsonlSession` is.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from message_history import CallRecord, CallState, CallStateError, Message, MessageHistory, ToolUseBlock
from message_history.storage import JsonlSession, SessionConflictError, SessionLockedError, SqlSession

Model: TypeAlias = Callable[[MessageHistory], str | ToolUseBlock]


class Payments:
    """A tool that takes effect in the world, writes a line to a file, and can be asked what it did for a key.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def pay(self, key: str, amount: object) -> str:
        """Pay for a key."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{key} {amount}\n")
        return f"paid {amount}"

    def made(self, key: str) -> str | None:
        """Return what was paid for a key; None if nothing was."""
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        found = next((line for line in lines if line.startswith(f"{key} ")), None)
        return f"paid {found.split()[1]}" if found is not None else None


class Agent:
    """One worker of one conversation.

    Args:
        session: where the conversation is saved; each worker opens its own.
        payments: the dangerous tool.
        model: writes the next message.
        worker: its name, which no other worker has.
        lasts: later than this, neither the tool nor the model can still be at work.
    """

    def __init__(
        self,
        session: JsonlSession | SqlSession,
        payments: Payments,
        model: Model,
        worker: str = "",
        lasts: timedelta = timedelta(minutes=1),
    ) -> None:
        self.session = session
        self.payments = payments
        self.model = model
        self.worker = worker or f"{socket.gethostname()} {os.getpid()}"
        self.lasts = lasts

    @property
    def history(self) -> MessageHistory:
        """Return what is saved."""
        return self.session.load()

    def user_says(self, text: str, id: str = "") -> str:
        """Let the model answer what the user writes; the same id again gives the same answer."""
        id = id or uuid4().hex
        with self.session.turn(self.worker, until=self.lasts) as turn:
            answer = turn.answer(id)
            if answer is None:
                answer = self.answer(turn.add_user(text, id=id))
        return answer.text

    def decide(self, call_id: str, *, approved: bool, reason: str = "", by: str = "") -> None:
        """Record what the person decided; any process may do that, at any time."""
        state = CallState.APPROVED if approved else CallState.DENIED
        self.session.update(lambda history: history.record_call(call_id, state, reason=reason, by=by))

    def go_on(self) -> None:
        """Run what is approved, find out about what was started, and tell the model what came of it."""
        for record in self.history.calls.unsettled():
            if record.state is not CallState.WAITING:
                self.run(record)
        with self.session.turn(self.worker, until=self.lasts) as turn:
            if is_to_answer(turn.history):
                self.answer(turn.history)

    def run(self, record: CallRecord, asked: CallRecord | None = None) -> None:
        """Pay, as the only worker; what may have been paid already is looked up first."""
        try:
            record = self.session.claim(key=record.key, worker=self.worker, until=self.lasts, asked=asked)
        except CallStateError as refused:
            if refused.state is not CallState.UNKNOWN or refused.record is None or asked is not None:
                return  # Another worker is at it, or was.
            made = self.payments.made(record.key)
            if made is None:
                self.run(record, asked=refused.record)
                return
        else:
            # First on disk, then in the world; and what the person edited, not what the model proposed.
            made = self.payments.pay(record.key, record.input["amount"])
        self.session.update(lambda history: history.add_tool_result(record.call, made))

    def answer(self, history: MessageHistory) -> Message:
        """Store what the model says together with what it answers; its calls wait for a person."""
        sent = history.as_sent()
        history = sent.add_assistant(self.model(sent))
        for call in history.awaiting:
            history = history.record_call(call, CallState.WAITING)
        self.session.append(history)
        return history[len(sent)]


def is_to_answer(history: MessageHistory) -> bool:
    """Return whether the model is to write next: not while a call waits to which nobody has said more."""
    if not history or history[-1].role == "assistant":
        return False
    states = {record.state for record in history.calls.where(turn=len(history) - 2)}
    return len(history[-1].content) > len(history[-1].results) or not states & set(OPEN)


OPEN = (CallState.WAITING, CallState.APPROVED, CallState.STARTED)


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
    try:
        if command.startswith("say "):
            agent.user_says(command.removeprefix("say "))
        elif command in ("approve", "deny"):
            agent.decide("call_1", approved=command == "approve", by="the person at the keyboard")
        agent.go_on()
    except (SessionConflictError, SessionLockedError) as busy:
        print(f"Nothing is lost; go on later: {busy}")
    print("\n".join(f"{message.role}: {message.text or message.content}" for message in agent.history))


if __name__ == "__main__":
    main(Path(sys.argv[1]), " ".join(sys.argv[2:]))
