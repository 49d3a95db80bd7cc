"""What is released is built by tools that are named by hash, before anything else runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.needs import reads_sources

pytestmark = reads_sources
FOLDER = Path(__file__).parents[1] / ".github"
RELEASE = (FOLDER / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_every_action_of_a_release_is_named_by_its_commit() -> None:
    used = re.findall(r"uses: (\S+)", RELEASE)
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_a_release_is_built_first_and_alone() -> None:
    jobs = re.split(r"^  (\w+):\n", RELEASE.partition("jobs:\n")[2], flags=re.MULTILINE)
    build = dict(zip(jobs[1::2], jobs[2::2], strict=True))["build"]
    assert jobs[1] == "build"
    assert "needs:" not in build
    assert ".ci/run" not in build
    assert "--no-isolation" in build


def test_every_tool_is_named_with_its_hash_and_from_nowhere() -> None:
    lines = [line for line in (FOLDER / "build-tools.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line)] == []
    assert RELEASE.count("pip install") == RELEASE.count("pip install --require-hashes --only-binary :all: -r .github/")
