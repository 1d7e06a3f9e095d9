"""`tally studio`: the page, its sessions and jobs."""
