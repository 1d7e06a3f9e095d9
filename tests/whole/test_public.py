"""What a user meets of the package: few names, each with its parameters told as they are."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable

import pytest

import tallystick as ts
from tallystick.cli.main import tally

ESTIMATORS = {
    "DecisionTree": "against apply c45 cart column_use counterfactuals decision_path get_depth get_n_leaves "
    "id3 optimal predict_interval predict_log_proba predict_proba predict_proba_one prune "
    "pruning_path rules show splits",
    "OptimalTree": "against apply column_use counterfactuals decision_path get_depth get_n_leaves "
    "predict_interval predict_log_proba predict_proba predict_proba_one rules show",
    "RegressionTree": "against apply column_use decision_path effect get_depth get_n_leaves predict_interval "
    "prune pruning_path rules show splits",
    "NaiveBayes": "counterfactuals forget independence inference likelihood nomogram partial_fit "
    "predict_interval predict_joint_log_proba predict_log_proba predict_proba predict_proba_one shares "
    "to_logistic update votes",
    "LogisticRegression": "counterfactuals decision_function forest from_formula inference nomogram "
    "predict_interval predict_log_proba predict_proba predict_proba_one summary trace_picture",
    "RuleList": "counterfactuals predict_interval predict_log_proba predict_proba predict_proba_one rules "
    "rules_on",
    "RuleSet": "counterfactuals predict_interval predict_log_proba predict_proba predict_proba_one rules "
    "rules_on",
    "Scorecard": "beside_naive_bayes counterfactuals nomogram predict_interval predict_log_proba "
    "predict_proba predict_proba_one reasons to_naive_bayes",
}
EVERY = (
    "card explain export fit get_metadata_routing get_params outside_range picture predict predict_one save "
    "score set_fit_request set_params set_score_request to_bytes to_dict transform"
)


DECIDES = "clear_decision effect set_decision"


def public(cls: type) -> list[str]:
    """The names of a class that are neither private, nor parameters, nor learned (scikit-learn's word_)."""
    names = [n for n in dir(cls) if not n.startswith("_") and not n.endswith("_")]
    return [n for n in names if n not in cls._names() and hasattr(cls, n)]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_has_these_public_methods_and_no_others(name):
    of_classes = DECIDES if "counterfactuals" in ESTIMATORS[name] else ""
    assert public(getattr(ts, name)) == sorted(f"{ESTIMATORS[name]} {of_classes} {EVERY}".split())


FUNCTIONS = [n for n in ts.__all__ if inspect.isfunction(getattr(ts, n, None))]
MODULES = [n for n in ts.__all__ if inspect.ismodule(getattr(ts, n, None))]
FUNCTIONS += [f"{n}.{f}" for n in MODULES for f in getattr(ts, n).__all__]
METHODS = [f"{name}.{method}" for name in ESTIMATORS for method in public(getattr(ts, name))]
SHARED = ("columns", "kinds", "engine", "threads, memory")


def called(name: str) -> Callable[..., object]:
    thing = ts
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
    return getattr(thing, "__func__", thing)


def told(thing: object) -> dict[str, str]:
    """The default, if any, of each parameter as the docstring tells it."""
    section = inspect.getdoc(thing).partition("\nParameters\n----------\n")[2]
    section = section.partition("\n\nReturns\n")[0].partition("\n\nExamples\n")[0]
    lines = re.findall(r"^(\**\w+(?:, \w+)*)(?: : (.*))?$", section, re.MULTILINE)
    return {name: text.partition("default ")[2] for names, text in lines for name in names.split(", ")}


def wanted(thing: Callable[..., object]) -> dict[str, str]:
    """The default, if any, of each parameter of a signature as it is typed."""
    out = {}
    for p in inspect.signature(thing).parameters.values():
        if p.name not in ("self", "cls"):
            name = "**" * (p.kind is p.VAR_KEYWORD) + p.name
            out[name] = "" if p.default is p.empty else repr(p.default).replace("'", '"')
    return out


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_a_docstring_tells_every_parameter_with_the_default_it_has(name):
    thing = called(name)
    if isinstance(thing, property):  # transform, which is there when the model is fitted
        return
    assert told(thing) == wanted(thing)
    assert "\nReturns\n-------\n" in inspect.getdoc(thing) or not wanted(thing) or name.endswith(".save")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
def test_a_function_has_an_example_that_runs(name):
    (test,) = doctest.DocTestFinder(recurse=False).find(called(name), globs={})
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("parameter", SHARED)
def test_what_is_the_same_everywhere_is_told_in_the_same_words(parameter):
    line = re.compile(rf"^{parameter} : .*(?:\n    .*)*", re.MULTILINE)
    things = [*(getattr(ts, name) for name in ESTIMATORS), ts.describe]
    assert len({line.search(inspect.getdoc(thing))[0] for thing in things}) == 1


COMMANDS = {
    "describe": ts.describe,
    "compare": ts.compare,
    "curve": ts.learning_curve,
    "report": ts.report,
    "predict": ts.DecisionTree.predict,
    "explain": ts.DecisionTree.explain,
    "work": ts.work,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_is_a_parameter_has_its_default(command):
    known = inspect.signature(COMMANDS[command]).parameters | inspect.signature(ts.read).parameters
    options = [o for o in tally.get_command(None, command).params if o.name in known and not o.required]
    options = [o for o in options if o.name not in ("sql", "row")]  # a switch; counted from 1
    told = {o.name: o.default for o in options if isinstance(o.default, str | int | float | bool)}
    assert len(told) >= 2
    assert told == {name: known[name].default for name in told}
