"""LLaMA-Factory's converters and templates, on what is compiled for them.

It needs torch; its own pins are left aside:
`pip install --no-deps llamafactory peft`, and `accelerate` and `omegaconf`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trainers.compiled import compiled

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore")


class ByteTokenizer:
    """Gives a number to each byte, for templates that need a tokenizer."""

    bos_token, eos_token, bos_token_id, eos_token_id = "<s>", "</s>", 256, 257

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        del add_special_tokens
        return list(text.encode())

    def convert_tokens_to_ids(self, token: str) -> int:
        return 258 + len(token)


def llama_factory_rows(out: Path) -> list[Any]:
    converter = pytest.importorskip("llamafactory.data.converter")
    parser = pytest.importorskip("llamafactory.data.parser")
    hparams = pytest.importorskip("llamafactory.hparams")
    attributes = parser.get_dataset_list(["message_history_train"], str(out))[0]
    convert = converter.get_dataset_converter(attributes.formatting, attributes, hparams.DataArguments())
    rows = [
        json.loads(line)
        for path in sorted((out / attributes.dataset_name).iterdir())
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [convert(row) for row in rows]


def test_llama_factory_skips_no_row() -> None:
    rows = llama_factory_rows(compiled("sharegpt-llama-factory"))
    assert rows
    assert all(row["_prompt"] and row["_response"] for row in rows)


@pytest.mark.parametrize("name", ["qwen", "llama3", "deepseek3", "phi4", "qwen3", "default"])
def test_llama_factorys_templates_encode_every_row(name: str) -> None:
    rows = llama_factory_rows(compiled("sharegpt-llama-factory"))
    template = pytest.importorskip("llamafactory.data.template").TEMPLATES[name]
    for row in rows:
        messages = row["_prompt"] + row["_response"]
        assert template.encode_multiturn(ByteTokenizer(), messages, row["_system"], row["_tools"])


@pytest.mark.parametrize("name", ["mistral", "gemma", "glm4"])
def test_llama_factorys_stricter_templates_encode_every_row_without_text_beside_single_calls(name: str) -> None:
    rows = llama_factory_rows(compiled("sharegpt-llama-factory", text_with_calls=False, single_calls=True))
    template = pytest.importorskip("llamafactory.data.template").TEMPLATES[name]
    for row in rows:
        if not any("<think>" in message["content"] for message in row["_prompt"]):
            messages = row["_prompt"] + row["_response"]
            assert template.encode_multiturn(ByteTokenizer(), messages, row["_system"], row["_tools"])
