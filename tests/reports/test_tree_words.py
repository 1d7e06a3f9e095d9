"""What a tree tells: at most two conditions in a sentence, and what is said is counted in the rows."""

from __future__ import annotations

import re

import pytest

import tallystick as ts
from tallystick.tree.report import tree_sentences

SAID = re.compile(r"Where (.+), (\S+)(?: of 100)? are (\S+) \((\d+) rows\)\.")


def sentences(rows, **settings):
    model = ts.DecisionTree(**settings)
    table = model._read(rows, "y")
    return [str(s) for s in tree_sentences(model._fit_table(table).model_, table, ())]


def four(missing=()):
    """Three columns that tell the class only together."""
    out = []
    for i in range(480):
        a, b, c = "pq"[i % 2], "rs"[i // 2 % 2], "tu"[i // 4 % 2]
        y = "yes" if (a == "p") + (b == "r") + (c == "t") >= 2 else "no"
        out.append({"a": None if i in missing else a, "b": b, "c": c, "y": y})
    return out


@pytest.mark.parametrize("missing", [(), range(0, 480, 12)])
def test_a_sentence_has_two_conditions_at_most_and_its_rows_are_counted(missing):
    rows = four(missing)
    told = [s for s in sentences(rows, min_samples_leaf=1) if s.startswith("Where")]
    assert len(told) == 2
    for said in told:
        where, share, label, many = SAID.fullmatch(said).groups()
        tests = re.findall(r"\(?([abc]) = (\w)( or missing)?\)?", where)
        assert 1 <= len(tests) <= 2
        here = [r for r in rows if all(r[n] == v or (m and r[n] is None) for n, v, m in tests)]
        assert len(here) == int(many)
        hits = sum(r["y"] == label for r in here) / len(here)
        assert share == ("all" if hits == 1 else str(round(100 * hits)))


def test_missing_is_not_spoken_of_where_nothing_was_missing():
    assert "missing" not in " ".join(sentences(four()))
    assert "missing" in " ".join(sentences([r | {"a": r["a"] if r["a"] == "p" else None} for r in four()]))


def test_few_rows_are_counted_and_not_told_as_shares_of_a_hundred():
    rows = [{"a": "pq"[i % 2], "b": "rs"[i // 2 % 2], "y": "yn"[(i % 2) & (i // 2 % 2)]} for i in range(24)]
    told = " ".join(sentences(rows, min_samples_leaf=1))
    assert re.search(r"\d+ of \d+ rows are", told) or "One column" in told
    assert "of 100 of" not in told


def test_no_two_sentences_have_one_condition():
    """Two classes fill the low numbers in equal parts; others lie above, each in a part of its own."""
    rows = [{"x": i % 50, "y": "ab"[i % 2]} for i in range(400)]
    rows += [{"x": 50 + i % 200, "y": "cdefgh"[i % 200 // 34]} for i in range(800)]
    told = [s for s in sentences(rows, min_samples_leaf=20) if s.startswith("Where")]
    where = [s.split(", ")[0] for s in told]
    assert len(told) == 2
    assert len(set(where)) == 2
