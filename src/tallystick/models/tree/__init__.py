"""The tree as a model: splits as sentences, leaves as counts."""

from __future__ import annotations

from tallystick.models.tree.model import Answers, Tree
from tallystick.models.tree.nodes import SPREADS, STAYS, Candidates, Nodes

__all__ = ["SPREADS", "STAYS", "Answers", "Candidates", "Nodes", "Tree"]
