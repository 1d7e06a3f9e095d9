"""The documentation as a site: links lead somewhere, nothing is from outside, a phone and a search work."""

from __future__ import annotations

import functools
import html.parser
import http.server
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import pytest

import tallystick as ts

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
OUTSIDE = re.compile(r"^(?:https?:)?//")
PAGES = ["", "tutorials/first_model/", "reference/methods/", "commands/fit/", "trees/"]


def test_every_public_name_is_in_the_reference():
    text = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs" / "reference").glob("*.md"))
    told = re.findall(r"^::: (.+)$", text, re.MULTILINE)
    things = [getattr(ts, name) for name in ts.__all__ if name != "__version__"]
    paths = [t.__name__ if inspect.ismodule(t) else f"{t.__module__}.{t.__qualname__}" for t in things]
    assert sorted(told) == sorted(paths)
    first = (ROOT / "docs" / "reference" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`ts\.(\w+)`", first)) == set(ts.__all__)


def test_every_page_of_the_documentation_has_its_place():
    listed = set(re.findall(r"[\w/]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    top = {p.name for p in (ROOT / "docs").glob("*.md")}
    tutorials = {f"tutorials/{p.name}" for p in (ROOT / "docs" / "tutorials").glob("*.md")}
    assert (top | tutorials) - listed == set()


class Links(html.parser.HTMLParser):
    """What a page points to, what it loads, and the places in it."""

    def __init__(self) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.leads.append(given["href"])
        elif tag == "link" and "stylesheet" in (given.get("rel") or ""):
            self.loads.append(given["href"])
        elif given.get("src"):
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site():
    """The site, made once by the processes of one run of the tests, which share the folder it is made in."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("Zensical is not installed: pip install 'tallystick[site]'")
    fcntl = pytest.importorskip("fcntl")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    SITE.parent.mkdir(exist_ok=True)
    with (SITE.parent / "site.made").open("a+", encoding="utf-8") as made:
        fcntl.flock(made, fcntl.LOCK_EX)
        made.seek(0)
        if made.read() != run:
            tool = [sys.executable, "tools/make_site.py"]
            done = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            made.truncate(0)
            made.write(run)
    return SITE / ".".join(ts.__version__.split(".")[:2])


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *said):
        pass


def page_of(folder: Path, link: str) -> Path:
    path = (folder / urllib.parse.unquote(link)).resolve() if link else folder
    return path / "index.html" if path.is_dir() else path


@pytest.mark.slow
def test_every_link_leads_somewhere_and_nothing_is_loaded_from_outside(site):
    read: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        read[path] = Links()
        read[path].feed(path.read_text(encoding="utf-8"))
    wrong = []
    for path, page in read.items():
        if path.name == "404.html":  # its links hold from the root of a published site
            continue
        wrong += [f"{path}: loads {link}" for link in page.loads if OUTSIDE.match(link)]
        for link in page.leads:
            where, _, place = link.partition("#")
            if re.match(r"^(?:[a-z]+:|//)", link):
                continue
            target = page_of(path.parent, where) if where else path
            if not target.exists():
                wrong.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif place and target in read and urllib.parse.unquote(place) not in read[target].places:
                wrong.append(f"{path.relative_to(site)}: no place {link}")
    assert wrong == []
    assert len(read) > 60


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed")
@pytest.mark.parametrize("all_", [False, pytest.param(True, marks=pytest.mark.night)], ids=["some", "all"])
def test_pages_are_quiet_fit_a_phone_and_can_be_searched(site, all_):
    from playwright.sync_api import sync_playwright

    handler = functools.partial(Quiet, directory=str(site.parent))
    said: list[str] = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as play:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/"
        home, here = f"{root}{site.name}/", (root, "data:", "blob:")
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(here) else said.append(r.url))
        every = [f"{path.parent.relative_to(site)}/" for path in sorted(site.rglob("index.html"))]
        for name in every if all_ else PAGES:
            page.goto(home + name, wait_until="networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(home, wait_until="networkidle")
        page.keyboard.press("/")
        page.locator("input:focus").wait_for()
        page.keyboard.type("monotone")
        page.get_by_text("Wishes of regulated work").first.wait_for()
        browser.close()
        server.shutdown()
    assert said == []
