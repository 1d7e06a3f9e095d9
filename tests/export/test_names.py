"""Names in SQL: ours meet no other, and what a database cannot tell apart is refused."""

from __future__ import annotations

import pytest

from tallystick.errors import OptionError
from tallystick.export.sql import alias, answer_names, own_word, refuse_alike, refuse_double, refuse_hidden
from tallystick.export.sql_dialects import DIALECTS


def test_our_word_gives_way_to_names_of_the_table():
    assert own_word(["a", "b"]) == "tally"
    assert not "tally_cells".startswith(own_word(["Tally_cells"]))


def test_our_name_for_a_column_still_tells_which_one_it_is():
    assert alias("tally", 3, "income (€)") == "tally_3_income"
    assert alias("tally", 0, "日本") == "tally_0"
    assert len(alias("tally", 0, "x" * 200)) <= len("tally_0_") + 24


@pytest.mark.parametrize(
    ("dialect", "apart"), [("duckdb", False), ("sqlite", False), ("spark", False), ("postgres", True)]
)
def test_letter_case_is_told_apart_by_some_databases(dialect, apart):
    if apart:
        refuse_alike(["A", "a"], DIALECTS[dialect])
        assert answer_names(["Had", "had"], DIALECTS[dialect]) == ["P(Had)", "P(had)"]
    else:
        with pytest.raises(OptionError, match="cannot tell the columns 'A' and 'a' apart"):
            refuse_alike(["A", "a"], DIALECTS[dialect])
        assert answer_names(["Had", "had"], DIALECTS[dialect]) == ["P(Had)", "P(had)_2"]


def test_truth_values_are_named_in_lower_case():
    assert answer_names([False, True], DIALECTS["duckdb"]) == ["P(false)", "P(true)"]


def test_a_kept_column_that_meets_an_answer_or_another_is_refused():
    refuse_double(["id"], ["prediction"], DIALECTS["duckdb"])
    for kept in (["Prediction"], ["id", "ID"]):
        with pytest.raises(OptionError, match="two columns called"):
            refuse_double(kept, ["prediction"], DIALECTS["duckdb"])


def test_sqlites_hidden_columns_are_refused_there_alone():
    with pytest.raises(OptionError, match="SQLite takes the column 'rowid' for the number of a row"):
        refuse_hidden(["rowid"], DIALECTS["sqlite"])
    refuse_hidden(["rowid"], DIALECTS["postgres"])
