from google import genai
from google.genai import types

from message_history import MessageHistory
from message_history.dialects import Gemini

model, client = "gemini-3-pro-preview", genai.Client()
dialect = Gemini.for_model(model)
weather = types.Tool(function_declarations=[types.FunctionDeclaration(name="weather")])
config = types.GenerateContentConfig(tools=[weather])
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.models.generate_content(model=model, contents=history.for_send(dialect), config=config)
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
