"""Why a row is likely or not: the leaf it comes to, and what each column adds there.

Knows the fitted tree and blocks. Knows nothing of estimators. Law: the parts shown add up to the
log-likelihood of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallystick.contracts import Block
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import Picture, as_html
from tallystick.draw.text import Span, clean, plain, table
from tallystick.draw.tree import OTHERS, Box, tree_picture
from tallystick.models.density.cells import ColumnCells
from tallystick.models.density.model import DensityModel
from tallystick.models.density.sentences import Leaf, leaves_of, percent
from tallystick.models.tree.sentences import footnote, number, reachable, rows

LINES, WIDEST = 4, 56  # columns told in a leaf's box, and letters of one


@dataclass(frozen=True, slots=True)
class CellTerm:
    """A column of the row: its value in words, the share of its cell in the leaf and in all rows, and the log
    density that it adds.
    """

    column: str
    value: str
    share: float
    overall: float
    term: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "value": self.value,
            "share": self.share,
            "overall": self.overall,
            "log_density": self.term,
        }


@dataclass(frozen=True)
class DensityExplanation:
    """The leaf of a row, and what each column adds to its log-likelihood, the least likely first."""

    leaf: Leaf
    log_leaf: float
    terms: tuple[CellTerm, ...]
    log_likelihood: float
    classes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "leaf": self.leaf.to_dict(),
            "log_leaf": self.log_leaf,
            "columns": [t.to_dict() for t in self.terms],
            "log_likelihood": self.log_likelihood,
        }

    def picture(self) -> Picture:
        """Return what each column adds as bars: how much less likely its value is in this leaf than the
        likeliest.
        """
        bars = [(f"{t.column} {t.value}", t.share) for t in self.terms]
        return Picture(bar_chart(bars, "share of the leaf's rows like this one", "the row in its leaf"))

    def _repr_html_(self) -> str:
        return as_html(self)

    def __str__(self) -> str:
        lines = [
            f"leaf {self.leaf.number}, {clean(self.leaf.sentence())}",
            f"log-likelihood {self.log_likelihood:.4f}: the log of the leaf's share of rows, "
            f"{self.log_leaf:.4f}, and what the columns add",
        ]
        body = [
            [
                Span(clean(t.column)),
                Span(clean(t.value)),
                Span(f"{t.share:.4f}"),
                Span(f"{t.overall:.4f}"),
                Span(f"{t.term:.4f}"),
            ]
            for t in self.terms
        ]
        heads = ["column", "value", "share in the leaf", "of all rows", "log density"]
        return "\n".join([*lines, plain(table(heads, body, frozenset({2, 3, 4}), 100))])

    __repr__ = __str__


def explain(model: DensityModel, block: Block, row: int) -> DensityExplanation:
    """Return why one row of a block is as likely as it is."""
    leaf, terms = model.terms(block)
    at = int(leaf[row])
    found = []
    for j, own in enumerate(model.cells):
        code = int(own.outcomes(block)[0][row])
        found.append(
            CellTerm(
                own.name,
                _value(own, block, row, code),
                float(model.leaf_shares[j][at, code]),
                float(model.overall[j][code]),
                float(terms[j][row]),
            )
        )
    order = sorted(range(len(found)), key=lambda j: (found[j].share, j))
    total = float(model.log_shares(block)[row, 0])
    log_leaf = float(model.log_leaf[at])
    return DensityExplanation(leaves_of(model)[at], log_leaf, tuple(found[j] for j in order), total)


def _value(own: ColumnCells, block: Block, row: int, code: int) -> str:
    """Return the cell of a row in words."""
    if code == own.k:
        return "missing"
    if own.numeric:
        return number(float(block.values(own.name)[row]), own.column)
    return own.column.levels[code] if code < own.k else "a level never seen"


def density_svg(model: DensityModel, most: int) -> str:
    """Return the tree as a picture: leaves with their share of rows and what is telling in them."""
    nodes, unit = model.nodes, model.unit
    leaves = dict(zip(model.leaves.tolist(), leaves_of(model), strict=True))
    total = float(nodes.counts[0, 0])
    boxes = []
    for node in range(min(len(nodes), most)):
        up = int(nodes.parent[node])
        branch = "" if up < 0 else _branch(model, up, node)
        share = float(nodes.counts[node, 0]) / total
        lines = [f"{percent(share)} of rows"] if up >= 0 else [f"all {rows(nodes.counts[0, 0], unit)} rows"]
        leaf = leaves.get(node)
        if leaf is not None:
            lines += [_short(str(t)) for t in leaf.told(LINES)]
        hint = "" if leaf is None else leaf.sentence(len(model.cells))
        parts = ((OTHERS, share),)
        boxes.append(Box(up, branch, tuple(lines), parts, share, strong=leaf is not None, hint=hint))
    left = len(nodes) - len(boxes)
    more = f" (the first {len(boxes)} of {len(nodes)} nodes)" if left else ""
    note = f"A bar is the share of all rows. {footnote(model.schema, nodes)}".strip()
    return tree_picture(boxes, (), f"density tree{more}", note)


def _branch(model: DensityModel, up: int, node: int) -> str:
    branch = model.nodes.branches(up).tolist().index(node)
    return _short(reachable(model.schema, model.nodes, up, branch).sentence(WIDEST))


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def told(model: DensityModel, most: int) -> list[str]:
    """Return the leaves as sentences, those of most rows first."""
    leaves: Sequence[Leaf] = sorted(leaves_of(model), key=lambda leaf: -leaf.share)
    return [leaf.sentence(most) for leaf in leaves]
