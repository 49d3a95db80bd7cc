import boto3

from message_history import MessageHistory
from message_history.dialects import Bedrock

model, client = "us.anthropic.claude-opus-4-6-v1", boto3.client("bedrock-runtime")
dialect = Bedrock.for_model(model)
history = MessageHistory().add_user("What's the weather in Paris and Rome?")
while history[-1].role == "user":
    reply = client.converse(
        modelId=model,
        messages=history.for_send(dialect),
        toolConfig={"tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": {"type": "object"}}}}]},
    )
    history = history.add_response(reply)
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
print(history[-1].text)
