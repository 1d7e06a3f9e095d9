"""PMML as elements."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tallystick.errors import OptionError
from tallystick.export.pmml import Arithmetic, constant, document, element, field, mapped, written


def test_values_are_written_so_that_they_read_back():
    assert [written(v) for v in (True, 0.1, 3, "é")] == ["true", "0.1", "3", "é"]
    with pytest.raises(OptionError, match="which no XML text can hold"):
        written("a\x00")


def test_an_attribute_that_is_none_is_left_out():
    assert element("Node", id=1, score=None).attrib == {"id": "1"}


def test_a_document_is_xml_of_pmml_4_4():
    root = ElementTree.fromstring(document(element("Header", description="<&>")).encode())
    assert root.tag == "{http://www.dmg.org/PMML-4_4}PMML"
    assert root[0].get("description") == "<&>"


def test_arithmetic_is_written_down():
    found = (2.0 * Arithmetic(field("x")) - 1.0).expression
    assert [found.get("function"), found[0].get("function")] == ["-", "*"]
    assert found[0][0].get("field") == "x"
    assert constant(1.5).get("dataType") == "double"


def test_a_table_has_its_inputs_and_what_it_lacks():
    found = mapped([("f", "text")], [("a", "1"), ("b", "2")], missing="m", other="o")
    assert [found.get("mapMissingTo"), found.get("defaultValue")] == ["m", "o"]
    assert [[cell.text for cell in row] for row in found[1]] == [["a", "1"], ["b", "2"]]
