// Exact sums and sums of squares of many columns at once, as moments.hpp has them, several times as fast.
//
// A column's values are scaled by a power of two to |y| < 1. A value with |y| >= 2^-20 is a whole number of 2^-72, and
// its square, p + e exactly, one of 2^-144. Adding a large constant and taking it off again cuts a number at a fixed
// bit: so y goes into two sums, of units 2^-48 and 2^-96, and its square into three, 2^-48, 2^-96 and 2^-144. Each
// sum of 32 such parts fits the 53 bits of a double, so no addition rounds. Then they are added as whole numbers.
// Values that are missing, larger, or smaller and not 0 are taken out of their tile and go the long way, alone.
#pragma once

#include "kernels/base/tiles.hpp"
#include "kernels/sums/moments.hpp"

namespace tally {

inline constexpr size_t row_slots = 5;        // y and y^2 by their units
inline constexpr size_t row_chunk = 1 << 14;  // rows between two moves to digits: 513 * 2^53 fits 63 bits
inline constexpr int small_bits = 20;         // |y| >= 2^-20 is quick

struct RowLimits {                      // per lane; lanes without a column have scale 0 and allow everything
    double scale[lanes];                // 2^-top
    int64_t least[lanes], most[lanes];  // quick: the bits of |x| lie between them, or x is 0
    int64_t top[lanes];
    size_t place[lanes];  // which of the tables belongs to the lane
};

struct RowTables {
    double* sums;      // [class, slot, lane]: of at most 32 rows
    int64_t* wholes;   // [class, slot, lane]: of at most row_chunk rows
    uint32_t* filled;  // [class]: rows in sums
};

// bits: of |x|.
inline bool is_quick(int64_t bits, const RowLimits& limits, size_t j) {
    return bits == 0 || (bits > limits.least[j] && bits < limits.most[j]);
}

// The size of each column by some of its rows. Returns how many of those cells would go the long way.
inline size_t find_limits(const Columns& columns, size_t column, RowLimits& limits) {
    constexpr size_t looked_at = 256;
    const size_t step = columns.rows / looked_at + 1;
    const auto bits_of = [&](size_t row) {
        return std::bit_cast<int64_t>(columns.at[column][static_cast<ptrdiff_t>(row) * columns.strides[column]]) & INT64_MAX;
    };
    int64_t most = 0;
    for (size_t row = 0; row < columns.rows; row += step) {
        const int64_t bits = bits_of(row);
        if (bits < int64_t{2047} << 52) most = bits > most ? bits : most;
    }
    int64_t top = (most >> 52) - 1021;  // twice as large as any seen, because few were looked at
    top = top < -900 ? -900 : top > 900 ? 900 : top;
    limits.top[column] = top;
    limits.scale[column] = std::bit_cast<double>((1023 - top) << 52);
    limits.least[column] = (1023 + top - small_bits) << 52;
    limits.most[column] = (1023 + top) << 52;
    size_t odd = 0;
    for (size_t row = 0; row < columns.rows; row += step) {
        const int64_t bits = bits_of(row);
        odd += bits < int64_t{2047} << 52 && !is_quick(bits, limits, column);
    }
    return odd;
}

// y * y - p, where p is y * y rounded.
template <bool fused>
inline double rest_of_square(double y, double p) {
    if constexpr (fused) return multiply_add(y, y, -p);
    const double moved = 134217729.0 * y;  // 2^27 + 1 cuts y into halves whose products are exact
    const double high = moved - (moved - y), low = y - high;
    return ((high * high - p) + 2 * high * low) + low * low;
}

// Whether all cells of a tile are quick.
inline bool all_quick(size_t n, size_t wide, const double* tile, ptrdiff_t stride, const RowLimits& limits) {
    alignas(64) int64_t low[lanes], high[lanes];
    wide &= ~size_t{7};
    for (size_t j = 0; j < wide; ++j) low[j] = INT64_MAX, high[j] = 0;
    for (size_t i = 0; i < n; ++i) {
        const double* __restrict const x = tile + static_cast<ptrdiff_t>(i) * stride;
        for (size_t j = 0; j < wide; ++j) {
            const int64_t bits = std::bit_cast<int64_t>(x[j]) & INT64_MAX;
            const int64_t size = static_cast<int64_t>(static_cast<uint64_t>(bits - 1) >> 1);  // 0 becomes the largest
            high[j] = bits > high[j] ? bits : high[j];
            low[j] = size < low[j] ? size : low[j];
        }
    }
    int64_t wrong = 0;
    for (size_t j = 0; j < wide; ++j) wrong |= (low[j] < limits.least[j] / 2) | (high[j] >= limits.most[j]);
    return wrong == 0;
}

// Takes the other cells out of a copied tile and adds them the long way.
template <class Class>
void take_out(size_t n, size_t width, double* tile, const Class* classes, size_t n_classes, const RowLimits& limits,
              MomentTables to) {
    const size_t wide = padded(width);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < width; ++j) {
            double& x = tile[i * wide + j];
            const int64_t bits = std::bit_cast<int64_t>(x) & INT64_MAX;
            if (is_quick(bits, limits, j)) continue;
            add_moments(1, {&x, 1}, classes + i, nullptr, n_classes, tables_of(to, limits.place[j], n_classes));
            x = 0.0;
        }
    }
}

inline void move_sums(size_t width, double* __restrict sums, int64_t* __restrict wholes) {
    constexpr double unit[row_slots] = {0x1p48, 0x1p96, 0x1p48, 0x1p96, 0x1p144};
    for (size_t slot = 0; slot < row_slots; ++slot) {
        for (size_t j = 0; j < width; ++j) {
            wholes[slot * lanes + j] += static_cast<int64_t>(sums[slot * lanes + j] * unit[slot]);
            sums[slot * lanes + j] = 0.0;
        }
    }
}

template <bool fused, class Class>
void add_tile(size_t n, size_t width, const double* tile, ptrdiff_t stride, const Class* classes, size_t n_classes,
              const RowLimits& limits, RowTables to) {
    constexpr double first = 0x1.8p4, second = 0x1.8p-44;  // adding them cuts at 2^-48 and at 2^-96
    const double* __restrict const scale = limits.scale;
    const size_t wide = padded(width) & ~size_t{7};
    (void)n_classes;
    for (size_t i = 0; i < n; ++i) {
        TALLY_REQUIRE(classes[i] < n_classes);
        const size_t c = classes[i];
        const double* __restrict const x = tile + static_cast<ptrdiff_t>(i) * stride;
        double* __restrict const sums = to.sums + c * row_slots * lanes;
        for (size_t j = 0; j < wide; ++j) {
            const double y = x[j] * scale[j];
            const double cut = (y + first) - first;
            const double p = y * y, e = rest_of_square<fused>(y, p);
            const double high = (p + first) - first, middle = (e + second) - second;
            sums[j] += cut;
            sums[lanes + j] += y - cut;
            sums[2 * lanes + j] += high;
            sums[3 * lanes + j] += (p - high) + middle;
            sums[4 * lanes + j] += e - middle;
        }
        if (++to.filled[c] == tile_rows) {
            move_sums(width, sums, to.wholes + c * row_slots * lanes);
            to.filled[c] = 0;
        }
    }
}

// Moves everything to digits and leaves zeros.
inline void move_wholes(size_t width, size_t n_classes, const RowLimits& limits, RowTables from, MomentTables to) {
    for (size_t c = 0; c < n_classes; ++c) {
        int64_t* const wholes = from.wholes + c * row_slots * lanes;
        move_sums(width, from.sums + c * row_slots * lanes, wholes);
        from.filled[c] = 0;
        const auto wide = [&](size_t slot, size_t j) { return static_cast<int128>(wholes[slot * lanes + j]); };
        for (size_t j = 0; j < width; ++j) {
            const MomentTables table = tables_of(to, limits.place[j], n_classes);
            const size_t top = static_cast<size_t>(limits.top[j] + 1074);
            add_wide(table.sums + c * sum_digits, top - 96, (wide(0, j) << 48) + wide(1, j));
            add_wide(table.squares + c * square_digits, 2 * top - 96, (wide(2, j) << 48) + wide(3, j));
            add_wide(table.squares + c * square_digits, 2 * top - 144, wide(4, j));
        }
        for (size_t i = 0; i < row_slots * lanes; ++i) wholes[i] = 0;
    }
}

// tables[column, class] += at most `lanes` columns without weights. Digits are not carried. The scratch is zero before.
template <class Class>
void add_row_moments(const Columns& columns, const Class* classes, size_t n_classes, const RowLimits& limits,
                     RowTables scratch, MomentTables to) {
    run_fused([=, &columns, &limits](auto fused) {
        alignas(64) double room[tile_rows * lanes];
        const size_t wide = padded(columns.width);
        size_t done = 0;
        each_tile(columns, room, [&](size_t begin, size_t n, const double* tile, ptrdiff_t stride) {
            if (!all_quick(n, wide, tile, stride, limits)) {
                if (tile != room) columns.copy(begin, n, room);
                take_out(n, columns.width, room, classes + begin, n_classes, limits, to);
                tile = room, stride = static_cast<ptrdiff_t>(wide);
            }
            add_tile<decltype(fused)::value>(n, columns.width, tile, stride, classes + begin, n_classes, limits, scratch);
            if ((done += n) >= row_chunk) {
                move_wholes(columns.width, n_classes, limits, scratch, to);
                done = 0;
            }
        });
        move_wholes(columns.width, n_classes, limits, scratch, to);
    });
}

// The same with the limits found here, and columns whose values differ too much in size taken one by one.
template <class Class>
void add_columns(const Columns& columns, const Class* classes, size_t n_classes, RowTables scratch, MomentTables to) {
    constexpr size_t few = 16;  // of the 256 cells looked at
    const double* at[lanes];
    ptrdiff_t strides[lanes];
    Columns quick{columns.rows, 0, at, strides};
    RowLimits limits{};
    for (size_t j = 0; j < columns.width; ++j) {
        const size_t lane = quick.width;
        at[lane] = columns.at[j], strides[lane] = columns.strides[j], limits.place[lane] = j;
        if (find_limits(quick, lane, limits) <= few) {
            ++quick.width;
            continue;
        }
        add_moments(columns.rows, {columns.at[j], columns.strides[j]}, classes, nullptr, n_classes,
                    tables_of(to, j, n_classes));
    }
    for (size_t lane = quick.width; lane < lanes; ++lane) {
        limits.scale[lane] = 0.0, limits.least[lane] = 0, limits.most[lane] = INT64_MAX;
    }
    if (quick.width) add_row_moments(quick, classes, n_classes, limits, scratch, to);
}

}  // namespace tally
