from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from message_history import MessageHistory
from message_history.integrations.pydantic_ai import ValidHistory, model_messages, read_messages

agent = Agent(TestModel(custom_output_text="It is sunny."), capabilities=[ValidHistory()])
history = MessageHistory()
for question in ("What's the weather in Paris?", "And in Rome?"):
    result = agent.run_sync(question, message_history=model_messages(history))
    history = read_messages(result.all_messages())
print(history[-1].text)
