"""Advice can be followed: what a message tells to pass is taken, in Python and on the command line."""

from __future__ import annotations

import ast
import inspect

import pytest
from sources import MODULES, nodes

import tallystick as ts
from tallystick.cli.main import COMMANDS, tally
from tallystick.cli.options import flag
from tallystick.errors import IN_COLUMNS, Argument, read_with

ESTIMATORS = (
    ts.DecisionTree,
    ts.RegressionTree,
    ts.NaiveBayes,
    ts.LogisticRegression,
    ts.Scorecard,
    ts.RuleList,
    ts.RuleSet,
)
VALUES = {  # one that can be passed, by the name of the argument
    "keep": ["id"],
    "alpha": 8.0,
    "pruning": "length",
    "kinds": {"id": "out"},
    "levels": {"size": ["S", "M"]},
    "merge": {"yes": ["YES", "Yes"], "answer": {"no": ["N"]}},
    "missing": ["-999"],
    "memory": "1GB",
    "lenient": True,
    "missing_columns": "as-missing",
    "min_count": 1,
    "calibrate": False,
    "firth": True,
    "bad_rows": "skip",
    "day_first": True,
    "decimal": ",",
    "encoding": "cp1252",
    "header": False,
    "inf": "missing",
    "sep": ";",
    "table": "Sheet2",
    "unpack": True,
    "cuts": {"age": [25, 40]},
    "l2": 1.0,
    "max_lines": 6,
    "monotone": {"income": "falling"},
    "population": {"yes": 0.1},
    "groups": "shop",
    "time": "day",
    "repeats": 3,
}


def named(function: str) -> set[str]:
    """The names of arguments that messages of the package are made with."""
    found = set()
    for path in MODULES:
        if f"{function}(" not in path.read_text(encoding="utf-8"):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    found.add(first.value)
    return found


ADVISED = sorted(named("Argument") - {"RegressionTree"})
READING = sorted(named("read_with"))
PARAMETERS = [p for name in COMMANDS for p in tally.get_command(None, name).params]
OPTIONS = {option for p in PARAMETERS for option in (*p.opts, *p.secondary_opts)}


def test_all_advice_is_looked_at():
    assert {"keep", "kinds", "missing", "memory"} <= set(ADVISED)
    assert {"sep", "encoding"} <= set(READING)
    assert {*ADVISED, *READING} <= set(VALUES)
    assert set(IN_COLUMNS) <= set(inspect.signature(ts.Columns).parameters)


@pytest.mark.parametrize("name", ADVISED)
def test_what_python_is_told_to_pass_is_taken_as_it_stands(name):
    told = str(Argument(name, VALUES[name]))
    given = eval(f"dict({told})", {"ts": ts})
    takers = [*ESTIMATORS, ts.DecisionTree.predict, ts.DecisionTree.explain, ts.cross_validate]
    assert any(set(given) <= set(inspect.signature(taker).parameters) for taker in takers), told
    if set(given) <= set(inspect.signature(ts.NaiveBayes).parameters):
        ts.NaiveBayes(**given)


@pytest.mark.parametrize("name", READING)
def test_what_reading_is_told_to_take_is_a_parameter_of_read(name):
    assert str(read_with(name, VALUES[name])).endswith(" to ts.read")
    assert name in inspect.signature(ts.read).parameters


@pytest.mark.parametrize("name", [*ADVISED, *READING])
def test_what_a_shell_is_told_to_type_is_an_option(name):
    told = flag(Argument(name, VALUES[name]))
    option, _, value = told.partition(" ")
    assert option in OPTIONS, told
    if option == "--set":
        parameter = value.partition("=")[0]
        assert any(parameter in inspect.signature(e).parameters for e in ESTIMATORS), told
