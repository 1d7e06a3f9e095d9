"""Thousands of damaged files from ten real tables: at most 0.5 % are read wrong, at most 3 % refused."""

from __future__ import annotations

from collections import Counter

import pytest
from polluted import IN_CELLS, IN_ROWS, cases, found, score, table_of
from polluted_tables import example, shop, tables
from shared_tables import needs_data

pytestmark = pytest.mark.slow


def judged(scores):
    total = sum(scores.values(), Counter())
    files = total.total()
    assert total["silent"] == 0, table_of(scores)
    assert total["wrong"] <= 0.005 * files, table_of(scores)
    assert total["refused"] <= 0.03 * files, table_of(scores)
    return files


def test_a_sample_of_damaged_files_is_read_right_or_set_aside():
    assert judged(score(2, [shop(40), example("votes")])) >= 80


@pytest.mark.parametrize("reading", [{}, {"strict": True}])
def test_no_damaged_file_passes_without_a_word(tmp_path, reading):
    seen = 0
    for table in (shop(30), example("votes")):
        for kind, case in cases(table, 6, (*IN_CELLS, *IN_ROWS)):
            what, said = found(case, tmp_path, **reading)
            assert what == "refused" or said, (kind, case.name, what)
            seen += 1
    assert seen >= 150


@pytest.mark.night
@needs_data
def test_thousands_of_damaged_files_are_read_right_or_set_aside():
    assert len(tables()) >= 10
    assert judged(score(13)) >= 2_000


@pytest.mark.night
def test_damage_in_every_place_of_one_table_is_repaired_or_set_aside():
    assert judged(score(10_000, [shop()])) >= 2_000
