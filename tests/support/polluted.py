"""A generator of damaged files with their clean versions: one kind of damage each, in every row and column.

    python tests/support/polluted.py [files per table and kind]     prints the score of every kind

Tables: a shop's list of products (dates, times, codes, prices, quoted texts, addresses, an empty column), and
real ones. A file is `right` when its cells are the clean ones and nothing was repaired, `repaired` when they
are and something was, `aside` when some damaged rows are left out and every other cell is right, `refused`
when one line says why not, and `wrong` else; `silent` when it is wrong and no note says a word.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from polluted_tables import Clean, tables

from tallystick.errors import TallyError
from tallystick.io.open import read

FOUND = ("right", "repaired", "aside", "refused", "wrong", "silent")
SAYS_DAMAGE = (
    "quotes-inside",
    "rows-repaired",
    "rows-skipped",
    "header-repaired",
    "second-table",
    "header-repeated",
)


@dataclass(frozen=True)
class Polluted:
    """A damaged file and what it should be read as. others: other readings of damaged rows, as right."""

    name: str
    data: bytes
    names: list[str]
    rows: list[list[str]]
    hurt: frozenset[int] = frozenset()  # rows that are damaged
    others: dict[int, list[list[str]]] = field(default_factory=dict)


def file(table: Clean, name: str, lines: list[str], end: str = "\n", **truth: object) -> Polluted:
    """Return a damaged file made of lines."""
    data = (end.join(lines) + end).encode()
    return Polluted(f"{table.name}_{name}", data, table.names, table.rows, **truth)  # type: ignore[arg-type]


Kind = Callable[[Clean, random.Random], Iterator[Polluted]]


# ---- damage in one row, at a column ----


def _places(table: Clean, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield rows (0: the header) and columns in a random order."""
    places = [(i, j) for i in range(len(table.rows) + 1) for j in range(len(table.names))]
    rng.shuffle(places)
    yield from places


def _cells(table: Clean, i: int) -> list[str]:
    return list(table.names) if i == 0 else [table.cell(t, j) for j, t in enumerate(table.rows[i - 1])]


def _hurt(i: int) -> frozenset[int]:
    return frozenset({i - 1} if i else ())


def row_less_sep(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """One separator is lost."""
    for i, j in _places(table, rng):
        if j == 0:
            continue
        cells, lines = _cells(table, i), table.lines()
        lines[i] = ",".join(cells[:j]) + ",".join(cells[j:])
        yield file(table, f"row_less_sep_row{i}_col{j}", lines, hurt=_hurt(i))


def row_more_sep(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """One separator too many, before a cell."""
    for i, j in _places(table, rng):
        cells, lines = _cells(table, i), table.lines()
        lines[i] = ",".join([*cells[:j], "", *cells[j:]])
        yield file(table, f"row_more_sep_row{i}_col{j}", lines, hurt=_hurt(i))


def row_sep_inside(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A separator inside a cell that is not quoted."""
    for i, j in _places(table, rng):
        cells, lines = _cells(table, i), table.lines()
        if i == 0 or len(cells[j]) < 2 or cells[j][0] == '"':
            continue
        at = rng.randrange(1, len(cells[j]))
        with_it = cells[j][:at] + "," + cells[j][at:]
        other = list(table.rows[i - 1])
        other[j] = with_it
        lines[i] = ",".join([*cells[:j], with_it, *cells[j + 1 :]])
        yield file(table, f"row_sep_inside_row{i}_col{j}", lines, hurt=_hurt(i), others={i - 1: [other]})


def row_extra_quote(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A quote before what a cell holds; read as text or as nothing."""
    for i, j in _places(table, rng):
        cells, lines = _cells(table, i), table.lines()
        cells[j] = cells[j][:1] + '"' + cells[j][1:] if cells[j][:1] == '"' else '"' + cells[j]
        lines[i] = ",".join(cells)
        others = {} if i == 0 else {i - 1: [_with(table.rows[i - 1], j, '"' + table.rows[i - 1][j])]}
        yield file(table, f"row_extra_quote{i}_col{j}", lines, hurt=_hurt(i), others=others)


def row_quote_inside(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A quote that is not doubled inside a cell; it is text."""
    for i, j in _places(table, rng):
        cells, lines = _cells(table, i), table.lines()
        if i == 0 or len(table.rows[i - 1][j]) < 3:
            continue
        at = rng.randrange(2, len(cells[j]) - 1) if len(cells[j]) > 3 else 1
        if '"' in cells[j][at - 1 : at + 1]:
            continue
        before = cells[j][1:at] if cells[j][0] == '"' else cells[j][:at]
        own = table.rows[i - 1][j]
        at_text = len(before.replace('""', '"'))
        cells[j] = cells[j][:at] + '"' + cells[j][at:]
        lines[i] = ",".join(cells)
        others = {i - 1: [_with(table.rows[i - 1], j, own[:at_text] + '"' + own[at_text:])]}
        yield file(table, f"row_quote_inside{i}_col{j}", lines, hurt=_hurt(i), others=others)


def _with(row: list[str], j: int, text: str) -> list[str]:
    return [*row[:j], text, *row[j + 1 :]]


def row_unclosed_quote(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A quoted cell without its closing quote."""
    for i, j in _places(table, rng):
        if i == 0:
            continue
        cells, lines = _cells(table, i), table.lines()
        cells[j] = cells[j][:-1] if cells[j][:1] == '"' else '"' + cells[j]
        lines[i] = ",".join(cells)
        others = {i - 1: [_with(table.rows[i - 1], j, '"' + table.rows[i - 1][j])]}
        yield file(table, f"row_unclosed_quote{i}_col{j}", lines, hurt=_hurt(i), others=others)


def row_cut_short(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A row without its last cells."""
    for i, j in _places(table, rng):
        if i == 0 or j == 0:
            continue
        cells, lines = _cells(table, i), table.lines()
        lines[i] = ",".join(cells[:j])
        empty = [*table.rows[i - 1][:j], *[""] * (len(cells) - j)]
        yield file(table, f"row_cut_short_row{i}_col{j}", lines, hurt=_hurt(i), others={i - 1: [empty]})


def row_nul(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A NUL byte in a cell."""
    for i, j in _places(table, rng):
        cells, lines = _cells(table, i), table.lines()
        at = rng.randrange(len(cells[j]) + 1)
        cells[j] = cells[j][:at] + "\0" + cells[j][at:]
        lines[i] = ",".join(cells)
        yield file(table, f"row_nul_row{i}_col{j}", lines, hurt=_hurt(i))


# ---- damage in one row ----


def _other_separator(other: str, name: str) -> Kind:
    def kind(table: Clean, rng: random.Random) -> Iterator[Polluted]:
        rows = list(range(len(table.rows) + 1))
        rng.shuffle(rows)
        for i in rows:
            lines = table.lines()
            lines[i] = other.join(_cells(table, i))
            yield file(table, f"row_field_delimiter_{i}_{name}", lines, hurt=_hurt(i))

    kind.__name__ = f"row_field_delimiter_{name}"
    return kind


def row_twice_header(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """The header once more among the rows, as where files were joined."""
    for i in rng.sample(range(1, len(table.rows)), len(table.rows) - 1):
        lines = table.lines()
        yield file(table, f"row_twice_header_{i}", [*lines[: i + 1], lines[0], *lines[i + 1 :]])


def rows_several(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """Some rows damaged in several ways."""
    while True:
        lines, hurt = table.lines(), rng.sample(range(1, len(table.rows) + 1), min(5, len(table.rows) // 3))
        for i in hurt:
            cells = _cells(table, i)
            j = rng.randrange(1, len(cells))
            lines[i] = rng.choice(
                (
                    ",".join([*cells[:j], "", *cells[j:]]),
                    ",".join(cells[:j]) + ",".join(cells[j:]),
                    ";".join(cells),
                    ",".join(cells[:j]),
                )
            )
        empty = {}
        for i in hurt:
            row = table.rows[i - 1]
            empty[i - 1] = [[*row[:j], *[""] * (len(row) - j)] for j in range(len(row))]
        truth = {"hurt": frozenset(i - 1 for i in hurt), "others": empty}
        yield file(table, f"rows_several_{'_'.join(map(str, hurt))}", lines, **truth)


# ---- another way to write the whole file ----


def _whole(name: str, write: Callable[[Clean], bytes]) -> Kind:
    def kind(table: Clean, rng: random.Random) -> Iterator[Polluted]:
        yield Polluted(f"{table.name}_{name}", write(table), table.names, table.rows)

    kind.__name__ = name
    return kind


def _text(lines: list[str], end: str = "\n") -> bytes:
    return (end.join(lines) + end).encode()


def _styled(**style: str) -> Callable[[Clean], bytes]:
    return lambda table: _text(table.lines(**style))


def _preamble(table: Clean) -> bytes:
    more = "," * (len(table.names) - 1)
    return _text(["PREAMBLE" + more, more, *table.lines()])


def _plain_preamble(table: Clean) -> bytes:
    return _text(["Report of the quarter", "made by hand", "", *table.lines()])


def _header_twice(table: Clean) -> bytes:
    lines = table.lines()
    return _text([lines[0], *lines])


def _footer(table: Clean) -> bytes:
    return _text([*table.lines(), "Total: all of it", "Source: own"])


def _second(columns: int) -> Callable[[Clean], bytes]:
    def write(table: Clean) -> bytes:
        width = len(table.names) + columns
        more = [f"more{k}" for k in range(max(columns, 0))]
        rows = [[*row, *("" for _ in more)][:width] for row in table.rows]
        wide = Clean(table.name, [*table.names, *more][:width], rows, table.quoted)
        return _text([*table.lines(), *wide.lines()])

    return write


def _unescaped(table: Clean) -> bytes:
    return _text([line.replace('""', '"') if i < 40 else line for i, line in enumerate(table.lines())])


def file_no_header(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """No header at all."""
    names = [f"column_{j + 1}" for j in range(len(table.names))]
    yield Polluted(f"{table.name}_file_no_header", _text(table.lines()[1:]), names, table.rows)


def file_one_data_row(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """One row under the header."""
    yield Polluted(f"{table.name}_file_one_data_row", _text(table.lines()[:2]), table.names, table.rows[:1])


def file_header_only(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """No rows."""
    yield Polluted(f"{table.name}_file_header_only", _text(table.lines()[:1]), table.names, [])


def file_units_row(table: Clean, rng: random.Random) -> Iterator[Polluted]:
    """A second row of names, the units, where some columns are numbers."""
    numbers = [
        all(cell.replace(".", "", 1).isdigit() for cell in column) for column in zip(*table.rows, strict=True)
    ]
    if sum(numbers) < 2:
        return
    lines = table.lines()
    names = [f"{name} unit" for name in table.names]
    data = _text([lines[0], ",".join("unit" for _ in table.names), *lines[1:]])
    yield Polluted(f"{table.name}_file_units_row", data, names, table.rows)


IN_CELLS: tuple[Kind, ...] = (
    row_less_sep,
    row_more_sep,
    row_sep_inside,
    row_extra_quote,
    row_quote_inside,
    row_unclosed_quote,
    row_cut_short,
    row_nul,
)
IN_ROWS: tuple[Kind, ...] = (
    _other_separator(" ", "0x20"),
    _other_separator(";", "0x3B"),
    _other_separator("\t", "0x9"),
    row_twice_header,
    rows_several,
)
OF_FILES: tuple[Kind, ...] = (
    _whole("source", _styled()),
    _whole("file_no_trailing_newline", lambda t: _text(t.lines()).rstrip(b"\n")),
    _whole("file_double_trailing_newline", lambda t: _text(t.lines()) + b"\n"),
    _whole("file_record_delimiter_0xD", lambda t: _text(t.lines(), "\r")),
    _whole("file_record_delimiter_0xD_0xA", lambda t: _text(t.lines(), "\r\n")),
    _whole("file_field_delimiter_0x20", _styled(sep=" ")),
    _whole("file_field_delimiter_0x2C_0x20", _styled(sep=", ")),
    _whole("file_field_delimiter_0x3B", _styled(sep=";")),
    _whole("file_field_delimiter_0x9", _styled(sep="\t")),
    _whole("file_field_delimiter_0x7C_0x7C", _styled(sep="||")),
    _whole("file_field_delimiter_0x3A_0x3A", _styled(sep="::")),
    _whole("file_quotation_char_0x27", _styled(quote="'")),
    _whole("file_escape_char_0x5C", _styled(escape="\\")),
    _whole("file_escape_char_0x00", _unescaped),
    _whole("file_preamble", _preamble),
    _whole("file_preamble_plain", _plain_preamble),
    _whole("file_header_multirow_2", _header_twice),
    _whole("file_footer", _footer),
    _whole("file_multitable_less", _second(-1)),
    _whole("file_multitable_more", _second(1)),
    file_no_header,
    file_one_data_row,
    file_header_only,
    file_units_row,
)


# ---- the score ----


def found(case: Polluted, folder: Path, **reading: object) -> tuple[str, str]:
    """Return what comes of a file, one of FOUND, and a word on it."""
    path = folder / "t.csv"
    path.write_bytes(case.data)
    try:
        source = read(path, **reading)  # type: ignore[arg-type]
        rows = [list(row.values()) for batch in source.batches() for row in batch.to_pylist()]
    except TallyError as error:
        return "refused", str(error)
    notes = {note.code for note in source.notes}
    said = "; ".join(note.text for note in source.notes)
    wrong = "wrong" if notes else "silent"
    if list(source.columns) != case.names:
        return wrong, f"names {list(source.columns)}; {said}"
    lost, at = 0, 0
    for i, row in enumerate(case.rows):
        ways = [_bare(row), *(_bare(way) for way in case.others.get(i, ()))]
        if at < len(rows) and _bare(rows[at]) in ways:
            at += 1
        elif i in case.hurt and (at == len(rows) or _comes_later(case, i, rows[at])):
            lost += 1
        else:
            return wrong, f"row {i} {rows[at] if at < len(rows) else None} not {row}; {said}"
    if at < len(rows):
        return wrong, f"more rows, {rows[at]}; {said}"
    if lost:
        return ("aside" if notes & {"rows-skipped", "lines-after-table"} else "silent"), said
    return ("repaired" if notes & set(SAYS_DAMAGE) else "right"), said


def _comes_later(case: Polluted, i: int, row: list[str]) -> bool:
    """Is this row one of those after a damaged one, up to the first that is whole?"""
    for k in range(i + 1, len(case.rows)):
        if _bare(row) in [_bare(case.rows[k]), *map(_bare, case.others.get(k, ()))]:
            return True
        if k not in case.hurt:
            return False
    return False


def _bare(row: list[str]) -> list[str]:
    """Return cells without outer spaces: a reader leaves them out later."""
    return [cell.strip() for cell in row]


def cases(table: Clean, most: int, kinds: tuple[Kind, ...] = ()) -> Iterator[tuple[str, Polluted]]:
    """Yield up to so many files of each kind, with its name."""
    for kind in kinds or (*IN_CELLS, *IN_ROWS, *OF_FILES):
        made = kind(table, random.Random(f"{table.name} {kind.__name__}"))
        for _, case in zip(range(most), made, strict=False):
            yield kind.__name__, case


def score(most: int, some: list[Clean] | None = None) -> dict[str, Counter[str]]:
    """Return what came of up to so many files of each kind and table; [kind][found]."""
    out: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for table in some or tables():
            for kind, case in cases(table, most):
                out.setdefault(kind, Counter())[found(case, Path(folder))[0]] += 1
    return out


def table_of(scores: dict[str, Counter[str]]) -> str:
    """Return a score as a table of text."""
    total = sum(scores.values(), Counter[str]())
    lines = [f"{'kind':34}" + "".join(f"{word:>9}" for word in ("files", *FOUND))]
    for kind, counts in [*scores.items(), ("all", total)]:
        lines.append(f"{kind:34}{counts.total():9,}" + "".join(f"{counts[w]:9,}" for w in FOUND))
    share = {word: 100 * total[word] / max(total.total(), 1) for word in FOUND}
    bad = share["wrong"] + share["silent"]
    lines.append(f"wrong {bad:.2f} % (target 0.5), refused {share['refused']:.2f} % (target 3)")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table_of(score(int(sys.argv[1]) if len(sys.argv) > 1 else 8)))
