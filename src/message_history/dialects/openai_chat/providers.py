"""Who speaks Chat Completions, and how: the fields of each provider and model, and whose rules it quotes.

A row's pattern is searched for in `provider:model`, or in the model's name alone where no provider is given; names in
the manner of `groq/llama-3.3` or `groq:llama-3.3` say both. Later rows override earlier ones.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.dialects.base import ModelRow, Rule, fields_for
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.schema import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["QUOTES", "fields_of", "quoted_by", "rule_of"]


_GH: Final = "https://github.com/"
_RECORDED: Final = _GH + "pydantic/pydantic-ai/tree/main/tests/models/cassettes"
_END: Final = r"($|[.:/])"
IMAGE_MARK: Final = "<\uff5cimage\uff5c>"

OTHERS: Final[dict[str, Any]] = {
    "developer": False,
    "custom_calls": False,
    "refusals": False,
    "files": False,
    "parts": False,
    "object_arguments": True,
    "own_blocks": frozenset(),
}
"""What only OpenAI is known to take, and what nobody else is known to need."""
GATEWAY: Final[dict[str, Any]] = {**OTHERS, "id_limit": 64}
"""Ids of 50 characters were recorded; 64 is what the providers behind a gateway take."""
TEMPLATED: Final[dict[str, Any]] = {
    **GATEWAY,
    "provider": "templates",
    "null_content": "empty",
    "alternate": True,
    "bridge": True,
    "late_system": False,
    "one_system": True,
    "needs_user": True,
    "max_calls": 1,
}
"""What every template takes that knows tools."""
ANY_ORDER: Final[dict[str, Any]] = {
    "alternate": False,
    "bridge": False,
    "late_system": True,
    "one_system": False,
    "needs_user": False,
    "max_calls": 128,
}
TURNS_ONLY: Final[dict[str, Any]] = {"tools": "text", "alternate": True, "bridge": False}
KIMI_NAME: Final = re.compile(r"\$?[a-zA-Z0-9_-]+")
"""Kimi's own tools have names like `$web_search`."""


def _row(models: str, source: str, date: str, **fields: Any) -> ModelRow:
    return ModelRow(models=re.compile(models), fields=fields, source=source, date=date)


HOSTS: Final = (
    _row(f"^azure{_END}", "https://github.com/letta-ai/letta/issues/467", "2026-10",
         provider="azure", content_key=True, max_messages=2048),
    _row("^azure.*(own-?data|on-?your-?data|search)", _GH + "openai/openai-dotnet/issues/218", "2026-10",
         provider="azure data", parts=False, images=False, files=False, refusals=False),
    _row(f"^deepseek({_END}|-(api|chat|coder|reasoner|v[0-9]))", "https://api-docs.deepseek.com/guides/thinking_mode",
         "2026-04", **{**OTHERS, "object_arguments": False}, provider="deepseek", images=False, unique_ids=True,
         banned_text=IMAGE_MARK, reasoning="reasoning_content", reasoning_required="always"),
    _row("^deepseek[-:/]+(deepseek-)?chat", "https://api-docs.deepseek.com/guides/thinking_mode", "2026-04",
         reasoning_required="never"),
    _row("^deepseek-r1($|:)|^deepseek:.*r1", _GH + "deepseek-ai/DeepSeek-R1/issues/21", "2025-02",
         **{**OTHERS, "object_arguments": False}, **TURNS_ONLY, provider="deepseek r1", images=False,
         late_system=False, one_system=True, needs_user=True, reasoning=None, reasoning_required="never",
         refused_keys=frozenset({"reasoning_content"})),
    _row("^(kimi|moonshot)", _GH + "MoonshotAI/kimi-cli", "2026-10", **OTHERS, provider="kimi", null_content="omit",
         empty_content=False, empty_result="[The tool gave no output.]", reasoning="reasoning_content",
         reasoning_required="calls", name_pattern=KIMI_NAME),
    _row("moonshot-v1|kimi-k2-(0|instruct|turbo)|kimi-latest", _GH + "MoonshotAI/kimi-cli", "2026-10",
         reasoning_required="never"),
    _row("^(dashscope|alibaba|bailian|qwen($|[^/]))", _GH + "QwenLM/qwen-code/issues/315", "2026-10", **OTHERS,
         provider="qwen"),
    _row(f"^groq{_END}", _GH + "karthink/gptel/issues/774", "2026-10", **OTHERS, provider="groq", no_content=True,
         refused_keys=frozenset({"reasoning", "reasoning_content", "reasoning_details"})),
    _row(f"^cerebras{_END}", _GH + "Kilo-Org/kilocode/issues/10375", "2026-10", **OTHERS, provider="cerebras",
         refused_keys=frozenset({"reasoning_content"})),
    _row("^(xai|x[-.]ai|grok)", _GH + "AstrBotDevs/AstrBot/issues/6447", "2026-10", **OTHERS, provider="xai",
         empty_content=False, empty_result="[The tool gave no output.]"),
    _row("^(minimax|abab)", _GH + "can1357/oh-my-pi/issues/181", "2026-10", **OTHERS, provider="minimax"),
    _row(f"^openrouter{_END}", "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens", "2026-10",
         **{**GATEWAY, "files": True, "own_blocks": frozenset({"reasoning_details"})}, provider="gateway",
         reasoning="reasoning"),
    _row("^(litellm|gateway|portkey|vercel|proxy)", _GH + "MoonshotAI/kimi-code/issues/3017", "2026-10",
         **{**GATEWAY, "files": True}, provider="litellm", content_key=True),
    _row("^(opencode[-._]?)?zen|^opencode", _GH + "badlogic/pi-mono/issues/755", "2026-10", **GATEWAY, provider="zen"),
    _row("^(vllm|sglang|hf|huggingface|tgi|transformers|templates?)($|[-_.:/])", _GH + "vllm-project/vllm", "2026-10",
         provider="templates"),
    _row(r"^mistral($|[.:/])|^(vllm[-_.:/]+)?(tokenizer[-_]mode[-_])?mistral[-_]common",
         _GH + "mistralai/mistral-common", "2026-07", **OTHERS, provider="mistral", bridge=True, late_system=False,
         empty_content=False, empty_result="[The tool gave no output.]", id_pattern=SHORT_ID, id_limit=9,
         refused_keys=frozenset({"audio", "name", "reasoning", "reasoning_content", "reasoning_details", "refusal"})),
    _row("^llama-?[._]?cpp", _GH + "ggml-org/llama.cpp", "2026-10", provider="llama.cpp"),
    _row("^lm[-_]?studio", _GH + "lmstudio-ai/lmstudio-bug-tracker/issues/261", "2026-10", provider="lm studio"),
    _row("^o?mlx", _GH + "cubist38/mlx-openai-server/issues/205", "2026-10", provider="mlx"),
    _row("^ollama", _GH + "ollama/ollama", "2026-08", **GATEWAY, provider="ollama", image_urls=False, audio=True),
    _row("^ollama[-_./]*(native|api)", "https://docs.ollama.com/api/chat", "2026-08", provider="ollama native",
         native=True, audio=False, null_content="empty"),
)  # fmt: skip
"""The providers."""

SERVERS: Final = frozenset({"templates", "llama.cpp", "lm studio", "mlx"})
"""The providers that run whatever Jinja template a model brings; Ollama has templates of its own, that take all."""

TEMPLATES: Final = (
    _row("llama-?[345]|qwen|hermes|granite|command|gpt-oss|glm|deepseek", _GH + "vllm-project/vllm", "2026-10",
         **ANY_ORDER),
    _row("llama-?3[-.]?[12]", _GH + "vllm-project/vllm/issues/25108", "2026-10", max_calls=1),
    _row(r"qwen-?3\.[5-9]|qwen-?[4-9]", _GH + "vllm-project/vllm/issues/41114", "2026-10",
         late_system=False, one_system=True, needs_user=True),
    _row("(mis|mix|minis|magis|devs|codes)tral|mixtral|pixtral", _GH + "mistralai/mistral-vibe/issues/1006", "2026-10",
         max_calls=128, id_pattern=SHORT_ID, id_limit=9),
    _row("llama-?2|zephyr|phi-?3|gemma", _GH + "suitenumerique/conversations/issues/197", "2026-10", **TURNS_ONLY),
    _row(r"mistral-7b(?!.*v0\.3)|mi[sx]tral.*v0\.[12]|mixtral-8x7b", _GH + "vllm-project/vllm/issues/2964", "2026-10",
         **TURNS_ONLY, system_role="user"),
    _row(r"gemma-?(2|7b|1\.1|it)|codegemma|gemma:", _GH + "vllm-project/vllm/issues/2964", "2026-10",
         system_role="user"),
)  # fmt: skip
"""The chat templates of models that one runs oneself."""

MODELS: Final = (
    _row("o1-(mini|preview)", _GH + "openai/openai-python/issues/2047", "2025-01", system_role="user"),
    _row("gpt.*audio", _RECORDED, "2026-08", audio=True),
    _row("deepseek-r1", _GH + "vercel/ai", "2026-08", images=False, files=False),
    _row("gemini|google/", _RECORDED + "/test_openrouter", "2026-08", id_limit=64),
    _row("claude|anthropic/", _RECORDED + "/test_openrouter", "2026-08", id_limit=64, parts=True, cache_marks=True,
         own_blocks=frozenset({"reasoning_details"})),
    _row("glm-", _RECORDED + "/test_zai", "2026-08", reasoning="reasoning_content"),
    _row("(zai|z-ai|zai-org)/glm", _RECORDED + "/test_crusoe", "2026-08", reasoning="reasoning"),
    _row("^cerebras.*glm", _GH + "pydantic/pydantic-ai", "2026-08", reasoning="<think>"),
    _row("gpt-oss", _RECORDED + "/test_cerebras", "2026-08", reasoning="reasoning", no_content=True),
    _row("^openrouter[:/]+openai/", _GH + "vercel/ai/issues/8132", "2026-10", id_limit=40),
)  # fmt: skip
"""The models, whoever serves them."""


def fields_of(model: str, provider: str | None) -> dict[str, Any]:
    """Choose the fields for a model.

    Args:
        model: its name; empty for all that a provider has.
        provider: who serves it; None where the model's name tells, or nothing does.

    Returns:
        The fields; none for what is not known.
    """
    named = model if provider is None else f"{provider}:{model}" if model else provider
    named = named.replace(" ", "-")
    fields = fields_for(HOSTS, named)
    host = fields.get("provider")
    if host in SERVERS or (host is None and provider is None):
        template = fields_for(TEMPLATES, named)
        if host is not None or _is_told(template):
            fields = {**TEMPLATED, **fields, **template}
    return {**fields, **fields_for(MODELS, named)}


def _is_told(template: dict[str, Any]) -> bool:
    """Tell whether a template demands anything: a model's name alone does not say that it is run by a template."""
    return any(value != ANY_ORDER.get(field) for field, value in template.items())


_TEMPLATE_FAULTS: Final = {
    "orphan": "HF-09",
    "unexpected id": "HF-09",
    "no calls": "HF-06",
    "many calls": "HF-06",
    "no system": "HF-03",
    "alternation": "HF-01",
    "alternation beside tools": "HF-02",
    "arguments not json": "HF-07",
    "arguments no object": "HF-08",
}
_CPP: Final = {**_TEMPLATE_FAULTS, "last": "HF-11", "last two": "HF-12", "no call type": "HF-13"}
QUOTES: Final[dict[str, dict[str, str]]] = {
    "openai": {
        "unanswered": "OC-01",
        "orphan": "OC-02",
        "unexpected id": "OC-02",
        "answered twice": "OC-03",
        "no calls": "OC-04",
        "many calls": "OC-05",
        "long id": "OC-06",
        "null content": "OC-07",
        "null elsewhere": "OC-07",
        "odd content": "OC-08",
        "no part type": "OC-09",
        "no messages": "OC-10",
        "call name": "OC-11",
        "long call name": "OC-12",
        "arguments not text": "OC-13",
        "arguments not json": "OC-13",
        "arguments no object": "OC-13",
        "message name": "OC-14",
        "image elsewhere": "OC-15",
        "image": "OC-16",
        "image data": "OC-22",
        "image size": "OC-23",
        "part type": "OC-16",
        "role": "OC-17",
        "no system": "OC-17",
        "part of another role": "OC-18",
        "mixed refusal": "OC-18",
        "no parts": "OC-18",
        "no id": "OC-19",
        "surrogate": "OC-20",
        "alternation": "HF-01",
        "alternation beside tools": "HF-02",
        "user after tool": "HF-02",
        "late system": "HF-04",
        "late system in turns": "HF-01",
        "late system beside tools": "HF-02",
        "no user": "HF-05",
        "no content beside calls": "HF-10",
        "no content key": "AZ-01",
        "many messages": "AZ-02",
        "empty content": "KM-01",
        "empty result": "KM-02",
        "image url": "OL-04",
        "no reasoning": "DS-09",
        "refused key": "GQ-01",
        "used id": "DS-04",
        "banned text": "DS-13",
    },
    "azure data": {"parts": "AZ-03", "user parts": "AZ-03"},
    "deepseek": {
        "unanswered": "DS-01",
        "unexpected id": "DS-02",
        "orphan": "DS-03",
        "surplus": "DS-03",
        "answered twice": "DS-04",
        "id twice": "DS-04",
        "no calls": "DS-05",
        "null content": "DS-06",
        "image": "DS-11",
        "parts": "DS-11",
        "no parts": "DS-11",
        "no part type": "DS-12",
        "image elsewhere": "DS-13",
        "no messages": "DS-14",
    },
    "deepseek r1": {
        "alternation": "DS-07",
        "late system in turns": "",
        "last": "DS-08",
        "refused key": "DS-10",
        "image": "DS-11",
        "parts": "DS-11",
        "no parts": "DS-11",
        "no part type": "DS-12",
    },
    "kimi": {
        "empty part": "KM-02",
        "unanswered": "KM-03",
        "orphan": "KM-04",
        "unexpected id": "KM-04",
        "no id": "KM-04",
        "empty id": "KM-04",
        "no reasoning": "KM-05",
        "null content": "KM-01",
        "part type": "KM-06",
        "no parts": "KM-02",
        "no messages": "KM-07",
    },
    "qwen": {
        "unanswered": "QW-01",
        "orphan": "QW-02",
        "unexpected id": "QW-02",
        "no calls": "QW-03",
        "arguments not json": "QW-04",
        "arguments no object": "QW-04",
    },
    "groq": {"refused reasoning": "GQ-02", "image size": "GQ-03"},
    "cerebras": {"refused key": "CB-01"},
    "xai": {
        "no parts": "XA-01",
        "empty content": "XA-02",
        "empty result": "XA-02",
        "empty part": "XA-02",
        "image data": "XA-03",
        "image size": "XA-03",
    },
    "minimax": {"arguments not json": "MM-01", "arguments no object": "MM-01"},
    "gateway": {"arguments not json": "GW-03", "arguments no object": "GW-03"},
    "litellm": {"no content key": "GW-01", "arguments not json": "GW-03", "arguments no object": "GW-03"},
    "zen": {"developer": "GW-02", "arguments not json": "GW-03", "arguments no object": "GW-03"},
    "mistral": {
        "user after tool": "MI-01",
        "late system": "MI-01:1",
        "orphan": "MI-01:1",
        "unanswered": "MI-02",
        "unexpected id": "MI-03",
        "answered twice": "MI-03:1",
        "surplus": "MI-02",
        "id twice": "MI-03:2",
        "id": "MI-04",
        "long id": "MI-04",
        "empty id": "",
        "null content": "MI-05",
        "empty content": "MI-05",
        "empty result": "",
        "null elsewhere": "MI-09",
        "last": "MI-06",
        "call name": "MI-07",
        "long call name": "MI-07",
        "refused key": "MI-08",
        "message name": "",
        "role": "MI-09",
        "developer": "MI-09",
        "no messages": "MI-09:1",
        "used id": "",
    },
    "templates": _TEMPLATE_FAULTS,
    "llama.cpp": _CPP,
    "lm studio": _TEMPLATE_FAULTS,
    "mlx": {**_TEMPLATE_FAULTS, "no content beside calls": "HF-09"},
    "ollama": {
        "null content": "OL-02",
        "null elsewhere": "OL-02",
        "arguments not json": "OL-03",
        "arguments no object": "OL-03",
        "part type": "OL-04",
        "odd content": "OL-04",
        "parts": "OL-05",
        "last two": "HF-12",
    },
    "ollama native": {
        "parts": "OL-01",
        "user parts": "OL-01",
        "null content": "OL-02",
        "no content beside calls": "",
        "arguments not text": "OL-03",
        "arguments no object": "OL-03",
        "last two": "HF-12",
    },
}


@cache
def quoted_by(provider: str) -> Mapping[str, Rule]:
    """Tell which rule each fault breaks, as a provider puts it.

    Args:
        provider: whose rules are quoted.

    Returns:
        The rules, by fault; a fault that is none there is left out.
    """
    ids = {**QUOTES["openai"], **QUOTES.get(provider, {})}
    return {fault: rule_of(id) for fault, id in ids.items() if id}


def rule_of(quoted: str) -> Rule:
    """Give the rule that is quoted: by its id, behind which the place of one of its texts may stand."""
    id, _, which = quoted.partition(":")
    rule = schema.RULES.by_id[id]
    return evolve(rule, errors=(rule.errors[int(which)],)) if which else rule
