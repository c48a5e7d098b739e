"""Public reports about the pages of other tools, rebuilt in Chromium with inputs of our own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import hopyard
from hopyard.state.settings.sources import home
from hopyard.testing import DOCUMENTS, WordEmbedder
from hopyard.web import runs

from .conftest import QUESTION
from .page import PLAIN, LiveServer, Page, look, wait_for
from .typist import Typist

pytestmark = pytest.mark.server
TELEPHONE = ("light", 390, 844)
DRAWN = """
window.frameCount = window.draws = 0;
const frame = () => { window.frameCount += 1; requestAnimationFrame(frame); };
frame();
const written = ({ target }) => target.parentElement?.closest(".writing");
new MutationObserver((found) => { window.draws += found.some(written); })
  .observe(document.body, { subtree: true, childList: true, characterData: true });
"""
"""Counts the frames of the browser, and how often the page has drawn an answer again."""


@pytest.fixture
def typist() -> Typist:
    return Typist().register()


@pytest.fixture
def server(typist: Typist, tmp_path: Path) -> Iterator[LiveServer]:
    hopyard.register_embedding("words", WordEmbedder())
    hopyard.build_index(tmp_path / "index", DOCUMENTS, chunk_tokens=0, embedding="words")
    with LiveServer(tmp_path / "index", model="typist", **{"answer.check": "rules"}) as made:
        yield made


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Page:
    return Page(browser, server)


def threads(server: LiveServer) -> list[dict[str, Any]]:
    found = httpx.get(f"{server.address}/api/threads", **PLAIN).json()["threads"]
    return list(found)


def test_a_double_click_asks_once_and_stops_nothing(
    page: Page, browser: Any, server: LiveServer, typist: Typist
) -> None:
    """zulip 22562, buoy 141: here the second click would hit Stop, which takes the place of Ask."""
    from selenium.webdriver import ActionChains

    def answers() -> int:
        return len(browser.find_elements("css selector", ".turns a.mark"))

    for asked in range(2):
        wait_for(lambda: page.find("form.ask button[type=submit]"))
        page.find("textarea").send_keys(QUESTION)
        ActionChains(browser).double_click(page.find("form.ask button[type=submit]")).perform()
        typist.write("In 1781 [1].")
        typist.end()
        wait_for(partial(lambda before: answers() > before, asked))
        assert page.text("main .problem") == ""
    assert len(threads(server)) == 1


def test_stop_before_the_server_has_answered(page: Page, server: LiveServer) -> None:
    """open-webui 14384."""
    server.slow = 1.5
    page.ask(QUESTION)
    wait_for(lambda: page.find("form.ask button[type=button]")).click()
    page.shows("main", "Stopped.")
    [thread] = threads(server)
    assert not thread["running"]
    assert not thread["finished"]


def test_a_question_that_cannot_be_sent_is_not_lost(page: Page, server: LiveServer) -> None:
    """openchamber 1792, open-webui/computer 267."""
    server.broken = True
    page.ask(QUESTION)
    wait_for(lambda: page.text("main .problem"))
    assert page.find("textarea").get_property("value") == QUESTION
    server.broken = False
    page.find("form.ask button[type=submit]").click()
    wait_for(lambda: len(threads(server)) == 1)


def test_a_proxy_that_fails_for_a_moment(page: Page, server: LiveServer, typist: Typist) -> None:
    """opencode 40910: a browser gives up its stream at a 502. vayu 21: each word comes once."""
    page.ask(QUESTION)
    typist.write("In ")
    page.shows("main .writing", "In")
    server.broken = True
    typist.write("the year ")
    page.shows("main .problem", "Bad Gateway")
    server.broken = False
    wait_for(lambda: page.text("main .writing").strip() == "In the year")
    typist.write("1781 [1].")
    typist.end()
    page.shows("main .answer", "In the year 1781 [1].")
    assert page.text("main .problem") == ""


def test_a_reload_shows_the_words_before_it(page: Page, browser: Any, typist: Typist) -> None:
    """open-webui 29596, epam/ai-dial-chat 7558."""
    page.ask(QUESTION)
    typist.write("It was opened ")
    page.shows("main .writing", "It was opened")
    browser.refresh()
    typist.write("in 1781 [1].")
    page.shows("main .writing", "It was opened in 1781 [1].")
    typist.end()
    page.shows("main .turns a.mark", "[1]")


def test_enter_in_an_input_method_sends_nothing(
    page: Page, browser: Any, server: LiveServer
) -> None:
    """open-webui 16608: Safari ends the composition before the key that confirms it."""
    page.find("textarea").send_keys(QUESTION)
    press = (
        "document.querySelector('textarea').dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'Enter', keyCode: arguments[0], isComposing: arguments[1], bubbles: true}))"
    )
    browser.execute_script(press, 229, False)
    browser.execute_script(press, 13, True)
    assert threads(server) == []
    browser.execute_script(press, 13, False)
    wait_for(lambda: threads(server))


def test_the_page_follows_an_answer_until_the_person_scrolls(
    page: Page, browser: Any, typist: Typist
) -> None:
    """hermes-webui 677, dark-factory-experiment 215."""

    def at(place: str) -> float:
        return float(browser.execute_script(f"return {place}"))

    left = "document.scrollingElement.scrollHeight - scrollY - innerHeight"
    for number in range(2):
        page.ask(QUESTION)
        typist.write("\n\n".join(f"Bridge {line} is of {1700 + line} [1]." for line in range(60)))
        page.shows("main .writing", "Bridge 59 is")
        grown = "document.querySelector('main .turns > li:last-child .steps').style.height"
        for height in ("2000px", ""):  # as the drawing grows after the last token
            browser.execute_script(f"{grown} = '{height}'")
            wait_for(lambda: at(left) < 5)
        if number:
            break
        typist.end()
        wait_for(lambda: page.find("form.ask button[type=submit]"))
    browser.execute_script("scrollBy(0, -600)")
    seen = """(() => {
      const {startContainer, startOffset} = document.caretRangeFromPoint(400, 300);
      const text = document.createRange();
      text.selectNodeContents(startContainer.parentElement.closest("main article, main .answer"));
      text.setEnd(startContainer, startOffset);
      return text.toString().match(/Bridge (\\d+)/g).pop().slice(7);
    })()"""
    before = at(seen)
    typist.write("\n\nA last line.")
    page.shows("main .writing", "A last line.")
    assert at(seen) == before
    typist.end()
    wait_for(lambda: len(browser.find_elements("css selector", "main .answer:not(.writing)")) == 2)
    assert at(seen) == before


def test_a_long_answer_leaves_the_page_quick(page: Page, browser: Any, typist: Typist) -> None:
    """agent-chat-ui 201, shinychat 164, Chainlit 2604: drawn once a frame, not once a token."""
    browser.execute_script(DRAWN)
    page.ask(QUESTION)
    for number in range(600):
        typist.write(f"word {number} " + ("\n\n" if number % 50 == 0 else ""))
    page.shows("main .writing", "word 599")
    frames, draws = browser.execute_script("return [frameCount, draws]")
    typist.end()
    wait_for(lambda: page.find("main .turns .citations button"))
    assert 0 < draws <= frames + 2


def test_on_a_telephone_the_question_stands_above_the_keyboard(
    page: Page, browser: Any, typist: Typist
) -> None:
    """sandialabs/atlas-ui-3 745."""
    look(browser, *TELEPHONE)
    page.ask(QUESTION)
    typist.write("Word. " * 400)
    page.shows("main .writing", "Word.")
    look(browser, "light", 390, 400)
    box = page.find("textarea").rect
    top = box["y"] - float(browser.execute_script("return scrollY"))
    assert 0 <= top <= 400 - box["height"]
    look(browser, "light", 1280, 900)


def ask_as_client(server: LiveServer, *said: str) -> Any:
    """A streamed request of an OpenAI client, over a connection of its own."""
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(said)]
    body = {"messages": messages, "stream": True}
    address = f"{server.address}/v1/chat/completions"
    return httpx.stream("POST", address, json=body, **PLAIN)


def test_stop_in_a_client_stops_the_run_and_the_conversation_goes_on(
    server: LiveServer, typist: Typist
) -> None:
    """open-webui 456, 1166, anything-llm 5424: the model wrote on after Stop."""
    with ask_as_client(server, QUESTION) as stream:
        typist.write("It was opened ")
        next(line for line in stream.iter_lines() if "It was opened" in line)
    wait_for(lambda: [each["running"] for each in threads(server)] in ([None], [False]))
    assert not threads(server)[0]["finished"]
    wait_for(lambda: typist.stopped == 1)
    with ask_as_client(server, QUESTION, "It was opened", "Go on.") as stream:
        typist.write("In 1781 [1].")
        typist.end()
        assert "[DONE]" in [*stream.iter_lines()][-2]
    assert any("It was opened" in request and "Go on." in request for request in typist.asked)
    assert sorted(each["finished"] for each in threads(server)) == [False, True]


def test_a_server_that_ends_says_so_in_its_streams(server: LiveServer, typist: Typist) -> None:
    """open-webui 29628, any-llm 847: the stream broke off and looked like an empty answer."""
    with ask_as_client(server, QUESTION) as stream:
        typist.write("It was opened ")
        lines = stream.iter_lines()
        next(line for line in lines if "It was opened" in line)
        server.stop()
        rest = [line for line in lines if line]
    assert "The server was stopped" in rest[-2]
    assert '"error"' in rest[-2]
    assert rest[-1] == "data: [DONE]"
    [note] = (home() / "serving").glob("*.json")
    assert QUESTION in note.read_text("utf-8")  # the run continues at the next start


def test_the_steps_of_a_run_that_begins_late_are_not_asked_for_before(
    page: Page, browser: Any, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the page asked for steps before the store had the thread: 404."""
    settings_of, go = runs.thread_settings, threading.Event()

    async def late(*given: Any) -> Any:
        await asyncio.to_thread(go.wait, 90)
        return await settings_of(*given)

    monkeypatch.setattr(runs, "thread_settings", late)
    page.complaints()
    page.ask(QUESTION)
    wait_for(lambda: "#" in browser.current_url)
    browser.refresh()
    page.shows("main", "Working…")
    time.sleep(0.8)
    go.set()
    typist.write("In 1781 [1].")
    typist.end()
    wait_for(lambda: page.find("a.mark"))
    assert page.complaints() == []


@pytest.fixture
def approving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_APPROVE", "reading")


@pytest.mark.usefixtures("approving")
def test_an_approval_is_a_button(page: Page, typist: Typist) -> None:
    page.find("form.ask summary").click()
    wait_for(lambda: page.find("select[name=strategy] option[value=every]")).click()
    page.ask(QUESTION)
    wait_for(lambda: page.find(".waiting button"))
    assert "calls" in page.text(".waiting pre")
    assert not typist.asked
    page.find(".waiting button").click()
    wait_for(lambda: typist.asked)
    assert page.find(".waiting") is None
    typist.end()
