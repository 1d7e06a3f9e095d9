"""A page opened from disk in Debian's Chromium, and what it complained about.

Law: a test never asks how things stand at once after an act; it asks until they stand so (`soon`), and
fails with what it found last. Playwright's own wait_for_function evaluates its text within the page, which
the page's policy forbids whenever it has to ask twice. Nothing moves slowly: pages are opened as for people
who asked for that.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
LONG = 300  # seconds until a test gives up, on however busy a machine
STILL = {"reduced_motion": "reduce"}


def soon(ask: Callable[[], Any], wanted: Any, within: float = LONG) -> None:
    """Ask until the answer is the wanted one; at the end of patience fail with the last answer."""
    end, pause = time.monotonic() + within, 0.01
    while (found := ask()) != wanted and time.monotonic() < end:
        time.sleep(pause)
        pause = min(2 * pause, 0.5)
    assert found == wanted


def becomes(page: Any, expression: str, wanted: Any = True, given: Any = None) -> None:
    """Ask a page for an expression until it gives the wanted value."""
    soon(lambda: page.evaluate(expression, given), wanted)


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * LONG)  # five seconds, unless it is said
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=1000 * LONG
        )
        yield browser
        browser.close()


class Opened:
    """A page opened from disk, with everything it complained about."""

    def __init__(self, browser: Any, path: Path, width: int = 1440, **context: Any) -> None:
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, **STILL | context)
        self.context.set_default_timeout(1000 * LONG)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.on("dialog", lambda d: (self.said.append("dialog"), d.dismiss()))
        self.visit(path)

    def visit(self, path: Path) -> None:
        """Open a file in the same tab, and forget what the one before complained about."""
        self.said.clear()
        self.requests.clear()
        self.page.goto(path.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *error: object) -> None:
        self.context.close()

    def quiet(self) -> None:
        assert self.said == []
        assert len(self.requests) == 1  # the file itself

    def fits(self) -> bool:
        becomes(self.page, "document.documentElement.scrollWidth <= innerWidth")
        return True


COLOURS = ("color-contrast", "link-in-text-block")  # the rules that see colours


def axe_findings(page: Any, within: str = "html", rules: Sequence[str] = ()) -> list[str]:
    """Return what axe finds in a part of the page, by all rules or by some, the first place of each."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = Axe().run(page, {"include": [within]}, options).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found]


def tells(page: Any, place: str, text: str, within: float = LONG) -> None:
    """Look at a place of a page until it says a text; at the end of patience fail with what it says."""
    end = time.monotonic() + within
    while text not in (found := page.inner_text(place)) and time.monotonic() < end:
        time.sleep(0.05)
    assert text in found
