// Columns of two codes, 64 to a word: one reading of a node's rows counts all of them.
//
// The rows of a node stand class after class, so the rows of one class are a run of words, and counting is adding
// words as 64 columns of bits. Only for weights of 1 and columns in which no row is missing.
// Law: the counts are those of `sum_codes`.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/tree/frame.hpp"

namespace tally::tree {

inline constexpr size_t word_bits = 64;

// Bit b of a word is the code of columns[b]; `first` is the column with which the pack is prepared.
struct Pack {
    uint32_t first;
    std::vector<uint32_t> columns;
};

// low + a + b = 2 high + low, bit by bit.
inline void add_three(uint64_t& high, uint64_t& low, uint64_t a, uint64_t b) {
    const uint64_t half = low ^ a;
    high = (low & a) | (half & b);
    low = half ^ b;
}

// ones[b] += how many of word(0..n) have bit b. Plane k holds bit k of 64 counters, emptied before they overflow.
template <class Word>
void count_bits(size_t n, Word word, size_t bits, int64_t* ones) {
    size_t i = 0;
    while (n - i >= 16) {
        const size_t end = i + std::min<size_t>((n - i) / 8 * 8, 248);
        uint64_t plane[8] = {};
        for (; i < end; i += 8) {
            uint64_t two, two_more, four, four_more, carry;
            add_three(two, plane[0], word(i), word(i + 1));
            add_three(two_more, plane[0], word(i + 2), word(i + 3));
            add_three(four, plane[1], two, two_more);
            add_three(two, plane[0], word(i + 4), word(i + 5));
            add_three(two_more, plane[0], word(i + 6), word(i + 7));
            add_three(four_more, plane[1], two, two_more);
            add_three(carry, plane[2], four, four_more);
            for (size_t k = 3; k < 8; ++k) {
                const uint64_t both = plane[k] & carry;
                plane[k] ^= carry;
                carry = both;
            }
        }
        for (size_t b = 0; b < bits; ++b)
            for (size_t k = 0; k < 8; ++k) ones[b] += static_cast<int64_t>((plane[k] >> b & 1) << k);
    }
    for (; i < n; ++i)
        for (uint64_t w = word(i); w; w &= w - 1) ++ones[std::countr_zero(w)];
}

// ones[class, 64] of the rows rows[0..n) of a frame, which stand class after class; total[C]: rows of each class.
template <class E>
void count_words(const Frame<E>& f, const std::vector<uint64_t>& words, const E* rows, const int64_t* total, size_t classes,
                 size_t bits, int64_t* ones) {
    std::fill(ones, ones + classes * word_bits, 0);
    for (size_t c = 0; c < classes; ++c) {
        const size_t n = static_cast<size_t>(total[c]);
        count_bits(n, [&](size_t i) { return words[f.layout.row(rows[i])]; }, bits, ones + c * word_bits);
        rows += n;
    }
}

// Fill words[row] from the columns of a pack; columns with a missing row leave it.
inline void fill_words(Pack& pack, const std::vector<Column>& columns, size_t rows, std::vector<uint64_t>& words) {
    std::erase_if(pack.columns, [&](uint32_t j) {
        const uint8_t* codes = static_cast<const uint8_t*>(columns[j].codes);
        uint8_t any = 0;
        for (size_t row = 0; row < rows; ++row) any |= codes[row];
        return any > 1;
    });
    words.assign(rows, 0);
    constexpr size_t block = 4096;  // words that stay in the cache while all columns are added
    for (size_t from = 0; from < rows; from += block) {
        const size_t to = std::min(rows, from + block);
        for (size_t b = 0; b < pack.columns.size(); ++b) {
            const uint8_t* codes = static_cast<const uint8_t*>(columns[pack.columns[b]].codes);
            for (size_t row = from; row < to; ++row) words[row] |= uint64_t{codes[row]} << b;
        }
    }
}

}  // namespace tally::tree
