// Exact sums and sums of squares of many columns at once, as moments.hpp has them, several times as fast.
//
// A column's values are scaled by a power of two to |y| < 1. A value with |y| >= 2^-20 is a whole number of 2^-72; its
// square is p + e exactly, p one of 2^-92 and e, at most 2^-54, one of 2^-144. A sum that began at a large constant has
// a last bit that is fixed: adding a number to it takes in what lies above that bit, and what is left is found exactly
// and added to the next sum. So y goes into two sums and its square into four, each of its own unit, and each fits the
// 53 bits of a double for 32 rows. The bits of a sum less those of its constant are a whole number of units: these are
// added up. The rows of a class come one after the other, so that its sums stay in registers.
// Values that are missing, larger, or smaller and not 0 are taken out of their tile and go the long way, alone.
#pragma once

#include <vector>

#include "kernels/base/tiles.hpp"
#include "kernels/sums/moments.hpp"

namespace tally {

inline constexpr size_t row_slots = 6;        // two of y, four of its square
inline constexpr size_t row_full = 32;        // rows of a class after which its sums are moved
inline constexpr size_t row_chunk = 1 << 14;  // rows between two moves to digits: 513 * 2^51 fits 63 bits
inline constexpr size_t row_classes = 32;     // at most: beyond, their sums no longer stay near
inline constexpr int small_bits = 20;         // |y| >= 2^-20 is quick

struct RowLimits {                      // per lane; lanes without a column have scale 0 and allow everything
    double scale[lanes];                // 2^-top
    int64_t least[lanes], most[lanes];  // quick: the bits of |x| lie between them, or x is 0
    int64_t top[lanes];
    size_t place[lanes];  // which of the tables belongs to the lane
};

// Where the sum of each slot begins: one and a half times a power of two, so that its last bit stays the same.
inline constexpr double row_start[row_slots] = {0x1.8p6, 0x1.8p-20, 0x1.8p6, 0x1.8p-40, 0x1.8p-47, 0x1.8p-92};

struct RowTables {
    std::vector<double> sums;      // [class, slot, lane]: of at most row_full rows
    std::vector<int64_t> wholes;   // [class, slot, lane]: of at most row_chunk rows, in units of the slot
    std::vector<uint32_t> filled;  // [class]: rows in sums

    explicit RowTables(size_t n_classes)
        : sums(n_classes * row_slots * lanes),
          wholes(n_classes * row_slots * lanes),
          filled(n_classes) {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] = row_start[i / lanes % row_slots];
    }
    double* sums_of(size_t c) { return sums.data() + c * row_slots * lanes; }
    int64_t* wholes_of(size_t c) { return wholes.data() + c * row_slots * lanes; }
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

// e = y * y - p, where p is y * y rounded.
template <class Wide>
TALLY_INLINE void rest_of_square(const Doubles<Wide>& y, const Doubles<Wide>& p, Doubles<Wide>& e) {
    using V = Doubles<Wide>;
    if constexpr (Wide::fused) {
        for (size_t lane = 0; lane < Wide::doubles; ++lane) e[lane] = multiply_add(y[lane], y[lane], -p[lane]);
    } else {
        const V moved = 134217729.0 * y;  // 2^27 + 1 cuts y into halves whose products are exact
        const V high = moved - (moved - y), low = y - high;
        e = ((high * high - p) + 2.0 * high * low) + low * low;
    }
}

// sum += what it can hold of x; the rest of x is left.
template <class Wide>
TALLY_INLINE void take_in(Doubles<Wide>& sum, Doubles<Wide>& x) {
    const Doubles<Wide> more = sum + x;
    x -= more - sum;
    sum = more;
}

TALLY_INLINE void move_sums(size_t wide, double* __restrict sums, int64_t* __restrict wholes) {
    for (size_t slot = 0; slot < row_slots; ++slot) {
        for (size_t j = 0; j < wide; ++j) {
            const size_t at = slot * lanes + j;
            wholes[at] += std::bit_cast<int64_t>(sums[at]) - std::bit_cast<int64_t>(row_start[slot]);
            sums[at] = row_start[slot];
        }
    }
}

struct Rows {  // some rows of some columns of a tile, of one class
    size_t n;
    const uint8_t* rows;
    const double* tile;
    ptrdiff_t stride;
    const double* operator[](size_t i) const { return tile + static_cast<ptrdiff_t>(rows[i]) * stride; }
};

// sums[slot, lane] += the columns from one on that fit a vector. Returns whether all their cells are quick; if not,
// nothing is added.
template <class Wide>
TALLY_INLINE bool add_vector(const Rows& rows, size_t first, const RowLimits& limits, double* sums) {
    using V = Doubles<Wide>;
    using W = typename Vectors<Wide::doubles>::Wholes;
    using U = typename Vectors<Wide::doubles>::Bits;
    const V scale = *reinterpret_cast<const V*>(limits.scale + first);
    V sum[row_slots];
    for (size_t slot = 0; slot < row_slots; ++slot) sum[slot] = *reinterpret_cast<const V*>(sums + slot * lanes + first);
    W low = W{} + INT64_MAX, high{};
    for (size_t i = 0; i < rows.n; ++i) {
        const double* const x = rows[i];
        TALLY_PREFETCH(x + static_cast<ptrdiff_t>(row_tile) * rows.stride);  // no processor foresees this walk
        const U bits = *reinterpret_cast<const U*>(x) & INT64_MAX, size = bits + INT64_MAX;  // as signed: 0 is the largest
        high = (W)bits > high ? (W)bits : high;
        low = (W)size < low ? (W)size : low;
        V y = *reinterpret_cast<const V*>(x) * scale, p = y * y, e;
        rest_of_square<Wide>(y, p, e);
        take_in<Wide>(sum[0], y);
        sum[1] += y;
        take_in<Wide>(sum[2], p);
        sum[3] += p;
        take_in<Wide>(sum[4], e);
        sum[5] += e;
    }
    const W least = *reinterpret_cast<const W*>(limits.least + first),
            most = *reinterpret_cast<const W*>(limits.most + first);
    const W wrong = (low < (least ^ INT64_MIN)) | (high >= most);
    int64_t any = 0;
    for (size_t lane = 0; lane < Wide::doubles; ++lane) any |= wrong[lane];
    if (any) return false;
    for (size_t slot = 0; slot < row_slots; ++slot) *reinterpret_cast<V*>(sums + slot * lanes + first) = sum[slot];
    return true;
}

// The same where some cells are not quick: these are added the long way, and 0 in their place.
template <class Wide>
void add_odd_vector(const Rows& rows, size_t first, size_t width, size_t c, size_t n_classes, const RowLimits& limits,
                    RowTables& sums, MomentTables to) {
    alignas(64) double room[row_full * Wide::doubles] = {};
    uint8_t all[row_full];
    const uint8_t own = 0;
    for (size_t i = 0; i < rows.n; ++i) {
        all[i] = static_cast<uint8_t>(i);
        for (size_t j = first; j < first + Wide::doubles && j < width; ++j) {
            const double x = rows[i][j - first];
            if (is_quick(std::bit_cast<int64_t>(x) & INT64_MAX, limits, j)) {
                room[i * Wide::doubles + j - first] = x;
                continue;
            }
            const MomentTables table = tables_of(to, limits.place[j], n_classes);
            add_moments(1, {&x, 1}, &own, nullptr, 1,
                        {table.missing + c, table.sums + c * sum_digits, table.squares + c * square_digits});
        }
    }
    add_vector<Wide>({rows.n, all, room, Wide::doubles}, first, limits, sums.sums_of(c));
}

// Adds the rows of a tile, those of each class together.
template <class Wide, class Class>
TALLY_INLINE void add_tile(size_t n, size_t width, const double* tile, ptrdiff_t stride, const Class* classes,
                           size_t n_classes, const RowLimits& limits, RowTables& sums, MomentTables to) {
    uint8_t rows[row_tile];
    uint8_t ends[row_classes] = {};
    for (size_t i = 0; i < n; ++i) {
        TALLY_REQUIRE(classes[i] < n_classes);
        ++ends[classes[i]];
    }
    for (size_t c = 0, sum = 0; c < n_classes; ++c) {
        const size_t own = ends[c];
        ends[c] = static_cast<uint8_t>(sum);
        sum += own;
    }
    for (size_t i = 0; i < n; ++i) rows[ends[classes[i]]++] = static_cast<uint8_t>(i);
    for (size_t c = 0, at = 0; c < n_classes; ++c) {
        while (at < ends[c]) {
            const size_t left = row_full - sums.filled[c], some = ends[c] - at < left ? ends[c] - at : left;
            for (size_t j = 0; j < width; j += Wide::doubles) {
                const Rows own{some, rows + at, tile + j, stride};
                if (!add_vector<Wide>(own, j, limits, sums.sums_of(c)))
                    add_odd_vector<Wide>(own, j, width, c, n_classes, limits, sums, to);
            }
            at += some;
            if ((sums.filled[c] += static_cast<uint32_t>(some)) < row_full) continue;
            move_sums(padded(width), sums.sums_of(c), sums.wholes_of(c));
            sums.filled[c] = 0;
        }
    }
}

// Moves everything to digits, and leaves no rows.
inline void move_wholes(size_t width, size_t n_classes, const RowLimits& limits, RowTables& from, MomentTables to) {
    for (size_t c = 0; c < n_classes; ++c) {
        int64_t* const wholes = from.wholes_of(c);
        move_sums(padded(width), from.sums_of(c), wholes);
        from.filled[c] = 0;
        const auto wide = [&](size_t slot, size_t j) { return static_cast<int128>(wholes[slot * lanes + j]); };
        for (size_t j = 0; j < width; ++j) {
            const MomentTables table = tables_of(to, limits.place[j], n_classes);
            const size_t top = static_cast<size_t>(limits.top[j] + 1074);
            add_wide(table.sums + c * sum_digits, top - 72, (wide(0, j) << 26) + wide(1, j));
            add_wide(table.squares + c * square_digits, 2 * top - 92, (wide(2, j) << 46) + wide(3, j));
            add_wide(table.squares + c * square_digits, 2 * top - 144, (wide(4, j) << 45) + wide(5, j));
        }
        for (size_t i = 0; i < row_slots * lanes; ++i) wholes[i] = 0;
    }
}

// tables[column, class] += at most `lanes` columns without weights. Digits are not carried. The scratch has no rows.
template <class Class>
void add_row_moments(const Columns& columns, const Class* classes, size_t n_classes, const RowLimits& limits,
                     RowTables& scratch, MomentTables to) {
    run_wide([=, &columns, &limits, &scratch](auto instructions) {
        using Wide = decltype(instructions);
        alignas(64) double room[row_tile * lanes] = {};
        size_t done = 0;
        each_tile<row_tile>(columns, room, [&](size_t begin, size_t n, const double* tile, ptrdiff_t stride) {
            add_tile<Wide>(n, columns.width, tile, stride, classes + begin, n_classes, limits, scratch, to);
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
void add_columns(const Columns& columns, const Class* classes, size_t n_classes, RowTables& scratch, MomentTables to) {
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
