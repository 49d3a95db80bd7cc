"""Who speaks Chat Completions, and how: the fields of each provider and model, and whose rules it quotes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.dialects._shared.rules import Rule, checked_name, fields_for
from message_history.dialects._shared.tables import ModelTable, read_table
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.schema import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PATTERNS: Final = {
    "SHORT_ID": SHORT_ID,
    "KIMI_NAME": re.compile(r"\$?[a-zA-Z0-9_-]+"),
    "DOTTED_NAME": re.compile("[a-zA-Z0-9_.:-]+"),
    "ANY_NAME": re.compile("[^\ud800-\udfff]+", re.DOTALL),
}
"""What an id or a name must look like; Kimi's own tools have names like `$web_search`."""
HOSTS: Final = ModelTable(__package__, "hosts", _PATTERNS)
"""The providers."""
TEMPLATES: Final = ModelTable(__package__, "templates", _PATTERNS)
"""The chat templates of models that one runs oneself."""
ELSEWHERE: Final = ModelTable(__package__, "elsewhere", _PATTERNS)
"""The models of other makers than OpenAI, where it is not known who serves them."""
MODELS: Final = ModelTable(__package__, "models", _PATTERNS)
"""The models, whoever serves them."""
_ADDRESS: Final = re.compile(
    r"(?:https?://)?((?:[a-z0-9-]+\.)*([a-z0-9-]+)\.(?:ai|cn|co|com|dev|io|net|org|sh|xyz))(?:[:/].*)?"
)
_ADDRESSES: Final = {
    "services.ai.azure.com": "azure-models",
    "models.ai.azure.com": "azure-models",
    "azure.com": "azure",
    "aiplatform.googleapis.com": "vertex",
    "generativelanguage.googleapis.com": "gemini",
    "bigmodel.cn": "zhipu",
    "cloud.ibm.com": "watsonx",
    "huggingface.co": "router.huggingface",
    "aliyuncs.com": "dashscope",
    "vercel.sh": "vercel",
    "volces.com": "ark",
    "x.ai": "xai",
    "z.ai": "zai",
}
"""The providers that the address of an API does not begin with."""
_OLLAMA: Final = re.compile(r"(?:https?://)?[^/:]+:11434(?:/.*)?")
"""An address with the port that is Ollama's own."""
_HERE: Final = re.compile(r"(?:https?://)?(?:127\.[0-9.]+|localhost|0\.0\.0\.0|host\.docker\.internal)(?:[:/].*)?")
"""Addresses of the machine itself."""
_TAGGED: Final = re.compile(r"[^:/]+:(?:latest|cloud|[0-9.]+[bm](?:-.*)?)")
"""Names of models as Ollama alone writes them: it runs what nobody else is said to run."""
SERVERS: Final = frozenset({"templates", "llama.cpp", "lm studio", "mlx"})
"""The providers that run whatever Jinja template a model brings; Ollama has templates of its own, that take all."""


def fields_of(model: str, provider: str | None) -> dict[str, Any]:
    """Choose the fields for a model.

    `model` is empty for all that a provider has; `provider` is None where the model's name says it, or nothing does.
    Returns none for what is not known.
    """
    server = provider if provider is None else _server_of(checked_name(provider, "provider"))
    if _TAGGED.fullmatch(checked_name(model).lower()) and (server is None or _HERE.fullmatch(server)):
        server = "ollama"
    named = model if server is None else f"{server}:{model}" if model else server
    named = named.replace(" ", "-")
    fields = fields_for(HOSTS, named)
    host = fields.get("provider")
    if host in SERVERS or (host is None and provider is None):
        template = fields_for(TEMPLATES, named)
        if host is not None or _demands_anything(template):
            by_name = HOSTS.preset("by_name") if host is None else {}
            fields = {**HOSTS.preset("templated"), **by_name, **fields, **template}
    if host is None:
        fields = {**fields_for(ELSEWHERE, model), **fields}
    # Behind a proxy of which nothing is known, a model is what its own name says.
    return {**fields, **fields_for(MODELS, named if host is not None else model), **fields_for(MODELS, named)}


def fields_of_probe(file: Path) -> dict[str, Any]:
    """Read what `message-history probe` wrote of an endpoint for Chat Completions."""
    import tomllib  # noqa: PLC0415 - few ask

    found = tomllib.loads(file.read_text(encoding="utf-8"))
    if found.get("api") != "chat" or not isinstance(found.get("fields"), dict):
        raise ValueError(f"{file} is not what `message-history probe --api chat` writes")
    return HOSTS.fields_of({"like": ["others"], **found})


def _server_of(provider: str) -> str:
    """Return the name of a provider that is given as the address of its API."""
    if _OLLAMA.fullmatch(provider):
        return "ollama"
    host = _ADDRESS.fullmatch(provider.lower())
    if host is None:
        return provider
    return next((name for end, name in _ADDRESSES.items() if host[1].endswith(end)), host[2])


def _demands_anything(template: dict[str, Any]) -> bool:
    """Return whether a template demands anything: a model's name alone does not say that it is run by a template."""
    any_order = HOSTS.preset("any_order")
    return any(value != any_order.get(field) for field, value in template.items())


@cache
def faults() -> Mapping[str, Mapping[str, str]]:
    """Return which rule each fault breaks, by provider."""
    return read_table(__package__, "faults")


@cache
def quoted_by(provider: str) -> Mapping[str, Rule]:
    """Return which rule each fault breaks, as a provider puts it, without those that are not faults there."""
    ids = {**faults()["openai"], **faults().get(provider, {})}
    return {fault: rule_of(id) for fault, id in ids.items() if id}


def rule_of(quoted: str) -> Rule:
    """Return the rule that is quoted: by its id, which the position of one of its texts may follow."""
    id, _, which = quoted.partition(":")
    rule = schema.RULES.by_id[id]
    return evolve(rule, errors=(rule.errors[int(which)],)) if which else rule
