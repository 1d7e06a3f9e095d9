"""Spellings that the user merges: one form of what was given, and contradictions refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import OptionError
from tallystick.schema import Columns
from tallystick.text import merges, plain_merges, read_merges, spellings, typed_merges


def test_all_columns_and_one_column_are_told_apart():
    merge = merges({"yes": ["Yes", "Y", "yes"], "answer": {"no": ["No", 0]}})
    assert merge == {"answer": {"no": ("0", "No")}, "yes": ("Y", "Yes")}
    assert spellings(merge, None) == {"Y": "yes", "Yes": "yes"}
    assert spellings(merge, "answer") == {"Y": "yes", "Yes": "yes", "0": "no", "No": "no"}


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"yes": ["Y"], "ja": ["Y"]}, "merge makes 'Y' both 'ja' and 'yes'. Name it once."),
        ({"yes": ["Y"], "c": {"ja": ["Y"]}}, "merge makes 'Y' both 'yes' and 'ja'. Name it once."),
        ({"yes": ["Y"], "Y": ["y"]}, "Merge all of them into 'yes'."),
        ({"yes": 5}, "merge lists the spellings of 'yes'"),
        ("yes=Y", "merge must say which spellings are one"),
        ({"yes": ["", "Y"]}, "What stands for missing is said by missing=."),
    ],
)
def test_contradictions_are_refused_in_one_line(given_, message):
    with pytest.raises(OptionError) as caught:
        Columns(merge=given_)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ["yes", "=Y", "yes=", "yes=,", ": yes=Y"])
def test_what_the_command_line_cannot_read_is_refused_in_one_line(line):
    with pytest.raises(OptionError, match=r"Write for example --merge 'yes=Yes,YES'"):
        read_merges((line,))


WORD = st.text("abcXYZ äß", min_size=1, max_size=4).map(str.strip).filter(bool)


@pytest.mark.slow
@given(
    st.dictionaries(WORD, st.lists(WORD, min_size=1), max_size=3),
    st.dictionaries(WORD, st.lists(WORD, min_size=1), max_size=2),
)
def test_typed_and_read_again_it_is_the_same(every, own):
    given_ = {**every, **({"a column": own} if own else {})}
    try:
        merge = merges(given_)
    except OptionError:
        return
    lines = [line for line in typed_merges(merge) if not line.endswith("=")]
    again = merges(read_merges(tuple(lines)))
    assert spellings(again, None) == spellings(merge, None)
    assert spellings(again, "a column") == spellings(merge, "a column")
    assert merges(plain_merges(merge)) == merge
