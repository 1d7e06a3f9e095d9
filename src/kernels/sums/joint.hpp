// Columns of few codes taken together: the codes of some columns make one joint code, so that a row costs one step for
// several columns. Sums over joint codes are sums over the columns: the same numbers as column by column.
#pragma once

#include "kernels/base/common.hpp"

namespace tally {

inline constexpr size_t joint_rows = 512;    // walked at a time, so that joint codes and sums stay near
inline constexpr size_t joint_codes = 2048;  // at most; two lanes of hashes for each then stay in the first-level cache
inline constexpr size_t joint_cells = 4096;  // at most, of joint codes times classes

// How many columns from `first` on make joint codes of at most `most`; at least one.
inline size_t columns_joined(size_t columns, size_t first, const size_t* n_codes, size_t most) {
    size_t n = 1, codes = n_codes[first];
    while (first + n < columns && codes * n_codes[first + n] <= most) codes *= n_codes[first + n++];
    return n;
}

// joint[row] = code of the first column + its number of codes * (code of the second + ...); rows at most joint_rows.
inline void join_codes(size_t rows, size_t columns, const uint8_t* const* codes, size_t begin, const size_t* n_codes,
                       uint16_t* __restrict joint) {
    const uint8_t* const last = codes[columns - 1] + begin;
    for (size_t i = 0; i < rows; ++i) joint[i] = last[i];
    for (size_t j = columns - 1; j-- > 0;) {
        const uint8_t* const code = codes[j] + begin;
        const uint16_t size = static_cast<uint16_t>(n_codes[j]);
        for (size_t i = 0; i < rows; ++i) joint[i] = static_cast<uint16_t>(joint[i] * size + code[i]);
    }
}

inline bool all_within(size_t rows, size_t columns, const uint8_t* const* codes, const size_t* n_codes) {
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < rows; ++i)
            if (codes[j][i] >= n_codes[j]) return false;
    return true;
}

struct Lanes {
    uint64_t low, high;
};

// joint[code] = the sum of tables[column][lane, code] over the columns of a joint code.
inline void join_hashes(size_t columns, const uint64_t* const* tables, const size_t* n_codes, Lanes* joint) {
    size_t size = 1;
    joint[0] = {0, 0};
    for (size_t j = 0; j < columns; ++j) {  // the joint table grows by a column: the last code varies slowest
        const uint64_t* const table = tables[j];
        for (size_t code = n_codes[j]; code-- > 0;) {
            for (size_t i = 0; i < size; ++i) {
                joint[code * size + i] = {joint[i].low + table[code], joint[i].high + table[n_codes[j] + code]};
            }
        }
        size *= n_codes[j];
    }
}

// low[row], high[row] += hashes of the joint code of some columns.
inline void add_joined(size_t rows, size_t columns, const uint8_t* const* codes, const size_t* n_codes, const Lanes* hashes,
                       uint64_t* low, uint64_t* high) {
    TALLY_REQUIRE(all_within(rows, columns, codes, n_codes));
    run_fast([=] {
        uint16_t joint[joint_rows];
        for (size_t begin = 0; begin < rows; begin += joint_rows) {
            const size_t part = rows - begin < joint_rows ? rows - begin : joint_rows;
            join_codes(part, columns, codes, begin, n_codes, joint);
            for (size_t i = 0; i < part; ++i) {
                const Lanes hash = hashes[joint[i]];
                low[begin + i] += hash.low;
                high[begin + i] += hash.high;
            }
        }
    });
}

// low[row], high[row] += tables[column][lane, code[row]] over all columns. n_codes: at most joint_codes each. room:
// joint_codes.
inline void add_joint_hashes(size_t rows, size_t columns, const uint8_t* const* codes, const uint64_t* const* tables,
                             const size_t* n_codes, Lanes* room, uint64_t* low, uint64_t* high) {
    for (size_t first = 0; first < columns;) {
        const size_t n = columns_joined(columns, first, n_codes, joint_codes);
        join_hashes(n, tables + first, n_codes + first, room);
        add_joined(rows, n, codes + first, n_codes + first, room, low, high);
        first += n;
    }
}

// tables[column][code, class] += rows. cells: joint_cells * 2 counts.
inline void count_joint(size_t rows, size_t columns, const uint8_t* const* codes, const uint8_t* classes,
                        const size_t* n_codes, size_t n_classes, uint32_t* cells, int64_t* const* tables) {
    TALLY_REQUIRE(all_within(rows, columns, codes, n_codes));
    for (size_t first = 0; first < columns;) {
        const size_t n = columns_joined(columns, first, n_codes, joint_cells / n_classes);
        size_t size = 1;
        for (size_t j = first; j < first + n; ++j) size *= n_codes[j];
        uint32_t *const even = cells, *const odd = cells + size * n_classes;
        for (size_t i = 0; i < 2 * size * n_classes; ++i) cells[i] = 0;
        run_fast([=] {
            uint16_t joint[joint_rows];
            for (size_t begin = 0; begin < rows; begin += joint_rows) {
                const size_t part = rows - begin < joint_rows ? rows - begin : joint_rows;
                join_codes(part, n, codes + first, begin, n_codes + first, joint);
                const uint16_t k = static_cast<uint16_t>(n_classes);
                for (size_t i = 0; i < part; ++i) joint[i] = static_cast<uint16_t>(joint[i] * k + classes[begin + i]);
                size_t i = 0;
                for (; i + 2 <= part; i += 2) ++even[joint[i]], ++odd[joint[i + 1]];  // two, or neighbours wait
                if (i < part) ++even[joint[i]];
            }
        });
        size_t below = 1;  // joint codes of the columns before
        for (size_t j = first; j < first + n; ++j) {
            for (size_t cell = 0; cell < size; ++cell) {
                int64_t* const row = tables[j] + cell / below % n_codes[j] * n_classes;
                for (size_t c = 0; c < n_classes; ++c)
                    row[c] += int64_t{even[cell * n_classes + c]} + odd[cell * n_classes + c];
            }
            below *= n_codes[j];
        }
        first += n;
    }
}

}  // namespace tally
