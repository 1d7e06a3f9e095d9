import re
import shutil
from xml.etree import ElementTree

import pytest

import tallystick as ts
from tallystick.methods import WORKED
from tallystick.teach.document import (
    Drawing,
    Formula,
    Headline,
    Listing,
    Lowered,
    Over,
    Quoted,
    Raised,
    Ratio,
    Root,
    Sentence,
    Space,
    Value,
    body,
    marked,
    page,
)

CHROMIUM = shutil.which("chromium")


def test_text_of_the_user_is_escaped():
    assert "<script>" not in page((Headline((Quoted("<script>x"),), 1), Drawing(("<b>",))))


def test_a_drawing_keeps_its_lines():
    assert body((Drawing(("a < 1", "├─ b")),)).endswith('<pre tabindex="0">a &lt; 1\n├─ b</pre>\n</div>')


@pytest.mark.slow
@pytest.mark.parametrize("method", WORKED)
def test_no_page_shows_an_escaped_line_end(tennis, method):
    assert not re.search(r"\\[nt]", ts.work(tennis, "Play", method=method, row=0).html())


def test_algebra_is_marked():
    assert marked((Over(("a",), ("b",)),)) == "<sup>a</sup>⁄<sub>b</sub>"
    assert marked(("e", Raised(("x",)), Lowered(("0",)))) == "e<sup>x</sup><sub>0</sub>"
    assert marked((Root(("2π",)), Ratio(2, 6), Value(0.5))) == "√(2π)2/60.5000"


def test_every_part_is_well_formed():
    grid = Listing((("a",), ("n",)), ((("x",), ()), (("y",), ("1",))), frozenset({1}), frozenset({1}), 1)
    parts = (Headline(("T",), 1), Sentence(("s",)), Formula(("H",), ()), grid, Drawing(("├─",)), Space(2))
    inner = body(parts).partition("</style>")[2].strip().replace("&nbsp;", " ")
    tree = ElementTree.fromstring(inner)
    assert [e.tag for e in tree] == ["h1", "p", "p", "div", "pre", "p", "p"]
    assert 'class="won"' in inner
    assert 'class="right open"' in inner


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_page_fits_a_phone_and_says_what_the_text_says(tennis, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    working = ts.work(tennis, "Play", method="bayes")
    working.save(tmp_path / "w.html")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 390, "height": 800})
        view.goto((tmp_path / "w.html").as_uri())
        assert view.title() == "Naive Bayes for Play: the working"
        assert view.evaluate("document.documentElement.scrollWidth") == 390
        text = view.inner_text("main")
        browser.close()
    for line in ("P(No) = 5/14 = 0.3571", "3/5·2/5·4/5·2/5", "Answer: No."):
        assert line in text
