"""The tree with the fewest training errors, searched for and proven."""
