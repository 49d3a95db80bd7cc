"""The loops of the providers' pages, of the home page and of the README run with the real SDKs, as they are printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import needs_sockets
from tests.sdks.events import needs_sdk

pytestmark = needs_sockets

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "anthropic",
    "docs/index.md": "anthropic",
    "docs/tutorial.md": "anthropic",
    "docs/dialects/anthropic.md": "anthropic",
    "docs/dialects/openai_chat.md": "openai_chat",
    "docs/dialects/portable.md": "openai_chat",
    "docs/dialects/openai_responses.md": "openai_responses",
    "docs/dialects/gemini.md": "gemini",
    "docs/dialects/gemini_interactions.md": None,
    "docs/dialects/mistral.md": "mistral",
    "docs/dialects/bedrock.md": "bedrock",
}


@pytest.mark.parametrize("page", PAGES)
def test_the_loop_of_a_page_prints_what_it_says(page: str) -> None:
    sdk = PAGES[page]
    if sdk is not None:
        needs_sdk(sdk)
    command = [sys.executable, "docs/run_examples.py", page]
    checked = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_providers_page_is_run() -> None:
    # tests/integrations/test_examples.py runs that of pydantic-ai.
    there = {f"docs/dialects/{page.name}" for page in (ROOT / "docs" / "dialects").glob("*.md")}
    assert there - PAGES.keys() == {"docs/dialects/pydantic_ai.md"}
