"""The report: explain, evaluate and draw as one HTML file that opens from disk.

    ingredients.py  what a page is made from      page.py   sections into the template, and its safety
    answer.py said.py  1 the answer, in sentences     columns.py  2 the data       judged.py  3 how good
    trees.py scales.py pull.py  4 the model     what_if.py  5 what if     rows.py  6 rows     use.py  7 use

Knows results, fitted models and the encoded table. Knows nothing of estimators, files or terminals.
"""

from __future__ import annotations

from tallystick.reports.ingredients import Ingredients
from tallystick.reports.page import page

__all__ = ["Ingredients", "page"]
