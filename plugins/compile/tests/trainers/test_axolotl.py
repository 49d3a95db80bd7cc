"""Axolotl's tokenizing strategy on what is compiled for it.

It needs torch; its own pins are left aside:
`pip install --no-deps axolotl addict colorama`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainers.compiled import compiled

pytest.importorskip("axolotl.prompt_strategies.chat_template")

import yaml
from axolotl.prompt_strategies.chat_template import StrategyLoader
from axolotl.utils.dict import DictDefault
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", ["qwen_25", "qwen3", "llama4"])
def test_axolotl_learns_what_the_model_wrote_and_nothing_of_ours(name: str) -> None:
    out = compiled("sharegpt-axolotl", synthetic="mask")
    (entry, _) = yaml.safe_load((out / "axolotl.yaml").read_text(encoding="utf-8"))["datasets"]
    tokenizer = _tokenizer()
    strategy = StrategyLoader()(
        tokenizer,
        DictDefault({"sequence_len": 1_000_000, "chat_template": name, "train_on_inputs": False}),
        DictDefault({**entry, "chat_template": name}),
    )
    ours = 0
    for path in sorted((out / "train").iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            made = strategy.tokenize_prompt(row)
            pairs = zip(made["input_ids"], made["labels"], strict=True)
            learned = tokenizer.decode([token for token, label in pairs if label != -100])
            assert learned
            assert "No result is recorded" not in learned
            ours += "No result is recorded" in line
    assert ours, "rows with stubs were among them"


def _tokenizer() -> Any:
    """Make a tokenizer of bytes: no weights, no vocabulary of others."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: n for n, letter in enumerate(letters)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|pad|>")
