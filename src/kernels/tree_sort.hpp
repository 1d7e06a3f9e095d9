// One numeric column in rising order: rows sorted by value, missing ones last, equal values in row order.
//
// Doubles become whole numbers of the same order; columns that are exact in single precision use 32 bits of them.
// Passes of 11 bits over (key, row) pairs; a pass in which all keys agree is left out.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/common.hpp"

namespace tally::tree {

// A column of numbers as it lies: float or double, any distance between rows.
struct Numbers {
    const char* data = nullptr;
    ptrdiff_t stride = 0;  // bytes
    bool single = false;

    double operator[](size_t row) const {
        const char* at = data + static_cast<ptrdiff_t>(row) * stride;
        const double x = single ? static_cast<double>(*reinterpret_cast<const float*>(at))
                                : *reinterpret_cast<const double*>(at);
        return x + 0.0;  // -0.0 becomes 0.0
    }
};

inline uint32_t ordered_bits(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

inline uint64_t ordered_bits(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    return bits & 0x8000000000000000u ? ~bits : bits | 0x8000000000000000u;
}

template <class Key>
struct Pair {
    Key key;
    uint32_t row;
};

// Sort pairs by key, stably; the result is in `from` again.
template <class Key>
void radix_sort(std::vector<Pair<Key>>& from, std::vector<Pair<Key>>& spare) {
    constexpr int digits = (sizeof(Key) * 8 + 10) / 11;
    const size_t n = from.size();
    if (n < 400) {
        std::stable_sort(from.begin(), from.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
        return;
    }
    spare.resize(n);
    std::vector<uint32_t> counts(static_cast<size_t>(digits) << 11, 0);
    for (const auto& p : from)
        for (int d = 0; d < digits; ++d) ++counts[(static_cast<size_t>(d) << 11) + ((p.key >> (11 * d)) & 2047)];
    for (int d = 0; d < digits; ++d) {
        uint32_t* count = counts.data() + (static_cast<size_t>(d) << 11);
        if (count[(from[0].key >> (11 * d)) & 2047] == n) continue;
        uint32_t at = 0;
        for (size_t b = 0; b < 2048; ++b) at += std::exchange(count[b], at);
        for (const auto& p : from) spare[count[(p.key >> (11 * d)) & 2047]++] = p;
        from.swap(spare);
    }
}

// Call emit(row, is_new_value) for all known rows in rising order; return how many rows are missing.
template <class Key, class Float, class Emit>
size_t sort_rows(const Numbers& values, size_t rows, std::vector<uint32_t>& missing, Emit emit) {
    std::vector<Pair<Key>> pairs, spare;
    pairs.reserve(rows);
    missing.clear();
    for (size_t row = 0; row < rows; ++row) {
        const double x = values[row];
        if (x != x)
            missing.push_back(static_cast<uint32_t>(row));
        else
            pairs.push_back({ordered_bits(static_cast<Float>(x)), static_cast<uint32_t>(row)});
    }
    radix_sort(pairs, spare);
    for (size_t i = 0; i < pairs.size(); ++i) emit(pairs[i].row, i > 0 && pairs[i].key != pairs[i - 1].key);
    return missing.size();
}

inline bool exact_in_single(const Numbers& values, size_t rows) {
    if (values.single) return true;
    for (size_t row = 0; row < rows; ++row) {
        const double x = values[row];
        if (x == x && static_cast<double>(static_cast<float>(x)) != x) return false;
    }
    return true;
}

}  // namespace tally::tree
