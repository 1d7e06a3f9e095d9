// The rows of a table, or of one subtree, as the search wants them: per node one run of entries in every column.
//
// A frame numbers its rows 0..n-1. `rows` lists them by node, class after class; order[column] lists them by node in rising
// order of value, missing last. Columns without an order are read as codes. A split marks each row's side and every
// list is partitioned stably, so that order survives.
#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "kernels/tree/sort.hpp"
#include "kernels/tree/walk.hpp"

namespace tally::tree {

enum class Kind : int { numeric = 0, ordered = 1, levels = 2 };

struct Column {
    Kind kind = Kind::numeric;
    Numbers values;                    // numeric columns kept in order
    const void* codes = nullptr;       // code k is missing
    int width = 0;                     // bytes of a code; 0: there are no codes
    uint32_t k = 0;                    // codes of known values
    const double* distinct = nullptr;  // the values of codes of a numeric column
    bool binned = false;               // distinct[b] is where bin b begins, and the cut before it
    bool repeats = true;               // some value occurs twice
    int64_t cuts = -1;                 // allowed ones, where a table tells the best of them only; -1: the table's
    std::vector<uint16_t> own_codes;   // where this room made the codes itself
    std::vector<double> own_distinct;

    bool in_numbers() const { return kind == Kind::numeric && !width; }  // as it came, not in codes
};

inline double cut_between(const Column& column, double low, double high) {
    if (column.binned) return high;
    const double middle = 0.5 * low + 0.5 * high;  // of neighbours; where it rounds onto the lower, the upper
    return middle > low ? middle : high;
}

inline uint32_t code_at(const void* codes, int width, size_t row) {
    if (width == 1) return static_cast<const uint8_t*>(codes)[row];
    if (width == 2) return static_cast<const uint16_t*>(codes)[row];
    return static_cast<const uint32_t*>(codes)[row];
}

template <class E>
struct Frame {
    Layout<E> layout;
    size_t n = 0;
    std::vector<E> rows, spare;
    std::vector<Order<E>> order;     // per column; empty: use codes
    std::vector<const void*> codes;  // per column, by this frame's row numbers
    std::vector<int> width;
    std::vector<std::vector<uint8_t>> own_codes;
    std::vector<std::vector<uint64_t>> words;  // [pack, row]: see words.hpp
    std::vector<uint32_t> table_row;           // row number in the table; empty: the same
    Weights weights;
    std::vector<int64_t> own_score, own_rows, own_response;
    std::vector<uint8_t> side;        // [row], after a split
    std::vector<uint64_t> side_bits;  // the same in bits, where all columns of many rows are partitioned by it
    std::vector<uint32_t> branch;

    size_t in_table(size_t row) const { return table_row.empty() ? row : table_row[row]; }
};

// The sides of rows in bits: an eighth of the memory, which stays near while entries ask for rows in any order.
struct SideBits {
    const uint64_t* bits;
    uint64_t operator[](size_t row) const { return bits[row / 64] >> (row % 64) & 1; }

    static void fill(const std::vector<uint8_t>& side, std::vector<uint64_t>& bits) {
        bits.resize((side.size() + 63) / 64);
        for (size_t from = 0; from < side.size(); from += 64) {
            uint64_t word = 0;
            for (size_t i = 0; i < std::min<size_t>(64, side.size() - from); ++i) word |= uint64_t{side[from + i]} << i;
            bits[from / 64] = word;
        }
    }
};

// A node whose rows are still listed: rows[begin..end), and per column how many of them are missing.
struct Open {
    uint32_t node = 0;
    size_t begin = 0, end = 0;
    std::vector<uint32_t> missing;  // per column kept in order
    std::vector<uint8_t> constant;  // per column: nothing left to split on
    size_t size() const { return end - begin; }
};

// Partition run[0..n) by side[row] into two, stably; return the size of the first, and its size within run[0..known).
// A value is new in its branch when any entry since the branch's last one was new.
template <bool repeats, class E, class Sides>
std::pair<size_t, size_t> part_in_two(Layout<E> layout, E* run, size_t n, size_t known, Sides side, E* spare) {
    const E flag = layout.flag(), row = layout.row(~E{0});
    E left_new = 0, right_new = 0;
    size_t left = 0, right = 0, left_known = 0;
    for (size_t stage = 0; stage < 2; ++stage) {
        const size_t from = stage ? known : 0, to = stage ? n : known;
        for (size_t i = from; i < to; ++i) {
            const E e = run[i];
            const E s = static_cast<E>(side[e & row]);
            if constexpr (repeats) {
                left_new |= e & flag;
                right_new |= e & flag;
                run[left] = e | left_new;
                spare[right] = e | right_new;
                left_new &= E{0} - s;
                right_new &= s - E{1};
            } else {
                run[left] = e;
                spare[right] = e;
            }
            left += 1 - s;
            right += s;
        }
        if (!stage) left_known = left;
    }
    std::memcpy(run + left, spare, right * sizeof(E));
    return {left, left_known};
}

// Partition run[0..n) by branch[row] into many, stably. start[b] receives where branch b begins; known[b] its rows
// within run[0..known_all).
template <class E>
void part_in_many(Layout<E> layout, E* run, size_t n, size_t known_all, const uint32_t* branch, size_t branches, E* spare,
                  std::vector<size_t>& start, std::vector<size_t>& known) {
    start.assign(branches + 1, 0);
    known.assign(branches, 0);
    for (size_t i = 0; i < n; ++i) {
        const uint32_t b = branch[layout.row(run[i])];
        ++start[b + 1];
        known[b] += i < known_all;
    }
    for (size_t b = 0; b < branches; ++b) start[b + 1] += start[b];
    std::vector<size_t> at(start.begin(), start.end() - 1), value(branches, 0);
    size_t current = 1;
    for (size_t i = 0; i < n; ++i) {
        const E e = run[i];
        const uint32_t b = branch[layout.row(e)];
        current += layout.is_new(e);
        spare[at[b]++] = (e & ~layout.flag()) | (value[b] != current ? layout.flag() : E{0});
        value[b] = current;
    }
    std::memcpy(run, spare, n * sizeof(E));
}

// Sum the branch vector [C + 1] of rows[0..n) of a frame.
template <class E>
void sum_rows(const Frame<E>& f, const E* rows, size_t n, bool regression, size_t classes, int64_t* total) {
    std::fill(total, total + classes + 1, 0);
    const Weights& w = f.weights;
    if (!regression && !w.score) {
        for (size_t i = 0; i < n; ++i) ++total[f.layout.label(rows[i])];
        total[classes] = static_cast<int64_t>(n);
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const size_t row = f.layout.row(rows[i]);
        const int64_t copies = w.rows ? w.rows[row] : 1;
        if (regression)
            total[0] += copies * w.response[row];
        else
            total[f.layout.label(rows[i])] += w.score[row];
        total[classes] += copies;
    }
}

// Add rows[0..n) to a table of branch vectors by code; code k collects the missing.
template <class E, class Code>
void sum_codes(const Frame<E>& f, const E* rows, size_t n, const Code* codes, bool regression, size_t classes,
               int64_t* table) {
    const Weights& w = f.weights;
    const size_t width = classes + 1;
    if (!regression && !w.score) {
        for (size_t i = 0; i < n; ++i) ++table[codes[f.layout.row(rows[i])] * width + f.layout.label(rows[i])];
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const size_t row = f.layout.row(rows[i]);
        int64_t* cell = table + codes[row] * width;
        const int64_t copies = w.rows ? w.rows[row] : 1;
        if (regression)
            cell[0] += copies * w.response[row];
        else
            cell[f.layout.label(rows[i])] += w.score[row];
        cell[classes] += copies;
    }
}

// The same for rows of weight 1 and two codes (and missing), at most 8 classes: counts of all classes side by side in
// one number, emptied before a byte can overflow. total[C]: rows of each class.
template <class E, class Code>
void sum_two_codes(const Frame<E>& f, const E* rows, size_t n, const Code* codes, size_t classes, const int64_t* total,
                   int64_t* table) {
    const size_t width = classes + 1;
    for (size_t c = 0; c < classes; ++c) table[c] += total[c];
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < 255 ? n : i + 255;
        uint64_t ones = 0, missing = 0;
        for (; i < end; ++i) {
            const uint64_t code = codes[f.layout.row(rows[i])];
            const size_t shift = 8 * f.layout.label(rows[i]);
            ones += (code & 1) << shift;
            missing += (code >> 1) << shift;
        }
        for (size_t c = 0; c < classes; ++c) {
            const int64_t one = ones >> (8 * c) & 255, lost = missing >> (8 * c) & 255;
            table[c] -= one + lost;
            table[width + c] += one;
            table[2 * width + c] += lost;
        }
    }
}

// The same for rows of weight 1 and a small table: four tables in turn, so that one row does not wait for the last.
template <class E, class Code>
void sum_few_codes(const Frame<E>& f, const E* rows, size_t n, const Code* codes, size_t k, size_t classes, int64_t* table) {
    uint32_t counts[4][512] = {};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t t = 0; t < 4; ++t) ++counts[t][codes[f.layout.row(rows[i + t])] * classes + f.layout.label(rows[i + t])];
    for (; i < n; ++i) ++counts[0][codes[f.layout.row(rows[i])] * classes + f.layout.label(rows[i])];
    for (size_t code = 0; code <= k; ++code)
        for (size_t c = 0; c < classes; ++c) {
            const size_t cell = code * classes + c;
            table[code * (classes + 1) + c] +=
                int64_t{counts[0][cell]} + counts[1][cell] + counts[2][cell] + counts[3][cell];
        }
}

}  // namespace tally::tree
