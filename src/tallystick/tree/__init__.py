"""Decision trees: options, tables of counts, growth, pruning, optimal trees, views, work."""
