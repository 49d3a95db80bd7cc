"""ShareGPT, in the variants of LLaMA-Factory and of Axolotl."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from message_history_compile.errors import CannotCompileError
from message_history_compile.targets.base import Sample, Settings, Target, features_of
from message_history_compile.targets.forms import join_results, rewritten, system_in_user
from message_history_compile.targets.openai import chat_calls
from message_history_compile.targets.trl import receipt_as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history_compile.turns import Turn

BETWEEN_RESULTS: Final = "\n</tool_response>\n<tool_response>\n"
"""How LLaMA-Factory's own converter joins the results of parallel calls."""
_SPEAKERS: Final = {"system": "system", "user": "human", "assistant": "gpt", "tool": "tool"}

_TEXT_TURNS: Final = """\
  - name: conversations
    list:
    - name: from
      dtype: string
    - name: value
      dtype: string
"""
_AXOLOTL_SETTINGS: Final = """\
# For the configuration of Axolotl.
datasets:
{entries}"""
_AXOLOTL_ENTRY: Final = """\
  - path: {split}
    ds_type: json
    type: chat_template
    field_messages: conversations
    field_tools: tools
    message_property_mappings:
      role: from
      content: value
      reasoning_content: reasoning_content
    message_field_training: train
    roles_to_train: []
"""


def _llama_factory_row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    spoken = system_in_user(sample)
    for position, (turn, following) in enumerate(pairwise(spoken)):
        if turn.role == "tool" and following.role == "user":
            sample.omissions.append(rewritten(position, "user text after results as a part of the observation"))
    turns = [_observed(turn) for turn in join_results(spoken, BETWEEN_RESULTS)]
    for n, written in enumerate(turns):
        if written["from"] not in (("human", "observation"), ("gpt", "function_call"))[n % 2]:
            raise CannotCompileError("alternation", f"turn {n} would have the wrong role: {written['from']}")
    tools = json.dumps([tool["function"] for tool in sample.tools], ensure_ascii=False) if sample.tools else ""
    return {"conversations": turns, "system": sample.system, "tools": tools}


def _observed(turn: Turn) -> dict[str, str]:
    if turn.role != "assistant":
        return {"from": "human" if turn.role == "user" else "observation", "value": turn.text}
    value = f"<think>\n{turn.reasoning}\n</think>\n\n" if turn.reasoning else ""
    if not turn.calls:
        return {"from": "gpt", "value": value + turn.text}
    calls = [{"name": call.name, "arguments": call.input} for call in turn.calls]
    written = json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)
    if turn.text:
        # What is outside the tags is kept as text.
        written = f"{turn.text}\n<tool_call>{written}</tool_call>"
    return {"from": "function_call", "value": value + written}


def _llama_factory_files(splits: Sequence[str]) -> dict[str, str]:
    info = {
        f"message_history_{split}": {
            "file_name": split,
            "formatting": "sharegpt",
            "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
        }
        for split in splits
    }
    return {"dataset_info.json": json.dumps(info, indent=2) + "\n"}


def _axolotl_row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    system = [sample.turns[0]] if sample.system else []
    turns = [_axolotl_turn(turn) for turn in (*system, *system_in_user(sample))]
    tools = json.dumps(sample.tools, ensure_ascii=False) if sample.tools else None
    return {"conversations": turns, "tools": tools}


def _axolotl_turn(turn: Turn) -> dict[str, Any]:
    """Write a turn with the same keys as all others, so that every row is of one type."""
    return {
        "from": _SPEAKERS[turn.role],
        "value": turn.text,
        "reasoning_content": turn.reasoning or None,
        "tool_calls": chat_calls(turn) or None,
        "tool_call_id": turn.call_id or None,
        "name": turn.name or None,
        "train": turn.train,
    }


def _axolotl_files(splits: Sequence[str]) -> dict[str, str]:
    entries = "".join(_AXOLOTL_ENTRY.format(split=split) for split in splits)
    return {"axolotl.yaml": _AXOLOTL_SETTINGS.format(entries=entries)}


LLAMA_FACTORY: Final = Target(
    name="sharegpt-llama-factory",
    title="ShareGPT for LLaMA-Factory, with `dataset_info.json`",
    row=_llama_factory_row,
    receipt=receipt_as_text,
    masks=False,
    features=_TEXT_TURNS + features_of(system="string", tools="string", receipt="string"),
    beside=_llama_factory_files,
    source="hiyouga/LLaMA-Factory: src/llamafactory/data/converter.py, formatter.py (0.9.5)",
)
AXOLOTL: Final = Target(
    name="sharegpt-axolotl",
    title="ShareGPT for Axolotl, with its settings",
    row=_axolotl_row,
    receipt=receipt_as_text,
    features=features_of(conversations="list", tools="string", receipt="string"),
    beside=_axolotl_files,
    source="axolotl-ai-cloud/axolotl: src/axolotl/prompt_strategies/chat_template.py (0.19)",
)
