"""Tallystick: classification for tables and text that learns by counting and shows its working.

Names are loaded when first used, so that `import tallystick` stays fast and loads no data library.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"


def _refuse_subinterpreter() -> None:
    """Say in one line what would otherwise wait for ever: compiled code here serves the main interpreter."""
    try:
        import _interpreters as known  # type: ignore[import-not-found]
    except ImportError:
        try:
            import _xxsubinterpreters as known  # type: ignore[import-not-found]
        except ImportError:
            return
    if known.get_current() != known.get_main():
        raise ImportError(
            "Tallystick does not run in a subinterpreter: NumPy and its own compiled code serve the main "
            "one. Use a process or a thread."
        )


_refuse_subinterpreter()

_WHERE = {  # the module of each public name; `learn` and `pictures` are modules themselves
    "Columns": "schema",
    "CostComplexity": "tree.prune",
    "DecisionTree": "tree.estimator",
    "DensityTree": "density.estimator",
    "DescriptionLength": "tree.prune",
    "LinearRegression": "linear.estimator",
    "Local": "engine",
    "LogisticRegression": "linear.estimator",
    "NaiveBayes": "bayes.estimator",
    "OptimalTree": "tree.optimal",
    "Pessimistic": "tree.prune",
    "RegressionTree": "tree.estimator",
    "RuleList": "rules.estimator",
    "RuleSet": "rules.estimator",
    "Scorecard": "scorecard.estimator",
    "Spark": "spark.table",
    "Sql": "sql",
    "TallyError": "errors",
    "TallyWarning": "errors",
    "bayes_rule": "teach.learn",
    "compare": "judge.api",
    "cross_validate": "judge.crossval",
    "describe": "description.text",
    "diff": "judge.two_models",
    "grow": "tree.by_hand",
    "learn": "teach.learn",
    "learning_curve": "judge.api",
    "lesson": "teach.lessons",
    "load": "estimator.base",
    "pictures": "teach.pictures",
    "read": "io.open",
    "report": "reports.api",
    "separable": "linear.separation",
    "verify": "estimator.verify",
    "work": "teach.document",
}

__all__ = [
    "Columns",
    "CostComplexity",
    "DecisionTree",
    "DensityTree",
    "DescriptionLength",
    "LinearRegression",
    "Local",
    "LogisticRegression",
    "NaiveBayes",
    "OptimalTree",
    "Pessimistic",
    "RegressionTree",
    "RuleList",
    "RuleSet",
    "Scorecard",
    "Spark",
    "Sql",
    "TallyError",
    "TallyWarning",
    "__version__",
    "bayes_rule",
    "compare",
    "cross_validate",
    "describe",
    "diff",
    "grow",
    "learn",
    "learning_curve",
    "lesson",
    "load",
    "pictures",
    "read",
    "report",
    "separable",
    "verify",
    "work",
]

if TYPE_CHECKING:
    from tallystick.bayes.estimator import NaiveBayes
    from tallystick.density.estimator import DensityTree
    from tallystick.description.text import describe
    from tallystick.engine import Local
    from tallystick.errors import TallyError, TallyWarning
    from tallystick.estimator.base import load
    from tallystick.estimator.verify import verify
    from tallystick.io.open import read
    from tallystick.judge.api import compare, learning_curve
    from tallystick.judge.crossval import cross_validate
    from tallystick.judge.two_models import diff
    from tallystick.linear.estimator import LinearRegression, LogisticRegression
    from tallystick.linear.separation import separable
    from tallystick.reports.api import report
    from tallystick.rules.estimator import RuleList, RuleSet
    from tallystick.schema import Columns
    from tallystick.scorecard.estimator import Scorecard
    from tallystick.spark.table import Spark
    from tallystick.sql import Sql
    from tallystick.teach import learn, pictures
    from tallystick.teach.document import work
    from tallystick.teach.learn import bayes_rule
    from tallystick.teach.lessons import lesson
    from tallystick.tree.by_hand import grow
    from tallystick.tree.estimator import DecisionTree, RegressionTree
    from tallystick.tree.optimal import OptimalTree
    from tallystick.tree.prune import CostComplexity, DescriptionLength, Pessimistic


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return _loaded(name)
    raise AttributeError(f"module 'tallystick' has no attribute {name!r}")


@functools.cache
def _loaded(name: str) -> Any:
    """Return a public name from where it is: looked for once."""
    module = importlib.import_module(f"tallystick.{_WHERE[name]}")
    return module if name in ("learn", "pictures") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
