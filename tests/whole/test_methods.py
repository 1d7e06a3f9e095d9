"""One registration: every method names its parts in `methods.py`, each in its room."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields

import pytest

import tallystick as ts
from tallystick import methods
from tallystick.errors import OptionError
from tallystick.model.shapes import FileKind
from tallystick.reports.methods import MethodSection

EVERY = (*methods.METHODS, *methods.DENSITIES)
every = pytest.mark.parametrize("method", EVERY, ids=[m.name for m in EVERY])


@every
def test_every_name_of_a_method_is_there(method):
    for field in fields(method):
        if re.fullmatch(r"[a-z_.]+:\w+", str(getattr(method, field.name))):
            assert method.load(field.name) is not None, field.name
    assert isinstance(method.load("file"), FileKind)
    assert isinstance(method.load("report"), MethodSection)
    assert method.load("estimator")._kind == method.kind
    assert method.load("estimator").__name__ in ts.__all__
    assert callable(method.load("form"))


@every
def test_a_method_is_tuned_over_at_most_eight_settings_of_its_own(method):
    assert len(method.tuned) <= 8
    for words, own in method.tuned:
        assert words
        assert (
            method.load("estimator")(**own).get_params() | own == method.load("estimator")(**own).get_params()
        )


def test_names_and_kinds_are_those_of_one_method_each():
    assert len({m.name for m in EVERY}) == len(EVERY) == len(methods.KINDS)
    assert all(m.target for m in methods.METHODS)
    assert not any(m.target for m in methods.DENSITIES)
    assert tuple(m.name for m in methods.METHODS if not m.regression) == methods.NAMES
    with pytest.raises(OptionError, match=r"there is no method 'tre'\. Did you mean 'tree'\?"):
        methods.named("tre")


def test_the_list_loads_no_method():
    code = (
        "import sys, tallystick.methods; print(sorted(m for m in sys.modules if m.startswith('tallystick.')))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"tallystick\.(\w+)", out)) == {"errors", "methods"}


@pytest.mark.parametrize("name", methods.CHOICES)
def test_every_variant_is_an_estimator_of_its_method_and_takes_what_all_share(name):
    entry = methods.variant(name)
    made = entry.make({"threads": 1})
    assert (made._kind, made.threads) == (entry.method.kind, 1)
    assert made.get_params() | entry.settings == made.get_params()
    assert entry.plain == (name in methods.NAMES)


def test_names_and_words_of_variants_are_those_of_one_each():
    names, words = zip(*((v.name, v.words) for v in methods.VARIANTS), strict=True)
    assert len(set(names)) == len(set(words)) == len(methods.VARIANTS)


def test_the_classical_trees_have_the_settings_of_their_makers():
    for name in ("id3", "c45", "cart"):
        known = getattr(ts.DecisionTree, name)(threads=1)
        assert methods.variant(name).make({"threads": 1}).get_params() == known.get_params()


def test_a_name_may_carry_settings():
    entry = methods.variant("bayes-gaussian:alpha=0.5,share=classes")
    assert entry.words == "naive Bayes, Gaussian, alpha=0.5, share=classes"
    known = ts.NaiveBayes(distributions="gaussian", alpha=0.5, share="classes")
    assert entry.make({}).get_params() == known.get_params()
    assert not entry.plain
    with pytest.raises(OptionError, match=r"'alpha' in the method 'bayes:alpha' is not NAME=VALUE"):
        methods.variant("bayes:alpha")
    with pytest.raises(OptionError, match=r"NaiveBayes has no parameter 'alpa'\. Did you mean 'alpha'\?"):
        methods.variant("bayes:alpa=1").make({})


DAYS = [
    {"when": f"2021-{1 + i % 12:02}-{1 + i % 28:02}", "y": "late" if i % 12 > 5 else "early"}
    for i in range(336)
]
DAY_NUMBER = re.compile(r"\b18[67]\d\d\b")  # 2021, in days since 1970


@pytest.mark.slow
@pytest.mark.parametrize("method", methods.METHODS, ids=[m.name for m in methods.METHODS])
def test_a_date_is_told_as_a_date_in_the_words_of_every_method(method):
    number = method.regression
    rows = [r | {"y": i % 7 + 20.5 * (r["y"] == "late")} for i, r in enumerate(DAYS)] if number else DAYS
    model = method.load("estimator")().fit(rows, "y")
    told = f"{model}\n{model.explain(rows[0])}"
    assert "2021-01-01" in told or "(2021-" in told
    assert not DAY_NUMBER.search(told)


@pytest.mark.parametrize("distribution", ["binned", "gaussian"])
def test_naive_bayes_tells_dates_in_its_bins_and_votes(distribution):
    model = ts.NaiveBayes(distributions={"when": distribution}).fit(DAYS, "y")
    told = "\n".join(str(x) for x in (model.explain(DAYS[0]), model.votes("late"), model.shares("when")))
    assert "2021-" in told
    assert not DAY_NUMBER.search(told)


def test_a_card_and_a_nomogram_draw_dates():
    card = ts.Scorecard().fit(DAYS, "y")
    drawn = (card.picture(), card.nomogram(), ts.LogisticRegression().fit(DAYS, "y").nomogram())
    for picture in drawn:
        words = " ".join(re.findall(r">([^<>]+)<", picture))
        assert "2021-" in words
        assert not DAY_NUMBER.search(words)
