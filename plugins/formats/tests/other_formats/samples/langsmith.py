from __future__ import annotations

from tests.formats.samples.langchain_dumps import DUMPD
from tests.formats.story import ANSWER, CHAT, Sample, lines

LANGSMITH = {
    "id": "r",
    "name": "model",
    "run_type": "llm",
    "inputs": {"messages": [DUMPD[:-1]]},
    "outputs": {"generations": [[{"text": ANSWER, "message": DUMPD[-1]}]]},
}
LANGSMITH_OF_OPENAI = {**LANGSMITH, "inputs": {"messages": CHAT[:-1]}, "outputs": {"choices": [{"message": CHAT[-1]}]}}
SAMPLES = (
    Sample("langsmith", lines(LANGSMITH)),
    Sample("langsmith", lines(LANGSMITH_OF_OPENAI, {"id": "c", "run_type": "chain", "inputs": {}})),
)
