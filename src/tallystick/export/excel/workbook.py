"""Cells to the bytes of a workbook (.xlsx): texts, numbers and formulas, nothing else.

Knows the file format. Knows nothing of models. Laws: the same cells give the same bytes; a text is never a
formula; a formula that Excel cannot hold is refused in one line.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tallystick.errors import OptionError, shown

LONGEST = 8192  # characters of a formula
DEEPEST = 64  # functions in each other
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


class CellFormula(str):
    """A formula without its equals sign."""

    __slots__ = ()


@dataclass
class BookSheet:
    """Cells by row and column, both from 1 on."""

    name: str
    cells: dict[tuple[int, int], Any] = field(default_factory=dict)
    wide: tuple[int, ...] = ()  # of the first columns, in characters

    def put(self, row: int, column: int, value: Any) -> str:
        """Write a cell, and return its address on other sheets too."""
        self.cells[row, column] = value
        return f"{self.name}!{address(row, column)}"

    def range(self, first: tuple[int, int], last: tuple[int, int]) -> str:
        """Return the address of a block."""
        return f"{self.name}!{address(*first)}:{address(*last)}"


def address(row: int, column: int) -> str:
    """Return the fixed address of a cell: $B$3."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"${letters}${row}"


def workbook(sheets: list[BookSheet]) -> bytes:
    """Return the file."""
    numbers = range(1, len(sheets) + 1)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in numbers
    )
    listed = "".join(
        f'<sheet name={quoteattr(s.name)} sheetId="{n}" r:id="rId{n}"/>'
        for n, s in zip(numbers, sheets, strict=True)
    )
    linked = "".join(
        f'<Relationship Id="rId{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    links = f'<Relationships xmlns="{PACKAGE}/relationships">'
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{rels}"/><Default Extension="xml" '
        'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'{links}<Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        '<calcPr calcId="0" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": f"{links}{linked}</Relationships>",
    }
    files |= {f"xl/worksheets/sheet{n}.xml": _sheet(s) for n, s in zip(numbers, sheets, strict=True)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name), HEAD + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _sheet(sheet: BookSheet) -> str:
    rows: dict[int, list[str]] = {}
    for (row, column), value in sorted(sheet.cells.items()):
        rows.setdefault(row, []).append(_cell(address(row, column).replace("$", ""), value))
    widths = "".join(
        f'<col min="{i}" max="{i}" width="{w}" customWidth="1"/>' for i, w in enumerate(sheet.wide, 1)
    )
    listed = "".join(f'<row r="{row}">{"".join(cells)}</row>' for row, cells in rows.items())
    columns = f"<cols>{widths}</cols>" if widths else ""
    return f'<worksheet xmlns="{MAIN}">{columns}<sheetData>{listed}</sheetData></worksheet>'


def _cell(at: str, value: Any) -> str:
    if isinstance(value, CellFormula):
        return f'<c r="{at}"><f>{_xml(checked(value))}</f></c>'
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{float(value)!r}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{_xml(str(value))}</t></is></c>'


def checked(formula: CellFormula) -> CellFormula:
    """Refuse a formula that Excel cannot hold."""
    deep = most = 0
    for mark in re.sub('"[^"]*"', "", formula):
        deep += (mark == "(") - (mark == ")")
        most = max(most, deep)
    if len(formula) >= LONGEST or most > DEEPEST:
        raise OptionError(
            f"the model needs a formula of {len(formula):,} characters, {most} brackets deep, and "
            f"Excel takes {LONGEST:,} and {DEEPEST}. Fit a smaller model, or export it to python or c."
        )
    return formula


def _xml(text: str) -> str:
    if found := NOT_XML.search(text):
        raise OptionError(f"{shown(text)} holds the character {shown(found[0])}, which no workbook can hold.")
    return escape(text)
