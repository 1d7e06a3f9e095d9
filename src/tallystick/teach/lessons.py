"""Lessons: every worked example as a question, its table, the working, what to notice, one thing to change.

`ts.lesson("id3")` and `tally lesson id3`. A lesson is data; `telling.py` tells it.
"""

from __future__ import annotations

import csv
import itertools
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, overload

from tallystick.draw.svg import Span, plain, table
from tallystick.errors import OptionError, clean, nearest, shown
from tallystick.schema import Columns
from tallystick.teach.document import Headline, Part, flat, text, work
from tallystick.tree.model import Tree, leaf_shares, log_evidence
from tallystick.tree.nodes import Nodes, prior_of_tests

if TYPE_CHECKING:
    from tallystick.tree.estimator import DecisionTree


# All prunings of a small tree, one by one: what the average over them sums up.
#
# Knows the numbers of a fitted tree. Law: the sum over the prunings is the answer that the tree gives.


@dataclass(frozen=True)
class WeighedPruning:
    """A pruning: the nodes where it ends, its prior, its evidence, its probability, and its share of a class
    for a row.
    """

    leaves: tuple[int, ...]
    prior: float
    evidence: float
    probability: float
    share: float


def weighed_prunings(tree: Tree, way: list[int], label: int) -> list[WeighedPruning]:
    """Return every pruning of a tree, with what it answers to a row that goes this way down the nodes."""
    a = tree.answers.smoothing
    shares = leaf_shares(tree.counted, a, tree.base)
    evidence = log_evidence(tree.counted, a, tree.base)
    if tree.answers.keep is None:
        keep = prior_of_tests(tree.schema, tree.nodes, tree.counted.sum(axis=1)).tolist()
    else:
        keep = [tree.answers.keep] * len(tree.nodes)
    found = []
    for ends in _prunings(tree.nodes, 0):
        tested = [n for n, end in ends.items() if not end]
        leaves = [n for n, end in ends.items() if end]
        inner = [n for n in leaves if tree.nodes.column[n] >= 0]
        prior = math.prod(keep[n] for n in tested) * math.prod(1 - keep[n] for n in inner)
        likely = math.exp(sum(float(evidence[n]) for n in leaves))
        stop = next(n for n in way if n in leaves)
        found.append((tuple(leaves), prior, likely, float(shares[stop, label])))
    total = sum(prior * likely for _, prior, likely, _ in found)
    return [WeighedPruning(n, p, e, p * e / total, s) for n, p, e, s in found]


def _prunings(nodes: Nodes, node: int) -> list[dict[int, bool]]:
    """Return every pruning below a node as {node: it ends here}."""
    if nodes.column[node] < 0:
        return [{node: True}]
    below = itertools.product(*(_prunings(nodes, int(b)) for b in nodes.branches(node)))
    whole = [{n: end for part in parts for n, end in part.items()} for parts in below]
    return [{node: True}, *({node: False, **part} for part in whole)]


@dataclass(frozen=True)
class AllPrunings:
    """Every pruning of a tree with its weight and its answer to one row, and their sum."""

    label: str
    prunings: tuple[WeighedPruning, ...]
    averaged: float

    @property
    def sum(self) -> float:
        """The sum over the prunings of probability times share."""
        return math.fsum(p.probability * p.share for p in self.prunings)

    def __str__(self) -> str:
        heads = [
            "leaves at nodes",
            "prior",
            "evidence",
            "probability",
            f"share of {clean(self.label)}",
            "product",
        ]
        rows = []
        for p in sorted(self.prunings, key=lambda p: -p.probability):
            numbers = f"{p.prior:.4f}", f"{p.evidence:.4g}", f"{p.probability:.4f}", f"{p.share:.4f}"
            cells = ", ".join(map(str, p.leaves)), *numbers, f"{p.probability * p.share:.4f}"
            rows.append([Span(cell) for cell in cells])
        listed = plain(table(heads, rows, frozenset(range(1, 6)), 10_000))
        return f"{listed}\nsum of the products: {self.sum:.12f}\nthe tree's own answer: {self.averaged:.12f}"

    __repr__ = __str__


def all_prunings(estimator: DecisionTree, row: Mapping[str, Any], label: str) -> AllPrunings:
    """Return every pruning of a fitted tree that averages over them, and what each answers to a row."""
    tree = estimator.model_
    if tree.averaged is None:
        raise OptionError("this tree does not average over its prunings. Fit with average=True.")
    at = int(estimator.apply([row])[0])
    way = [at]
    while way[-1]:
        way.append(int(tree.nodes.parent[way[-1]]))
    number = tree.schema.predicted.labels.index(label)
    found = weighed_prunings(tree, way[::-1], number)
    return AllPrunings(label, tuple(found), float(estimator.predict_proba([row])[0, number]))


# A lesson is data: a question, tables, steps that answer it, what to notice, one thing to change and try.
#
# Knows how a lesson is told, as text and as Markdown. Knows no method: a step is worked out by `ts.work`,
# or asks for something in a line of Python. Law: what a lesson prints under a command or a line of Python
# is what that command or line prints.


WIDE = 96  # cells of a line of words
LEFT_OUT = "..."  # stands for sections that a lesson does not show

Find = Callable[[str], str]  # the path of a table by its name


def find(name: str) -> str:
    """Return the path of a bundled table."""
    return str(resources.files("tallystick.examples") / name)


@dataclass(frozen=True)
class Worked:
    """The working of a method on a table. only: the sections that are shown, by how their headings begin;
    nothing is all of them. words: said before it.
    """

    table: str
    target: str
    method: str = "id3"
    row: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    words: str = ""

    @property
    def command(self) -> str:
        """The command that prints the whole of it."""
        parts = [f"tally work {self.table} --target {self.target}"]
        parts += [f"--model {self.method}"] if self.method != "id3" else []
        parts += [f"--row {_typed(f'{name}={value}')}" for name, value in self.row.items()]
        for name, value in self.settings.items():
            if name == "kinds":
                parts += [f"--kind {column}={kind}" for column, kind in value.items()]
            elif name == "columns":
                parts += [f"--keep {_typed(column)}" for column in value.keep]
            else:
                parts.append(f"--set {name}={value}")
        return " ".join(parts)

    def printed(self, blank: bool = False) -> str:
        """Return what it prints; sections that are not shown are a line of dots."""
        row = dict(self.row) or None
        found = work(find(self.table), self.target, method=self.method, row=row, blank=blank, **self.settings)
        return cut_short(found.shown, self.only)


@dataclass(frozen=True)
class Typed:
    """Lines of Python, and the function that does what they do. words: said before them."""

    code: str
    answer: Callable[[Find], object]
    words: str = ""

    @property
    def command(self) -> str:
        """The lines as they are typed at Python's prompt."""
        first, *rest = textwrap.dedent(self.code).strip().split("\n")
        lines = [f">>> {first}"]
        lines += [f"... {line}" if line.startswith((" ", ")", "]", "}")) else f">>> {line}" for line in rest]
        return "\n".join(lines)

    def printed(self, blank: bool = False) -> str:
        """Return what they print; nothing on a sheet without answers."""
        return "" if blank else f"{self.answer(find)}\n"


Step = Worked | Typed


def _typed(text: str) -> str:
    return f"'{text}'" if " " in text else text


def cut_short(parts: tuple[Part, ...], only: tuple[str, ...]) -> str:
    """Return the text of the sections whose headings begin so, with all below them; dots stand for others."""
    if not only:
        return text(parts)
    out: list[str] = []
    run: list[Part] = []
    whole = part_of = gap = False  # the section is wanted; the piece below it is; something was left out

    def close() -> None:
        nonlocal run, gap
        if run:
            out.append(f"{LEFT_OUT}\n\n{text(tuple(run))}" if gap else text(tuple(run)))
            run, gap = [], False

    for part in parts:
        if isinstance(part, Headline):
            wanted = flat(part.text).startswith(only)
            whole, part_of = (wanted, wanted) if part.level <= 2 else (whole, whole or wanted)
        if part_of:
            run.append(part)
        else:
            close()
            gap = True
    close()
    return "\n".join(out) + (f"\n{LEFT_OUT}\n" if gap else "")


@dataclass(frozen=True)
class Lesson:
    """One lesson. name: what `tally lesson` calls it. tables: the bundled files it uses. change: what to try,
    with the command that does it. picture: the function of `ts.pictures` that shows the idea, and what it is
    given.
    """

    name: str
    title: str
    question: str
    tables: tuple[str, ...]
    steps: tuple[Step, ...]
    notice: tuple[str, ...]
    change: str
    then: str = ""
    picture: tuple[str, Mapping[str, Any]] | None = None
    pictured: str = ""

    @cached_property
    def printed(self) -> tuple[str, ...]:
        """What each step prints."""
        return tuple(step.printed() for step in self.steps)

    def drawn(self) -> Any:
        """Return the picture of the lesson, or None."""
        if self.picture is None:
            return None
        from tallystick.teach import pictures

        what, given = self.picture
        more = dict(given)
        args = [find(more.pop("table"))] if "table" in more else []
        return getattr(pictures, what)(*args, **more)

    def text(self, blank: bool = False) -> str:
        """Return the lesson as text; blank: a sheet to be filled in."""
        out = [self.title, "=" * len(self.title), "", *wrapped(self.question), ""]
        for step, printed in zip(self.steps, self._prints(blank), strict=True):
            out += [*wrapped(step.words), ""] if step.words else []
            out += [f"$ {step.command}" if isinstance(step, Worked) else step.command, ""]
            out += [*printed.rstrip("\n").split("\n"), ""] if printed else []
        if not blank:
            out += ["What to notice", "--------------", ""]
            out += [line for words in self.notice for line in wrapped(words, "- ")]
            out.append("")
        out += ["Change one thing and try", "------------------------", "", *wrapped(self.change)]
        out += ["", f"$ {self.then}"] if self.then else []
        return "\n".join(out) + "\n"

    def markdown(self) -> str:
        """Return the lesson as a page of Markdown: what is printed stands under its command."""
        out = [f"# {self.title}", "", self.question, ""]
        for step, printed in zip(self.steps, self.printed, strict=True):
            out += [step.words, ""] if step.words else []
            if isinstance(step, Worked):
                out += ["```console", f"$ {step.command}", printed.rstrip("\n"), "```", ""]
            else:
                out += ["```pycon", step.command, printed.rstrip("\n"), "", "```", ""]
        out += ["## What to notice", "", *(f"- {words}" for words in self.notice), ""]
        out += ["## Change one thing and try", "", self.change]
        out += ["", "```sh", self.then, "```"] if self.then else []
        return "\n".join(out) + "\n"

    def _prints(self, blank: bool) -> tuple[str, ...]:
        return tuple(step.printed(True) for step in self.steps) if blank else self.printed

    def to_dict(self) -> dict[str, Any]:
        """Return the lesson as plain data."""
        steps = [
            {"command": step.command, "printed": printed, "words": step.words}
            for step, printed in zip(self.steps, self.printed, strict=True)
        ]
        return {
            "change": self.change,
            "name": self.name,
            "notice": list(self.notice),
            "question": self.question,
            "steps": steps,
            "tables": list(self.tables),
            "then": self.then,
            "title": self.title,
        }

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


def wrapped(words: str, first: str = "") -> list[str]:
    """Return words in lines of at most WIDE cells; further lines stand under the first."""
    return textwrap.wrap(words, WIDE, initial_indent=first, subsequent_indent=" " * len(first)) or [""]


# Lessons on Bayes' rule and naive Bayes: counting, smoothing, words, numbers.
#
# Data only; how a lesson is told: `telling.py`.


PLAIN = {"m": 0}
NO_PRIOR = {"m": 0, "priors": "none"}


def _disease(find: Find) -> object:
    from tallystick.teach.learn import bayes_rule

    return bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03})


def _headache(find: Find) -> object:
    from tallystick.teach.learn import bayes_rule

    return bayes_rule({"flu": Fraction(1, 40)}, {"flu": Fraction(1, 2)}, evidence=Fraction(1, 10))["flu"]


def _shooters(find: Find) -> object:
    from tallystick.teach.learn import bayes_rule

    hit = Fraction(8, 10)  # 1 - 4/10 * 5/10: not both miss
    return bayes_rule({"first hits": Fraction(6, 10)}, {"first hits": 1}, evidence=hit)["first hits"]


def _coins(find: Find) -> object:
    from tallystick.teach.learn import bayes_rule

    after = bayes_rule(
        {"fair": Fraction(1, 2), "two heads": Fraction(1, 2)}, {"fair": Fraction(1, 2), "two heads": 1}
    )
    return after.predict({"fair": Fraction(1, 2), "two heads": 1})


RULE = Lesson(
    name="bayes-rule",
    title="Bayes' rule, four times",
    question="A test finds 98 of 100 who are ill and wrongly 3 of 100 who are well; 8 of 1,000 are "
    "ill. The test says ill. How probable is it? Guess before you read on.",
    tables=(),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03}))
            """,
            _disease,
        ),
        Typed(
            """
            from fractions import Fraction as F
            print(ts.bayes_rule({"flu": F(1, 40)}, {"flu": F(1, 2)}, evidence=F(1, 10))["flu"])
            """,
            _headache,
            "One in ten has a headache, one in forty the flu, and half of those a headache. You have a "
            "headache: how probable is the flu?",
        ),
        Typed(
            """
            print(ts.bayes_rule({"first hits": F(6, 10)}, {"first hits": 1}, evidence=F(8, 10))["first hits"])
            """,
            _shooters,
            "Two shooters hit with 0.6 and 0.5. The target is hit, which happens with 1 − 0.4 · 0.5 = "
            "0.8. Did the first one hit it?",
        ),
        Typed(
            """
            half = {"fair": F(1, 2), "two heads": F(1, 2)}
            head = {"fair": F(1, 2), "two heads": 1}
            print(ts.bayes_rule(half, head).predict(head))
            """,
            _coins,
            "One of two coins has heads on both sides. You take one, and it shows a head. How probable "
            "is a second head? (Of the fair coin it would be 1/2.)",
        ),
    ),
    notice=(
        "The test is right 98 times in 100, and yet P(ill | it says so) is 0.2085: nearly all who are "
        "tested are well, and 3 of 100 of those are many more than 98 of 100 of the few.",
        "With fractions in, fractions come out: 1/8, 3/4 and 5/6 are exact.",
        "The first head changes what is believed of the coin, from 1/2 to 2/3 for the false one, and "
        "so what is expected of the next throw: 2/3 · 1 + 1/3 · 1/2 = 5/6.",
    ),
    change="Test twice, the second test not depending on the first: the posterior of the first is the "
    "prior of the second. How probable is it to be ill when both say so?",
)

COUNTING = Lesson(
    name="counting",
    title="Naive Bayes by counting",
    question="Ten rows, four yes-or-no columns, and a class. Count in each class how often each column "
    "is 1. Which class would you say a row 0 0 1 1 has, and why? What if something was never "
    "seen?",
    tables=("ten-rows.csv",),
    steps=(
        Worked(
            "ten-rows.csv",
            "y",
            method="bayes",
            row={"f1": "0", "f2": "0", "f3": "1", "f4": "1"},
            settings=NO_PRIOR,
        ),
        Worked("ten-rows.csv", "y", only=("Node 0",), words="A tree on the same rows begins with f1:"),
    ),
    notice=(
        "R_j(1, 1) is 1/5, 1/5, 4/5, 2/5 and R_j(1, 0) is 5/5, 2/5, 1/5, 4/5: everything that naive "
        "Bayes learns.",
        "The product for class 1 is 0.2048. For class 0 it is 0, exactly: no row of class 0 has f1 = "
        "0, and one zero silences all that the other columns say.",
        "The Laplace correction counts every value once more: R_1(0, 0) is 1/7 instead of 0. Then it "
        "is 0.15618 against 0.01666, still class 1, but no longer beyond doubt.",
        "A column votes by the logarithm of its odds: the sign says for which class, the size how much.",
    ),
    change="Leave the correction on and take the shares of the classes into account. Does the answer change?",
    then="tally work ten-rows.csv --target y --model bayes --row f1=0 --row f2=0 --row f3=1 --row f4=1",
    picture=("shares", {"table": "ten-rows.csv", "target": "y"}),
    pictured="the R table, with the Laplace correction",
)

TWO_WAYS = Lesson(
    name="two-ways",
    title="Five rows, two methods",
    question="Five rows of three yes-or-no columns. Grow a tree and fill in the table of naive Bayes. "
    "Do they agree on 0 0 0 and on 0 1 1, two rows that nobody has seen?",
    tables=("five-rows.csv",),
    steps=(
        Worked(
            "five-rows.csv",
            "y",
            row={"A1": "0", "A2": "1", "A3": "1"},
            only=("The table", "Node 0", "Node 2", "The tree", "The expression", "A row"),
        ),
        Worked(
            "five-rows.csv",
            "y",
            method="bayes",
            row={"A1": "0", "A2": "0", "A3": "0"},
            settings=PLAIN,
            words="Naive Bayes, for 0 0 0:",
        ),
        Worked(
            "five-rows.csv",
            "y",
            method="bayes",
            row={"A1": "0", "A2": "1", "A3": "1"},
            settings=PLAIN,
            only=("The row",),
            words="And for 0 1 1:",
        ),
    ),
    notice=(
        "The gains are 0.1710, 0.4200 and 0.0200: A2 first, then A1. The tree says 0 to both rows.",
        "Without the correction class 1 has a zero in both products, 4/27 and 1/27 stand against it "
        "(4/45 and 1/45 with the prior).",
        "With it, 0 1 1 is a close call: 0.09375 against 0.064 speaks for 1, but class 0 has 3 rows of "
        "5, and with the prior it is 0.0375 against 0.0384: class 0. The prior can decide.",
    ),
    change="Leave the prior out. Which of the two rows changes its class?",
    then="tally work five-rows.csv --target y --model bayes --row A1=0 --row A2=1 --row A3=1 --set "
    "priors=none",
)

TENNIS_BAYES = Lesson(
    name="bayes",
    title="Naive Bayes: shall we play tennis?",
    question="Sunny, cool, humid, a strong wind. No day of the table is like that. What do the "
    "fourteen days say about it all the same?",
    tables=("play-tennis.csv",),
    steps=(
        Worked(
            "play-tennis.csv",
            "Play",
            method="bayes",
            row={"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"},
            settings=PLAIN,
        ),
    ),
    notice=(
        "Without correction Yes has 0.005291 and No 0.020571; together they must be 1, so P(No) is 0.7954.",
        "Each column is counted by itself, as if the others told nothing about it. That is naive, and "
        "it is why 14 rows are enough to say something of a day that was never seen.",
        "Overcast never occurs with No: 0 of 5. With a row that is overcast the whole product for No is 0.",
    ),
    change="Ask about an overcast day. What does the correction change?",
    then="tally work play-tennis.csv --target Play --model bayes --row Outlook=Overcast --row "
    "Temperature=Cool --row Humidity=High --row Wind=Strong",
    picture=("shares", {"table": "play-tennis.csv", "target": "Play"}),
    pictured="the R table of the fourteen days, with the Laplace correction",
)

M_ESTIMATE = Lesson(
    name="m-estimate",
    title="Enjoy sport, and the m-estimate",
    question="Five days. No day was sunny, with warm water and a forecast of change, neither one that "
    "was enjoyed nor one that was not. How can there be an answer? And how much should a "
    "count of nothing weigh?",
    tables=("enjoy-sport.csv", "sky.csv"),
    steps=(
        Worked(
            "enjoy-sport.csv",
            "Enjoy",
            method="bayes",
            row={"Sky": "Sunny", "Water": "Warm", "Forecast": "Change"},
            settings=PLAIN,
        ),
        Worked(
            "sky.csv",
            "Enjoy",
            method="bayes",
            row={"Sky": "Sunny"},
            settings=PLAIN,
            words="One column alone, which needs no assumption at all:",
        ),
    ),
    notice=(
        "Counted together both classes have 0 rows: joint counts know nothing. Counted column by "
        "column it is 0.1 for Yes and 0.088889 for No. That is what the assumption of independence "
        "buys.",
        "The m-estimate is (count + m·p) / (rows + m): m imagined rows with the share p. m = 0 is "
        "counting, m = k and p = 1/k for a column of k values is the Laplace correction.",
        "With the correction the answer turns: 0.0864 for No against 0.075 for Yes. Five rows do not say "
        "much, and how much is imagined decides.",
        "Sunny alone: 1/2 · 2/5 = 0.2 for Yes, 2/3 · 3/5 = 0.4 for No.",
    ),
    change="Imagine ten rows in every column. What happens to the answer, and why does it go towards "
    "the prior?",
    then="tally work enjoy-sport.csv --target Enjoy --model bayes --row Sky=Sunny --row Water=Warm "
    "--row Forecast=Change --set m=10",
)


def _long(find: Find) -> object:
    from tallystick.bayes.estimator import NaiveBayes

    model = NaiveBayes(kinds={"text": "text"}).fit(find("countries.csv"), "class")
    return model.predict_proba([{"text": "Tokyo Beijing Shanghai " * 2000}])[0].round(6).tolist()


WORDS = Lesson(
    name="words",
    title="Text by counting words",
    question="Four short texts, three about China, one about Japan. What is a text about that says "
    "Chinese three times, and Tokyo and Japan once each?",
    tables=("countries.csv",),
    steps=(
        Worked(
            "countries.csv",
            "class",
            method="bayes",
            row={"text": "Chinese Chinese Chinese Tokyo Japan"},
            settings={"kinds": {"text": "text"}},
        ),
        Worked(
            "countries.csv",
            "class",
            method="bayes",
            row={"text": "Japan Macao Macao"},
            settings={"kinds": {"text": "text"}},
            only=("The row",),
            words="And this one?",
        ),
        Typed(
            """
            import tallystick as ts
            model = ts.NaiveBayes(kinds={"text": "text"}).fit("countries.csv", "class")
            print(model.predict_proba([{"text": "Tokyo Beijing Shanghai " * 2000}])[0].round(6).tolist())
            """,
            _long,
            "A text of 6,000 words, whose product is less than any number a computer has:",
        ),
    ),
    notice=(
        "P(Chinese | c) is 6/14 and P(Chinese | j) 2/9: the word is frequent in both, and three of "
        "them still win against one Tokyo and one Japan, 0.00030121 against 0.00013548: c with 0.6898.",
        "The second text is c too, 0.6145: Macao was never seen with j, but with one more of "
        "everything its share there is 1/9, not 0.",
        "The words of a text are multiplied as if they came by themselves. Products of a thousand "
        "shares are 0 to a computer: it adds logarithms.",
    ),
    change="Leave one Chinese out of the first text. Is it still about China?",
    then="tally work countries.csv --target class --model bayes --kind text=text --row 'text=Chinese "
    "Chinese Tokyo Japan'",
)


def _same_shares(find: Find) -> object:
    from tallystick.bayes.estimator import NaiveBayes

    model = NaiveBayes(distributions="gaussian", share="classes").fit(find("fish.csv"), "fish")
    return model.to_logistic()


GAUSSIAN = Lesson(
    name="gaussian",
    title="Numbers: Gaussian naive Bayes, and the line inside it",
    question="Ten fish, how long and how heavy. A length of 65 was never measured, so there is nothing "
    "to count. How can naive Bayes answer? And what does its border look like?",
    tables=("fish.csv",),
    steps=(
        Worked("fish.csv", "fish", method="bayes-gaussian", row={"length": "65", "weight": "27"}),
        Typed(
            """
            import tallystick as ts
            model = ts.NaiveBayes(distributions="gaussian", share="classes").fit("fish.csv", "fish")
            print(model.to_logistic())
            """,
            _same_shares,
            "With one variance for both classes the squares cancel, and what is left is a logistic "
            "regression:",
        ),
    ),
    notice=(
        "Two numbers a class and column, mean and variance, stand for all lengths there can be: 4n + 1 "
        "numbers for n columns. With a variance that the classes share it is 3n + 1, in the form of a "
        "logistic regression n + 1.",
        "Variances that differ bend the border (a parabola, an ellipse); a shared one makes it straight.",
        "The logistic form gives the same probabilities to the last digit. Logistic regression itself "
        "would choose other weights: it does not ask how the lengths are distributed.",
    ),
    change="Let both classes share a variance in the working too.",
    then="tally work fish.csv --target fish --model bayes-gaussian-shared --row length=65 --row weight=27",
    picture=(
        "regions",
        {
            "table": "fish.csv",
            "target": "fish",
            "methods": ("bayes-gaussian", "bayes-gaussian-shared", "logistic"),
        },
    ),
    pictured="a bent border, a straight one, and that of logistic regression",
)

BAYES = (RULE, COUNTING, TWO_WAYS, TENNIS_BAYES, M_ESTIMATE, WORDS, GAUSSIAN)


# Lessons on methods side by side: logistic regression, averaging, votes, curves, text, independence.
#
# Data only; how a lesson is told: `telling.py`.


def _solvers(find: Find) -> str:
    from tallystick.linear.estimator import LogisticRegression

    lines = []
    for solver in ("gradient", "conjugate-gradient", "newton"):
        model = LogisticRegression(l2=0, solver=solver).fit(find("hours.csv"), "passed")
        lines.append(f"{solver} {model.intercept_[0]:.6f} {model.coef_[0, 0]:.6f}")
    return "\n".join(lines)


def _separable(find: Find) -> object:
    from tallystick.linear.separation import separable

    rows = [{"hours": h, "passed": h > 2} for h in range(5)]
    return separable(rows, "passed")


LOGISTIC = Lesson(
    name="logistic",
    title="Logistic regression: climbing to the likelihood's top",
    question="Ten students, how many hours each studied, and who passed. What is the probability of "
    "passing after two hours? Nobody can count it: only one student studied two hours.",
    tables=("hours.csv",),
    steps=(
        Worked("hours.csv", "passed", method="logistic-ml", row={"hours": "2"}),
        Typed(
            """
            import tallystick as ts
            for solver in ("gradient", "conjugate-gradient", "newton"):
                model = ts.LogisticRegression(l2=0, solver=solver).fit("hours.csv", "passed")
                print(f"{solver} {model.intercept_[0]:.6f} {model.coef_[0, 0]:.6f}")
            """,
            _solvers,
            "Three ways up the same hill:",
        ),
        Typed(
            """
            print(ts.separable([{"hours": h, "passed": h > 2} for h in range(5)], "passed"))
            """,
            _separable,
            "If everybody below some hour failed and everybody above it passed, there is no top:",
        ),
    ),
    notice=(
        "The score is a straight line, w0 + w·hours; the probability is that line bent into an S.",
        "The gradient is a sum over the rows of what was missed, y − P(1 | x), times x. At the top all of it "
        "cancels out.",
        "The log-likelihood has one top, so every way up ends in the same place: gradient ascent in "
        "many small steps, conjugate gradients in fewer, Newton's in a handful.",
        "Classes that a line separates have no best weights: the steeper the S, the likelier the rows, "
        "without an end. That is said, and a prior (λ = 1/κ², on all weights but w0) gives an end.",
        "n + 1 numbers for n columns and two classes; for more classes as many for each of them but "
        "the last.",
    ),
    change="Add a prior. What happens to the weight, and to the probability of passing after two hours?",
    then="tally fit hours.csv --target passed --model logistic --set l2=1 --folds 0",
    picture=("likelihood", {"table": "hours.csv", "target": "passed"}),
    pictured="the likelihood over the two weights, and the steps of gradient ascent",
)

DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def _averaged(find: Find) -> object:
    from tallystick.tree.estimator import DecisionTree

    tree = DecisionTree(level_splits="each").fit(find("play-tennis.csv"), "Play")
    return all_prunings(tree, DAY, "No")


OPTIMAL_BAYES = Lesson(
    name="optimal-bayes",
    title="The most probable answer is not that of the most probable tree",
    question="Fourteen days do not prove any one tree. Instead of choosing one, ask all prunings of "
    "the grown tree, each weighted by how probable the rows make it. What do they say "
    "together?",
    tables=("play-tennis.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            from tallystick.teach.lessons import all_prunings
            tree = ts.DecisionTree(level_splits="each").fit("play-tennis.csv", "Play")
            day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
            print(all_prunings(tree, day, "No"))
            """,
            _averaged,
        ),
    ),
    notice=(
        "A pruning's probability is its prior times its evidence, over the sum of all: Bayes' rule, "
        "with trees for hypotheses.",
        "The answer is the sum over prunings of probability times share, and no single pruning gives it.",
        "There may be more prunings than atoms in the universe. A recursion that weighs each node "
        "against the leaf that would replace it finds the same sum in one pass: the two last lines "
        "agree.",
    ),
    change="Print the tree. It shows the most probable pruning, and says how probable that is.",
    then="tally fit play-tennis.csv --target Play --model tree --set level_splits=each",
)


def _complete(find: Find) -> str:
    from tallystick.bayes.estimator import NaiveBayes

    with open(find("votes.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "?" not in row.values()]
    return f"{len(rows)}\n{NaiveBayes().fit(rows, 'party').votes('republican')}"


def _judged(find: Find) -> str:
    from tallystick.bayes.estimator import NaiveBayes
    from tallystick.judge.crossval import cross_validate
    from tallystick.tree.estimator import DecisionTree

    models = DecisionTree(min_samples_split=20), NaiveBayes()
    judged = [(model, cross_validate(model, find("votes.csv"), "party")) for model in models]
    return "\n".join(f"{model} {found.accuracy:.2f}" for model, found in judged)


VOTES = Lesson(
    name="votes",
    title="Sixteen votes, two parties",
    question="How 435 members of the House voted on sixteen bills in 1984. Can their party be told "
    "from the votes? Which bill tells it best? 392 votes are missing.",
    tables=("votes.csv",),
    steps=(
        Worked(
            "votes.csv",
            "party",
            only=("All columns",),
            settings={"min_samples_split": 20},
            words="A table of this size is worked out at its root. What every bill tells about the party:",
        ),
        Typed(
            """
            import csv, pathlib, tallystick as ts
            lines = pathlib.Path("votes.csv").read_text().splitlines()
            rows = [row for row in csv.DictReader(lines) if "?" not in row.values()]
            print(len(rows), ts.NaiveBayes().fit(rows, "party").votes("republican"), sep="\\n")
            """,
            _complete,
            "How much a yes speaks for a republican, in log-odds, counted on the rows that miss no vote:",
        ),
        Typed(
            """
            for model in (ts.DecisionTree(min_samples_split=20), ts.NaiveBayes()):
                print(f"{model} {ts.cross_validate(model, 'votes.csv', 'party').accuracy:.2f}")
            """,
            _judged,
            "Ten folds, each answered by a model that has not seen it:",
        ),
    ),
    notice=(
        "One bill, physician-fee-freeze, speaks with +6.82 for a yes: e^6.82 is odds of 900 to 1. A "
        "tree of that one question is right in about 95 of 100 cases.",
        "Naive Bayes uses all sixteen and is right in about 90: the votes hang together within a party "
        "too, and the same evidence is counted many times.",
        "Two bills, immigration (+0.17) and water-project-cost-sharing (+0.08), tell nothing.",
    ),
    change="Let a tree grow until nothing is left to split. Does it do better on rows it has not seen?",
    then="tally draw overfitting votes.csv --target party",
    picture=("overfitting", {"table": "votes.csv", "target": "party"}),
    pictured="errors of every pruning of the full tree",
)


def _curve(find: Find) -> object:
    from tallystick.judge.api import learning_curve

    return learning_curve(
        find("votes.csv"), "party", methods=["bayes", "logistic-ml"], sizes=[10, 20, 50, 100, 200], repeats=20
    )


def independent_rows() -> list[dict[str, int]]:
    """Return rows whose columns tell nothing of each other once the class is known: each is the class in 3
    of 4 rows, every combination as often as that says.
    """
    rows = []
    for y in (0, 1):
        for code in range(64):
            bits = [code >> (2 * k) & 3 for k in range(3)]  # 0 of four: the column is wrong
            rows.append({f"x{k + 1}": y if b else 1 - y for k, b in enumerate(bits)} | {"y": y})
    return rows


def _meeting(find: Find) -> object:
    from tallystick.judge.api import learning_curve

    return learning_curve(
        independent_rows() * 20, "y", methods=["bayes", "logistic-ml"], sizes=[30, 1600], repeats=20
    )


GENERATIVE = Lesson(
    name="generative",
    title="Generative against discriminative",
    question="Naive Bayes learns how each class looks; logistic regression learns only where one ends "
    "and the other begins. Which needs fewer rows? Which is better in the end?",
    tables=("votes.csv", "iris.csv"),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.learning_curve("votes.csv", "party", methods=["bayes", "logistic-ml"],
                                    sizes=[10, 20, 50, 100, 200], repeats=20))
            """,
            _curve,
        ),
        Typed(
            """
            from tallystick.teach.lessons import independent_rows
            print(ts.learning_curve(independent_rows() * 20, "y", methods=["bayes", "logistic-ml"],
                                    sizes=[30, 1600], repeats=20))
            """,
            _meeting,
            "The same on a table where the naive assumption holds: each column is the class in 3 of 4 "
            "rows, whatever the others are.",
        ),
    ),
    notice=(
        "On the votes logistic regression ends lower: they depend on each other, and it need not "
        "assume that they do not.",
        "The two curves cross on Pima diabetes, 768 rows of eight numbers, one of Ng and Jordan's tables. "
        "Their naive Bayes is Gaussian, with one variance of a column for all classes "
        "(bayes-gaussian-shared). Its error against that of logistic regression: on 10 rows 0.3252 ± 0.0038 "
        "against 0.3528 ± 0.0045, on 512 rows 0.2488 ± 0.0014 against 0.2292 ± 0.0015 (two standard errors; "
        "1,000 random splits).",
        "Where the assumption holds the two meet: both end at the error that nobody can go below, 10 of 64.",
        "Ng and Jordan (2002) found naive Bayes near its own floor with O(log n) rows and logistic "
        "regression with O(n), n columns. The gallery draws this for their fifteen tables, and says "
        "for which of them it shows.",
    ),
    change="Draw the curves of a table of your own.",
    then="tally curve iris.csv --target species --method bayes-gaussian-shared --method logistic "
    "--sizes 10,20,50,100 --picture curve.svg",
)


def _topics(find: Find) -> str:
    from tallystick.bayes.estimator import NaiveBayes
    from tallystick.judge.crossval import cross_validate

    out = []
    for alpha in (1.0, 0.1):
        model = NaiveBayes(alpha=alpha, kinds={"text": "text"})
        out.append(
            f"alpha {alpha} {cross_validate(model, find('sentences.csv'), 'topic', folds=8).accuracy:.2f}"
        )
    return "\n".join(out)


TEXT = Lesson(
    name="text",
    title="Text at size: what is published, and a small table",
    question="Twenty newsgroups, 20,000 messages, chance is 0.05. How far does counting words go? The "
    "messages are too many to come with the package; 24 sentences on three topics show the "
    "way.",
    tables=("sentences.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            for alpha in (1.0, 0.1):
                model = ts.NaiveBayes(alpha=alpha, kinds={"text": "text"})
                found = ts.cross_validate(model, "sentences.csv", "topic", folds=8)
                print(f"alpha {alpha} {found.accuracy:.2f}")
            """,
            _topics,
        ),
    ),
    notice=(
        "24 sentences of eight words are few; chance is 0.33, and counted words are far beyond it.",
        "On the 19,997 messages with their Subject, From, Organization, Lines and body, 2/3 for "
        "training: 0.8149 with the Laplace correction, 0.8510 with a smaller one (m·p = 0.01), 0.8642 with "
        "the words of the other classes (complement). Published in 1996, with another preparation: "
        "0.89.",
        "Split by date, as news comes, it is harder: 0.7711 on counts, 0.8217 with complement. "
        "The gallery runs it.",
        "A reader wants the best first. Of all articles 16 % were interesting to one reader, of the "
        "tenth with the highest scores 59 %: an order can be useful where an answer is not.",
    ),
    change="Which words speak for a topic?",
    then="tally fit sentences.csv --target topic --model bayes --kind text=text --folds 0",
)


def balls() -> list[dict[str, str]]:
    """Return 49 balls of two urns, Y: of the 36 of the first 1/3 are red and 1/2 striped, whatever their
    colour; of the 13 of the second 4 are red and none is striped.
    """
    counts = {("1", 1, 1): 6, ("1", 1, 0): 6, ("1", 0, 1): 12, ("1", 0, 0): 12}
    counts |= {("2", 1, 0): 4, ("2", 0, 0): 9}
    return [
        {"R": "yes" if r else "no", "B": "yes" if b else "no", "Y": y}
        for (y, r, b), n in counts.items()
        for _ in range(n)
    ]


def _balls(find: Find) -> str:
    from tallystick.teach.learn import independent

    return f"{independent(balls(), 'R', 'B')}\n\n{independent(balls(), 'R', 'B', given='Y')}"


def _square(find: Find) -> object:
    from tallystick.teach.learn import independent

    return independent(find("squares.csv"), "X", "Y")


INDEPENDENCE = Lesson(
    name="independence",
    title="Independent is more than uncorrelated",
    question="Y is the square of X, on −3 to 3. Are they correlated? Does one tell about the other? "
    "And when are two events independent only if a third is known?",
    tables=("squares.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.learn.independent("squares.csv", "X", "Y"))
            """,
            _square,
        ),
        Worked(
            "squares.csv",
            "Y",
            settings={"kinds": {"X": "levels"}},
            only=("The table", "Node 0"),
            words="And what X tells about Y, in bits:",
        ),
        Typed(
            """
            from tallystick.teach.lessons import balls
            print(ts.learn.independent(balls(), "R", "B"), "",
                  ts.learn.independent(balls(), "R", "B", given="Y"), sep="\\n")
            """,
            _balls,
            "49 balls, red (R) or not, with a blue stripe (B) or not, from two urns (Y). Are R and B "
            "independent? Are they where the urn is known?",
        ),
    ),
    notice=(
        "The correlation is 0, and what X and Y tell about each other is all there is, 1.9502 bits, the "
        "gain of X: X says everything about Y, but not in a straight line. Correlation sees straight lines "
        "only.",
        "6/49 is not 288/2401: R and B are not independent. Given Y they are, 1/6 = 1/3 · 1/2. Naive Bayes "
        "asks for the second, independence given the class, not for the first.",
        "P(R or B) = 16/49 + 18/49 − 6/49 = 4/7: what is in both is counted once.",
    ),
    change="Ask which votes of 1984 depend on each other although the party is known.",
    then="tally compare votes.csv --target party --method bayes --no-tuning",
)

METHODS = (LOGISTIC, OPTIMAL_BAYES, VOTES, GENERATIVE, TEXT, INDEPENDENCE)


# Lessons on decision trees: entropy, gain, ID3, cuts, and what a greedy choice does not see.
#
# Data only; how a lesson is told: `telling.py`.


def _optimal(find: Find) -> str:
    from tallystick.tree.estimator import DecisionTree

    greedy = DecisionTree.id3().fit(find("eight-rows.csv"), "y")
    best = DecisionTree.optimal(max_depth=2).fit(find("eight-rows.csv"), "y")
    return f"{greedy.get_n_leaves()} {best.get_n_leaves()}"


def _products(find: Find) -> str:
    from tallystick.linear.estimator import LogisticRegression

    models = [LogisticRegression(l2=0.01, interactions=n).fit(find("xor.csv"), "y") for n in (1, 2)]
    return "\n".join(f"{n} {model.score(find('xor.csv'))}" for n, model in enumerate(models, 1))


TENNIS = Lesson(
    name="id3",
    title="ID3: shall we play tennis?",
    question="Fourteen days, four things known of each, and whether tennis was played. Which question "
    "about a day should be asked first, so that the answer leaves the least doubt? And then?",
    tables=("play-tennis.csv",),
    steps=(
        Worked(
            "play-tennis.csv",
            "Play",
            row={"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"},
            only=("The table", "Node 0", "Node 1", "Node 2", "The tree", "The rules", "A row"),
        ),
    ),
    notice=(
        "Doubt is measured in bits: with 5 No and 9 Yes it is 0.9403, not far from the most there can be, 1.",
        "Outlook wins, 0.2467 bits, because Overcast leaves no doubt at all. Temperature would have "
        "told next to nothing: 0.0292.",
        "The same sum is done again in every branch, with the rows that are there: after Rain it is "
        "Wind that leaves no doubt, after Sunny it is Humidity.",
        "Temperature is in no rule. A tree of 5 leaves answers all 14 days; that it would answer new days so "
        "well, nobody has shown.",
    ),
    change="C4.5 divides the gain by the entropy of the split itself. Does another column win at the root?",
    then="tally work play-tennis.csv --target Play --model c45",
    picture=("entropy", {"share": 9 / 14}),
    pictured="the entropy of two classes; 9 of 14 are Yes",
)

HOUSEHOLDS = Lesson(
    name="households",
    title="A survey of households: rules from a tree",
    question="A letter went to fourteen households. Who answers? Grow the tree by hand, and then write "
    "it as rules that a colleague can use without it.",
    tables=("household-survey.csv",),
    steps=(
        Worked(
            "household-survey.csv",
            "Outcome",
            only=("The table", "Node 0", "Node 2", "Node 5", "The tree", "The rules", "The expression"),
        ),
    ),
    notice=(
        "The class counts are those of the tennis table, 5 and 9, so the entropy is the same: it knows "
        "shares, not what they are shares of.",
        "District gains 0.2467, Income 0.1518, House type 0.0500, Previous customer 0.0481. In the Suburban "
        "branch Income gains 0.9710, all the doubt there is; in the Urban branch Previous customer does.",
        "A way from the root to a leaf is a rule; all ways to one answer, joined by or, are its expression.",
    ),
    change="Would you trust the rule for Urban households? Ask how the tree answers rows that it was "
    "not grown from: the score below the tree is from rows left out.",
    then="tally fit household-survey.csv --target Outcome --model id3",
)

THRESHOLD = Lesson(
    name="threshold",
    title="Choosing a threshold",
    question="Six temperatures and a class. A number can be cut anywhere: how many cuts must be looked "
    "at, and which is the best?",
    tables=("temperatures.csv",),
    steps=(Worked("temperatures.csv", "class", only=("The table", "Node 0", "The tree", "The expression")),),
    notice=(
        "Between two neighbouring values every cut parts the rows alike. Five cuts matter, at the midpoints.",
        "The cut at 54 gains 0.4591, the cut at 85 gains 0.1909. Both lie where the class changes: the best "
        "cut always does.",
        "A row goes left where the value is less than the cut, right where it is the cut or more.",
        "The tree uses the same column twice: below 54 and from 85 on it is N.",
    ),
    change="Turn the N of 90 into a Y in your copy of the table. Which cut is left, and how deep is "
    "the tree?",
    then="tally lesson threshold --tables .",
)

CHOICE = Lesson(
    name="choice",
    title="Which of two columns first?",
    question="Six rows, two columns of true and false. Which is asked first? Then two rows more come in. Is "
    "the answer still right?",
    tables=("two-booleans.csv", "two-booleans-more.csv"),
    steps=(
        Worked("two-booleans.csv", "Y", only=("The table", "Node 0")),
        Worked("two-booleans-more.csv", "Y", only=("Node 0",), words="With the rows FTF and FFF:"),
    ),
    notice=(
        "Six rows: X1 gains 0.3167, X2 gains 0.1909. Whoever looks at the errors alone sees no difference: "
        "either column leaves one row wrong.",
        "Eight rows: the entropy rises to 0.9544, X1 gains 0.5488, X2 only 0.0488.",
        "Gain is about all rows together. A pure branch of many rows is worth more than a pure one of few.",
    ),
    change="CART measures doubt by Gini's index. Does it choose the same column?",
    then="tally work two-booleans-more.csv --target Y --model cart --set min_samples_split=2 --set "
    "min_samples_leaf=1",
)

CENSUS = Lesson(
    name="census",
    title="Information gain on a real census",
    question="Of 48,842 people in a census it is known who earns more than 50,000 a year. How much "
    "does their sex tell about it, in bits?",
    tables=("census-sex.csv.gz",),
    steps=(Worked("census-sex.csv.gz", "income", only=("Node 0",)),),
    notice=(
        "H(income) is 0.7938 bits; among the women 0.4977, among the men 0.8858, on average 0.7572.",
        "The gain is 0.0367 bits, a twentieth of the doubt: little for a prediction, though 11 % of the "
        "women and 30 % of the men earn so much. A small gain is not a small difference.",
        "The working is the same for 14 rows and for 48,842: only the counts differ.",
    ),
    change="Ask every column of a table of your own for its gain at once.",
    then="tally describe play-tennis.csv --target Play",
)

MANY = Lesson(
    name="many-values",
    title="Columns with many values, and why gain is divided",
    question="Every day of the tennis table came in a batch, a letter from a to g. Batch has nothing "
    "to do with tennis. What does it gain? And the number of the day?",
    tables=("tennis-batches.csv", "tennis-days.csv"),
    steps=(
        Worked("tennis-batches.csv", "Play", only=("The table", "Node 0")),
        Worked(
            "tennis-days.csv",
            "Play",
            settings={"columns": Columns(keep=["Day"])},
            only=("Node 0",),
            words="Now a column that is different in every row:",
        ),
        Worked(
            "tennis-days.csv",
            "Play",
            method="c45",
            settings={"columns": Columns(keep=["Day"])},
            only=("Node 0", "The tree"),
            words="C4.5 asks besides that two branches hold two rows each:",
        ),
    ),
    notice=(
        "Batch gains 0.3078, more than Outlook with 0.2467. Many small branches are purer by chance alone.",
        "The gain ratio divides by the entropy of the split: Batch falls to 0.1207, Outlook has 0.1564 "
        "and wins.",
        "Against a column that is unique the ratio does not help: Day gains 0.9403, all there is, and its "
        "ratio 0.2470 is still the largest. C4.5 leaves it out since no two of its branches hold two rows.",
        "A first column that names the rows is left out as an identifier, with a note; --keep Day uses it.",
    ),
    change="Look at the tree that ID3 grows from the days. It answers all 14 rows. What does it answer "
    "on day 15?",
    then="tally fit tennis-days.csv --target Play --keep Day --model id3",
)

EXPRESSION = Lesson(
    name="expression",
    title="Trees as expressions, and what greed costs",
    question="Every Boolean function can be said by a tree. Does ID3 find the function? Does it find "
    "the smallest tree that says it?",
    tables=("sixteen-rows.csv", "eight-rows.csv"),
    steps=(
        Worked(
            "sixteen-rows.csv",
            "y",
            row={"f1": "0", "f2": "1", "f3": "1", "f4": "0"},
            only=("All columns", "The tree", "The expression", "A row"),
            words="Sixteen rows whose class is ¬f3∧f2 ∨ f3∧f1∧¬f2:",
        ),
        Worked(
            "eight-rows.csv",
            "y",
            only=("Node 0", "The tree"),
            words="Eight rows of A∧B ∨ ¬A∧C. A alone gains nothing, so the greedy tree does not begin "
            "with it:",
        ),
        Typed(
            """
            import tallystick as ts
            greedy = ts.DecisionTree.id3().fit("eight-rows.csv", "y")
            best = ts.DecisionTree.optimal(max_depth=2).fit("eight-rows.csv", "y")
            print(greedy.get_n_leaves(), best.get_n_leaves())
            """,
            _optimal,
            "The leaves of the greedy tree, and of the smallest one, which begins with A:",
        ),
    ),
    notice=(
        "The tree says the function in its own words: the expression need not look like the one that "
        "made the rows to be the same. The row 0110 is answered 0 by both.",
        "The gains of A, B and C are 0, 0.1887 and 0.1887. Greed takes B, and needs 6 leaves where 4 "
        "are enough: it looks one question ahead, and A is worth its while only with the next one.",
    ),
    change="Print the smallest tree. Its certificate says that none of its depth makes fewer errors.",
    then="tally fit eight-rows.csv --target y --model optimal --set max_depth=2 --folds 0",
)

BITS = Lesson(
    name="bits",
    title="What a bit is, and why branches are weighted",
    question="Half of all letters are a, a quarter b, an eighth each c and d. How many questions does "
    "it take, on average, to name one? And is a branch of one row as good as one of two "
    "hundred?",
    tables=("four-letters.csv", "one-against-many.csv"),
    steps=(
        Worked("four-letters.csv", "letter", only=("The table", "Node 0", "The tree")),
        Worked(
            "one-against-many.csv",
            "class",
            only=("Node 0", "The tree"),
            words="One row in one branch, 100 of each class in the other:",
        ),
    ),
    notice=(
        "The entropy of (1/2, 1/4, 1/8, 1/8) is 1.7500 bits: a is named by one question, b by two, c "
        "and d by three, and 1/2 · 1 + 1/4 · 2 + 1/8 · 3 + 1/8 · 3 = 1.75. Four equal letters would "
        "take 2.",
        "The plain mean of the entropies 1 and 0 would be 0.5; weighted by their rows it is 0.9950. "
        "One pure row proves next to nothing, and the weights say so.",
        "The branch of 100 and 100 is a tie: its answer is the first class, in the order of their names.",
    ),
    change="Give every letter two rows in your copy of the table, and look at the entropy again.",
    then="tally lesson bits --tables .",
    picture=("entropy", {}),
    pictured="doubt about one of two classes: most at equal shares, none at 0 and 1",
)

XOR = Lesson(
    name="xor",
    title="Exclusive or: when no column tells anything alone",
    question="y is 1 where just one of a and b is. What does each column gain? What can a tree, naive "
    "Bayes and logistic regression do with it?",
    tables=("xor.csv", "six-rows.csv"),
    steps=(
        Worked("xor.csv", "y"),
        Worked(
            "six-rows.csv",
            "y",
            only=("Node 0",),
            words="The same with six rows, four of them alike in pairs:",
        ),
        Worked(
            "six-rows.csv",
            "y",
            method="bayes",
            row={"a": "0", "b": "1"},
            only=("Column", "The row"),
            words="Naive Bayes on the six rows:",
        ),
        Typed(
            """
            import tallystick as ts
            for degree in (1, 2):
                model = ts.LogisticRegression(l2=0.01, interactions=degree).fit("xor.csv", "y")
                print(degree, model.score("xor.csv"))
            """,
            _products,
            "Logistic regression, how many of the four rows it has right: alone, and with the product a × b:",
        ),
    ),
    notice=(
        "Both gains are 0: knowing a alone, or b alone, leaves all the doubt there was.",
        "A tree that stops at zero gain is a single leaf. One that goes on splits on a for no reason "
        "that it can see, and then b answers everything: 4 leaves, 4 of 4 rows right.",
        "Naive Bayes counts each column by itself: every share is 1/2, there is nothing to choose by. "
        "Logistic regression draws one straight line, and no line parts these rows; with the product a "
        "× b it does.",
    ),
    change="Give logistic regression the product of the two columns.",
    then="tally fit xor.csv --target y --model logistic --set interactions=2 --folds 0",
    picture=("regions", {"table": "xor.csv", "target": "y", "methods": ("id3", "bayes", "logistic")}),
    pictured="what three methods answer on the four rows",
)

TREES = (TENNIS, HOUSEHOLDS, THRESHOLD, XOR, CHOICE, BITS, CENSUS, MANY, EXPRESSION)


# All lessons, in the order of a course, and how one is asked for by name.
#
# Knows the lessons. Knows nothing of how they are told.


LESSONS = {one.name: one for one in (*TREES, *BAYES, *METHODS)}


@dataclass(frozen=True)
class LessonList:
    """The lessons, a line each."""

    lessons: tuple[Lesson, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return names, titles and tables as plain data."""
        return {
            "lessons": [{"name": x.name, "tables": list(x.tables), "title": x.title} for x in self.lessons]
        }

    def __str__(self) -> str:
        rows = [[Span(x.name, "strong"), Span(x.title)] for x in self.lessons]
        return plain(table(["lesson", "about"], rows, frozenset(), 10_000))

    __repr__ = __str__


@overload
def lesson(name: str) -> Lesson: ...


@overload
def lesson(name: None = None) -> LessonList: ...


def lesson(name: str | None = None) -> Lesson | LessonList:
    """Return a lesson: a question, the working that answers it, what to notice, one thing to change and try.

    Parameters
    ----------
    name : str, default None
        Which one; None lists them all.

    Returns
    -------
    Lesson or LessonList
        Prints as text, shows in a notebook; `markdown()` gives a page, `drawn()` its picture.

    Examples
    --------
    >>> import tallystick as ts
    >>> print(ts.lesson("bayes-rule").title)
    Bayes' rule, four times
    """
    if name is None:
        return LessonList(tuple(LESSONS.values()))
    if not isinstance(name, str) or name not in LESSONS:
        close = nearest(name, list(LESSONS)) if isinstance(name, str) else ""
        raise OptionError(f"there is no lesson {shown(name)}.{close} `tally lesson` lists them.")
    return LESSONS[name]
