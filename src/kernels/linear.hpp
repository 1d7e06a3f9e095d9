// Objective, gradient and curvature of a linear predictor, summed over rows in fixed point: any order, the same bits.
//
// score[row, k] = weight[0, k] + sum over columns, in their order, of x * weight[first, k] (values) or
// weight[first + code, k] (codes; a code beyond its levels and a missing value add nothing). Classes 0..n_free-1 have
// scores, the last class is the reference with score 0. Each row's terms are rounded once, to whole multiples of
// 2^-40 of the column's bound, and then only whole numbers are added.
#pragma once

#include "kernels/math.hpp"

namespace tally {

inline constexpr double fine = 1099511627776.0;  // 2^40

struct Wide {  // a whole number of 128 bits, as two words that NumPy can hold
    uint64_t low;
    int64_t high;
    void add(__int128 number) {
        const unsigned __int128 sum = (static_cast<unsigned __int128>(static_cast<uint64_t>(high)) << 64 | low)
                                      + static_cast<unsigned __int128>(number);
        low = static_cast<uint64_t>(sum);
        high = static_cast<int64_t>(sum >> 64);
    }
};

// The nearest whole number, ties to even, held within +-2^50.
inline int64_t nearest_whole(double x) {
    constexpr double most = 1125899906842624.0;
    x = x > most ? most : x < -most ? -most : x;
    return static_cast<int64_t>((x + rounder) - rounder);
}

struct LinearColumn {
    const double* values;  // or null
    ptrdiff_t stride;
    const uint32_t* codes;  // or null
    size_t first;           // the column's first parameter
    size_t n_levels;        // codes below have a parameter
    double bound;           // a power of two, at least every |x|; 1 for codes
};

struct LinearTerms {  // scratch for one row: the parameters that take part
    size_t* at;     // [column + 1]
    double* x;      // [column + 1], divided by the bound: |x| <= 1
    double* score;  // [n_free], then shares
};

struct LinearTotals {
    Wide* objective;  // 1, units of 2^-40
    Wide* gradient;   // [parameter, free], units of bound * 2^-40
    Wide* curvature;  // [parameter, free, parameter, free], units of bound * bound * 2^-40, or null; only q <= p filled
};

struct LinearModel {
    size_t n_columns, n_free, n_parameters;
    const LinearColumn* columns;
    const double* weights;  // [parameter, free]
};

// Fills the row's terms and scores; returns how many parameters take part.
inline size_t linear_scores(const LinearModel& model, size_t row, LinearTerms terms) {
    const size_t n_free = model.n_free;
    size_t n = 1;
    terms.at[0] = 0;
    terms.x[0] = 1.0;
    for (size_t k = 0; k < n_free; ++k) terms.score[k] = model.weights[k];
    for (size_t j = 0; j < model.n_columns; ++j) {
        const LinearColumn& column = model.columns[j];
        double x = 1.0;
        size_t at = column.first;
        if (column.values) {
            x = column.values[static_cast<ptrdiff_t>(row) * column.stride];
            if (x != x) continue;
            TALLY_REQUIRE(x <= column.bound && x >= -column.bound);
        } else {
            if (column.codes[row] >= column.n_levels) continue;
            at += column.codes[row];
        }
        TALLY_REQUIRE(at < model.n_parameters);
        for (size_t k = 0; k < n_free; ++k) terms.score[k] += x * model.weights[at * n_free + k];
        terms.at[n] = at;
        terms.x[n++] = x / column.bound;
    }
    return n;
}

// Turns scores into shares of the free classes; returns the row's loss, -ln(share of its class).
inline double linear_shares(size_t n_free, double* score, size_t label) {
    double top = 0.0, sum = 0.0;
    for (size_t k = 0; k < n_free; ++k) top = score[k] > top ? score[k] : top;
    const double own = label < n_free ? score[label] : 0.0;
    for (size_t k = 0; k < n_free; ++k) sum += score[k] = exp_of(score[k] - top);
    sum += exp_of(-top);
    for (size_t k = 0; k < n_free; ++k) score[k] /= sum;
    return (top - own) + log_of(sum);
}

inline void add_curvature(const LinearModel& model, LinearTerms terms, size_t n, __int128 weight, Wide* curvature) {
    const size_t n_free = model.n_free, line = model.n_parameters * n_free;
    for (size_t k = 0; k < n_free; ++k) {
        for (size_t l = 0; l < n_free; ++l) {
            const double h = terms.score[k] * ((k == l ? 1.0 : 0.0) - terms.score[l]);
            for (size_t i = 0; i < n; ++i) {
                Wide* to = curvature + (terms.at[i] * n_free + k) * line + l;
                for (size_t j = 0; j < n; ++j) {
                    if (terms.at[j] > terms.at[i]) continue;
                    to[terms.at[j] * n_free].add(weight * nearest_whole(h * (terms.x[i] * terms.x[j]) * fine));
                }
            }
        }
    }
}

// classes[row] in 0..n_free. The total weight stays below 2^63.
template <class Class>
void add_linear_sums(size_t rows, const LinearModel& model, const Class* classes, const int64_t* weights,
                     LinearTerms terms, LinearTotals to) {
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(classes[row] <= model.n_free);
        const __int128 weight = weights ? weights[row] : 1;
        const size_t n = linear_scores(model, row, terms), label = classes[row];
        const double loss = linear_shares(model.n_free, terms.score, label);
        to.objective->add(weight * nearest_whole(loss * fine));
        for (size_t k = 0; k < model.n_free; ++k) {
            const double r = terms.score[k] - (k == label ? 1.0 : 0.0);
            for (size_t i = 0; i < n; ++i) {
                to.gradient[terms.at[i] * model.n_free + k].add(weight * nearest_whole(r * terms.x[i] * fine));
            }
        }
        if (to.curvature) add_curvature(model, terms, n, weight, to.curvature);
    }
}

}  // namespace tally
