// Rows in the order of keys of 64 bits, which are hashes of what they hold: for folds, samples and copies.
#pragma once

#include <memory>
#include <vector>

#include "kernels/columns/ranks.hpp"

namespace tally {

// out[row]: another hash for another key.
inline void key_hashes(size_t rows, const uint64_t* hashes, uint64_t key, uint64_t* out) {
    const uint64_t own = key * 0x9E3779B97F4A7C15;
    run_fast([=] {
        for (size_t i = 0; i < rows; ++i) {
            uint64_t x = hashes[i] ^ own;
            x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
            x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
            out[i] = x ^ (x >> 31);
        }
    });
}

// numbers[row]: how many rows before it have the same key. Returns how many keys differ. rows < 2^32.
inline size_t number_copies(size_t rows, const uint64_t* keys, int64_t* numbers) {
    const auto scratch = std::make_unique_for_overwrite<uint64_t[]>(2 * rows);
    const Ranked ranked = rank_rows(rows, Keys{keys}, scratch.get(), scratch.get() + rows);
    size_t first = 0;
    for (size_t i = 0; i < rows; ++i) {
        if (scratch[i] >> 32 != scratch[first] >> 32) first = i;
        numbers[static_cast<uint32_t>(scratch[i])] = static_cast<int64_t>(i - first);
    }
    return ranked.distinct;
}

// order[i]: rows by class, then by key, then by row; classes may be null. rows < 2^32.
template <class Class>
void order_keys(size_t rows, const uint64_t* keys, const Class* classes, size_t n_classes, int64_t* order) {
    const auto scratch = std::make_unique_for_overwrite<uint64_t[]>(2 * rows);
    rank_rows(rows, Keys{keys}, scratch.get(), scratch.get() + rows);
    std::vector<size_t> next(n_classes + 1);
    for (size_t i = 0; classes && i < rows; ++i) {
        TALLY_REQUIRE(classes[i] < n_classes);
        ++next[size_t{classes[i]} + 1];
    }
    for (size_t c = 1; c <= n_classes; ++c) next[c] += next[c - 1];
    for (size_t i = 0; i < rows; ++i) {
        const uint32_t row = static_cast<uint32_t>(scratch[i]);
        order[next[classes ? classes[row] : 0]++] = row;
    }
}

}  // namespace tally
