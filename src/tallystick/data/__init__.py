"""What a table means and how its rows come in: schema, source, encode."""
