"""tally serve: models by HTTP."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import click

from tallystick.cli import options
from tallystick.cli.fit import Content, in_words, settings, summary
from tallystick.draw.svg import Line, Span, wrapped
from tallystick.errors import OptionError, clean, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.density.estimator import DensityTree
    from tallystick.serve.guards import Guards


# tally density: the groups of rows in a file, in sentences; how likely new rows are; rows like them.


TIED = "\0"  # stands for a space at which no line ends


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--output", "-o", type=click.Path(), help="Where to save the tree, e.g. votes.tally.json; else it is not."
)
@click.option(
    "--set",
    "settings_",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the tree, e.g. max_leaf_nodes=8.",
)
@click.option(
    "--leaves", type=click.IntRange(min=1), default=20, show_default=True, help="The most leaves to tell."
)
@click.option("--score", metavar="NEW", type=click.Path(), help="Say how likely the rows of this file are.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Draw N rows like those of FILE.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Where drawing begins."
)
@click.option(
    "--rows",
    type=click.Path(allow_dash=True),
    help="Where the drawn rows, or the likelihood of each scored row, go (.csv, .jsonl, .parquet); "
    "- is standard output.",
)
@options.picture
@options.columns
@options.reading
@options.common
def density(data: str, output: str | None, rows: str | None, as_json: bool, **given: Any) -> None:
    """Find groups of rows that are alike: a tree without a target whose leaves hold all columns.

    FILE has the rows; or it is a density tree that was saved before. Prints a sentence for each leaf.
    """
    writes = {"-o": output, "--picture": given["picture"], "--rows": rows}
    options.keep_apart([data, *([given["score"]] if given["score"] else [])], writes)
    _refuse(rows, as_json, given)
    known = _known(data)
    tree = known or _learned(data, given)
    content = Content.of(tree)
    if output is not None:
        tree.save(output)
    options.save_picture(given["picture"], tree.picture)
    made = _made(tree, given)
    mean = None if given["score"] is None else tree.score(options.source(given["score"], given))
    page = sys.stderr if rows == "-" else sys.stdout
    if as_json:
        leaves = [leaf.to_dict() for leaf in tree.leaves_]
        found = summary(tree, content) | {"leaves": leaves, "saved": output, "mean_log_likelihood": mean}
        options.show_json(found, page)
    else:
        options.show(_lines(tree, given["leaves"]), page)
        options.show(_score_lines(mean, given["score"]), page)
        options.show(in_words(tree, content, output), page)
        options.show_notes(tree.notes_ if known is not None else (*tree.source_notes_, *tree.notes_))
    if rows is not None:
        from tallystick.cli.predict import write_rows

        write_rows(made, None if rows == "-" else rows, False)


def _refuse(rows: str | None, as_json: bool, given: dict[str, Any]) -> None:
    """Refuse flags that do not go together."""
    if given["score"] is not None and given["sample"] is not None:
        raise OptionError("--score and --sample both write --rows. Leave out one of them.")
    if given["sample"] is not None and rows is None:
        raise OptionError("--sample needs a place for the rows. Add --rows FILE.csv, or --rows - to print.")
    if rows is not None and given["sample"] is None and given["score"] is None:
        raise OptionError("--rows says where rows go. Add --sample N or --score NEW.")


def _known(data: str) -> DensityTree | None:
    """Return the tree that a model file holds; None where the file has rows."""
    from tallystick.estimator.base import load
    from tallystick.model.file import is_model_file

    if not is_model_file(data):
        return None
    found = load(data)
    if found._predicts:
        raise OptionError(
            f"{shown(data)} is a {found.model_.kind}, not a density tree. Give rows, or a tree."
        )
    return cast("DensityTree", found)


def _learned(data: str, given: dict[str, Any]) -> DensityTree:
    from tallystick.density.estimator import DensityTree

    tree = DensityTree(**options.column_parameters(given))
    tree.set_params(**settings(given["settings_"]))
    with options.progress("fitting") as progress:
        options.show_progress(tree, progress)
        tree.fit(options.source(data, given))
    tree.set_params(engine__progress=None)
    return tree


def _made(tree: DensityTree, given: dict[str, Any]) -> Iterator[pa.Table]:
    """Yield the rows that are asked for: drawn ones, or the likelihood and the leaf of each scored row."""
    import pyarrow as pa

    if given["sample"] is not None:
        yield tree.sample(given["sample"], given["seed"])
    elif given["score"] is not None:
        likely = tree.score_samples(options.source(given["score"], given))
        leaf = tree.apply(options.source(given["score"], given))
        yield pa.table({"log_likelihood": pa.array(likely), "leaf": pa.array(leaf)})


def _lines(tree: DensityTree, leaves: int) -> list[Line]:
    head, *rest = tree.show(leaves=leaves).split("\n")
    out: list[Line] = [(Span(clean(head), "strong"),)]
    for line in rest:
        kept = wrapped(clean(line).replace(" %", f"{TIED}%"), options.cells(), "  ")  # 12 and % on one line
        out += [tuple(replace(span, text=span.text.replace(TIED, " ")) for span in part) for part in kept]
    return out


def _score_lines(mean: float | None, name: str | None) -> list[Line]:
    if mean is None:
        return []
    return [(Span(f"mean log-likelihood of the rows of {clean(name)}: {mean:.4f}"),)]


TOKEN = "TALLY_TOKEN"  # the environment variable


@click.command()
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 is any free one.",
)
@click.option(
    "--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes that answer."
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name by which clients may call this server, beside localhost; * is any.",
)
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="URL", help="A site whose pages may ask this server."
)
@click.option(
    "--token-file",
    type=click.Path(),
    metavar="FILE",
    help=f"Ask clients for the token that FILE holds; also taken from the environment, {TOKEN}.",
)
@click.option(
    "--max-megabytes",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    help="The size of a request, at most.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="Rows of a request, at most.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="Time that a client has to send a request, and to take its answer.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Connections of a process, at most.",
)
@click.option("--no-access-log", is_flag=True, help="Write no line for each request.")
@click.option(
    "--check", is_flag=True, help="Load the models, look at the address, say what would be served, and end."
)
@options.common
def serve(models: tuple[str, ...], as_json: bool, check: bool, **given: Any) -> None:
    """Answer rows by HTTP with saved MODELs, each a file or NAME=FILE; several of one name are its versions.

    POST a row as JSON to /v1/predict, or many as JSON, CSV or an Arrow stream. A file that is replaced is
    taken over without losing a request. /openapi.json tells all there is; / shows it as a page.
    """
    try:
        from tallystick.serve import server
    except ModuleNotFoundError as error:
        raise OptionError(f"this needs the package {error.name}: pip install 'tallystick[serve]'.") from None
    from tallystick.serve.app import ServeApp
    from tallystick.serve.guards import Log, Metrics
    from tallystick.serve.models import Shelf, named

    guards = guards_of(given)
    shelf = Shelf([named(one) for one in models])
    if check:
        server.listen(given["host"], 0).close()  # the port may be that of the server that runs now
        show_served(shelf, as_json)
        return
    sock = server.listen(given["host"], given["port"])
    log, metrics = Log(requests=not given["no_access_log"]), Metrics(given["workers"])
    host, port = sock.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    log.say("listening", address=address, models={s.name: s.version for s in shelf}, workers=given["workers"])
    if as_json:
        print(f'{{"address": "{address}"}}', flush=True)
    else:
        print(address, flush=True)

    def work(worker: int, others_serve: Callable[[], bool] = lambda: False) -> None:
        metrics.be(worker)
        shelf.look(log, metrics)  # a worker that takes the place of another may come late
        app = ServeApp(shelf, guards, log, metrics)
        drain = partial(setattr, app, "draining", True)
        server.run(sock, server.Service(app, app.look_after, drain, guards.limits, others_serve))
        log.flush()

    if given["workers"] == 1:
        work(0)
    else:
        server.run_workers(given["workers"], work, log)
    log.say("ended")


def guards_of(given: dict[str, Any]) -> Guards:
    """Return what the options say about who may ask, and how much."""
    from tallystick.serve.guards import LOOPBACK, Guards, Limits
    from tallystick.serve.protocol import FILES

    limits = Limits(
        body=given["max_megabytes"] << 20,
        rows=given["max_rows"],
        seconds=given["seconds"],
        connections=given["max_connections"],
    )
    host = given["host"].lower()
    hosts = {*LOOPBACK, *(name.lower() for name in given["hosts"])}
    if host in ("0.0.0.0", "::", ""):
        if not given["hosts"]:
            raise OptionError(
                f"--host {shown(host)} listens to the whole network. Say by which names clients may call: "
                "--allow-host NAME, or --allow-host '*' for any."
            )
    else:
        hosts.add(f"[{host}]" if ":" in host else host)
    guards = Guards(
        frozenset(hosts), frozenset(given["origins"]), token_of(given["token_file"]), limits=limits
    )
    return replace(guards, unguarded=guards.unguarded | FILES.keys())  # the page asks for the token itself


def token_of(path: str | None) -> str:
    """Return the token that clients must bring; nothing if none is asked for."""
    if path is None:
        return os.environ.get(TOKEN, "")
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise OptionError(f"--token-file {shown(path)} cannot be read: {reason}.") from None
    if len(token) < 16 or not token.isascii() or not token.isprintable():
        raise OptionError(
            f"--token-file {shown(path)} does not hold a token: 16 printable ASCII characters or more."
        )
    return token


def show_served(shelf: Any, as_json: bool) -> None:
    """Say what would be served."""
    from tallystick.serve.app import described

    found = [described(served) for served in shelf]
    if as_json:
        options.show_json({"models": found})
        return
    for one in found:
        print(
            f"{one['name']}  {one['version'][:12]}  {one['kind']}  {one['target']['name']}", file=sys.stdout
        )


# tally studio: the whole job in a browser.


@click.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@click.option(
    "--folder",
    type=click.Path(),
    help="The folder whose tables the page may open; that of FILE, or this one, if not given.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="The port; 0 is any free one.",
)
@click.option("--check", is_flag=True, help="Say which tables the page could open, and end.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@options.common
def studio(
    file: str | None, folder: str | None, port: int, check: bool, no_browser: bool, as_json: bool
) -> None:
    """Look at a table, compare methods, look at the model, ask what if, and save, in a page of this machine.

    The address has a token that is good once; nobody else can open the page. Ctrl-C ends the studio.
    """
    try:
        from tallystick.serve import server
    except ModuleNotFoundError as error:
        raise OptionError(f"this needs the package {error.name}: pip install 'tallystick[serve]'.") from None
    from tallystick.studio.app import StudioApp
    from tallystick.studio.folder import Folder

    place = folder or (os.path.dirname(file) if file else "") or "."
    if not os.path.isdir(place):
        raise OptionError(f"there is no folder {shown(place)}.")
    with ended_by_signals(), tempfile.TemporaryDirectory(prefix="tally-studio-") as scratch:
        known = Folder(place, scratch)
        first = first_of(known, file)
        if check:
            show_tables(known.names(), as_json)
            return
        app = StudioApp(known, first)
        sock = server.listen("127.0.0.1", port)
        app.at(sock.getsockname()[1])
        show_address(app.address, as_json, no_browser)
        server.run(sock, server.Service(app, app.look_after, app.drain, app.guards.limits))


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """End as after Ctrl-C when a terminal closes, too: what was dropped on the page is deleted then."""

    def end(number: int, frame: Any) -> None:
        raise SystemExit(0)

    def hang_up(number: int, frame: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    ways: dict[str, Any] = {"SIGTERM": end, "SIGHUP": hang_up}
    known = {number: ways[number.name] for number in signal.Signals if number.name in ways}
    known = {number: way for number, way in known.items() if signal.getsignal(number) is signal.SIG_DFL}
    for number, way in known.items():  # one that is ignored stays so: `nohup`
        signal.signal(number, way)
    try:
        yield
    finally:
        for number in known:
            signal.signal(number, signal.SIG_DFL)


def show_tables(names: list[str], as_json: bool) -> None:
    """Say which tables there are."""
    if as_json:
        options.show_json({"tables": names})
    for name in () if as_json else names:
        print(clean(name))


def first_of(folder: Any, file: str | None) -> str:
    """Return the name of the file to begin with, in its folder; nothing where none was given."""
    from tallystick.serve.requests import Refused

    if file is None:
        return ""
    name = os.path.relpath(os.path.realpath(file), folder.path)
    try:
        folder.find(name)
    except Refused:
        raise OptionError(
            f"there is no file {shown(file)} in the folder {shown(str(folder.path))}."
        ) from None
    return name


def show_address(address: str, as_json: bool, no_browser: bool) -> None:
    """Print the address, and open it."""
    print(f'{{"address": "{address}"}}' if as_json else address, flush=True)
    if not no_browser:
        import webbrowser

        webbrowser.open(address)
