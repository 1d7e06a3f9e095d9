"""`python -m tallystick.cli`: the same as `tally`."""

from __future__ import annotations

from tallystick.cli.main import main

main()
