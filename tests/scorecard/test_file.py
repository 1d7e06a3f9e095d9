"""The card's part of the model file: what does not fit the schema is refused; nothing fills the memory."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from model_files import signed
from small_models import CARD, SCHEMA, card, whole

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data
from tallystick.schema import Column, Schema, Target
from tallystick.scorecard.file import FILE, MODEL, check
from tallystick.scorecard.model import WordPoints

GOOD = {"model": card().to_dict(), "parameters": {**CARD}}
TEXT = Schema((Column("t", "text", words=("u", "v")),), SCHEMA.target)
WORDS = WordPoints("t", (1, 0), whole([12], [-3]), whole([6, 4], [1, 2]), 2)
SPOKEN = {"model": replace(card(parts=(WORDS,)), schema=TEXT).to_dict(), "parameters": {**CARD}}


def test_a_good_file_passes():
    for document, schema in ((GOOD, SCHEMA), (SPOKEN, TEXT)):
        MODEL.check(document["model"], "model", {})
        check(document, schema)
    assert FILE.check is check


LINES = sum(len(part["points"]) for part in GOOD["model"]["parts"])
SPREAD = {"base": [1.5], "factors": [[[1] * (LINES + 1), [-2] * (LINES + 1)]], "units": [0.25]}


def test_how_errors_go_together_may_stand_in_a_file_and_may_be_lacking():
    document = deepcopy(GOOD)
    assert "spread" not in document["model"]
    document["model"]["errors"] = [[[2.0]] * len(part["points"]) for part in document["model"]["parts"]]
    document["model"]["spread"] = SPREAD
    MODEL.check(document["model"], "model", {})
    check(document, SCHEMA)


def line(points, rows):
    return lambda m, p: m["parts"][0].update(points=points, rows=rows)


BAD = [
    ("not those of the class labels", lambda m, p: m.update(base=[0, 0])),
    ("'x' stands twice on the card", lambda m, p: m["parts"].append(m["parts"][0])),
    ("'a' × 'x' stands twice", lambda m, p: m["parts"].append(m["parts"][2])),
    (
        "'a' × 'x' stands twice",
        lambda m, p: m["parts"].append(
            m["parts"][2] | {"first": m["parts"][2]["second"], "second": m["parts"][2]["first"]}
        ),
    ),
    ("'x' × 'x' stands twice", lambda m, p: m["parts"][2].update(second=m["parts"][2]["first"])),
    ("column 'nobody' is not one that has ranges", lambda m, p: m["parts"][0].update(name="nobody")),
    ("column 'y' is not one that has ranges", lambda m, p: m["parts"][0].update(name="y")),
    (
        "column 'a' is not one that has ranges",
        lambda m, p: m["parts"][0].update(name="a") or m["parts"].pop(1),
    ),
    ("the ranges of column 'x' do not rise", lambda m, p: m["parts"][0].update(cuts=[3.0, 1.5])),
    ("the ranges of column 'x' do not rise", lambda m, p: m["parts"][0].update(cuts=[1.5, 1.5])),
    ("'x' needs points and rows for each of 5 lines", lambda m, p: m["parts"][0]["cuts"].append(4.0)),
    ("'x' needs points and rows for each of 4 lines", lambda m, p: m["parts"][0]["points"].pop()),
    ("'x' needs points and rows for each of 4 lines", lambda m, p: m["parts"][0]["rows"].pop()),
    ("'a' × 'x' needs points and rows for each of 12 lines", lambda m, p: m["parts"][2]["points"].pop()),
    ("the lines of column 'a' are not those of its levels", lambda m, p: m["parts"][1].update(line=[0])),
    ("the lines of column 'a' are not those of its levels", lambda m, p: m["parts"][1].update(line=[0, 2])),
    ("the lines of column 'a' are not those of its levels", lambda m, p: m["parts"][1].update(line=[1, 1])),
    ("the rows of 'x' are too many", line([[1]] * 4, [[2**62, 2**62]] * 4)),
    ("not a standard error for each line", lambda m, p: m.update(errors=[[[1.0]]])),
    (
        "errors have in common is not that of each line",
        lambda m, p: m.update(spread=SPREAD | {"factors": [[[1]]]}),
    ),
    ("errors have in common is not that of each line", lambda m, p: m.update(errors=[], spread=SPREAD)),
    ("a column without points", lambda m, p: m.update(left_out=["x"])),
    ("must rise", lambda m, p: p.update(cuts={"x": [2, 1]})),
    ("l2 must be a number above 0", lambda m, p: p.update(l2=0)),
]
BAD_WORDS = [
    ("column 't' has a word that is not in its vocabulary", lambda m, p: m["parts"][0].update(words=[0, 2])),
    ("'t' needs points and rows for each of 3 lines", lambda m, p: m["parts"][0].update(words=[0, 1, 1])),
    ("of 0 lines, at least one", lambda m, p: m["parts"][0].update(words=[], points=[], rows=[])),
]


@pytest.mark.parametrize("number", range(len(BAD + BAD_WORDS)))
def test_a_file_that_does_not_fit_is_refused_with_its_line(number):
    says, change = (BAD + BAD_WORDS)[number]
    good, schema = (GOOD, SCHEMA) if number < len(BAD) else (SPOKEN, TEXT)
    document = deepcopy(good)
    change(document["model"], document["parameters"])
    with pytest.raises(ModelFileError) as caught:
        check(document, schema)
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


# ---- sums and sizes ----


@pytest.mark.slow
def test_points_that_do_not_add_up_exactly_are_refused():
    document = deepcopy(GOOD)
    most = 10**12
    columns, parts = [], []
    for i in range(9_100):
        columns.append(Column(f"c{i}", "numeric"))
        parts.append(
            {"cuts": [], "name": f"c{i}", "part": "ranges", "points": [[most], [0]], "rows": [[1, 1], [0, 0]]}
        )
    document["model"] |= {"parts": parts[:9_000]}
    schema = Schema(tuple(columns), SCHEMA.target)
    check(document, schema)
    document["model"] |= {"parts": parts}
    with pytest.raises(ModelFileError, match="more than a whole number can be told from the next"):
        check(document, schema)


def test_words_that_all_stand_in_one_text_count_together():
    document = deepcopy(SPOKEN)
    size = 9_100
    schema = Schema((Column("t", "text", words=tuple(f"w{i}" for i in range(size))),), SCHEMA.target)
    part = document["model"]["parts"][0]
    part |= {"words": list(range(size)), "points": [[-(10**12)]] * size, "rows": [[1, 1]] * size}
    with pytest.raises(ModelFileError, match="more than a whole number"):
        check(document, schema)


def test_a_small_file_of_many_words_and_classes_does_not_fill_the_memory():
    document = deepcopy(SPOKEN)
    labels = tuple(f"k{i}" for i in range(20_000))
    schema = Schema((Column("t", "text", words=tuple(f"w{i}" for i in range(20_000))),), Target("y", labels))
    document["model"]["base"] = [0] * len(labels)
    zeros = [[0] * len(labels)]
    document["model"]["parts"][0] |= {"words": [0], "points": zeros, "rows": zeros}
    with pytest.raises(ModelFileError, match="would fill the memory"):
        check(document, schema)


def test_a_pair_of_large_axes_needs_its_lines_in_the_file():
    document = deepcopy(GOOD)
    pair = document["model"]["parts"][2]
    pair["first"] = {"cuts": [float(i) for i in range(40_000)], "name": "x", "part": "ranges"}
    levels = tuple(f"l{i}" for i in range(40_000))
    schema = Schema((SCHEMA.columns[0], Column("a", "levels", levels)), SCHEMA.target)
    document["model"]["parts"] = [
        pair | {"second": {"line": list(range(40_000)), "name": "a", "part": "levels"}}
    ]
    with pytest.raises(ModelFileError, match="for each of 1,600,160,004 lines"):
        check(document, schema)


# ---- whole files ----

HOSTILE = ["x × a", "\u202eevil", "a\nb", "<script>", "'; drop table", " ", "=1+1"]


@pytest.fixture(scope="module")
def hostile():
    rows = [
        {
            "x": i % 7,
            "a": "rs"[i % 2],
            **{name: (i * (k + 3)) % 5 for k, name in enumerate(HOSTILE)},
            "y": "pq"[i % 7 > 3 if i % 3 else i * 3 % 5 > 2],
        }
        for i in range(90)
    ]
    names = [n for n in HOSTILE if n.strip()]
    return ts.Scorecard(l2=1.0).fit(
        [{k: v for k, v in r.items() if k in ("x", "a", "y", *names)} for r in rows], "y"
    )


def test_hostile_names_make_the_round_trip(hostile):
    again = from_data(hostile.to_bytes())
    assert again.to_bytes() == hostile.to_bytes()
    assert str(again) == str(hostile)
    assert all(line.isprintable() for line in str(hostile).splitlines())


def test_a_pair_and_a_column_of_its_name_are_two_parts(hostile):
    document = json.loads(hostile.to_bytes())
    assert "x × a" in [p.get("name") for p in document["model"]["parts"]]
    pair = {
        "first": {"cuts": [], "name": "x", "part": "ranges"},
        "part": "pair",
        "points": [[0]] * 8,
        "rows": [[1, 1]] * 8,
        "second": {"line": [0, 1], "name": "a", "part": "levels"},
    }
    document["model"]["parts"].append(pair)
    document["model"]["errors"].append([[0.0]] * 8)
    del document["model"]["spread"]
    document["model"]["left_out"] = [n for n in document["model"]["left_out"] if n not in ("x", "a")]
    again = from_data(signed(document))
    assert np.isfinite(again.predict_proba([dict.fromkeys(c.name for c in again.schema_.columns)])).all()


@pytest.mark.parametrize("given", [{}, {"points_to_double": 10**6}, {"population": {"p": 0.99, "q": 0.01}}])
def test_whatever_is_learnt_can_be_loaded_again(given):
    rows = [{"x": i % 37, "y": "pq"[(i % 37 > 20) ^ (i % 11 == 0)]} for i in range(300)]
    model = ts.Scorecard(**given).fit(rows, "y")
    assert from_data(model.to_bytes()).to_bytes() == model.to_bytes()


def test_a_number_may_have_more_ranges_than_can_be_asked_for():
    """Up to four times as many values are kept apart where there are rows for it."""
    document = deepcopy(GOOD)
    cuts = [float(i) for i in range(3_999)]
    lines = {"points": [[1]] * 4_001, "rows": [[1, 1]] * 4_001}
    document["model"]["parts"] = [{"cuts": cuts, "name": "x", "part": "ranges", **lines}]
    check(document, SCHEMA)
