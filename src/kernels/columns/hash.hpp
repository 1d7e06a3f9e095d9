// Hashes of cells and rows, for fingerprints and folds. Not for secrets. Two lanes of 64 bits make 128.
// A row's hash is mix(sum over columns of the cell's hash), so the order of columns does not matter. Doubles have a
// second hash, the print: one product per lane, for fingerprints, which are taken of every table that is learned.
#pragma once

#include <bit>
#include <cstring>

#include "kernels/base/common.hpp"

namespace tally {

// A bijection of 64 bits in which every input bit reaches every output bit.
inline constexpr uint64_t mix_factors[2] = {0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15};

inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 32)) * mix_factors[0];
    x = (x ^ (x >> 29)) * mix_factors[1];
    return x ^ (x >> 32);
}

inline constexpr uint64_t missing_cell = 0xA5A5A5A55A5A5A5A;  // what a missing cell puts in the place of its value

// The hash of some bytes under a key; bytes are read as little-endian words, the length ends them.
inline uint64_t hash_bytes(const char* data, size_t n, uint64_t key) {
    static_assert(std::endian::native == std::endian::little);
    uint64_t hash = mix(key);
    size_t at = 0;
    for (; at + 8 <= n; at += 8) {
        uint64_t word;
        std::memcpy(&word, data + at, 8);
        hash = mix(hash ^ word);
    }
    uint64_t word = 0;
    std::memcpy(&word, data + at, n - at);
    return mix(mix(hash ^ word) + n);
}

// The hash of a value's bits under a column's key.
inline uint64_t hash_bits(uint64_t bits, uint64_t key) { return mix(mix(key) ^ mix(bits + 1)); }

inline uint64_t hash_double(double x, uint64_t key) {
    return hash_bits(x != x ? missing_cell : std::bit_cast<uint64_t>(x + 0.0), key);
}

// What a double puts into its prints: its bits, the top ones once more at the low end, so that both halves differ
// where only the top ones do (round numbers).
inline uint64_t print_bits(double x) {
    const uint64_t bits = x != x ? missing_cell : std::bit_cast<uint64_t>(x + 0.0);
    return bits ^ (bits >> 48);
}

// One lane of a print: the product of the two halves under a key. Two rows that differ have equal sums of such
// products in both lanes only by chance, about once in 2^96 pairs.
inline uint64_t print_of(uint64_t bits, uint64_t key) {
    const uint64_t moved = bits + key;
    return (moved & 0xFFFFFFFF) * (moved >> 32);
}

// Text cells in Arrow layout; bit (bit_offset + row) of validity says present, null: all are.
template <class Offset>
struct TextCells {
    const char* data;
    const Offset* offsets;
    const uint8_t* validity;
    size_t bit_offset;

    bool present(size_t row) const {
        const size_t bit = bit_offset + row;
        return !validity || (validity[bit >> 3] >> (bit & 7) & 1);
    }
    uint64_t hash(size_t row, uint64_t key) const {
        if (!present(row)) return hash_bits(missing_cell, key);
        TALLY_REQUIRE(offsets[row] <= offsets[row + 1]);
        return hash_bytes(data + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row]), key);
    }
};

// hashes[row] += hash of the row's text.
template <class Offset>
void add_text_hashes(size_t rows, TextCells<Offset> texts, uint64_t key, uint64_t* hashes) {
    for (size_t row = 0; row < rows; ++row) hashes[row] += texts.hash(row, key);
}

// hashes[row] += hash of the row's double; NaN is missing, -0.0 is 0.0.
inline void add_double_hashes(size_t rows, const double* values, ptrdiff_t stride, uint64_t key, uint64_t* hashes) {
    for (size_t row = 0; row < rows; ++row) {
        hashes[row] += hash_double(values[static_cast<ptrdiff_t>(row) * stride], key);
    }
}

// hashes[row] += table[code[row]].
template <class Code>
void add_code_hashes(size_t rows, const Code* codes, size_t n_codes, const uint64_t* table, uint64_t* hashes) {
    (void)n_codes;
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(codes[row] < n_codes);
        hashes[row] += table[codes[row]];
    }
}

// low[row], high[row] += the sum over the row's entries of count * table[lane, word].
inline void add_word_hashes(size_t rows, const int64_t* starts, const uint32_t* words, const uint32_t* counts,
                            size_t n_words, const uint64_t* table, uint64_t* low, uint64_t* high) {
    for (size_t row = 0; row < rows; ++row) {
        uint64_t one = 0, two = 0;
        for (int64_t entry = starts[row]; entry < starts[row + 1]; ++entry) {
            TALLY_REQUIRE(words[entry] < n_words);
            one += counts[entry] * table[words[entry]];
            two += counts[entry] * table[n_words + words[entry]];
        }
        low[row] += one;
        high[row] += two;
    }
}

inline void mix_hashes(size_t rows, uint64_t* hashes) {
    run_fast([=] {
        for (size_t row = 0; row < rows; ++row) hashes[row] = mix(hashes[row]);
    });
}

// Sum over rows of weight * (high[row] 2^64 + low[row]) modulo 2^128.
inline uint128 sum_hashes(size_t rows, const uint64_t* low, const uint64_t* high, const int64_t* weights) {
    uint128 sum = 0;
    for (size_t row = 0; row < rows; ++row) {
        const uint128 hash = static_cast<uint128>(high[row]) << 64 | low[row];
        sum += weights ? hash * static_cast<uint64_t>(weights[row]) : hash;
    }
    return sum;
}

}  // namespace tally
