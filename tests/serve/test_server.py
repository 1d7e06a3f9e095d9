"""The server as a process: workers, signals and files that change, under load."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from command import good, tally
from served_rows import ROWS
from serving import PATIENCE, Server, serving

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.serve.server import GRACE, SETTLED, DrainingServer, Service, listen

ROW = {"x": 1.5, "w": "a"}


def test_a_port_that_is_taken_is_an_error_of_one_line():
    with listen("127.0.0.1", 0) as sock, pytest.raises(OptionError, match="cannot listen on"):
        listen("127.0.0.1", sock.getsockname()[1])


@pytest.mark.slow
@pytest.mark.parametrize("host", ["999.1.1.1", "a" * 70, "a..b", "::zz", "192.0.2.1"])
def test_an_address_that_is_none_is_an_error_with_check_too(models, host):
    done = tally("serve", str(models / "tree.tally.json"), "--check", "--host", host)
    assert done.returncode == 2
    assert b"cannot listen on" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.slow
def test_check_does_not_need_the_port(models):
    with listen("127.0.0.1", 0) as sock:
        good("serve", str(models / "tree.tally.json"), "--check", "--port", str(sock.getsockname()[1]))


@pytest.mark.slow
def test_a_pipe_in_the_place_of_a_model_does_not_keep_the_server_from_ending(models, tmp_path):
    path = tmp_path / "m.tally.json"
    shutil.copy(models / "tree.tally.json", path)
    with serving(tmp_path, path) as server:
        path.unlink()
        os.mkfifo(path)
        server.await_log("model refused")
        assert server.predict(ROW).status == 200
        assert server.stop() == 0


@pytest.mark.slow
def test_it_ends_when_it_is_told_to(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json") as server:
        assert server.predict(ROW).status == 200
        assert server.stop() == 0
        assert server.await_log("ended")


class Looks:
    """What looks at a socket find, one after the other: somebody waits there, or nobody."""

    def __init__(self, *found: bool) -> None:
        self.found = list(found)

    def __call__(self, sockets, *_):
        return ([*sockets] if self.found and self.found.pop(0) else [], [], [])


@pytest.mark.slow
@pytest.mark.parametrize("refused", [True, False])
def test_who_is_half_connected_is_waited_for_only_where_nobody_new_can_come(monkeypatch, refused):
    late = [False] * 30 + [True] + [False] * SETTLED
    looks, ended = Looks(*late), []
    monkeypatch.setattr("tallystick.serve.server.refuse_new", lambda sock: refused)
    monkeypatch.setattr("tallystick.serve.server.select.select", looks)

    async def end(server, sockets=None):
        ended.append(len(late) - len(looks.found))

    monkeypatch.setattr("uvicorn.Server.shutdown", end)

    async def beside():
        await asyncio.Event().wait()

    async def told_to_end(server):
        server.beside = asyncio.get_running_loop().create_task(beside())
        await server.shutdown()

    service = Service(lambda *_: None, beside, lambda: None)
    with listen("127.0.0.1", 0) as sock:
        asyncio.run(told_to_end(DrainingServer(uvicorn.Config(service.app), sock, service)))
    assert ended == [len(late) if refused else 1]


class Load:
    """Clients that ask without a pause until nobody listens any more."""

    def __init__(self, server: Server, kept: int, fresh: int, rows: object = ROW) -> None:
        self.server, self.body = server, json.dumps(rows)
        self.answers: list[tuple[int, bytes]] = []
        self.lost: list[str] = []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.ask, args=(i < kept,)) for i in range(kept + fresh)]

    def ask(self, keep: bool) -> None:
        headers = {"Content-Type": "application/json"} | ({} if keep else {"Connection": "close"})
        line = http.client.HTTPConnection(self.server.host, self.server.port, timeout=PATIENCE)
        while not self.stop.is_set():
            try:
                if line.sock is None:
                    line.connect()
                    before = time.monotonic()
            except (ConnectionRefusedError, ConnectionResetError):
                break  # nobody listens: nothing was asked
            pause = 0.0
            try:
                line.request("POST", "/v1/predict", self.body, headers)
                pause, before = time.monotonic() - before, time.monotonic()
                reply = line.getresponse()
                self.answers.append((reply.status, reply.read()))
            except (OSError, http.client.HTTPException) as error:
                if pause < GRACE:  # or this thread had no turn, and the line had ended before it asked
                    self.lost.append(repr(error))
                line.close()
            if not keep:
                line.close()
        line.close()

    def __enter__(self) -> Load:
        for thread in self.threads:
            thread.start()
        return self

    def await_answers(self, count: int) -> None:
        until, wanted = time.monotonic() + PATIENCE, len(self.answers) + count
        while len(self.answers) < wanted and not self.lost:
            assert time.monotonic() < until
            time.sleep(0.01)

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("rows", [ROW, [ROW] * 200], ids=["one row", "many rows"])
def test_no_request_is_lost_when_it_is_told_to_end_under_load(models, tmp_path, workers, rows):
    with serving(tmp_path, models / "tree.tally.json", "--workers", workers) as server:
        load = Load(server, kept=4, fresh=4, rows=rows)
        with load:
            load.await_answers(100)
            server.process.send_signal(signal.SIGTERM)
            for thread in load.threads:
                thread.join(PATIENCE)
        assert load.lost == []
        assert {status for status, _ in load.answers} == {200}
        assert server.process.wait(PATIENCE) == 0


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def await_children(pid: int, wanted: int, without: int = 0) -> list[int]:
    until = time.monotonic() + PATIENCE
    while len(found := [one for one in children(pid) if one != without]) < wanted:
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


@pytest.mark.slow
def test_workers_answer_and_count_together_and_one_that_dies_is_replaced(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--workers", "2") as server:
        for _ in range(20):
            assert server.predict(ROW).status == 200
        assert 'tally_requests_total{route="predict",status="200"} 20' in server.get("/metrics").body.decode()
        first, _ = await_children(server.process.pid, 2)
        os.kill(first, signal.SIGKILL)
        await_end([first])
        for _ in range(20):  # the other serves on
            assert server.predict(ROW).status == 200
        assert server.await_log("worker died")[0]["status"] == -signal.SIGKILL
        await_children(server.process.pid, 2, without=first)
        assert 'tally_requests_total{route="predict",status="200"} 40' in server.get("/metrics").body.decode()
        assert server.stop() == 0


PEACEFUL = [signal.SIGTERM, signal.SIGINT]
ABRUPT = [signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT, signal.SIGUSR1]
ABRUPT += [signal.SIGUSR2, signal.SIGALRM, signal.SIGBUS]


@pytest.mark.slow
@pytest.mark.parametrize("number", PEACEFUL, ids=lambda number: number.name)
def test_a_worker_that_is_told_to_end_is_replaced_and_no_request_is_lost(models, tmp_path, number):
    """Its filter of new connections, on the socket of all, made the others deaf, and its successors."""
    with serving(tmp_path, models / "tree.tally.json", "--workers", "2") as server:
        load = Load(server, kept=3, fresh=3)
        with load:
            for old in await_children(server.process.pid, 2):
                load.await_answers(30)
                os.kill(old, number)
                await_end([old])
                await_children(server.process.pid, 2, without=old)
                load.await_answers(30)
        assert load.lost == []
        assert {status for status, _ in load.answers} == {200}
        assert len(server.await_log("worker died", 2)) == 2
        assert server.stop() == 0


@pytest.mark.slow
def test_the_service_outlives_the_end_of_every_worker_by_every_signal_under_load(models, tmp_path):
    """What a worker was about to answer when it was killed is lost, and nothing after it."""
    with serving(tmp_path, models / "tree.tally.json", "--workers", "2") as server:
        load = Load(server, kept=2, fresh=2)
        with load:
            for number in (*PEACEFUL, *ABRUPT):
                for old in (before := await_children(server.process.pid, 2)):
                    os.kill(old, number)
                await_end(before)
                until, wanted = time.monotonic() + PATIENCE, len(load.answers) + 20
                while len(load.answers) < wanted:
                    assert time.monotonic() < until, number.name
                    time.sleep(0.01)
        assert {status for status, _ in load.answers} == {200}
        assert server.predict(ROW).status == 200
        server.await_log("worker died", 2 * len((*PEACEFUL, *ABRUPT)))
        assert server.stop() == 0


@pytest.mark.slow
def test_workers_end_with_the_first_process(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--workers", "2") as server:
        workers = await_children(server.process.pid, 2)
        assert server.get("/healthz").status == 200
        server.process.kill()
        server.process.wait(PATIENCE)
        await_end(workers)


SLOW_TO_BEGIN = """
import os, signal, sys, time
from tallystick.serve import server
from tallystick.serve.guards import Log
fork = os.fork
def slow():
    pid = fork()
    if (pid == 0) == (sys.argv[1] == "worker"):
        time.sleep(1)
    return pid
os.fork = slow
def work(worker, others_serve):
    while True:
        signal.pause()
server.run_workers(2, work, Log())
"""


@pytest.mark.slow
@pytest.mark.parametrize("slow", ["first process", "worker"])
def test_a_worker_that_has_just_begun_ends_when_the_server_is_told_to(slow):
    """A signal that came between its birth and its first line found it unknown, or ended nothing there."""
    with subprocess.Popen([sys.executable, "-c", SLOW_TO_BEGIN, slow]) as process:
        try:
            await_children(process.pid, 2 if slow == "worker" else 1)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


def await_end(processes: list[int]) -> None:
    until = time.monotonic() + PATIENCE
    while any(running(pid) for pid in processes):
        assert time.monotonic() < until
        time.sleep(0.01)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.slow
def test_a_model_file_is_replaced_under_load_and_a_broken_one_is_not_taken(models, tmp_path):
    path = tmp_path / "m.tally.json"
    shutil.copy(models / "tree.tally.json", path)
    bayes = ts.NaiveBayes().fit(ROWS, "y")
    shares = {}
    with serving(tmp_path, path) as server:
        load = Load(server, kept=2, fresh=1)
        with load:
            for model, count in ((bayes, 1), (ts.load(models / "card.tally.json"), 2)):
                load.await_answers(50)
                model.save(path)
                taken = server.await_log("model taken over", count)[-1]
                shares[taken["version"]] = model.predict_proba_one(ROW).tolist()
            (tmp_path / "broken").write_bytes(path.read_bytes()[:-30])
            os.replace(tmp_path / "broken", path)
            refused = server.await_log("model refused")
            load.await_answers(50)
        last = server.predict(ROW).json()
        assert load.lost == []
        answers = [json.loads(body) for status, body in load.answers if status == 200]
        assert len(answers) == len(load.answers)
        first = answers[0]["version"]
        shares[first] = ts.load(models / "tree.tally.json").predict_proba_one(ROW).tolist()
        assert {answer["version"] for answer in answers} == shares.keys()
        assert all(list(one["probabilities"].values()) == shares[one["version"]] for one in answers)
        assert last["version"] == taken["version"] == refused[0]["serving"]
        assert "cut short" in refused[0]["reason"]
        counts = server.get("/metrics").body.decode()
        assert "tally_model_reloads_total 2" in counts
        assert "tally_model_refusals_total 1" in counts


@pytest.mark.slow
def test_a_token_is_asked_for_and_never_logged(models, tmp_path):
    secret = "s3cret-s3cret-s3cret"
    (tmp_path / "token").write_text(secret + "\n")
    with serving(tmp_path, models / "tree.tally.json", "--token-file", tmp_path / "token") as server:
        assert server.predict(ROW).status == 401
        assert server.predict(ROW, authorization="Bearer wrong").status == 401
        assert server.predict(ROW, authorization=f"Bearer {secret}").status == 200
        assert server.get(f"/v1/models?token={secret}").status == 401
        assert [server.get(path).status for path in ("/healthz", "/readyz", "/", "/metrics")] == [200] * 3 + [
            401
        ]
        assert server.stop() == 0
        assert secret not in server.log_file.read_text()
    with serving(tmp_path, models / "tree.tally.json", TALLY_TOKEN=secret) as server:
        assert server.predict(ROW).status == 401


@pytest.mark.slow
def test_the_unit_for_systemd_is_one(tmp_path):
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd is not installed")
    unit = Path(__file__).resolve().parents[2] / "docs" / "serve" / "tally-serve.service"
    done = subprocess.run([tool, "verify", str(unit)], capture_output=True, text=True, check=False)
    if "tally-serve" not in done.stderr and done.returncode:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_connections_are_limited(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--max-connections", "4") as server:
        lines = [socket.create_connection((server.host, server.port)) for _ in range(4)]
        for line in lines:  # each is known to the server when it has answered
            line.settimeout(PATIENCE)
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert line.recv(65536).startswith(b"HTTP/1.1 200")
        answer = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 503")
        for line in lines:
            line.close()
