"""One row as a dict: every method answers it with the bits, errors and warnings of a table of one row."""

from __future__ import annotations

import datetime
import decimal
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.predict.row import number_reader
from tallystick.schema import Column

LARGE = 2**53 + 2  # a whole number that is a double, beside others that are none
DAYS = [datetime.date(2026, 1 + i % 12, 1 + i % 28) for i in range(120)]
SIZES = {"size": ["S", "M", "L"]}


def training(rows=120):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "x": np.round(rng.normal(0, 2, rows), 2),
            "count": rng.integers(0, 6, rows),
            "sky": rng.choice(["sun", "rain", "fog"], rows),
            "vote": rng.choice(["y", "n", "?"], rows),
            "code": rng.choice(["1", "2", str(LARGE)], rows),
            "wet": rng.random(rows) < 0.5,
            "agreed": rng.choice(["no", "yes"], rows),
            "size": rng.choice(["S", "M", "L"], rows),
            "part": [f"{v:,.1f}".translate(str.maketrans(",.", ".,")) for v in rng.normal(5000, 999, rows)],
        }
    )
    score = table.x.to_numpy() + 2 * (table.sky == "sun") - 2 * (table.vote == "y") + table.wet
    table["y"] = np.select([score < -0.5, score < 1.5], ["a", "b"], "c")
    table["z"] = np.where(score < 0.7, "no", "yes")
    table["n"] = score + rng.normal(0, 1, rows)
    table.loc[::11, "x"] = np.nan
    return table


MAKERS = {
    "tree": ts.DecisionTree,
    "averaged tree": lambda **g: ts.DecisionTree(average=True, **g),
    "c4.5": ts.DecisionTree.c45,
    "id3": lambda **g: ts.DecisionTree.id3(**g),
    "tree with costs": lambda **g: ts.DecisionTree(costs={"no": {"yes": 9}}, **g),
    "optimal": lambda **g: ts.OptimalTree(max_depth=2, **g),
    "bayes": ts.NaiveBayes,
    "gaussian": lambda **g: ts.NaiveBayes(distributions="gaussian", alpha=0, **g),
    "poisson": lambda **g: ts.NaiveBayes(distributions={"count": "poisson"}, **g),
    "calibrated": lambda **g: ts.NaiveBayes(calibrate=True, **g),
    "logistic": ts.LogisticRegression,
    "l1": lambda **g: ts.LogisticRegression(l1=3.0, **g),
    "products": lambda **g: ts.LogisticRegression(interactions=2, l1=5.0, l2=0.0, **g),
    "card": ts.Scorecard,
    "card without pairs": lambda **g: ts.Scorecard(pairs=0, **g),
    "rules": ts.RuleList,
    "rule set": ts.RuleSet,
    "regression tree": ts.RegressionTree,
    "linear": ts.LinearRegression,
}
NUMBERS = ("regression tree", "linear")
MARKS = {"usual marks": None, "-999": ["-999", "?", "NA"]}
MODELS = {}


def model_of(name, marks, target):
    target = "n" if name in NUMBERS else "z" if name == "tree with costs" else target
    if (name, marks, target) not in MODELS:
        table = training()
        columns = ts.Columns({"size": "ordered", "count": "numeric"}, SIZES, MARKS[marks])
        rest = table[[c for c in table if c not in "yzn"]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MODELS[name, marks, target] = MAKERS[name](columns=columns).fit(rest, table[target])
    return MODELS[name, marks, target]


NONE = [None, math.nan, "", " ", "?", "NA", pd.NA, pd.NaT, np.nan, "-999", -999, -999.0]
NUMERALS = [0, 1, -0.0, 2.5, "2.5", " 3e0 ", "1e3", ".5", "+7.", "01", 10**30, LARGE, LARGE + 1, 1e300, True]
ODD = [
    "red",
    "1_000",
    "0x10",
    "1,5",
    "1.234",
    "1.234,5",
    "n/a",
    "-",
    math.inf,
    "inf",
    "1e400",
    DAYS[3],
    "2026-03-05",
]
SCALARS = [np.float64(1.5), np.float32(0.1), np.int64(2), np.uint8(1), np.bool_(True), np.str_("sun")]
SCALARS += [decimal.Decimal("2.50"), np.datetime64("2026-01-01"), datetime.datetime(2026, 4, 1, 12)]
LEVELS = [
    "sun",
    " rain ",
    "hail",
    "SUN",
    "y",
    "n",
    "no",
    "YES",
    "true",
    "FALSE",
    False,
    "f",
    "1",
    "1.0",
    2.0,
    "S",
    "l",
]
cells = st.one_of(
    st.sampled_from([*NONE, *NUMERALS, *ODD, *SCALARS, *LEVELS, str(LARGE), float(LARGE)]),
    st.floats(-1e6, 1e6),
    st.integers(-10, 10),
    st.text(max_size=3),
)
USUAL = {"x": 0.5, "count": 2, "sky": "sun", "vote": "?", "code": "2", "wet": True}
USUAL |= {"agreed": "yes", "size": "M", "part": "4.999,5"}


def outcome(answer):
    """Return what an answer is, to the bit, or how it fails; and the warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = np.asarray(answer())
            found = found.tolist() if found.dtype == object or found.dtype.kind == "U" else found.tobytes()
        except TallyError as error:
            found = type(error).__name__, str(error)
    return found, [str(w.message) for w in heard]


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=40, deadline=None)
@given(
    changed=st.dictionaries(st.sampled_from(list(USUAL)), cells, max_size=4),
    marks=st.sampled_from(list(MARKS)),
    target=st.sampled_from("yz"),
)
def test_a_row_by_itself_is_answered_as_a_table_of_one_row(name, changed, marks, target):
    model, row = model_of(name, marks, target), USUAL | changed
    assert outcome(lambda: model.predict_one(row)) == outcome(lambda: model.predict([row])[0])
    assert outcome(lambda: model.predict(row)[0]) == outcome(lambda: model.predict([row])[0])
    if name not in NUMBERS:
        assert outcome(lambda: model.predict_proba_one(row)) == outcome(lambda: model.predict_proba([row])[0])


@pytest.mark.parametrize("name", MAKERS)
def test_most_rows_need_no_table(name, monkeypatch):
    model = model_of(name, "usual marks", "z")
    if name == "products":
        return  # their cells go together in pairs, which a table multiplies
    monkeypatch.setattr(type(model), "_blocks", None)
    for row in (USUAL | {"part": 5000.0}, USUAL | {"part": None, "x": None, "sky": "hail", "vote": "y"}):
        for _ in range(2):  # cells that came before are remembered
            model.predict_one(row)


def test_a_row_that_lacks_a_column_is_refused_as_a_table_that_does():
    model = model_of("bayes", "usual marks", "z")
    with pytest.raises(ts.errors.DataError, match="lacks 1 column that the model needs: 'sky'"):
        model.predict_one({k: v for k, v in USUAL.items() if k != "sky"})


def test_a_date_is_a_whole_number_of_days_or_for_a_table_to_read():
    read = number_reader(Column("d", "numeric", unit="date"), {""}, frozenset())
    assert read(18_300) == 18_300.0
    assert math.isnan(read(None))
    for cell in ("18300", 10**30, np.float64(0.5), True, DAYS[0]):
        with pytest.raises(Exception, match=r"^$"):
            read(cell)
