"""Programs go on with sessions that were written of another program's: they send every text, call and result of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory
from message_history.cli.convert import WRITERS
from message_history.dialects import Anthropic, OpenAIResponses
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from message_history_testing import ModelReply, StrictServer
from tests.formats.every_sample import SAMPLES
from tests.programs.test_resumed_sessions import GO_ON, NPM, PROGRAMS, facts, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(NPM is None, reason="the programs are not installed")
pytest.importorskip("message_history_formats")

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
PARALLEL: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "What is it?"}, IMAGE]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I look.", "signature": "c2lnbmVk"},
            {"type": "text", "text": "I look at both."},
            {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.txt"}},
            {"type": "tool_use", "id": "toolu_2", "name": "mcp__x__y", "input": {"n": [1, None, "é"]}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "one"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "two"}, IMAGE]},
            {"type": "text", "text": "And now?"},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]
STORIES = {
    "parallel": MessageHistory.from_list(PARALLEL),
    **{
        sample.format: session_in(sample.data, chosen=FORMATS[sample.format]).conversations[0].history()
        for sample in SAMPLES
        if sample.format in {"claude-code", "codex", "gemini-cli", "opencode", "aider", "messages"}
    },
}


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_program_goes_on_with_the_session_of_another(name: str, story: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    home = tmp_path / "home"
    new = WRITERS[name](STORIES[story], str(tmp_path / "work"), datetime(2026, 5, 1, tzinfo=UTC))
    file = home.joinpath(*new.path.split("/")[2:])
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in new.rows))
    with StrictServer(lambda _: ModelReply(text="Again.")) as server:
        run(program, home, server.url, *program.resume, new.resume.split()[-1], "go on")
        sent = server.requests[0][program.list]
        assert server.refusals == []
    dialect = Anthropic(prefill=True) if name == "claude-code" else OpenAIResponses(continues=False)
    expected = facts(new.export.messages)
    assert [fact for fact in facts(sent) if fact not in program.added] == [*expected, GO_ON]
    assert json.dumps(sent).count(PIXEL) == 2 * (story == "parallel")
    assert MessageHistory.from_list(sent, dialect=dialect).repairs == ()
    rows = file.read_text()
    assert "Again." in rows, "the program goes on in the file that was written"
