"""What holds for the whole tree: quick imports, typed names, no trace of a machine."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sources import MODULES, PACKAGE, ROOT, nodes, tree

import tallystick

HEAVY = ("pyarrow", "duckdb", "pandas", "polars", "scipy", "sklearn", "pyspark", "onnx", "rich", "jinja2")


def files() -> list[Path]:
    """All files that are, or could be, committed; in an unpacked sdist all files."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [p for name in listed.stdout.splitlines() if (p := ROOT / name).is_file()]
    return [p for p in ROOT.rglob("*") if p.is_file() and "build" not in p.parts]


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "code", ["import tallystick", "import tallystick.cli", "import tallystick.contracts"]
)
def test_import_loads_no_heavy_library(code):
    assert not loaded_by(code) & set(HEAVY)


def test_loading_a_model_loads_no_heavy_library(tmp_path):
    rows = [{"a": i % 5, "b": "xy"[i % 2], "y": i % 3 > 1} for i in range(30)]
    for name in ("DecisionTree", "RegressionTree"):
        path = tmp_path / f"{name}.tally.json"
        getattr(tallystick, name)().fit(rows, "y" if name == "DecisionTree" else "a").save(path)
        assert not loaded_by(f"import tallystick; tallystick.load({str(path)!r})") & set(HEAVY)


def test_every_public_name_exists_and_is_typed():
    for name in tallystick.__all__:
        thing = getattr(tallystick, name)
        if callable(thing):
            call = thing if inspect.isfunction(thing) else thing.__init__
            hints = inspect.get_annotations(call)
            wanted = [p for p in inspect.signature(call).parameters if p != "self"]
            assert not [p for p in wanted if p not in hints], f"{name} has untyped parameters"
            assert thing.__doc__, f"{name} has no docstring"
        if inspect.isclass(thing):  # a method inherits the words of the one that it overrides
            public = [m for m in dir(thing) if not m.startswith("_") and callable(getattr(thing, m, None))]
            assert not [m for m in public if not inspect.getdoc(getattr(thing, m))], name


def test_public_names_are_those_loaded_on_demand():
    assert sorted(tallystick.__all__) == tallystick.__all__
    assert set(tallystick.__all__) == {*tallystick._WHERE, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'NaiveBaise'"):
        _ = tallystick.NaiveBaise


def test_every_room_has_its_place_in_the_import_contract():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = " ".join(config["tool"]["importlinter"]["contracts"][0]["layers"])
    placed = set(re.findall(r"tallystick\.([a-z_.]+)", layers))
    rooms = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert rooms - placed - {"__init__", "examples"} == set()


def test_only_the_kernels_room_imports_compiled_code():
    users = {
        p.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for p in MODULES
        if re.search(r"^\s*(from|import) .*\b_kernels\b", p.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert users <= {"kernels"}


def test_every_module_says_what_it_is():
    assert [str(p) for p in MODULES if not ast.get_docstring(tree(p))] == []


# The words are put together here so that this file does not find itself.
TRACES = re.compile(
    "|".join(
        [
            r"(?<![\w.~])/(?:" + "|".join(["work", "opt", "root", "home"]) + r")/\w",
            "index" + "-url",
            "find" + "-links",
            r"https?://[^\s)>\"']*/" + "simple",
            "files.python" + "hosted",
            r"localhost:\d{4}/" + "(?:root|pypi|simple)",
        ]
    )
)


def test_no_machine_path_and_no_registry_address_in_the_tree():
    found = []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {m[0]}" for m in TRACES.finditer(text)]
    assert found == []


def test_one_place_of_the_tests_reads_where_the_public_tables_are():
    read = re.compile("environ.{0,8}TALLYSTICK" + "_DATA")
    found = {p.name for p in (ROOT / "tests").rglob("*.py") if read.search(p.read_text("utf-8"))}
    assert found == {"shared_tables.py"}


def test_no_code_is_loaded_by_name_or_from_bytes():
    """Law 4: no pickle, eval, exec or import by a computed name anywhere in the package."""
    # the package's own names, looked up in a fixed table when first used
    tables = ("__init__.py", "methods.py", "cli/main.py")
    allowed = {(place, "import_module") for place in tables}
    found = []
    for path in MODULES:
        place = path.relative_to(PACKAGE).as_posix()
        for node in nodes(path):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [a.name for a in node.names] + [getattr(node, "module", None) or ""]
                found += [
                    (place, n)
                    for n in names
                    if n.partition(".")[0] in ("pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle")
                ]
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                owner = getattr(getattr(node.func, "value", None), "id", "")
                if name in ("eval", "exec", "__import__", "import_module") or (
                    name == "compile" and owner != "re"
                ):
                    found.append((place, name))
    assert set(found) - allowed == set()


def test_the_heavy_list_can_fail():
    """The probe sees a library that is loaded."""
    assert "numpy" in loaded_by("import numpy")


def test_benchmarks_take_from_each_other_what_is_there():
    """Their peers are not all installed where tests run, so they are read, not imported."""
    paths = (ROOT / "benchmarks").glob("*.py")
    taking = {path.stem: path for path in paths}
    if not taking:
        pytest.skip("an sdist has no benchmarks")
    there = {name: {n for node in tree(path).body for n in _defined(node)} for name, path in taking.items()}
    taken = [
        (name, node.module, alias.name)
        for name, path in taking.items()
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module in taking
        for alias in node.names
    ]
    assert len(taken) > 20
    assert not [one for one in taken if one[2] not in there[one[1]]]


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return []
