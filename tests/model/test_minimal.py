"""The least disjunction: it says what the function says, and no other is shorter."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.model.conditions import MOST_VARIABLES, least, literals, prime_cubes


def holds(cube, way):
    return all(value in (2, bit) for value, bit in zip(cube, way, strict=True))


def brute(true, free):
    """The fewest terms, then literals, by trying all sets of cubes: the slow twin."""
    n = true.ndim
    ways = list(itertools.product((0, 1), repeat=n))
    must = {w for w in ways if true[w] and not free[w]}
    never = {w for w in ways if not true[w] and not free[w]}
    covers = {}
    for cube in itertools.product((0, 1, 2), repeat=n):
        own = frozenset(w for w in ways if holds(cube, w))
        if not own & never and own & must:
            covers[cube] = own & must
    for size in range(len(must) + 1):
        fits = [
            sum(map(literals, chosen))
            for chosen in itertools.combinations(covers, size)
            if set().union(*(covers[c] for c in chosen)) == must
        ]
        if fits:
            return size, min(fits)
    raise AssertionError


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.integers(1, 3), st.integers(0, 2**8 - 1), st.integers(0, 2**8 - 1))
def test_no_disjunction_is_shorter_and_it_says_what_the_function_says(n, ones, free):
    shape = (2,) * n
    true = np.array([(ones >> i) & 1 for i in range(2**n)], bool).reshape(shape)
    dont = np.array([(free >> i) & 1 for i in range(2**n)], bool).reshape(shape)
    found = least(true, dont)
    for way in itertools.product((0, 1), repeat=n):
        if not dont[way]:
            assert any(holds(cube, way) for cube in found.terms) == true[way]
    assert found.proven
    assert (len(found.terms), found.literals) == brute(true, dont)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 0.9))
def test_terms_of_six_variables_are_prime_and_none_can_be_left_out(seed, share):
    rng = np.random.default_rng(seed)
    true = rng.random((2,) * 6) < share
    free = rng.random((2,) * 6) < 0.2
    found = least(true, free)
    primes = set(prime_cubes(true | free))
    must = np.argwhere(true & ~free).tolist()
    for term in found.terms:
        assert term in primes
        others = [t for t in found.terms if t != term]
        assert not all(any(holds(t, way) for t in others) for way in must)
    assert all(any(holds(t, way) for t in found.terms) for way in must)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_parity_has_a_term_for_every_odd_way(n):
    ways = np.indices((2,) * n).sum(axis=0)
    found = least(ways % 2 == 1, np.zeros((2,) * n, bool))
    assert (len(found.terms), found.literals) == (2 ** (n - 1), n * 2 ** (n - 1))


def test_a_cyclic_cover_is_solved_by_the_search():
    """Each way of a cycle of six is in two primes; three of the six suffice."""
    true = np.zeros((2, 2, 2), bool)
    for way in ((0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 1, 0), (1, 0, 0), (1, 0, 1)):
        true[way] = True
    found = least(true, np.zeros((2, 2, 2), bool))
    assert (len(found.terms), found.literals) == (3, 6)


def test_always_and_never_are_told():
    nothing = np.zeros((2, 2), bool)
    assert least(nothing, nothing).terms == ()
    assert least(~nothing, nothing).terms == ((2, 2),)
    assert least(nothing, ~nothing).terms == ()


def test_too_many_variables_are_refused():
    big = np.zeros((2,) * (MOST_VARIABLES + 1), bool)
    with pytest.raises(ValueError, match="at most 12 variables"):
        least(big, big)
