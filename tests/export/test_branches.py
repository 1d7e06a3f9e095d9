"""Trees and rules as a TreeModel."""

from __future__ import annotations

from tallystick.export.pmml import among, between, is_missing, joined


def test_tests_are_the_shortest_predicates():
    assert among("f", ["a"]).attrib == {"field": "f", "operator": "equal", "value": "a"}
    several = among("f", ["a b", "c"])
    assert several[0].text == '"a b" "c"'
    assert several[0].get("n") == "2"
    assert between("x", None, 2.0).get("operator") == "lessThan"
    assert [t.get("operator") for t in between("x", 1.0, 2.0)] == ["greaterOrEqual", "lessThan"]
    assert between("x", None, None).get("operator") == "isNotMissing"
    assert joined("or", [is_missing("x")]).get("operator") == "isMissing"
