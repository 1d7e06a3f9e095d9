"""The statistician's part of tally fit: a model by its formula, and what its training rows let one conclude.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tallystick.draw.text import Line
from tallystick.errors import OptionError, nearest, shown
from tallystick.methods import CHOICES, NUMBERS, variant

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.estimators.formula import ParsedFormula
    from tallystick.explain.logistic_inference import Inference

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--formula",
        metavar="TEXT",
        help="Target, columns and products in one line, 'party ~ crime + age * region', for a logistic or a "
        "linear regression; other columns are not read.",
    ),
    click.option(
        "--inference",
        is_flag=True,
        help="Logistic: print standard errors, intervals and tests of whole columns, from the training rows.",
    ),
    click.option(
        "--errors",
        type=click.Choice(["curvature", "HC0", "HC1"]),
        help="With --inference: where standard errors come from; HC0 and HC1 are robust.",
    ),
    click.option(
        "--clusters", metavar="COLUMN", help="With --inference: standard errors of rows that go together."
    ),
)


def statistics(function: F) -> F:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def formula_of(
    given: dict[str, Any], target: str | None, method: str
) -> tuple[str, ParsedFormula | None]:
    """Return the target, and the formula that was typed, if any, checked against the other options."""
    from tallystick.estimators.formula import parse

    text = given.get("formula")
    if text is None:
        if target is None:
            raise OptionError("no --target is given: the column to be predicted. Or write a --formula.")
        return target, None
    _let_pandas_in()
    found = parse(text)
    if target not in (None, found.target):
        own = shown(found.target)
        raise OptionError(f"--target is {shown(target)}, and the formula predicts {own}. Leave out --target.")
    able = [name for name in (*CHOICES, *NUMBERS) if _takes_products(name)]
    if method.partition(":")[0] not in able:
        use = " or ".join(f"--model {name}" for name in able)
        raise OptionError(f"--formula is for one method. Name it: {use}.")
    return found.target, found


def _let_pandas_in() -> None:
    """Undo `NoPandas`: the parser of formulas does not load without it."""
    from tallystick.cli.main import NoPandas

    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, NoPandas)]


def _takes_products(name: str) -> bool:
    one = variant(name)
    return one.plain and "interactions" in one.method.load("estimator")().get_params()


def named_columns(source: Source, formula: ParsedFormula) -> Source:
    """Return the columns of a source that a formula names."""
    from tallystick.data.source.chosen import ChosenColumns

    return ChosenColumns(source, list(formula.names))


def concluded(estimator: Any, rows: Source, whole: Source, given: dict[str, Any]) -> Inference | None:
    """Return what the rows of the fit let one conclude; None where nobody asked. whole: with all columns."""
    if not given["inference"]:
        for name in ("errors", "clusters"):
            if given[name] is not None:
                raise OptionError(f"--{name} says how --inference is made. Add --inference.")
        return None
    if not hasattr(estimator, "inference"):
        raise OptionError("--inference is for --model logistic. A linear regression prints its table anyway.")
    groups = None if given["clusters"] is None else _cells(whole, given["clusters"])
    found: Inference = estimator.inference(rows, errors=given["errors"] or "curvature", groups=groups)
    return found


def _cells(source: Source, name: str) -> Any:
    import pyarrow as pa

    if name not in source.columns:
        raise OptionError(
            f"--clusters names {shown(name)}, which is not a column of {source.name}."
            f"{nearest(name, source.columns)}"
        )
    return pa.chunked_array([batch.column(name) for batch in source.batches()])


def inference_lines(found: Inference | None, cells: int) -> list[Line]:
    """Return what was concluded as lines."""
    return [] if found is None else [*found.lines(cells), ()]
