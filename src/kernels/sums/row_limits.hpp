// What the ways of adding many columns at once share: how large the values of each column are, and some rows of a tile.
#pragma once

#include "kernels/base/tiles.hpp"
#include "kernels/sums/moments.hpp"

namespace tally {

inline constexpr size_t row_classes = 32;  // at most: beyond, their sums no longer stay near

struct RowLimits {                       // per lane; which of them are used depends on the way
    double scale[lanes];                 // 2^-top
    int64_t least[lanes], most[lanes];   // quick: the bits of |x| lie between them, or x is 0
    double coarse[lanes], fine[lanes];   // adding them rounds to whole numbers of two units
    double largest[lanes], full[lanes];  // quick: |x| is less; what squares of some rows may sum to
    int64_t used[lanes];                 // all bits where there is a column
    int64_t top[lanes];                  // |x| < 2^top, as far as was looked
    size_t place[lanes];                 // which of the tables belongs to the lane
    bool gaps[lanes / 8];                // of eight lanes: are cells missing, as far as was looked
    int64_t weight_bits;                 // every weight is below 2^weight_bits
};

struct Rows {  // some rows of some columns of a tile, of one class
    size_t n;
    const uint8_t* rows;
    const double* tile;
    ptrdiff_t stride;
    const double* ahead;  // a part of the next tile, and how far apart to fetch of it
    ptrdiff_t step;
    const int64_t* weights;  // of the rows of the tile, or null
    const double* shares;    // the same as shares of 2^weight_bits

    const double* operator[](size_t i) const { return tile + static_cast<ptrdiff_t>(rows[i]) * stride; }
    int64_t weight(size_t i) const { return weights ? weights[rows[i]] : 1; }
    TALLY_INLINE void fetch(size_t i) const { TALLY_PREFETCH_NEAR(ahead + static_cast<ptrdiff_t>(i) * step); }
};

// The tables of one column and class.
inline MomentTables tables_of(MomentTables to, size_t column, size_t n_classes, size_t c) {
    const MomentTables own = tables_of(to, column, n_classes);
    return {own.missing + c, own.sums + c * sum_digits, own.squares + c * square_digits};
}

inline double two_to(int64_t power) { return std::bit_cast<double>((1023 + power) << 52); }

}  // namespace tally
