"""A history as a field of a pydantic model, as a web service would keep it.

`python examples/frameworks/pydantic_model.py`
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from message_history import MessageHistory


class Conversation(BaseModel):
    """What is kept of a user."""

    user: str
    history: MessageHistory = Field(default_factory=MessageHistory)


def main() -> None:
    """Save a conversation as JSON, read it back, and read one that is broken."""
    conversation = Conversation(user="ann", history=MessageHistory().add_user("Hello."))
    again = Conversation.model_validate_json(conversation.model_dump_json())
    print(again == conversation, again.history[0].text)

    broken = '{"user": "bob", "history": [{"role": "assistant", "content": "Hello, how can I help?"}]}'
    repaired = Conversation.model_validate_json(broken)
    print([message.role for message in repaired.history], [repair.code.value for repair in repaired.history.repairs])
    print(Conversation.model_json_schema()["properties"]["history"]["type"])


if __name__ == "__main__":
    main()
