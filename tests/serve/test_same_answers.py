"""Two thousand rows of five tables by HTTP: the bits that `predict_proba` gives, however they are sent."""

from __future__ import annotations

import csv
import gzip
import http.client
import io
import json

import numpy as np
import pyarrow as pa
import pytest
from serving import PATIENCE, serving
from shared_tables import needs_data, shared

import tallystick as ts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::tallystick.TallyWarning"),
    needs_data,
]
ROWS = 400


def file_rows(name: str, target: str) -> list[dict]:
    """The rows of a public table, numbers as numbers and missing cells as null: as programs send them."""
    with gzip.open(shared(name), "rt", encoding="utf-8") as lines:
        read = list(csv.DictReader(lines))
    step = max(1, len(read) // (2 * ROWS))
    return [{k: v if k == target else cell(v) for k, v in row.items()} for row in read[::step]]


def cell(text: str) -> object:
    if text in ("", "?"):
        return None
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number == int(number) and "." not in text else number


def every_kind() -> list[dict]:
    """Every kind of value that a table may hold."""
    odd = [1e308, -1e308, 5e-324, -0.0, 0.1, 1 / 3, 2**53 + 2.0, 1e39, None, 123456.789]
    words = ["Grüße", "日本 語", "a,b", 'say "x"', "tab\there", "yes", "NO", "👍🏽", " padded ", None]
    return [
        {
            "number": odd[i % 10] if i % 3 else i * 0.1,
            "whole": [i % 50, 2**40 + i, None][i % 3],
            "level": words[i * 7 % 10],
            "flag": [True, False, None][i % 3],
            "day": f"20{i % 30:02}-0{i % 9 + 1}-1{i % 10}" if i % 11 else None,
            "code": ["007", "010", "1.0", "x"][i % 4],
            "text": f"message {i % 17} about {words[i % 8]} and number {i * 31 % 101}",
            "y": [1, 2, 3][(i * i + i // 7) % 3],
        }
        for i in range(2 * ROWS)
    ]


TABLES = {
    "adult": (lambda: file_rows("adult/adult-train", "income"), "income", ts.LogisticRegression()),
    "sick": (lambda: file_rows("sick/sick", "Class"), "Class", ts.Scorecard(pairs=0)),
    "mushroom": (lambda: file_rows("mushroom/mushroom", "class"), "class", ts.DecisionTree()),
    "spambase": (lambda: file_rows("spambase/spambase", "class"), "class", ts.RuleList()),
    "every-kind": (every_kind, "y", ts.NaiveBayes(kinds={"text": "text", "code": "levels"})),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server of all tables, and of each its model and new rows."""
    folder, found = tmp_path_factory.mktemp("tables"), {}
    for name, (make, target, estimator) in TABLES.items():
        rows = make()
        model = estimator.fit(rows[::2], target)
        model.save(folder / f"{name}.tally.json")
        new = [{k: v for k, v in row.items() if k != target} for row in rows[1::2]][:ROWS]
        assert len(new) == ROWS
        found[name] = model, new
    with serving(folder, *(folder / f"{name}.tally.json" for name in TABLES)) as server:
        yield server, found


def shares(told: list[dict]) -> bytes:
    return np.array([list(one["probabilities"].values()) for one in told]).tobytes()


@pytest.mark.parametrize("name", TABLES)
def test_rows_one_by_one_and_together_get_the_bits_of_predict_proba(served, name):
    server, tables = served
    model, new = tables[name]
    wanted, labels = model.predict_proba(new), model.predict(new).tolist()
    line = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    alone = []
    for row in new:
        line.request(
            "POST", f"/v1/models/{name}/predict", json.dumps(row), {"Content-Type": "application/json"}
        )
        alone.append(json.loads(line.getresponse().read()))
    line.close()
    assert shares(alone) == wanted.tobytes()
    assert [one["label"] for one in alone] == labels
    together = server.ask("POST", f"/v1/models/{name}/predict", new).json()["predictions"]
    assert shares(together) == wanted.tobytes()
    assert [one["label"] for one in together] == labels
    if name != "every-kind":
        quick = sum(server_row is not None for server_row in map(one_row(model), new))
        assert quick > len(new) * 0.8  # most rows of a real table need no reading


def one_row(model):
    from tallystick.serve.requests import OneRow

    return OneRow(model).answer


@pytest.mark.parametrize("name", TABLES)
def test_csv_and_arrow_get_the_bits_of_predict_proba(served, name, tmp_path):
    server, tables = served
    model, new = tables[name]
    text = io.StringIO()
    writer = csv.DictWriter(text, new[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(new)
    (tmp_path / "new.csv").write_text(text.getvalue(), encoding="utf-8")
    path = f"/v1/models/{name}/predict"
    reply = server.ask("POST", path, text.getvalue().encode(), content_type="text/csv")
    assert reply.status == 200, reply.body
    rows = list(csv.DictReader(io.StringIO(reply.body.decode(), newline="")))
    wanted = model.predict_proba(tmp_path / "new.csv")
    names = [f"P({label})" for label in model.schema_.predicted.labels]
    assert np.array([[float(row[n]) for n in names] for row in rows]).tobytes() == wanted.tobytes()

    table = pa.Table.from_pylist(new)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    reply = server.ask("POST", path, sink.getvalue(), content_type="application/vnd.apache.arrow.stream")
    assert reply.status == 200, reply.body
    answered = pa.ipc.open_stream(reply.body).read_all()
    found = np.column_stack([answered.column(n).to_numpy() for n in names])
    assert np.ascontiguousarray(found).tobytes() == model.predict_proba(table).tobytes()
    assert reply.headers["tally-model"] == name
