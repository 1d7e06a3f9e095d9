"""The answers to new rows with all that is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.io.open import open_source
from tallystick.predict.answers import UNREAD, MetRows, Wanted, answer_tables, answers

ROWS = [
    {"x": i % 7 + 0.5, "w": "abc"[i % 3], "y": "pq"[(i % 7 + 3 * (i % 3 == 0) > 3) ^ (i % 11 == 0)]}
    for i in range(40)
]
NEW = [{"x": 1.5, "w": "a"}, {"x": None, "w": "zebra"}, {"x": 99.0, "w": "b"}]


@pytest.fixture(scope="module")
def card():
    return ts.Scorecard(pairs=0).fit(ROWS, "y")


def test_labels_shares_and_reasons_are_those_of_predict(card):
    (table,) = list(answer_tables(card, open_source(NEW), MetRows(), Wanted(proba=True, reasons=2)))[1:]
    shares = card.predict_proba(NEW)
    assert table.column("prediction").to_pylist() == card.predict(NEW).tolist()
    assert np.column_stack([table.column("P(p)"), table.column("P(q)")]).tobytes() == shares.tobytes()
    assert table.column("probability").to_pylist() == shares.max(axis=1).tolist()
    told = [[code.text for code in codes] for codes in card.reasons(NEW, most=2)]
    found = [table.column(f"reason_{k}").to_pylist() for k in (1, 2)]
    assert [[text for text in texts if text] for texts in zip(*found, strict=True)] == told


def test_what_is_met_is_counted(card):
    met = MetRows()
    (found,) = answers(card, open_source(NEW), met, Wanted(outside=True))
    assert found.outside == [(), (), ("x",)]
    told = met.to_dict(())
    assert told["missing_cells"] == {"x": 1}
    assert told["unseen_levels"] == {"w": 1}
    assert told["outside_range"] == {"x": 1}


def test_the_first_table_has_the_columns_and_no_rows(card):
    first = next(answer_tables(card, open_source(NEW), MetRows(), Wanted(outside=True)))
    assert first.num_rows == 0
    assert first.column_names == ["prediction", "probability", "outside", UNREAD]


def test_a_model_without_reasons_refuses_them():
    tree = ts.DecisionTree().fit(ROWS, "y")
    with pytest.raises(OptionError, match="no reason codes"):
        list(answer_tables(tree, open_source(NEW), MetRows(), Wanted(reasons=2)))
