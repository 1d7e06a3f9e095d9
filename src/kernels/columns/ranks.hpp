// Exact ranks of a column of doubles, or of keys of 64 bits, by radix sort: row order, distinct values, and a code per row.
//
// An element is (prefix << row_bits) | row: the leading bits of the value's order-preserving bits, and the row.
// Elements are dealt into groups of rising values that fit the second-level cache. In a group three passes of 11 bits
// sort by 33 bits of the prefix, which nearly always settles the order; what is still tied is settled inside its short
// run. Equal values stay in row order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/columns/hash.hpp"

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
    Column from(size_t row) const { return {values + static_cast<ptrdiff_t>(row) * stride, stride}; }
    bool is_missing(size_t row) const { return (*this)[row] != (*this)[row]; }
    uint64_t bits(size_t row) const { return ordered_bits((*this)[row]); }
};

struct Keys {  // whole numbers of 64 bits, none of them missing
    const uint64_t* keys;
    bool is_missing(size_t) const { return false; }
    uint64_t bits(size_t row) const { return keys[row]; }
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
template <class Values>
Prefix choose_prefix(size_t rows, Values column) {
    uint64_t low = ~uint64_t{0}, high = 0, varying = 0, first = 0;
    size_t present = 0;
    for (size_t row = 0; row < rows; ++row) {
        if (column.is_missing(row)) continue;
        const uint64_t bits = column.bits(row);
        if (present++ == 0) first = bits;
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
        varying |= bits ^ first;
    }
    Prefix prefix{.low = low, .row_bits = rows > 0 ? static_cast<int>(std::bit_width(rows - 1)) : 0, .present = present};
    if (present == 0 || varying == 0) return prefix;
    const int range = std::bit_width(high - low), tail = std::countr_zero(varying);
    const int room = 64 - prefix.row_bits;
    prefix.shift = std::max(tail, range - room);
    prefix.width = range - prefix.shift;
    prefix.exact = prefix.shift == tail;
    return prefix;
}

inline constexpr int bin_bits = 13;  // elements are dealt by this many leading bits
inline constexpr size_t bins = 1 << bin_bits;
inline constexpr size_t group_rows = 49152;  // twice as many elements of 8 bytes fit the second-level cache
inline constexpr int digit_bits = 11, most_passes = 3;
inline constexpr size_t digits = 1 << digit_bits;

struct Group {  // elements [begin, end) lie in [base, base + 2^bits)
    size_t begin, end;
    uint64_t base;
    int bits;
};

// Writes the elements of present rows and counts their leading bits.
template <class Values>
void pack_rows(size_t rows, Values column, const Prefix& prefix, int bin_shift, uint64_t* elements, uint32_t* counts) {
    size_t n = 0;
    for (size_t row = 0; row < rows; ++row) {
        if (column.is_missing(row)) continue;
        const uint64_t element = ((column.bits(row) - prefix.low) >> prefix.shift) << prefix.row_bits | row;
        elements[n++] = element;
        ++counts[element >> bin_shift];
    }
}

// Stable radix sort of a group by its leading digits. Returns where the result lies: elements or spare.
inline uint64_t* sort_group(const Group& group, int from, uint64_t* elements, uint64_t* spare) {
    const size_t n = group.end - group.begin;
    const int passes = (group.bits - from + digit_bits - 1) / digit_bits;
    uint32_t starts[most_passes][digits] = {};
    TALLY_REQUIRE(passes <= most_passes);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = (elements[i] - group.base) >> from;
        ++starts[0][key % digits];
        ++starts[1][(key >> digit_bits) % digits];
        ++starts[2][(key >> 2 * digit_bits) % digits];
    }
    for (int p = 0; p < passes; ++p) {
        const int bit = from + digit_bits * p;
        if (starts[p][((elements[0] - group.base) >> bit) % digits] == n) continue;  // all have the same digit
        uint32_t sum = 0;
        for (uint32_t& start : starts[p]) sum += std::exchange(start, sum);
        for (size_t i = 0; i < n; ++i) spare[starts[p][((elements[i] - group.base) >> bit) % digits]++] = elements[i];
        std::swap(elements, spare);
    }
    return elements;
}

// Sorts a run that the passes could not tell apart: by the rest of the prefix, then by the values themselves.
template <class Values>
void settle_run(uint64_t* begin, uint64_t* end, const Prefix& prefix, Values column) {
    if (end - begin <= 16) {
        for (uint64_t* at = begin + 1; at < end; ++at) {
            const uint64_t element = *at;
            uint64_t* to = at;
            for (; to > begin && to[-1] > element; --to) *to = to[-1];
            *to = element;
        }
    } else if (!std::is_sorted(begin, end)) {
        std::sort(begin, end);
    }
    if (prefix.exact) return;
    const uint64_t row_mask = (uint64_t{1} << prefix.row_bits) - 1;
    while (begin < end) {
        uint64_t* stop = begin + 1;
        while (stop < end && (*stop ^ *begin) <= row_mask) ++stop;
        if (stop - begin > 1) {
            std::sort(begin, stop, [&](uint64_t a, uint64_t b) {
                const uint64_t x = column.bits(a & row_mask), y = column.bits(b & row_mask);
                return x != y ? x < y : a < b;
            });
        }
        begin = stop;
    }
}

// Settles what the passes left of a sorted group and writes (rank << 32) | row. Returns the next rank.
template <class Values>
uint64_t assign_ranks(const Group& group, int from, const Prefix& prefix, Values column, uint64_t rank, uint64_t* sorted,
                      uint64_t* out) {
    const size_t n = group.end - group.begin;
    const uint64_t row_mask = (uint64_t{1} << prefix.row_bits) - 1;
    const bool unsettled = from > prefix.row_bits || !prefix.exact;
    for (size_t begin = 0; begin < n; ++rank) {
        size_t end = begin + 1;
        const uint64_t key = (sorted[begin] - group.base) >> from;
        while (end < n && (sorted[end] - group.base) >> from == key) ++end;
        if (unsettled && end - begin > 1) settle_run(sorted + begin, sorted + end, prefix, column);
        uint64_t before = sorted[begin];
        for (size_t i = begin; i < end; ++i) {
            const uint64_t now = sorted[i];
            if (unsettled && i > begin) {
                bool differs = (now ^ before) > row_mask;
                if (!prefix.exact && !differs) differs = column.bits(now & row_mask) != column.bits(before & row_mask);
                rank += differs;
            }
            before = now;
            out[i] = rank << 32 | (now & row_mask);
        }
        begin = end;
    }
    return rank;
}

// Joins neighbouring bins to groups. counts[bin]: rows of the bin, then the first bin of its group; next[first bin]:
// where the group begins.
inline void make_groups(uint32_t* counts, uint32_t* next) {
    uint32_t begin = 0;
    for (size_t bin = 0; bin < bins;) {
        const uint32_t first = static_cast<uint32_t>(bin);
        uint32_t rows = 0;
        do {
            rows += std::exchange(counts[bin], first);
            ++bin;
        } while (bin < bins && rows + counts[bin] <= group_rows);
        next[first] = begin;
        begin += rows;
    }
}

struct Ranked {           // elements[0 .. present) are (rank << 32) | row, sorted by rank, then row
    size_t present = 0;   // rows with a value
    size_t distinct = 0;  // different values
};

// Sorts the present rows. elements and spare: scratch [rows]; the result lies in elements. rows < 2^32.
template <class Values>
Ranked rank_rows(size_t rows, Values column, uint64_t* elements, uint64_t* spare) {
    TALLY_REQUIRE(rows < (uint64_t{1} << 32));
    const Prefix prefix = choose_prefix(rows, column);
    // A bin never ends inside the rows of one value: where bins are cut at a group, equal values would part.
    const int bin_shift = prefix.row_bits + std::max(0, prefix.width - bin_bits);
    uint32_t counts[bins] = {}, next[bins];
    pack_rows(rows, column, prefix, bin_shift, elements, counts);
    if (prefix.present == 0) return {};
    if (prefix.width == 0) return {prefix.present, 1};  // one value: every rank is 0
    make_groups(counts, next);
    for (size_t i = 0; i < prefix.present; ++i) spare[next[counts[elements[i] >> bin_shift]]++] = elements[i];
    uint64_t rank = 0;
    size_t begin = 0;
    for (size_t bin = 0; bin < bins;) {
        const size_t first = bin, end = next[first];  // dealing moved it there
        while (bin < bins && counts[bin] == first) ++bin;
        if (end == begin) continue;
        const uint64_t size = static_cast<uint64_t>(bin - first) << bin_shift;
        const Group group{begin, end, static_cast<uint64_t>(first) << bin_shift, static_cast<int>(std::bit_width(size - 1))};
        const int from = std::max(prefix.row_bits, group.bits - digit_bits * most_passes);
        uint64_t* const sorted = sort_group(group, from, spare + begin, elements + begin);
        rank = assign_ranks(group, from, prefix, column, rank, sorted, elements + begin);
        begin = end;
    }
    return {prefix.present, static_cast<size_t>(rank)};
}

// codes[row] = rank. Stores at random rows miss the cache; so elements are first dealt to spare by their upper row bits,
// and the codes of one part stay in the second-level cache.
template <class Code>
void scatter_codes(size_t rows, Ranked ranked, const uint64_t* elements, uint64_t* spare, Code* codes) {
    constexpr size_t parts = 64;
    const int shift = std::max(16, static_cast<int>(std::bit_width(rows)) - 6);
    const auto part_of = [=](uint64_t element) { return (element & 0xFFFFFFFFu) >> shift; };
    size_t next[parts + 1] = {};
    for (size_t i = 0; i < ranked.present; ++i) ++next[part_of(elements[i]) + 1];
    for (size_t part = 1; part <= parts; ++part) next[part] += next[part - 1];
    for (size_t i = 0; i < ranked.present; ++i) spare[next[part_of(elements[i])]++] = elements[i];
    for (size_t i = 0; i < ranked.present; ++i) codes[spare[i] & 0xFFFFFFFFu] = static_cast<Code>(spare[i] >> 32);
}

// distinct[rank] and codes[row] (missing: the number of distinct values); elements as rank_rows left them.
template <class Code>
void rank_codes(size_t rows, Column column, Ranked ranked, const uint64_t* elements, uint64_t* spare, Code* codes,
                double* distinct) {
    if (ranked.present < rows) std::fill(codes, codes + rows, static_cast<Code>(ranked.distinct));
    scatter_codes(rows, ranked, elements, spare, codes);
    if (2 * ranked.distinct > ranked.present) {  // mostly different values: rows of one rank hold the same one
        for (size_t i = 0; i < ranked.present; ++i) {
            distinct[elements[i] >> 32] = column[elements[i] & 0xFFFFFFFFu] + 0.0;
        }
        return;
    }
    uint64_t next = 0;
    for (size_t i = 0; i < ranked.present; ++i) {
        if (elements[i] >> 32 == next) distinct[next++] = column[elements[i] & 0xFFFFFFFFu] + 0.0;
    }
}

// order[i]: rows by value, then by row; rows without a value last.
inline void rank_order(size_t rows, Column column, Ranked ranked, const uint64_t* elements, uint32_t* order) {
    for (size_t i = 0; i < ranked.present; ++i) order[i] = static_cast<uint32_t>(elements[i]);
    size_t end = ranked.present;
    for (size_t row = 0; row < rows && end < rows; ++row) {
        const double x = column[row];
        if (x != x) order[end++] = static_cast<uint32_t>(row);
    }
}

// counts[rank]: rows of each rank.
inline void rank_counts(Ranked ranked, const uint64_t* elements, int64_t* counts) {
    size_t begin = 0;
    for (size_t i = 1; i <= ranked.present; ++i) {
        if (i < ranked.present && elements[i] >> 32 == elements[i - 1] >> 32) continue;
        counts[elements[i - 1] >> 32] = static_cast<int64_t>(i - begin);
        begin = i;
    }
}

}  // namespace tally
