"""Requests and rows per second by HTTP, beside FastAPI with a scikit-learn pipeline and beside MLServer.

Adult, logistic regression in all of them, one process each, wrk on the same machine over loopback, one server
at a time. `PEERS` names the Python that has the peers (fastapi, uvicorn, scikit-learn; mlserver,
mlserver-sklearn); it is this one if not set, and a peer that is not there is left out. `python serve.py
minutes 10` watches the memory of our server under a light load instead.
"""

from __future__ import annotations

import csv
import gzip
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from turns import ROUNDS, Figure, over

SECONDS, CONNECTIONS = int(os.environ.get("SECONDS_EACH", "5")), 8
ROWS = 1_000
PEERS = os.environ.get("PEERS", sys.executable)
PEER = Path(__file__).with_name("serve_peer.py")
SCRIPT = """wrk.method = "POST"
wrk.headers["content-type"] = "{kind}"
local file = io.open("{body}", "rb")
wrk.body = file:read("*a")
file:close()
"""


def rows() -> list[dict[str, object]]:
    """Return new rows as JSON has them."""
    path = Path(os.environ["TALLYSTICK_DATA"]) / "adult" / "adult-test.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        read = [row for row, _ in zip(csv.DictReader(file), range(ROWS), strict=False)]
    return [{k: _cell(v) for k, v in row.items() if k != "income"} for row in read]


def _cell(text: str) -> object:
    return None if text == "?" else int(text) if text.lstrip("-").isdigit() else text


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, ready: str, log: Path, **more):
    """Run a server until the block ends; wait until it answers."""
    with open(log, "wb") as errors:
        process = subprocess.Popen(command, stdout=errors, stderr=errors, **more)
    try:
        until = time.monotonic() + 120
        while not answers(port, ready):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log.read_text()[-2000:])
            time.sleep(0.1)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(port: int, path: str) -> bool:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", path)
        return line.getresponse().status < 500
    except OSError:
        return False
    finally:
        line.close()


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def load(process, port: int, path: str, body: Path, kind: str, folder: Path):
    """Return requests per second, the 99th percentile in milliseconds, and milliseconds of processor time a
    request, which do not depend on who else uses the machine; an answer but 2xx is an error.
    """
    script = folder / "post.lua"
    script.write_text(SCRIPT.format(kind=kind, body=body))
    address = f"http://127.0.0.1:{port}{path}"
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", "--latency", "--timeout", "30s", "-s", str(script)]
    subprocess.run([*command, "-d1s", address], check=True, capture_output=True)  # warm
    used = processor(process.pid)
    done = subprocess.run([*command, f"-d{SECONDS}s", address], check=True, capture_output=True, text=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(done.stdout)
    count = int(re.search(r"([0-9]+) requests in", done.stdout)[1])
    each = (processor(process.pid) - used) / count * 1000
    slowest = re.search(r"99%\s+([0-9.]+)(us|ms|s)", done.stdout)
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[slowest[2]]
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", done.stdout)[1]), float(slowest[1]) * scale, each


def bodies(folder: Path) -> dict[str, tuple[Path, str]]:
    """Write what is sent, and return where it lies and its content type."""
    import pyarrow as pa

    many = rows()
    (folder / "one.json").write_text(json.dumps(many[0]))
    (folder / "many.json").write_text(json.dumps(many))
    table = pa.Table.from_pylist(many)
    with pa.OSFile(str(folder / "many.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    text = io.StringIO()
    writer = csv.DictWriter(text, many[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(many)
    (folder / "many.csv").write_text(text.getvalue())
    return {
        "one": (folder / "one.json", "application/json"),
        "json": (folder / "many.json", "application/json"),
        "csv": (folder / "many.csv", "text/csv"),
        "arrow": (folder / "many.arrow", "application/vnd.apache.arrow.stream"),
    }


def ours(folder: Path, sent: dict[str, tuple[Path, str]]) -> dict[str, tuple[float, float, float]]:
    import tallystick as ts

    data = Path(os.environ["TALLYSTICK_DATA"]) / "adult" / "adult-train.csv.gz"
    model = folder / "adult.tally.json"
    ts.LogisticRegression().fit(data, "income").save(model)
    port = free_port()
    command = [sys.executable, "-m", "tallystick.cli", "serve", str(model), "--port", str(port)]
    with running([*command, "--no-access-log"], port, "/readyz", folder / "ours.log") as process:
        return {name: load(process, port, "/v1/predict", *given, folder) for name, given in sent.items()}


def fastapi(folder: Path, sent: dict[str, tuple[Path, str]]) -> dict[str, tuple[float, float, float]]:
    model, port = str(folder / "adult.joblib"), free_port()
    subprocess.run([PEERS, str(PEER), "fit", model], check=True)
    with running(
        [PEERS, str(PEER), "serve", model, str(port)], port, "/openapi.json", folder / "peer.log"
    ) as process:
        return {
            "one": load(process, port, "/one", *sent["one"], folder),
            "json": load(process, port, "/many", *sent["json"], folder),
        }


def mlserver(folder: Path, sent: dict[str, tuple[Path, str]]) -> dict[str, tuple[float, float, float]]:
    """The same pipeline behind MLServer's scikit-learn runtime, a data frame by its codec."""
    home, port = folder / "mlserver", free_port()
    (home / "adult").mkdir(parents=True, exist_ok=True)  # of an earlier round
    settings = {
        "http_port": port,
        "grpc_port": free_port(),
        "metrics_port": free_port(),
        "parallel_workers": 0,
    }
    (home / "settings.json").write_text(json.dumps(settings | {"host": "127.0.0.1"}))
    model = str(home / "adult" / "model.joblib")
    subprocess.run([PEERS, str(PEER), "fit", model], check=True)
    told = {"name": "adult", "implementation": "mlserver_sklearn.SKLearnModel", "parameters": {"uri": model}}
    (home / "adult" / "model-settings.json").write_text(json.dumps(told))
    many = json.loads(sent["json"][0].read_text())
    for name, part in (("one", many[:1]), ("json", many)):
        (folder / f"v2-{name}.json").write_text(json.dumps(inferred(part)))
    command = [str(Path(PEERS).with_name("mlserver")), "start", str(home)]
    with running(command, port, "/v2/health/ready", folder / "mlserver.log", cwd=home) as process:
        path = "/v2/models/adult/infer"
        kind = "application/json"
        return {
            name: load(process, port, path, folder / f"v2-{name}.json", kind, folder)
            for name in ("one", "json")
        }


def inferred(part: list[dict[str, object]]) -> dict[str, object]:
    """Return rows as the Open Inference Protocol has a data frame, and ask for shares."""
    inputs = []
    for name in part[0]:
        cells = [row[name] for row in part]
        number = all(isinstance(cell, int) for cell in cells)
        kind = (
            {"datatype": "INT64"} if number else {"datatype": "BYTES", "parameters": {"content_type": "str"}}
        )
        data = cells if number else ["" if cell is None else cell for cell in cells]
        inputs.append({"name": name, "shape": [len(part), 1], "data": data} | kind)
    return {"parameters": {"content_type": "pd"}, "inputs": inputs, "outputs": [{"name": "predict_proba"}]}


def figures() -> list[tuple[str, float]]:
    if shutil.which("wrk") is None:
        raise RuntimeError("wrk, which sends the requests, is not installed. Install it: apt install wrk")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sent = bodies(folder)
        rounds = [one_round(folder, sent) for _ in range(ROUNDS)]

    for lacking in (server for server in ("ours", "fastapi") if any(server not in got for got in rounds)):
        why = "see above" if lacking == "ours" else "pip install fastapi uvicorn scikit-learn, or set PEERS"
        raise RuntimeError(f"there are no figures without {lacking}, which was left out: {why}")

    def beside(way: str, theirs: str, at: int, less: bool = False) -> Figure:
        """Return one of our numbers over FastAPI's, round by round; less: theirs over ours."""
        both = ([got["ours"][way][at] for got in rounds], [got["fastapi"][theirs][at] for got in rounds])
        return over(*reversed(both)) if less else over(*both)

    return [
        ("one row: x requests per second of FastAPI", beside("one", "one", 0)),
        ("one row: p99, share of FastAPI's", beside("one", "one", 1)),
        ("1,000 rows, JSON: x rows per second of FastAPI", beside("json", "json", 0)),
        ("1,000 rows, Arrow: x rows per second of FastAPI", beside("arrow", "json", 0)),
        ("1,000 rows, JSON: p99, share of FastAPI's", beside("json", "json", 1)),
        ("one row: x less processor time than FastAPI", beside("one", "one", 2, less=True)),
        ("1,000 rows, JSON: x less processor time than FastAPI", beside("json", "json", 2, less=True)),
        ("1,000 rows, Arrow: x less processor time than FastAPI", beside("arrow", "json", 2, less=True)),
    ]


def one_round(folder, sent):
    """Return what each server does, one after the other: found[server][way]."""
    found = {}
    for peer in (ours, fastapi, mlserver):
        try:
            found[peer.__name__] = peer(folder, sent)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            print(f"left out: {peer.__name__}: {str(error)[-300:]}", file=sys.stderr)
    for server, got in found.items():
        for way, (rate, slowest, each) in got.items():
            told = f"{rate:>9,.0f} requests/s   p99 {slowest:8.2f} ms   processor {each:8.3f} ms a request"
            print(f"  {server:<10} {way:<6} {told}", file=sys.stderr)
    return found


def watch(minutes: float) -> None:
    """Print the memory of our server as time passes: some 40 requests a second, of every kind, bad too."""
    import tallystick as ts

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sent = [(path.read_bytes(), kind) for path, kind in bodies(folder).values()]
        sent += [
            (b'{"age":', "application/json"),
            (b"[" * 9000, "application/json"),
            (b"a,b\n1,2\n", "text/csv"),
        ]
        data = Path(os.environ["TALLYSTICK_DATA"]) / "adult" / "adult-train.csv.gz"
        ts.LogisticRegression().fit(data, "income").save(folder / "adult.tally.json")
        port = free_port()
        command = [sys.executable, "-m", "tallystick.cli", "serve", str(folder / "adult.tally.json")]
        with running([*command, "--port", str(port)], port, "/readyz", folder / "ours.log") as process:
            begun, asked, told = time.monotonic(), 0, 0.0
            while (now := time.monotonic() - begun) < minutes * 60:
                line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                for turn in range(20):
                    body, kind = sent[0 if turn % 3 else (asked + turn) // 3 % len(sent)]
                    line.request("POST", "/v1/predict", body, {"Content-Type": kind})
                    line.getresponse().read()
                    asked += 1
                line.close()
                time.sleep(0.3)
                if now >= told:
                    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
                    print(
                        f"{now / 60:5.1f} min  {asked:>8,} requests  {pages * 4096 / 1e6:6.1f} MB", flush=True
                    )
                    told += 60


if __name__ == "__main__":
    if sys.argv[1:2] == ["minutes"]:
        watch(float(sys.argv[2]))
        sys.exit()
    for name, figure in figures():
        print(f"{name:<56} {figure:.3f}")
