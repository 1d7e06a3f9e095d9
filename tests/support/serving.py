"""`tally serve` as a user runs it, on any free port, and one request at a time to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 300.0  # seconds until a test gives up; none waits so long when all is well


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    process: subprocess.Popen[bytes]
    host: str
    port: int
    log_file: Path

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request on a connection of its own; what is not bytes is sent as JSON."""
        kind = {"content_type": "application/json"} if body is not None else {}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)) as line:
            sent = {name.replace("_", "-"): value for name, value in (kind | headers).items()}
            line.request(method, path, data, sent)
            got = line.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def predict(self, body: Any, query: str = "", **headers: str) -> Answer:
        return self.ask("POST", f"/v1/predict{query}", body, **headers)

    def raw(self, data: bytes) -> bytes:
        """Send bytes as they are; return all that comes back until the server ends the connection."""
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as line:
            line.sendall(data)
            parts = []
            with contextlib.suppress(ConnectionResetError):
                while part := line.recv(65536):
                    parts.append(part)
            return b"".join(parts)

    def log(self) -> list[dict[str, Any]]:
        """Return what the whole lines of the log say; a line may be read while it is being written."""
        whole = self.log_file.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def await_log(self, event: str, count: int = 1, **told: Any) -> list[dict[str, Any]]:
        """Return the lines of an event that tell this, when so many are there."""
        until, wanted = time.monotonic() + PATIENCE, {"event": event, **told}
        while len(found := [line for line in self.log() if wanted.items() <= line.items()]) < count:
            assert time.monotonic() < until, f"no {wanted!r} in {self.log_file.read_text()}"
            time.sleep(0.01)
        return found

    def stop(self) -> int:
        """Ask the server to end, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def serving(folder: Path, *args: Any, **env: str) -> Iterator[Server]:
    """Run `tally serve` and give its address; it is ended afterwards. The log lies in the folder."""
    log = folder / "serve.log"
    command = [sys.executable, "-m", "tallystick.cli", "serve", *map(str, args), "--port", "0"]
    with open(log, "wb") as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, env=os.environ | env
        )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()  # it listens when it says so
        assert address.startswith("http://"), log.read_text()
        host, _, port = address.removeprefix("http://").rpartition(":")
        yield Server(process, host, int(port), log)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()
