"""The report: explain, evaluate and draw as one HTML file that opens from disk.

Knows results, fitted models and the encoded table. Knows nothing of estimators, files or terminals.
"""

from __future__ import annotations

from tallystick.reports.ingredients import Ingredients
from tallystick.reports.number_page import number_page
from tallystick.reports.page import page

__all__ = ["Ingredients", "number_page", "page"]
