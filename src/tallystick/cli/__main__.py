"""`python -m tallystick.cli`: the same as `tally`."""

from tallystick.cli import main

main()
