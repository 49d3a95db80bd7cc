"""The settings of the proxy: where it listens, whom it forwards to, and how much it takes."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, field, fields, fields_dict, frozen

from message_history.dialects import OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


class SettingsError(ValueError):
    """A setting that cannot be used; the text says which, and what to do."""


@final
@frozen(kw_only=True)
class Upstream:
    """Whom requests are forwarded to."""

    name: str  # the first part of the path that requests for it may have
    url: str  # its address; the rest of the path is appended
    # Who serves Chat Completions or Responses there, as for `OpenAIChat.for_model`; None for OpenAI.
    provider: str | None = None
    dialect: OpenAIChat | None = None  # what was measured there; None to choose it by the model and the provider


UPSTREAMS: Final[dict[str, Upstream]] = {
    upstream.name: upstream
    for upstream in (
        Upstream(name="anthropic", url="https://api.anthropic.com"),
        Upstream(name="openai", url="https://api.openai.com"),
        Upstream(name="gemini", url="https://generativelanguage.googleapis.com"),
        Upstream(name="mistral", url="https://api.mistral.ai"),
        Upstream(name="bedrock", url="https://bedrock-runtime.us-east-1.amazonaws.com"),
        Upstream(name="deepseek", url="https://api.deepseek.com", provider="deepseek"),
        Upstream(name="groq", url="https://api.groq.com/openai", provider="groq"),
        Upstream(name="openrouter", url="https://openrouter.ai/api", provider="openrouter"),
        Upstream(name="xai", url="https://api.x.ai", provider="xai"),
    )
}
"""The upstreams that are known by name."""


@final
@frozen(kw_only=True)
class Settings:
    """The settings of the proxy."""

    host: str = "127.0.0.1"  # the address to listen on; only this machine can reach it by default
    port: int = 8787  # the port to listen on; 0 for any that is free
    # Whom requests are forwarded to, by name.
    upstreams: Mapping[str, Upstream] = field(factory=lambda: dict(UPSTREAMS))
    # A database URL for conversations that must survive a restart or are shared; None for memory alone.
    store: str | None = None
    max_body_bytes: int = 64 * 1024 * 1024  # larger requests are refused
    max_conversations: int = 10_000  # how many conversations are kept in memory
    max_memory_bytes: int = 512 * 1024 * 1024  # about how much memory they may hold
    connect_timeout: float = 10.0  # seconds to wait for a connection to an upstream
    read_timeout: float = 600.0  # seconds to wait for the next bytes of an upstream
    upload_timeout: float = 60.0  # seconds to wait for the next bytes of a client's body
    # The names, with commas between them, by which the proxy's own paths may be asked for; addresses and `localhost`
    # always may.
    own_hosts: str = ""
    follow: bool = True  # whether what was sent is kept stable; without, each request is healed by itself


PREFIX: Final = "MESSAGE_HISTORY_PROXY_"
"""The environment variables: `MESSAGE_HISTORY_PROXY_PORT`, and `MESSAGE_HISTORY_PROXY_UPSTREAM_OPENAI` for a URL."""
_UPSTREAM: Final = f"{PREFIX}UPSTREAM_"
HIGHEST_PORT: Final = 65_535
STORES: Final = frozenset({"sqlite", "postgres", "postgresql"})
"""The databases that can be a store."""
_KINDS: Final[dict[str, type]] = {
    each.name: {"str": str, "int": int, "float": float, "bool": bool}[str(each.type).split()[0]]
    for each in fields(Settings)
    if each.name != "upstreams"
}


def load_settings(
    path: str | PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    upstreams: Mapping[str, str] | None = None,
    dialect_files: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings: a TOML file, over it the environment, over that the flags.

    The keys of the TOML file are those of `Settings`, and `[upstreams.NAME]` has `url`, `provider` and `dialect_file`,
    which `message-history probe` wrote. The environment is the process's by default. A flag that was not given is None.
    `upstreams` and `dialect_files` are flags by the name of the upstream. Raises `SettingsError` for a setting that is
    not known, not of its kind, or that nothing can be made of.
    """
    variables = environment if environment is not None else os.environ
    table = _table(path) if path is not None else {}
    found = dict(UPSTREAMS)
    for name, options in _checked_upstreams(table.pop("upstreams", {})).items():
        found[name] = evolve(found[name], **options) if name in found else _new_upstream(name, options)
    urls = {key.removeprefix(_UPSTREAM).lower(): url for key, url in variables.items() if key.startswith(_UPSTREAM)}
    for name, url in {**urls, **(upstreams or {})}.items():
        found[name] = evolve(found[name], url=url) if name in found else Upstream(name=name, url=url)
    for name, file in (dialect_files or {}).items():
        if name not in found:
            raise SettingsError(f"{name} is not an upstream; known are {', '.join(sorted(found))}")
        found[name] = evolve(found[name], dialect=_dialect(file))
    values = {name: _value(name, value) for name, value in table.items()}
    for name in _KINDS:
        text = variables.get(f"{PREFIX}{name.upper()}")
        if text is not None:
            values[name] = _value(name, text)
    values |= {name: _value(name, value) for name, value in (flags or {}).items() if value is not None}
    if not 0 <= values.get("port", 0) <= HIGHEST_PORT:
        raise SettingsError(f"port must be between 0 and {HIGHEST_PORT}, not {values['port']}")
    # The URL is not quoted: it may hold a password.
    if "store" in values and values["store"].partition(":")[0].partition("+")[0] not in STORES:
        raise SettingsError("store must be sqlite:///FILE or postgresql://...")
    return Settings(upstreams={name: _checked(upstream) for name, upstream in found.items()}, **values)


def _table(path: str | PathLike[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path} is not a TOML file: {error}") from error


def _checked_upstreams(tables: object) -> dict[str, dict[str, Any]]:
    if not isinstance(tables, dict) or not all(isinstance(value, dict) for value in tables.values()):
        raise SettingsError("upstreams must be tables, each with a url: [upstreams.NAME]")
    for name, table in tables.items():
        unknown = table.keys() - {"url", "provider", "dialect_file"}
        if unknown:
            known = "url, provider and dialect_file"
            raise SettingsError(f"upstreams.{name} has the unknown key {min(unknown)!r}; known are {known}")
        if "dialect_file" in table:
            table["dialect"] = _dialect(table.pop("dialect_file"))
    return tables


def _dialect(file: str) -> OpenAIChat:
    try:
        return OpenAIChat.from_probe(file)
    except (OSError, TypeError, ValueError) as error:
        raise SettingsError(f"dialect_file {file}: {error}") from error


def _new_upstream(name: str, options: Mapping[str, Any]) -> Upstream:
    if "url" not in options:
        raise SettingsError(f"upstreams.{name} needs a url")
    return Upstream(name=name, **options)


def _checked(upstream: Upstream) -> Upstream:
    if not upstream.url.startswith(("http://", "https://")):
        raise SettingsError(f"the url of upstream {upstream.name} must begin with http:// or https://")
    return evolve(upstream, url=upstream.url.rstrip("/"))


def _value(name: str, value: object) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        raise SettingsError(f"{name!r} is not a setting; known are {', '.join(sorted(fields_dict(Settings)))}")
    if kind is bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() in _TRUTH:
            return _TRUTH[str(value).lower()]
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return kind(value)
        except ValueError:
            pass
    raise SettingsError(f"{name} must be of the kind {kind.__name__}")


_TRUTH: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
