"""The whole job in a browser, on one's own machine: `tally studio`."""
