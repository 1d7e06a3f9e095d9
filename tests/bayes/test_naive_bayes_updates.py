"""Learning and unlearning rows: the model is that of a fit on the rows that are left."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError, TallyError

ROWS = [{"c": "uv"[i % 2], "d": "klm"[i % 3], "y": "pq"[i % 4 > 1]} for i in range(24)]
NEW = [{"c": "v", "d": "n", "y": "q"}, {"c": "u", "d": "k", "y": "p"}]


def fit(rows):
    return ts.NaiveBayes().fit(rows, "y")


def test_learning_and_unlearning_give_the_bytes_of_one_fit():
    model = fit(ROWS).update(NEW)
    assert model.to_bytes() == fit([*ROWS, *NEW]).to_bytes(profile=False)
    assert model.forget(NEW).to_bytes() == fit(ROWS).to_bytes(profile=False)


def test_two_models_add_up_to_the_model_of_all_rows():
    assert (fit(ROWS) + fit(ROWS[:6])).to_bytes() == fit(ROWS + ROWS[:6]).to_bytes(profile=False)
    with pytest.raises(TypeError):
        fit(ROWS) + 1


def test_parts_may_come_one_by_one_with_the_classes_named_first():
    model = ts.NaiveBayes().partial_fit(ROWS[:8], "y", classes=["p", "q"]).partial_fit(ROWS[8:], "y")
    assert model.to_bytes() == fit(ROWS).to_bytes(profile=False)
    with pytest.raises(DataError, match=r"target 'y' holds 'r', which classes= did not name"):
        model.partial_fit([{"c": "u", "d": "k", "y": "r"}] * 2, "y")


def test_rows_that_were_never_learned_cannot_be_forgotten():
    model = fit(ROWS)
    before = model.to_bytes()
    with pytest.raises(TallyError):
        model.forget([{"c": "w", "d": "k", "y": "p"}] * 3)
    assert model.to_bytes() == before


def test_labels_of_another_type_are_refused():
    numbers = ts.NaiveBayes().fit([{"c": "uv"[i % 2], "y": i % 2} for i in range(8)], "y")
    texts = ts.NaiveBayes().fit([{"c": "uv"[i % 2], "y": "pq"[i % 2]} for i in range(8)], "y")
    with pytest.raises(OptionError, match="the labels were integer and are text now"):
        numbers + texts
