"""What a density tree is once it is fitted: cells of columns, nodes, counts of leaves, log densities."""
