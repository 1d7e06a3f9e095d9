"""tally serve: models by HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tallystick.cli import options, screen
from tallystick.errors import OptionError, shown

if TYPE_CHECKING:
    from tallystick.serve.guards import Guards

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
    from tallystick.serve.log import Log
    from tallystick.serve.metrics import Metrics
    from tallystick.serve.shelf import Shelf, named

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
    from tallystick.serve.pages import FILES

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
        screen.show_json({"models": found})
        return
    for one in found:
        print(
            f"{one['name']}  {one['version'][:12]}  {one['kind']}  {one['target']['name']}", file=sys.stdout
        )
