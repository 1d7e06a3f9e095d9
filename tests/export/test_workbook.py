"""Cells to the bytes of a workbook."""

from __future__ import annotations

import io

import openpyxl
import pytest

from tallystick.errors import OptionError
from tallystick.export.excel import BookSheet, CellFormula, address, checked, workbook


def test_texts_numbers_and_formulas_read_back():
    sheet = BookSheet("One", wide=(20,))
    assert sheet.put(1, 1, "=not a formula <&>") == "One!$A$1"
    sheet.put(2, 28, 0.1)
    sheet.put(3, 2, CellFormula('IF(A1="x",1,2)'))
    found = openpyxl.load_workbook(io.BytesIO(workbook([sheet, BookSheet("Two")])))
    assert found.sheetnames == ["One", "Two"]
    assert found["One"]["A1"].value == "=not a formula <&>"
    assert found["One"]["A1"].data_type != "f"
    assert found["One"]["AB2"].value == 0.1
    assert found["One"]["B3"].value == '=IF(A1="x",1,2)'


def test_addresses():
    assert [address(3, c) for c in (1, 26, 27, 702, 703)] == ["$A$3", "$Z$3", "$AA$3", "$ZZ$3", "$AAA$3"]
    assert BookSheet("S").range((1, 2), (3, 2)) == "S!$B$1:$B$3"


def test_what_excel_cannot_hold_is_refused_in_one_line():
    for formula in ("1+" * 5000 + "1", "ABS(" * 65 + "1" + ")" * 65):
        with pytest.raises(OptionError, match="Excel takes 8,192 and 64") as caught:
            checked(CellFormula(formula))
        assert "\n" not in str(caught.value)
    assert checked(CellFormula("1+1")) == "1+1"
    sheet = BookSheet("S")
    sheet.put(1, 1, "a\x00")
    with pytest.raises(OptionError, match="which no workbook can hold"):
        workbook([sheet])
