"""The tree as a model: splits as sentences, leaves as counts."""

from __future__ import annotations

from tallystick.models.tree.model import KINDS, Answers, Tree
from tallystick.models.tree.nodes import SPREADS, STAYS, Candidates, Nodes

__all__ = ["KINDS", "SPREADS", "STAYS", "Answers", "Candidates", "Nodes", "Tree"]
