"""The documentation site, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Visit

expect = pytest.importorskip("playwright.sync_api", reason="the group `browser` is not installed").expect
NEEDS = {
    "system prompt": "how-to/system-prompt/",
    "failed tool": "how-to/tool-results/",
    "image from a path": "how-to/images/",
    "cache marks": "how-to/cost-and-cache/",
    "usage": "how-to/usage/",
    "policy fields": "how-to/policy/",
    "reading an old file": "how-to/migrate-a-list/",
    "approval": "how-to/approval/",
    "conflict retry": "how-to/many-processes/",
    "testing an agent": "how-to/test-an-agent/",
}


@pytest.mark.parametrize("wanted", NEEDS)
def test_a_newcomer_finds_it_by_search(visit: Visit, site: str, wanted: str) -> None:
    page = visit.page
    page.goto(site)
    search = page.locator("dialog[aria-label=Search]")
    for _ in range(60):  # until the page listens
        page.keyboard.press("Control+k")
        page.wait_for_timeout(500)
        if search.is_visible():
            break
    search.locator("input").first.fill(wanted)
    found = search.locator(f'a[href*="{NEEDS[wanted]}"]')
    expect(found.first).to_be_visible(timeout=30_000)
    assert [url for url in visit.requests if not url.startswith((site, "data:", "blob:"))] == []


@pytest.mark.parametrize("path", ["", "design/", "reference/history/", "dialects/anthropic/", "performance/"])
def test_a_page_loads_from_its_own_host_alone_and_says_no_error(visit: Visit, site: str, path: str) -> None:
    visit.page.goto(site + path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.problems == []
    assert [url for url in visit.requests if not url.startswith((site, "data:", "blob:"))] == []


def test_other_sites_are_shown_a_card_that_is_there(visit: Visit, site: str) -> None:
    visit.page.goto(site)
    card = visit.page.locator("meta[property='og:image']").get_attribute("content") or ""
    assert visit.page.request.get(site + card.partition("/message-history/")[2]).ok


def test_the_states_are_drawn(visit: Visit, site: str) -> None:
    visit.page.goto(f"{site}design/")
    # The drawing is in a closed shadow: only its size tells that it is there.
    expect(visit.page.locator("div.mermaid")).to_be_visible(timeout=15_000)
    box = visit.page.locator("div.mermaid").bounding_box()
    assert box is not None
    assert box["height"] > 200


def test_the_clinic_is_one_click_away(visit: Visit, site: str) -> None:
    visit.page.goto(site)
    visit.page.get_by_role("link", name="The clinic").first.click()
    expect(visit.page.locator("h1")).to_have_text("The clinic")
