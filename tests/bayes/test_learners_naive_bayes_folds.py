"""A model of the rest from totals is the model fitted on the rest of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_models import BAYES

from tallystick.bayes.learner import NaiveBayesLearner, WholeTable, part_of, question, sum_of
from tallystick.bayes.options import BayesOptions
from tallystick.engine import Local, fit
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table


def table():
    rng = np.random.default_rng(3)
    data = {
        "x": rng.normal(size=60).tolist(),
        "n": rng.normal(size=60).tolist(),
        "a": rng.choice(["r", "s", "t"], 60).tolist(),
        "w": [" ".join(rng.choice(["tea", "pie", "sun"], 3)) for _ in range(60)],
        "y": rng.choice(["no", "yes"], 60).tolist(),
    }
    data["a"][5] = "rare"  # one row alone has this level
    return read_table(open_source(data), ColumnOptions(kinds={"w": "text"}), "y")


def learner(**changed):
    given = {"distributions": {"n": "binned", "x": "gaussian"}} | changed
    return NaiveBayesLearner(BayesOptions(**BAYES | given))


def totals(asked, rows, folds):
    k = len(rows.schema.target.labels)
    sums, values = asked.statistics(k * len(set(folds)))
    (block,) = rows.blocks()
    coded = replace(block, classes=(folds * k + block.classes).astype(np.uint8))
    cut = values.add(values.zero(), coded)
    return sums.add(sums.zero(), coded), dict(zip(asked.cut, cut, strict=True))


@pytest.mark.parametrize("fold", [0, 1])
def test_the_rest_of_a_total_is_the_model_of_the_rest_of_the_rows(fold):
    rows, folds = table(), np.arange(60) % 2
    asked = question(learner(), rows.schema)
    sums, values = totals(asked, rows, folds)
    whole = sum_of(sums, values, 2)
    found = asked.rest(whole, part_of(sums, values, fold, 2))
    kept = np.flatnonzero(folds != fold)
    expected = fit(learner(), rows.take(kept), Local(1))
    assert found.to_dict() == expected.to_dict()
    assert ("rare" in found.schema["a"].levels) == (fold == 0)


def test_the_folds_together_are_all_rows():
    rows = table()
    asked = question(learner(), rows.schema)
    sums, values = totals(asked, rows, np.arange(60) % 2)
    whole = sum_of(sums, values, 2)
    none = WholeTable(
        {n: a * 0 for n, a in whole.sums.items()},
        {n: v._replace(counts=v.counts * 0, missing=v.missing * 0) for n, v in whole.values.items()},
    )
    assert asked.rest(whole, none).to_dict() == fit(learner(), rows, Local(1)).to_dict()


def test_a_choice_that_needs_rows_again_cannot_be_taken_away():
    assert question(learner(words="tf-idf"), table().schema) is None
    assert question(learner(min_count=2), table().schema) is None
