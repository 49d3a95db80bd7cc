"""Chat templates, rendered in a sandbox as transformers does it. Only here is jinja2 imported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

import jinja2
import jinja2.ext
import jinja2.nodes
from jinja2.sandbox import SandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2.parser import Parser

TODAY: Final = "2026-01-01"
"""What templates get when they ask for the date: nothing that is measured depends on the day."""


@final
class TemplateRefusedError(ValueError):
    """A template raised, or could not be rendered."""


@final
class Template:
    """A chat template.

    Args:
        source: its text.
        tokens: the tokenizer's special tokens, by their names: `bos_token` and so on.

    Raises:
        TemplateRefusedError: when it is not a template.
    """

    def __init__(self, source: str, tokens: Mapping[str, str]) -> None:
        self.source = source
        self._tokens = dict(tokens)
        try:
            self._compiled = _environment().from_string(source)
        except (jinja2.TemplateError, RecursionError) as error:
            raise TemplateRefusedError(f"it is not a template: {error}") from error

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        switches: Mapping[str, bool],
        *,
        generate: bool = True,
    ) -> str:
        """Render messages.

        Args:
            messages: the messages; the template gets a copy.
            tools: the definitions of tools.
            switches: other names that the template may look for.
            generate: whether the answer of the assistant is to follow, as servers ask for it after every list.

        Raises:
            TemplateRefusedError: when the template raises, or does not end.
        """
        try:
            rendered: str = self._compiled.render(
                messages=json.loads(json.dumps(messages)),
                tools=tools or None,
                documents=None,
                functions=json.dumps(tools),
                datetime=TODAY,
                add_generation_prompt=generate,
                **self._tokens,
                **switches,
            )
        except RecursionError:
            raise TemplateRefusedError("it does not end") from None
        except (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise TemplateRefusedError(f"{error}" or type(error).__name__) from error
        return rendered


def _environment() -> jinja2.Environment:
    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols", "jinja2.ext.do"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: TODAY if "%d" in form or "%Y" in form else ""
    return environment


@final
class _Generation(jinja2.ext.Extension):
    """Renders what is between `generation` tags, which mark what the assistant wrote."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> list[jinja2.nodes.Node]:
        """Parse a block and leave out its tags."""
        next(parser.stream)
        body: list[jinja2.nodes.Node] = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return body


def _refuse(message: str = "") -> NoReturn:
    raise jinja2.TemplateError(message)


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON, of a generator too; jinja2's own filter escapes what would be tags in HTML."""
    plain = list(value) if isinstance(value, Iterator) else value
    return json.dumps(plain, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
