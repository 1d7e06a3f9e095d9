"""Rows drawn from a density tree: the same for the same seed, and as the tree says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from density_tables import mixed

import tallystick as ts
from tallystick.errors import OptionError

FRAME = mixed(600, 7)
TREE = ts.DensityTree().fit(FRAME)


def test_the_same_seed_gives_the_same_rows_on_any_machine():
    rows = [{"n": i % 4, "c": "uv"[i % 2], "x": i / 8} for i in range(40)]
    found = ts.DensityTree(max_leaf_nodes=1).fit(rows).sample(4, seed=7)
    assert found.to_pylist() == STORED
    assert found.equals(ts.DensityTree(max_leaf_nodes=1).fit(rows[::-1]).sample(4, seed=7))
    assert not found.equals(ts.DensityTree(max_leaf_nodes=1).fit(rows).sample(4, seed=8))


STORED = [
    {"n": 1, "c": "u", "x": 4.763516065979502},
    {"n": 3, "c": "u", "x": 3.757676332188824},
    {"n": 0, "c": "v", "x": 2.959260297110988},
    {"n": 3, "c": "v", "x": 4.712962892348608},
]


def test_drawn_rows_are_read_like_those_of_the_fit():
    drawn = TREE.sample(500, seed=1)
    again = ts.DensityTree().fit(drawn)
    assert [(c.name, c.kind) for c in again.schema_.used] == [(c.name, c.kind) for c in TREE.schema_.used]
    frame = drawn.to_pandas()
    assert frame["age"].dropna().between(FRAME["age"].min(), FRAME["age"].max()).all()
    assert (frame["age"].dropna() == frame["age"].dropna().round()).all()
    assert set(frame["home"].dropna()) <= set(FRAME["home"].dropna())
    assert frame["income"].isna().any()


@pytest.mark.slow
def test_rows_are_drawn_as_often_as_the_tree_says():
    drawn = TREE.sample(40_000, seed=2)
    at = TREE.apply(drawn)
    for leaf in TREE.leaves_:
        share = (at == leaf.number).mean()
        assert share == pytest.approx(leaf.share, abs=5 * np.sqrt(leaf.share / 40_000))
    model, homes = TREE.model_, drawn["home"].to_pandas()
    j = [own.name for own in model.cells].index("home")
    for i in range(len(model.leaves)):
        here = homes[at == i]
        shares = model.leaf_shares[j][i][: model.cells[j].k + 1]
        shares = shares / shares.sum()
        for level, share in zip([*model.cells[j].column.levels, None], shares, strict=True):
            found = (here.isna() if level is None else here == level).mean()
            assert found == pytest.approx(share, abs=5 * np.sqrt(share / len(here)) + 1e-9)
    # what is drawn is as likely as the rows that were learnt from, or nearly
    assert TREE.score(drawn) == pytest.approx(TREE.score(FRAME), abs=0.2)


def test_dates_are_dates_and_whole_numbers_whole():
    frame = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=60).astype(str), "n": range(0, 120, 2)})
    drawn = ts.DensityTree(columns=ts.Columns(keep=["day", "n"])).fit(frame).sample(30)
    assert str(drawn.schema.field("day").type) == "date32[day]"
    assert str(drawn.schema.field("n").type) == "int64"
    assert min(drawn["day"].to_pylist()).isoformat() >= "2026-01-01"
    assert max(drawn["day"].to_pylist()).isoformat() <= "2026-03-01"


def test_no_rows_are_a_table_without_rows():
    assert TREE.sample(0).num_rows == 0
    assert TREE.sample(0).column_names == list(FRAME.columns)


@pytest.mark.parametrize(
    ("given", "said"), [({"n": -1}, "n must be"), ({"n": 2.5}, "n must be"), ({"seed": -3}, "seed must be")]
)
def test_odd_numbers_are_refused(given, said):
    with pytest.raises(OptionError, match=said):
        TREE.sample(**given)
