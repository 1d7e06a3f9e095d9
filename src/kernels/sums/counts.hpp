// Count tables: how often each code meets each class, per node. Whole numbers only, so any order gives the same bits.
#pragma once

#include <cstring>

#include "kernels/base/tiles.hpp"

namespace tally {

inline constexpr size_t small_cells = 2048;  // four tables of this many 4-byte cells stay in the first-level cache

inline constexpr size_t compared = 16;  // classes that are compared with all rows sooner than looked up

// table[class] += rows, of few classes: each is compared with a vector of rows at a time. Returns how many rows were counted.
inline size_t count_compared(size_t rows, const uint8_t* classes, size_t n_classes, int64_t* table) {
    return run_wide([=](auto instructions) {
        constexpr size_t wide = decltype(instructions)::doubles * sizeof(double), most = 255;  // so that no byte overflows
        using Bytes = typename VectorOf<uint8_t, wide>::Cells;
        size_t row = 0;
        while (row + wide <= rows) {
            const size_t vectors = (rows - row) / wide < most ? (rows - row) / wide : most;
            for (size_t c = 0; c < n_classes; ++c) {
                Bytes met{};
                for (size_t i = 0; i < vectors; ++i) {
                    Bytes some;
                    std::memcpy(&some, classes + row + i * wide, wide);
                    met -= reinterpret_cast<Bytes>(some == static_cast<uint8_t>(c));
                }
                for (size_t k = 0; k < wide; ++k) table[c] += met[k];
            }
            row += vectors * wide;
        }
        return row;
    });
}

// table[class] += weight[row] (1 without weights). Neighbouring rows are often of one class, and an addition that waits for
// the one before it costs five cycles: so four tables take turns where classes are few.
template <class Class>
void count_classes(size_t rows, const Class* classes, const int64_t* weights, size_t n_classes, int64_t* table) {
    constexpr size_t few = 256;
    size_t row = 0;
    for (size_t i = 0; i < rows; ++i) TALLY_REQUIRE(classes[i] < n_classes);
    if constexpr (sizeof(Class) == 1)
        if (!weights && n_classes <= compared) row = count_compared(rows, classes, n_classes, table);
    if (!weights && n_classes <= few && rows - row >= 4 * n_classes) {
        int64_t part[4][few] = {};
        for (; row + 4 <= rows; row += 4)
            for (size_t k = 0; k < 4; ++k) ++part[k][classes[row + k]];
        for (size_t c = 0; c < n_classes; ++c) table[c] += part[0][c] + part[1][c] + part[2][c] + part[3][c];
    }
    for (; row < rows; ++row) table[classes[row]] += weights ? weights[row] : 1;
}

// One column, no weights, no nodes, few cells. Four tables take turns, as above.
template <class Code, class Class>
void count_small(size_t rows, const Code* codes, const Class* classes, size_t n_codes, size_t n_classes, int64_t* table) {
    uint32_t part[4 * small_cells];
    const size_t cells = n_codes * n_classes;
    for (size_t i = 0; i < 4 * cells; ++i) part[i] = 0;
    uint32_t *const a = part, *const b = part + cells, *const c = b + cells, *const d = c + cells;
    const auto cell = [&](size_t row) {
        TALLY_REQUIRE(codes[row] < n_codes && classes[row] < n_classes);
        return codes[row] * n_classes + classes[row];
    };
    size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        ++a[cell(row)];
        ++b[cell(row + 1)];
        ++c[cell(row + 2)];
        ++d[cell(row + 3)];
    }
    for (; row < rows; ++row) ++a[cell(row)];
    for (size_t i = 0; i < cells; ++i) table[i] += int64_t{a[i]} + b[i] + c[i] + d[i];
}

// table[node, code, class] += weight[row] (1 without weights). nodes or weights may be null.
template <class Code, class Class>
void count_codes(size_t rows, const uint32_t* nodes, const Code* codes, const Class* classes, const int64_t* weights,
                 size_t n_codes, size_t n_classes, int64_t* table) {
    if (!nodes && !weights && n_codes * n_classes <= small_cells && n_codes * n_classes <= rows) {
        constexpr size_t most = size_t{1} << 32;  // so that no 4-byte cell can overflow
        for (size_t begin = 0; begin < rows; begin += most) {
            const size_t part = rows - begin < most ? rows - begin : most;
            count_small(part, codes + begin, classes + begin, n_codes, n_classes, table);
        }
        return;
    }
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(codes[row] < n_codes && classes[row] < n_classes);
        const size_t node = nodes ? nodes[row] : 0;
        table[(node * n_codes + codes[row]) * n_classes + classes[row]] += weights ? weights[row] : 1;
    }
}

}  // namespace tally
