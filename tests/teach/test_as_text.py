from tallystick.teach.document import (
    WIDE,
    Formula,
    Headline,
    Listing,
    Lowered,
    Over,
    Quoted,
    Raised,
    Ratio,
    Root,
    Sentence,
    Space,
    Value,
    flat,
    formula,
    text,
)


def test_algebra_is_flat_and_bracketed_where_it_must_be():
    assert flat(("e", Raised(("−x",)))) == "e^(−x)"
    assert flat(("x", Raised(("2",)))) == "x^2"
    assert flat(("w", Lowered(("0",)))) == "w_0"
    assert flat((Over(("1",), (Root(("2π",)),)),)) == "1/√(2π)"
    assert flat((Over(("a + b",), ("c",)),)) == "(a + b)/c"
    assert (
        flat((Ratio(2, 5, True), " ", Ratio(2, 6, True), " ", Quoted("x"), Value(0.5))) == "0.4 2/6 x0.5000"
    )


def test_a_long_formula_has_a_line_for_each_step():
    long = Formula(("H",), (("x" * WIDE,), ("y",)))
    assert formula(long) == [f"  H = {'x' * WIDE}", "      = y"]
    assert formula(Formula(("H",), (("x",), ("y",)))) == ["  H = x = y"]


def test_the_row_that_won_is_marked():
    grid = Listing((("a",), ("n",)), ((("x",), ("1",)), (("y",), ("22",))), right=frozenset({1}), marked=1)
    assert text((grid,)) == "     a   n\n     x   1\n  →  y  22\n"


def test_headings_are_underlined_and_sentences_wrapped():
    out = text(
        (Headline(("T",), 1), Headline(("H",)), Headline(("C",), 3), Sentence((("word " * 40).strip(),)))
    )
    assert out.startswith("T\n=\n\nH\n-\n\nC:\n\n")
    assert max(map(len, out.split("\n"))) <= WIDE
    assert text((Space(2),)) == "\n\n"
