// Exact sums of rows by slices of doubles: additions and products of doubles alone, so any processor can.
//
// A column's values are scaled by a power of two to |y| < 1. A value with |y| >= 2^-20 is a whole number of 2^-72; its
// square is p + e exactly, p one of 2^-92 and e, at most 2^-54, one of 2^-144. A sum that began at a large constant has
// a last bit that is fixed: adding a number to it takes in what lies above that bit, and what is left is found exactly
// and added to the next sum. So y goes into two sums and its square into four, each of its own unit, and each fits the
// 53 bits of a double for 32 rows. The bits of a sum less those of its constant are a whole number of units: these are
// added up. The rows of a class come one after the other, so that its sums stay in registers.
//
// With weights of at most 38 bits, u of them as shares of a power of two, u * y is p + e exactly, a whole number of 2^-110,
// and u * y * y is the sum of four doubles, a whole number of 2^-182: three sums and four.
#pragma once

#include <vector>

#include "kernels/sums/row_limits.hpp"

namespace tally {

inline constexpr size_t row_full = 32;    // rows of a class after which its sums are moved
inline constexpr size_t row_moves = 512;  // of sums before they go to digits: 513 * 32 * 2^46 fits 63 bits
inline constexpr int small_bits = 20;     // |y| >= 2^-20 is quick
inline constexpr int64_t most_weight_bits = 38;

// Where the sum of each slot begins: one and a half times a power of two, so that its last bit stays the same.
struct PlainSlots {  // two of y, four of its square
    static constexpr size_t slots = 6;
    static constexpr double start[slots] = {0x1.8p6, 0x1.8p-20, 0x1.8p6, 0x1.8p-40, 0x1.8p-47, 0x1.8p-92};
};
struct WeightedSlots {  // three of u y, four of u y y, and what their last bits are worth: 2^-unit
    static constexpr size_t slots = 7, of_sum = 3;
    static constexpr double start[slots] = {0x1.8p6, 0x1.8p-40, 0x1.8p-85, 0x1.8p6, 0x1.8p-40, 0x1.8p-85, 0x1.8p-130};
    static constexpr size_t unit[slots] = {46, 92, 137, 46, 92, 137, 182};
};

// e = x * y - p, where p is x * y rounded.
template <class Wide>
TALLY_INLINE void rest_of_product(const Doubles<Wide>& x, const Doubles<Wide>& y, const Doubles<Wide>& p, Doubles<Wide>& e) {
    using V = Doubles<Wide>;
    if constexpr (Wide::fused) {
        for (size_t lane = 0; lane < Wide::doubles; ++lane) e[lane] = multiply_add(x[lane], y[lane], -p[lane]);
    } else {
        constexpr double cut = 134217729.0;  // 2^27 + 1 cuts a double into halves whose products are exact
        const V x_moved = cut * x, y_moved = cut * y;
        const V x_high = x_moved - (x_moved - x), x_low = x - x_high, y_high = y_moved - (y_moved - y), y_low = y - y_high;
        e = (((x_high * y_high - p) + x_high * y_low) + x_low * y_high) + x_low * y_low;
    }
}

// sum += what it can hold of x; the rest of x is left.
template <class Wide>
TALLY_INLINE void take_in(Doubles<Wide>& sum, Doubles<Wide>& x) {
    const Doubles<Wide> more = sum + x;
    x -= more - sum;
    sum = more;
}

// sum[slot] += y and its square.
template <class Wide>
TALLY_INLINE void add_slices(Doubles<Wide> y, Doubles<Wide>* sum) {
    Doubles<Wide> p = y * y, e;
    rest_of_product<Wide>(y, y, p, e);
    take_in<Wide>(sum[0], y);
    sum[1] += y;
    take_in<Wide>(sum[2], p);
    sum[3] += p;
    take_in<Wide>(sum[4], e);
    sum[5] += e;
}

// sum[slot] += u y and u y y.
template <class Wide>
TALLY_INLINE void add_slices(Doubles<Wide> y, double share, Doubles<Wide>* sum) {
    using V = Doubles<Wide>;
    const V u = V{} + share, square = y * y;
    V p = u * y, e, rest, a = u * square, b, c, d;
    rest_of_product<Wide>(u, y, p, e);
    rest_of_product<Wide>(y, y, square, rest);
    rest_of_product<Wide>(u, square, a, b);
    c = u * rest;
    rest_of_product<Wide>(u, rest, c, d);
    take_in<Wide>(sum[0], p), take_in<Wide>(sum[1], p), sum[2] += p;
    take_in<Wide>(sum[1], e), sum[2] += e;
    take_in<Wide>(sum[3], a), take_in<Wide>(sum[4], a), sum[5] += a;
    take_in<Wide>(sum[4], b), sum[5] += b;
    take_in<Wide>(sum[4], c), take_in<Wide>(sum[5], c), sum[6] += c;
    take_in<Wide>(sum[5], d), sum[6] += d;
}

template <class Slots>
struct SlicesOf {
    static constexpr bool weighted = std::is_same_v<Slots, WeightedSlots>;
    static constexpr size_t slots = Slots::slots;
    static constexpr int64_t most_top = 900;
    std::vector<double> sums;             // [class, slot, lane]: of at most row_full rows
    std::vector<uint64_t> wholes;         // [class, slot, lane]: of at most row_moves times as many, in units of the
                                          // slot, below 0 too; without a column they may be anything, and wrap
    std::vector<uint32_t> filled, moved;  // [class]: rows in sums; sums in wholes

    explicit SlicesOf(size_t n_classes)
        : sums(n_classes * slots * lanes),
          wholes(n_classes * slots * lanes),
          filled(n_classes),
          moved(n_classes) {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] = Slots::start[i / lanes % slots];
    }

    static void set(RowLimits& limits, size_t lane) {
        limits.scale[lane] = two_to(-limits.top[lane]);
        limits.least[lane] = (1023 + limits.top[lane] - small_bits) << 52;
        limits.most[lane] = (1023 + limits.top[lane]) << 52;
    }
    static void set_unused(RowLimits& limits, size_t lane) {  // everything is quick, and nothing is added
        limits.scale[lane] = 0.0, limits.least[lane] = 0, limits.most[lane] = INT64_MAX;
    }
    static bool is_quick(double x, const RowLimits& limits, size_t lane) {
        const int64_t bits = std::bit_cast<int64_t>(x) & INT64_MAX;
        return bits == 0 || (bits > limits.least[lane] && bits < limits.most[lane]);
    }
    size_t room(size_t c) const { return row_full - filled[c]; }  // rows that may come at once

    // Adds the columns from one on that fit a vector. Returns whether all their cells are quick; if not, nothing is added.
    template <class Wide>
    TALLY_INLINE bool add(const Rows& rows, size_t first, const RowLimits& limits, size_t c) {
        using V = Doubles<Wide>;
        using W = typename Vectors<Wide::doubles>::Wholes;
        using U = typename Vectors<Wide::doubles>::Bits;
        double* const to = sums.data() + c * slots * lanes + first;
        const V scale = *reinterpret_cast<const V*>(limits.scale + first);
        V sum[slots];
        for (size_t slot = 0; slot < slots; ++slot) sum[slot] = *reinterpret_cast<const V*>(to + slot * lanes);
        W low = W{} + INT64_MAX, high{};
        for (size_t i = 0; i < rows.n; ++i) {
            rows.fetch(i);
            const double* const x = rows[i];
            const U bits = *reinterpret_cast<const U*>(x) & INT64_MAX,
                    size = bits + INT64_MAX;  // as signed: 0 is the largest
            high = (W)bits > high ? (W)bits : high;
            low = (W)size < low ? (W)size : low;
            const V y = *reinterpret_cast<const V*>(x) * scale;
            if constexpr (weighted)
                add_slices<Wide>(y, rows.shares[rows.rows[i]], sum);
            else
                add_slices<Wide>(y, sum);
        }
        const W least = *reinterpret_cast<const W*>(limits.least + first),
                most = *reinterpret_cast<const W*>(limits.most + first);
        const W wrong = (low < (least ^ INT64_MIN)) | (high >= most);
        int64_t any = 0;
        for (size_t lane = 0; lane < Wide::doubles; ++lane) any |= wrong[lane];
        if (any) return false;
        for (size_t slot = 0; slot < slots; ++slot) *reinterpret_cast<V*>(to + slot * lanes) = sum[slot];
        return true;
    }

    // Says that all columns have added so many rows of a class. Returns whether they must go to digits now.
    TALLY_INLINE bool count(size_t c, size_t rows, size_t width) {
        if ((filled[c] += static_cast<uint32_t>(rows)) < row_full) return false;
        move(c, padded(width));
        return ++moved[c] == row_moves;
    }
    TALLY_INLINE void move(size_t c, size_t wide) {
        double* __restrict const from = sums.data() + c * slots * lanes;
        uint64_t* __restrict const to = wholes.data() + c * slots * lanes;
        for (size_t slot = 0; slot < slots; ++slot) {
            for (size_t j = 0; j < wide; ++j) {
                const size_t at = slot * lanes + j;
                to[at] += std::bit_cast<uint64_t>(from[at]) - std::bit_cast<uint64_t>(Slots::start[slot]);
                from[at] = Slots::start[slot];
            }
        }
        filled[c] = 0;
    }

    // Moves the sums of a class to digits, and leaves no rows.
    void empty(size_t c, size_t width, size_t n_classes, const RowLimits& limits, MomentTables to) {
        move(c, padded(width));
        moved[c] = 0;
        uint64_t* const own = wholes.data() + c * slots * lanes;
        const auto wide = [&](size_t slot, size_t j) { return int128{static_cast<int64_t>(own[slot * lanes + j])}; };
        for (size_t j = 0; j < width; ++j) {
            const MomentTables table = tables_of(to, limits.place[j], n_classes, c);
            const size_t top = static_cast<size_t>(limits.top[j] + 1074);
            if constexpr (weighted) {
                const size_t bits = static_cast<size_t>(limits.weight_bits);
                for (size_t k = 0; k < Slots::of_sum; ++k) add_wide(table.sums, top + bits - Slots::unit[k], wide(k, j));
                for (size_t k = Slots::of_sum; k < slots; ++k)
                    add_wide(table.squares, 2 * top + bits - Slots::unit[k], wide(k, j));
            } else {
                add_wide(table.sums, top - 72, (wide(0, j) << 26) + wide(1, j));
                add_wide(table.squares, 2 * top - 92, (wide(2, j) << 46) + wide(3, j));
                add_wide(table.squares, 2 * top - 144, (wide(4, j) << 45) + wide(5, j));
            }
        }
        for (size_t i = 0; i < slots * lanes; ++i) own[i] = 0;
    }
};

using Slices = SlicesOf<PlainSlots>;
using WeightedSlices = SlicesOf<WeightedSlots>;

}  // namespace tally
