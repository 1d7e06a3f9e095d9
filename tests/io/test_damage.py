"""Damaged text tables: every kind gives the table or the error expected; see damaged.py for the kinds."""

from __future__ import annotations

import random

import pytest
from damaged import ERRORS, TABLES, mutated, outcomes
from damaged_more import MORE_ERRORS, MORE_TABLES

from tallystick.errors import TallyError
from tallystick.io.open import read
from tallystick.table.reader import read_table

pytestmark = pytest.mark.slow

FILES = 12  # of each kind
KINDS = TABLES + MORE_TABLES + ERRORS + MORE_ERRORS


@pytest.mark.night
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_many_damaged_files_give_the_table_or_the_error_expected(kind):
    found = outcomes(kind, 60)
    assert not [o for o in found if o.startswith(("silent", "crash"))]
    assert found.count("right") >= 0.98 * len(found), [o for o in found if o != "right"][:3]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_damaged_files_give_the_table_or_the_error_expected(kind):
    found = outcomes(kind, FILES)
    assert not [o for o in found if o.startswith(("silent", "crash"))]
    assert found.count("right") >= 0.98 * len(found), [o for o in found if o != "right"][:3]


def test_there_are_many_files_of_many_kinds():
    assert len(KINDS) >= 25
    assert sum(len(outcomes(kind, 1)) for kind in KINDS) * FILES >= 500


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_file_gives_a_table_or_one_line(seed, tmp_path, capfd):
    path = tmp_path / "train.csv"
    for i in range(150):
        rng = random.Random(f"{seed} {i}")
        case = mutated(rng)
        path.write_bytes(case.data)
        said = ""
        try:
            source = read(path, **case.options)
            table = read_table(source, target=rng.choice(source.columns))
            said = " ".join(note.text for note in (*table.notes, *table.source_notes))
        except TallyError as error:
            said = str(error)
        assert said.isprintable()
    assert capfd.readouterr().err == ""
