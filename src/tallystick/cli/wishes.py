"""Wishes about a model that have flags of their own: those of a scorecard, and what others share with it.

Knows click and the names of parameters. Knows no method: a flag sets the parameter of its name, and a method
without that parameter refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from tallystick.cli.options import pair
from tallystick.errors import OptionError, shown
from tallystick.methods import NAMES, NUMBERS, named

F = TypeVar("F", bound=Callable[..., Any])

FLAGS = {  # the flag of each parameter
    "points_to_double": "--points-to-double",
    "ranges": "--ranges",
    "cuts": "--cuts",
    "monotone": "--monotone",
    "pairs": "--pairs",
    "max_lines": "--max-lines",
    "max_columns": "--max-columns",
    "l2": "--l2",
    "class_weight": "--class-weight",
    "population": "--population",
}
_OPTIONS = (
    click.option(
        FLAGS["points_to_double"], type=int, metavar="N", help="Card: points that double the odds (20)."
    ),
    click.option(FLAGS["ranges"], type=int, metavar="N", help="Card: the most ranges of a number (32)."),
    click.option(
        FLAGS["cuts"],
        multiple=True,
        metavar="NAME=A,B,...",
        help="Card: where the ranges of a column begin, e.g. age=25,40,60.",
    ),
    click.option(
        FLAGS["monotone"],
        multiple=True,
        metavar="NAME=WAY[:LABEL]",
        help="Card: a column whose points only rise or fall, e.g. income=falling; of more than two classes "
        "those of one, e.g. income=rising:gold.",
    ),
    click.option(
        FLAGS["pairs"],
        type=int,
        metavar="N",
        help="Card: the most pairs of columns; 0: none. Else those that the rows pay for.",
    ),
    click.option(FLAGS["max_lines"], type=int, metavar="N", help="Card: the most lines of a column."),
    click.option(
        FLAGS["max_columns"], type=int, metavar="N", help="Card: the most columns, those that say most."
    ),
    click.option(
        FLAGS["l2"],
        metavar="NUMBER",
        help="How strongly points or weights are held towards 0: a number, cv, or auto (card).",
    ),
    click.option(
        FLAGS["class_weight"],
        multiple=True,
        metavar="LABEL=W",
        help="What a row of a class counts, e.g. bad=5; or balanced.",
    ),
    click.option(
        FLAGS["population"],
        multiple=True,
        metavar="LABEL=SHARE",
        help="Card: the share of each class where it will be used, e.g. bad=0.03.",
    ),
)


def wishes(function: F) -> F:
    """Add the flags to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that were wished for, as Python takes them."""
    out = {name: given[name] for name in FLAGS if given.get(name) not in (None, ())}
    if "l2" in out:
        out["l2"] = _number_or_word(out["l2"])
    if "cuts" in out:
        out["cuts"] = {name: _numbers(name, text) for name, text in _pairs("cuts", out, "age=25,40,60")}
    if "monotone" in out:
        out["monotone"] = {name: _way(text) for name, text in _pairs("monotone", out, "income=falling")}
    if "population" in out:
        out["population"] = _by_label("population", out, "bad=0.03")
    if "class_weight" in out:
        balanced = out["class_weight"] == ("balanced",)
        out["class_weight"] = "balanced" if balanced else _by_label("class_weight", out, "bad=5")
    return out


def refuse_others(method: str, wished: Iterable[str]) -> None:
    """Refuse a wish that a method does not take, naming the methods that do."""
    for name in wished:
        if method not in (takers := _takers(name)):
            raise OptionError(
                f"{FLAGS[name]} is not for --model {method}. Use it with {' or '.join(_models(takers))}."
            )


def refuse_unnamed(wished: Iterable[str]) -> None:
    """Refuse wishes about one method where none is named."""
    for name in wished:
        models = " or ".join(_models(_takers(name)))
        raise OptionError(f"{FLAGS[name]} is for one method. Name it: {models}.")


def _takers(name: str) -> list[str]:
    """Return the methods that take a parameter; what a tree calls cuts is another thing."""
    if name == "cuts":
        return ["card"]
    return [m for m in (*NAMES, *NUMBERS) if name in named(m).load("estimator")().get_params()]


def _models(names: Iterable[str]) -> list[str]:
    return [f"--model {name}" for name in names]


def _pairs(name: str, out: dict[str, Any], example: str) -> list[tuple[str, str]]:
    found = [pair(text, FLAGS[name], example) for text in out[name]]
    names = [key for key, _ in found]
    for key in names:
        if names.count(key) > 1:
            raise OptionError(f"{FLAGS[name]} names {shown(key)} twice. Give it once.")
    return found


def _way(text: str) -> str | dict[str, str]:
    way, of, label = text.partition(":")
    return {label: way} if of else way


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--cuts of {shown(name)} must be numbers with commas between them, such as {name}=25,40,60, "
            f"not {shown(text)}."
        ) from None


def _by_label(name: str, out: dict[str, Any], example: str) -> dict[str, float]:
    found = {}
    for label, text in _pairs(name, out, example):
        value = _number_or_word(text)
        if isinstance(value, str):
            raise OptionError(f"{FLAGS[name]} of {shown(label)} must be a number, not {shown(text)}.")
        found[label] = value
    return found


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
