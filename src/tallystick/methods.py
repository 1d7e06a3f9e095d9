"""The registry of methods (class, model file, settings to tune, functions of each room) and their variants.

Entry: `of_kind()`, `named()`, `variant()`. face = a function or class by name, "module:name", that another
room asks of a method; kind = the method's name in model files; variant = a method with fixed settings
(`id3`). Names are imported when they are first asked for, so that predicting with one kind of model loads no
other. Code that depends on the kind of a model asks here. Law: a room asks for faces of its own room or of
rooms below it, so that imports flow one way; a test checks that, and that every name exists.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from tallystick.errors import OptionError, nearest, shown

Settings = tuple[tuple[str, Mapping[str, Any]], ...]  # what a setting is called, and its parameters


@dataclass(frozen=True)
class Method:
    """One way to learn. Names of things are "module:name", below the package.

    name: what `methods=` and the command line call it. kind: what the model file says. words: what people
    read. estimator: the public class. tuned: at most eight settings that inner folds choose from, the
    simplest model first. reads_text: whether it looks at columns of text. regression: whether its target is a
    number. target: whether it has one. missing: what a missing value does, in words that follow "A missing
    value".

    The faces: file (FileKind), the shapes of its part of the model file and their check; form, the model as
    plain data for exports: (model, sha256) -> Form; explain, why a row is answered: (model, block, row);
    changes, what differs between two model files: (a, b) -> (place, before, after), ...; largest, how far its
    shares, points or odds moved: (a, b) -> (size, sentence), ...; answered, what a model's counts tell of its
    answers to the rows it was learnt from: (model, unit of weights) -> AnswerSums; known, what a file keeps
    of the training rows of a column: (document, column) -> Known; report (Face), its part of a report; rules,
    if-then rules as text: (model, sha256, format); card, a printed card: the same; reasons, what
    cost rows most: (model, most, against, class) -> (block) -> codes; counts, the training rows behind a
    reason: (model, explanation) -> (column, value, rows by class), ...; interval, how sure rows'
    probabilities are: (model, block) -> [row, class, 2]; band, between what the effect of a column lies:
    (model, blocks, values, shares[value, row, class], class) -> what it is, low[value], high[value]; steps,
    the cuts between which its answer does not depend on a number: (model, column) -> cuts or None;
    guarded, the model that may be shown to anybody, in which no row stands alone: (estimator, table) ->
    estimator; checks, what in a table the method is misled by: (table) -> Check, ...; working, how it is done
    by hand: (estimator, table, title, row, whole) -> parts of a document.
    A method without its own leaves a face out, and has the plain one.
    """

    name: str
    kind: str
    words: str
    estimator: str
    file: str
    explain: str
    form: str = "export.form:no_form"
    changes: str = "export.diff:plain_changes"
    largest: str = "export.diff:none_largest"
    answered: str = "stats.profile:no_answers"
    known: str = "description.changes:nothing"
    report: str = "reports.methods:PLAIN"
    rules: str = "export.rules:no_rules"
    card: str = "export.card:no_card"
    reasons: str = "scorecard.explain:no_reasons"
    counts: str = "explanation.effects:no_counts"
    interval: str = "rules.explain:no_interval"
    band: str = "explanation.effects:spread_band"
    steps: str = "explanation.effects:no_steps"
    guarded: str = "judge.checks:as_it_is"
    checks: str = "judge.checks:no_checks"
    working: str = "teach.document:no_working"
    tuned: Settings = ()
    compared: bool = True  # whether `compare` and `report` try it unless `methods=` names others
    curved: bool = False  # whether `learning_curve` draws it unless `methods=` names others
    few_classes: bool = False  # whether it takes seconds where there are many
    effort: float = 1.0  # to fit a row, column and class, beside other methods; counting: a hundredth
    most_classes: int = 0  # beyond which it is refused, as the work grows with their square; 0: no end
    reads_text: bool = True
    grows: bool = False  # whether its models are trees, as large as the rows ask for
    regression: bool = False
    target: bool = True  # whether it predicts a column; else it describes all of them
    missing: str = "is read as the model says"
    thing: str = ""  # what one model of it is called, if not `words`

    @property
    def noun(self) -> str:
        """What one model of it is called."""
        return self.thing or self.words

    def load(self, face: str) -> Any:
        """Return what one of the names above stands for."""
        module, _, name = getattr(self, face).partition(":")
        return getattr(import_module(f"tallystick.{module}"), name)


_LEAVES: Settings = tuple(
    (f"at most {n} leaves" if n else "any number of leaves", {"max_leaf_nodes": n})
    for n in (2, 3, 4, 6, 10, 20, 50, None)
)

_TREE = Method(
    name="tree",
    effort=0.02,
    kind="decision-tree",
    words="decision tree",
    estimator="tree.estimator:DecisionTree",
    file="tree.options:DECISION_FILE",
    explain="tree.explain:explain",
    form="export.form:tree_form",
    changes="export.diff:tree_changes",
    largest="export.diff:tree_largest",
    answered="stats.profile:answers_of_nodes",
    steps="explanation.effects:tree_steps",
    report="reports.methods:TREE",
    rules="export.rules:tree_rules",
    interval="rules.explain:tree_interval",
    guarded="tree.estimator:guarded_tree",
    working="tree.work:tree_parts",
    tuned=_LEAVES,
    reads_text=False,
    grows=True,
    missing="goes where the test says (learned from the rows), as does a level never seen",
)

_RULES = Method(
    name="rules",
    kind="rule-list",
    words="rule list",
    estimator="rules.estimator:RuleList",
    file="rules.model:FILE",
    explain="rules.explain:explain",
    form="export.form:rules_form",
    changes="export.diff:rule_changes",
    largest="export.diff:rules_largest",
    steps="explanation.effects:rule_steps",
    report="reports.methods:RULES",
    rules="export.rules:own_rules",
    interval="rules.explain:rule_interval",
    tuned=tuple(
        (f"at most {n} rules" if n else "any number of rules", {"max_rules": n})
        for n in (1, 2, 3, 5, 8, None)
    ),
    most_classes=2_000,
    compared=False,  # a tree says much the same and answers better: rules are compared where they are named
    reads_text=False,
    missing="fulfils a condition that says so, and no other, as does a level never seen",
)

METHODS = (
    _TREE,
    Method(
        name="bayes",
        effort=0.01,
        kind="naive-bayes",
        words="naive Bayes",
        thing="naive Bayes model",
        estimator="bayes.estimator:NaiveBayes",
        file="bayes.file:FILE",
        explain="bayes.explain:explain",
        form="export.form:additive_form",
        rules="export.rules:additive_rules",
        changes="export.diff:bayes_changes",
        largest="export.diff:bayes_largest",
        known="description.changes:of_bayes",
        steps="explanation.effects:additive_steps",
        report="reports.methods:BAYES",
        counts="bayes.explain:bayes_counts",
        interval="rules.explain:bayes_interval",
        checks="bayes.explain:dependence",
        working="bayes.work:bayes_parts",
        tuned=tuple(
            (f"alpha {a:g}, {d} numbers", {"alpha": a, "distributions": d})
            for d in ("binned", "gaussian")
            for a in (0.1, 1.0, 10.0, 100.0)
        ),
        curved=True,
        missing="adds nothing; a level never seen adds what smoothing gives it",
    ),
    Method(
        name="logistic",
        kind="logistic-regression",
        words="logistic regression",
        estimator="linear.estimator:LogisticRegression",
        file="linear.file:FILE",
        explain="linear.summary:explain",
        form="export.form:additive_form",
        rules="export.rules:additive_rules",
        changes="export.diff:logistic_changes",
        largest="export.diff:logistic_largest",
        known="description.changes:of_slopes",
        report="reports.methods:LOGISTIC",
        interval="rules.explain:logistic_interval",
        working="linear.work:logistic_parts",
        tuned=tuple((f"l2 {v:g}", {"l2": v}) for v in (1000, 300, 100, 30, 10, 3, 1, 0.1)),
        curved=True,
        most_classes=5_000,
        missing="counts as the mean or has a weight of its own; a level never seen adds nothing",
    ),
    Method(
        name="card",
        effort=4.0,
        kind="scorecard",
        words="scorecard",
        estimator="scorecard.estimator:Scorecard",
        file="scorecard.file:FILE",
        explain="scorecard.explain:explain",
        form="scorecard.explain:card_form",
        changes="export.diff:card_changes",
        largest="export.diff:card_largest",
        known="description.changes:of_card",
        steps="explanation.effects:additive_steps",
        report="reports.methods:CARD",
        rules="export.card:card_rules",
        card="export.card:scorecard",
        reasons="scorecard.explain:asked",
        interval="scorecard.card:card_interval",
        band="explanation.effects:own_band",
        guarded="scorecard.estimator:guarded_card",
        curved=True,
        few_classes=True,
        most_classes=2_000,
        missing="has a line of its own; a level never seen adds nothing",
    ),
    _RULES,
    replace(
        _RULES,
        name="rule-set",
        kind="rule-set",
        words="rule set",
        estimator="rules.estimator:RuleSet",
    ),
    replace(
        _TREE,
        name="optimal",
        kind="optimal-tree",
        words="optimal tree",
        effort=20.0,
        estimator="tree.optimal:OptimalTree",
        file="tree.options:OPTIMAL_FILE",
        guarded="tree.optimal:guarded_optimal",
        working=Method.working,
        most_classes=2_000,
        tuned=tuple((f"depth {n}", {"max_depth": n}) for n in (1, 2, 3)),
        compared=False,  # the search may take minutes: it is compared where it is named
    ),
    replace(
        _TREE,
        name="regression",
        kind="regression-tree",
        words="regression tree",
        estimator="tree.estimator:RegressionTree",
        file="tree.options:REGRESSION_FILE",
        working=Method.working,
        report="reports.methods:NUMBER_TREE",
        regression=True,
    ),
    Method(
        name="linear",
        kind="linear-regression",
        words="linear regression",
        estimator="linear.estimator:LinearRegression",
        file="linear.file:LINEAR_FILE",
        explain="linear.summary:explain_linear",
        form="export.form:additive_form",
        rules="export.rules:additive_rules",
        changes="export.diff:logistic_changes",
        largest="export.diff:linear_largest",
        known="description.changes:of_slopes",
        interval="linear.summary:linear_interval",
        band="explanation.effects:own_band",
        report="reports.methods:LINEAR",
        tuned=tuple((f"l2 {v:g}", {"l2": v}) for v in (3000, 300, 100, 30, 10, 3, 1, 0.1)),
        reads_text=False,
        regression=True,
        missing="counts as the mean or has a weight of its own; a level never seen adds nothing",
    ),
)
DENSITIES = (  # without a target, so nothing is predicted, compared or exported
    Method(
        name="density",
        kind="density-tree",
        words="density tree",
        estimator="density.estimator:DensityTree",
        file="density.model:FILE",
        explain="density.estimator:explain",
        compared=False,
        reads_text=False,
        target=False,
        missing="is an outcome like any other, with a share in every leaf",
    ),
)
KINDS = {method.kind: method for method in (*METHODS, *DENSITIES)}
NAMES = tuple(method.name for method in METHODS if not method.regression)  # names of the classifiers
COMPARED = tuple(m.name for m in METHODS if m.compared and not m.regression)  # unless `methods=` names others
CURVED = tuple(m.name for m in METHODS if m.curved and not m.regression)
REGRESSIONS = tuple(m.name for m in METHODS if m.compared and m.regression)  # the same for numbers


@dataclass(frozen=True)
class MethodVariant:
    """A method as people name it, with the settings that go with the name.

    name: what `methods=`, `--model` and `--method` call it. words: what people read. maker: the class method
    of the estimator that makes it; "" is the class itself. settings: parameters beyond those of the maker.
    """

    name: str
    words: str
    method: Method
    maker: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether it is the method with its defaults."""
        return self.name == self.method.name

    def make(self, shared: Mapping[str, Any]) -> Any:
        """Return the estimator, not fitted; shared: parameters that every estimator has."""
        kind = self.method.load("estimator")
        made = (getattr(kind, self.maker) if self.maker else kind)(**shared)
        return made.set_params(**self.settings)


def of_kind(kind: str) -> Method:
    """Return the method whose model files say `kind`."""
    return KINDS[kind]


def named(name: str) -> Method:
    """Return the method that people call `name`; an unknown one is an error that names those there are."""
    return variant(name).method


_BY_NAME = {method.name: method for method in METHODS}
VARIANTS = (
    *(MethodVariant(method.name, method.words, method) for method in METHODS),
    MethodVariant("id3", "ID3 tree", _TREE, "id3"),
    MethodVariant("c45", "C4.5 tree", _TREE, "c45"),
    MethodVariant("cart", "CART tree", _TREE, "cart"),
    MethodVariant(
        "bayes-gaussian", "naive Bayes, Gaussian", _BY_NAME["bayes"], settings={"distributions": "gaussian"}
    ),
    MethodVariant(
        "bayes-gaussian-shared",
        "naive Bayes, shared variance",
        _BY_NAME["bayes"],
        settings={"distributions": "gaussian", "share": "classes"},
    ),
    MethodVariant(
        "bayes-binned", "naive Bayes, binned", _BY_NAME["bayes"], settings={"distributions": "binned"}
    ),
    MethodVariant(
        "bayes-ml",
        "naive Bayes, unsmoothed",
        _BY_NAME["bayes"],
        settings={"distributions": "gaussian", "alpha": 0.0},
    ),
    MethodVariant(
        "logistic-ml",
        "logistic regression, l2 0",
        _BY_NAME["logistic"],
        settings={"l2": 0.0},
    ),
)
CHOICES = tuple(v.name for v in VARIANTS if not v.method.regression)  # names that `variant` takes for classes
WORKED = tuple(v.name for v in VARIANTS if v.method.working != Method.working)  # those that `work` writes out
NUMBERS = tuple(v.name for v in VARIANTS if v.method.regression)  # the same for numbers


def variant(name: str) -> MethodVariant:
    """Return what people call `name`: a method, a variant, or either with settings, `tree:max_depth=3`.

    An unknown one is an error that names those there are.
    """
    if not isinstance(name, str):
        raise OptionError(
            f"a method is named by a text, not by {shown(type(name).__name__)}. Pass estimators by what they "
            "are called: methods={'mine': ...}."
        )
    known, colon, settings = name.partition(":")
    for entry in VARIANTS:
        if entry.name == known:
            return _with_settings(entry, name, settings) if colon else entry
    near = nearest(known, (*CHOICES, *NUMBERS))
    use = f"{', '.join(CHOICES)}; for numbers {', '.join(NUMBERS)}"
    raise OptionError(f"there is no method {shown(known)}.{near} Use: {use}.")


def _with_settings(entry: MethodVariant, name: str, texts: str) -> MethodVariant:
    own: dict[str, Any] = {}
    for text in texts.split(","):
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(
                f"{shown(text)} in the method {shown(name)} is not NAME=VALUE. Write for example "
                "bayes:alpha=0.5,distributions=gaussian."
            )
        own[key] = setting_value(value)
    settings = {**entry.settings, **own}
    return replace(entry, name=name, words=f"{entry.words}, {texts.replace(',', ', ')}", settings=settings)


def setting_value(text: str) -> Any:
    """Return the value of a setting that was typed: JSON if it reads as JSON, else text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
