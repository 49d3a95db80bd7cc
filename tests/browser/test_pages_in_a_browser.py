"""The pages that `show --html` writes, in a real browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history.formats.reading import session_in
from message_history_pages import changes_page, transcript_page
from paged.test_transcript_and_changes import HOSTILE, PNG, everywhere

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Visit

expect = pytest.importorskip("playwright.sync_api", reason="the group `browser` is not installed").expect
PHONE = {"viewport": {"width": 390, "height": 844}}


def conversation(turns: int) -> list[Any]:
    entries: list[Any] = []
    for n in range(turns):
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"output of {n}\n" * (n % 40)}
        entries += [
            {"role": "user", "content": f"Question {n}: what about the rounding of totals?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": f"Let me see. {'word ' * (n % 90)}"},
                    {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": f"folder/file{n}.txt"}},
                ],
            },
            {"role": "user", "content": [result] if n % 97 != 5 else [{"type": "text", "text": " "}]},
            {"role": "assistant", "content": f"Needle{n}. {'done ' * (n % 60)}"},
        ]
    return entries


def write(folder: Path, entries: list[Any], *, diff: bool = False) -> str:
    session = session_in(json.dumps(entries).encode())
    main = session.conversations[0]
    if diff:
        after = session.repair_file()
        repairs = dict(after.repairs)[""]
        page = changes_page("name", main.file, after.after.conversations[0].file, main.violations(), repairs)
    else:
        page = transcript_page("name", main.file, main.violations())
    path = folder / "page.html"
    path.write_bytes(page)
    return path.as_uri()


def at_top(visit: Visit) -> str:
    found: str = visit.page.evaluate(
        "() => [...document.querySelectorAll('.message[id]')].find((m) => m.getBoundingClientRect().bottom > 80).id"
    )
    return found


@pytest.mark.parametrize("diff", [False, True])
def test_a_hostile_conversation_runs_nothing_and_asks_for_nothing(visit: Visit, tmp_path: Path, diff: bool) -> None:
    entries = [entry for hostile in HOSTILE for entry in everywhere(hostile)]
    url = write(tmp_path, entries, diff=diff)
    visit.page.goto(url)
    visit.page.click("#do-open")
    visit.page.wait_for_timeout(300)
    assert visit.requests == [url]
    assert visit.problems == []
    assert (
        visit.page.evaluate("document.querySelectorAll('#messages :is(script, iframe, object, form, input)').length")
        == 0
    )


def test_the_page_may_not_connect_or_run_what_is_put_into_it(visit: Visit, tmp_path: Path) -> None:
    visit.page.goto(write(tmp_path, conversation(1)))
    visit.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "globalThis.ran = true";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/image.png";
          document.body.append(image);
        }"""
    )
    visit.page.wait_for_timeout(200)
    assert visit.page.evaluate("globalThis.ran") is None
    assert len(visit.problems) == 2
    assert all("Content Security Policy" in problem for problem in visit.problems)


def test_ten_thousand_messages_can_be_searched_and_walked_through(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.page.goto(write(tmp_path, conversation(2_500)), timeout=60_000)
    assert page.locator(".message").count() > 9_900
    took = page.evaluate(
        """async () => {
          const start = performance.now();
          const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          const search = document.querySelector("#search");
          search.value = "needle2400";
          search.dispatchEvent(new Event("input"));
          await new Promise((done) => setTimeout(done, 130));
          await frame();
          document.querySelector("#do-next").click();
          await frame();
          return performance.now() - start;
        }"""
    )
    assert took < 5_000
    assert page.inner_text("#matches") == "1 of 1"
    assert "Needle2400" in page.inner_text(".message.here")
    assert page.evaluate("CSS.highlights.get('here').size") == 1
    page.wait_for_timeout(200)
    assert page.evaluate("document.querySelector('.here').getBoundingClientRect().top") < 200
    assert visit.problems == []


def test_keys_lead_from_mark_to_mark_and_from_match_to_match(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    page.goto(write(tmp_path, conversation(12)))
    marked = page.evaluate("[...document.querySelectorAll('.marked')].map((m) => m.id)")
    assert len(marked) >= 2
    page.keyboard.press("n")
    assert page.get_attribute(".here", "id") == marked[0]
    page.keyboard.press("n")
    assert page.get_attribute(".here", "id") == marked[1]
    page.keyboard.press("p")
    assert page.get_attribute(".here", "id") == marked[0]
    page.keyboard.press("/")
    page.keyboard.type("file7.txt")
    expect(page.locator("#matches")).to_have_text("in 1 message")
    page.keyboard.press("Enter")
    assert "read" in page.inner_text(".here")
    # The match is in a folded call.
    assert page.evaluate("document.querySelector('.here details.call').open") is True
    page.keyboard.press("Escape")
    assert page.inner_text("#matches") == ""
    page.keyboard.press("c")
    assert page.evaluate("document.querySelectorAll('#messages details[open]:not(.removed)').length") == 0
    page.keyboard.press("e")
    assert page.evaluate("document.querySelectorAll('#messages details:not([open]):not(.added)').length") == 0
    page.keyboard.press("m")
    assert page.evaluate("[...document.querySelectorAll('.message')].filter((m) => m.offsetParent).length") == len(
        marked
    )
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    assert not page.is_visible("#keys")
    assert visit.problems == []


def test_the_map_leads_to_the_place_that_is_clicked(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    page.goto(write(tmp_path, conversation(200)))
    box = page.locator("#map").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 10, box["y"] + box["height"] - 3)
    page.wait_for_timeout(300)
    assert int(at_top(visit)[1:]) > 700
    page.mouse.click(box["x"] + 10, box["y"] + 2)
    page.wait_for_timeout(300)
    assert int(at_top(visit)[1:]) < 10
    drawn = page.evaluate(
        """() => { const map = document.querySelector("#map");
          return new Set(map.getContext("2d").getImageData(0, 0, map.width, map.height).data).size; }"""
    )
    assert drawn > 5
    assert visit.problems == []


def test_a_link_leads_to_a_message(visit: Visit, tmp_path: Path) -> None:
    visit.page.goto(write(tmp_path, conversation(200)) + "#m600")
    visit.page.wait_for_timeout(300)
    assert at_top(visit) in ("m599", "m600")


def test_light_and_dark_follow_the_system_until_the_reader_chooses(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    page.emulate_media(color_scheme="dark")
    page.goto(write(tmp_path, conversation(1)))
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.keyboard.press("t")
    light = page.evaluate(background)
    assert dark != light
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == light
    page.keyboard.press("t")
    assert page.evaluate(background) == dark


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
@pytest.mark.parametrize("diff", [False, True])
def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Visit, tmp_path: Path, diff: bool) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    wide = [{"role": "user", "content": [{"type": "text", "text": "x" * 3_000}, image]}, *conversation(6)]
    visit.page.goto(write(tmp_path, wide, diff=diff))
    visit.page.click("#do-open")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visit.problems == []


def test_a_picture_is_shown_in_its_place(visit: Visit, tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    url = write(tmp_path, [{"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]}])
    visit.page.goto(url)
    assert visit.page.evaluate("document.querySelector('#m0 img').naturalWidth") == 1
    assert [asked for asked in visit.requests if not asked.startswith("data:")] == [url]


def test_without_scripts_everything_can_be_read(visit: Visit, tmp_path: Path) -> None:
    assert visit.page.context.browser is not None
    page = visit.page.context.browser.new_page(java_script_enabled=False)
    page.goto(write(tmp_path, conversation(3)))
    assert "Question 2" in page.inner_text("#m8")
    page.click("#m1 summary")
    assert "folder/file0.txt" in page.inner_text("#m1 details dd")
    page.close()
