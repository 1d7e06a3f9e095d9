// A sample of the distinct values of a column, by class: of values that were picked by their hashes, those whose are least.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "kernels/columns/hash_sample.hpp"
#include "kernels/columns/ranks.hpp"

namespace tally {

// The `size`-th least of n hashes that are at most `most`, all different; there are more than that. They are spread evenly,
// so a table of equal cells tells nearly where it lies.
inline uint64_t least_hash(const uint64_t* hashes, size_t n, size_t size, uint64_t most) {
    constexpr int cell_bits = 12;
    const int shift = std::max(0, static_cast<int>(std::bit_width(most)) - cell_bits);
    std::vector<size_t> cells(size_t{1} << cell_bits);
    for (size_t i = 0; i < n; ++i) {
        TALLY_REQUIRE(hashes[i] <= most);
        ++cells[hashes[i] >> shift];
    }
    size_t cell = 0, before = 0;
    while (before + cells[cell] < size) before += cells[cell++];
    std::vector<uint64_t> near;
    for (size_t i = 0; i < n; ++i)
        if (hashes[i] >> shift == cell) near.push_back(hashes[i]);
    const auto last = near.begin() + static_cast<ptrdiff_t>(size - before - 1);
    std::nth_element(near.begin(), last, near.end());
    return *last;
}

struct SampledValues {
    size_t distinct, kept;  // of the values given, and in the sample
    uint64_t limit;
};

// Of values whose hashes are at most `limit`, those `size` whose hashes are least: to[value] rising, counts[value, class] and
// missing[class] of the values that are there and of those that are not, which begin at 0; both have room for min(n, size).
// weights: of the rows, none of them 0; null: 1 each.
template <class Class>
SampledValues sample_values(size_t n, const double* values, const Class* classes, const int64_t* weights, size_t n_classes,
                            uint64_t limit, size_t size, double* to, int64_t* counts, int64_t* missing) {
    for (size_t i = 0; i < n; ++i) TALLY_REQUIRE(classes[i] < n_classes);
    const auto room = std::make_unique_for_overwrite<uint64_t[]>(2 * n);
    uint64_t *const elements = room.get(), *const hashes = elements + n;
    const Ranked ranked = rank_rows(n, Column{values, 1}, elements, hashes);
    for (size_t i = 0; i < n && ranked.present < n; ++i)
        if (values[i] != values[i]) missing[classes[i]] += weights ? weights[i] : 1;
    const auto value_of = [=](size_t at) { return values[elements[at] & 0xFFFFFFFFu] + 0.0; };
    const auto begins = [=](size_t at) { return at == 0 || elements[at] >> 32 != elements[at - 1] >> 32; };
    for (size_t at = 0; at < ranked.present; ++at) hashes[elements[at] >> 32] = value_hash(value_of(at));
    SampledValues out{ranked.distinct, 0, limit};
    if (ranked.distinct > size) out.limit = least_hash(hashes, ranked.distinct, size, limit);
    for (size_t at = 0; at < ranked.present; ++at) {
        if (hashes[elements[at] >> 32] > out.limit) continue;
        if (begins(at)) to[out.kept++] = value_of(at);
        const size_t row = elements[at] & 0xFFFFFFFFu;
        counts[(out.kept - 1) * n_classes + classes[row]] += weights ? weights[row] : 1;
    }
    return out;
}

}  // namespace tally
