import os

from mistralai.client import Mistral as Client
from mistralai.client.models import Function, Tool

from message_history import MessageHistory
from message_history.dialects import Mistral

model = "mistral-large-latest"
client = Client(api_key=os.environ["MISTRAL_API_KEY"], server_url=os.environ.get("MISTRAL_SERVER_URL"))
dialect = Mistral.for_model(model)
weather = Tool(function=Function(name="weather", parameters={"type": "object"}))
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.chat.complete(model=model, tools=[weather], messages=history.for_send(dialect))
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
