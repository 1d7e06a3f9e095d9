// Where numbers lie among cuts: bin = cuts at or below x, missing: n_cuts + 1. And how often each bin meets each class.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/base/tiles.hpp"
#include "kernels/columns/ranks.hpp"

namespace tally {

// Finds bins a tile of numbers at a time. Equal cells between the first and the last cut tell which cuts lie in the cell of
// a number, mostly one or none; where cuts crowd in some cell, sixteen searches by halves go side by side.
class BinFinder {
   public:
    static constexpr size_t tile = 512;

    BinFinder(size_t n_cuts, const double* cuts, size_t rows) : n_(n_cuts), cuts_(n_cuts + 1 + most_near) {
        std::copy_n(cuts, n_cuts, cuts_.begin());
        std::fill(cuts_.begin() + static_cast<ptrdiff_t>(n_cuts), cuts_.end(), std::numeric_limits<double>::quiet_NaN());
        if (n_cuts > 1 && n_cuts < 65536 && rows >= worth_cells) find_cells();
    }

    // below[0 .. n) of x[0 .. n); both have room for a tile, and all of x is set.
    void find(size_t n, const double* x, uint32_t* below) const {
        switch (near_) {
            case 1: in_cells<1>(n, x, below); break;
            case 2: in_cells<2>(n, x, below); break;
            case 3:
            case 4: in_cells<4>(n, x, below); break;
            default: by_halves(n, x, below);
        }
    }

   private:
    static constexpr size_t cells = 1024, most_near = 4, worth_cells = 4096;

    // A higher number is never in a lower cell, so cuts of lower cells are below x and those of higher ones above it.
    static TALLY_INLINE int32_t cell_of(double x, double start, double scale) {
        const double at = (x - start) * scale + 1.0, low = at > 0.0 ? at : 0.0;
        constexpr double top = cells - 1;
        return static_cast<int32_t>(low < top ? low : top);
    }

    void find_cells() {
        start_ = cuts_[0];
        const double width = cuts_[n_ - 1] - start_;
        scale_ = static_cast<double>(cells - 2) / width;
        if (!(width < std::numeric_limits<double>::infinity() && scale_ < 1e300)) return;
        first_.resize(cells + 1);
        first_[cells] = static_cast<uint16_t>(n_ + 1);  // missing
        size_t cut = 0, most = 0;
        for (size_t cell = 0; cell < cells; ++cell) {
            first_[cell] = static_cast<uint16_t>(cut);
            while (cut < n_ && cell_of(cuts_[cut], start_, scale_) == static_cast<int32_t>(cell)) ++cut;
            most = std::max(most, cut - first_[cell]);
        }
        if (most <= most_near) near_ = most;
    }

    template <size_t near>
    void in_cells(size_t n, const double* x, uint32_t* below) const {
        const double start = start_, scale = scale_, *const cuts = cuts_.data();
        const uint16_t* const first = first_.data();
        run_fast([=] {
            int32_t cell[tile];
            for (size_t i = 0; i < n; ++i)
                cell[i] = x[i] == x[i] ? cell_of(x[i], start, scale) : static_cast<int32_t>(cells);
            for (size_t i = 0; i < n; ++i) {
                const uint32_t at = first[cell[i]];
                uint32_t bin = at;
                for (size_t m = 0; m < near; ++m) bin += cuts[at + m] <= x[i];
                below[i] = bin;
            }
        });
    }

    void by_halves(size_t n, const double* x, uint32_t* below) const {
        constexpr size_t together = 16;
        static_assert(tile % together == 0);
        const double* const cuts = cuts_.data();
        for (size_t begin = 0; begin < n; begin += together) {
            size_t at[together] = {};
            for (size_t left = n_; left > 1; left -= left / 2)
                for (size_t i = 0; i < together; ++i) at[i] += cuts[at[i] + left / 2 - 1] <= x[begin + i] ? left / 2 : 0;
            for (size_t i = 0; i < together; ++i) {
                const double own = x[begin + i];
                below[begin + i] = static_cast<uint32_t>(own == own ? at[i] + (cuts[at[i]] <= own) : n_ + 1);
            }
        }
    }

    size_t n_, near_ = 0;          // cuts; cuts of one cell at most, 0: no cells
    std::vector<double> cuts_;     // and some that no number reaches
    std::vector<uint16_t> first_;  // cuts before each cell; the last: of missing
    double start_ = 0, scale_ = 0;
};

// codes[row] = number of cuts <= x (a row goes left of a cut when x < cut); missing: n_cuts + 1. cuts ascend.
template <class Code>
void bin_values(size_t rows, Column column, size_t n_cuts, const double* cuts, Code* codes) {
    const BinFinder finder(n_cuts, cuts, rows);
    double x[BinFinder::tile] = {};
    uint32_t below[BinFinder::tile];
    for (size_t begin = 0; begin < rows; begin += BinFinder::tile) {
        const size_t n = std::min(rows - begin, BinFinder::tile);
        for (size_t i = 0; i < n; ++i) x[i] = column[begin + i];
        finder.find(n, x, below);
        for (size_t i = 0; i < n; ++i) codes[begin + i] = static_cast<Code>(below[i]);
    }
}

struct CutTable {  // a column of numbers, its cuts, and table[bin, class], the last line of which is missing
    Column column;
    size_t n_cuts;
    const double* cuts;
    int64_t* table;
};

// How many columns from one on are neighbours in the rows of a matrix, at most four.
inline size_t side_by_side(const std::vector<CutTable>& columns, size_t first) {
    size_t n = 1;
    for (; n < 4 && first + n < columns.size(); ++n) {
        const Column &a = columns[first + n - 1].column, &b = columns[first + n].column;
        if (b.values != a.values + 1 || b.stride != a.stride) break;
    }
    return n;
}

// x[column, row] = rows of four columns that are neighbours; a column of x begins `apart` after the one before it.
inline constexpr size_t apart = BinFinder::tile + 24;  // not 4 KB, which would put all four into the same lines of the cache

inline void turn_four(Column first, size_t begin, size_t n, double* x) {
    const double* from = first.values + static_cast<ptrdiff_t>(begin) * first.stride;
    const ptrdiff_t stride = first.stride;
    run_fast([=] {
        const double* at = from;
        size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            Four row[4], column[4];
            for (size_t k = 0; k < 4; ++k, at += stride) {
                row[k] = *reinterpret_cast<const Four*>(at);
                TALLY_PREFETCH_NEAR(at + static_cast<ptrdiff_t>(BinFinder::tile) * stride);
            }
            turn_square(row, column);
            for (size_t k = 0; k < 4; ++k) *reinterpret_cast<Four*>(x + k * apart + i) = column[k];
        }
        for (; i < n; ++i, at += stride)
            for (size_t k = 0; k < 4; ++k) x[k * apart + i] = at[k];
    });
}

// table[bin, class] += weight[row] (1 without weights) of every column; a tile of rows for all columns, which share lines of
// the cache where they are a matrix.
template <class Class>
void count_bins(size_t rows, const std::vector<CutTable>& columns, const Class* classes, const int64_t* weights,
                size_t n_classes) {
    std::vector<BinFinder> finders;
    for (const CutTable& own : columns) finders.emplace_back(own.n_cuts, own.cuts, rows);
    alignas(64) double x[4 * apart] = {};
    uint32_t below[BinFinder::tile];
    for (size_t begin = 0; begin < rows; begin += BinFinder::tile) {
        const size_t n = std::min(rows - begin, BinFinder::tile);
        const Class* const own = classes + begin;
        for (size_t i = 0; i < n; ++i) TALLY_REQUIRE(own[i] < n_classes);
        for (size_t first = 0, some; first < columns.size(); first += some) {
            some = side_by_side(columns, first) == 4 ? 4 : 1;
            if (some == 4) {
                turn_four(columns[first].column, begin, n, x);
            } else {
                for (size_t i = 0; i < n; ++i) x[i] = columns[first].column[begin + i];
            }
            for (size_t k = 0; k < some; ++k) {
                finders[first + k].find(n, x + k * apart, below);
                int64_t* const table = columns[first + k].table;
                if (weights) {
                    for (size_t i = 0; i < n; ++i) table[below[i] * n_classes + own[i]] += weights[begin + i];
                } else {
                    for (size_t i = 0; i < n; ++i) ++table[below[i] * n_classes + own[i]];
                }
            }
        }
    }
}

}  // namespace tally
