"""What naive Bayes keeps of a column, and the shares that follow from it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from small_models import BAYES, bayes

from tallystick import kernels
from tallystick.bayes.model import Counted, Summed, Worded, idf_of, level_terms
from tallystick.bayes.options import BayesOptions

NONE = np.zeros(2, np.int64)
SUMMED, COUNTED = bayes().parts
TEXT = Worded("t", "multinomial", np.array([[3, 0], [1, 4]]), NONE, np.array([2, 2]))


def options(**changed):
    return BayesOptions(**BAYES | changed)


def test_shares_are_counts_with_cases_added():
    np.testing.assert_allclose(COUNTED.shares(options(), 1), [[4 / 6, 2 / 6], [2 / 6, 4 / 6]])
    np.testing.assert_allclose(COUNTED.shares(options(alpha=0), 1), [[0.75, 0.25], [0.25, 0.75]])
    np.testing.assert_allclose(COUNTED.shares(options(m=2, p=0.5), 1), COUNTED.shares(options(), 1))


def test_a_class_without_rows_has_the_shares_that_were_assumed():
    empty = Counted("a", "levels", np.array([[2, 0], [2, 0]]), NONE, ("r", "s"))
    assert empty.shares(options(alpha=0), 1)[:, 1].tolist() == [0.5, 0.5]


def test_a_level_never_seen_has_a_share_only_where_cases_are_added():
    np.testing.assert_allclose(COUNTED.unseen(options(), 1), [1 / 7, 1 / 7])
    assert COUNTED.unseen(options(alpha=0), 1) is None


@pytest.mark.parametrize("alpha", [1.0, 0.3, 0.0])
def test_columns_of_as_many_levels_have_together_the_terms_of_each_alone(alpha):
    rng = np.random.default_rng(4)
    smoothed = options(alpha=alpha)
    counts = rng.integers(0, 50, (9, 3, 4))
    counts[2, :, 1] = 0  # a class without rows
    parts = [Counted(f"c{j}", "levels", c, c[0]) for j, c in enumerate(counts)]
    for part, term in zip(parts, level_terms(parts, smoothed, 2), strict=True):
        shares = part.shares(smoothed, 2)
        assert term.column == part.name
        assert term.table[:3].tobytes() == kernels.log(shares).tobytes()
        assert (term.table[3] == 0).all()
        unseen = part.unseen(smoothed, 2)
        assert term.table[4].tobytes() == (np.zeros(4) if unseen is None else kernels.log(unseen)).tobytes()


def test_means_and_spreads_are_exact_and_a_class_without_values_takes_the_mean_of_all():
    assert SUMMED.means() == [Fraction(1), Fraction(3)]
    assert [Fraction(*ratio) for ratio in SUMMED.spread()] == [4, 4]
    assert Fraction(*SUMMED.whole_variance) == (48 - Fraction(16 * 16, 8)) / 8
    alone = Summed("x", "gaussian", np.array([4, 0]), NONE, (SUMMED.sums[0], 0), (SUMMED.squares[0], 0))
    assert alone.means() == [Fraction(1), Fraction(1)]


def test_sums_that_no_rows_have_are_impossible():
    assert SUMMED.least() == 0
    assert SUMMED.plus(SUMMED, 1).plus(SUMMED, -1).to_dict() == SUMMED.to_dict()
    wrong = Summed("x", "gaussian", np.array([4, 0]), NONE, SUMMED.sums, SUMMED.squares)
    assert wrong.least() == -1


def test_words_are_shares_of_words_or_of_documents():
    np.testing.assert_allclose(TEXT.shares(options(), 1), [[4 / 6, 1 / 6], [2 / 6, 5 / 6]])
    there = Worded("t", "bernoulli", np.array([[2, 0]]), NONE, np.array([2, 2]))
    np.testing.assert_allclose(there.shares(options(), 1), [[3 / 4, 1 / 4]])
    rest = Worded("t", "complement", TEXT.counts, NONE, TEXT.documents)  # the words of the other class
    np.testing.assert_allclose(rest.shares(options(), 1), TEXT.shares(options(), 1)[:, ::-1])


def test_forgetting_what_was_never_there_shows_in_the_least_count():
    assert TEXT.plus(TEXT, -1).least() == 0
    assert TEXT.plus(TEXT, -1).plus(TEXT, -1).least() == -4
    assert COUNTED.plus(COUNTED, -1).plus(COUNTED, -1).least() == -3


def test_a_word_in_every_row_has_the_weight_1_and_a_rare_one_more():
    common, rare = idf_of(np.array([9, 0]), 9)
    assert common == 2**16
    assert rare == round((1 + np.log(10)) * 2**16)
