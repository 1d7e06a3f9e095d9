"""Formulas such as `default ~ income + age * region`: the target, columns and products that they name.

Knows formulaic, the parser, which is loaded when it is needed (extra `formula`). Knows nothing of models.
Law: a formula is short for naming columns and products: the model has the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.data.source.chosen import ChosenColumns
from tallystick.data.source.door import is_spark, open_source
from tallystick.errors import DataError, OptionError, shown
from tallystick.estimators.rows import as_given

_OFFSET = re.compile(r"offset\((.+)\)")
_DO = "Columns are joined by + and *, products are a:b; make any other column first"


@dataclass(frozen=True)
class ParsedFormula:
    """What a formula names: target, columns in its order, pairs with a product, the offset, and whether there
    is a constant.
    """

    target: str
    columns: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    offset: str | None = None
    constant: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that it reads."""
        return (*self.columns, *([] if self.offset is None else [self.offset]), self.target)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters that say the same, those that are not as usual."""
        out: dict[str, Any] = {}
        if self.pairs:
            out["interactions"] = list(self.pairs)
        if self.offset is not None:
            out["offset"] = self.offset
        if not self.constant:
            out["fit_intercept"] = False
        return out


def fit_formula(kind: Any, text: str, X: Any, sample_weight: Any, settings: Mapping[str, Any]) -> Any:
    """Return the model of a formula, fitted on the columns that it names."""
    formula = parse(text)
    if twice := sorted(set(formula.settings) & set(settings)):
        raise OptionError(f"{twice[0]} is said by the formula and by {twice[0]}=. Say it once.")
    if is_spark(X):
        raise DataError("a formula picks columns here. On Spark select them: fit(frame.select(...), target).")
    names = list(formula.names)
    if isinstance(sample_weight, str):
        names.append(sample_weight)
    model = kind(**settings, **formula.settings)
    chosen = ChosenColumns(open_source(as_given(X), memory=model._local().memory), names)
    return model.fit(chosen, formula.target, sample_weight)


def parse(text: Any) -> ParsedFormula:
    """Return what a formula names."""
    if not isinstance(text, str) or text.count("~") != 1:
        raise OptionError(
            f"a formula is a text such as 'default ~ income + age * region', not {shown(text)}."
        )
    try:
        from formulaic import Formula as Parsed
        from formulaic.errors import FormulaicError
    except ImportError:
        raise OptionError(
            "formulas are read by formulaic, which is not installed. pip install 'tallystick[formula]'"
        ) from None
    before, _, after = text.partition("~")
    if not before.strip():
        raise OptionError(f"formula {shown(text)} must have one column before ~.")
    if re.search(r"(^|[+*:\s])\.($|[+*:\s])", after):
        raise OptionError(f"formula {shown(text)} has '.'; name the columns.")
    try:
        parsed = Parsed(text)
        left, right = list(parsed.lhs), list(parsed.rhs)
    except (FormulaicError, SyntaxError, AttributeError, TypeError, ValueError) as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise OptionError(f"formula {shown(text)} cannot be read: {why}.") from None
    terms = [[_name(factor, text) for factor in term.factors] for term in right]
    if len(left) != 1 or len(left[0].factors) != 1:
        raise OptionError(f"formula {shown(text)} must have one column before ~.")
    (target,) = (_name(factor, text) for factor in left[0].factors)
    offsets = [
        found[1].strip("` ") for term in terms if len(term) == 1 and (found := _OFFSET.fullmatch(term[0]))
    ]
    if len(offsets) > 1:
        raise OptionError(f"formula {shown(text)} has {len(offsets)} offsets. Add them up in one column.")
    plain = [term for term in terms if not (len(term) == 1 and _OFFSET.fullmatch(term[0]))]
    return _of_terms(text, target, plain, offsets[0] if offsets else None)


def _of_terms(text: str, target: str, terms: list[list[str]], offset: str | None) -> ParsedFormula:
    columns = [term[0] for term in terms if len(term) == 1 and term[0] != "1"]
    pairs = [(term[0], term[1]) for term in terms if len(term) == 2]
    if longer := [":".join(term) for term in terms if len(term) > 2]:
        raise OptionError(f"formula {shown(text)} has {shown(longer[0])}: products are of two columns.")
    for pair in pairs:
        if lacking := [name for name in pair if name not in columns]:
            raise OptionError(
                f"formula {shown(text)} has the product {shown(':'.join(pair))} without {shown(lacking[0])} "
                f"itself. Write {'*'.join(pair)}."
            )
    for name in (*columns, *([] if offset is None else [offset])):
        if _call(name):
            raise OptionError(f"formula {shown(text)} has {shown(name)}, which is not a column. {_DO}.")
    if not columns:
        raise OptionError(f"formula {shown(text)} names no column after ~.")
    constant = ["1"] in terms or [] in terms
    return ParsedFormula(target, tuple(columns), tuple(pairs), offset, constant)


def _name(factor: Any, text: str) -> str:
    """Return a factor as it is written; what formulaic would compute is refused, but for the offset."""
    name, how = str(factor.expr), factor.eval_method.value
    if how == "python" and not _OFFSET.fullmatch(name):
        raise OptionError(f"formula {shown(text)} has {shown(name)}, which is not a column. {_DO}.")
    return name


def _call(name: str) -> bool:
    return bool(re.fullmatch(r"\w+\(.*\)", name))
