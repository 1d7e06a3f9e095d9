"""What models answer to rows in a database, counted there."""

from __future__ import annotations

import numpy as np
import pytest
from sql_tables import awkward, duckdb_address, put

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.sql import answers as model_answers
from tallystick.sql.answers import answer_counts
from tallystick.stats.profile import AnswerCounts
from tallystick.table.reader import read_table

pytestmark = pytest.mark.slow

FRAME = awkward()
MODELS = {
    "gaussian": ts.NaiveBayes(distributions="gaussian"),
    "bins": ts.NaiveBayes(distributions="binned"),
    "tree": ts.DecisionTree(max_depth=4),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    address = put(duckdb_address(tmp_path_factory.mktemp("sql")), "t", FRAME)
    there = ts.NaiveBayes(engine=ts.Sql())._read(address, "y", "w")
    yield there, read_table(open_source(FRAME), None, "y", "w")
    there.release()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rounding", [model_answers.ROUNDING, 1e-3])  # the second: most rows are near an end
def test_answers_are_counted_as_here_whoever_is_sure_of_them(tables, name, rounding, monkeypatch):
    monkeypatch.setattr(model_answers, "ROUNDING", rounding)
    there, here = tables
    question = AnswerCounts(MODELS[name].fit(FRAME, "y", "w").model_, 2)
    for mine, own in zip(answer_counts(there, question), Local(1).total(here, question), strict=True):
        np.testing.assert_array_equal(mine, own)
    assert not there.fetched


def test_other_models_are_asked_here(tables):
    assert answer_counts(tables[0], AnswerCounts(ts.LogisticRegression().fit(FRAME, "y").model_, 2)) is None
