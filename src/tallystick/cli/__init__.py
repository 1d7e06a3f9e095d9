"""tally ...: the command line. Every command is a thin face on the Python names.

Whatever is heavy is imported inside a command, so that `tally --help` is quick. Law: an error is one line
on stderr and exit code 2; a traceback only with --debug.
"""

from __future__ import annotations

import sys

try:
    from tallystick.cli.main import main
except KeyboardInterrupt:  # Ctrl-C while the program is still being loaded
    print("tally: interrupted; no file was written.", file=sys.stderr)
    sys.exit(130)

__all__ = ["main"]
