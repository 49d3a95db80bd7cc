from typing import Any

from message_history import MessageHistory
from message_history.dialects import GeminiInteractions


def create(steps: list[Any]) -> dict[str, Any]:
    """Stand for `client.interactions.create(model=..., store=False, tools=..., input=steps)`."""
    if any(step["type"] == "function_result" for step in steps):
        return {
            "status": "completed",
            "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Sunny."}]}],
        }
    call: dict[str, Any] = {
        "type": "function_call",
        "id": "c1",
        "name": "weather",
        "arguments": {},
        "signature": "c2lnbmVk",
    }
    return {"status": "requires_action", "steps": [call]}


dialect = GeminiInteractions()
history = MessageHistory().add_user("What's the weather in Paris?")
while history[-1].role == "user":
    history = history.add_response(create(history.for_send(dialect)))
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
