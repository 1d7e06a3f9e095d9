"""The page of a target of numbers: the frame of every page, with sections of its own.

Knows the sections. Knows no model.
"""

from __future__ import annotations

from typing import Any

from tallystick.draw.svg import PALETTE
from tallystick.reports.effects import effects_section
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.number_answer import number_answer
from tallystick.reports.number_columns import number_data
from tallystick.reports.number_quality import number_quality
from tallystick.reports.number_rows import number_rows
from tallystick.reports.page import model_section, rendered
from tallystick.reports.sections import NUMBER_SECTIONS
from tallystick.reports.usage import NUMBER_HOW, use_section
from tallystick.reports.what_if import what_if


def number_page(given: Ingredients) -> tuple[str, tuple[str, ...]]:
    """Return the whole page, and the sentences of its first section."""
    said, rows, chosen = number_answer(given), number_rows(given), model_section(given)
    chosen |= {"effects": effects_section(given)}
    ask = what_if(given, rows["starts"])
    numbers = given.table.response
    assert numbers is not None
    data: dict[str, Any] = {"labels": ["rows"], "palette": [PALETTE[0]], "target": given.target, "ask": ask}
    data |= {"range": [float(numbers.min()), float(numbers.max())]}
    data |= {"tree": chosen["tree"]} if "tree" in chosen else {}
    parts: dict[str, Any] = {
        "said": said,
        "data": number_data(given),
        "judged": number_quality(given),
        "rows": rows,
    }
    parts |= {"chosen": chosen, "ask": ask, "use": use_section(given, NUMBER_HOW), "inks": [PALETTE[0]]}
    return rendered(given, NUMBER_SECTIONS, parts, data), tuple(str(s) for s in said["sentences"])
