"""The rows that the models of the server's tests learn from."""

ROWS = [{"x": i % 7 + 0.5, "w": "abc"[i % 3], "y": "pq"[(i % 7 > 2) ^ (i % 11 == 0)]} for i in range(60)]
