// A quick look at which of two classes a row has, where columns lie side by side: slope[column] times x, plus a
// constant, added in the order that suits the processor. It tells a row only where no order of adding could tell it
// otherwise, so whoever looks gets the answer of the careful way, or is sent there.
#pragma once

#include "kernels/linear/sums.hpp"

namespace tally::linear {

constexpr double kApart = 1e-9;  // scores nearer than this may have equal shares

// The sums of four vectors' parts, one each.
TALLY_INLINE void sums_of_four(const Four v[4], Four& out) {
    const Four a = TALLY_SHUFFLE(v[0], v[1], 0, 4, 2, 6) + TALLY_SHUFFLE(v[0], v[1], 1, 5, 3, 7);
    const Four b = TALLY_SHUFFLE(v[2], v[3], 0, 4, 2, 6) + TALLY_SHUFFLE(v[2], v[3], 1, 5, 3, 7);
    out = TALLY_SHUFFLE(a, b, 0, 1, 4, 5) + TALLY_SHUFFLE(a, b, 2, 3, 6, 7);
}

struct Look {
    size_t fours;
    double base, apart, doubt;
    double* slope;  // [column, padded to fours]
};

// A score may be wrong by `apart` (what the constant and the centres round), and by the root of `doubt` times the sum
// of the squares of its parts: the sizes of n parts add up to at most the root of n times that sum.
TALLY_INLINE Look look_for(const Ask& a, double* memory) {
    Look q{(a.dense + 3) / 4, a.theta[0], a.theta[0] < 0 ? -a.theta[0] : a.theta[0], 0.0, memory};
    for (size_t j = 0; j < 4 * q.fours; ++j) memory[j] = 0.0;
    for (size_t j = 0; j < a.dense; ++j) {
        const double slope = a.theta[1 + j] * a.factor[j], part = slope * a.centre[j];
        memory[j < a.dense - a.dense % 4 ? j : 4 * q.fours - (a.dense - j)] = slope;  // the last four columns may overlap
        q.base -= part;
        q.apart += 2.0 * (part < 0 ? -part : part);
    }
    const double slack = 1e-15 * double(a.dense + 8);
    q.apart = kApart + slack * q.apart;
    q.doubt = slack * slack * double(a.dense + 1);
    return q;
}

// best[row] of rows first..first+n. Returns whether every row could be told: not where a value is missing or infinite.
TALLY_INLINE bool best_at_a_look(const Ask& a, const Look& q, size_t first, size_t n, uint32_t* best) {
    const size_t stride = static_cast<size_t>(a.strides[0]), last = a.dense - 4;
    const double* x = reinterpret_cast<const double*>(a.values[0]) + first * stride;
    const size_t ahead = (1024 / (stride ? stride : 1) + 1) * stride;  // the rows fetched meanwhile: about 8 KB from here
    FourWhole told = ~FourWhole{};
    for (size_t i = 0; i < n; i += 4) {
        const double* row[4];
        for (size_t r = 0; r < 4; ++r) row[r] = x + (i + r < n ? i + r : n - 1) * stride;
        for (size_t r = 0; r < 4; ++r)
            for (size_t j = 0; j < a.dense; j += 8) TALLY_PREFETCH(row[r] + ahead + j);
        Four sum[4] = {}, squares[4] = {};
        for (size_t j = 0; j < q.fours; ++j) {
            const Four slope = *reinterpret_cast<const Four*>(q.slope + 4 * j);
            const size_t at = 4 * j < last ? 4 * j : last;
            TALLY_UNROLL  // so that the sums stay in registers
                for (size_t r = 0; r < 4; ++r) {
                const Four part = slope * *reinterpret_cast<const Four*>(row[r] + at);
                sum[r] += part;
                squares[r] += part * part;
            }
        }
        Four score, all;
        sums_of_four(sum, score), sums_of_four(squares, all);
        score += q.base;
        const Four room = reinterpret_cast<Four>(reinterpret_cast<FourWhole>(score) & INT64_MAX) - q.apart;
        told &= FourWhole(room > 0.0) & FourWhole(room * room > q.doubt * all);
        for (size_t r = 0; r < 4 && i + r < n; ++r) best[i + r] = score[r] > 0.0;
    }
    return told[0] && told[1] && told[2] && told[3];
}

// Fills best[row] from the first row on, kRows at a time, and returns how many rows were told before one could not be.
inline size_t told_at_a_look(const Ask& ask, double* memory, uint32_t* best) {
    return run_fast([a = ask, memory, best] {
        const Look look = look_for(a, memory);
        for (size_t first = 0; first < a.rows; first += kRows) {
            const size_t n = a.rows - first < kRows ? a.rows - first : kRows;
            if (!best_at_a_look(a, look, first, n, best + first)) return first;
        }
        return a.rows;
    });
}

}  // namespace tally::linear
