from __future__ import annotations

import json

from tests.formats.story import ANSWER, CHAT, LOOKING, QUESTION, RESULT, TALK, TEXT_ARGUMENTS, Sample, lines, value

ASKED = CHAT[:1]
GLAIVE_CALL = f"""<functioncall> {{"name": "read_file", "arguments": '{TEXT_ARGUMENTS}'}} <|endoftext|>"""
GLAIVE_CHAT = (
    f"USER: {QUESTION}\n\n\nASSISTANT: {LOOKING} {GLAIVE_CALL}\n\n\nFUNCTION RESPONSE: {RESULT}\n\n\n"
    f"ASSISTANT: {ANSWER} <|endoftext|>"
)
TREE = {
    "message_tree_id": "t",
    "prompt": {
        "text": QUESTION,
        "role": "prompter",
        "replies": [
            {"text": "No.", "role": "assistant", "rank": 1, "replies": []},
            {"text": ANSWER, "role": "assistant", "rank": 0, "replies": []},
        ],
    },
}
ROWS = [
    {"message_id": "a", "parent_id": None, "message_tree_id": "a", "text": QUESTION, "role": "prompter"},
    {"message_id": "b", "parent_id": "a", "message_tree_id": "a", "text": "No.", "role": "assistant", "rank": 1},
    {"message_id": "c", "parent_id": "a", "message_tree_id": "a", "text": ANSWER, "role": "assistant", "rank": 0},
]
EVENT = {"run_id": "r", "event_id": 0, "sample_id": "s", "type": "sampling"}
SAMPLED = {**EVENT, "data": {"prompt": ASKED, "sampled": [ANSWER]}}
SAMPLES = (
    Sample("message-texts", lines({"messages": json.dumps(CHAT), "traj_id": "a", "patch": ""})),
    Sample("nemotron-sft", lines({"input": ASKED, "output": ANSWER, "system_prompt": ""}), TALK),
    Sample("xlam", value([{"query": QUESTION, "answers": "[]", "tools": "[]"}]), ("user",)),
    Sample("glaive", value([{"system": "", "chat": GLAIVE_CHAT}])),
    Sample("oasst", lines(TREE), TALK),
    Sample("oasst-messages", lines(*ROWS), TALK),
    Sample("bfcl", lines({"id": "simple_0", "question": [ASKED], "function": [{"name": "read_file"}]}), ("user",)),
    Sample("openai-evals", lines({"spec": {"run_id": "r"}}, SAMPLED, {**EVENT, "type": "match", "data": {}}), TALK),
    Sample(
        "lm-eval",
        lines({"doc_id": 0, "arguments": {"gen_args_0": {"arg_0": json.dumps(ASKED)}}, "resps": [[ANSWER]]}),
        TALK,
    ),
)
