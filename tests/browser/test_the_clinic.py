"""The clinic, in a real browser: drop, look, download; and nothing leaves the browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from message_history import check
from message_history.dialects.registry import DIALECTS
from message_history.files.files import read_bytes
from paged.test_transcript_and_changes import HOSTILE, everywhere
from tests.browser.test_pages_in_a_browser import PHONE, conversation

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Visit

expect = pytest.importorskip("playwright.sync_api", reason="the group `browser` is not installed").expect
SAMPLES = Path(__file__).parents[2] / "samples"
LOADED = 120_000
AT_ONCE = 8
"""Chromium asks its user after ten downloads of one page."""

DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true });
    document.querySelector("#drop").dispatchEvent(event);
  }
}"""


def drop(page: Page, name: str, text: str) -> None:
    page.evaluate(DROP, [name, text])
    expect(page.locator("#name")).to_have_text(name, timeout=LOADED)
    page.wait_for_selector("#result:not([hidden])", timeout=LOADED)


@pytest.fixture(scope="module")
def pages(browser: Any, clinic: str) -> Any:
    """One page for most tests, since Python takes its time to load; each starts from what the one before left."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda asked: requests.append(asked.url))
    page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.goto(clinic)
    page.wait_for_selector("body[data-ready]", timeout=LOADED)
    yield page, requests, problems
    page.close()


@pytest.fixture
def page(pages: Any, clinic: str) -> Any:
    """The page; at the end nothing went wrong on it, and nothing went elsewhere."""
    opened, requests, problems = pages
    yield opened
    assert problems == []
    host = clinic.removesuffix("clinic/")
    assert [
        url
        for url in requests
        if not url.startswith((host, f"blob:{host}", "data:image/", "about:srcdoc", "blob:null"))
    ] == []
    assert len([url for url in requests if url.endswith(".wasm")]) == 1


def test_python_in_the_browser_is_the_newest(page: Page) -> None:
    assert "on CPython 3.14." in page.inner_text("#versions")


def test_a_dropped_file_is_examined_and_its_repair_can_be_downloaded_in_every_form(page: Page) -> None:
    text = (SAMPLES / "broken_session.json").read_text()
    drop(page, "broken_session.json", text)
    assert page.inner_text("#name") == "broken_session.json"
    facts = page.locator("#facts .fact").all_inner_texts()
    assert facts[:2] == ["a list of messages", "dialect: anthropic"]
    assert "8 violations" in facts
    assert "6 repairs" in facts
    assert "`tool_use` ids were" in page.inner_text("#violations")
    assert "Added a stub for a call without a result" in page.inner_text("#repairs")
    forms = page.eval_on_selector_all("#form option", "options => options.map((option) => option.value)")
    assert set(forms) == {"own", *DIALECTS}
    download_in(page, forms[:AT_ONCE])


def test_the_other_forms_can_be_downloaded_too(visit: Any, clinic: str) -> None:
    page = visit.page
    page.goto(clinic)
    page.wait_for_selector("body[data-ready]", timeout=LOADED)
    drop(page, "broken_session.json", (SAMPLES / "broken_session.json").read_text())
    forms = page.eval_on_selector_all("#form option", "options => options.map((option) => option.value)")
    assert len(forms) < 2 * AT_ONCE
    download_in(page, forms[AT_ONCE:])


def download_in(page: Page, forms: list[str]) -> None:
    """Download the repaired file in each form, and judge it."""
    for form in forms:
        page.select_option("#form", form)
        with page.expect_download(timeout=LOADED) as taken:
            page.click("#download")
        download = taken.value
        wanted = "broken_session.repaired.json" if form == "own" else f"broken_session.{form}.json"
        assert download.suggested_filename == wanted
        file = read_bytes(Path(download.path()).read_bytes())
        dialect = DIALECTS["anthropic" if form == "own" else form]
        assert file.entries
        assert check(file.entries, dialect) == []


def test_the_conversation_is_shown_and_what_changed(page: Page) -> None:
    drop(page, "broken_session.json", (SAMPLES / "broken_session.json").read_text())
    frame = page.frame_locator("#view")
    frame.locator("#m3").wait_for()
    assert "I will look at the log" in (frame.locator("#m3").text_content() or "")
    frame.locator("#do-marked").click()
    assert frame.locator(".only-marked").count() == 1
    page.click("#see-changes")
    frame.locator(".hunk").first.wait_for()
    assert "12 entries before, 9 after" in frame.locator("header").inner_text()
    page.keyboard.press("ArrowLeft")
    frame.locator("#m3").wait_for()


def test_a_pasted_error_is_explained_and_found_in_the_file_that_got_it(page: Page) -> None:
    error = (
        "Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'messages.2: "
        "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_01log. Each `tool_use` "
        "block must have a corresponding `tool_result` block in the next message.'}}"
    )
    page.fill("#pasted", error)
    page.click("#examine")
    page.wait_for_selector("#explained section")
    assert "anthropic" in page.inner_text("#explained")
    assert "what causes the error" in page.inner_text("#explained")
    assert page.is_hidden("#take")
    page.click("#with-error summary")
    page.fill("#error", error)
    drop(page, "broken_session.json", (SAMPLES / "broken_session.json").read_text())
    assert "entry " in page.inner_text("#explained ul")
    page.fill("#error", "")


def test_a_pasted_list_is_examined(page: Page) -> None:
    page.fill("#pasted", json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]))
    page.click("#examine")
    expect(page.locator("#name")).to_have_text("pasted")
    page.wait_for_selector("#result:not([hidden])")
    assert "no violations" in page.inner_text("#facts")
    assert "Nothing had to be changed" in page.inner_text("#repairs")


def test_nothing_is_examined_when_nothing_was_pasted(page: Page) -> None:
    page.fill("#pasted", "  ")
    page.click("#examine")
    expect(page.locator("#status")).to_contain_text("nothing to examine")


@pytest.mark.parametrize("nothing", ["Dear diary, today it rained.", '{"a": 1}'])
def test_what_holds_no_conversation_is_refused_with_the_reason(page: Page, nothing: str) -> None:
    page.fill("#pasted", nothing)
    page.click("#examine")
    expect(page.locator("#status.wrong")).to_have_text(
        re.compile("pasted: .*it (is neither JSON|holds no list).*; nor is it an error")
    )
    assert page.is_hidden("#result")


def test_a_hostile_file_stays_text(page: Page) -> None:
    entries = [entry for hostile in HOSTILE for entry in everywhere(hostile)]
    drop(page, "<img src=x onerror=alert(1)>.json", json.dumps(entries))
    page.click("#see-changes")
    page.wait_for_timeout(500)
    assert page.inner_text("#name") == "<img src=x onerror=alert(1)>.json"
    assert page.evaluate("document.querySelectorAll('#result :is(script, img, svg)').length") == 0


def test_a_file_of_ten_megabytes_is_repaired(page: Page) -> None:
    text = json.dumps([*conversation(2_000), {"role": "user", "content": "x" * 9_000_000}])
    assert len(text) > 10_000_000
    drop(page, "large.json", text)
    assert "8,001 messages" in page.inner_text("#facts")
    page.select_option("#form", "openai_chat")
    with page.expect_download(timeout=LOADED) as taken:
        page.click("#download")
    file = read_bytes(Path(taken.value.path()).read_bytes())
    assert len(file.entries) > 7_500
    assert check(file.entries, DIALECTS["openai_chat"]) == []


def test_the_sample_shows_what_the_page_can_do(page: Page) -> None:
    page.click("#sample")
    expect(page.locator("#name")).to_have_text("sample.json", timeout=LOADED)
    page.wait_for_selector("#result:not([hidden])")
    assert "8 violations" in page.inner_text("#facts")


def test_what_has_come_of_python_is_shown_while_it_loads(page: Page) -> None:
    page.wait_for_selector("body[data-ready]", timeout=LOADED)
    assert page.eval_on_selector("#loading", "bar => bar.value") > 0.9
    assert page.locator("#loading").is_hidden()


def test_neither_the_page_nor_python_may_connect_to_another_host(visit: Visit, clinic: str) -> None:
    page = visit.page
    page.goto(clinic)
    page.wait_for_selector("body[data-ready]", timeout=LOADED)
    elsewhere = clinic.replace("127.0.0.1", "localhost")
    attempt = f"fetch({elsewhere!r}).then(() => 'sent', () => 'refused')"
    assert page.evaluate(attempt) == "refused"
    (worker,) = page.workers
    assert worker.evaluate(attempt) == "refused"
    assert len([problem for problem in visit.problems if "Content Security Policy" in problem]) >= 1


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_on_a_phone_the_clinic_fits(visit: Visit, clinic: str) -> None:
    page = visit.page
    page.goto(clinic)
    page.wait_for_selector("body[data-ready]", timeout=LOADED)
    page.click("#sample")
    page.wait_for_selector("#result:not([hidden])", timeout=LOADED)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visit.problems == []
