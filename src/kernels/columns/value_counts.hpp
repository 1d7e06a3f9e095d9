// The distinct values of columns that have few, by class: each value has a slot of a table, where its rows are counted as
// they are met. Nothing is sorted but the values.
#pragma once

#include <memory>
#include <vector>

#include "kernels/base/numbers.hpp"
#include "kernels/columns/ranks.hpp"

namespace tally {

// The values of one column and counts[slot, class]. Whole numbers find their slots by themselves, neighbours beside each
// other, as long as they seldom meet others there; other values by a hash. Who finds a slot taken goes to the next.
class MetValues {
    static constexpr uint64_t nobody = ~uint64_t{0}, missing = 0x7FF8000000000000;  // two NaN
    static constexpr int first_bits = 11;
    static constexpr size_t crowded = 4;  // steps for a row from which a hash is better
    const size_t n_classes;
    int bits = first_bits;
    bool whole = false;
    size_t met = 0, steps = 0;  // steps: to slots that were not taken
    std::vector<uint64_t> keys = std::vector<uint64_t>(size_t{1} << bits, nobody);
    std::vector<int64_t> counts = std::vector<int64_t>(n_classes << bits);

    static uint64_t near_home(uint64_t key, int bits) {
        constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: what is added to it is rounded to whole numbers
        return std::bit_cast<uint64_t>(std::bit_cast<double>(key) + shift) & ((uint64_t{1} << bits) - 1);
    }
    static uint64_t far_home(uint64_t key, int bits) { return (key ^ key >> 32) * mix_factors[0] >> (64 - bits); }
    size_t home(uint64_t key) const { return whole ? near_home(key, bits) : far_home(key, bits); }
    size_t find(uint64_t key, size_t at) {
        while (keys[at] != key) {
            if (keys[at] == nobody) {
                keys[at] = key, ++met;
                break;
            }
            at = (at + 1) & (keys.size() - 1);
            ++steps;
        }
        return at;
    }
    // Every value to its slot among 2^more.
    void move_to(int more) {
        std::vector<uint64_t> old_keys(size_t{1} << more, nobody);
        std::vector<int64_t> old_counts(n_classes << more);
        old_keys.swap(keys), old_counts.swap(counts);
        bits = more, met = 0;
        for (size_t at = 0; at < old_keys.size(); ++at) {
            if (old_keys[at] == nobody) continue;
            const size_t to = find(old_keys[at], home(old_keys[at]));
            std::copy_n(old_counts.data() + at * n_classes, n_classes, counts.data() + to * n_classes);
        }
    }

   public:
    static constexpr size_t tile = 512;  // rows at a time, at most
    explicit MetValues(size_t classes) : n_classes(classes) {}

    // Of the first rows: are they whole numbers?
    void expect(size_t n, const double* x) {
        whole = true;
        for (size_t i = 0; i < n; ++i)
            whole = whole
                    && (x[i] != x[i]
                        || (x[i] > -1e15 && x[i] < 1e15 && x[i] == static_cast<double>(static_cast<int64_t>(x[i]))));
    }
    size_t distinct() const { return met; }  // missing included

    template <class Class>
    void add(size_t n, const double* x, const Class* classes, const int64_t* weights) {
        while (2 * (met + n) > keys.size()) move_to(bits + 1);
        steps = 0;
        uint64_t own[tile];
        uint32_t at[tile];
        run_fast([=, bits = bits, whole = whole, own = static_cast<uint64_t*>(own), at = static_cast<uint32_t*>(at)] {
            for (size_t i = 0; i < n; ++i) own[i] = x[i] != x[i] ? missing : std::bit_cast<uint64_t>(x[i] + 0.0);
            if (whole) {
                for (size_t i = 0; i < n; ++i) at[i] = static_cast<uint32_t>(near_home(own[i], bits));
            } else {
                for (size_t i = 0; i < n; ++i) at[i] = static_cast<uint32_t>(far_home(own[i], bits));
            }
        });
        const uint64_t* const known = keys.data();
        for (size_t i = 0; i < n; ++i)
            if (known[at[i]] != own[i]) at[i] = static_cast<uint32_t>(find(own[i], at[i]));
        int64_t* const to = counts.data();
        for (size_t i = 0; i < n; ++i) TALLY_REQUIRE(classes[i] < n_classes);
        if (weights) {
            for (size_t i = 0; i < n; ++i) to[at[i] * n_classes + classes[i]] += weights[i];
        } else if (n_classes == 2) {
            for (size_t i = 0; i < n; ++i) ++to[2 * at[i] + classes[i]];
        } else {
            for (size_t i = 0; i < n; ++i) ++to[at[i] * n_classes + classes[i]];
        }
        if (whole && steps > crowded * n) {  // fractions after all, or multiples of a power of two
            whole = false;
            move_to(bits);
        }
    }
    // values[] rising, to[value, class], and the rows without a value by class, which begin at 0 -> how many values; where
    // they are more than `most`, nothing but that is told.
    size_t tell(size_t most, double* values, int64_t* to, int64_t* none) const {
        std::vector<double> found;
        std::vector<size_t> slots;
        for (size_t at = 0; at < keys.size(); ++at) {
            const int64_t* const own = counts.data() + at * n_classes;
            if (keys[at] == missing) {
                std::copy_n(own, n_classes, none);
            } else if (keys[at] != nobody) {
                found.push_back(std::bit_cast<double>(keys[at])), slots.push_back(at);
            }
        }
        const size_t n = found.size();
        if (n > most) return n;
        const auto room = std::make_unique_for_overwrite<uint64_t[]>(2 * n + 2);
        rank_rows(n, Column{found.data(), 1}, room.get(), room.get() + n);
        for (size_t rank = 0; rank < n; ++rank) {
            const size_t at = room[rank] & 0xFFFFFFFFu;
            values[rank] = found[at];
            std::copy_n(counts.data() + slots[at] * n_classes, n_classes, to + rank * n_classes);
        }
        return n;
    }
};

struct ToMeet {  // where the values of a column go, with room for as many as are allowed
    double* values;
    int64_t *counts, *missing;
};

// The values of some columns, by class: met[column] of them; of more than `most` nothing is told.
template <class Class>
void meet_values(const Numbers& columns, const Class* classes, const int64_t* weights, size_t n_classes, size_t most,
                 const ToMeet* to, int64_t* met) {
    constexpr size_t near = 8 * MetValues::tile;  // rows of all columns that lie near while each is gone through
    std::vector<MetValues> each(columns.width(), MetValues(n_classes));
    const auto within = [&](size_t j) { return each[j].distinct() <= most + 1; };
    for (size_t begin = 0; begin < columns.rows; begin += near) {
        const size_t end = std::min(begin + near, columns.rows);
        for (size_t j = 0; j < columns.width(); ++j) {
            for (size_t at = begin; at < end && within(j); at += MetValues::tile) {
                const size_t n = std::min(MetValues::tile, end - at);
                double own[MetValues::tile];
                columns.lay(j, {at, at + n}, own, 1);
                if (at == 0) each[j].expect(n, own);
                each[j].add(n, own, classes + at, weights ? weights + at : nullptr);
            }
        }
    }
    for (size_t j = 0; j < columns.width(); ++j) {
        met[j] = static_cast<int64_t>(most) + 1;
        if (within(j)) met[j] = static_cast<int64_t>(each[j].tell(most, to[j].values, to[j].counts, to[j].missing));
    }
}

}  // namespace tally
