// The fingerprint of a table's rows: hashes of codes by tables, prints of doubles by keys, a few rows at a time.
#pragma once

#include <vector>

#include "kernels/base/numbers.hpp"
#include "kernels/columns/matrix.hpp"
#include "kernels/sums/joint.hpp"

namespace tally {

struct JointTables {  // the joint tables of all groups of columns
    struct Group {
        size_t first, n, at;
    };
    std::vector<Group> groups;
    std::vector<Lanes> tables;
    const size_t* sizes;

    JointTables(size_t columns, const uint64_t* const* hashes, const size_t* n_codes) : sizes(n_codes) {
        for (size_t first = 0; first < columns;) {
            const size_t n = columns_joined(columns, first, n_codes, joint_codes);
            groups.push_back({first, n, tables.size()});
            tables.resize(tables.size() + joint_codes);
            join_hashes(n, hashes + first, n_codes + first, tables.data() + groups.back().at);
            first += n;
        }
    }
    void add(size_t rows, const uint8_t* const* codes, uint64_t* low, uint64_t* high) const {
        for (const Group& g : groups) {
            add_joined(rows, g.n, codes + g.first, sizes + g.first, tables.data() + g.at, low, high);
        }
    }
};

struct Printed {  // columns of numbers, which are printed as doubles, and their keys
    Numbers numbers;
    RowKeys keys;
};

// What is hashed of each row. codes[j] of 8 bits by hashes[j][lane, code] of sizes[j] codes; more[lane, row]: what other
// columns have added already, or null; weights[row], or null.
struct RowsToHash {
    size_t rows;
    std::vector<const uint8_t*> codes;
    std::vector<const uint64_t*> hashes;
    std::vector<size_t> sizes;
    std::vector<Printed> groups;
    const uint64_t* more;
    const int64_t* weights;
};

// Rows that, as doubles, stay near while several kernels pass over them: a multiple of every tile.
inline size_t near_rows(const RowsToHash& given) {
    constexpr size_t bytes = 1 << 19, least = 1 << 8, most = 1 << 12;
    size_t width = 1;
    for (const Printed& d : given.groups) width += d.numbers.width();
    const size_t rows = bytes / sizeof(double) / width & ~(row_tile - 1);
    return rows < least ? least : rows > most ? most : rows;
}

// Sum over rows of weight * hash modulo 2^128. beside(group, rows) is called for some rows of each group of columns after the
// others, while they are near; hashed(begin, n, low) with the lower halves of the hashes of these rows.
template <class Beside, class Hashed>
uint128 hash_total(const RowsToHash& given, Beside beside, Hashed hashed) {
    const size_t step = near_rows(given);
    std::vector<uint64_t> hashes(2 * step);
    uint64_t *const low = hashes.data(), *const high = low + step;
    const JointTables joint(given.codes.size(), given.hashes.data(), given.sizes.data());
    std::vector<const uint8_t*> codes(given.codes.size());
    std::vector<Near> near;
    for (const Printed& d : given.groups) near.emplace_back(d.numbers, step);
    uint128 total = 0;
    for (size_t begin = 0; begin < given.rows; begin += step) {
        const size_t n = given.rows - begin < step ? given.rows - begin : step;
        for (size_t i = 0; i < n; ++i) {
            low[i] = given.more ? given.more[begin + i] : 0;
            high[i] = given.more ? given.more[given.rows + begin + i] : 0;
        }
        for (size_t j = 0; j < codes.size(); ++j) codes[j] = given.codes[j] + begin;
        joint.add(n, codes.data(), low, high);
        for (size_t g = 0; g < near.size(); ++g) {
            const NearRows some = near[g]({begin, begin + n});
            beside(g, some);
            add_prints(some.columns, some.rows, given.groups[g].keys, low, high);
        }
        mix_hashes(n, low);
        mix_hashes(n, high);
        hashed(begin, n, low);
        total += sum_hashes(n, low, high, given.weights ? given.weights + begin : nullptr);
    }
    return total;
}

struct LeastRows {  // rows, and the lower halves of their hashes, of those that are at most the limit
    uint64_t limit;
    std::vector<int64_t> rows;
    std::vector<uint64_t> hashes;

    void add(size_t begin, size_t n, const uint64_t* low) {
        for (size_t i = 0; i < n; ++i) {
            if (low[i] > limit) continue;
            rows.push_back(static_cast<int64_t>(begin + i));
            hashes.push_back(low[i]);
        }
    }
};

inline uint128 hash_total(const RowsToHash& given, LeastRows& least) {
    return hash_total(
        given, [](size_t, const NearRows&) {},
        [&](size_t begin, size_t n, const uint64_t* low) { least.add(begin, n, low); });
}

}  // namespace tally
