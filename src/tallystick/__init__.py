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

_WHERE = {  # the module of each public name; its own name where it is a module
    "Columns": "data.schema",
    "CostComplexity": "learners.prune",
    "TallyWarning": "errors",
    "DecisionTree": "estimators",
    "DensityTree": "estimators",
    "DescriptionLength": "learners.prune",
    "LinearRegression": "estimators",
    "Local": "engines.local",
    "LogisticRegression": "estimators",
    "Scorecard": "estimators",
    "NaiveBayes": "estimators",
    "OptimalTree": "estimators",
    "Pessimistic": "learners.prune",
    "RegressionTree": "estimators",
    "RuleList": "estimators",
    "RuleSet": "estimators",
    "Spark": "engines.spark",
    "Sql": "engines.sql",
    "TallyError": "errors",
    "bayes_rule": "explain.rule",
    "compare": "estimators.judging",
    "cross_validate": "evaluate",
    "describe": "description",
    "diff": "estimators.flips",
    "learn": "learn",
    "grow": "estimators.by_hand",
    "learning_curve": "estimators.judging",
    "lesson": "lessons",
    "load": "estimators",
    "pictures": "pictures",
    "read": "data.source",
    "report": "estimators.reporting",
    "separable": "explain.separating_plane",
    "verify": "estimators",
    "work": "working",
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
    from tallystick import learn, pictures
    from tallystick.data.schema import Columns
    from tallystick.data.source import read
    from tallystick.description import describe
    from tallystick.engines.local import Local
    from tallystick.engines.spark import Spark
    from tallystick.engines.sql import Sql
    from tallystick.errors import TallyError, TallyWarning
    from tallystick.estimators import (
        DecisionTree,
        DensityTree,
        LinearRegression,
        LogisticRegression,
        NaiveBayes,
        OptimalTree,
        RegressionTree,
        RuleList,
        RuleSet,
        Scorecard,
        load,
        verify,
    )
    from tallystick.estimators.by_hand import grow
    from tallystick.estimators.flips import diff
    from tallystick.estimators.judging import compare, learning_curve
    from tallystick.estimators.reporting import report
    from tallystick.evaluate import cross_validate
    from tallystick.explain.rule import bayes_rule
    from tallystick.explain.separating_plane import separable
    from tallystick.learners.prune import CostComplexity, DescriptionLength, Pessimistic
    from tallystick.lessons import lesson
    from tallystick.working import work


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return _loaded(name)
    raise AttributeError(f"module 'tallystick' has no attribute {name!r}")


@functools.cache
def _loaded(name: str) -> Any:
    """Return a public name from where it is: looked for once."""
    module = importlib.import_module(f"tallystick.{_WHERE[name]}")
    return module if _WHERE[name] == name else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
