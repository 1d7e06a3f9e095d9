from tallystick.teach.document import (
    Drawing,
    Formula,
    Headline,
    Listing,
    Quoted,
    Sentence,
    Space,
    Value,
    markdown,
)


def test_each_part_is_markdown():
    grid = Listing((("a",), ("n",)), ((("x",), (Value(0.5),)),), right=frozenset({1}), marked=0)
    out = markdown((Headline(("T",)), grid, Formula(("gain",), ((Value(0.5),),)), Drawing(("a",)), Space(1)))
    assert out == (
        "## T\n\n| a | n |\n| --- | ---: |\n| **x** | **0.5000** |\n\n> gain = 0.5000\n\n"
        "```text\na\n```\n\n<br>\n"
    )


def test_text_of_the_user_means_nothing_to_markdown():
    out = markdown((Sentence((Quoted("*a* | <b> `c`"),)), Drawing(("a ```` b",))))
    assert out == "\\*a\\* \\| \\<b\\> \\`c\\`\n\n`````text\na ```` b\n`````\n"


def test_what_is_left_out_is_a_line_to_fill():
    assert markdown((Formula(("H",), ()),)) == "> H = " + "\\_" * 8 + "\n"
