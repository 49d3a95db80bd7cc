"""Write the tables of alternatives.md from what `python -m benchmarks` judged of each library.

python docs/list_alternatives.py           writes the page
python docs/list_alternatives.py --check   only tells whether it is current: exit code 1 if not
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from generated import write_or_check

PAGE: Final = Path(__file__).with_name("alternatives.md")
JUDGED: Final = Path(__file__).parents[1] / "benchmarks" / "results" / "validity.json"
CALLS: Final = {
    "message-history": "`MessageHistory.from_list(raw).for_send()`",
    "turnsafe": "`repair` before each request",
    "tool-call-repair": "`repair` with `strategy='synthesize'`",
    "pydantic-ai": "`repair_messages`, and the mapping of its `AnthropicModel`",
    "litellm": "`anthropic_messages_pt` with `modify_params`",
    "openai-agents": "what its runner does to a resumed list",
    "langchain-core": "`merge_message_runs` and `convert_to_openai_messages`",
    "list": "nothing: a plain list of dicts",
}
HEAD: Final = """\
# Why not what I have?

<!-- Made by docs/list_alternatives.py from benchmarks/results/validity.json; do not edit by hand. -->

You may not need this library. It is not a framework: it calls no model and runs no tool, and holds the conversation of
an agent that you write yourself, or that [a framework](integrations.md) runs. See what yours does with the 18
[broken histories](broken_histories.md) of the field, and in 500 simulated runs of an agent, in which the user steers
while tools run, and some results come late or never. A judge that uses nothing of this library looks at each list that
would be sent, by the rules of the API that it is for.

| library | what was called | whole, of 18 | valid, of 18 | results lost |
|---|---|---:|---:|---:|
"""
RUNS: Final = """
*Whole* is valid, with every text of the user and every result of a known call in it. In the runs:

| library | requests that are valid | the past was rewritten | results lost | texts lost |
|---|---:|---:|---:|---:|
"""
FOOT: Final = """
A rewritten past costs the provider's cache, and may invalidate signed thinking. Which of the 18 each library makes
whole is in [all figures](performance-figures.md#valid-whole-and-stable), and so are the versions.

## When theirs is enough

- **A plain list** is enough where no tool is called, or where every call is answered before anything else is appended,
  also when a tool fails or the process ends.
- **pydantic-ai** is enough for an agent of pydantic-ai that runs to its end: calls without results, orphans and split
  results are repaired. Results that come late, duplicates, and results before their call are not.
  [Both work together](integrations/pydantic_ai.md).
- **LiteLLM** with `modify_params` is enough where calls were left without results and nothing is kept between requests.
  A [hook](proxy.md) heals the rest.
- **OpenAI Agents** is enough where a call without an output may be dropped, and the Responses API is all that you use.
  [Both work together](integrations/openai_agents.md).
- **turnsafe** makes nearly all of the 18 valid for today's Messages API. It repairs before each request, and keeps no
  value between them.
- **tool-call-repair** is enough for calls without results and results without calls.
- **LangChain** trims and joins; it leaves it to you that every call has a result.
  [What works together](integrations/langgraph.md).

Not measured: LangChain's middleware, the AI SDK, which is TypeScript (see [without Python](how-to/without-python.md)),
and harness-convert.
"""


def page() -> str:
    """Write the page.

    Returns:
        Markdown.
    """
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))["contenders"]
    rows, runs = [], []
    for name, call in CALLS.items():
        broken, run = judged[name]["broken"], judged[name]["runs"]
        rows.append(f"| {name} | {call} | {broken['whole']} | {broken['valid']} | {broken['lost_results']} |\n")
        counts = f"{run['rewritten']:,} | {run['lost_results']:,} | {run['lost_texts']:,}"
        runs.append(f"| {name} | {run['valid']:,} of {run['sends']:,} | {counts} |\n")
    return "".join((HEAD, *rows, RUNS, *runs, FOOT))


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), "list_alternatives.py", sys.argv[1:]))
