"""Figures of tables that do not come with the package: lessons give those of the program's own defaults, and
the night run is red where they differ.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path

import pytest
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick.teach.lessons import LESSONS

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("subject:", "from:", "organization:", "lines:")  # the other headers give the group away
KINDS = {"text": "text"}
COMPLEMENT = {"text": "complement"}


def notice(name):
    return " ".join(LESSONS[name].notice)


def articles():
    """The 19,997 articles as a column, without the headers that name their group."""
    csv.field_size_limit(1 << 30)
    out = {"text": [], "newsgroup": []}
    with gzip.open(shared("20newsgroups/20news-19997"), "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            head, _, body = row["text"].partition("\n\n")
            lines = [line for line in head.split("\n") if line.lower().startswith(KEPT)]
            out["text"].append("\n".join(lines) + "\n\n" + body)
            out["newsgroup"].append(row["newsgroup"])
    return out


@pytest.mark.night
@needs_data
@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (r"(\S+) with the Laplace correction", {}),
        (r"(\S+) with a smaller one \(m·p = 0.01\)", {"alpha": 0.01}),
        (r"(\S+) with the words of the other classes", {"distributions": COMPLEMENT}),
    ],
)
def test_the_figures_of_20_newsgroups_are_those_of_the_program(words, settings):
    model = ts.NaiveBayes(kinds=KINDS, **settings)
    found = ts.cross_validate(model, articles(), "newsgroup", folds=(2 / 3, 1 / 3))
    assert re.search(words, notice("text"))[1] == f"{found.accuracy:.4f}"


@pytest.mark.night
@needs_data
@pytest.mark.parametrize(
    ("words", "settings"),
    [(r"(\S+) on counts", {}), (r"(\S+) with complement", {"distributions": COMPLEMENT})],
)
def test_the_figures_of_20_newsgroups_by_date_are_those_of_the_program(words, settings):
    model = ts.NaiveBayes(kinds=KINDS | {"doc_id": "out"}, **settings)
    train, test = shared("20newsgroups/20news-bydate-train"), shared("20newsgroups/20news-bydate-test")
    found = ts.cross_validate(model, train, "newsgroup", held_out=test)
    assert re.search(words, notice("text"))[1] == f"{found.accuracy:.4f}"


def test_the_figures_of_pima_are_those_of_the_gallery():
    """Which the night run draws again."""
    figures = json.loads((ROOT / "docs" / "gallery" / "curves.json").read_text(encoding="utf-8"))["pima.csv"]
    told = notice("generative")
    for at in (0, -1):
        one, two = (
            f"{m['error'][at]:.4f} ± {(m['high'][at] - m['low'][at]) / 2:.4f}" for m in figures["methods"]
        )
        assert f"{figures['sizes'][at]:,} rows {one} against {two}" in told
    assert f"{figures['repeats']:,} random splits" in told
