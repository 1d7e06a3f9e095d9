"""Naive Bayes learned from totals: one question, or one more where a choice depends on all rows."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from small_models import BAYES, SCHEMA, bayes

from tallystick.bayes.learner import NaiveBayesLearner, ask_for, beyond
from tallystick.bayes.options import BayesOptions
from tallystick.engine import fit
from tallystick.errors import DataError, OptionError
from tallystick.schema import Column, Schema, Target
from tallystick.stats.class_counts import Ask, BayesSums, ValuesByClass
from tallystick.stats.values import ValueSample
from tallystick.table.block import RowBlock as Block

ROWS = Block(
    8,
    {"x": np.array([0, 2, 0, 2, 2, 4, 2, 4.0]), "a": np.array([0, 0, 0, 1, 1, 1, 1, 0], np.uint8)},
    np.array([0, 0, 0, 0, 1, 1, 1, 1], np.uint8),
)


def learner(**changed):
    return NaiveBayesLearner(BayesOptions(**BAYES | changed))


def taught(teacher, schema=SCHEMA, rows=ROWS):
    """The model of one block, and what was asked for."""
    asked = []

    class Summing:
        def total(self, table, question):
            asked.append(question)
            return question.add(question.zero(), rows)

    return fit(teacher, SimpleNamespace(schema=schema), Summing()), asked


def test_gaussians_and_levels_take_one_question_and_give_the_model_by_hand():
    model, asked = taught(learner())
    assert [type(question) for question in asked] == [BayesSums]
    assert model.to_dict() == bayes().to_dict()
    assert model.schema["x"].high is None  # a range is not a sum


def test_bins_take_a_question_for_the_values_first():
    model, asked = taught(learner(distributions="binned"))
    assert [type(question) for question in asked] == [ValueSample, BayesSums]
    assert [note.code for note in model.notes] == ["column-says-nothing"]  # eight rows are too few for a cut


def test_a_column_too_extreme_for_a_gaussian_is_cut_and_that_is_said():
    none = np.zeros(2, np.int64)
    far = ValuesByClass(np.array([0.0, 1e150]), np.array([[5, 0], [0, 5]]), none)
    choice = learner().choose("x", "auto", far)
    assert choice.distribution == "binned"
    assert "its values go to 1e+150" in choice.note.text
    assert beyond(1.0, 2.0) == ""
    assert "lie within" in beyond(0.0, 1e-150)


def test_what_is_asked_of_a_column_follows_from_its_distribution():
    text = Column("t", "text", words=("tea", "pie"))
    assert ask_for(text, "multinomial") == Ask("t", "words", 2)
    assert ask_for(text, "bernoulli") == Ask("t", "once", 2)
    assert ask_for(text, "multinomial", (1, 2)) == Ask("t", "tf-idf", 2, idf=(1, 2))
    assert ask_for(SCHEMA["a"], "levels") == Ask("a", "codes", 2)


def test_counts_below_0_are_not_poisson_and_unknown_columns_are_named():
    below = Schema((Column("x", "numeric", low=-1.0, high=2.0),), SCHEMA.target)
    with pytest.raises(DataError, match="column 'x' holds -1, but Poisson counts are 0 or more"):
        learner(distributions="poisson").wishes(below)
    with pytest.raises(OptionError, match="alpha names the column 'z'"):
        learner(alpha={"z": 1.0}).wishes(SCHEMA)


def test_cells_that_no_total_has_room_for_are_counted_apart():
    rng = np.random.default_rng(0)
    n = 40_000  # more values than a sample has
    y = rng.integers(0, 2, n).astype(np.uint8)
    names = ("a", "b", "c")
    rows = Block(n, {name: rng.normal(size=n) + i * y for i, name in enumerate(names)}, y)
    schema = Schema(tuple(Column(name, "numeric", low=-9.0, high=9.0) for name in names), SCHEMA.target)

    def binned(**room):
        teacher = NaiveBayesLearner(BayesOptions(**BAYES | {"distributions": "binned"}), **room)
        model, asked = taught(teacher, schema, rows)
        return model.to_dict(), [len(q.asks) for q in asked if isinstance(q, BayesSums)]

    plain, asks = binned()
    assert asks == [3]
    apart, asks = binned(room=1_200)
    assert asks == [2, 1]
    assert apart == plain
    assert binned(room=1)[1] == [1, 1, 1, 0]


def test_counts_that_nothing_has_room_for_are_refused_before_a_row_is_summed():
    many = tuple(f"v{i}" for i in range(20_000))
    city = Column("city", "levels", many)
    schema = Schema((city,), Target("y", many, "text"), ())
    told = r"2\.98 GB, more than 2 GB: column 'city' has 20,001 .* 20,000 classes\. .*kinds=\{'city': 'out'\}"
    with pytest.raises(DataError, match=told):
        learner(distributions={}).wishes(schema)
    small = Schema((replace(city, levels=many[:1000]),), schema.target, ())
    assert learner(distributions={}).wishes(small)
    with pytest.raises(DataError, match="153 MB, more than 64 MB: column 'city' has 1,001"):
        replace(learner(distributions={}), budget=64 << 20).wishes(small)
    number = Schema((Column("x", "numeric", low=0.0, high=1.0),), schema.target, ())
    tight = replace(learner(distributions="binned"), budget=64 << 20, rows=9_000)
    with pytest.raises(DataError, match=r"8,192 values of column 'x' by 20,000 classes .* more than 64 MB"):
        tight.wishes(number)
    assert replace(tight, rows=20).wishes(number)
