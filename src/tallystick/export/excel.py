"""Export of a model as an Excel workbook with formulas: the bytes of an .xlsx file, then its sheets.

Entry: `excel()`.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tallystick.errors import OptionError, shown
from tallystick.export.form import Data, Form, best
from tallystick.export.heading import LanguageLimits, heading
from tallystick.export.onnx import known_texts
from tallystick.schema import CODED, Column
from tallystick.text import WEEKDAYS, label_text

# ---- cells (texts, numbers, formulas) to the bytes of an .xlsx file ----
#
# Laws: the same cells give the same bytes; a text is never a formula; a formula that Excel cannot hold is
# refused in one line.


LONGEST = 8192  # characters of a formula
DEEPEST = 64  # functions in each other
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


class CellFormula(str):
    """A formula without its equals sign."""

    __slots__ = ()


@dataclass
class BookSheet:
    """Cells by row and column, both from 1 on."""

    name: str
    cells: dict[tuple[int, int], Any] = field(default_factory=dict)
    wide: tuple[int, ...] = ()  # of the first columns, in characters

    def put(self, row: int, column: int, value: Any) -> str:
        """Write a cell, and return its address on other sheets too."""
        self.cells[row, column] = value
        return f"{self.name}!{address(row, column)}"

    def range(self, first: tuple[int, int], last: tuple[int, int]) -> str:
        """Return the address of a block."""
        return f"{self.name}!{address(*first)}:{address(*last)}"


def address(row: int, column: int) -> str:
    """Return the fixed address of a cell: $B$3."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"${letters}${row}"


def workbook(sheets: list[BookSheet]) -> bytes:
    """Return the file."""
    numbers = range(1, len(sheets) + 1)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in numbers
    )
    listed = "".join(
        f'<sheet name={quoteattr(s.name)} sheetId="{n}" r:id="rId{n}"/>'
        for n, s in zip(numbers, sheets, strict=True)
    )
    linked = "".join(
        f'<Relationship Id="rId{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    links = f'<Relationships xmlns="{PACKAGE}/relationships">'
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{rels}"/><Default Extension="xml" '
        'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'{links}<Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        '<calcPr calcId="0" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": f"{links}{linked}</Relationships>",
    }
    files |= {f"xl/worksheets/sheet{n}.xml": _sheet(s) for n, s in zip(numbers, sheets, strict=True)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name), HEAD + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _sheet(sheet: BookSheet) -> str:
    rows: dict[int, list[str]] = {}
    for (row, column), value in sorted(sheet.cells.items()):
        rows.setdefault(row, []).append(_cell(address(row, column).replace("$", ""), value))
    widths = "".join(
        f'<col min="{i}" max="{i}" width="{w}" customWidth="1"/>' for i, w in enumerate(sheet.wide, 1)
    )
    listed = "".join(f'<row r="{row}">{"".join(cells)}</row>' for row, cells in rows.items())
    columns = f"<cols>{widths}</cols>" if widths else ""
    return f'<worksheet xmlns="{MAIN}">{columns}<sheetData>{listed}</sheetData></worksheet>'


def _cell(at: str, value: Any) -> str:
    if isinstance(value, CellFormula):
        return f'<c r="{at}"><f>{_xml(checked(value))}</f></c>'
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{float(value)!r}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{_xml(str(value))}</t></is></c>'


def checked(formula: CellFormula) -> CellFormula:
    """Refuse a formula that Excel cannot hold."""
    deep = most = 0
    for mark in re.sub('"[^"]*"', "", formula):
        deep += (mark == "(") - (mark == ")")
        most = max(most, deep)
    if len(formula) >= LONGEST or most > DEEPEST:
        raise OptionError(
            f"the model needs a formula of {len(formula):,} characters, {most} brackets deep, and "
            f"Excel takes {LONGEST:,} and {DEEPEST}. Fit a smaller model, or export it to python or c."
        )
    return formula


def _xml(text: str) -> str:
    if found := NOT_XML.search(text):
        raise OptionError(f"{shown(text)} holds the character {shown(found[0])}, which no workbook can hold.")
    return escape(text)


# The sheets of a model: cells to fill in and the answer on the first, the model's numbers on the others.
#
# Law: every number of the model stands in a cell of its own, and formulas only look it up, so that what is
# answered can be followed by hand.


EPOCH = 25_569  # 1970-01-01 as Excel counts days
LOWEST = -1e300
REASONS = 4
LIMITS = LanguageLimits(
    "workbook",
    "Excel does not cut text into words",
    "one row takes many paths",
    "Excel has no -infinity",
)


def excel(form: Form) -> bytes:
    """Return the bytes of the workbook."""
    LIMITS.refuse(form)
    return _Book(form).to_bytes()


class _Book:
    """The sheets of one model: Row (to fill in), Levels (spellings), Model (numbers), About."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.row = BookSheet("Row", wide=(28, 20, 14, 44))
        self.levels, self.model = BookSheet("Levels"), BookSheet("Model", wide=(32, 14, 14, 14))
        self.about = BookSheet("About", wide=(100,))
        self.next = 1  # row of Model
        self.count = 0  # columns of Levels in use
        self.given = {name: f"Row!$B${2 + i}" for i, name in enumerate(form.given)}
        self.read = [self._read(i, c) for i, c in enumerate(form.columns)]

    def to_bytes(self) -> bytes:
        form = self.form
        for number, line in enumerate(heading(form), 1):
            self.about.put(number, 1, line)
        self.row.put(1, 1, "column")
        self.row.put(1, 2, "value")
        for i, name in enumerate(form.given):
            self.row.put(2 + i, 1, name)
        self.at = 3 + len(form.given)
        if form.is_tree:
            self._ends(self._nodes(), [n for n, node in enumerate(form.nodes) if node[-1] is not None])
        elif form.rules:
            self._ends(self._rules(), list(range(len(form.rules))))
        else:
            self._terms()
        return workbook([self.row, self.model, self.levels, self.about])

    # -- cells --

    def _marks(self, cell: str, rows: Sequence[tuple[str, int]]) -> str:
        """Return the number of a text among some, 0 for others; letter case counts."""
        self.count += 2
        left = self.count - 1
        for i, (text, number) in enumerate(rows, 1):
            self.levels.put(i, left, text)
            self.levels.put(i, left + 1, number)
        texts = self.levels.range((1, left), (len(rows), left))
        numbers = self.levels.range((1, left + 1), (len(rows), left + 1))
        return f'SUMPRODUCT(EXACT({texts},TRIM({cell}&""))*{numbers})'

    def _read(self, place: int, column: Column) -> str:
        """Write what the model reads of a column on Model, and return where: a number, "" where it is
        missing; or the line of a level from 1 on, then missing, then never seen.
        """
        cell = self.given[column.cells]
        at = self._line(column.name)
        levels = len(column.levels)
        if column.kind in CODED and not column.part:
            known = [(t, c + 1) for t, c in known_texts(self.form, column).items() if t.strip()]
            gone = known_texts(self.form, column)[""] + 1
            own = self._marks(cell, known or [("-", 0)])
            found = f'IF(TRIM({cell}&"")="",{gone},IF({own}=0,{levels + 2},{own}))'
        else:
            marks = [m for m in (*self.form.marks, *column.marks) if m.strip()]
            text = f'TRIM({cell}&"")=""'
            if marks:
                text = f"OR({text},{self._marks(cell, [(m, 1) for m in marks])}>0)"
            codes = [f"{cell}={s!r}" for s in self.form.sentinels]
            dated = column.unit == "date" or bool(column.part)
            value = f"{cell}-{EPOCH}" if dated else cell
            value = f'IF(OR({",".join(codes)}),"",{value})' if codes else value
            found = f'IF(ISNUMBER({cell}),{value},IF({text},"",NA()))'
            if column.part:
                line = self._line(f"{column.cells}, days")
                x = self.model.put(line, 2, CellFormula(found))
                serial = f"({x}+{EPOCH})"
                if column.part in ("year", "month"):
                    found = f'IF({x}="","",{column.part.upper()}({serial}))'
                else:
                    clock = f"INT({x}*86400000+0.5)"
                    day = f"INT({clock}/86400000)"
                    if column.part == "hour":
                        found = f'IF({x}="","",INT(({clock}-{day}*86400000)/3600000))'
                    else:
                        days = ",".join(str(column.levels.index(name) + 1) for name in WEEKDAYS)
                        found = f'IF({x}="",{len(column.levels) + 1},CHOOSE(MOD({day}+3,7)+1,{days}))'
        return self.model.put(at, 2, CellFormula(found))

    def _line(self, name: str) -> int:
        at = self.next
        self.model.put(at, 1, name)
        self.next += 1
        return at

    # -- trees and rules --

    def _nodes(self) -> dict[int, str]:
        """Write a line for each node, and return where each end says whether it is reached."""
        form, first = self.form, self.next + 1
        self._line("node: is it reached, and where does it lead")
        parents = {
            b: n for n, node in enumerate(form.nodes) if len(node) > 1 for b in {*node[2], node[3]} if b != n
        }
        reached, ends = dict[int, str](), dict[int, str]()
        for place, node in enumerate(form.nodes):
            at = first + place
            self.model.put(at, 1, place)
            to = f"Model!$C${at}"
            parent = parents.get(place)
            here = "1" if parent is None else f"{reached[parent]}*(Model!$C${first + parent}={place})"
            reached[place] = self.model.put(at, 2, CellFormula(here))
            self.model.put(at, 3, CellFormula(self._way(node)) if len(node) > 1 else place)
            ends[place] = f"{reached[place]}*({to}={place})"
        self.next = first + len(form.nodes)
        return ends

    def _way(self, node: list[Any]) -> str:
        column, cut, to, missing, _ = node
        x = self.read[column]
        if cut is not None:
            return f'IF({x}="",{missing},IF({x}<{float(cut)!r},{to[0]},{to[1]}))'
        common = max(set(to), key=to.count) if to else missing
        known = f"IF({x}>{len(to)},{missing},{common})"
        for branch in dict.fromkeys(to):
            if branch != common:
                codes = ",".join(f"{x}={code + 1}" for code, way in enumerate(to) if way == branch)
                known = f"IF(OR({codes}),{branch},{known})"
        return known

    def _rules(self) -> dict[int, str]:
        """Write a line for each rule, and return where each says whether it is the first that holds."""
        form, first = self.form, self.next + 1
        self._line("rule: does it hold, and is it the first")
        ends = {}
        for place, (conditions, _) in enumerate(form.rules):
            at = first + place
            self.model.put(at, 1, place + 1)
            tests = ",".join(self._condition(c) for c in conditions)
            self.model.put(at, 2, CellFormula(f"IF(AND({tests}),1,0)" if tests else "1"))
            before = f"-SUM(Model!$C${first}:$C${at - 1})" if place else ""
            ends[place] = self.model.put(at, 3, CellFormula(f"Model!$B${at}*(1{before})"))
        self.next = first + len(form.rules)
        return ends

    def _condition(self, condition: list[Any]) -> str:
        column, between, codes, missing = condition
        x, gone = self.read[column], "TRUE" if missing else "FALSE"
        if codes is not None:
            levels = len(self.form.columns[column].levels)
            own = ",".join(f"{x}={code + 1}" for code in codes) or "FALSE"
            return f"IF({x}>{levels},{gone},OR({own}))"
        tests = ["FALSE"] if between is None else ["TRUE"]
        if between is not None:
            tests += [
                f"{x}{sign}{float(end)!r}"
                for sign, end in zip((">=", "<"), between, strict=True)
                if end is not None
            ]
        return f'IF({x}="",{gone},AND({",".join(tests)}))'

    def _ends(self, ends: dict[int, str], places: list[int]) -> None:
        """Write the shares and the answer of each end, and the answer of the row."""
        form = self.form
        first = self.next + 1
        self._line("end: is it reached, its answer, its shares")
        for i, (place, shares) in enumerate(zip(places, form.ends, strict=True)):
            at = first + i
            self.model.put(at, 1, place)
            self.model.put(at, 2, CellFormula(ends[place]))
            answer = label_text(form.labels[best(form, shares)]) if form.labels else float(shares[0])
            self.model.put(at, 3, answer)
            for k, share in enumerate(shares if form.labels else ()):
                self.model.put(at, 4 + k, float(share))
        last = first + len(places) - 1
        reached = f"MATCH(1,Model!$B${first}:$B${last},0)"
        self._answer(f"INDEX(Model!$C${first}:$C${last},{reached})")
        for k, label in enumerate(form.labels):
            block = self.model.range((first, 4 + k), (last, 4 + k))
            self._share(label, f"INDEX({block},{reached})")

    def _answer(self, formula: str) -> None:
        self.row.put(self.at, 1, "prediction")
        self.row.put(self.at, 2, CellFormula(formula))
        self.at += 1

    def _share(self, label: Any, formula: str) -> None:
        self.row.put(self.at, 1, f"P({label_text(label)})")
        self.row.put(self.at, 2, CellFormula(formula))
        self.at += 1

    # -- terms --

    def _terms(self) -> None:
        form, labels = self.form, range(len(self.form.base))
        places = [self._term(term) for term in form.terms]  # [term][class]
        sums = []
        for k in labels:
            parts = [cells[k] for cells in places]
            start = self._line(f"score of {label_text(form.labels[k])}" if form.labels else "sum")
            total = "+".join([repr(float(form.base[k])), *parts])
            if form.shift:
                total = f"{float(form.slope)!r}*({total})+{float(form.shift[k])!r}"
            sums.append(self.model.put(start, 2, CellFormula(total)))
        if not form.labels:
            self._answer(sums[0])
            return
        block = f"{sums[0]}:{sums[-1].removeprefix('Model!')}"
        powers = []
        for k in labels:
            at = self._line(f"power of {label_text(form.labels[k])}")
            powers.append(self.model.put(at, 2, CellFormula(f"EXP({sums[k]}-MAX({block}))")))
        total = f"SUM({powers[0]}:{powers[-1].removeprefix('Model!')})"
        shares = []
        for k in labels:
            at = self._line(f"share of {label_text(form.labels[k])}")
            shares.append(self.model.put(at, 2, CellFormula(f"{powers[k]}/{total}")))
            self.model.put(at, 3, label_text(form.labels[k]))
        first, last = (int(s.rpartition("$")[2]) for s in (shares[0], shares[-1]))
        worth = f"Model!$B${first}:$B${last}"
        if form.costs:
            for j in range(len(shares)):
                costs = "-".join(f"{s}*{float(row[j])!r}" for s, row in zip(shares, form.costs, strict=True))
                self.model.put(first + j, 4, CellFormula(f"0-{costs}"))
            worth = f"Model!$D${first}:$D${last}"
        self._answer(f"INDEX(Model!$C${first}:$C${last},MATCH(MAX({worth}),{worth},0))")
        for k in labels:
            self._share(form.labels[k], shares[k])
        if form.has_reasons and len(form.labels) == 2:
            self._reasons(places)

    def _term(self, term: Data) -> list[str]:
        """Write a term, and return where its part of each class stands."""
        if "table" in term:
            return self._table(term)
        at = self._line(term["name"])
        cells = []
        for k in range(len(self.form.base)):
            cells.append(self.model.put(at, 2 + k, CellFormula(self._part_of(term, k))))
        return cells

    def _part_of(self, term: Data, k: int) -> str:
        if "factors" in term:
            factors, numbers = [], []
            for column, code in term["factors"]:
                factor = self.read[column]
                factors.append(factor if code is None else f"IF({factor}={code + 1},1,0)")
                numbers += [f'{factor}=""'] if code is None else []
            product = "*".join(factors)
            if numbers:
                product = f"IF(OR({','.join(numbers)}),{float(term['centre'])!r},{product})"
            return f"{product}*({float(term['slope'][k])!r})"
        x = self.read[term["column"]]
        if "mean" in term:
            mean, half, top = (repr(float(term[key][k])) for key in ("mean", "half", "constant"))
            return f'IF({x}="",0,{top}-({x}-({mean}))*({x}-({mean}))*{half})'
        slope, zero, gone = (repr(float(term[key][k])) for key in ("slope", "at_zero", "missing"))
        return f'IF({x}="",{gone},{x}*({slope})+({zero}))'

    def _table(self, term: Data) -> list[str]:
        """Write the lines of a term with their points, then the line of the row and its points."""
        sides = term.get("pair", [term])
        lines = [self._side(side, term) for side in sides]
        if "pair" in term:
            words = [f"line {i + 1}" for i in range(len(term["table"]))]
        else:
            column = self.form.columns[term["column"]]
            if "said" in term:
                words = [f"{column.name} {t}" for t in term["said"]]
            elif "cuts" in term:
                words = _ranges(column.name, term)
            else:
                levels = [f"{column.name} = {level}" for level in column.levels]
                words = [*levels, f"{column.name} is missing", f"{column.name} is a new level"]
        first = self.next + 1
        self._line(f"{term['name']}: lines")
        for i, row in enumerate(term["table"]):
            at = self._line(words[i])
            for k, part in enumerate(row):
                self.model.put(at, 2 + k, float(part))
        last = first + len(term["table"]) - 1
        line = lines[0] if len(lines) == 1 else f"(({lines[0]})-1)*{sides[1]['size']}+({lines[1]})"
        at = self._line(f"{term['name']}: the row")
        here = self.model.put(at, 2 + len(self.form.base), CellFormula(line))
        return [
            self.model.put(
                at, 2 + k, CellFormula(f"INDEX({self.model.range((first, 2 + k), (last, 2 + k))},{here})")
            )
            for k in range(len(self.form.base))
        ]

    def _side(self, side: Data, term: Data) -> str:
        """Return the line of a cell from 1 on."""
        x = self.read[side["column"]]
        size = side.get("size", len(term["table"]))
        if "cuts" in side:
            lows = [LOWEST, *side["cuts"]]
            self.count += 1
            for i, low in enumerate(lows, 1):
                self.levels.put(i, self.count, float(low))
            block = self.levels.range((1, self.count), (len(lows), self.count))
            return f'IF({x}="",{size},MATCH({x},{block},1))'
        if "lines" not in side:
            return x
        self.count += 1
        for i, line in enumerate(side["lines"], 1):
            self.levels.put(i, self.count, line + 1)
        return f"INDEX({self.levels.range((1, self.count), (len(side['lines']), self.count))},{x})"

    def _reasons(self, places: list[list[str]]) -> None:
        """Write what cost the row most points of a card of two classes; places: the points of each term."""
        count, first = len(places), self.next + 1
        self._line("section: points lost, their order, in words")
        for i, (term, (no, yes)) in enumerate(zip(self.form.terms, places, strict=True)):
            at = self._line(term["name"])
            lost = self.model.put(at, 2, CellFormula(f"{float(term['best'][1])!r}-({yes}-{no})"))
            self.model.put(at, 3, CellFormula(f"{lost}*{count}+{count - 1 - i}"))
            said = '&", "&'.join(self._said(side, term) for side in term.get("pair", [term]))
            unit = f'IF({lost}=1," point"," points")'
            self.model.put(at, 4, CellFormula(f'{said}&": "&{lost}&{unit}&" less than the best"'))
        last = first + count - 1
        keys, texts = f"Model!$C${first}:$C${last}", f"Model!$D${first}:$D${last}"
        for k in range(1, min(count, REASONS) + 1):
            self.row.put(self.at, 1, f"reason {k}")
            most = f"LARGE({keys},{k})"
            found = f'IF({most}<{count},"",INDEX({texts},MATCH({most},{keys},0)))'
            self.row.put(self.at, 2, CellFormula(found))
            self.at += 1

    def _said(self, side: Data, term: Data) -> str:
        """Return what the row has in a column, in words."""
        column = self.form.columns[side["column"]]
        words = [f"= {level}" for level in column.levels]
        words = side["said"] if "cuts" in side else [*words, "is missing", "is a new level"]
        self.count += 1
        for i, word in enumerate(words, 1):
            self.levels.put(i, self.count, f"{column.name} {word}")
        block = self.levels.range((1, self.count), (len(words), self.count))
        line = self._side(side, term) if "cuts" in side else self.read[side["column"]]
        return f"INDEX({block},{line})"


def _ranges(name: str, term: Data) -> list[str]:
    ends = list(zip([None, *term["cuts"]], [*term["cuts"], None], strict=True))
    said = [
        f"{name} {'' if low is None else f'from {low:g} '}{'' if high is None else f'below {high:g}'}"
        for low, high in ends
    ]
    more = len(term["table"]) - len(said)
    return [*(text.strip() for text in said), *[f"{name} is missing"] * more]
