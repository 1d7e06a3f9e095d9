"""The methods, an entry each: where to find what belongs to a method, and the settings it is tuned over.

Knows names. What a name stands for is loaded when somebody asks for it: who predicts with one kind of model
waits for no other. Whoever would ask "which kind of model is this?" asks here instead.
Law: a room asks for faces of its own room or of rooms below it, so that imports still flow one way; a test
holds that, and that every name is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    number. missing: what a missing value does, in words that follow "A missing value".

    The faces: file (FileKind), the shapes of its part of the model file and their check; form, the model as
    plain data for exports: (model, sha256) -> Form; explain, why a row is answered: (model, block, row);
    changes, what differs between two model files: (a, b) -> (place, before, after), ...; known, what a file
    keeps of the training rows of a column: (document, column) -> Known; report (Face), its part of a report.
    A method without its own may leave the last three out.
    """

    name: str
    kind: str
    words: str
    estimator: str
    file: str
    form: str
    explain: str
    changes: str = "export.diff_models:plain_changes"
    known: str = "description.known:nothing"
    report: str = "reports.faces:PLAIN"
    tuned: Settings = ()
    reads_text: bool = True
    regression: bool = False
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
    "tree",
    "decision-tree",
    "decision tree",
    "estimators.tree:DecisionTree",
    "models.tree.shape:DECISION_FILE",
    "export.form:tree_form",
    "explain.tree_way:explain",
    "export.diff_models:tree_changes",
    "description.known:of_tree",
    "reports.faces:TREE",
    _LEAVES,
    reads_text=False,
    missing="goes where the test says (learned from the rows), as does a level never seen",
)

METHODS = (
    _TREE,
    Method(
        "bayes",
        "naive-bayes",
        "naive Bayes",
        "estimators.naive_bayes:NaiveBayes",
        "models.naive_bayes.file:FILE",
        "export.form:additive_form",
        "explain.naive_bayes:explain",
        "export.diff_models:bayes_changes",
        "description.known:of_bayes",
        "reports.faces:BAYES",
        tuple(
            (f"alpha {a:g}, {d} numbers", {"alpha": a, "distributions": d})
            for d in ("binned", "gaussian")
            for a in (0.1, 1.0, 10.0, 100.0)
        ),
        thing="naive Bayes model",
        missing="adds nothing; a level never seen adds what smoothing gives it",
    ),
    Method(
        "logistic",
        "logistic-regression",
        "logistic regression",
        "estimators.logistic:LogisticRegression",
        "models.logistic.file:FILE",
        "export.form:additive_form",
        "explain.logistic:explain",
        "export.diff_models:logistic_changes",
        "description.known:of_logistic",
        "reports.faces:LOGISTIC",
        tuple((f"l2 {v:g}", {"l2": v}) for v in (1000, 300, 100, 30, 10, 3, 1, 0.1)),
        missing="counts as the mean or has a weight of its own; a level never seen adds nothing",
    ),
    replace(
        _TREE,
        name="regression",
        kind="regression-tree",
        words="regression tree",
        estimator="estimators.regression_tree:RegressionTree",
        file="models.tree.shape:REGRESSION_FILE",
        regression=True,
    ),
)
KINDS = {method.kind: method for method in METHODS}
NAMES = tuple(method.name for method in METHODS if not method.regression)  # of the classifiers


def of_kind(kind: str) -> Method:
    """Return the method whose model files say `kind`."""
    return KINDS[kind]


def named(name: str) -> Method:
    """Return the method that people call `name`; an unknown one is an error that names those there are."""
    for method in METHODS:
        if method.name == name:
            return method
    raise OptionError(f"there is no method {shown(name)}.{nearest(name, NAMES)} Use: {', '.join(NAMES)}.")
