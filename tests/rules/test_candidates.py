"""What a column offers: the rows that fulfil a condition are those of its codes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.rules.learner import all_offers
from tallystick.tree.tables import Coding


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["numeric", "ordered", "levels"]))
def test_rows_of_an_offer_are_those_of_the_codes_it_allows(seed, kind):
    rng = np.random.default_rng(seed)
    k, classes = int(rng.integers(1, 7)), int(rng.integers(2, 4))
    table = rng.integers(0, 4, (k + 1, classes)) * (rng.random((k + 1, 1)) < 0.7)
    offers = all_offers((Coding("x", kind, k),), [table.astype(np.int64)])
    for i in range(len(offers.bits)):
        pick = offers.pick(i)
        assert np.array_equal(table[np.array(pick.allowed)].sum(axis=0), offers.covered[i])
    assert (offers.bits >= 0).all()


def test_a_number_offers_both_sides_of_every_cut_with_and_without_missing():
    table = np.array([[1, 0], [0, 2], [3, 0], [1, 1]])
    offers = all_offers((Coding("x", "numeric", 3),), [table])
    made = {offers.pick(i).allowed for i in range(len(offers.bits))}
    assert len(made) == 10  # two cuts, two sides, two ways of missing; known, missing
    assert (True, True, False, True) in made
    assert (False, False, False, True) in made
    assert (True, True, True, False) in made


def test_levels_offer_the_groups_in_which_a_class_is_most_frequent():
    table = np.array([[9, 1], [1, 9], [5, 5], [0, 0], [0, 0]])
    offers = all_offers((Coding("a", "levels", 4),), [table])
    made = {offers.pick(i).allowed[:3] for i in range(len(offers.bits))}
    assert (True, False, False) in made
    assert (True, False, True) in made
    assert (False, True, True) in made
    assert (True, True, False) not in made


def test_levels_without_rows_go_with_the_larger_group():
    table = np.array([[9, 1], [1, 9], [5, 5], [0, 0], [0, 0]])
    offers = all_offers((Coding("a", "levels", 4),), [table])
    for i in range(len(offers.bits)):
        allowed = offers.pick(i).allowed
        assert allowed[3] == (sum(allowed[:3]) == 2)


@pytest.mark.parametrize("kind", ["numeric", "levels"])
def test_one_value_offers_nothing(kind):
    table = np.array([[3, 4], [0, 0]])
    assert len(all_offers((Coding("x", kind, 1),), [table]).bits) == 0
