"""The words that tell most: counted in the rows, beyond chance, and classes take turns."""

from __future__ import annotations

import random

import pytest

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.judge.api import candidates_of, compare_read
from tallystick.judge.crossval import FoldOptions
from tallystick.reports.answer import informative_words, word_counts
from tallystick.reports.columns import ranking
from tallystick.reports.context import PageData
from tallystick.reports.page import report_page

KINDS = {"said": "text"}


def texts(count=200):
    """Messages: `win` in most of one class, `home` in most of the other, `the` in all; one has `rare`."""
    chance, out = random.Random(3), []
    for i in range(count):
        spam = i % 4 == 0
        own = ["win", "now"] if spam else ["home", "soon"]
        words = ["the", *(w for w in own if chance.random() < 0.8), *(["rare"] if i == 8 else [])]
        out.append({"said": " ".join(words), "y": "spam" if spam else "ham"})
    return out


def read(rows):
    return ts.NaiveBayes(kinds=KINDS)._read(rows, "y")


def ingredients(rows, method="bayes", kinds=KINDS):
    table = ts.NaiveBayes(kinds=kinds)._read(rows, "y")
    found = compare_read(
        table, FoldOptions.of(3, None, None), candidates_of((method,), False, {"kinds": kinds})
    )
    return PageData("t", table, describe_table("t.csv", table), found, folds=3)


def test_counts_are_those_of_rows_that_have_the_word():
    rows = texts()
    table = read(rows)
    counts, full = word_counts(table, "said")
    labels, words = table.schema.predicted.labels, table.schema["said"].words
    assert full.tolist() == [sum(r["y"] == label for r in rows) for label in labels]
    for k, word in enumerate(words):
        wanted = [sum(r["y"] == label and word in r["said"].split() for r in rows) for label in labels]
        assert counts[k].tolist() == wanted


def test_a_weight_of_two_is_two_rows():
    rows = texts(80)
    model = ts.NaiveBayes(kinds=KINDS)
    table = model._read(rows, "y", [2 if r["y"] == "spam" else 1 for r in rows])
    twice = read([r for r in rows for _ in range(2 if r["y"] == "spam" else 1)])
    assert word_counts(table, "said")[0].tolist() == word_counts(twice, "said")[0].tolist()


def test_words_furthest_beyond_chance_are_told_and_classes_take_turns():
    found = informative_words(read(texts()), "said", 4)
    table = read(texts())
    told = {(w.word, table.schema.predicted.labels[w.label]) for w in found}
    assert told == {("win", "spam"), ("now", "spam"), ("home", "ham"), ("soon", "ham")}
    assert all(w.share == 1 for w in found)
    rows = texts()
    assert next(w.rows for w in found if w.word == "win") == sum("win" in r["said"] for r in rows)


def test_a_word_of_one_row_is_not_told():
    assert "rare" not in {w.word for w in informative_words(read(texts(2000)), "said", 8)}


@pytest.mark.slow
def test_the_first_screen_shows_words_where_columns_would_stand():
    given = ingredients(texts())
    found = ranking(given)
    assert found["alone"]  # nothing to rank
    assert {r["word"] for r in found["words"]["rows"]} >= {"win", "home"}
    text, _ = report_page(given)
    assert "The words that tell most" in text
    assert "What each column tells" not in text
    assert "which the model does not look at" not in text


def test_beside_other_columns_a_text_is_told_by_its_best_word():
    more = [{n: (i * k) % 31 for k, n in enumerate("nmkj", 7)} for i in range(200)]
    pairs = zip(texts(), more, strict=True)
    rows = [r | {n: v + 8 * (r["y"] == "spam") for n, v in m.items()} for r, m in pairs]
    found = ranking(ingredients(rows))
    said = next(r for r in found["rows"] if r["name"] == "said")
    assert said["says"] in ("win: 100 % spam", "now: 100 % spam")
    assert found["words"] is None  # no room


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tree"])
def test_a_text_that_the_model_does_not_look_at_is_said_to_be_so(method):
    rows = [r | {"id": 2 * i + 1000 * (r["y"] == "spam")} for i, r in enumerate(texts())]
    given = ingredients(rows, method, KINDS | {"id": "numeric"})
    found = ranking(given)
    assert [r["name"] for r in found["rows"]] == ["id"]
    assert found["words"]["used"] is False
    assert "which the model does not look at" in report_page(given)[0]
