"""The small functions behind the methods, for whoever learns or teaches them: `ts.learn.entropy([9, 5])`.

Law: whatever is worked out here by hand is what the methods use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallystick.bayes.explain import BINS, coded, conditional_information
from tallystick.draw.svg import as_html, padded, width
from tallystick.errors import OptionError, clean, nearest, shown, some

__all__ = [
    "bayes_rule",
    "count_hypotheses",
    "count_parameters",
    "entropy",
    "gain",
    "gain_ratio",
    "gini",
    "independent",
    "joint",
]


# Bayes' rule on a small table of hypotheses, with the computation shown.
# Exact when the numbers given are fractions or whole numbers.

Numeric = int | float | Fraction
SHORT = 10**6  # denominators that people still read


@dataclass(frozen=True)
class Posterior:
    """prior[h], likelihood[h], product[h] = prior * likelihood, evidence = their sum, posterior[h] = product
    / evidence.
    """

    prior: dict[str, Numeric]
    likelihood: dict[str, Numeric]
    product: dict[str, Numeric]
    evidence: Numeric
    posterior: dict[str, Numeric]

    def __getitem__(self, hypothesis: str) -> Numeric:
        return self.posterior[hypothesis]

    def predict(self, likelihoods: Mapping[str, Numeric]) -> Numeric:
        """Return the probability of something new: the sum over hypotheses of posterior * P(it |
        hypothesis).
        """
        _same_names(self.posterior, likelihoods, "likelihoods")
        return sum((p * likelihoods[h] for h, p in self.posterior.items()), 0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        tables = {name: getattr(self, name) for name in ("prior", "likelihood", "product", "posterior")}
        out: dict[str, Any] = {
            name: {h: float(v) for h, v in table.items()} for name, table in tables.items()
        }
        return out | {"evidence": float(self.evidence)}

    _repr_html_ = as_html

    def __str__(self) -> str:
        wide = max([len("hypothesis"), *(width(clean(h)) for h in self.posterior)])
        lines = [f"{padded('hypothesis', wide)}     prior  x likelihood  =    product   posterior"]
        for h, value in self.posterior.items():
            row = [float(t[h]) for t in (self.prior, self.likelihood, self.product)]
            name = padded(clean(h), wide)
            own = f" = {value}" if isinstance(value, Fraction) and value.denominator < SHORT else ""
            line = f"{name}  {row[0]:8.6g}  x   {row[1]:8.6g}  =  {row[2]:9.6g}   {float(value):9.6g}"
            lines.append(line + own)
        lines.append(
            f"{padded('sum', wide)}                            {float(self.evidence):9.6g}   = P(evidence)"
        )
        return "\n".join(lines)

    __repr__ = __str__


def bayes_rule(
    prior: Mapping[str, Numeric] | Sequence[Numeric],
    likelihoods: Mapping[str, Numeric] | Sequence[Numeric],
    *,
    evidence: Numeric | None = None,
    densities: bool = False,
) -> Posterior:
    """Return P(hypothesis | evidence) from P(hypothesis) and P(evidence | hypothesis).

    Parameters
    ----------
    prior : dict or list
        P(hypothesis) of every hypothesis; they sum to 1, unless `evidence` is given.
    likelihoods : dict or list
        P(evidence | hypothesis) of the same hypotheses.
    evidence : number, default None
        P(evidence), where some hypotheses are left out; None: the sum of all products.
    densities : bool, default False
        Whether the likelihoods are densities of a number, which may be above 1.

    Returns
    -------
    Posterior
        The posterior of each hypothesis, with the computation; exact for fractions and whole numbers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import tallystick as ts
    >>> prior = {"ill": Fraction(1, 100), "well": Fraction(99, 100)}
    >>> ts.bayes_rule(prior, {"ill": 1, "well": Fraction(1, 9)})["ill"]
    Fraction(1, 12)
    """
    before, given = _named(prior), _named(likelihoods)
    _same_names(before, given, "likelihoods")
    for what, table in (("prior", before), ("likelihood", given)):
        for h, value in table.items():
            if value < 0 or (value > 1 and not (densities and what == "likelihood")):
                raise OptionError(f"the {what} of {shown(h)} is {value}, not between 0 and 1.")
    total = sum(before.values())
    if evidence is None and abs(float(total) - 1) > 1e-9:
        raise OptionError(
            f"the priors sum to {float(total):g}, not to 1. Name every hypothesis, or give evidence=."
        )
    product = {h: before[h] * given[h] for h in before}
    if evidence is None:
        evidence = sum(product.values())
    if evidence == 0:
        raise OptionError("the evidence is impossible under every hypothesis: all products are 0.")
    share = Fraction(evidence) if isinstance(evidence, int) else evidence
    return Posterior(before, given, product, evidence, {h: v / share for h, v in product.items()})


def _named(table: Mapping[str, Numeric] | Sequence[Numeric]) -> dict[str, Numeric]:
    if isinstance(table, Mapping):
        return {str(k): v for k, v in table.items()}
    return {f"h{i + 1}": v for i, v in enumerate(table)}


def _same_names(a: Mapping[str, Any], b: Mapping[str, Any], what: str) -> None:
    if set(a) != set(b):
        raise OptionError(
            f"{what} must name the same hypotheses as the prior; {some(sorted(set(a) ^ set(b)))} differ."
        )


Numbers = Sequence[float] | Mapping[Any, float]
FEWEST = 1e-9  # bits: less is rounding
DISTINCT = 30  # different numbers that stand as they are; more are cut into bins


def entropy(counts: Numbers) -> float:
    """Return the entropy of counts, or of shares, in bits: the sum of -p·log2(p).

    Parameters
    ----------
    counts : list or dict
        Rows of each class, or their shares.

    Returns
    -------
    float
        0 where all rows are of one class, and without rows.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.learn.entropy([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    1.75
    >>> round(ts.learn.entropy([9, 5]), 4)
    0.9403
    """
    numbers = _counts(counts)
    n = math.fsum(numbers)
    return math.fsum(-x / n * math.log2(x / n) for x in numbers if x) if n else 0.0


def gini(counts: Numbers) -> float:
    """Return Gini's impurity of counts, or of shares: 1 less the sum of squared shares.

    Parameters
    ----------
    counts : list or dict
        Rows of each class, or their shares.

    Returns
    -------
    float
        0 where all rows are of one class, and without rows.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.learn.gini([5, 5])
    0.5
    """
    numbers = _counts(counts)
    n = math.fsum(numbers)
    return 1.0 - math.fsum((x / n) ** 2 for x in numbers) if n else 0.0


def gain(branches: Sequence[Numbers] | Mapping[Any, Numbers], criterion: str = "entropy") -> float:
    """Return what a test gains: the impurity of all rows less the mean of its branches, by their rows.

    Parameters
    ----------
    branches : list or dict
        The rows of each class in each branch.
    criterion : {"entropy", "gini"}, default "entropy"
        The measure of impurity.

    Returns
    -------
    float
        In bits for the entropy.

    Examples
    --------
    >>> import tallystick as ts
    >>> outlook = {"Sunny": [3, 2], "Overcast": [0, 4], "Rain": [2, 3]}
    >>> round(ts.learn.gain(outlook), 4)
    0.2467
    """
    measures = {"entropy": entropy, "gini": gini}
    if criterion not in measures:
        near = nearest(criterion, list(measures))
        raise OptionError(f"there is no criterion {shown(criterion)}.{near} Use entropy or gini.")
    impurity, parts = measures[criterion], _branches(branches)
    total = [math.fsum(column) for column in zip(*parts, strict=True)]
    n = math.fsum(total)
    left = math.fsum(math.fsum(part) * impurity(part) for part in parts) / n if n else 0.0
    return max(impurity(total) - left, 0.0)


def gain_ratio(branches: Sequence[Numbers] | Mapping[Any, Numbers]) -> float:
    """Return the information gain of a test over the entropy of the sizes of its branches.

    Parameters
    ----------
    branches : list or dict
        The rows of each class in each branch.

    Returns
    -------
    float
        0 where all rows take one branch.

    Examples
    --------
    >>> import tallystick as ts
    >>> round(ts.learn.gain_ratio([[3, 2], [0, 4], [2, 3]]), 4)
    0.1564
    """
    own = entropy([math.fsum(part) for part in _branches(branches)])
    return gain(branches) / own if own else 0.0


def _counts(given: Numbers) -> list[float]:
    numbers = [float(x) for x in (given.values() if isinstance(given, Mapping) else given)]
    for x in numbers:
        if not 0 <= x < math.inf:
            raise OptionError(f"counts and shares are numbers from 0 up, not {x:g}.")
    return numbers


def _branches(given: Sequence[Numbers] | Mapping[Any, Numbers]) -> list[list[float]]:
    parts = [_counts(part) for part in (given.values() if isinstance(given, Mapping) else given)]
    if len({len(part) for part in parts}) > 1:
        sizes = ", ".join(str(len(part)) for part in parts)
        raise OptionError(f"every branch needs the rows of every class, also where there are 0: not {sizes}.")
    return parts


# -- independence --


@dataclass(frozen=True)
class Dependence:
    """What two columns tell about each other: bits, and the bits that chance alone would give; the
    correlation, where both are numbers. given: the column whose value is known, "" without one. shares: of
    two columns of two values, P(both), P(first), P(second) of the last values; shares_given: the same of the
    rows of each value of `given`. cut: the columns of numbers that were cut into bins.
    """

    first: str
    second: str
    given: str
    rows: int
    bits: float
    by_chance: float
    correlation: float | None = None
    shares: tuple[Fraction, Fraction, Fraction] | None = None
    shares_given: tuple[tuple[str, tuple[Fraction, Fraction, Fraction]], ...] = ()
    cut: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the rows, as they are, are exactly independent."""
        return self.bits < FEWEST

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            name: getattr(self, name) for name in ("first", "second", "given", "rows", "bits", "by_chance")
        }
        shares = None if self.shares is None else [float(s) for s in self.shares]
        known = {label: [float(s) for s in found] for label, found in self.shares_given}
        return out | {
            "correlation": self.correlation,
            "cut": list(self.cut),
            "exact": self.exact,
            "shares": shares,
            "shares_given": known,
        }

    _repr_html_ = as_html

    def __str__(self) -> str:
        a, b = clean(self.first), clean(self.second)
        given = f" given {clean(self.given)}" if self.given else ""
        head = f"{a} and {b}{given}, {self.rows:,} rows: {self.bits:.4f} bits about each other"
        lines = [f"{head}, {self.by_chance:.4f} by chance alone"]
        if self.correlation is not None:
            lines.append(
                f"correlation {self.correlation:.4f}: how well a straight line tells one from the other"
            )
        if self.cut:
            names = " and ".join(map(clean, self.cut))
            lines.append(f"{names} cut into {BINS} bins of about equal rows")
        if self.shares is not None:
            both, one, two = self.shares
            sign = "=" if both == one * two else "≠"
            lines.append(f"P(both) = {both} {sign} {one * two} = {one} · {two} = P({a}) · P({b})")
            lines.append(f"P({a} or {b}) = {one} + {two} − {both} = {one + two - both}")
        for label, (both, one, two) in self.shares_given:
            y = f"{clean(self.given)} = {clean(label)}"
            sign = "=" if both == one * two else "≠"
            product = f"{one} · {two} = P({a} | {y}) · P({b} | {y})"
            lines.append(f"P(both | {y}) = {both} {sign} {one * two} = {product}")
        verdict = "exactly independent in these rows" if self.exact else "not independent"
        likely = (
            "" if self.exact or self.bits > 2 * self.by_chance else ", though chance alone could explain it"
        )
        return "\n".join([*lines, verdict + likely])

    __repr__ = __str__


def independent(data: Any, first: str, second: str, given: str | None = None) -> Dependence:
    """Return what two columns of a table tell about each other, with their correlation beside it.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows.
    first, second : str
        The names of the columns. Numbers are cut into six bins of equal rows where one has more
        than 30 values.
    given : str, default None
        A column whose value is known: do they tell about each other beyond it?

    Returns
    -------
    Dependence
        The mutual information in bits, what chance would give, the correlation of two numbers.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"x": x, "y": x * x} for x in range(-3, 4)]
    >>> print(ts.learn.independent(rows, "x", "y"))
    x and y, 7 rows: 1.9502 bits about each other, 1.8549 by chance alone
    correlation 0.0000: how well a straight line tells one from the other
    not independent, though chance alone could explain it
    """
    from tallystick.io.open import open_source
    from tallystick.schema import ColumnOptions
    from tallystick.table.reader import read_table

    if first == second:
        raise OptionError(f"{shown(first)} was named twice. Name two columns.")
    source = open_source(data)
    for name in (first, second):
        if name not in source.columns:
            raise OptionError(f"there is no column {shown(name)} to look at.{nearest(name, source.columns)}")
    table = read_table(source, ColumnOptions(keep=(first, second), trivial=True), given)
    table.rank_all(None)
    numbers = [name for name in (first, second) if table.schema[name].kind == "numeric"]
    many = any(len(table.ranks(name)[1]) > DISTINCT for name in numbers)
    x, y = (coded(table, name, 0 if many else DISTINCT) for name in (first, second))
    cut = tuple(numbers) if many else ()
    labels = max(len(table.schema.predicted.labels), 1) if given is not None else 1
    classes = np.zeros(table.rows, np.int64) if labels == 1 else np.asarray(table.classes, np.int64)
    cells = np.zeros((x[1] + 1, y[1] + 1, labels))
    np.add.at(cells, (x[0].astype(np.int64), y[0].astype(np.int64), classes), 1.0)
    bits, free = conditional_information(cells)
    by_chance = free / (2 * max(table.rows, 1) * math.log(2))
    two = x[1] == y[1] == 2
    shares = _shares(cells[:2, :2, 0]) if labels == 1 and two else None
    known = []
    if given is not None and two:
        for c, label in enumerate(table.schema.predicted.labels):
            known += [(label, _shares(cells[:2, :2, c]))] if cells[:2, :2, c].any() else []
    line = None if labels > 1 else _correlation(table, first, second)
    found = (bits, by_chance, line, shares, tuple(known), cut)
    return Dependence(first, second, given or "", table.rows, *found)


def _shares(cells: Any) -> tuple[Fraction, Fraction, Fraction]:
    n = int(cells.sum())
    both, one, two = int(cells[1, 1]), int(cells[1].sum()), int(cells[:, 1].sum())
    return Fraction(both, n), Fraction(one, n), Fraction(two, n)


def _correlation(table: Any, first: str, second: str) -> float | None:
    """Return the correlation over rows that have both, where both columns are numbers or yes and no."""
    values = []
    for name in (first, second):
        column = table.schema[name]
        if column.kind not in ("numeric", "boolean"):
            return None
        cells = np.asarray(table.column(name), np.float64)
        if column.kind == "boolean":
            cells = np.where(cells < 2, cells, np.nan)
        values.append(cells)
    there = ~(np.isnan(values[0]) | np.isnan(values[1]))
    a, b = (v[there] - v[there].mean() if there.any() else v[:0] for v in values)
    size = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / size if size else None


# -- joint counts beside naive ones --


@dataclass(frozen=True)
class JointCounts:
    """A row under every class: how many training rows have just its values, and what the naive product says.

    rows[class], same[class]: all rows of the class, and those equal to the row. naive[class]: the prior times
    the product of the shares, without smoothing.
    """

    target: str
    rows: dict[str, int]
    same: dict[str, int]
    naive: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"naive": self.naive, "rows": self.rows, "same": self.same, "target": self.target}

    _repr_html_ = as_html

    def __str__(self) -> str:
        n = sum(self.rows.values())
        wide = max(len("class"), *(width(clean(label)) for label in self.rows))
        lines = [f"{padded('class', wide)}  rows  with just these values  joint share  naive product"]
        for label, rows in self.rows.items():
            same = self.same[label]
            counts = f"{rows:>4}  {same:>22}  {same / n:>11.4f}  {self.naive[label]:>13.6g}"
            lines.append(f"{padded(clean(label), wide)}  {counts}")
        return "\n".join(lines)

    __repr__ = __str__


def joint(data: Any, target: str, row: Mapping[str, Any]) -> JointCounts:
    """Return, for every class, how many rows have just these values, beside the naive product of shares.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows.
    target : str
        The name of the column to predict.
    row : dict
        A value for every other column.

    Returns
    -------
    JointCounts
        With few rows the joint counts are 0 almost everywhere, and the product is not: why naive Bayes
        assumes independence.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": s, "wind": w, "play": p} for s, w, p in ("abx", "bay", "bbx", "aay")]
    >>> ts.learn.joint(rows, "play", {"sky": "a", "wind": "b"}).same
    {'x': 1, 'y': 0}
    """
    from tallystick.bayes.estimator import NaiveBayes

    model = NaiveBayes(alpha=0.0)
    table = model._read(data, target)
    model._fit_table(table)
    block = next(iter(model._blocks(dict(row)))).block
    same = np.ones(table.rows, bool)
    for column in table.schema.used:
        cells = block.values(column.name) if column.kind == "numeric" else block.codes(column.name)
        same &= np.asarray(table.column(column.name)) == cells[0]
    labels = table.schema.predicted.labels
    classes = np.asarray(table.classes, np.int64)
    scores = np.exp(model.predict_joint_log_proba(dict(row))[0])
    return JointCounts(
        target,
        {label: int((classes == k).sum()) for k, label in enumerate(labels)},
        {label: int((same & (classes == k)).sum()) for k, label in enumerate(labels)},
        {label: float(scores[k]) for k, label in enumerate(labels)},
    )


# -- how many there are --


def count_hypotheses(columns: int, values: int = 2, classes: int = 2) -> dict[str, int]:
    """Return how many different hypotheses there are about columns of a few values.

    Parameters
    ----------
    columns : int
        How many columns there are.
    values : int, default 2
        How many values each has.
    classes : int, default 2
        How many classes there are.

    Returns
    -------
    dict
        "rows": different rows; "functions": ways to give each a class, which trees can all tell;
        "conjunctions": of conditions "column = value", and the one that is never true.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.learn.count_hypotheses(3)
    {'rows': 8, 'functions': 256, 'conjunctions': 28}
    """
    n, k, c = (
        _whole(name, v) for name, v in (("columns", columns), ("values", values), ("classes", classes))
    )
    if k**n * math.log2(max(c, 2)) > 4096:
        raise OptionError(f"{k}^{n} different rows are too many to write out. Take fewer columns.")
    return {"rows": k**n, "functions": c ** (k**n), "conjunctions": (k + 1) ** n + 1}


def count_parameters(columns: int, values: int = 2, classes: int = 2) -> dict[str, int]:
    """Return how many numbers each method learns from columns: 2^n of the joint distribution against O(n).

    Parameters
    ----------
    columns : int
        How many columns there are.
    values : int, default 2
        How many values each has, where it has levels.
    classes : int, default 2
        How many classes there are.

    Returns
    -------
    dict
        "joint": the share of every row in every class; "bayes": naive Bayes on levels; "bayes-gaussian" and
        "bayes-gaussian-shared": on numbers, with a variance in each class or one for all; "logistic".

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.learn.count_parameters(3)
    {'joint': 15, 'bayes': 7, 'bayes-gaussian': 13, 'bayes-gaussian-shared': 10, 'logistic': 4}
    """
    n, k, c = (
        _whole(name, v) for name, v in (("columns", columns), ("values", values), ("classes", classes))
    )
    priors = c - 1
    return {
        "joint": c * (k**n - 1) + priors,
        "bayes": c * n * (k - 1) + priors,
        "bayes-gaussian": 2 * c * n + priors,
        "bayes-gaussian-shared": c * n + n + priors,
        "logistic": (c - 1) * (n + 1),
    }


def _whole(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10_000:
        raise OptionError(f"{name} must be a whole number from 1 to 10,000, not {shown(value)}.")
    return value
