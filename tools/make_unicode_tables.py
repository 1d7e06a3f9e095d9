"""Write src/kernels/text/unicode_tables.hpp: what the tokenizer must know of each character, asked of Python.

Run `python tools/make_unicode_tables.py`. The result is committed, because a model must not change with the
Unicode version of the Python that happens to run; a newer version here is a new version of the tokenizer.

The rules of \\w and str.lower() are asked, not copied: a character is part of a word when its lower-case form
is alphanumeric or '_'; what surrounds a final sigma is found by lower-casing small texts.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

BLOCK = 128
OUT = Path(__file__).parent.parent / "src" / "kernels" / "text" / "unicode_tables.hpp"
DOTTED_I, SIGMA = 0x130, 0x3A3  # the two whose lower case is not one fixed character: handled in tokens.hpp
WORD, CASED, IGNORABLE = 1, 2, 4

HEAD = """\
// Unicode {version}: written by tools/make_unicode_tables.py, never by hand.
// character c has the record unicode_records[unicode_blocks[unicode_pages[c / {block}]][c % {block}]].
#pragma once

#include <cstdint>

namespace tally {{

constexpr char unicode_version[] = "{version}";

enum : std::uint8_t {{
    unicode_word = {word},       // the lower-case form is alphanumeric or '_'
    unicode_cased = {cased},      // stops the look around a sigma, with success
    unicode_ignorable = {ignorable},  // is skipped by the look around a sigma
}};

struct UnicodeRecord {{
    std::int32_t lower;  // add to get the lower-case form
    std::uint8_t flags;
}};
"""


def record(code: int) -> tuple[int, int]:
    """Return (difference to the lower-case form, flags) of a character."""
    c = chr(code)
    if 0xD800 <= code < 0xE000:
        return 0, 0
    lower = c.lower()
    if code == DOTTED_I:
        assert lower == "i\u0307"
        assert not "\u0307".isalnum()
        lower = "i"
    assert len(lower) == 1, hex(code)
    flags = WORD if lower.isalnum() or lower == "_" else 0
    if (c + "Σ").lower()[-1] == "ς":
        flags |= CASED
    elif ("A" + c + "Σ").lower()[-1] == "ς":
        flags |= IGNORABLE
    return ord(lower) - code, flags


def rows(values: list[int], width: int) -> str:
    """Return numbers as lines of C++ of so many numbers each."""
    lines = [",".join(map(str, values[i : i + width])) for i in range(0, len(values), width)]
    return "".join(f"    {line},\n" for line in lines)


def main() -> None:
    """Write the header."""
    every = [record(code) for code in range(0x110000)]
    often = Counter(every)
    common = sorted(set(every), key=lambda r: (-often[r], r))
    number = {r: i for i, r in enumerate(common)}
    blocks: dict[tuple[int, ...], int] = {}
    pages = []
    for start in range(0, len(every), BLOCK):
        block = tuple(number[r] for r in every[start : start + BLOCK])
        pages.append(blocks.setdefault(block, len(blocks)))
    assert len(common) <= 256
    text = HEAD.format(
        version=unicodedata.unidata_version, block=BLOCK, word=WORD, cased=CASED, ignorable=IGNORABLE
    )
    text += f"\nconstexpr UnicodeRecord unicode_records[{len(common)}] = {{\n"
    for i in range(0, len(common), 8):
        text += "    " + " ".join(f"{{{lower}, {flags}}}," for lower, flags in common[i : i + 8]) + "\n"
    text += f"}};\n\nconstexpr std::uint16_t unicode_pages[{len(pages)}] = {{\n{rows(pages, 64)}}};\n"
    text += f"\nconstexpr std::uint8_t unicode_blocks[{len(blocks)}][{BLOCK}] = {{\n"
    text += "".join("    {" + ",".join(map(str, block)) + "},\n" for block in blocks)
    OUT.write_text(text + "};\n\n}  // namespace tally\n", encoding="utf-8")
    print(f"{OUT.name}: Unicode {unicodedata.unidata_version}, {len(common)} records, {len(blocks)} blocks")


if __name__ == "__main__":
    main()
