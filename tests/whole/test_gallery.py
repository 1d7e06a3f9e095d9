"""The gallery says of its curves what their figures show, and nothing of bands that overlap."""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import curve_sentences  # noqa: E402
import make_gallery  # noqa: E402

FIGURES = json.loads((ROOT / "docs" / "gallery" / "curves.json").read_text(encoding="utf-8"))


def curve(bayes, logistic, half=0.01, sizes=(10, 100)):
    """Return figures of two curves whose bands are `half` wide on each side."""
    methods = [
        {"error": list(e), "low": [v - half for v in e], "high": [v + half for v in e]}
        for e in (bayes, logistic)
    ]
    return {"methods": methods, "sizes": list(sizes), "repeats": 100}


def test_the_page_says_what_the_figures_show():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert page.endswith(make_gallery.curves_page(FIGURES))


def test_the_figures_are_of_the_published_pair_on_fifteen_tables():
    assert len(FIGURES) == len(make_gallery.NG_JORDAN) == 15
    for entry in make_gallery.NG_JORDAN:
        bayes, logistic = (m["name"] for m in FIGURES[entry.file]["methods"])
        shared = "--method bayes-gaussian-shared" in entry.command  # one variance of a column
        assert bayes == ("naive Bayes, shared variance" if shared else "naive Bayes")
        assert logistic == "logistic regression, l2=1e-6"
        assert FIGURES[entry.file]["repeats"] >= 40


def test_naive_bayes_is_first_on_three_of_the_eight_tables_of_numbers_and_the_curves_cross():
    numeric = [FIGURES[e.file] for e in make_gallery.NG_JORDAN if "gaussian-shared" in e.command]
    assert len(numeric) == 8
    assert [curve_sentences.lower(c, 0) for c in numeric].count(0) == 3
    pima = FIGURES["pima.csv"]
    assert [round(m["error"][0], 4) for m in pima["methods"]] == [0.3252, 0.3528]
    assert curve_sentences.lower(pima, -1) == 1


def test_fifteen_panels_are_one_picture_of_the_figures():
    drawn = (ROOT / "docs" / "gallery" / "curves.svg").read_text(encoding="utf-8")
    assert drawn == make_gallery.figure(FIGURES)
    assert drawn.count("<polyline") == 30
    assert all(f">{escape(entry.title)}<" in drawn for entry in make_gallery.NG_JORDAN)


def test_a_figure_that_differs_is_found():
    assert make_gallery.differences(FIGURES) == []
    other = FIGURES | {"pima.csv": FIGURES["pima.csv"] | {"base_error": 0.5}}
    assert make_gallery.differences(other) == ["pima.csv: the figures differ"]


def test_bands_that_overlap_are_told_apart_by_nobody():
    assert curve_sentences.lower(curve((0.2, 0.1), (0.21, 0.05)), 0) is None
    assert curve_sentences.lower(curve((0.2, 0.1), (0.21, 0.05)), -1) == 1
    assert curve_sentences.lower(curve((0.2, 0.1), (0.3, 0.05)), 0) == 0
    row = curve_sentences.table_row("A", curve((0.2, 0.1), (0.21, 0.05)))
    first, last = "0.2000 ± 0.0100 | 0.2100 ± 0.0100", "0.1000 ± 0.0100 | **0.0500 ± 0.0100**"
    assert row == f"| A | 10 | {first} | 100 | {last} |  | 100 |"


@pytest.mark.parametrize(
    ("bayes", "logistic", "told"),
    [((0.1, 0.1), (0.2, 0.05), True), ((0.1, 0.1), (0.105, 0.05), False), ((0.2, 0.1), (0.1, 0.2), False)],
)
def test_a_crossing_is_told_where_the_lead_passes_from_one_to_the_other(bayes, logistic, told):
    found = curve_sentences.table_row("A", curve(bayes, logistic))
    assert ("between 10 and 100 rows" in found) == told


def test_the_summary_counts_the_tables():
    curves = [curve((0.1, 0.1), (0.2, 0.05)), curve((0.2, 0.1), (0.1, 0.1)), curve((0.2, 0.1), (0.2, 0.05))]
    told = curve_sentences.summary(curves)
    assert "smallest size the bands separate on two of the three tables: naive Bayes is lower on one" in told
    assert "largest size the bands separate on two of the three tables: naive Bayes is lower on no" in told
    assert "The lead passes from naive Bayes to logistic regression on one." in told


def test_a_curve_is_settled_from_where_it_stays_within_its_last_band():
    assert curve_sentences.settled(curve((0.3, 0.105, 0.1), (0.3, 0.2, 0.1), sizes=(10, 20, 40)), 0) == 20
    assert curve_sentences.settled(curve((0.3, 0.105, 0.1), (0.3, 0.2, 0.1), sizes=(10, 20, 40)), 1) == 40
