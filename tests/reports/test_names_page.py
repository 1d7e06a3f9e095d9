"""Names on a narrow page: none is broken in the middle of a word, and no percent sign leaves its figure."""

from __future__ import annotations

import pytest
from opened import CHROMIUM, Opened, becomes

import tallystick as ts
from tallystick.reports.page import name

BROKEN = """() => {
  const out = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode()); ) {
    const up = node.parentElement;
    if (up.closest("svg,script,style,pre,code,select") || !up.checkVisibility()) continue;
    for (const found of node.data.matchAll(/[\\p{L}\\p{N}_,]{4,}/gu)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) out.push(found[0]);
    }
  }
  return out;
}"""


def test_a_name_may_go_on_after_an_underscore_and_is_escaped():
    assert name("Distance_To_Water") == "<bdi>Distance_<wbr>To_<wbr>Water</bdi>"
    assert name("comp.sys.mac") == "<bdi>comp.<wbr>sys.<wbr>mac</bdi>"
    assert name("a_<b>/c") == "<bdi>a_&lt;b&gt;/c</bdi>"
    assert name("< 0.5") == "<bdi>&lt; 0.5</bdi>"  # a number stays whole
    assert name("a_b<i>_x</i>").count("<") == 3  # of <bdi>, <wbr> and </bdi> alone


def rows():
    """Seven classes of long names, and two columns of long names."""
    out = []
    for i in range(420):
        c = i % 7 if i % 11 else (i + 1) % 7
        out.append(
            {
                "Horizontal_Distance_To_Roadways": i % 7 * 10 + i % 13,
                "Vertical_Distance_To_Hydrology": i % 3,
                "y": f"tested_negative_{'abcdefg'[c]}",
            }
        )
    return out


@pytest.mark.slow
@pytest.mark.xdist_group("chromium")
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_no_name_is_broken_in_the_middle_of_a_word(browser, tmp_path):
    path = tmp_path / "names.html"
    ts.report(rows(), "y", methods=["bayes", "tree"]).save(path)
    for width in (390, 1440):
        with Opened(browser, path, width) as opened:
            opened.page.wait_for_selector("#costs-table .confusion td")
            becomes(opened.page, BROKEN, [])
            opened.quiet()
            assert opened.fits()
