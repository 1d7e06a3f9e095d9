// Exact sums and sums of squares of many columns at once, as moments.hpp has them, several times as fast: by slices of
// doubles, or by products of whole numbers where the processor has them. Both find the same sums.
// Missing values are counted, and 0 in their place; values that are larger, or smaller and not 0, are taken out of their
// tile and go the long way, alone.
#pragma once

#include "kernels/sums/row_products.hpp"
#include "kernels/sums/row_slices.hpp"

namespace tally {

// The size of a column by some of its rows. Returns how many of those cells would go the long way.
template <class Way>
size_t find_limits(const Columns& columns, size_t column, RowLimits& limits) {
    constexpr size_t looked_at = 256;
    const size_t step = columns.rows / looked_at + 1;
    const auto cell = [&](size_t row) { return columns.at[column][static_cast<ptrdiff_t>(row) * columns.strides[column]]; };
    const auto bits_of = [&](size_t row) { return std::bit_cast<int64_t>(cell(row)) & INT64_MAX; };
    int64_t most = 0;
    for (size_t row = 0; row < columns.rows; row += step) {
        const int64_t bits = bits_of(row);
        if (bits < int64_t{2047} << 52) most = bits > most ? bits : most;
        limits.gaps[column / 8] |= cell(row) != cell(row);
    }
    const int64_t top = (most >> 52) - 1021;  // twice as large as any seen, because few were looked at
    limits.top[column] = top < -Way::most_top ? -Way::most_top : top > Way::most_top ? Way::most_top : top;
    Way::set(limits, column);
    size_t odd = 0;
    for (size_t row = 0; row < columns.rows; row += step) {
        odd += bits_of(row) < int64_t{2047} << 52 && !Way::is_quick(cell(row), limits, column);
    }
    return odd;
}

// Adds some columns where some cells are not quick: these are added the long way, and 0 in their place. The tile is
// nobody else's.
template <class Wide, class Way>
void add_odd(const Rows& rows, double* tile, size_t first, size_t n, size_t c, size_t n_classes, const RowLimits& limits,
             Way& sums, MomentTables to) {
    const uint8_t own = 0;
    for (size_t i = 0; i < rows.n; ++i) {
        double* const cells = tile + rows.rows[i] * Wide::doubles;
        const int64_t weight = rows.weight(i);
        for (size_t j = 0; j < n; ++j) {
            if (Way::is_quick(cells[j], limits, first + j)) continue;
            add_moments(1, {cells + j, 1}, &own, rows.weights ? &weight : nullptr, 1,
                        tables_of(to, limits.place[first + j], n_classes, c));
            cells[j] = 0.0;
        }
    }
    sums.template add<Wide>(rows, first, limits, c);
}

// Adds some columns where some cells may be missing: these are counted, and 0 in their place.
template <class Wide, class Way>
TALLY_INLINE void add_with_gaps(const Rows& rows, size_t first, size_t width, size_t c, size_t n_classes,
                                const RowLimits& limits, Way& sums, MomentTables to) {
    using V = Doubles<Wide>;
    using W = typename Vectors<Wide::doubles>::Wholes;
    alignas(64) double room[row_tile * Wide::doubles];
    const size_t n = width - first < Wide::doubles ? width - first : Wide::doubles;
    W missing{};
    for (size_t i = 0; i < rows.n; ++i) {
        rows.fetch(i);
        const V x = *reinterpret_cast<const V*>(rows[i]) + 0.0;  // no -0.0
        const W there = x == x;
        missing += ~there & rows.weight(i);
        *reinterpret_cast<W*>(room + rows.rows[i] * Wide::doubles) = (W)x & there;
    }
    for (size_t j = 0; j < n; ++j) tables_of(to, limits.place[first + j], n_classes, c).missing[0] += missing[j];
    const Rows filled{rows.n, rows.rows, room, Wide::doubles, room, 0, rows.weights, rows.shares};
    if (!sums.template add<Wide>(filled, first, limits, c))
        add_odd<Wide>(filled, room, first, n, c, n_classes, limits, sums, to);
}

// rows: those of a tile, class by class; ends[class]: where they end. rows has room for twice as many.
template <class Class>
TALLY_INLINE void by_class(size_t n, const Class* classes, size_t n_classes, uint8_t* rows, uint8_t* ends) {
    for (size_t i = 0; i < n; ++i) TALLY_REQUIRE(classes[i] < n_classes);
    if (n_classes <= 2) {  // no count waits for one in memory
        uint8_t others[row_tile] = {};
        size_t zeros = 0, ones = 0;
        for (size_t i = 0; i < n; ++i) {
            rows[zeros] = others[ones] = static_cast<uint8_t>(i);
            ones += classes[i], zeros += 1 - classes[i];
        }
        std::memcpy(rows + zeros, others, row_tile);
        ends[0] = static_cast<uint8_t>(zeros), ends[1] = static_cast<uint8_t>(n);
        return;
    }
    for (size_t i = 0; i < n; ++i) ++ends[classes[i]];
    for (size_t c = 0, sum = 0; c < n_classes; ++c) {
        const size_t own = ends[c];
        ends[c] = static_cast<uint8_t>(sum);
        sum += own;
    }
    for (size_t i = 0; i < n; ++i) rows[ends[classes[i]]++] = static_cast<uint8_t>(i);
}

// Adds the rows of a tile, those of each class together.
template <class Wide, class Way, class Class>
TALLY_INLINE void add_tile(size_t n, size_t width, const double* tile, ptrdiff_t stride, const Class* classes,
                           const int64_t* weights, size_t n_classes, const RowLimits& limits, Way& sums, MomentTables to) {
    uint8_t rows[2 * row_tile];
    double shares[row_tile];
    if (weights)
        for (size_t i = 0; i < n; ++i) shares[i] = static_cast<double>(weights[i]) * two_to(-limits.weight_bits);
    uint8_t ends[row_classes] = {};
    by_class(n, classes, n_classes, rows, ends);
    // The next tile is fetched while this one is added, as it lies where its rows touch: no processor foresees this walk.
    const double* const next = tile + static_cast<ptrdiff_t>(row_tile) * stride;
    const bool touching = stride <= static_cast<ptrdiff_t>(padded(width));
    for (size_t c = 0, at = 0, done = 0; c < n_classes; ++c) {
        while (at < ends[c]) {
            const size_t left = sums.room(c), some = ends[c] - at < left ? ends[c] - at : left;
            for (size_t j = 0; j < width; j += Wide::doubles, done += some * Wide::doubles) {
                const double* const ahead = touching ? next + done : next + static_cast<ptrdiff_t>(at) * stride + j;
                const Rows own{some,    rows + at, tile + j, stride, ahead, touching ? ptrdiff_t{Wide::doubles} : stride,
                               weights, shares};
                if (limits.gaps[j / 8] || !sums.template add<Wide>(own, j, limits, c))
                    add_with_gaps<Wide>(own, j, width, c, n_classes, limits, sums, to);
            }
            at += some;
            if (sums.count(c, some, width)) sums.empty(c, width, n_classes, limits, to);
        }
    }
}

// Adds some rows.
template <class Wide, class Way, class Class>
TALLY_INLINE void add_row_moments(const Columns& columns, Span rows, const Class* classes, const int64_t* weights,
                                  size_t n_classes, const RowLimits& limits, Way& sums, MomentTables to) {
    alignas(64) double room[row_tile * lanes] = {};
    each_tile<row_tile>(columns, rows, room, [&](size_t begin, size_t n, const double* tile, ptrdiff_t stride) {
        add_tile<Wide>(n, columns.width, tile, stride, classes + begin, weights ? weights + begin : nullptr, n_classes,
                       limits, sums, to);
    });
}

// tables[column, class] += at most `lanes` columns, some rows after the others; the tables have all of them
// after `end`, and digits are not carried. How large values are is found once, by the rows given at first; columns whose
// values differ too much in size are taken one by one.
template <class Way>
class RowMoments {
    const size_t n_classes;
    const MomentTables to;
    size_t width = 0;  // of the columns that are quick
    std::vector<size_t> slow;
    RowLimits limits{};
    Way sums{n_classes};

   public:
    // weight_bits: every weight is below that power of two
    RowMoments(const Columns& some, size_t classes, MomentTables tables, int64_t weight_bits = 0)
        : n_classes(classes),
          to(tables) {
        limits.weight_bits = weight_bits;
        constexpr size_t few = 16;  // of the 256 cells looked at
        const double* at[lanes];
        ptrdiff_t strides[lanes];
        const Columns quick{some.rows, lanes, at, strides};
        for (size_t j = 0; j < some.width; ++j) {
            at[width] = some.at[j], strides[width] = some.strides[j], limits.place[width] = j;
            if (find_limits<Way>(quick, width, limits) <= few) {
                ++width;
            } else {
                slow.push_back(j);
            }
        }
        for (size_t lane = width; lane < lanes; ++lane) Way::set_unused(limits, lane);
    }
    RowMoments(const RowMoments&) = delete;

    // classes, weights: of the first row of the columns on; null: no row has a weight
    template <class Class>
    void add(const Columns& columns, Span rows, const Class* classes, const int64_t* weights = nullptr) {
        for (const size_t j : slow) {
            const Column own{columns.at[j] + static_cast<ptrdiff_t>(rows.begin) * columns.strides[j], columns.strides[j]};
            add_moments(rows.end - rows.begin, own, classes + rows.begin, weights ? weights + rows.begin : nullptr,
                        n_classes, tables_of(to, j, n_classes));
        }
        if (!width) return;
        const double* at[lanes];
        ptrdiff_t strides[lanes];
        for (size_t lane = 0; lane < width; ++lane)
            at[lane] = columns.at[limits.place[lane]], strides[lane] = columns.strides[limits.place[lane]];
        const Columns quick{columns.rows, width, at, strides};
        if constexpr (std::is_same_v<Way, Products>) {
            run_fast([=, this] {
                add_row_moments<Instructions<8, true>>(quick, rows, classes, weights, n_classes, limits, sums, to);
            });
        } else {
            run_wide([=, this](auto instructions) {
                add_row_moments<decltype(instructions)>(quick, rows, classes, weights, n_classes, limits, sums, to);
            });
        }
    }
    void end() {
        for (size_t c = 0; c < n_classes; ++c) sums.empty(c, width, n_classes, limits, to);
    }
};

template <class Way, class Class>
void add_columns_by(const Columns& columns, const Class* classes, const int64_t* weights, int64_t weight_bits,
                    size_t n_classes, MomentTables to) {
    RowMoments<Way> sums(columns, n_classes, to, weight_bits);
    sums.add(columns, {0, columns.rows}, classes, weights);
    sums.end();
}

// weights: or null; each is below 2^weight_bits, which are at most `most_weight_bits`.
template <class Class>
void add_columns(const Columns& columns, const Class* classes, const int64_t* weights, int64_t weight_bits, size_t n_classes,
                 MomentTables to) {
    if (weights) return add_columns_by<WeightedSlices>(columns, classes, weights, weight_bits, n_classes, to);
    if (level >= Level::ifma) return add_columns_by<Products>(columns, classes, nullptr, 0, n_classes, to);
    add_columns_by<Slices>(columns, classes, nullptr, 0, n_classes, to);
}

}  // namespace tally
