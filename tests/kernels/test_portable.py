"""What is not standard C++ stands in one header."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(ROOT / "src" / "kernels").rglob("*.hpp"),
    *(ROOT / "src").glob("bindings*"),
]
NOT_STANDARD = re.compile(r"__attribute__|__builtin_\w+|__int128|__asm__|__GNUC__|_MSC_VER|__has_include")


def test_extensions_of_compilers_stand_in_one_header():
    found = {p.name: NOT_STANDARD.findall(p.read_text()) for p in SOURCES if p.name != "portable.hpp"}
    assert {name: words for name, words in found.items() if words} == {}
    assert NOT_STANDARD.search((ROOT / "src/kernels/base/portable.hpp").read_text())
