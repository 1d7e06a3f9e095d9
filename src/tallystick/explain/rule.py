"""Bayes' rule on a small table of hypotheses, with the computation shown.

Knows numbers and names. Exact when the numbers given are fractions or whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tallystick.draw.svg import as_html
from tallystick.draw.text import clean, padded, width
from tallystick.errors import OptionError, shown, some

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
            told = f"{name}  {row[0]:8.6g}  x   {row[1]:8.6g}  =  {row[2]:9.6g}   {float(value):9.6g}"
            lines.append(told + own)
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
