"""Few but long rows are shared out among threads by their words, and the total is that of one."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.contracts import Block
from tallystick.engine import Local
from tallystick.stats import design_sums as long_rows
from tallystick.stats.design_sums import LogisticSums, Total


@pytest.fixture
def texts():
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    rows = [" ".join(rng.choice(words, 3 + 40 * (i % 7))) for i in range(60)]
    return {"text": rows, "x": rng.normal(size=60), "y": [f"c{i % 3}" for i in range(60)]}


class Asked:
    """An engine that keeps the questions about words."""

    def __init__(self):
        self.questions = []

    def total(self, table, question):
        if isinstance(question, LogisticSums):
            self.questions.append((table, question))
        return Local(1).total(table, question)


def asked(texts, **given):
    engine = Asked()
    ts.LogisticRegression(l2=0.1, kinds={"text": "text"}, engine=engine).fit(texts, "y", **given)
    return engine.questions


@pytest.mark.parametrize("threads", [2, 3, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_total_over_threads_is_that_of_one(texts, threads, weighted, monkeypatch):
    monkeypatch.setattr(long_rows, "MANY", 1)
    weights = np.arange(60) % 4 if weighted else None
    for table, question in asked(texts, sample_weight=weights)[:3]:
        one: Total = Local(1).total(table, question)
        found = question.solve(table, Local(threads))
        assert found is not None
        for mine, own in zip(found.words, one.words, strict=True):
            np.testing.assert_array_equal(mine, own)
        np.testing.assert_array_equal(found.sums.gradient, one.sums.gradient)
        np.testing.assert_array_equal(found.sums.loss, one.sums.loss)


def test_parts_have_about_as_many_words_and_all_rows_are_in_one(texts, monkeypatch):
    monkeypatch.setattr(long_rows, "MANY", 1)
    (table, question), *_ = asked(texts)
    assert question.solve(table, Local(2)) is not None
    parts: list[Block] = next(iter(table.blocks())).memo["long rows"]
    words = [int(part.words("text")[0][-1]) for part in parts]
    assert sum(part.rows for part in parts) == table.rows
    assert len(words) == 2
    assert abs(words[0] - words[1]) <= 2 * 250  # a row or two


def test_few_words_are_left_to_one_thread(texts):
    (table, question), *_ = asked(texts)
    assert question.solve(table, Local(2)) is None
