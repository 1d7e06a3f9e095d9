"""The working is what the model did: every gain and ratio counted by hand is the model's own."""

import numpy as np
import pytest

import tallystick as ts
from tallystick.teach.learn import entropy, gini
from tallystick.tree.work import worked_node

COLUMNS = ts.Columns(
    kinds={"a": "levels", "b": "levels", "n": "numeric", "o": "ordered"},
    levels={"o": ["low", "mid", "high"]},
    keep=list("abno"),
)
SETTINGS = {
    "id3": ("id3", {}),
    "c45": ("c45", {"pruning": None}),
    "cart": ("cart", {"min_samples_split": 4, "min_samples_leaf": 2, "pruning": None}),
    "tree": ("", {}),
    "groups by entropy": ("", {"criterion": "entropy"}),
}


def table(seed):
    """Some rows of four columns of four kinds; half of the tables lack some values."""
    rng = np.random.default_rng(seed)
    rows, lacks = [], rng.random() < 0.5
    for _ in range(int(rng.integers(8, 40))):
        row = {"a": rng.choice(list("xyzuv")), "b": rng.choice(["p", "q"]), "n": rng.integers(0, 8) / 2}
        row |= {"o": rng.choice(["low", "mid", "high"]), "y": f"c{rng.integers(0, 2 + seed % 2)}"}
        rows.append({k: None if k != "y" and lacks and rng.random() < 0.2 else v for k, v in row.items()})
    return rows, lacks


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
def test_every_gain_and_ratio_is_the_models_own(setting, seed):
    name, given = SETTINGS[setting]
    rows, lacks = table(seed)
    make = getattr(ts.DecisionTree, name) if name else ts.DecisionTree
    tree = make(columns=COLUMNS, **given).fit(rows, "y")
    block, options = tree._table.slice(0, len(rows)), tree._options()
    near = 1e-5 if lacks and name == "c45" else 1e-9  # a row in parts is rounded to 2^-20
    compared = 0
    for node in range(len(tree.model_.nodes)):
        worked = worked_node(tree.model_, node, block, options)
        found = {o.column.name: o.best for o in worked.rivals}
        for candidate in tree.splits(node).candidates:
            own = found[candidate.column]
            assert own.gain == pytest.approx(candidate.gain, abs=near)
            assert own.impurity == "gini" or own.ratio == pytest.approx(candidate.ratio, abs=near)
            assert candidate.chosen == (worked.winner is not None and worked.winner.best is own)
            compared += 1
        if worked.winner is not None and not worked.winner.best.lost:
            below = tree.model_.rows[tree.model_.nodes.branches(node)]
            np.testing.assert_allclose([b.counts for b in worked.winner.best.branches], below, atol=near)
    assert compared >= 3


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["id3", "c45", "tree"])
@pytest.mark.parametrize("lacks", [False, True])
def test_of_very_many_cuts_the_best_is_the_models_own(setting, lacks):
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=900)
    rows = [
        {"n": None if lacks and i % 9 == 0 else x, "y": int(x + rng.normal() > 0)}
        for i, x in enumerate(numbers)
    ]
    name, given = SETTINGS[setting]
    tree = (getattr(ts.DecisionTree, name) if name else ts.DecisionTree)(max_depth=1, **given).fit(rows, "y")
    worked = worked_node(tree.model_, 0, tree._table.slice(0, len(rows)), tree._options())
    (candidate,) = tree.splits(0).candidates
    assert worked.winner.best.cuts > 700
    assert len(worked.winner.every) <= 401
    assert worked.winner.best.gain == pytest.approx(candidate.gain, abs=1e-6)
    assert worked.winner.best.ratio == pytest.approx(candidate.ratio, abs=1e-6)


def test_entropy_and_gini_are_those_of_the_books():
    assert entropy((1, 1, 1, 1)) == 2
    assert entropy((8, 4, 2, 2)) == 1.75
    assert entropy((0, 4)) == 0
    assert entropy((0, 0)) == 0
    assert gini((5, 9)) == pytest.approx(1 - (5 / 14) ** 2 - (9 / 14) ** 2)
    assert gini((0, 0)) == 0
