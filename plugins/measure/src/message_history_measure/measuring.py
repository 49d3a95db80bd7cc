"""Measure what a chat template shows of a conversation."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects import OpenAIChat
from message_history.dialects.openai_chat.providers import HOSTS
from message_history_measure.asking import Asking, history_of
from message_history_measure.probes import IMAGE, PLANTED, TOOLS, calls, image, parts, result, says, step, user, words
from message_history_measure.questions import (
    ASSISTANT_FIRST,
    EARLIER,
    FIRST,
    GOES_ON,
    INLINE,
    MIXED,
    PARTS,
    QUESTIONS,
    THINKING_FIRST,
)
from message_history_measure.sandbox import Template, TemplateRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.dialects.base import Export
    from message_history_measure.probes import Entry

_ANYWHERE: Final = frozenset({"system", "thought", "call", "value", "name"})
"""What a template may show in another place than it has in the list: many begin with all system messages."""
_KEYS: Final = ("reasoning_content", "reasoning", "thinking")
"""The keys under which templates look for reasoning."""


@final
class Examination(Asking):
    """One template under examination.

    Args:
        template: the template.

    Attributes:
        as_objects: whether it gets the arguments of calls as objects, as vLLM and transformers give them.
    """

    def __init__(self, template: Template) -> None:
        super().__init__({"like": ["run"], "fields": {"provider": "templates", "null_content": "empty"}})
        self.as_objects = True
        self._template = template
        self._tools: list[list[Entry]] = [TOOLS]
        self._switches: Mapping[str, bool] = {}

    def run(self) -> None:
        """Ask all questions.

        Raises:
            TemplateRefusedError: when not even a user message is shown.
        """
        self._tools = [tools for tools in (TOOLS, []) if not self._refusal(tools)]
        if not self._tools:
            raise TemplateRefusedError(f"not even a user message is shown: {self._refusal([])}")
        for question in QUESTIONS:
            if not any(question is settled and field in self.fields for settled, field in _SETTLED):
                self.ask(question)
        if self.fields.get("leading_assistant") and not self._role_at_first():
            # A user message goes first then.
            del self.fields["leading_assistant"]
        self._speakers()
        self._ids()
        self._content_beside_calls()
        self._reasoning()
        self._reasoning_in_texts()
        self._images()

    def _refusal(self, tools: list[Entry]) -> str:
        """Say why prompts may not have tools, or must: some templates take only one of them."""
        refusal = ""
        for content in (parts("user"), user()["content"]):
            try:
                if PLANTED.search(self._prompt([{**user(), "content": content}], tools)):
                    return ""
                refusal = "nothing of it is in the prompt"
            except TemplateRefusedError as error:
                refusal = str(error)
        return refusal

    def dialect(self, row: Mapping[str, Any]) -> OpenAIChat:
        """Return the dialect with the fields of a row."""
        return OpenAIChat(**HOSTS.fields_of(row))

    def missing(self, raw: Sequence[Entry], export: Export | None) -> list[str]:
        """Say what is planted in a list and not in its prompt, or not once and in order."""
        wire = self._as_parts(raw) if export is None else export.messages
        try:
            prompts = [self._prompt(wire, tools) for tools in self._tools[: 1 if _has_calls(wire) else None]]
        except TemplateRefusedError as error:
            return [f"refused ({error})"]
        return max((_not_shown(list(words(raw)), prompt) for prompt in prompts), key=len)

    def _as_parts(self, raw: Sequence[Entry]) -> Sequence[Entry]:
        """Give a list that is rendered as it is the form without which the template takes nothing."""
        if self.fields.get("parts") != "always":
            return raw
        return [{**each, "content": [{"type": "text", "text": each["content"] or ""}]} for each in raw]

    def _prompt(self, wire: Sequence[Entry], tools: Sequence[Entry]) -> str:
        """Render messages, with the arguments of calls in the other form where the template refuses the one."""
        try:
            return self._template.render(_with_arguments(wire, self.as_objects), tools, self._switches)
        except TemplateRefusedError:
            if not _has_calls(wire):
                raise
        prompt = self._template.render(_with_arguments(wire, not self.as_objects), tools, self._switches)
        self.as_objects = not self.as_objects
        return prompt

    def _reasoning(self) -> None:
        """Find the key under which reasoning is shown, or whether inside the content, and say which is not."""
        source = self._template.source
        keys = [key for key in _KEYS if key in source]
        inline = [INLINE] if "think>" in source else []
        for switches, found in (({}, keys), (_THINKING, keys), ({}, inline)):
            self._switches = switches
            shown = {key: self._shown_thoughts({"reasoning": key}) for key in found}
            key = max(shown, key=lambda key: shown[key][0], default="")
            if any(shown.get(key, ())):
                self.fields["reasoning"] = key
                self._say_thoughts(*shown[key])
                break
        else:
            self.losses.append("reasoning")
        self._switches = {}

    def _say_thoughts(self, now: int, earlier: int) -> None:
        if self._switches:
            self.losses.append("reasoning, unless thinking is switched on")
        if now < _thoughts(GOES_ON):
            self.losses.append("reasoning in places")
        elif earlier < _thoughts(EARLIER):
            self.losses.append("reasoning of earlier turns")

    def _shown_thoughts(self, arrangement: Mapping[str, Any]) -> tuple[int, int]:
        """Count the reasoning that is shown, in the turn that goes on and in others; 0 where it costs anything else."""
        now, earlier = self.lost(GOES_ON, arrangement), self.lost(EARLIER, arrangement)
        if {*now, *earlier} - {"thought"}:
            return 0, 0
        return _thoughts(GOES_ON) - len(now), _thoughts(EARLIER) - len(earlier)

    def _reasoning_in_texts(self) -> None:
        """Find whether text is cut off that comes before reasoning which is inside it."""
        cut, whole = (set(self.lost(MIXED, arrangement)) - {"thought"} for arrangement in ({}, THINKING_FIRST))
        if len(whole) < len(cut):
            self.fields |= THINKING_FIRST
        lost = self.lost(MIXED, {})
        if set(lost) - {"thought"}:
            self.losses.append(f"text with reasoning inside it: {', '.join(dict.fromkeys(lost))}")
        elif lost:
            self.losses.append("reasoning inside texts")

    def _content_beside_calls(self) -> None:
        """Send no content with calls, if a template takes that and writes nothing in its place."""
        beside = [[user(), {**calls(1), "content": content}, result(1)] for content in ("", None)]
        try:
            empty, null = (self._prompt(self._as_parts(each), self._tools[0]) for each in beside)
        except TemplateRefusedError:
            return
        if self.fields["null_content"] == "empty" and not _NOTHING.search(null.replace(empty, "")):
            self.fields["null_content"] = "null"

    def _images(self) -> None:
        """Find whether an image leaves anything in the prompt that is not its data."""
        try:
            without, shown = (
                self._prompt([{**user(), "content": content}], self._tools[0]) for content in (parts("user"), _SEEN)
            )
        except TemplateRefusedError:
            without = shown = ""
        if without == shown or IMAGE in shown or _DATA.search(shown):
            self.fields["images"] = False
            self.losses.append("images: they are left out, with a note")

    def _role_at_first(self) -> bool:
        """Return whether the role is written before an assistant's text that is first, if it is written elsewhere."""
        first = self._before_words([says(), user()])[:1]
        later = self._before_words(FIRST.lists[-1])[1:3]
        if not first or len(set(later)) < 2:
            return True
        return _same_end(first[0], later[0]) > _same_end(*later)

    def _before_words(self, raw: Sequence[Entry]) -> list[str]:
        """Return what is in the prompt before each planted word."""
        try:
            return PLANTED.split(self._prompt(self._sent(json.dumps(raw)), self._tools[0]))[:-1:2]
        except TemplateRefusedError:
            return []

    def _sent(self, raw: str) -> Sequence[Entry]:
        return history_of(raw).export(self.dialect(self.row)).messages

    def _ids(self) -> None:
        """Find whether a result is shown as that of an earlier call which has the same id."""
        first, second = (calls(n)["tool_calls"][0]["id"] for n in (1, 2))
        raw = json.dumps([user(), *step(1), *step(2), says()])
        lists = (raw, raw.replace(second, first))
        with contextlib.suppress(TemplateRefusedError):
            apart, shared = (self._prompt(self._sent(each), self._tools[0]) for each in lists)
            if apart.replace(second, first) != shared:
                self.fields["unique_ids"] = True

    def _speakers(self) -> None:
        """Find whether anything tells the roles apart."""
        if len(set(self._before_words(FIRST.lists[-1])[1:])) == 1:
            self.losses.append("roles: nothing tells user and assistant apart")


_SETTLED: Final = ((PARTS, "parts"), (ASSISTANT_FIRST, "needs_user"))
"""Questions that a field has answered already."""
_THINKING: Final = {"thinking": True, "enable_thinking": True}
"""What templates call the switch for thinking, where it is off unless one says so."""
_SEEN: Final = [*parts("user"), image()]
_NOTHING: Final = re.compile(r"\b(None|null|undefined)\b")
_DATA: Final = re.compile(r"""['"]type['"]: ?['"](text|image_url)['"]""")
"""Parts of content that are written as what they are in the list, which says nothing to a model."""


def _same_end(first: str, second: str) -> int:
    """Count the letters with which both end."""
    unlike = (n for n, (one, other) in enumerate(zip(reversed(first), reversed(second), strict=False)) if one != other)
    return next(unlike, min(len(first), len(second)))


def _thoughts(lists: Iterable[list[Entry]]) -> int:
    return sum(word[1] == "thought" for raw in lists for word in words(raw))


def _has_calls(wire: Sequence[Entry]) -> bool:
    return any(message.get("tool_calls") for message in wire)


def _not_shown(wanted: Sequence[re.Match[str]], prompt: str) -> list[str]:
    """Name what is planted and not found, or not as text, or not once and in order."""
    found = list(PLANTED.finditer(prompt))
    there = {word[0] for word in found}
    missing = [word[1] for word in wanted if word[0] not in there]
    if missing or not _DATA.search(prompt):
        return missing or (["order"] if _in_order(wanted) != _in_order(found) else [])
    return ["content as data"]


def _in_order(found: Iterable[re.Match[str]]) -> list[str]:
    return [word[0] for word in found if word[1] not in _ANYWHERE]


def _with_arguments(wire: Sequence[Entry], as_objects: bool) -> list[Entry]:
    """Copy messages, with the arguments of calls as objects or as text."""
    copy: list[Entry] = json.loads(json.dumps(wire))
    for message in copy if as_objects else ():
        for call in message.get("tool_calls") or ():
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return copy


def main() -> None:
    """Measure the template that is given on the standard input, within limits; see `bounded`."""
    logging.disable(logging.CRITICAL)
    asked = json.loads(sys.stdin.read())
    with contextlib.suppress(ImportError):
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (asked["megabytes"] << 20,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (asked["seconds"], asked["seconds"] + 1))
    try:
        examination = Examination(Template(asked["source"], asked["tokens"]))
        examination.run()
        arguments = "object" if examination.as_objects else "text"
        found = {"row": examination.row, "losses": examination.losses, "arguments": arguments}
    except TemplateRefusedError as error:
        found = {"refused": str(error)}
    sys.stdout.write(json.dumps(found))
