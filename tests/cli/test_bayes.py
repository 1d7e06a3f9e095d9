"""tally bayes: the four examples of Bayes' rule, exact; and what cannot be read."""

from __future__ import annotations

import json

import pytest
from command import call


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ill=0.008 well= --test ill=0.98,well=0.03", "0.208511 = 49/235"),
        ("ill=0.008 well= --test ill=0.98,well=0.03 --test ill=0.98,well=0.03", "0.895896 = 2401/2680"),
        ("flu=1/40 --test flu=1/2 --evidence 1/10", "0.125 = 1/8"),
        (
            "first=0.6 other=0.4 --test first=1,other=1/2",
            "0.75 = 3/4",
        ),  # two shooters: 0.4 * 0.5 missed by one
        ("fair=1/2 double= --test fair=1/2,double=1 --predict fair=1/2,double=1", "= 5/6 = 0.833333"),
        ("a=1/2 b=1/2 --test a=3,b=1 --densities", "0.75 = 3/4"),
    ],
)
def test_the_worked_examples_come_out_exactly(line, says, capfd):
    assert call(f"tally bayes {line}") == 0
    assert says in capfd.readouterr().out


def test_json_has_every_step(capfd):
    assert call("tally bayes a=1/4 b=3/4 --test a=1,b=1/3 --test a=1,b=0 --json") == 0
    found = json.loads(capfd.readouterr().out)
    assert [step["posterior"]["a"] for step in found["steps"]] == [0.5, 1.0]
    assert found["predicted"] is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ill=half well= --test ill=1,well=1", "the prior of 'ill' has 'half', which is not a number"),
        ("ill=0.1 --test ill=1", "the priors sum to 0.1, not to 1"),
        ("a= b= --test a=1,b=1", "the priors of 2 hypotheses are left out"),
        ("a=1 a=0 --test a=1", "'a' is named twice"),
        ("a=0.5 b= --test a=2,b=1", "the likelihood of 'a' is 2, not between 0 and 1"),
        ("a=0.5 b= --test a=1/0,b=1", "'1/0', which is not a number"),
        ("a=0.5 b= --test a=1,c=1", "must name the same hypotheses"),
        ("a=0.5 b= --test a=1,b=1 --test a=1,b=1 --evidence 1", "--evidence is for one test"),
        ("a0.5 --test a=1", "is not NAME=PRIOR"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(line, says, capfd):
    assert call(f"tally bayes {line}") == 2
    err = capfd.readouterr().err
    assert says in err
    assert err.count("\n") == 1
