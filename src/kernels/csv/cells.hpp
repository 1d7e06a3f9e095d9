// Equal cells between the lowest and the highest value of a column: rows per cell, and the rows of some cells.
#pragma once

#include "kernels/base/common.hpp"
#include "kernels/columns/ranks.hpp"

namespace tally {

// A value x lies in cell (x / 2 - start) * scale, cut down to a whole number and kept within the cells. Halves, so
// that no difference of two doubles overflows.
struct Grid {
    double start, scale;
    size_t cells;
};

inline constexpr size_t cell_rows = 512;  // told their cells at once: a loop without branches, then one that adds

// cell[i] of some values; a missing one gets `cells`.
inline void find_cells(size_t rows, Column column, size_t begin, Grid grid, uint32_t* cell) {
    const double top = static_cast<double>(grid.cells - 1), none = static_cast<double>(grid.cells);
    for (size_t i = 0; i < rows; ++i) {
        const double x = column[begin + i];
        double place = (x / 2 - grid.start) * grid.scale;
        place = place > 0 ? place : 0;
        place = place < top ? place : top;
        cell[i] = static_cast<uint32_t>(static_cast<int32_t>(x == x ? place : none));
    }
}

// counts[cell] += weight[row] (1 without weights); missing values are in no cell.
inline void count_cells(size_t rows, Column column, Grid grid, const int64_t* weights, int64_t* counts) {
    run_fast([=] {
        uint32_t cell[cell_rows];
        for (size_t begin = 0; begin < rows; begin += cell_rows) {
            const size_t n = rows - begin < cell_rows ? rows - begin : cell_rows;
            find_cells(n, column, begin, grid, cell);
            for (size_t i = 0; i < n; ++i) {
                if (cell[i] < grid.cells) counts[cell[i]] += weights ? weights[begin + i] : 1;
            }
        }
    });
}

// picked[0 .. n): the rows that lie in wanted cells, in their order; returns n. wanted[cell]: 0 or 1; picked has room
// for all rows and one more.
inline size_t pick_cells(size_t rows, Column column, Grid grid, const uint8_t* wanted, uint32_t* picked) {
    return run_fast([=] {
        uint32_t cell[cell_rows];
        size_t found = 0;
        for (size_t begin = 0; begin < rows; begin += cell_rows) {
            const size_t n = rows - begin < cell_rows ? rows - begin : cell_rows;
            find_cells(n, column, begin, grid, cell);
            for (size_t i = 0; i < n; ++i) {
                picked[found] = static_cast<uint32_t>(begin + i);
                found += cell[i] < grid.cells ? wanted[cell[i]] : 0;
            }
        }
        return found;
    });
}

}  // namespace tally
