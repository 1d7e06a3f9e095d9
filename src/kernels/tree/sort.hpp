// One numeric column in rising order: rows sorted by value, missing ones last, equal values in row order.
//
// Doubles become whole numbers of the same order. Columns that are exact in single precision use 32 bits, sorted in
// three passes of 11 bits; others use 64 bits, of which the upper 33 are sorted so and the rest within ties.
// A pass in which all keys agree is left out. Whole numbers of a small range, and codes, are dealt in one pass.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/base/common.hpp"

namespace tally::tree {

// A column of numbers as it lies: float or double, any distance between rows.
struct Numbers {
    const char* data = nullptr;
    ptrdiff_t stride = 0;  // bytes
    bool single = false;

    template <class Float>
    Float at(size_t row) const {
        return *reinterpret_cast<const Float*>(data + static_cast<ptrdiff_t>(row) * stride) + Float{0};  // -0.0 is 0.0
    }
    double operator[](size_t row) const { return single ? static_cast<double>(at<float>(row)) : at<double>(row); }
};

inline uint32_t ordered_bits(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u);
}

inline uint64_t ordered_bits(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    return bits ^ (static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63) | 0x8000000000000000u);
}

template <class Key, class E>
struct Item {
    Key key;
    E entry;
};

// Stable sort by the upper bits of the key, then within ties by all of it. counts: three digits of 11 bits.
template <class Key, class E>
void sort_items(std::vector<Item<Key, E>>& items, std::vector<Item<Key, E>>& spare, std::vector<uint32_t>& counts) {
    constexpr int low = sizeof(Key) == 8 ? 31 : 0;  // bits below the three digits
    const size_t n = items.size();
    auto less = [](const Item<Key, E>& a, const Item<Key, E>& b) { return a.key < b.key; };
    if (n < 400) {
        std::stable_sort(items.begin(), items.end(), less);
        return;
    }
    counts.assign(3 << 11, 0);
    uint32_t *first = counts.data(), *second = first + 2048, *third = second + 2048;
    for (const auto& item : items) {
        const uint64_t key = static_cast<uint64_t>(item.key) >> low;
        ++first[key & 2047], ++second[key >> 11 & 2047], ++third[key >> 22 & 2047];
    }
    spare.resize(n);
    for (int digit = 0; digit < 3; ++digit) {
        uint32_t* count = counts.data() + digit * 2048;
        const int shift = low + 11 * digit;
        if (count[items[0].key >> shift & 2047] == n) continue;
        uint32_t at = 0;
        for (size_t b = 0; b < 2048; ++b) at += std::exchange(count[b], at);
        for (const auto& item : items) spare[count[item.key >> shift & 2047]++] = item;
        items.swap(spare);
    }
    if constexpr (low > 0)
        for (size_t i = 0; i < n;) {
            size_t end = i + 1;
            while (end < n && items[end].key >> low == items[i].key >> low) ++end;
            if (end > i + 1)
                std::stable_sort(items.begin() + static_cast<ptrdiff_t>(i), items.begin() + static_cast<ptrdiff_t>(end),
                                 less);
            i = end;
        }
}

// Fill items with the known rows and `missing` with the others; false when a value does not fit the key exactly.
template <class Key, class Float, class Stored, class E, class Make>
bool take_items(const Numbers& values, size_t rows, std::vector<Item<Key, E>>& items, std::vector<E>& missing, Make make) {
    items.resize(rows);
    missing.clear();
    size_t n = 0;
    for (size_t row = 0; row < rows; ++row) {
        const Stored x = values.at<Stored>(row);
        const Float key = static_cast<Float>(x);
        if (static_cast<Stored>(key) != x) [[unlikely]] {
            if (x == x) return false;
            missing.push_back(make(row));
            continue;
        }
        items[n++] = {ordered_bits(key), make(row)};
    }
    items.resize(n);
    return true;
}

// The entries of a column, in memory of their own or at a place that the caller has for them, such as a mapped file.
template <class E>
class Order {
   public:
    Order() = default;
    explicit Order(E* place) : place_(place) {}

    bool empty() const { return !size_; }
    size_t size() const { return size_; }
    E* place() const { return place_; }  // null: they have memory of their own
    E* data() { return place_ ? place_ : own_.data(); }
    const E* data() const { return place_ ? place_ : own_.data(); }

    void resize(size_t size) {
        if (!place_) own_.resize(size);
        size_ = size;
    }

    void clear() { size_ = 0; }

    void give_back() {
        clear();
        std::vector<E>().swap(own_);
    }

   private:
    E* place_ = nullptr;
    size_t size_ = 0;
    std::vector<E> own_;
};

// order receives the entries make(row) in rising order, `flag` added where the value is new, missing last.
// Returns the number of distinct values.
template <class Key, class E>
size_t write_order(const std::vector<Item<Key, E>>& items, const std::vector<E>& missing, E flag, Order<E>& order) {
    order.resize(items.size() + missing.size());
    E* to = order.data();
    size_t distinct = !items.empty();
    Key last = items.empty() ? 0 : items[0].key;
    for (size_t i = 0; i < items.size(); ++i) {
        const bool is_new = items[i].key != last;
        last = items[i].key;
        distinct += is_new;
        to[i] = items[i].entry | (is_new ? flag : E{0});
    }
    std::copy(missing.begin(), missing.end(), to + items.size());
    return distinct;
}

struct Sorted {
    size_t distinct, missing;
};

// Whole numbers of a small range, which are counted instead of sorted: counts[value - low]. Empty: they are not such.
struct Wholes {
    static constexpr size_t most = 1 << 16;
    double low = 0.0;
    size_t missing = 0, distinct = 0;
    std::vector<uint32_t> counts;

    Wholes(const Numbers& values, size_t rows) {
        double high = -std::numeric_limits<double>::infinity();
        low = -high;
        for (size_t row = 0; row < rows; ++row) {
            const double x = values[row];
            low = x < low ? x : low;
            high = x > high ? x : high;
            if (x != x)
                ++missing;
            else if (!(high - low < static_cast<double>(most)) || static_cast<double>(static_cast<int64_t>(x)) != x)
                return;
        }
        if (missing == rows) return;
        counts.resize(static_cast<size_t>(high - low) + 1);
        for (size_t row = 0; row < rows; ++row)
            if (const double x = values[row]; x == x) ++counts[at(x)];
        for (uint32_t n : counts) distinct += n > 0;
    }

    size_t at(double x) const { return static_cast<size_t>(static_cast<int64_t>(x - low)); }
};

// order receives make(row, new) by rising code_of(row), equal codes in row order; new: the first of its code, but for
// the very first. counts[code]: rows of each, ends as where the next code begins.
template <class E, class CodeOf, class Make>
void order_by_count(size_t rows, std::vector<uint32_t>& counts, CodeOf code_of, Order<E>& order, Make make) {
    uint32_t begin = 0;
    for (uint32_t& n : counts) begin += std::exchange(n, begin);
    std::vector<uint32_t> start(counts);
    order.resize(rows);
    E* entries = order.data();
    for (size_t row = 0; row < rows; ++row) {
        const size_t code = code_of(row);
        const uint32_t to = counts[code]++;
        entries[to] = make(row, to == start[code] && to > 0);
    }
}

// Memory that a thread keeps from column to column: fresh pages would cost as much as a pass.
template <class E>
struct SortMemory {
    std::vector<Item<uint32_t, E>> narrow, narrow_spare;
    std::vector<Item<uint64_t, E>> wide, wide_spare;
    std::vector<E> missing;
    std::vector<uint32_t> counts;
};

template <class E, class Make>
Sorted sort_numbers(const Numbers& values, size_t rows, E flag, SortMemory<E>& memory, Order<E>& order, Make make) {
    auto& [narrow, narrow_spare, wide, wide_spare, missing, counts] = memory;
    const bool fits = values.single ? take_items<uint32_t, float, float>(values, rows, narrow, missing, make)
                                    : take_items<uint32_t, float, double>(values, rows, narrow, missing, make);
    if (fits) {
        sort_items(narrow, narrow_spare, counts);
        return {write_order(narrow, missing, flag, order), missing.size()};
    }
    take_items<uint64_t, double, double>(values, rows, wide, missing, make);
    sort_items(wide, wide_spare, counts);
    return {write_order(wide, missing, flag, order), missing.size()};
}

}  // namespace tally::tree
