import anthropic

from message_history import MessageHistory
from message_history.dialects import Anthropic

model, client = "claude-opus-4-6", anthropic.Anthropic()
dialect = Anthropic.for_model(model)
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.messages.create(
        model=model,
        max_tokens=1024,
        messages=history.for_send(dialect),
        tools=[{"name": "weather", "input_schema": {"type": "object"}}],
    )
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
