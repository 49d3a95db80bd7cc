import openai

from message_history import MessageHistory
from message_history.dialects import Portable

model, client = "gpt-5-mini", openai.OpenAI()
dialect = Portable()
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.chat.completions.create(
        model=model,
        messages=history.for_send(dialect),
        tools=[{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}],
    )
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
