"""A real server as the judge: llama-cpp-python's, with a tiny random model and the chat templates that are given.

python -m benchmarks.llama_server TEMPLATE... [--lists 2000]

It needs `llama-cpp-python[server]`, which is built from its source in ten minutes of processor time (so `.ci/run` goes
without), `gguf` and `./plugins/measure`. The template is measured and the server probed; then broken lists are sent
with the dialect that was found. Exit code 1 where one was refused, or a text, a call or a result is not in the prompt.
"""

from __future__ import annotations

import argparse
import json
import logging
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve
from click.testing import CliRunner

from benchmarks.short_histories import SHORT
from message_history import MessageHistory, TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects import OpenAIChat
from message_history_measure.command import probe_endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS: Final = [
    {
        "type": "function",
        "function": {
            "name": "count",
            "description": "Counts.",
            "parameters": {"type": "object", "properties": {"n": {"type": "integer", "description": "How far."}}},
        },
    }
]
"""Calls have other names, so that a name in the prompt is that of a call."""
WIDTH: Final = 32
BYTES: Final = 256


def write_model(path: Path, template: str) -> None:
    """Write a model of one layer and random weights, whose tokens are bytes."""
    numpy: Any = import_module("numpy")
    gguf: Any = import_module("gguf")
    chance = numpy.random.default_rng(1)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(BYTES))]
    model = gguf.GGUFWriter(str(path), "llama")
    for add, value in (
        (model.add_context_length, 16384),
        (model.add_embedding_length, WIDTH),
        (model.add_block_count, 1),
        (model.add_feed_forward_length, WIDTH),
        (model.add_head_count, 2),
        (model.add_head_count_kv, 2),
        (model.add_rope_dimension_count, WIDTH // 2),
        (model.add_layer_norm_rms_eps, 1e-5),
        (model.add_vocab_size, len(tokens)),
        (model.add_tokenizer_model, "llama"),
        (model.add_token_list, [token.encode() for token in tokens]),
        (model.add_token_scores, [0.0] * len(tokens)),
        (model.add_token_types, [2, 3, 3] + [6] * BYTES),
        (model.add_unk_token_id, 0),
        (model.add_bos_token_id, 1),
        (model.add_eos_token_id, 2),
        (model.add_chat_template, template),
    ):
        add(value)
    for name, rows in (
        ("token_embd", len(tokens)),
        ("output", len(tokens)),
        *((f"blk.0.{name}", WIDTH) for name in LAYER),
    ):
        model.add_tensor(f"{name}.weight", (chance.standard_normal((rows, WIDTH)) / 10).astype("float32"))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        model.add_tensor(f"{name}.weight", numpy.ones(WIDTH, "float32"))
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


LAYER: Final = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def serve(model: Path, prompts: list[str]) -> str:
    """Start the server in a thread, keep each prompt that it builds, and return its address."""
    formats: Any = import_module("llama_cpp.llama_chat_format")
    settings: Any = import_module("llama_cpp.server.settings")
    uvicorn: Any = import_module("uvicorn")
    build = formats.Jinja2ChatFormatter.__call__

    def keep(*arguments: Any, **keys: Any) -> Any:
        built = build(*arguments, **keys)
        prompts.append(built.prompt)
        return built

    formats.Jinja2ChatFormatter.__call__ = keep
    of_model = settings.ModelSettings(model=str(model), n_ctx=16384, n_threads=1, verbose=False, model_alias="tiny")
    app = import_module("llama_cpp.server.app").create_app(
        server_settings=settings.ServerSettings(), model_settings=[of_model]
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.1)
    return f"http://127.0.0.1:{port}/v1"


def probed(address: str, folder: Path) -> OpenAIChat:
    """Probe the server, as a user does."""
    file = folder / "tiny.probe.toml"
    options = ["--base-url", address, "--model", "tiny", "--yes", "-o", str(file)]
    done = CliRunner().invoke(probe_endpoint, options)
    if not file.exists():
        raise RuntimeError(f"the probe failed: {done.output}")
    return OpenAIChat.from_probe(str(file))


def answer(address: str, messages: list[dict[str, Any]]) -> str:
    """Send messages; return the refusal, or an empty text."""
    body = {"model": "tiny", "messages": messages, "tools": TOOLS, "max_tokens": 1, "temperature": 0}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{address}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=300):
            return ""
    except urllib.error.HTTPError as error:
        return error.read().decode()[:200]


def wanted(history: MessageHistory) -> Iterator[str]:
    """Yield the texts, results and names of calls that a prompt must show."""
    for message in history:
        for block in message.content:
            if isinstance(block, TextBlock | ToolResultBlock) and block.mark is None:
                yield block.text
            elif isinstance(block, ToolUseBlock):
                yield block.name


def is_shown(text: str, prompt: str) -> bool:
    """Return whether a text is in a prompt, as it is or as JSON."""
    return text in prompt or json.dumps(text)[1:-1] in prompt


def judge(template: Path, count: int) -> bool:
    """Print what the server says of a template; return whether nothing was refused or lost."""
    prompts: list[str] = []
    refused: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "tiny.gguf", template.read_text(encoding="utf-8"))
        address = serve(folder / "tiny.gguf", prompts)
        # The template says what a prompt shows, and only the server whether it takes null.
        shown, taken = OpenAIChat.for_template(folder / "tiny.gguf"), probed(address, folder)
        dialect = evolve(shown, null_content=taken.null_content)
        some = SHORT[:: max(1, len(SHORT) // count)][:count]
        for history in filter(None, map(MessageHistory.from_list, some)):
            prompts.clear()
            refusal = answer(address, history.for_send(dialect))
            if refusal:
                refused[refusal] += 1
            else:
                lost.update(text for text in wanted(history) if not is_shown(text, prompts[-1]))
    print(f"{template.stem}: {len(some)} lists, {refused.total()} refused, {lost.total()} lost")
    for why, times in (*refused.most_common(3), *lost.most_common(3)):
        print(f"  {times}: {why}")
    return not refused and not lost


def main() -> int:
    """Judge each template in a process of its own, for a server ends with its process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("templates", nargs="+", type=Path)
    parser.add_argument("--lists", type=int, default=2000)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if len(given.templates) == 1:
        return 0 if judge(given.templates[0], given.lists) else 1
    command = [sys.executable, "-m", "benchmarks.llama_server", "--lists", str(given.lists)]
    return max(subprocess.run([*command, str(each)], check=False).returncode for each in given.templates)


if __name__ == "__main__":
    sys.exit(main())
