"""A whole agent loop with Converse of Amazon Bedrock, through boto3.

Run it where boto3 finds its credentials, or without any against the strict local server:
`python -m message_history_testing --script message_history_testing:weather python examples/bedrock_agent.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3

from message_history import MessageHistory
from message_history.dialects import Bedrock

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_bedrock_runtime.type_defs import ToolConfigurationTypeDef

    from message_history import ToolUseBlock

MODEL = "us.anthropic.claude-opus-4-6-v1"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS: ToolConfigurationTypeDef = {
    "tools": [
        {
            "toolSpec": {
                "name": "weather",
                "description": "Tell the weather in a city.",
                "inputSchema": {"json": SCHEMA},
            }
        }
    ]
}


def run(call: ToolUseBlock) -> str:
    """Run a tool."""
    return f"It is sunny in {call.input['city']}."


def agent(client: BedrockRuntimeClient, history: MessageHistory) -> MessageHistory:
    """Let the model call tools until it has its answer."""
    dialect = Bedrock.for_model(MODEL)
    while True:
        sent = history.as_sent(dialect)
        reply = client.converse(modelId=MODEL, toolConfig=TOOLS, messages=sent.for_send(dialect))
        history = history.add_response(reply, sent=sent)
        if not history.awaiting:
            return history
        for call in history.awaiting:
            history = history.add_tool_result(call, run(call))


if __name__ == "__main__":
    runtime = boto3.client("bedrock-runtime")
    print(agent(runtime, MessageHistory().add_user("What's the weather in Paris and Rome?"))[-1].text)
