"""tally report: the page is written whole, and what was found is told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from command import call

from tallystick.cli.model import in_words
from tallystick.draw.svg import plain


def test_the_answer_and_the_place_of_the_page_are_told():
    found = SimpleNamespace(answer=("Outlook decides.", "\x1b[2J is rare."), html="x" * 1_260_000)
    told = plain(in_words(found, "r.html")).splitlines()
    assert told == [
        "Outlook decides.",
        "\\x1b[2J is rare.",
        "saved r.html: 1.3 MB; open it in a browser",
    ]
    assert plain(in_words(found, "-")).endswith("saved standard output: 1.3 MB; open it in a browser")


@pytest.mark.slow
def test_the_page_that_is_printed_is_the_page_that_is_saved(inside, capfd):
    line = "tally report play-tennis.csv -t Play --method bayes --folds 2 --repeats 0 --title Tennis -o"
    assert call(f"{line} page.html") == 0
    capfd.readouterr()
    assert call(f"{line} -") == 0
    seen = capfd.readouterr()
    assert seen.out == (inside / "page.html").read_text()
    assert seen.out.startswith("<!")
    assert "saved standard output" in seen.err


@pytest.mark.slow
def test_a_page_is_never_written_over_the_rows(inside, capfd):
    before = (inside / "votes.csv").read_bytes()
    assert call("tally report votes.csv -t party -o ./votes.csv") == 2
    assert "which this command reads" in capfd.readouterr().err
    assert (inside / "votes.csv").read_bytes() == before
