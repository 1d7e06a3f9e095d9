"""The ways to prune as part of a fit: one small object each, listed once.

Knows trees, the rules of this room, and what the model file says of a way. Knows nothing of estimators.
Law: an object says all there is to say of its way, so that equal objects prune the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

from tallystick.contracts import Block
from tallystick.data.schema import typed
from tallystick.errors import OptionError, shown
from tallystick.learners.prune.length import shortest
from tallystick.learners.prune.pessimistic import pessimistic
from tallystick.learners.prune.weakest import Held, judge, weakest_links
from tallystick.models.plain import is_number
from tallystick.models.tree import Tree

LEAST = 1e-9  # shares strictly between 0 and 1, as far as a model file can hold them


def between(value: Any) -> bool:
    """Is it a number above 0 and below 1?"""
    return is_number(value) and LEAST <= value <= 1 - LEAST


class Pruning(Protocol):
    """One way to prune: a frozen dataclass of its settings, with the name that people and the model file
    say.
    """

    name: ClassVar[str]

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. rows: those of the fit, None for a loaded tree; held(): trees without a
        fold, and its rows.
        """
        ...


@dataclass(frozen=True, repr=False)
class CostComplexity:
    """Keep a test where it lowers the training error by at least a price per leaf (CART).

    Parameters
    ----------
    cp : float, default None
        The price of a leaf as a share of the root's error; more prunes more. None chooses it by 10-fold
        cross-validation.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.CostComplexity(cp=0.01))
    DecisionTree(pruning=CostComplexity(cp=0.01))
    """

    name: ClassVar[str] = "cost-complexity"
    cp: float | None = None

    def __post_init__(self) -> None:
        if self.cp is not None and not (is_number(self.cp) and 0 <= self.cp < float("inf")):
            raise OptionError(f"cp must be a number from 0 up, not {shown(self.cp)}.")

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. held(): trees without a fold, and its rows."""
        path = weakest_links(tree)
        if self.cp is not None:
            return tree.cut_back(path.stop(self.cp * float(path.error[0])))
        return tree.cut_back(path.stop(float(path.alpha[judge(path, held()).minimum])))


@dataclass(frozen=True, repr=False)
class Pessimistic:
    """Keep a test where it lowers an upper bound of the error, with subtree raising (C4.5).

    Parameters
    ----------
    confidence : float, default 0.25
        How far the bound lies above the error that was seen; above 0 and below 1, less prunes more.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.Pessimistic(confidence=0.1))
    DecisionTree(pruning=Pessimistic(confidence=0.1))
    """

    name: ClassVar[str] = "pessimistic"
    confidence: float = 0.25

    def __post_init__(self) -> None:
        if not between(self.confidence):
            raise OptionError(
                f"confidence must be a number above 0 and below 1 (less prunes more), "
                f"not {shown(self.confidence)}."
            )

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree. rows: those of the fit."""
        return pessimistic(tree, self.confidence, rows, True)


@dataclass(frozen=True, repr=False)
class DescriptionLength:
    """Keep a test where tree and classes together take fewer bits with it (minimum description length).

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.DecisionTree(pruning=ts.DescriptionLength())
    DecisionTree(pruning=DescriptionLength())
    """

    name: ClassVar[str] = "mdl"

    __repr__ = typed

    def prune(self, tree: Tree, rows: Block | None, held: Callable[[], Iterator[Held]]) -> Tree:
        """Return a smaller tree."""
        return shortest(tree)


METHODS: dict[str, type[Pruning]] = {m.name: m for m in (CostComplexity, Pessimistic, DescriptionLength)}
HELD_OUT = "reduced-error"  # needs rows of its own, so no fit can do it


class FileNames(Collection[str]):
    """What a model file may say of pruning: a way of the list, or that held-out rows pruned the tree."""

    def __iter__(self) -> Iterator[str]:
        return iter((*METHODS, HELD_OUT))

    def __len__(self) -> int:
        return len(METHODS) + 1

    def __contains__(self, name: object) -> bool:
        return name in METHODS or name == HELD_OUT


FILE_NAMES = FileNames()


def is_pruning(given: Any) -> bool:
    """Is it a way to prune, as an object?"""
    return type(given) in METHODS.values()


def pruning_of(given: Any) -> Pruning | None:
    """Return the way that a user means: an object, its name for the defaults, or None."""
    if given is None or is_pruning(given):
        found: Pruning | None = given
        return found
    if isinstance(given, str) and given in METHODS:
        return METHODS[given]()
    names = ", ".join(f"ts.{m.__name__}()" for m in METHODS.values())
    raise OptionError(
        f"pruning must be None, {names} or one of {', '.join(METHODS)}, not {shown(given)}. "
        "For held-out rows use prune()."
    )


def settings_of(way: Pruning) -> dict[str, Any]:
    """Return the settings of a way."""
    return {f.name: getattr(way, f.name) for f in fields(way)}  # type: ignore[arg-type]


def to_file(way: Pruning | None) -> dict[str, Any]:
    """Return a way as a model file has it: its name, and the settings of every way."""
    # written out, not read from the list: files have one shape, also when a way with other settings is added
    settings = {"confidence": Pessimistic.confidence, "cp": CostComplexity.cp}
    if way is None:
        return {"pruning": None} | settings
    return {"pruning": way.name} | settings | settings_of(way)


def from_file(name: str | None, settings: Mapping[str, Any]) -> Pruning | None:
    """Return the way that a model file names, with its own settings."""
    way = None if name is None else METHODS[name]
    return None if way is None else way(**{f.name: settings[f.name] for f in fields(way)})  # type: ignore[arg-type]
