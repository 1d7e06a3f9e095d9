// Exact ranks of a column of doubles by radix sort: row order, distinct values, and a code per row.
//
// An element is (prefix << row_bits) | row: the leading bits of the value's order-preserving bits, and the row.
// Three passes of 11 bits sort by the top 33 bits of the prefix, which nearly always settles the order; what is
// still tied is settled inside its short run. Equal values stay in row order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/common.hpp"

namespace tally {

// x < y as doubles exactly when ordered_bits(x) < ordered_bits(y); -0.0 is 0.0. Not for NaN.
inline uint64_t ordered_bits(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ (static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63) | (uint64_t{1} << 63));
}

struct Column {  // a possibly strided column of doubles
    const double* values;
    ptrdiff_t stride;
    double operator[](size_t row) const { return values[static_cast<ptrdiff_t>(row) * stride]; }
};

struct Prefix {  // how a value becomes the upper part of an element
    uint64_t low = 0;
    int shift = 0;      // dropped low bits of bits - low
    int width = 0;      // bits kept
    int row_bits = 0;   // bits of the row number
    bool exact = true;  // the dropped bits are the same in all rows
    size_t present = 0;
};

// Looks at all rows once and chooses the prefix.
inline Prefix choose_prefix(size_t rows, Column column) {
    uint64_t low = ~uint64_t{0}, high = 0, varying = 0, first = 0;
    size_t present = 0;
    for (size_t row = 0; row < rows; ++row) {
        const double x = column[row];
        if (x != x) continue;
        const uint64_t bits = ordered_bits(x);
        if (present++ == 0) first = bits;
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
        varying |= bits ^ first;
    }
    Prefix prefix{.low = low, .present = present};
    if (present == 0 || varying == 0) return prefix;
    const int range = std::bit_width(high - low), tail = std::countr_zero(varying);
    prefix.row_bits = std::bit_width(rows - 1);
    const int room = 64 - prefix.row_bits;
    prefix.shift = std::max(tail, range - room);
    prefix.width = range - prefix.shift;
    prefix.exact = prefix.shift == tail;
    return prefix;
}

// Stable radix sort of elements by `passes` digits of 11 bits from bit `from` upwards. Returns where the result lies.
inline uint64_t* radix_sort(uint64_t* elements, uint64_t* spare, size_t n, int from, int passes) {
    constexpr uint64_t mask = 2047;
    uint32_t starts[3][2048];
    TALLY_REQUIRE(passes <= 3);
    std::memset(starts, 0, sizeof starts);
    for (size_t i = 0; i < n; ++i) {
        for (int p = 0; p < passes; ++p) ++starts[p][(elements[i] >> (from + 11 * p)) & mask];
    }
    for (int p = 0; p < passes; ++p) {
        const int bit = from + 11 * p;
        if (starts[p][(elements[0] >> bit) & mask] == n) continue;  // all in one bucket
        uint32_t sum = 0;
        for (uint32_t& start : starts[p]) sum += std::exchange(start, sum);
        for (size_t i = 0; i < n; ++i) spare[starts[p][(elements[i] >> bit) & mask]++] = elements[i];
        std::swap(elements, spare);
    }
    return elements;
}

// Settles what the passes left: runs that are equal from bit `from` upwards.
inline void sort_runs(uint64_t* elements, size_t n, int from) {
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;
        bool sorted = true;
        while (end < n && elements[end] >> from == elements[begin] >> from) {
            sorted &= elements[end] > elements[end - 1];
            ++end;
        }
        if (!sorted) std::sort(elements + begin, elements + end);
        begin = end;
    }
}

// Settles runs of equal prefix whose values differ below it, by the values themselves.
inline void sort_ties(uint64_t* elements, size_t n, Prefix prefix, Column column) {
    const uint64_t row_mask = (uint64_t{1} << prefix.row_bits) - 1;
    const auto bits = [&](uint64_t element) { return ordered_bits(column[element & row_mask]); };
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;
        while (end < n && elements[end] >> prefix.row_bits == elements[begin] >> prefix.row_bits) ++end;
        if (end - begin > 1) {
            std::sort(elements + begin, elements + end, [&](uint64_t a, uint64_t b) {
                const uint64_t x = bits(a), y = bits(b);
                return x != y ? x < y : a < b;
            });
        }
        begin = end;
    }
}

struct Ranked {
    size_t present = 0;          // rows with a value
    size_t distinct = 0;         // different values
    uint64_t* where = nullptr;   // elements or spare: present elements (rank << 32) | row, sorted by rank, then row
};

// Sorts the present rows. elements and spare: scratch [rows]. rows < 2^32.
inline Ranked rank_rows(size_t rows, Column column, uint64_t* elements, uint64_t* spare) {
    TALLY_REQUIRE(rows < (uint64_t{1} << 32));
    const Prefix prefix = choose_prefix(rows, column);
    size_t n = 0;
    for (size_t row = 0; row < rows; ++row) {
        const double x = column[row];
        if (x != x) continue;
        elements[n++] = ((ordered_bits(x) - prefix.low) >> prefix.shift) << prefix.row_bits | row;
    }
    if (n == 0) return {};
    if (prefix.width == 0) return {n, 1, elements};  // one value: every rank is 0
    const int depth = std::min(prefix.width, 33), from = prefix.row_bits + prefix.width - depth;
    uint64_t* sorted = radix_sort(elements, spare, n, from, (depth + 10) / 11);
    if (from > prefix.row_bits) sort_runs(sorted, n, from);
    if (!prefix.exact) sort_ties(sorted, n, prefix, column);
    const uint64_t row_mask = (uint64_t{1} << prefix.row_bits) - 1;
    uint64_t rank = 0, before = sorted[0];
    for (size_t i = 0; i < n; ++i) {
        const uint64_t now = sorted[i];
        bool differs = (now ^ before) > row_mask;
        if (!prefix.exact && !differs) differs = !(column[now & row_mask] == column[before & row_mask]);
        rank += differs;
        before = now;
        sorted[i] = rank << 32 | (now & row_mask);
    }
    return {n, static_cast<size_t>(rank) + 1, sorted};
}

// distinct[rank], codes[row] (missing: the number of distinct values), counts[rank], order[i]; the last two may be null.
template <class Code>
void rank_codes(size_t rows, Column column, Ranked ranked, Code* codes, double* distinct, int64_t* counts,
                uint32_t* order) {
    if (ranked.present < rows) std::fill(codes, codes + rows, static_cast<Code>(ranked.distinct));
    // Two loops: the scattered stores and the scattered loads each get all the cache's miss slots.
    for (size_t i = 0; i < ranked.present; ++i) {
        codes[ranked.where[i] & 0xFFFFFFFFu] = static_cast<Code>(ranked.where[i] >> 32);
    }
    uint64_t next = 0;
    size_t begin = 0;
    for (size_t i = 0; i < ranked.present; ++i) {
        const uint64_t rank = ranked.where[i] >> 32;
        if (rank != next) continue;
        distinct[next++] = column[ranked.where[i] & 0xFFFFFFFFu] + 0.0;
        if (counts && rank > 0) counts[rank - 1] = static_cast<int64_t>(i - begin);
        begin = i;
    }
    if (counts && ranked.distinct > 0) counts[ranked.distinct - 1] = static_cast<int64_t>(ranked.present - begin);
    if (!order) return;
    for (size_t i = 0; i < ranked.present; ++i) order[i] = static_cast<uint32_t>(ranked.where[i]);
    size_t end = ranked.present;
    for (size_t row = 0; row < rows && end < rows; ++row) {
        const double x = column[row];
        if (x != x) order[end++] = static_cast<uint32_t>(row);
    }
}

// codes[row] = number of cuts <= x (a row goes left of a cut when x < cut); missing: n_cuts + 1. cuts ascend.
template <class Code>
void bin_values(size_t rows, Column column, size_t n_cuts, const double* cuts, Code* codes) {
    for (size_t row = 0; row < rows; ++row) {
        const double x = column[row];
        const double* at = cuts;
        for (size_t left = n_cuts; left > 1; left -= left / 2) at += (at[left / 2 - 1] <= x) * (left / 2);
        const size_t below = static_cast<size_t>(at - cuts) + (n_cuts > 0 && *at <= x);
        codes[row] = static_cast<Code>(x != x ? n_cuts + 1 : below);
    }
}

}  // namespace tally
