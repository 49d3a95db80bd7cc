"""A real server as the judge: llama-cpp-python's, with a tiny random model and the chat templates that are given.

python -m benchmarks.llama_server TEMPLATE... [--lists 2000] [--litellm COMMAND]

It needs `llama-cpp-python[server]`, which is built from its source in ten minutes of processor time (so `.ci/run` goes
without), `gguf` and `./plugins/measure`. The template is measured and the server probed; then broken lists are sent
with the dialect that was found. Exit code 1 where one was refused, or a text, a call or a result is not in the prompt.
With `--litellm`, the command of LiteLLM's proxy, that is in front of the server, and it is probed and sent the lists.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
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

TOOL: Final = {
    "name": "count",
    "parameters": {"type": "object", "properties": {"n": {"type": "integer", "description": "How far."}}},
}
"""Calls have other names, so that a name in the prompt is that of a call."""
LITELLM: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
}
"""It fetches no list of prices, and asks for no key on this machine."""
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


def serve(model: Path, prompts: dict[str, str]) -> str:
    """Start the server in a thread, keep the prompt that it builds for each request, and return its address."""
    formats: Any = import_module("llama_cpp.llama_chat_format")
    settings: Any = import_module("llama_cpp.server.settings")
    uvicorn: Any = import_module("uvicorn")
    build = formats.Jinja2ChatFormatter.__call__

    def keep(*arguments: Any, **keys: Any) -> Any:
        built = build(*arguments, **keys)
        prompts[keys["tools"][0]["function"]["description"]] = built.prompt
        return built

    formats.Jinja2ChatFormatter.__call__ = keep
    # More threads wait for each other longer than so small a model takes.
    threads = {"n_threads": 1, "n_threads_batch": 1}
    of_model = settings.ModelSettings(model=str(model), n_ctx=16384, verbose=False, model_alias="tiny", **threads)
    app = import_module("llama_cpp.server.app").create_app(
        server_settings=settings.ServerSettings(), model_settings=[of_model]
    )
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.1)
    return f"http://127.0.0.1:{port}/v1"


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextlib.contextmanager
def in_front(command: str | None, address: str, folder: Path) -> Iterator[str]:
    """Start LiteLLM's proxy in front of a server, if its command is given, and yield the address to ask."""
    if command is None:
        yield address
        return
    port = free_port()
    settings = {"model": "openai/tiny", "api_base": address, "api_key": "none"}
    config = {"model_list": [{"model_name": "tiny", "litellm_params": settings}]}
    (folder / "litellm.yaml").write_text(json.dumps(config))
    words = [command, "--config", str(folder / "litellm.yaml"), "--host", "127.0.0.1", "--port", str(port)]
    # It has packages of its own.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | LITELLM
    with (folder / "litellm.log").open("w") as log:
        proxy = subprocess.Popen(words, env=variables, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(proxy, f"http://127.0.0.1:{port}/health/liveliness", folder / "litellm.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        proxy.terminate()
        proxy.wait()


def _wait_for(proxy: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2):
            return
        if proxy.poll() is not None:
            break
        time.sleep(1)
    raise RuntimeError(f"LiteLLM did not start: {log.read_text()[-2000:]}")


def probed(address: str, folder: Path) -> OpenAIChat:
    """Probe the server, as a user does."""
    file = folder / "tiny.probe.toml"
    options = ["--base-url", address, "--model", "tiny", "--yes", "-o", str(file)]
    done = CliRunner().invoke(probe_endpoint, options)
    if not file.exists():
        raise RuntimeError(f"the probe failed: {done.output}")
    return OpenAIChat.from_probe(str(file))


def answer(address: str, messages: list[dict[str, Any]], mark: str) -> str:
    """Send messages, with a mark by which their prompt is found; return the refusal, or an empty text."""
    tools = [{"type": "function", "function": {**TOOL, "description": mark}}]
    body = {"model": "tiny", "messages": messages, "tools": tools, "max_tokens": 1, "temperature": 0}
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


def judge(template: Path, count: int, litellm: str | None = None) -> bool:
    """Print what the server says of a template; return whether nothing was refused or lost."""
    prompts: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        folder = Path(name)
        write_model(folder / "tiny.gguf", template.read_text(encoding="utf-8"))
        address = running.enter_context(in_front(litellm, serve(folder / "tiny.gguf", prompts), folder))
        # The template says what a prompt shows, and only the server whether it takes null.
        shown, taken = OpenAIChat.for_template(folder / "tiny.gguf"), probed(address, folder)
        dialect = evolve(shown, null_content=taken.null_content)
        some = SHORT[:: max(1, len(SHORT) // count)][:count]
        histories = {f"List {n}.": history for n, history in enumerate(map(MessageHistory.from_list, some)) if history}

        def ask(mark: str) -> str:
            return answer(address, histories[mark].for_send(dialect), mark)

        asking = running.enter_context(ThreadPoolExecutor(4))
        refusals = dict(zip(histories, asking.map(ask, histories), strict=True))
    refused = Counter(filter(None, refusals.values()))
    lost = Counter(
        text
        for mark, history in histories.items()
        for text in wanted(history)
        if not refusals[mark] and not is_shown(text, prompts[mark])
    )
    print(f"{template.stem}: {len(histories)} lists, {refused.total()} refused, {lost.total()} lost")
    for why, times in (*refused.most_common(3), *lost.most_common(3)):
        print(f"  {times}: {why}")
    return not refused and not lost


def main() -> int:
    """Judge each template in a process of its own, for a server ends with its process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("templates", nargs="+", type=Path)
    parser.add_argument("--lists", type=int, default=2000)
    parser.add_argument("--litellm", metavar="COMMAND")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if len(given.templates) == 1:
        return 0 if judge(given.templates[0], given.lists, given.litellm) else 1
    command = [sys.executable, "-m", "benchmarks.llama_server", "--lists", str(given.lists)]
    command += ["--litellm", given.litellm] if given.litellm else []
    return max(subprocess.run([*command, str(each)], check=False).returncode for each in given.templates)


if __name__ == "__main__":
    sys.exit(main())
