"""LaTeX that compiles: every kind of part, with the names that are hardest for TeX."""

import shutil
import subprocess

import pytest

import tallystick as ts
from tallystick.teach.document import (
    Formula,
    Listing,
    Lowered,
    Over,
    Quoted,
    Raised,
    Ratio,
    Root,
    Sentence,
    Value,
    escaped,
    latex,
    mathematics,
)

HARD = [
    {"a_b & 50% {x}": v, "中文 ^~\\": n, "y$": y}
    for v, n, y in (
        ("#1 <é>", 1, "ja|`\"'"),
        ("naïve→", 2, "nein"),
        ("#1 <é>", 3.5, "nein"),
        ("日本", 1e-7, "ja|`\"'"),
    )
]
KEPT = ts.Columns(keep=["a_b & 50% {x}", "中文 ^~\\"])


def test_text_of_the_user_means_nothing_to_tex():
    assert escaped("50% & $x_1$ {a}") == r"50\% \& \$x\_1\$ \{a\}"
    assert escaped("a^b~\\") == r"a\textasciicircum{}b\textasciitilde{}\textbackslash{}"
    assert escaped("H = −0.4·log₂ 0.4") == r"H = $-$0.4$\cdot$$\log_2$ 0.4"
    assert escaped("3·10⁻⁵") == r"3$\cdot$$10^{-5}$"


def test_algebra_is_mathematics():
    assert mathematics(("H(", Ratio(2, 5), ")")) == r"H(\tfrac{2}{5})"
    assert mathematics((Over(("1",), (Root(("2π",)),)),)) == r"\frac{1}{\sqrt{2\pi }}"
    assert mathematics(("e", Raised(("−x",)), Lowered(("0",)))) == "e^{-x}_{0}"
    assert mathematics(("average entropy",)) == r"\text{average entropy}"
    assert mathematics((Value(3e-6),)) == r"3.000\cdot 10^{-6}"
    assert mathematics((Value(1234567),)) == "1{,}234{,}567"


def test_a_character_that_pdflatex_lacks_is_declared():
    assert r"\DeclareUnicodeCharacter{4E2D}{[U+4E2D]}" in latex((Sentence((Quoted("中"),)),))
    assert "DeclareUnicode" not in latex((Sentence((Quoted("é"),)),))


def test_a_sheet_has_lines_to_fill():
    sheet = latex((Formula(("H",), ()), Listing((("a",),), (((),),), frozenset({0}))))
    assert sheet.count(r"\underline{\hspace{") == 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed (texlive-latex-base)")
@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
@pytest.mark.parametrize(
    "case", ["id3", "c45", "cart", "bayes", "bayes-gaussian", "logistic", "sheet", "hard", "hard-bayes"]
)
def test_pdflatex_compiles_it(tennis, tmp_path, case):
    numbers = [{"x": x, "y": y} for x, y in ((1.0, "a"), (1.5, "a"), (2.0, "a"), (3.0, "b"), (4.0, "b"))]
    if case.startswith("hard"):
        found = ts.work(HARD, "y$", method="bayes" if case == "hard-bayes" else "id3", columns=KEPT)
    elif case in ("bayes-gaussian", "logistic"):
        found = ts.work(numbers, "y", method=case)
    elif case == "sheet":
        found = ts.work(tennis, "Play", row=1, answers=True)
    else:
        limits = {"min_samples_split": 2, "min_samples_leaf": 1} if case == "cart" else {}
        found = ts.work(tennis, "Play", method=case, **limits)
    found.save(tmp_path / "w.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "w.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-1500:]
    assert (tmp_path / "w.pdf").read_bytes().startswith(b"%PDF")
