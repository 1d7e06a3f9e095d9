"""tally studio: the whole job in a browser."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.draw.text import clean
from tallystick.errors import OptionError, shown


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
        tell(app.address, as_json, no_browser)
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
        screen.show_json({"tables": names})
    for name in () if as_json else names:
        print(clean(name))


def first_of(folder: Any, file: str | None) -> str:
    """Return the name of the file to begin with, in its folder; nothing where none was given."""
    from tallystick.serve.problems import Refused

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


def tell(address: str, as_json: bool, no_browser: bool) -> None:
    """Print the address, and open it."""
    print(f'{{"address": "{address}"}}' if as_json else address, flush=True)
    if not no_browser:
        import webbrowser

        webbrowser.open(address)
