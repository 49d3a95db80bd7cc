import openai

from message_history import MessageHistory
from message_history.dialects import OpenAIResponses

model, client = "gpt-5-mini", openai.OpenAI()
dialect = OpenAIResponses.for_model(model)
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.responses.create(
        model=model,
        store=False,
        include=["reasoning.encrypted_content"],
        input=history.for_send(dialect),
        tools=[{"type": "function", "name": "weather", "strict": False, "parameters": {"type": "object"}}],
    )
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
