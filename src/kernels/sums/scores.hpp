// Scores of rows by tables: what naive Bayes and logistic regression do at prediction. Additions in the caller's order.
#pragma once

#include "kernels/base/math.hpp"

namespace tally {

// scores[row, class] += table[code[row], class].
template <class Code>
void add_code_scores(size_t rows, size_t n_codes, size_t n_classes, const Code* codes, const double* table, double* scores) {
    (void)n_codes;
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(codes[row] < n_codes);
        const double* from = table + codes[row] * n_classes;
        double* to = scores + row * n_classes;
        for (size_t c = 0; c < n_classes; ++c) to[c] += from[c];
    }
}

// scores[row, class] += x * slope[class]; a missing x adds missing[class].
inline void add_linear_scores(size_t rows, size_t n_classes, const double* values, ptrdiff_t stride, const double* slope,
                              const double* missing, double* scores) {
    for (size_t row = 0; row < rows; ++row) {
        const double x = values[static_cast<ptrdiff_t>(row) * stride];
        double* to = scores + row * n_classes;
        for (size_t c = 0; c < n_classes; ++c) to[c] += x != x ? missing[c] : x * slope[c];
    }
}

// scores[row, class] += sum over the row's entries of count[entry] * table[word[entry], class].
inline void add_word_scores(size_t rows, size_t n_words, size_t n_classes, const int64_t* starts, const uint32_t* words,
                            const uint32_t* counts, const double* table, double* scores) {
    (void)n_words;
    for (size_t row = 0; row < rows; ++row) {
        double* to = scores + row * n_classes;
        for (int64_t entry = starts[row]; entry < starts[row + 1]; ++entry) {
            TALLY_REQUIRE(words[entry] < n_words);
            const double* from = table + words[entry] * n_classes;
            const double times = counts[entry];
            // 0 times -inf must stay 0: a word that does not occur says nothing.
            if (times == 0.0) continue;
            for (size_t c = 0; c < n_classes; ++c) to[c] += times * from[c];
        }
    }
}

// best[row] = the class with the highest score, the first of equals; NaN never wins.
template <class Class>
void best_class(size_t rows, size_t n_classes, const double* scores, Class* best) {
    for (size_t row = 0; row < rows; ++row) {
        const double* from = scores + row * n_classes;
        size_t at = 0;
        double top = -infinity;
        for (size_t c = 0; c < n_classes; ++c) {
            const bool better = from[c] > top;
            at = better ? c : at;
            top = better ? from[c] : top;
        }
        best[row] = static_cast<Class>(at);
    }
}

inline double highest(size_t n, const double* values) {
    double top = values[0];
    for (size_t i = 1; i < n; ++i) top = values[i] > top ? values[i] : top;
    return top;
}

// Some rows of softmax, in three loops that the compiler can vectorise.
inline void softmax_chunk(size_t rows, size_t n_classes, const double* from, double* to) {
    for (size_t row = 0; row < rows; ++row) {
        const double top = highest(n_classes, from + row * n_classes);
        const double base = top == -infinity ? 0.0 : top;
        for (size_t c = 0; c < n_classes; ++c) to[row * n_classes + c] = from[row * n_classes + c] - base;
    }
    for (size_t i = 0; i < rows * n_classes; ++i) to[i] = exp_of(to[i]);
    for (size_t row = 0; row < rows; ++row) {
        double* at = to + row * n_classes;
        double sum = 0.0;
        for (size_t c = 0; c < n_classes; ++c) sum += at[c];
        for (size_t c = 0; c < n_classes; ++c) at[c] = sum == 0.0 ? 0.0 : at[c] / sum;
    }
}

// shares[row, class] = e^score / sum of e^scores. Classes at -inf have share 0; if all are, all shares are 0.
inline void softmax(size_t rows, size_t n_classes, const double* scores, double* shares) {
    constexpr size_t cells = 2048;  // a chunk stays in the first-level cache between the loops
    const size_t chunk = n_classes < cells ? cells / n_classes : 1;
    run_fast([=] {
        for (size_t begin = 0; begin < rows; begin += chunk) {
            softmax_chunk(rows - begin < chunk ? rows - begin : chunk, n_classes, scores + begin * n_classes,
                          shares + begin * n_classes);
        }
    });
}

// out[row] = ln(sum of e^score).
inline void log_sum_exp(size_t rows, size_t n_classes, const double* scores, double* out) {
    for (size_t row = 0; row < rows; ++row) {
        const double* from = scores + row * n_classes;
        const double top = highest(n_classes, from);
        double sum = 0.0;
        for (size_t c = 0; c < n_classes; ++c) sum += exp_of(from[c] - top);
        out[row] = top == -infinity ? -infinity : top + log_of(sum);
    }
}

}  // namespace tally
