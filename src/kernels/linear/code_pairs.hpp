// The curvature of columns of codes: what the rows weigh that have a code in one column and a code in another. Rows wait until
// they are many, and then meet column by column: so the table of two columns stays near while it is added to, where all
// tables together are more than a cache holds. Sums are whole numbers, so the way they are added up in changes no bit.
#pragma once

#include <vector>

#include "kernels/linear/narrow.hpp"

namespace tally::linear {

constexpr size_t kStretch = 8192;      // rows that wait, at most
constexpr size_t kWaiting = 1u << 17;  // and their weights, over all pairs of classes

class Meeting {
   public:
    // pairs: squares to fill. Where they are too many for weights to wait, each is filled at once.
    Meeting(const Ask& a, size_t pairs) : pairs_(a.coded ? pairs : 0), stretch_(stretch(a, pairs_)), narrow_(a, stretch_) {
        weights_.resize(stretch_ ? pairs_ * stretch_ : kRows);
    }

    // whole[i]: what row first + i counts for in a pair of classes, whose square is given. Rows come in their order.
    TALLY_INLINE void wait(const Ask& a, size_t pair, size_t first, size_t n, const double* whole, int64_t* square) {
        int64_t* to = stretch_ ? weights_.data() + pair * stretch_ + (first - begin_) : weights_.data();
        for (size_t i = 0; i < n; ++i) to[i] = std::bit_cast<int64_t>(whole[i]);
        if (!stretch_) add_wide(a, first, n, to, square);
    }

    // Adds the rows that wait to squares[pair, P, P] when there is no room for more, or when `next` is the last row's end.
    TALLY_INLINE void add(const Ask& a, size_t next, int64_t* squares) {
        const size_t n = next - begin_, p = 1 + a.dense + a.cells;
        if (!stretch_ || (next < a.rows && n + kRows <= stretch_)) return;
        narrow_.join(a, begin_, n);
        for (size_t pair = 0; pair < pairs_; ++pair) {
            const int64_t* weights = weights_.data() + pair * stretch_;
            narrow_.add(a, n, weights, squares + pair * p * p);
            add_wide(a, begin_, n, weights, squares + pair * p * p);
        }
        begin_ = next;
    }

   private:
    size_t pairs_, stretch_;
    size_t begin_ = 0;  // the first row that waits
    Narrow narrow_;
    std::vector<int64_t> weights_;  // [pair, row that waits]

    static size_t stretch(const Ask& a, size_t pairs) {
        if (pairs == 0 || pairs * kRows > kWaiting) return 0;
        const size_t room = kWaiting / pairs < kStretch ? kWaiting / pairs : kStretch;
        return a.rows < room ? (a.rows + kRows - 1) / kRows * kRows : room;
    }

    // Every column that is not narrow with the constant and the columns up to itself; a narrow one with those that are not.
    TALLY_INLINE void add_wide(const Ask& a, size_t first, size_t n, const int64_t* weights, int64_t* square) const {
        for (size_t c = 0; c < a.coded; ++c) {
            if (a.code_bytes[c] == 1)
                with_earlier<uint8_t>(a, c, first, n, weights, square);
            else if (a.code_bytes[c] == 2)
                with_earlier<uint16_t>(a, c, first, n, weights, square);
            else
                with_earlier<uint32_t>(a, c, first, n, weights, square);
        }
    }

    template <class Code>
    TALLY_INLINE void with_earlier(const Ask& a, size_t c, size_t first, size_t n, const int64_t* weights,
                                   int64_t* square) const {
        const size_t p = 1 + a.dense + a.cells, base = 1 + a.dense;
        const Code* own = reinterpret_cast<const Code*>(a.codes[c]) + first;
        int64_t* to = square + (base + size_t(a.starts[c])) * p;
        if (!narrow_.has(c))
            for (size_t i = 0; i < n; ++i) to[size_t(own[i]) * p] += weights[i];
        for (size_t d = 0; d <= c; ++d) {
            if (narrow_.has(c) && narrow_.has(d)) continue;
            int64_t* const table = to + base + size_t(a.starts[d]);
            if (a.code_bytes[d] == 1)
                both(own, reinterpret_cast<const uint8_t*>(a.codes[d]) + first, n, weights, p, table);
            else if (a.code_bytes[d] == 2)
                both(own, reinterpret_cast<const uint16_t*>(a.codes[d]) + first, n, weights, p, table);
            else
                both(own, reinterpret_cast<const uint32_t*>(a.codes[d]) + first, n, weights, p, table);
        }
    }

    // table[own, other] += weight, a row of the table being `wide` away from the next.
    template <class Own, class Other>
    static TALLY_INLINE void both(const Own* own, const Other* other, size_t n, const int64_t* weights, size_t wide,
                                  int64_t* table) {
        for (size_t i = 0; i < n; ++i) table[size_t(own[i]) * wide + size_t(other[i])] += weights[i];
    }
};

}  // namespace tally::linear
