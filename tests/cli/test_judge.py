"""tally compare and tally curve: the same answers as in Python, and shares that can be read."""

from __future__ import annotations

import json

import pytest
from command import call

import tallystick as ts
from tallystick.cli.options import shares
from tallystick.errors import OptionError


def test_parts_are_numbers_between_commas():
    assert shares("0.6,0.2, .2") == (0.6, 0.2, 0.2)
    with pytest.raises(OptionError, match=r"^--parts takes numbers such as 0\.6,0\.2,0\.2, not 'a third'"):
        shares("a third")
    with pytest.raises(OptionError, match=r"not '0\.5,'"):
        shares("0.5,")


@pytest.mark.slow
def test_compare_takes_the_method_that_python_takes(inside, capfd):
    assert call("tally compare votes.csv -t party --no-tuning --folds 3 --method tree --json") == 0
    found = json.loads(capfd.readouterr().out)
    known = ts.compare("votes.csv", "party", methods=("tree",), tuned=False, folds=3)
    assert found == json.loads(json.dumps(known.to_dict()))


@pytest.mark.slow
def test_curve_prints_what_python_prints(inside, capfd):
    assert call("tally curve play-tennis.csv -t Play --method bayes --repeats 2") == 0
    known = ts.learning_curve("play-tennis.csv", "Play", methods=("bayes",), repeats=2)
    assert capfd.readouterr().out == f"{known}\n"


def test_curve_trains_on_the_sizes_that_are_named(inside, capfd):
    line = "tally curve play-tennis.csv -t Play --method bayes --repeats 2 --sizes"
    assert call(f"{line} 4,8") == 0
    known = ts.learning_curve("play-tennis.csv", "Play", methods=("bayes",), repeats=2, sizes=[4, 8])
    assert capfd.readouterr().out == f"{known}\n"
    assert call("tally curve votes.csv -t party --method bayes --repeats 2 --sizes 3 --json") == 0
    assert len(json.loads(capfd.readouterr().out)["sizes"]) == 3
    assert call(f"{line} 4,x") == 2
    assert "--sizes takes whole numbers such as 10,20,50" in capfd.readouterr().err
