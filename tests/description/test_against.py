"""What changed since training: each change is found, and rows of the same kind are not called changed."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.description.changes import COUNTS, is_outside, stability
from tallystick.errors import OptionError
from tallystick.estimator.base import from_data

pytestmark = pytest.mark.slow

METHODS = {
    "bayes": ts.NaiveBayes,
    "tree": ts.DecisionTree,
    "logistic": ts.LogisticRegression,
    "card": ts.Scorecard,
}


def table(rows, seed, **change):
    """Return rows; `change` maps a column to a function of its value."""
    chance = random.Random(seed)
    out = []
    for _ in range(rows):
        y = chance.random() < 0.5
        row = {
            "age": round(chance.gauss(50 + 8 * y, 10), 3),
            "grade": chance.choice("aab" if y else "abb"),
            "kids": chance.randrange(5),
            "member": None if chance.random() < 0.02 else chance.random() < 0.35 + 0.3 * y,
            "said": " ".join(chance.choices(["red", "blue", "pie", "tea"], [2, 1, 1, 1 + y], k=3)),
            "y": "yes" if y else "no",
        }
        out.append({k: change[k](v, chance) if k in change else v for k, v in row.items()})
    return out


def bare(model):
    """The model as a file without a profile has it: what the method itself keeps must do."""
    return from_data(model.to_bytes(profile=False))


@pytest.fixture(scope="module", params=METHODS)
def whole(request):
    return METHODS[request.param](kinds={"said": "text"}).fit(table(600, 1), "y")


@pytest.fixture(scope="module")
def model(whole):
    return bare(whole)


def changes(rows, model):
    return ts.describe(rows, against=model).changes


def test_rows_of_the_same_kind_have_not_changed(model):
    for seed in range(2, 6):  # a new extreme value may come at any time: it is named, and changes no column
        assert changes(table(300, seed), model).changed == ()
    assert changes(table(600, 1), model).changed == ()


@pytest.mark.parametrize(
    ("column", "change", "says"),
    [
        ("grade", lambda v, _: "z" if v == "b" else v, "levels never seen: 'z'"),
        ("grade", lambda v, _: 7 if v == "b" else v, "levels never seen: '7'"),
        ("age", lambda v, _: v + 1000, "300 rows above|the mean moved"),
        ("age", lambda v, _: v - 1000, "300 rows below|the mean moved"),
        ("member", lambda v, chance: None if chance.random() < 0.3 else v, "missing in "),
        ("age", lambda v, chance: "n/a now" if chance.random() < 0.1 else v, "that are not numbers"),
    ],
)
def test_a_change_that_every_model_can_tell_is_found_alone(model, column, change, says):
    found = changes(table(300, 2, **{column: change}), model)
    assert any(words in "; ".join(found[column].findings) for words in says.split("|"))
    assert [c.name for c in found.changed] == [column]


def test_a_row_outside_the_range_is_named_and_changes_no_column(whole):
    rows = table(600, 1)
    rows[0] = rows[0] | {"age": 1000.0}
    found = changes(rows, whole)
    assert not found
    assert found["age"].findings == ()
    assert found["age"].strays[0].startswith("1 row above ")
    assert found["age"].strays[0].endswith(", up to 1000")
    assert found["age"].outside[1] == 1
    assert [c.name for c in found.stray] == ["age"]
    assert found.ranked[0].name == "age"
    page = str(ts.describe(rows, against=whole))
    assert "no column changed; rows outside the range of training in 1 column" in page
    assert "  age: not changed, but 1 row above " in page
    many = [r | {"age": 1000.0} if i < 12 else r for i, r in enumerate(table(600, 1))]
    assert changes(many, whole)["age"].findings[0].startswith("12 rows above ")


def test_rows_outside_the_range_are_a_change_by_their_share_and_by_chance():
    assert not is_outside(1, 600, 600)
    assert not is_outside(6, 600, 600)  # 1 of 100, no more
    assert is_outside(7, 600, 600)  # .5 to the 7th, below .01
    assert not is_outside(6, 300, 300)
    assert not is_outside(90, 10_000, 10_000)  # certain, but few
    assert is_outside(101, 10_000, 10_000)
    assert is_outside(1, 1, 200)  # the only row, far from all
    assert not is_outside(1, 1, 50)


def test_a_shift_is_told_by_counts_or_moments_and_silence_is_explained(model):
    moved = {
        "grade": lambda v, chance: "a" if chance.random() < 0.8 else v,
        "age": lambda v, _: v / 2 + 30,
        "kids": lambda v, _: min(v, 1),
        "said": lambda v, _: "red red tea",
    }
    found = changes(table(400, 3, **moved), model)
    told = {c.name for c in found.columns if c.shift is not None and c.shift.beyond}
    kind = model.model_.kind
    expected = {
        "naive-bayes": {"grade", "said"},
        "logistic-regression": {"age", "kids"},
        "decision-tree": set(),
        "scorecard": {"grade", "age"},
    }[kind]
    assert expected <= told
    for column in found.columns:  # counts alone judge in full
        assert (column.shift is None or column.shift.measure != COUNTS) == bool(column.untold)


def test_what_cannot_be_judged_is_said_and_never_called_unchanged(model):
    other = {"grade": lambda v, _: "a", "kids": lambda v, _: 4 - v}
    rows = [r for r in table(600, 1, **other) if 20 < r["age"] < 80]
    page = str(ts.describe(rows, against=model))
    if model.model_.kind == "naive-bayes":
        assert "grade" in {c.name for c in changes(rows, model).changed}
        return
    if model.model_.kind == "scorecard":
        assert {c.name for c in changes(rows, model).changed} == {"grade"}
        assert "columns changed; of the others 1 cannot be judged in full: the file of a" in page
        said = " ".join(page[page.index("  said: nothing new") :].split())
        assert "not judged in full: a card keeps counts of the words with points only" in said
        return
    assert "no column changed" not in page
    assert "no change found, but" in page
    assert "cannot be judged in full: the file of a" in page.replace("\n", " ")
    assert "grade: not judged: " in page
    assert changes(rows, model).to_dict()["unjudged"] == len(changes(rows, model).unjudged) > 0


def test_a_column_that_is_gone_and_one_that_is_new_are_named(model):
    rows = [{k: v for k, v in r.items() if k != "grade"} | {"extra": 1} for r in table(50, 2)]
    found = changes(rows, model)
    assert found["grade"].findings == ("is not in the rows: the model takes it as missing",)
    texts = ("said",) if model.model_.kind == "decision-tree" else ()  # no tree asks for a text
    assert found.ignored == (*texts, "extra")


def test_what_a_card_gives_no_points_is_not_watched_but_named():
    rows = table(600, 1, member=lambda v, chance: chance.random() < 0.5)
    card = ts.Scorecard(kinds={"said": "text"}).fit(rows, "y")
    assert "The rows give no points to 'kids', 'member'." in [n.text for n in card.notes_]
    moved = [r | {"member": None} for r in rows]
    for model in (card, bare(card)):
        found = changes(moved, model)
        assert found.ignored == ("kids", "member")
        assert {c.name for c in found.columns} == {"age", "grade", "said"}
        assert found.changed == ()
        assert "not in the model, ignored: 'kids', 'member'" in str(ts.describe(moved, against=model))
        without = [{k: v for k, v in r.items() if k != "member"} for r in moved]
        assert np.array_equal(model.predict_proba(without), model.predict_proba(rows))


def test_the_order_of_rows_changes_nothing(model):
    rows = table(200, 2)
    assert changes(rows, model).to_dict() == changes(rows[::-1], model).to_dict()


def test_the_page_has_one_entry_per_column_and_json_the_same(model):
    described = ts.describe(table(100, 2), against=model)
    page = str(described)
    for column in described.changes.columns:
        assert f"  {column.name}: " in page
    data = json.loads(json.dumps(described.to_dict()))["against"]
    assert [c["name"] for c in data["columns"]] == [c.name for c in described.changes.columns]
    assert data["training_rows"] == 600


def test_few_rows_and_other_things_than_models_are_handled(model):
    assert changes(table(5, 2), model).rows == 5
    with pytest.raises(OptionError, match="against must be a fitted model"):
        ts.describe(table(10, 1), against="m.tally.json")


def test_levels_on_one_line_of_a_card_are_counted_together():
    rows = [{"town": "abcdef"[i % 6], "y": "pq"[(i % 6 < 3) ^ (i % 13 == 0)]} for i in range(600)]
    model = bare(ts.Scorecard(max_lines=2).fit(rows, "y"))
    (part,) = model.model_.parts
    assert len(set(part.axis.line)) == 2
    same = [{"town": "abcdef"[i % 6]} for i in range(300)]
    within = [{"town": "aaadef"[i % 6]} for i in range(300)]  # a for b and c: the same line
    across = [{"town": "abcaef"[i % 6]} for i in range(300)]
    found = [changes(r, model)["town"] for r in (same, within, across)]
    assert [c.shift.value for c in found[:2]] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert found[2].findings == ("17% of the values moved to other places (limit 13%, PSI 0.11)",)
    assert not any(c.untold for c in found)


def test_a_word_that_became_frequent_is_named():
    rows = [
        {"said": "good day" if i % 2 else "bad day sir", "y": "pq"[(i % 2) ^ (i % 9 == 0)]} for i in range(90)
    ]
    model = bare(ts.Scorecard(kinds={"said": "text"}).fit(rows, "y"))
    fewer = changes([{"said": f"good morning {i % 7}"} for i in range(40)], model)["said"]
    assert fewer.findings == ("word 'bad' is in 50% fewer of the rows (limit 37%)",)
    assert fewer.untold == "a card keeps counts of the words with points only"
    more = changes([{"said": f"good bad {i % 7}"} for i in range(40)], model)["said"]
    assert "more of the rows" in more.findings[0]
    assert changes([{"said": row["said"]} for row in rows], model)["said"].findings == ()


# -- with a profile --


MOVED = {
    "grade": lambda v, chance: "a" if chance.random() < 0.8 else v,
    "age": lambda v, _: v / 2 + 30,
    "kids": lambda v, _: min(v, 1),
    "said": lambda v, _: "red red tea",
}


def test_with_a_profile_every_method_judges_every_column_in_full(whole):
    found = changes(table(400, 3, **MOVED), whole)
    untested = {"said"} if whole.model_.kind == "decision-tree" else set()  # a text
    assert {c.name for c in found.changed} == set(MOVED) - untested
    assert set(found.ignored) == untested
    assert not any(c.untold for c in found.columns)
    assert found.ranked[0].name == "kids"  # moved most, for its limit
    assert found.ranked[-1].name == "member"
    assert bool(found)


def test_with_a_profile_rows_of_the_same_kind_have_not_changed(whole):
    same = changes(table(600, 1), whole)
    assert not same
    assert same.answers.findings == ()
    assert same["age"].shift.psi == pytest.approx(0.0, abs=1e-9)


def test_parts_are_the_shares_of_the_rows(whole):
    rows = table(400, 3, **MOVED)
    parts = {name: (a, b) for name, a, b in changes(rows, whole)["grade"].parts}
    old = table(600, 1)
    for level in "ab":
        wanted = [sum(r["grade"] == level for r in t) / len(t) for t in (old, rows)]
        assert parts[level] == pytest.approx(wanted)
    ages = changes(rows, whole)["age"].parts
    assert sum(a for _, a, _ in ages) == pytest.approx(1)
    assert sum(b for _, _, b in ages) == pytest.approx(1)


def test_answers_are_compared_with_those_to_the_training_rows(whole):
    rows = table(400, 3, **MOVED)
    found = changes(rows, whole).answers
    now = sum(a == "yes" for a in whole.predict(rows)) / 400
    then = sum(a == "yes" for a in whole.predict(table(600, 1))) / 600
    assert {n: (a, b) for n, a, b in found.parts}["yes"] == pytest.approx((then, now))
    assert "is answered to" in found.findings[0]
    assert changes(rows, bare(whole)).answers.untold.startswith("its file keeps no answers")


def test_the_stability_index_is_that_of_the_formula():
    before, after = np.array([30.0, 70.0, 0.0]), np.array([60.0, 40.0, 0.0])
    a, b = (before[:2] + 0.5) / 101, (after[:2] + 0.5) / 101
    assert stability(before, after) == pytest.approx(float(((b - a) * np.log(b / a)).sum()))
    assert stability(before, before) == 0.0


def test_a_regression_and_a_density_tree_are_compared_too():
    rows = [{"x": i % 40, "y": float(i % 40) ** 2} for i in range(400)]
    model = ts.RegressionTree(min_samples_leaf=5).fit(rows, "y")
    assert not changes([{"x": r["x"]} for r in rows], model)
    higher = changes([{"x": r["x"] % 10 + 30} for r in rows], model)
    assert higher["x"].findings
    assert "is answered to" in higher.answers.findings[0]
    density = ts.DensityTree().fit([{"x": r["x"], "s": "uv"[r["x"] > 20]} for r in rows])
    found = changes([{"x": 3, "s": "v"}] * 50, density)
    assert found.answers is None
    assert {c.name for c in found.changed} == {"x", "s"}


def test_a_file_of_version_1_says_what_it_cannot_tell():
    from pathlib import Path

    old = Path(__file__).resolve().parents[1] / "files" / "v1" / "tree.tally.json"
    found = changes([{"sky": "sun", "wet": True, "temp": 1.0, "n": 2}] * 30, ts.load(old))
    assert "its file is of version 1" in found.answers.untold
    assert found.unjudged


def test_dates_that_python_has_no_word_for_are_unseen_levels():
    rows = {"d": ["2001-02-03", "b", "b", "b"] * 20, "y": ["no", "yes"] * 40}
    model = ts.NaiveBayes(kinds={"d": "levels"}).fit(rows, "y")
    far = pa.table({"d": pa.array([4_000_000] * 40 + [10_000] * 40, pa.date32())})  # days: the year 12921
    (found,) = changes(far, model).columns
    assert found.unseen == {"12921-08-18": 40, "1997-05-19": 40}
