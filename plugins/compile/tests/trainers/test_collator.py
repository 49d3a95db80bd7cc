"""TRL's own trainer makes the batches, for a model too small to learn: labels are on what a model wrote alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trainers.compiled import compiled
from trainers.test_labels import NEVER, learned, templates, tokenizer

if TYPE_CHECKING:
    from pathlib import Path

torch: Any = pytest.importorskip("torch")
trl: Any = pytest.importorskip("trl")
datasets: Any = pytest.importorskip("datasets")
transformers: Any = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")
SOME = 8


def test_trls_trainer_labels_what_a_model_wrote_and_nothing_else(tmp_path: Path) -> None:
    template = templates()["qwen3"].read_text(encoding="utf-8")
    known = tokenizer()
    known.chat_template = template
    rows = datasets.load_dataset(str(compiled("trl")), split="train").select(range(SOME))
    tiny = transformers.LlamaConfig(
        vocab_size=len(known), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1
    )
    settings = trl.SFTConfig(
        output_dir=str(tmp_path), assistant_only_loss=True, max_length=None, report_to=[], use_cpu=True, bf16=False
    )
    model = transformers.LlamaForCausalLM(tiny)
    trainer = trl.SFTTrainer(model=model, args=settings, train_dataset=rows, processing_class=known)
    batch = trainer.data_collator([trainer.train_dataset[n] for n in range(SOME)])
    for row, ids, labels in zip(rows, batch["input_ids"], batch["labels"], strict=True):
        text = known.decode(ids[labels != -100])
        assert text == learned(row, template)
        assert text.strip()
        assert not [each for each in NEVER if each in text]
