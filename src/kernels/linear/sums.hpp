// Logistic regression over one block of rows: loss, gradient and curvature in one reading, as sums that no order changes.
//
// Every term of a row is rounded to a whole multiple of 2^-bits and added as an integer, so that chunks, threads,
// row order and instruction set cannot change a bit. The caller scales every column to |y| <= 1 (by a power of two)
// and chooses `bits` so that no sum can pass 2^62. Knows nothing of names, priors, solvers or standardisation.
#pragma once

#include <bit>

#include "kernels/base/math.hpp"
#include "kernels/base/tiles.hpp"
#include "kernels/linear/two_codes.hpp"

namespace tally::linear {

// Scratch of a block step: doubles the caller owns.
struct Work {
    double* y;       // [1 + dense, kRows]
    double* eta;     // [links, kRows]; after `links_to_residuals` the residuals
    double* share;   // [links, kRows]
    double* side;    // [1 + dense, kRows]; columns times the curvature weight
    double* row;     // [4, kRows]: loss, factor, curvature weight, spare
    int64_t* fixed;  // [links, kRows]: residuals in 2^-bits
};

inline size_t work_doubles(size_t dense, size_t links) { return kRows * (2 * (1 + dense) + 3 * links + 4); }

inline Work lay_out(double* memory, size_t dense, size_t links) {
    Work w{};
    w.y = memory;
    w.side = w.y + kRows * (1 + dense);
    w.eta = w.side + kRows * (1 + dense);
    w.share = w.eta + kRows * links;
    w.row = w.share + kRows * links;
    w.fixed = reinterpret_cast<int64_t*>(w.row + 4 * kRows);
    return w;
}

TALLY_INLINE double scaled(double x, double centre, double factor) {
    const double y = (x - centre) * factor;
    return y == y ? y : 0.0;
}

// Do the columns lie side by side, as in a matrix of rows? Then four rows of four columns are taken at a time.
TALLY_INLINE bool side_by_side(const Ask& a) {
    bool beside = a.dense >= 4;
    for (size_t j = 1; j < a.dense; ++j)
        beside &= a.values[j] == a.values[j - 1] + int64_t(sizeof(double)) && a.strides[j] == a.strides[0];
    return beside;
}

TALLY_INLINE void scaled_four(const double* x, const Four& centre, const Four& factor, Four& out) {
    const Four y = (*reinterpret_cast<const Four*>(x) - centre) * factor;
    out = reinterpret_cast<Four>(reinterpret_cast<FourWhole>(y) & FourWhole(y == y));
}

// A square of four rows and four columns: column[k] holds the four rows of column k.
TALLY_INLINE void load_square(const double* x, size_t stride, const double* centre, const double* factor, Four column[4]) {
    const Four c = *reinterpret_cast<const Four*>(centre), f = *reinterpret_cast<const Four*>(factor);
    Four row[4];
    for (size_t i = 0; i < 4; ++i) scaled_four(x + i * stride, c, f, row[i]);
    turn_square(row, column);
}

// y[column, row] of rows first..first+n; the rest of the kRows is 0, so that it adds nothing.
TALLY_INLINE void load_columns(const Ask& a, size_t first, size_t n, double* y) {
    for (size_t i = 0; i < kRows; ++i) y[i] = i < n ? 1.0 : 0.0;
    size_t done = 0, whole = 0;
    if (side_by_side(a)) {
        const size_t stride = static_cast<size_t>(a.strides[0]);
        const double* x = reinterpret_cast<const double*>(a.values[0]) + first * stride;
        done = a.dense - a.dense % 4, whole = n - n % 4;
        for (size_t i = 0; i < whole; i += 4)
            for (size_t j = 0; j < done; j += 4) {
                Four column[4];
                load_square(x + i * stride + j, stride, a.centre + j, a.factor + j, column);
                for (size_t k = 0; k < 4; ++k) *reinterpret_cast<Four*>(y + (1 + j + k) * kRows + i) = column[k];
            }
    }
    for (size_t j = 0; j < a.dense; ++j) {
        const size_t stride = static_cast<size_t>(a.strides[j]);
        const double* x = reinterpret_cast<const double*>(a.values[j]) + first * stride;
        double* to = y + (1 + j) * kRows;
        const double centre = a.centre[j], factor = a.factor[j];
        if (stride == 1)
            for (size_t i = 0; i < n; ++i) to[i] = scaled(x[i], centre, factor);
        else
            for (size_t i = j < done ? whole : 0; i < n; ++i) to[i] = scaled(x[i * stride], centre, factor);
        for (size_t i = n; i < kRows; ++i) to[i] = 0.0;
    }
}

// A link's predictor stays in registers while the columns are added in their order.
TALLY_INLINE void add_dense(const Ask& a, const double* y, double* eta) {
    for (size_t l = 0; l < a.links; ++l) {
        const double* theta = a.theta + l;
        for (size_t i = 0; i < kRows; i += 16) {
            const double t0 = theta[0];
            Four e0 = Four{t0, t0, t0, t0}, e1 = e0, e2 = e0, e3 = e0;
            for (size_t j = 1; j <= a.dense; ++j) {
                const double t = theta[j * a.links];
                const Four* column = reinterpret_cast<const Four*>(y + j * kRows + i);
                e0 += t * column[0], e1 += t * column[1], e2 += t * column[2], e3 += t * column[3];
            }
            Four* to = reinterpret_cast<Four*>(eta + l * kRows + i);
            to[0] = e0, to[1] = e1, to[2] = e2, to[3] = e3;
        }
    }
}

// Codes 0 to 3 of a stretch of rows, which need neither a place looked up nor a sum that waits for the one before it: bits
// of the code choose among four numbers, and whole numbers are summed by mask.
struct FewCodes {
    const uint8_t* codes;
    size_t n;
    uint8_t most;

    TALLY_INLINE FewCodes(const uint8_t* given, size_t rows) : codes(given), n(rows), most(0) {
        for (size_t i = 0; i < n; ++i) most = codes[i] > most ? codes[i] : most;
    }
    TALLY_INLINE bool few() const { return most < 4; }

    // to[row] += t[code * step], the bits of the same addition.
    TALLY_INLINE void add(const double* t, size_t step, double* to) const {
        uint64_t bits[4];
        for (size_t k = 0; k < 4; ++k) bits[k] = std::bit_cast<uint64_t>(t[(k <= most ? k : 0) * step]);
        const uint64_t first = bits[0], low = bits[0] ^ bits[1], high = bits[0] ^ bits[2];
        const uint64_t both = bits[0] ^ bits[1] ^ bits[2] ^ bits[3];
        for (size_t i = 0; i < n; ++i) {
            const uint64_t one = 0 - uint64_t(codes[i] & 1), two = 0 - uint64_t(codes[i] >> 1);
            to[i] += std::bit_cast<double>(first ^ (low & one) ^ (high & two) ^ (both & one & two));
        }
    }

    // to[code * step] += whole[row].
    TALLY_INLINE void sum(const int64_t* whole, size_t step, int64_t* to) const {
        uint64_t all = 0, one = 0, two = 0, both = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t own = uint64_t(whole[i]), odd = own & (0 - uint64_t(codes[i] & 1));
            const uint64_t far = 0 - uint64_t(codes[i] >> 1);
            all += own, one += odd, two += own & far, both += odd & far;
        }
        const uint64_t sums[4] = {all - one - two + both, one - both, two - both, both};
        for (size_t k = 0; k <= most; ++k) to[k * step] = int64_t(uint64_t(to[k * step]) + sums[k]);
    }
};

template <class Code>
TALLY_INLINE void add_codes(const Code* codes, size_t n, size_t links, const double* theta, double* eta) {
    if constexpr (sizeof(Code) == 1) {
        if (const FewCodes own(codes, n); own.few()) {
            for (size_t l = 0; l < links; ++l) own.add(theta + l, links, eta + l * kRows);
            return;
        }
    }
    if (links == 1) {
        for (size_t i = 0; i < n; ++i) eta[i] += theta[codes[i]];
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const double* t = theta + size_t(codes[i]) * links;
        for (size_t l = 0; l < links; ++l) eta[l * kRows + i] += t[l];
    }
}

// Columns are added in their order; two: as `load` found these rows.
TALLY_INLINE void add_coded(const Ask& a, const TwoCodes& two, size_t first, size_t n, double* eta) {
    for (size_t c = 0; c < a.coded; ++c) {
        if (const size_t end = two.end(c); end > c) {
            two.add(a, c, end, eta);
            c = end - 1;
            continue;
        }
        const double* theta = a.theta + (1 + a.dense + static_cast<size_t>(a.starts[c])) * a.links;
        if (a.code_bytes[c] == 1)
            add_codes(reinterpret_cast<const uint8_t*>(a.codes[c]) + first, n, a.links, theta, eta);
        else if (a.code_bytes[c] == 2)
            add_codes(reinterpret_cast<const uint16_t*>(a.codes[c]) + first, n, a.links, theta, eta);
        else
            add_codes(reinterpret_cast<const uint32_t*>(a.codes[c]) + first, n, a.links, theta, eta);
    }
}

// to[row] = the row's class as a number, so that what follows needs no branches.
TALLY_INLINE void labels_of(const Ask& a, size_t first, size_t n, double* to) {
    for (size_t i = n; i < kRows; ++i) to[i] = 0.0;
    if (a.class_bytes == 1)
        for (size_t i = 0; i < n; ++i) to[i] = static_cast<const uint8_t*>(a.classes)[first + i];
    else
        for (size_t i = 0; i < n; ++i) to[i] = double(code_at(a.classes, a.class_bytes, first + i));
}

// Two classes: eta is the log-odds of class 1. Leaves residual (y - p) in eta, p in share, the loss in `loss`.
TALLY_INLINE void two_classes(const Ask& a, size_t first, size_t n, double* eta, double* share, double* loss) {
    for (size_t i = 0; i < kRows; ++i) {
        const double e = eta[i];
        const double exact = exp_of(e < 0 ? e : -e);    // in (0, 1]
        const double t = exact < 1e-200 ? 0.0 : exact;  // no term of a sum sees it, and denormal numbers are slow
        share[i] = (e < 0 ? t : 1.0) / (1.0 + t);
        loss[i] = log_of(1.0 + t) + (e < 0 ? 0.0 : e);  // of class 0
    }
    double one[kRows];
    labels_of(a, first, n, one);
    for (size_t i = 0; i < kRows; ++i) {  // 1 - p = 1 / (1 + e^eta) keeps its digits where p is nearly 1
        loss[i] -= one[i] != 0.0 ? eta[i] : 0.0;
        eta[i] = one[i] != 0.0 ? 1.0 - share[i] : -share[i];
    }
}

// R classes: eta[class]. Leaves residuals in eta and shares in share.
TALLY_INLINE void many_classes(const Ask& a, size_t first, size_t n, double* eta, double* share, double* loss,
                               double* spare) {
    const size_t links = a.links;
    for (size_t i = 0; i < kRows; ++i) spare[i] = eta[i];
    for (size_t l = 1; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) {
            const double e = eta[l * kRows + i];
            spare[i] = e > spare[i] ? e : spare[i];
        }
    for (size_t i = 0; i < kRows; ++i) loss[i] = 0.0;
    for (size_t l = 0; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) {
            const double t = exp_of(eta[l * kRows + i] - spare[i]);
            share[l * kRows + i] = t;
            loss[i] += t;
        }
    for (size_t l = 0; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) share[l * kRows + i] /= loss[i];
    for (size_t i = 0; i < kRows; ++i) loss[i] = log_of(loss[i]) + spare[i];
    for (size_t i = 0; i < n; ++i)
        loss[i] -= eta[static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i)) * kRows + i];
    for (size_t l = 0; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) eta[l * kRows + i] = -share[l * kRows + i];
    for (size_t i = 0; i < n; ++i) eta[static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i)) * kRows + i] += 1.0;
}

// Rows (by copies) whose own class is not strictly ahead: none means that the classes are separated.
TALLY_INLINE int64_t count_wrong(const Ask& a, const Work& w, size_t first, size_t n) {
    int64_t wrong = 0;
    const int64_t* copies = a.weights ? a.weights + first : nullptr;
    if (a.links == 1) {
        for (size_t i = 0; i < n; ++i) {
            const int64_t here = w.eta[i] < 0.5 && w.eta[i] > -0.5 ? 0 : -1;
            wrong += here & (copies ? copies[i] : 1);
        }
        return wrong;
    }
    double own[kRows], top[kRows];
    for (size_t i = 0; i < kRows; ++i) own[i] = top[i] = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const size_t at = static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i)) * kRows + i;
        own[i] = w.share[at];
        w.share[at] = -1.0;
    }
    for (size_t l = 0; l < a.links; ++l)
        for (size_t i = 0; i < kRows; ++i) {
            const double s = w.share[l * kRows + i];
            top[i] = s > top[i] ? s : top[i];
        }
    for (size_t i = 0; i < n; ++i) {
        w.share[static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i)) * kRows + i] = own[i];
        wrong += top[i] < own[i] ? 0 : (copies ? copies[i] : 1);
    }
    return wrong;
}

// factor[row]: what a row counts for beside its copies; 0 beyond the last row.
TALLY_INLINE void row_factors(const Ask& a, size_t first, size_t n, double* factor) {
    for (size_t i = 0; i < kRows; ++i) factor[i] = i < n ? 1.0 : 0.0;
    if (a.row_factor)
        for (size_t i = 0; i < n; ++i) factor[i] = a.row_factor[first + i];
    if (a.class_factor)
        for (size_t i = 0; i < n; ++i)
            factor[i] *= a.class_factor[static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i))];
}

// Sum of round(u[row] * v[row] / 2^-bits) * copies[row]. `magic` is 1.5 * 2^52 in units of 2^-bits.
TALLY_INLINE int64_t fixed_dot(const double* u, const double* v, const int64_t* copies, size_t n, double magic) {
    const int64_t zero = std::bit_cast<int64_t>(magic);
    uint64_t total = 0;
    if (copies) {
        for (size_t i = 0; i < n; ++i)
            total += uint64_t(std::bit_cast<int64_t>(u[i] * v[i] + magic) - zero) * uint64_t(copies[i]);
    } else {
        for (size_t i = 0; i < kRows; ++i) total += uint64_t(std::bit_cast<int64_t>(u[i] * v[i] + magic));
        total -= kRows * uint64_t(zero);
    }
    return int64_t(total);
}

TALLY_INLINE void sum_loss(const double* loss, const int64_t* copies, size_t n, double magic, int64_t* total) {
    uint64_t whole = 0, rest = 0;
    for (size_t i = 0; i < n; ++i) {
        const double bounded = loss[i] < 1e9 ? loss[i] : 1e9;
        const double shifted = bounded + rounder;
        const uint64_t units = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(rounder);
        const uint64_t parts =
            std::bit_cast<uint64_t>((bounded - (shifted - rounder)) + magic) - std::bit_cast<uint64_t>(magic);
        const uint64_t times = copies ? uint64_t(copies[i]) : 1;
        whole += units * times;
        rest += parts * times;
    }
    total[0] += int64_t(whole);
    total[1] += int64_t(rest);
}

// to[code, link] += fixed[link, row].
template <class Code>
TALLY_INLINE void scatter(const Code* codes, size_t n, size_t links, const int64_t* fixed, int64_t* to) {
    if constexpr (sizeof(Code) == 1) {
        if (const FewCodes own(codes, n); own.few()) {
            for (size_t l = 0; l < links; ++l) own.sum(fixed + l * kRows, links, to + l);
            return;
        }
    }
    if (links == 1) {
        for (size_t i = 0; i < n; ++i) to[codes[i]] += fixed[i];
        return;
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t l = 0; l < links; ++l) to[size_t(codes[i]) * links + l] += fixed[l * kRows + i];
}

TALLY_INLINE void sum_gradient(const Ask& a, const TwoCodes& two, const Work& w, size_t first, size_t n, double magic,
                               int64_t* gradient) {
    const int64_t* copies = a.weights ? a.weights + first : nullptr;
    for (size_t l = 0; l < a.links; ++l)
        for (size_t j = 0; j <= a.dense; ++j)
            gradient[j * a.links + l] += fixed_dot(w.y + j * kRows, w.eta + l * kRows, copies, n, magic);
    if (a.coded == 0) return;
    const int64_t zero = std::bit_cast<int64_t>(magic);
    for (size_t l = 0; l < a.links; ++l) {
        for (size_t i = 0; i < n; ++i)
            w.fixed[l * kRows + i] =
                (std::bit_cast<int64_t>(w.eta[l * kRows + i] + magic) - zero) * (copies ? copies[i] : 1);
        for (size_t i = n; i < kRows; ++i) w.fixed[l * kRows + i] = 0;
    }
    for (size_t c = 0; c < a.coded; ++c) {
        if (const size_t end = two.end(c); end > c) {
            two.sum(a, c, end, w.fixed, gradient);
            c = end - 1;
            continue;
        }
        int64_t* to = gradient + (1 + a.dense + static_cast<size_t>(a.starts[c])) * a.links;
        if (a.code_bytes[c] == 1)
            scatter(reinterpret_cast<const uint8_t*>(a.codes[c]) + first, n, a.links, w.fixed, to);
        else if (a.code_bytes[c] == 2)
            scatter(reinterpret_cast<const uint16_t*>(a.codes[c]) + first, n, a.links, w.fixed, to);
        else
            scatter(reinterpret_cast<const uint32_t*>(a.codes[c]) + first, n, a.links, w.fixed, to);
    }
}

// From linear predictors (in w.eta) to loss, residuals and the gradient of the dense and coded columns.
TALLY_INLINE void finish_rows(const Ask& a, const TwoCodes& two, const Work& w, size_t first, size_t n, double magic,
                              const Totals& out) {
    double* loss = w.row;
    double* factor = w.row + kRows;
    if (a.links == 1)
        two_classes(a, first, n, w.eta, w.share, loss);
    else
        many_classes(a, first, n, w.eta, w.share, loss, w.row + 3 * kRows);
    out.loss[2] += count_wrong(a, w, first, n);
    row_factors(a, first, n, factor);
    for (size_t i = 0; i < kRows; ++i) loss[i] *= factor[i];
    for (size_t l = 0; l < a.links; ++l)
        for (size_t i = 0; i < kRows; ++i) w.eta[l * kRows + i] *= factor[i];
    sum_loss(loss, a.weights ? a.weights + first : nullptr, n, magic, out.loss);
    sum_gradient(a, two, w, first, n, magic, out.gradient);
}

}  // namespace tally::linear
