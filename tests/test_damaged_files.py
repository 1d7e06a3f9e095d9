"""Damaged text tables: every kind gives the table or the error expected; see damaged.py for the kinds."""

from __future__ import annotations

import pytest
from damaged import ERRORS, TABLES, outcomes

FILES = 15  # of each kind


@pytest.mark.parametrize("kind", TABLES + ERRORS, ids=lambda kind: kind.__name__)
def test_damaged_files_give_the_table_or_the_error_expected(kind):
    found = outcomes(kind, FILES)
    assert not [o for o in found if o.startswith(("silent", "crash"))]
    assert found.count("right") >= 0.98 * len(found), [o for o in found if o != "right"][:3]


def test_there_are_many_files_of_many_kinds():
    assert len(TABLES + ERRORS) >= 25
    assert sum(len(outcomes(kind, 1)) for kind in TABLES + ERRORS) * FILES >= 500
