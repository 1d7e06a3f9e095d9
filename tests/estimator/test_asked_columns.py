"""A model needs, stores and watches the columns that it asks for, and no other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.estimator.base import from_data
from tallystick.export.form import form_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

RANDOM = np.random.default_rng(0)
ROWS = 400
TABLE = {f"x{i}": RANDOM.normal(size=ROWS).round(2) for i in range(6)} | {
    "level": RANDOM.choice(["a", "b", "c"], ROWS),
    "town": RANDOM.choice(["u", "v"], ROWS),
}
AMOUNT = TABLE["x2"] + 2 * (TABLE["level"] == "a") + RANDOM.normal(size=ROWS) * 0.2
LABELS = np.where(AMOUNT > 0.5, "yes", "no")
MAKERS = {
    "card": lambda **g: ts.Scorecard(pairs=0, **g),
    "rules": lambda **g: ts.RuleList(max_rules=2, **g),
    "rule set": lambda **g: ts.RuleSet(max_rules=2, **g),
    "tree": lambda **g: ts.DecisionTree(max_depth=2, **g),
    "optimal": lambda **g: ts.OptimalTree(max_depth=1, **g),
    "l1": lambda **g: ts.LogisticRegression(l2=0, l1=40.0, **g),
    "l1 products": lambda **g: ts.LogisticRegression(l2=0, l1=40.0, polynomial=2, interactions=2, **g),
    "linear": lambda **g: ts.LinearRegression(l2=0, **g),
    "regression": lambda **g: ts.RegressionTree(max_depth=2, **g),
}
STORES_LESS = [
    "card",
    "rules",
    "rule set",
]  # a tree keeps the names of its candidate splits, a table 0 weights
NUMBERS = ("regression", "linear")


def fitted(name, **given):
    table = (
        TABLE | {"x5": TABLE["x2"] * 2} if name == "linear" else TABLE
    )  # it repeats another: its weight is 0
    return MAKERS[name](**given).fit(table, AMOUNT if name in NUMBERS else LABELS)


def answers(model, rows):
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


def asked(model):
    return form_of(model.model_).given


@pytest.mark.parametrize("name", MAKERS)
def test_new_rows_need_the_columns_that_exports_ask_for_and_no_other(name):
    model = fitted(name)
    names = asked(model)
    assert 0 < len(names) < len(TABLE)
    rows = {n: TABLE[n] for n in names}
    for one in (model, from_data(model.to_bytes())):
        assert answers(one, rows).tobytes() == answers(model, TABLE).tobytes()
        assert one.predict_one({n: v[0] for n, v in rows.items()}) == model.predict(TABLE)[0]
        assert str(one.explain(rows)) == str(model.explain(TABLE))
        assert one.outside_range(rows) == model.outside_range(TABLE)
        fewer = {n: v for n, v in rows.items() if n != names[0]}
        with pytest.raises(DataError, match=f"lacks 1 column that the model needs: '{names[0]}'"):
            one.predict(fewer or {"other": [1]})


@pytest.mark.parametrize("name", MAKERS)
def test_what_a_model_does_not_ask_for_alarms_nobody(name):
    model, names = fitted(name), asked(fitted(name))
    strange = TABLE | {n: np.full(ROWS, 1e6) for n in TABLE if n not in names}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert answers(model, strange).tobytes() == answers(model, TABLE).tobytes()
    assert set(sum(model.outside_range(strange), ())) <= set(names)
    changes = ts.describe(strange, against=model).changes
    assert {c.name for c in changes.columns} == set(names)


@pytest.mark.parametrize("name", STORES_LESS)
def test_the_file_holds_the_columns_that_are_asked_for(name):
    model = fitted(name)
    names = asked(model)
    assert [c["name"] for c in model.to_dict()["schema"]["columns"]] == list(names)
    assert len(model.profile_.columns) == len(names)
    assert fitted(name, memory="1GB").to_bytes() == model.to_bytes()
    noted = " ".join(n.text for n in model.notes_ if n.code in ("no-points", "columns-not-used"))
    assert sum(repr(n) in noted for n in TABLE if n not in names) >= min(5, len(TABLE) - len(names))
    assert model.n_features_in_ == len(TABLE)


@pytest.mark.parametrize("name", STORES_LESS)
def test_a_model_that_asks_for_nothing_needs_nothing(name):
    still = {"a": np.arange(60) // 2 % 2 * 1.0, "b": np.arange(60) // 4 % 2 * 1.0}
    model = MAKERS[name]().fit(still, np.arange(60) % 2)
    assert model.schema_.needed == ()
    for one in (model, from_data(model.to_bytes())):
        assert answers(one, {"z": [1, 2]}) == pytest.approx(np.full((2, 2), 0.5))


@pytest.mark.parametrize("name", STORES_LESS)
def test_a_matrix_is_answered_by_its_places(name):
    numbers = np.stack([TABLE[f"x{i}"] for i in range(6)], axis=1)
    model = MAKERS[name]().fit(numbers, LABELS)
    again = from_data(model.to_bytes())
    assert again.predict_proba(numbers).tobytes() == model.predict_proba(numbers).tobytes()


@pytest.mark.parametrize("name", ["l1", "linear"])
def test_weights_that_are_all_0_are_noted_and_stay_in_the_tables(name):
    model = fitted(name)
    names = asked(model)
    (note,) = [n for n in model.notes_ if n.code == "columns-not-used"]
    left = [n for n in TABLE if n not in names]
    assert note.count == len(left)
    assert note.text.startswith("all weights of ")
    assert note.text.endswith(" are 0: new rows need not have it." if len(left) == 1 else " have them.")
    if name == "l1":
        assert set(TABLE) <= {c.split(" = ")[0] for c in model.coef_names_}
        assert model.coef_.shape[1] == len(model.coef_names_)
    else:
        rows = {n: TABLE[n] for n in names}
        assert str(model.explain(rows)).count("95 % between") == 1


def test_a_penalty_that_leaves_no_weight_asks_for_nothing():
    model = ts.LogisticRegression(l2=0, l1=1e6).fit(TABLE, LABELS)
    share = np.mean(LABELS == "yes")
    for one in (model, from_data(model.to_bytes())):
        assert one.predict_proba({"z": [1, 2]})[:, 1] == pytest.approx([share, share], abs=1e-6)
        assert one.predict_proba(TABLE)[:, 1] == pytest.approx(share, abs=1e-6)
