"""Questions about rows whose answers are sums: zero, add, merge."""
