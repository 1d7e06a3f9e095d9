// The curvature of narrow columns, those of a few codes: columns are taken together, so that one joint code stands for
// several, and a table of two joint codes holds what all their pairs need. Five columns of two codes have 32 joint ones,
// and one addition to a table of 1,024 cells stands for 25 additions to tables of four. Sums are whole numbers, so the way
// they are added up in changes no bit.
#pragma once

#include <vector>

#include "kernels/linear/sums.hpp"

namespace tally::linear {

constexpr size_t kJoint = 32;    // joint codes of a group, at most
constexpr size_t kTogether = 5;  // columns of a group, at most
constexpr size_t kNarrow = 4;    // codes of a narrow column, at most
constexpr size_t kSides = 2;     // tables that rows are added to in turn: none waits for the row before it

// Columns first..end of the narrow ones, in their order; code_of[column - first][joint code]. bits: five columns of two codes,
// so that a joint code has a bit for each.
struct Group {
    size_t first, end, codes;
    bool bits;
    uint8_t code_of[kTogether][kJoint];
};

// out[k] = what the joint codes with bit k have of by_code[joint], last what all have.
TALLY_INLINE void sums_of_bits(const int64_t* by_code, int64_t out[kTogether + 1]) {
    for (size_t k = 0; k < kTogether; ++k) {
        out[k] = 0;
        for (size_t x = 0; x < kJoint; ++x) out[k] += by_code[x] & -int64_t(x >> k & 1);
    }
    out[kTogether] = 0;
    for (size_t x = 0; x < kJoint; ++x) out[kTogether] += by_code[x];
}

class Narrow {
   public:
    // Columns of at most kNarrow codes in the rows of a block; none where there is little to gain. stretch: rows that come at
    // once, at most.
    Narrow(const Ask& a, size_t stretch) : taken_(a.coded, 0), stretch_(stretch) {
        if (stretch == 0 || a.coded < 4 || a.rows < 64) return;
        for (size_t c = 0; c < a.coded; ++c) {
            if (a.code_bytes[c] != 1) continue;
            const uint8_t* codes = reinterpret_cast<const uint8_t*>(a.codes[c]);
            uint8_t most = 0;
            for (size_t i = 0; i < a.rows; ++i) most = codes[i] > most ? codes[i] : most;
            if (most >= kNarrow) continue;
            taken_[c] = 1;
            columns_.push_back(c);
            sizes_.push_back(size_t(most) + 1);
        }
        group();
        joint_.resize(groups_.size() * stretch_);
    }

    TALLY_INLINE bool has(size_t column) const { return taken_[column] != 0; }

    // Makes ready for rows first to first + n.
    TALLY_INLINE void join(const Ask& a, size_t first, size_t n) {
        for (size_t g = 0; g < groups_.size(); ++g) join(a, groups_[g], first, n, joint_.data() + g * stretch_);
    }

    // Adds these rows to square[P, P]: narrow columns with each other and with the constant.
    TALLY_INLINE void add(const Ask& a, size_t n, const int64_t* weights, int64_t* square) const {
        for (size_t g = 0; g < groups_.size(); ++g) {
            const uint8_t* own = joint_.data() + g * stretch_;
            alone(a, groups_[g], n, own, weights, square);
            for (size_t h = 0; h < g; ++h)
                both(a, groups_[g], groups_[h], n, own, joint_.data() + h * stretch_, weights, square);
        }
    }

   private:
    std::vector<uint8_t> taken_, joint_;   // [column]; [group, row]
    std::vector<size_t> columns_, sizes_;  // [narrow column]
    std::vector<Group> groups_;
    size_t stretch_;

    void group() {
        for (size_t c = 0; c < columns_.size();) {
            Group g{c, c, 1, false, {}};
            while (g.end < columns_.size() && g.end - g.first < kTogether && g.codes * sizes_[g.end] <= kJoint)
                g.codes *= sizes_[g.end++];
            g.bits = g.end - g.first == kTogether;
            for (size_t k = g.first; k < g.end; ++k) g.bits &= sizes_[k] == 2;  // in these rows: codes 0 and 1 alone
            size_t step = 1;
            for (size_t k = g.first; k < g.end; step *= sizes_[k++])
                for (size_t joint = 0; joint < g.codes; ++joint)
                    g.code_of[k - g.first][joint] = uint8_t(joint / step % sizes_[k]);
            groups_.push_back(g);
            c = g.end;
        }
    }

    TALLY_INLINE void join(const Ask& a, const Group& g, size_t first, size_t n, uint8_t* joint) const {
        for (size_t i = 0; i < n; ++i) joint[i] = 0;
        uint8_t step = 1;
        for (size_t k = g.first; k < g.end; step = uint8_t(step * sizes_[k++])) {
            const uint8_t* codes = reinterpret_cast<const uint8_t*>(a.codes[columns_[k]]) + first;
            for (size_t i = 0; i < n; ++i) joint[i] = uint8_t(joint[i] + codes[i] * step);
        }
    }

    // The cell of the square's side that a column has for a joint code.
    TALLY_INLINE size_t cell(const Ask& a, const Group& g, size_t k, size_t joint) const {
        return 1 + a.dense + size_t(a.starts[columns_[k]]) + g.code_of[k - g.first][joint];
    }

    // Columns of one group with each other and with the constant.
    TALLY_INLINE void alone(const Ask& a, const Group& g, size_t n, const uint8_t* joint, const int64_t* weights,
                            int64_t* square) const {
        int64_t table[kSides][kJoint] = {};
        for (size_t i = 0; i < n; ++i) table[i % kSides][joint[i]] += weights[i];
        const size_t p = 1 + a.dense + a.cells;
        for (size_t x = 0; x < g.codes; ++x) {
            const int64_t sum = table[0][x] + table[1][x];
            for (size_t k = g.first; k < g.end; ++k) {
                int64_t* row = square + cell(a, g, k, x) * p;
                row[0] += sum;
                for (size_t l = g.first; l <= k; ++l) row[cell(a, g, l, x)] += sum;
            }
        }
    }

    // table[other, own] of two groups of bits: the rows that have code 1 in both columns of a pair, in each, and all of them
    // tell the pair's four cells.
    TALLY_INLINE void bits_of_both(const Ask& a, const Group& g, const Group& h, const int64_t* table,
                                   int64_t* square) const {
        constexpr size_t all = kTogether;
        int64_t with[all + 1][kJoint] = {};  // [own]: rows that have code 1 in a column of h; last all rows
        for (size_t y = 0; y < kJoint; ++y)
            for (size_t l = 0; l <= all; ++l)
                if (l == all || (y >> l & 1))
                    for (size_t x = 0; x < kJoint; ++x) with[l][x] += table[y * kJoint + x];
        int64_t sums[all + 1][all + 1];  // [column of h or all, column of g or all]
        for (size_t l = 0; l <= all; ++l) sums_of_bits(with[l], sums[l]);
        const size_t p = 1 + a.dense + a.cells;
        for (size_t k = 0; k < all; ++k)
            for (size_t l = 0; l < all; ++l) {
                int64_t* to = square + cell(a, g, g.first + k, 0) * p + cell(a, h, h.first + l, 0);
                const int64_t both = sums[l][k], own = sums[all][k], other = sums[l][all];
                to[0] += sums[all][all] - own - other + both, to[1] += other - both;
                to[p] += own - both, to[p + 1] += both;
            }
    }

    // Columns of group g with those of an earlier group h.
    TALLY_INLINE void both(const Ask& a, const Group& g, const Group& h, size_t n, const uint8_t* own, const uint8_t* other,
                           const int64_t* weights, int64_t* square) const {
        int64_t table[kSides][kJoint * kJoint] = {};  // [other, own]
        uint16_t cells[kRows];
        for (size_t first = 0; first < n; first += kRows) {
            const size_t rows = n - first < kRows ? n - first : kRows;
            for (size_t i = 0; i < rows; ++i) cells[i] = uint16_t(other[first + i] * kJoint + own[first + i]);
            size_t i = 0;
            for (; i + kSides <= rows; i += kSides)
                for (size_t s = 0; s < kSides; ++s) table[s][cells[i + s]] += weights[first + i + s];
            for (; i < rows; ++i) table[0][cells[i]] += weights[first + i];
        }
        for (size_t x = 0; x < kJoint * kJoint; ++x) table[0][x] += table[1][x];
        if (g.bits && h.bits) return bits_of_both(a, g, h, table[0], square);
        const size_t p = 1 + a.dense + a.cells;
        for (size_t l = h.first; l < h.end; ++l) {
            int64_t sums[kNarrow][kJoint] = {};  // [code of l, own]
            for (size_t y = 0; y < h.codes; ++y)
                for (size_t x = 0; x < kJoint; ++x) sums[h.code_of[l - h.first][y]][x] += table[0][y * kJoint + x];
            int64_t* const column = square + 1 + a.dense + size_t(a.starts[columns_[l]]);
            for (size_t k = g.first; k < g.end; ++k) {
                int64_t small[kNarrow][kNarrow] = {};  // [code of k, code of l]
                for (size_t x = 0; x < g.codes; ++x)
                    for (size_t code = 0; code < kNarrow; ++code) small[g.code_of[k - g.first][x]][code] += sums[code][x];
                int64_t* to = column + (1 + a.dense + size_t(a.starts[columns_[k]])) * p;
                for (size_t code = 0; code < sizes_[k]; ++code, to += p)
                    for (size_t other = 0; other < sizes_[l]; ++other) to[other] += small[code][other];
            }
        }
    }
};

}  // namespace tally::linear
