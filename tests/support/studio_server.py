"""`tally studio` as a user runs it, on any free port, and a page or single requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PATIENCE = 300.0  # seconds until a test gives up; none waits so long when all is well


@dataclass
class Studio:
    """A studio that runs; `address` is good once."""

    process: subprocess.Popen[str]
    address: str
    said: Path
    cookie: str = ""
    session: str = ""
    sent: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].split("/")[0])

    @property
    def home(self) -> str:
        return self.address.split("/open")[0]

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """One request, with the headers of the page unless others are given; an empty one is left out."""
        own = {"host": f"127.0.0.1:{self.port}", "cookie": self.cookie}
        own |= {"origin": self.home} if method == "POST" else {}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as line:
            line.request(method, path, body, {k: v for k, v in own.items() if v})
            got = line.getresponse()
            return got.status, {k.lower(): v for k, v in got.getheaders()}, got.read()

    def enter(self) -> Studio:
        """Spend the token, and begin a session."""
        _, headers, _ = self.ask("GET", self.address.removeprefix(self.home))
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.session = self.post("session")["session"]
        return self

    def post(self, what: str, **wish: Any) -> Any:
        status, _, body = self.ask(
            "POST", f"/api/{what}", json.dumps({"session": self.session, **wish}).encode()
        )
        assert status == 200, body
        return json.loads(body)

    def get(self, what: str, **query: str) -> Any:
        status, _, body = self.ask("GET", f"/api/{what}?{urlencode({'session': self.session, **query})}")
        assert status == 200, body
        return json.loads(body)

    def done(self) -> Any:
        """Wait until no work is under way; return the state."""
        until = time.monotonic() + PATIENCE
        while (state := self.get("state"))["job"] is not None:
            assert time.monotonic() < until
            time.sleep(0.02)
        return state


@contextlib.contextmanager
def studio(folder: Path, *given: str) -> Iterator[Studio]:
    """Run a studio in a folder."""
    said = folder.parent / f"{folder.name}-said.txt"
    with said.open("w") as errors:
        command = [sys.executable, "-m", "tallystick.cli", "studio", *given, "--no-browser"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        try:
            yield Studio(process, process.stdout.readline().strip(), said)
        finally:
            process.terminate()
            process.wait(PATIENCE)
            process.stdout.close()
