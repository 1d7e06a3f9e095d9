"""Pictures of numbers: every row is drawn, and no single one where that is not allowed."""

from __future__ import annotations

import numpy as np

from tallystick.draw.charts import CELLS, MOST_DOTS, against_chart, histogram, tenths


def test_few_rows_are_dots_and_many_are_cells():
    truth = np.arange(10.0)
    assert against_chart(truth, truth + 1, ("truth", "answer")).count("<circle") == 10
    many = np.arange(MOST_DOTS + 1.0)
    drawn = against_chart(many, many, ("truth", "answer"))
    assert "<circle" not in drawn
    assert drawn.count(" rows</title>") == CELLS


def test_no_cell_of_one_row_is_drawn_where_single_rows_are_kept_back():
    truth = np.array([0.0, 0.0, 5.0, 10.0, 10.0])
    drawn = against_chart(truth, truth, ("truth", "answer"), single=False)
    assert drawn.count("2 rows</title>") == 2
    assert "1 rows" not in drawn


def test_a_histogram_counts_every_row_once():
    values = np.concatenate([np.linspace(-3, 3, 200), [1e6]])  # one far out is in the last bar
    drawn = histogram(values, np.ones(201), "answer less truth", "right")
    counts = [int(text.split(" rows")[0].split()[-1]) for text in drawn.split("<title>")[2:]]
    assert sum(counts) == 201
    assert ">right<" in drawn
    assert "1 rows" not in histogram(np.zeros(5), np.ones(5), "x")


def test_tenths_keep_equal_answers_together():
    answer = np.repeat([1.0, 2.0, 3.0], [5, 80, 15])
    parts = tenths(answer, answer, np.ones(100))
    assert [sorted(set(answer[p])) for p in parts] == [[1.0], [2.0], [3.0]] or len(parts) < 3
    assert sum(len(p) for p in parts) == 100
