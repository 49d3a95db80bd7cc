"""What the proxy costs: requests a second, added latency, many streams, and memory over many requests.

`python -m benchmarks.proxy_load [--quick] [--kept-alive] [--requests 100000]` needs the extra `proxy`, and LiteLLM
with its proxy to compare with (`pip install 'litellm[proxy]'`); without it, its rows are missing. Everything runs on
this machine: an upstream that answers at once, each proxy in a process of its own, and a client that keeps its
connections. Its exit code is 1 where a request on a kept connection takes too many times a direct one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()
LITELLM = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY")
"""It runs on this machine alone, and looks nothing up."""
EVENT = b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "word"}}]}\n\n'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
PATH = "/v1/chat/completions"


def conversation(messages: int, number: int = 0, *, broken: bool = False) -> bytes:
    """Make a request's body with so many messages, as a coding agent has them."""
    found: list[dict[str, Any]] = [{"role": "user", "content": f"Task {number}: find the mistake."}]
    step = 0
    while len(found) < messages:
        step += 1
        function = {"name": "read", "arguments": json.dumps({"path": f"src/file_{step}.py"})}
        call = {"id": f"call_{number}_{step}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": "I will read the next file.", "tool_calls": [call]})
        output = "    return value + other  # a line of a file\n" * 12
        found.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    if broken:
        del found[2]
    return json.dumps({"model": "gpt-4o", "messages": found}).encode()


async def upstream(port: int) -> None:
    """Answer every request at once; a stream has 20 events, one each 50 ms."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (
                        int(line.split(b":")[1])
                        for line in head.lower().split(b"\r\n")
                        if line.startswith(b"content-length")
                    ),
                    0,
                )
                body = await reader.readexactly(length)
                if b'"stream": true' in body:
                    writer.write(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    )
                    for _ in range(20):
                        writer.write(b"%x\r\n%s\r\n" % (len(EVENT), EVENT))
                        await writer.drain()
                        await asyncio.sleep(0.05)
                    writer.write(b"0\r\n\r\n")
                else:
                    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    writer.write(answer % (len(ANSWER), ANSWER))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", port, backlog=4096, limit=2**26) as server:
        await server.serve_forever()


def pass_through(port: int, target: str) -> None:
    """Serve a proxy of the same framework that does nothing but forward."""
    import httpx  # noqa: PLC0415
    import uvicorn  # noqa: PLC0415
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.requests import Request  # noqa: PLC0415, TC002
    from starlette.responses import StreamingResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    client = httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None))

    async def forward(request: Request) -> StreamingResponse:
        sent = httpx.Request("POST", target + request.url.path, content=await request.body())
        response = await client.send(sent, stream=True)
        return StreamingResponse(response.aiter_raw(), response.status_code, dict(response.headers))

    app = Starlette(routes=[Route("/{path:path}", forward, methods=["POST"])])
    uvicorn.run(app, port=port, log_level="critical", access_log=False)


KEPT_ALIVE: Final = 100.0
"""How many times a direct request one through the proxy may take, on a connection that is kept."""


async def kept_alive(port: int, request: bytes) -> float:
    """Send the same small request many times on one connection; gives the median of the seconds that one took.

    An answer in two pieces waits 40 ms for the client's delayed acknowledgement where the server's socket does not send
    at once (TCP_NODELAY). That shows only here: the first answer of a connection is acknowledged at once.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
    took: list[float] = []
    for _ in range(300):
        started = time.perf_counter()
        writer.write(request)
        await answered(reader)
        took.append(time.perf_counter() - started)
    writer.close()
    return median(took)


def compare_kept_alive(found: dict[str, tuple[int, int]]) -> int:
    """Print what a request on a kept connection takes, as a ratio to a direct one; gives 1 where that is too much."""
    body = conversation(10)
    post = request_of(body, "127.0.0.1")
    rounds = [{name: asyncio.run(kept_alive(port, post)) for name, (port, _) in found.items()} for _ in range(5)]
    print("| kept connection | p50 | times a direct request |\n|---|---:|---:|")
    ratios = {}
    for name in found:
        ratios[name] = median(each[name] / each["none"] for each in rounds)
        print(f"| {name} | {median(each[name] for each in rounds) * 1000:.2f} ms | {ratios[name]:.1f} |", flush=True)
    port, _ = found["message-history"]
    health = f"GET /message-history/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    print(f"| message-history, its own `/health` | {asyncio.run(kept_alive(port, health)) * 1000:.2f} ms | |")
    if ratios["message-history"] <= KEPT_ALIVE:
        return 0
    print(f"a request through the proxy takes more than {KEPT_ALIVE:g} times a direct one", file=sys.stderr)
    return 1


async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes, host: str) -> bytes:
    """Send one request on a connection that is kept, and read the answer whole."""
    writer.write(request_of(body, host))
    await writer.drain()
    return await answered(reader)


def request_of(body: bytes, host: str) -> bytes:
    """Write a request."""
    head = f"POST {PATH} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer sk-none\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def answered(reader: asyncio.StreamReader) -> bytes:
    """Read the answer to a request whole."""
    answer = await reader.readuntil(b"\r\n\r\n")
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(answer.decode(errors="replace")[:300])
    lowered = answer.lower()
    if b"content-length:" in lowered:
        length = int(lowered.split(b"content-length:")[1].split(b"\r\n")[0])
        return await reader.readexactly(length)
    found = b""
    while True:
        size = int((await reader.readuntil(b"\r\n")).strip(), 16)
        found += (await reader.readexactly(size + 2))[:-2]
        if size == 0:
            return found


async def load(port: int, bodies: list[bytes], connections: int, seconds: float) -> tuple[float, list[float]]:
    """Send requests on some connections for some time; gives requests a second, and the seconds that each took."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
        turn = number
        while time.perf_counter() < end:
            started = time.perf_counter()
            await one(reader, writer, bodies[turn % len(bodies)], f"127.0.0.1:{port}")
            latencies.append(time.perf_counter() - started)
            turn += connections
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(connections)))
    return len(latencies) / (time.perf_counter() - started), sorted(latencies)


async def streams(port: int, count: int) -> tuple[int, float]:
    """Open many streams at once; gives how many came whole, and the seconds until all had."""
    body = json.dumps({"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}).encode()

    async def client() -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = await one(reader, writer, body, f"127.0.0.1:{port}")
        writer.close()
        return found == EVENT * 20

    started = time.perf_counter()
    whole = await asyncio.gather(*(client() for _ in range(count)), return_exceptions=True)
    return sum(each is True for each in whole), time.perf_counter() - started


def free_port() -> int:
    """Find a port that is free."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def process(command: list[str], port: int, wait: float = 60, **environment: str) -> Iterator[int]:
    """Run a server until the block ends; gives its process id."""
    running = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + wait
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            if running.poll() is not None or time.monotonic() > deadline:
                running.kill()
                raise RuntimeError(f"{command[0]} did not start") from None
            time.sleep(0.1)
    try:
        yield running.pid
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()


def resident(pid: int) -> int:
    """Read how much memory a process holds, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def proxies(target: int) -> Iterator[dict[str, tuple[int, int]]]:
    """Run every proxy; gives port and process id by name."""
    from contextlib import ExitStack  # noqa: PLC0415

    here = [sys.executable, "-m", "benchmarks.proxy_load"]
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        found: dict[str, tuple[int, int]] = {"none": (target, 0)}
        port = free_port()
        plain = [*here, "--serve", str(port), "--target", f"http://127.0.0.1:{target}"]
        found["plain"] = port, stack.enter_context(process(plain, port))
        port = free_port()
        ours = [sys.executable, "-m", "message_history", "proxy", "--port", str(port)]
        ours += ["--upstream", f"openai=http://127.0.0.1:{target}"]
        found["message-history"] = port, stack.enter_context(process(ours, port))
        litellm = shutil.which("litellm", path=str(Path(sys.executable).parent))
        if litellm is not None:
            port = free_port()
            config = Path(folder, "config.yaml")
            route = {"model": "openai/gpt-4o", "api_base": f"http://127.0.0.1:{target}/v1", "api_key": "none"}
            config.write_text(json.dumps({"model_list": [{"model_name": "gpt-4o", "litellm_params": route}]}))
            command = [litellm, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
            try:
                local = dict.fromkeys(LITELLM, "True")
                found["litellm"] = port, stack.enter_context(process(command, port, 90, **local))
            except RuntimeError as error:
                print(f"no LiteLLM: {error}", file=sys.stderr)
        yield found


def measure(*, quick: bool, requests: int, only_kept_alive: bool) -> int:
    """Measure everything, and print it as tables; gives 1 where a kept connection is too slow."""
    target = free_port()
    seconds, connections = (2.0, 4) if quick else (5.0, 8)
    serve = [sys.executable, "-m", "benchmarks.proxy_load", "--upstream", str(target)]
    with process(serve, target), proxies(target) as found:
        is_slow = compare_kept_alive(found)
        if only_kept_alive:
            return is_slow
        print("| messages | list | proxy | requests/s | p50 | p99 | added p50 | added p99 |")
        print("|---:|---|---|---:|---:|---:|---:|---:|")
        for messages in (10, 100, 1000):
            for broken in (False, True):
                bodies = [conversation(messages, number, broken=broken) for number in range(8)]
                base: list[float] = []
                for name, (port, _) in found.items():
                    if broken and name != "message-history":
                        continue
                    # One after the other for the latency, many at once for the rate.
                    _, alone = asyncio.run(load(port, bodies, 1, seconds))
                    rate, _ = asyncio.run(load(port, bodies, connections, seconds))
                    p50, p99 = median(alone), alone[int(len(alone) * 0.99)]
                    if name == "none":
                        direct = alone
                    base = direct
                    more50, more99 = p50 - median(base), p99 - base[int(len(base) * 0.99)]
                    kind = "broken" if broken else "sound"
                    figures = " | ".join(f"{value * 1000:.2f} ms" for value in (p50, p99, more50, more99))
                    print(f"| {messages} | {kind} | {name} | {rate:,.0f} | {figures} |", flush=True)
        for name in ("plain", "message-history"):
            whole, took = asyncio.run(streams(found[name][0], 100 if quick else 1000))
            print(f"{name}: {whole} streams at once came whole, in {took:.1f} s", flush=True)
        port, pid = found["message-history"]
        asyncio.run(memory(port, pid, requests))
    return is_slow


async def memory(port: int, pid: int, requests: int) -> None:
    """Send many requests of ever new conversations, half of them broken, and print what the proxy holds meanwhile."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
    for number in range(requests):
        body = conversation(10, number + 1_000_000, broken=number % 2 == 0)
        await one(reader, writer, body, f"127.0.0.1:{port}")
        if (number + 1) % max(requests // 10, 1) == 0:
            print(f"{number + 1:,} requests: {resident(pid) / 2**20:.0f} MiB", flush=True)
    writer.close()


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="in a minute, with less of everything")
    parser.add_argument(
        "--kept-alive", action="store_true", help="only whether a kept connection is as fast as it may be"
    )
    parser.add_argument("--requests", type=int, default=100_000, help="for the memory")
    parser.add_argument("--upstream", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--target", help=argparse.SUPPRESS)
    raw = parser.parse_args()
    if raw.upstream:
        asyncio.run(upstream(raw.upstream))
    elif raw.serve:
        pass_through(raw.serve, raw.target)
    else:
        requests = 1_000 if raw.quick else raw.requests
        return measure(quick=raw.quick, requests=requests, only_kept_alive=raw.kept_alive)
    return 0


if __name__ == "__main__":
    sys.exit(main())
