"""tally card: a model's card for the file of a regulator."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tallystick.cli import options
from tallystick.cli.fit import decisions, wished
from tallystick.cli.options import as_flags, checks_as_flags, notes_as_flags, says_number
from tallystick.draw.svg import Line, Span, Style, cut, wrapped
from tallystick.errors import OptionError, clean, page_limit
from tallystick.export.sql_dialects import DIALECTS
from tallystick.export.targets import CARD_FORMATS, RULE_FORMATS, TARGETS
from tallystick.methods import COMPARED, variant

if TYPE_CHECKING:
    from tallystick.export.diff import Difference


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option("--on", metavar="FILE", type=click.Path(), help="Rows with the target, to judge the model by.")
@options.by
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True,
              help="Folds, where FILE has the training rows.")  # fmt: skip
@click.option("--output", "-o", type=click.Path(), help="Write to a file (.md or .json) instead of printing.")
@options.memory
@options.reading
@options.common
def card(
    model: str, on: str | None, by: tuple[str, ...], output: str | None, as_json: bool, **given: Any
) -> None:
    """Print what MODEL was learnt from, how, how well it does, its limits, and how to verify it.

    Markdown, or JSON with --json or -o NAME.json. With --on FILE it has scores: of the training rows by
    cross-validation, of other rows as the model answers them. A card is not a scorecard, which is a model.
    """
    import tallystick as ts
    from tallystick.model.file import save

    options.keep_apart([model, *([on] if on else [])], {"-o": output})
    source = None if on is None else options.source(on, given)
    with options.progress("judging"):
        estimator: Any = ts.load(model)
        estimator.memory = given["memory"]
        found = estimator.card(source, by=by, folds=given["folds"])
    if output is not None:
        text = found.to_json() if output.endswith(".json") else found.to_markdown()
        save(output, text.encode(), "card")
        print(options.cleaned(f"saved {output}"))
    elif as_json:
        options.show_json(found.to_dict())
    else:
        print(options.cleaned(found.to_markdown()), end="")


# tally describe: what the columns are taken for, and every warning.


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--target", "-t", help="The column to be predicted: adds information gain, gain ratio and best cut."
)
@click.option(
    "--against",
    metavar="MODEL",
    type=click.Path(),
    help="Say what changed in each column since this model was fitted.",
)
@click.option(
    "--fail-on-change",
    is_flag=True,
    help="With --against: exit code 1 where a column or the answers changed.",
)
@options.picture
@options.columns
@options.reading
@options.common
def describe(data: str, target: str | None, against: str | None, as_json: bool, **given: Any) -> None:
    """Say what the columns of FILE are taken for and why, what lies in them, and what they tell of a target.

    FILE: CSV and similar (also gzipped), Parquet, JSON lines, a pattern such as 'part-*.csv', or an SQL query
    such as "SELECT * FROM 'votes.csv'".
    """
    import tallystick as ts

    fail = given.pop("fail_on_change")
    if fail and against is None:
        raise OptionError("--fail-on-change needs something to compare with. Add --against MODEL.")
    options.keep_apart([data, *([against] if against else [])], {"--picture": given["picture"]})
    model = None if against is None else ts.load(against)
    source, wishes = options.source(data, given), options.column_parameters(given)
    with options.progress("reading") as progress:
        found = ts.describe(source, target, progress=progress, against=model, **wishes)
    options.save_picture(given["picture"], found.picture)
    if as_json:
        options.show_json(found.to_dict())
    elif found.changes is not None:
        from tallystick.description import changes as show_changes

        options.show(show_changes.page(found.changes, options.cells()))
    else:
        from tallystick.description.text import page

        columns = tuple(
            replace(c, why=as_flags(c.why)) for c in found.columns
        )  # cures as they are typed here
        found = replace(found, columns=columns, notes=notes_as_flags(found.notes))
        options.show(page(found, options.cells()))
    if fail and found.changes:
        sys.exit(1)


# tally export: a saved model in another language.


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--to", "target", type=click.Choice(tuple(TARGETS)), required=True, help="The language to export to."
)
@click.option("--output", "-o", help="Write to a file instead of printing; - is the standard output.")
@click.option(
    "--format",
    type=click.Choice(tuple(dict.fromkeys((*RULE_FORMATS, *CARD_FORMATS)))),
    help=f"Format of rules: {', '.join(RULE_FORMATS)}; of a card: {', '.join(CARD_FORMATS)}.",
)
@click.option("--dialect", type=click.Choice(tuple(DIALECTS)), help="Dialect of SQL; duckdb if not given.")
@click.option("--table", metavar="NAME", help="SQL only: the table with the rows; data if not given.")
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="SQL only: a column to carry along, such as a key; the model's columns if not given.",
)
@click.option(
    "--unseen/--no-unseen",
    default=None,
    help="SQL only: whether the last column counts the row's unseen levels; it does if not given.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1, 50),
    metavar="N",
    help="SQL of a scorecard only: add N columns with what cost the row most points, in words.",
)
@click.option("--name", metavar="NAME", help="C only: what its names begin with; model if not given.")
@options.common
def export(model: str, target: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Write a saved MODEL in another language: the same answers without Tallystick.

    What a target cannot say is refused with its reason; docs/export.md has the table.
    """
    import tallystick as ts

    options.keep_apart([model], {"-o": output})
    wanted = {name: value for name, value in given.items() if value not in (None, ())}
    content = ts.load(model).export(target, **wanted)
    data = content.encode() if isinstance(content, str) else content
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        coded = {"text": content} if isinstance(content, str) else {"base64": base64.b64encode(data).decode()}
        options.show_json({"to": target, "bytes": len(data), **coded})
    elif output is not None and output != "-":
        from tallystick.model.file import save

        save(output, data, "export")
        options.say(f"saved {options.cleaned(output)}: {target}, {len(data):,} bytes")
    elif isinstance(content, str):
        # in SQL a name stands as it is; a terminal gets it escaped
        sys.stdout.write(options.cleaned(content) if options.is_terminal(sys.stdout) else content)
    elif options.is_terminal(sys.stdout):
        raise OptionError(f"{target} is bytes, which a terminal cannot show. Give -o FILE.")
    else:
        sys.stdout.buffer.write(content)


# tally compare, tally curve: how good methods are on rows they have not seen.


_target = click.option("--target", "-t", required=True, help="The column to be predicted.")


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Number of folds.")
@click.option("--groups", metavar="COLUMN", help="Rows with equal values of COLUMN stay in one fold.")
@click.option("--time", metavar="COLUMN", help="Train each fold on rows with earlier values of COLUMN only.")
@click.option("--parts", metavar="0.6,0.2,0.2", help="Shares of rows to train, validate and test; no folds.")
@click.option(
    "--held-out", metavar="FILE", type=click.Path(), help="Test on the rows of another file; no folds."
)
@click.option(
    "--regression", is_flag=True, help="The target is a number: methods for numbers beside the mean."
)
@options.by
@decisions("compare")
@options.measure
@options.methods("Compare only these.")
@click.option("--no-tuning", is_flag=True, help="Only the default settings of the methods: faster.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave out a check, e.g. dependence.")
@options.picture
@options.columns
@options.reading
@options.common
def compare(
    data: str,
    target: str,
    folds: int,
    groups: str | None,
    time: str | None,
    parts: str | None,
    held_out: str | None,
    regression: bool,
    methods: tuple[str, ...],
    no_tuning: bool,
    ignore: tuple[str, ...],
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Cross-validate the methods on FILE, as they are and tuned, beside always answering the most
    frequent class.

    Every method sees the same folds, or the same rows held out. The razor takes the simplest within one
    standard error of the best.
    """
    import tallystick as ts

    options.keep_apart([data, *([held_out] if held_out else [])], {"--picture": picture})
    wish = wished(given)
    with options.progress("comparing") as progress:
        found = ts.compare(
            options.source(data, given),
            target,
            methods=methods or None,
            tuned=not no_tuning,
            folds=folds if parts is None else options.shares(parts),
            groups=groups,
            time=time,
            held_out=None if held_out is None else options.source(held_out, given),
            regression=regression,
            by=given["by"],
            measure=given["measure"],
            ignore=ignore,
            progress=progress,
            **wish.judged,
            **options.column_parameters(given),
        )
    options.save_picture(picture, found.picture)
    if as_json:
        options.show_json(found.to_dict())
        return
    print(options.cleaned(str(replace(found, checks=checks_as_flags(found.checks), notes=()))))
    options.show_notes(found.notes)


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@options.methods("Draw only these.")
@click.option("--repeats", type=int, default=20, show_default=True, help="Random subsets, 1 to 10,000.")
@click.option(
    "--sizes",
    metavar="N,N,...",
    help="How many rows to train on, e.g. 10,20,50,100; one number says how many sizes.  [default: 10]",
)
@options.picture
@options.columns
@options.reading
@options.common
def curve(
    data: str,
    target: str,
    methods: tuple[str, ...],
    repeats: int,
    sizes: str | None,
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Train methods on growing subsets of FILE, and print the error on held-out rows."""
    import tallystick as ts

    options.keep_apart([data], {"--picture": picture})
    with options.progress("training") as progress:
        found = ts.learning_curve(
            options.source(data, given),
            target,
            methods=methods or COMPARED,
            sizes=None if sizes is None else _sizes(sizes),
            repeats=repeats,
            progress=progress,
            **options.column_parameters(given),
        )
    options.save_picture(picture, found.picture)
    if as_json:
        options.show_json(found.to_dict())
        return
    print(options.cleaned(str(found)))


def _sizes(text: str) -> int | list[int]:
    """Return numbers of rows separated by commas; one alone is how many there are."""
    from tallystick.errors import OptionError, shown

    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--sizes takes whole numbers such as 10,20,50, or one, how many sizes, not {shown(text)}."
        ) from None
    return found if len(found) > 1 else found[0]


# tally verify and tally diff: is a model what its data gives, and what changed between two models.


SHOWN = 40  # changes listed on a page
FEW = 10  # where the largest changes were told before


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@options.memory
@options.reading
@options.common
def verify(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Fit again from FILE with the parameters in MODEL, and compare byte for byte.

    Exit code 0: the same bytes. Exit code 1: not the same; the first difference is shown.
    """
    from tallystick.export.diff import compare
    from tallystick.model.file import from_bytes, read_file

    kept = read_file(model)
    again = refitted(kept, data, given)
    same, digest = kept == again, hashlib.sha256(kept).hexdigest()
    if as_json:
        options.show_json(
            {"same": same, "sha256": digest, "refitted_sha256": hashlib.sha256(again).hexdigest()}
        )
    elif same:
        words = f"{model}: refitting {data} gives the same {len(kept):,} bytes"
        options.show([*headed("verified ", "good", words), (Span(f"sha256 {digest}", "dim"),)])
    else:
        options.show(headed("differs ", "bad", f"{model} is not what {data} gives"))
        heading = (Span("what changed, from the model to the data", "strong"),)
        found = compare(from_bytes(kept), from_bytes(again))
        one, two = kept.decode().splitlines(), again.decode().splitlines()
        pairs = enumerate(zip(one, two, strict=False))
        at = next((i for i, (a, b) in pairs if a != b), min(len(one), len(two)))
        texts = [lines[at] if at < len(lines) else "(ends here)" for lines in (one, two)]
        wide = options.cells() - 12
        first: list[Line] = [
            (Span(f"first difference: line {at + 1:,}"),),
            (Span("  kept      ", "dim"), Span(cut(clean(texts[0]), wide))),
            (Span("  refitted  ", "dim"), Span(cut(clean(texts[1]), wide))),
        ]
        options.show([*first, heading, *change_lines(found)])
    if not same:
        sys.exit(1)


def headed(first: str, style: Style, text: str) -> list[Line]:
    """Return a sentence that opens with its verdict."""
    lines = wrapped(clean(text), options.cells(), first)
    return [(Span(first, style), *lines[0][1:]), *lines[1:]]


def refitted(kept: bytes, data: str, given: dict[str, Any]) -> bytes:
    """Return the bytes of a model fitted to a file with the parameters of a kept one."""
    from tallystick.estimator.base import from_data
    from tallystick.estimator.verify import refuse_unrepeatable

    estimator = from_data(kept)
    refuse_unrepeatable(estimator)
    target = estimator.schema_.target
    work = {"threads": given["threads"], "memory": given.get("memory")}
    fresh = type(estimator)(**(estimator.get_params(deep=False) | work))
    with options.progress("fitting again") as progress:
        options.show_progress(fresh, progress)
        table = fresh._read(options.source(data, given), target and target.name)
        fresh._fit_table(table)
        if estimator.profile_ is not None:
            fresh._keep_profile(table)
    fresh._decide_as(estimator)  # it is no part of learning
    return fresh._as_much_as(estimator).to_bytes()


def listed(texts: Iterable[str]) -> list[Line]:
    """Return texts as the points of a list."""
    return [line for text in texts for line in wrapped(clean(text), options.cells(), "  - ")]


def change_lines(found: Difference) -> list[Line]:
    """Return a sentence per change, the first SHOWN of them; few where the largest stand before them."""
    texts = [str(change) for change in found.changes[len(found.decided) :]]
    most = page_limit(FEW if found.largest else SHOWN)
    lines = listed(texts[:most])
    if len(texts) > most:
        lines.append((Span(f"    and {len(texts) - most:,} more changes (--all)", "dim"),))
    return lines


@click.command()
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@click.option(
    "--on", metavar="FILE", type=click.Path(), help="Ask both the rows of FILE: which answers differ."
)
@options.memory
@options.reading
@options.common
def diff(a: str, b: str, on: str | None, as_json: bool, **given: Any) -> None:
    """Say in words what changed from model file A to model file B: the largest changes first.

    With --on FILE, first how many rows of FILE the two answer differently, which, and why.

    Exit code 0: the same bytes. Exit code 1: something changed.
    """
    from tallystick.judge.two_models import diff as difference

    found = difference(a, b, on=None if on is None else options.source(on, given))
    if as_json:
        options.show_json(found.to_dict())
    elif not found:
        options.show([(Span("the same", "good"), Span(": nothing changed"))])
    else:
        decided = [wrapped(clean(str(change)), options.cells(), "", "bad") for change in found.decided]
        options.show([(Span(f"from {clean(a)} to {clean(b)}", "strong"),), *chain.from_iterable(decided)])
        if found.flips is not None:
            first, *rest = found.flips.lines()
            lines = wrapped(clean(first), options.cells(), "", "bad" if found.flips else "good")
            options.show([*lines, *listed(rest), ()])
        lines = []
        if found.largest:
            lines = [(Span("the largest changes", "strong"),), *listed(found.largest)]
            lines.append((Span("all changes", "strong"),))
        options.show([*lines, *change_lines(found)])
    if found:
        sys.exit(1)


# tally report: one HTML file that a board can read.


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", help="The column to be predicted; required without --against.")
@click.option(
    "--against",
    metavar="MODEL",
    type=click.Path(),
    help="A page on what changed in FILE, and in the answers, since this model was fitted.",
)
@click.option("--fail-on-change", is_flag=True, help="With --against: exit code 1 where something changed.")
@click.option(
    "--output",
    "-o",
    default="report.html",
    show_default=True,
    help="Where to write the page; - is standard output.",
)
@click.option("--save-model", metavar="MODEL", help="Also save the chosen model, for predict and verify.")
@click.option("--no-rows", is_flag=True, help="Show no raw row, and no leaf of a tree with a single row.")
@click.option(
    "--regression", is_flag=True, default=None, help="The target is a number, however few there are of it."
)
@options.by
@options.methods("Compare only these.")
@click.option("--tuned", is_flag=True, help="Compare the methods tuned as well: slower.")
@click.option("--folds", type=click.IntRange(min=2),
              help="Number of folds.  [default: 10; 5 where ten would be long]")  # fmt: skip
@click.option("--repeats", type=int, default=5, show_default=True,
              help="Subsets of the learning curve, up to 10,000; 0 leaves it out.")  # fmt: skip
@click.option("--title", default="", help="What the page calls the data; the file's name if not given.")
@options.columns
@options.reading
@options.common
def report(data: str, target: str | None, output: str, as_json: bool, **given: Any) -> None:
    """Compare the methods on FILE, choose one, and write a page that says what decides the target and how
    well.

    The page is one file without a server or network: it opens from disk, prints, and its what-if form
    computes in the page itself.
    """
    import tallystick as ts

    if given["against"] is not None:
        return report_changes(data, output, as_json, given)
    if target is None:
        raise OptionError("report needs the column to be predicted, or a model. Add --target or --against.")
    options.keep_apart([data], {"-o": output, "--save-model": given["save_model"]})
    with options.progress("reporting") as progress:
        found = ts.report(
            options.source(data, given),
            target,
            methods=given["methods"] or None,
            tuned=given["tuned"],
            folds=given["folds"],
            repeats=given["repeats"],
            rows=not given["no_rows"],
            regression=says_number(target, given) or None,
            by=given["by"],
            title=given["title"],
            progress=progress,
            **options.column_parameters(given),
        )
    if output == "-":
        sys.stdout.write(found.html)
    else:
        found.save(output)
    if given["save_model"] is not None:
        if not found.model._kind:
            raise OptionError("no method beat the baseline: there is no model to save.")
        found.model.save(given["save_model"])
    if as_json:
        result = found.to_dict() | {"saved": output, "bytes": len(found.html.encode())}
        options.show_json(result, sys.stderr if output == "-" else None)
        return
    options.show(in_words(found, output), sys.stderr if output == "-" else None)


def report_changes(data: str, output: str, as_json: bool, given: dict[str, Any]) -> None:
    """Write the page on what changed since a model was fitted."""
    from tallystick.description import changes as show_changes
    from tallystick.reports.api import change_report

    options.keep_apart([data, given["against"]], {"-o": output})
    with options.progress("comparing"):
        source = options.source(data, given)
        found = change_report(source, given["against"], given["title"], given["threads"])
    if output == "-":
        sys.stdout.write(found.html)
    else:
        found.save(output)
    aside = sys.stderr if output == "-" else None
    if as_json:
        options.show_json(found.to_dict() | {"saved": output, "bytes": len(found.html.encode())}, aside)
    else:
        options.show(show_changes.page(found.changes, options.cells()), aside)
        options.show([saved_line(found.html, output)], aside)
    if given["fail_on_change"] and found.changes:
        sys.exit(1)


def saved_line(html: str, output: str) -> Line:
    """Return where a page lies, and how large it is."""
    place = "standard output" if output == "-" else clean(output)
    size = max(len(html.encode()) / 1e6, 0.1)
    return (Span("saved ", "good"), Span(f"{place}: {size:.1f} MB; open it in a browser"))


def in_words(found: Any, output: str) -> list[Line]:
    """Return the answer, and where the page lies."""
    lines: list[Line] = []
    for sentence in found.answer:
        lines += wrapped(clean(sentence), options.cells())
    return [*lines, saved_line(found.html, output)]


# tally splits, tally prune: why a tree tests what it tests, and how large it should be.


F = TypeVar("F", bound=Callable[..., Any])


def _model(default: str) -> Callable[[F], F]:
    return click.option(
        "--model",
        "method",
        metavar="NAME",
        default=default,
        show_default=True,
        help="The tree: tree, id3, c45, cart or regression, with settings after a colon, tree:max_depth=3.",
    )


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@_model("id3")
@click.option(
    "--node", type=click.IntRange(min=0), default=0, show_default=True, help="The node; 0: the root."
)
@options.columns
@options.reading
@options.common
def splits(data: str, target: str, method: str, node: int, as_json: bool, **given: Any) -> None:
    """Grow a tree on FILE and print every candidate test of a node with its gain: why the chosen one won.

    Below them stands the tree with the numbers of its nodes.
    """
    tree = _tree(method, given).fit(options.source(data, given), target)
    found = tree.splits(node)
    if as_json:
        options.show_json(found.to_dict())
        return
    print(options.cleaned(f"{found}\n\n{tree.show(SHOWN, nodes=True)}"))


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@_model("tree")
@click.option("--folds", type=click.IntRange(min=2), help="Number of folds; 10 if not given.")
@click.option("--parts", metavar="0.6,0.2,0.2", help="Shares of rows to train, validate and test; no folds.")
@click.option(
    "--held-out", metavar="FILE", type=click.Path(), help="Validate on the rows of another file; no folds."
)
@options.picture
@options.columns
@options.reading
@options.common
def prune(
    data: str,
    target: str,
    method: str,
    folds: int | None,
    parts: str | None,
    held_out: str | None,
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Grow a tree on FILE to the end and prune it step by step: the overfitting curve.

    Every line is a pruning, the root alone first. The training error falls with every leaf, the
    cross-validated one falls and rises again: a tree that goes on after that has learnt the rows by heart.
    With --held-out or --parts the rows of a validation set take the place of folds; a third part tests the
    pruning that they choose.
    """
    ways = {"folds": folds, "parts": parts, "held-out": held_out}
    asked = [name for name, way in ways.items() if way is not None]
    if len(asked) > 1:
        raise OptionError(f"--{asked[0]} and --{asked[1]} are two ways to validate. Use one of them.")
    options.keep_apart([data, *([held_out] if held_out else [])], {"--picture": picture})
    shares = None if parts is None else options.shares(parts)
    tree = _tree(method, given).set_params(pruning=None).fit(options.source(data, given), target)
    found = tree.pruning_path(
        folds=shares or folds or 10,
        held_out=None if held_out is None else options.source(held_out, given),
    )
    options.save_picture(picture, found.picture)
    if as_json:
        options.show_json(found.to_dict())
        return
    print(options.cleaned(str(found)))


def _tree(method: str, given: dict[str, Any]) -> Any:
    """Return a tree that is to be grown, and keeps its rows."""
    asked = variant(method)
    if asked.method.name not in ("tree", "regression"):
        raise OptionError(
            f"--model {method} is not a tree that is grown. Use tree, id3, c45, cart or regression."
        )
    tree = asked.make(options.column_parameters(given))
    tree._keeps_rows = True
    return tree
