"""Faster ways to a total are listed by the question they answer; a form is kept only where it pays."""

from __future__ import annotations

import numpy as np

from tallystick.stats.class_counts import BayesSums
from tallystick.stats.design_sums import Design, LogisticSums
from tallystick.stats.shortcuts import SHORTCUTS, in_a_form
from tallystick.tree.growth import ValueScale
from tallystick.tree.tables import CodedColumn, LevelCounts


def test_every_question_with_a_shortcut_can_be_summed_as_well():
    for question in SHORTCUTS:
        assert {"zero", "add", "merge"} <= set(vars(question))


def test_sums_of_a_sample_and_levels_of_a_tree_are_asked_in_a_form():
    sums = LogisticSums(Design((), (), ()), np.zeros((2, 0)), np.zeros((1, 1)), 40, every=8)
    tree = LevelCounts(CodedColumn(()), (), (0,), 1, 2, ValueScale())
    assert in_a_form(sums) is sums
    assert in_a_form(tree) is tree


def test_sums_of_all_rows_and_counts_are_asked_of_the_rows_themselves():
    sums = LogisticSums(Design((), (), ()), np.zeros((2, 0)), np.zeros((1, 1)), 40)
    assert in_a_form(sums) is None
    assert in_a_form(BayesSums((), 2)) is None
