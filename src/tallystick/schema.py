"""The schema of a table (columns, kinds, levels, target, notes), and the options for reading one.

Entry: `Schema`, `Column`, `Target`; `Columns` and `Reading` are what users pass.
Law: `Schema.from_dict(schema.to_dict()) == schema`, and nothing of a column left out is in `to_dict()`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from tallystick.errors import OptionError, TargetError, shown
from tallystick.text import TRUTH_LABELS, label_number, label_text, merges, plain_merges

Kind = Literal["numeric", "levels", "ordered", "boolean", "text", "out"]
KINDS: tuple[str, ...] = get_args(Kind)
ASKED: tuple[str, ...] = (*KINDS, "date")  # kinds that a user may name; a date becomes a number and its parts
CODED: frozenset[str] = frozenset({"levels", "ordered", "boolean"})  # kinds whose cells become codes

LabelType = Literal["text", "integer", "number", "boolean"]
MISSING_MARKS: tuple[str, ...] = ("", "?", "NA", "NaN", "None", "null")  # sorted by UTF-8 bytes

# Marks for "no number" in a column of numbers, in lower case; among words they are levels like any other.
_MARKS = (
    "?|-|--|---|.|..|...|*|\\n|na|n/a|n.a.|n. a.|#n/a|<na>|(na)|nan|-nan|nat|null|(null)|<null>|none|nil|"
    "#null!|#div/0!|#ref!|#value!|#num!|#name?|missing|(missing)|unknown|blank|(blank)|empty|n/d|nd|n.d.|n.v.|"
    "k.a.|k. a.|k.a|keine angabe|s/d|no data|not available|not applicable"
)
NUMBER_MARKS: frozenset[str] = frozenset(_MARKS.split("|"))

# Texts for no and yes: (no, yes), in lower case.
TRUTHS: tuple[tuple[str, str], ...] = (
    *(("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"), ("0", "1")),
    *(("nein", "ja"), ("non", "oui"), ("falsch", "wahr"), ("faux", "vrai"), ("falso", "vero")),
)
ABSENT = "(missing)"  # the level of a missing cell, in a column of one value or nothing


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that was done to the data and must not stay silent: said once, counted, kept.

    `code` is stable and lower-case (`column-left-out`, `rows-left-out`, ...); `count`: rows or cells.
    """

    code: str
    text: str
    column: str = ""
    count: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the note as plain data."""
        return {"code": self.code, "column": self.column, "count": self.count, "text": self.text}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its kind, and what its cells may be.

    `levels`: levels sorted by UTF-8 bytes; ordered in their order; boolean: the false text, the true text.
    `low`, `high`: the range of a numeric column. `unit`: "date" when the numbers are days since 1970-01-01.
    `written`: how its numbers or dates are written, as an example (see text.py); "": plainly.
    `words`: the vocabulary of a text column, sorted by UTF-8 bytes. `least`: rows that a word must be in;
    words of fewer are unseen.
    `of`, `part`: the column whose dates this is a part of, and which part ("month"); its cells are there.
    `merged`: (spelling, level) of spellings that the user merged into a level.
    `marks`: texts that counted as missing in this column of the training rows, so they do in new rows.
    `missing`: rows without a value. `why`: the reason for the kind, for people; not part of the model.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    unit: Literal["", "date"] = ""
    written: str = ""
    words: tuple[str, ...] = ()
    missing: int = 0
    declared: bool = False  # the kind or the levels were given by the user
    merged: tuple[tuple[str, str], ...] = ()
    of: str = ""
    part: str = ""
    marks: tuple[str, ...] = ()
    why: str = field(default="", compare=False)
    least: int = field(default=1, compare=False)  # a wish, kept so that a part of the rows is read alike

    def to_dict(self) -> dict[str, Any]:
        """Return what the model file keeps of this column."""
        out: dict[str, Any] = {"kind": self.kind, "missing": self.missing, "name": self.name}
        if self.kind in CODED:
            out["levels"] = list(self.levels)
        if self.kind == "numeric":
            out |= {"high": self.high, "low": self.low, "unit": self.unit}
        if self.written:
            out["written"] = self.written
        if self.kind == "text":
            out["words"] = list(self.words)
        if self.declared:
            out["declared"] = True
        if self.merged:
            out["merged"] = dict(self.merged)
        if self.marks:
            out["marks"] = list(self.marks)
        if self.part:
            out |= {"of": self.of, "part": self.part}
        return out

    @property
    def cells(self) -> str:
        """The column of a table that has its cells: its own, or the dates that it is a part of."""
        return self.of or self.name

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Column:
        """Build a column from `to_dict()`; the model file's reader has checked the shape."""
        fields = dict(data)
        for key in ("levels", "words", "marks"):
            if key in fields:
                fields[key] = tuple(fields[key])
        fields["merged"] = tuple(sorted(fields.get("merged", {}).items()))
        return cls(**fields)


def spelt(column: Column) -> dict[str, str]:
    """Return the level of every text that is one, or that the user merged into one."""
    return {level: level for level in column.levels} | dict(column.merged)


def meanings(column: Column) -> dict[str, str]:
    """Return the level that each text for no or yes means, texts in lower case: {"true": "yes", ...}.

    Only of levels that are such a pair, or one of it, and of a boolean column. A text that is a level means
    itself and is not here. A number is looked up by its shortest text: 1.0 as "1".
    """
    return dict(_meanings(column.levels, column.kind == "boolean"))


@lru_cache(maxsize=256)
def _meanings(levels: tuple[str, ...], boolean: bool) -> Mapping[str, str]:
    """Shared: nobody writes to it."""
    known = {level.lower(): level for level in levels if level != ABSENT}
    pairs = [pair for pair in TRUTHS if known.keys() <= set(pair)]
    no, yes = levels if boolean and len(levels) == 2 else (None, None)
    if len(known) + (ABSENT in levels) == len(levels) and len(pairs) == 1:  # no two differ in case alone
        no, yes = (known.get(word) for word in pairs[0])
        no = no or (ABSENT if ABSENT in levels else None)
    said = {word: level for pair in TRUTHS for word, level in zip(pair, (no, yes), strict=True) if level}
    return {word: level for word, level in said.items() if word not in levels}


@dataclass(frozen=True, slots=True)
class Target:
    """The column to be predicted: class labels as canonical text, and the type they had.

    Labels are ordered as their type orders them: text by UTF-8 bytes, numbers by value, false before true.
    A numeric target (regression) has no labels and type "number".
    """

    name: str
    labels: tuple[str, ...]
    type: LabelType = "text"
    merged: tuple[tuple[str, str], ...] = ()  # (spelling, label), as the user merged them

    def to_dict(self) -> dict[str, Any]:
        """Return the target as plain data."""
        out = {"labels": list(self.labels), "name": self.name, "type": self.type}
        return out | ({"merged": dict(self.merged)} if self.merged else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Target:
        """Build a target from `to_dict()`."""
        merged = tuple(sorted(data.get("merged", {}).items()))
        return cls(data["name"], tuple(data["labels"]), data["type"], merged)

    def values(self) -> list[Any]:
        """Return the labels in the type they had: what `classes_` and `predict` give back."""
        if self.type == "boolean":
            return [label == "true" for label in self.labels]
        read: type = {"text": str, "integer": int, "number": float}[self.type]
        return [read(label) for label in self.labels]

    def label_of(self, given: Any) -> str:
        """Return the label that a user means: 1, 1.0, "1" and "1.0" are the number 1, True is "true".

        What means none of the labels comes back as a text that is not one of them.
        """
        text = label_text(given)
        if text in self.labels:
            return text
        if text in (merged := dict(self.merged)):
            return merged[text]
        if self.type == "text":
            return str(given)
        if self.type == "boolean":
            return TRUTH_LABELS.get(text.lower(), text)
        return label_number(text) or text

    def may_hold(self, label: str) -> bool:
        """Say whether a text can be a label of this type."""
        if self.type == "boolean":
            return label in ("false", "true")
        return self.type == "text" or label_number(label) == label


@dataclass(frozen=True, slots=True)
class Schema:
    """All columns of a table in their order, the target, and the marks that mean missing.

    keys: (column or target, text): by what hashes of rows know it; by its name if it has none.
    """

    columns: tuple[Column, ...]
    target: Target | None = None
    marks: tuple[str, ...] = MISSING_MARKS
    keys: tuple[tuple[str, str], ...] = field(default=(), repr=False, compare=False)
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False)
    _used: tuple[Column, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})
        object.__setattr__(self, "_used", tuple(c for c in self.columns if c.kind != "out"))

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns a learner sees: all but those left out."""
        return self._used

    @property
    def given(self) -> tuple[str, ...]:
        """The columns of a table that have the cells, each once, in their order."""
        return tuple(dict.fromkeys(c.cells for c in self.columns))

    @property
    def needed(self) -> tuple[str, ...]:
        """Those of them that a learner sees."""
        return tuple(dict.fromkeys(c.cells for c in self.used))

    def only(self, names: Collection[str]) -> Schema:
        """Return the schema of a model that asks for some of its columns: the others are out, so that nobody
        must bring them, no file keeps them, and what they hold alarms nobody.
        """
        if all(c.name in names for c in self.used):
            return self
        why = "the model does not use it"
        return replace(
            self,
            columns=tuple(
                c if c.kind == "out" or c.name in names else Column(c.name, "out", of=c.of, why=why)
                for c in self.columns
            ),
        )

    def kinds_again(self) -> dict[str, str]:
        """Return the kinds that other rows are to be read with, to be of this schema."""
        own: dict[str, str] = {c.name: c.kind for c in self.used if not c.part}
        return own | {c.of: "date" for c in self.used if c.part}

    def parts_again(self) -> dict[str, list[str]]:
        """Return the parts of dates that other rows must have, by the column of the dates."""
        out: dict[str, list[str]] = {}
        for column in self.used:
            if column.part:
                out.setdefault(column.of, []).append(column.part)
        return out

    @property
    def has_parts(self) -> bool:
        """Whether some column is a part of dates."""
        return any(c.part for c in self.used)

    @property
    def predicted(self) -> Target:
        """The target, of a table that must have one. Who may work without asks for `target`."""
        if self.target is None:
            raise TargetError("the rows have no target, the column to be predicted. Name it: y='column'.")
        return self.target

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.target is not None and not self.target.labels

    def to_dict(self) -> dict[str, Any]:
        """Return what the model file keeps: nothing of columns left out."""
        return {
            "columns": [c.to_dict() for c in self.used],
            "marks": list(self.marks),
            "target": self.target.to_dict() if self.target else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Build a schema from `to_dict()`."""
        target = data["target"]
        return cls(
            columns=tuple(Column.from_dict(c) for c in data["columns"]),
            target=Target.from_dict(target) if target else None,
            marks=tuple(data["marks"]),
        )


def typed(settings: Any) -> str:
    """Return a dataclass as a user would type it: only what differs from its defaults."""
    given = []
    for f in fields(settings):
        value = getattr(settings, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if value != default:
            value = list(value) if isinstance(value, tuple) else value
            given.append(f"{f.name}={value!r}")
    return f"{type(settings).__name__}({', '.join(given)})"


@dataclass(frozen=True, repr=False)
class Columns:
    """What you know of the columns of a table; it goes before anything Tallystick would find by looking.

    Parameters
    ----------
    kinds : dict, default {}
        The kind of a column by its name: "numeric", "levels", "ordered", "boolean", "text" or "out" (not
        used). Columns not named are judged by their values. "date": as numbers of days, and its year, month,
        weekday and hour as columns of their own.
    levels : dict, default {}
        The levels of a column by its name, in their order, lowest first.
    missing : list of str, default None
        What stands for a missing value, in place of the usual marks (an empty cell, ?, NA, NaN, None, null).
    keep : list of str, default ()
        Columns to use that would be left out, such as one whose every value is different.
    merge : dict, default {}
        Spellings that are one, by the text that they become: {"yes": ["Yes", "YES", "Y"]}, in all columns and
        in the target; of one column, or of numbers, {"answer": {"yes": ["Yes", "1"]}}. New rows may have
        them, too.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.Columns(kinds={"zip": "levels"}, missing=["-999"])
    Columns(kinds={'zip': 'levels'}, missing=['-999'])
    >>> tree = ts.DecisionTree(columns=ts.Columns(levels={"size": ["S", "M", "L"]}))
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Iterable[Any]] = field(default_factory=dict)
    missing: Sequence[str] | None = None  # None: MISSING_MARKS
    keep: Sequence[str] = ()
    merge: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("kinds", "levels"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, Mapping):
                example = "'zip': 'levels'" if name == "kinds" else "'size': ['S', 'M', 'L']"
                raise OptionError(f"{name} go by column, {name}={{{example}}}, not {shown(given)}.")
        own = object.__setattr__
        own(self, "kinds", dict(self.kinds or {}))
        own(self, "levels", {name: listed("levels", values) for name, values in (self.levels or {}).items()})
        own(
            self,
            "missing",
            None if self.missing is None else tuple(map(str, listed("missing", self.missing))),
        )
        own(self, "keep", listed("keep", () if self.keep is None else self.keep))
        own(self, "merge", merges(self.merge))

    __repr__ = typed

    @classmethod
    def of(cls, columns: Columns | None, kinds: Mapping[str, str] | None = None) -> Columns:
        """Return what `columns=` and its short form `kinds=` say together."""
        if columns is not None and not isinstance(columns, Columns):
            raise OptionError(f"columns must be ts.Columns(...), not {shown(columns)}.")
        if kinds is None or (isinstance(kinds, Mapping) and not kinds):
            return columns or Columns()
        if columns is not None and columns.kinds:
            raise OptionError("kinds= and columns=ts.Columns(kinds=...) were both given. Pass one of them.")
        return replace(columns or Columns(), kinds=kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as a model file has it among its parameters; what nothing is merged of is left
        out, as in files from before there was any.
        """
        out = {
            "keep": sorted(self.keep),
            "kinds": dict(self.kinds),
            "levels": {str(name): [str(v) for v in values] for name, values in self.levels.items()},
            "missing": None if self.missing is None else sorted(self.missing),
        }
        return out | ({"merge": plain_merges(self.merge)} if self.merge else {})


def listed(name: str, given: Any) -> tuple[Any, ...]:
    """Return what was given in a list, or by itself."""
    if isinstance(given, str):
        return (given,)
    try:
        if not isinstance(given, Mapping | bytes):
            return tuple(given)
    except TypeError:  # not iterable
        pass
    raise OptionError(f"{name} must be a list of texts, not {shown(given)}.")


@dataclass(frozen=True, repr=False)
class ColumnOptions(Columns):
    """What is asked of a reader: what the user knows of the columns, which words of a text to know, and
    whether a table is taken that has nothing to tell apart: one class, or columns of one value each.
    """

    min_count: int = 1  # rows that a word of a text must be in to be known
    min_letters: int = 1  # characters that it must have
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of dates: which, whatever they tell
    trivial: bool = False
    sums: bool = False  # exact sums of numbers by class may be needed, so that reading may compute them too
    sample: int = 0  # so many values of each column of numbers will be asked for first: these too
    by_columns: bool = False  # columns of numbers are walked one by one: doubles are made to lie so
    fixed_weights: bool = False  # a weight of 1 is one row, even where some are not whole


# cached: nearly every fit asks for one of them
NO_WISHES, ANY_TABLE = ColumnOptions(), ColumnOptions(trivial=True, by_columns=True)
DECIMALS, BAD_ROWS, INFINITIES = (".", ","), ("error", "skip", "repair"), ("error", "missing")


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a file; None means: look at the file."""

    encoding: str | None = None
    sep: str | None = None
    header: bool | None = None
    decimal: str | None = None  # None: by column, a point where both would do
    bad_rows: Literal["error", "skip", "repair"] | None = None  # None: repair, while few are bad
    inf: Literal["error", "missing"] = "error"
    missing: tuple[str, ...] | None = None  # None: what the wishes say, else MISSING_MARKS
    longest: int = 1 << 26  # bytes of a line, at most
    day_first: bool | None = None  # of dates such as 3/4/2012
    table: str | None = None  # of a file that may hold several: a sheet, a table, a file inside
    unpack: bool = False  # even a file that unpacks to many times its size

    def __post_init__(self) -> None:
        for name, kind, words in (
            ("encoding", str, "the name of a text encoding, such as 'cp1252'"),
            ("sep", str, "text, such as ';'"),
            ("header", bool, "True or False"),
            ("day_first", bool, "True or False"),
            ("table", str, "the name of a sheet, a table or a file inside"),
        ):
            given = getattr(self, name)
            if given is not None and not (isinstance(given, kind) and given != ""):
                raise OptionError(f"{name} must be {words}, or None to look at the file, not {shown(given)}.")
        for name, known in (("decimal", DECIMALS), ("bad_rows", BAD_ROWS), ("inf", INFINITIES)):
            given = getattr(self, name)
            if not (isinstance(given, str) and given in known) and (given is not None or name == "inf"):
                listed = " or ".join(map(shown, known))
                raise OptionError(f"{name} must be {listed}, not {shown(given)}.")
