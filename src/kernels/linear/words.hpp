// Logistic regression on word counts: sparse rows weighted by tf-idf, never made dense. The sums are those of sums.hpp.
#pragma once

#include "kernels/linear/curvature.hpp"

namespace tally::linear {

// One text column. The value of an entry is tf(count) * idf[word], divided by the row's length when `unit` is set.
struct Words {
    const int64_t* starts;  // [row + 1]
    const uint32_t* word;   // [entry]
    const uint32_t* count;  // [entry]
    const double* idf;      // [words + 1]: 0 for unseen words
    const double* tf;       // [tf_size]: the weight of a count; the last stands for all beyond
    size_t tf_size;
    int64_t unit;
    double scale;         // a power of two that brings every value to at most 1
    const double* theta;  // [words, links], for scaled values
    int64_t* gradient;    // [words, links]
    const double* value;  // [entry] from `word_values`, or null: then values are found on the way
};

TALLY_INLINE double tf_of(const Words& t, int64_t entry) {
    const size_t count = t.count[entry];
    return t.tf[count < t.tf_size ? count : t.tf_size - 1];
}

// What every value of a row is multiplied with: 1 over the row's length, times the scale.
TALLY_INLINE double row_scale(const Words& t, size_t row) {
    if (!t.unit) return t.scale;
    double squares = 0.0;
    for (int64_t e = t.starts[row]; e < t.starts[row + 1]; ++e) {
        const double v = tf_of(t, e) * t.idf[t.word[e]];
        squares += v * v;
    }
    return squares > 0.0 ? t.scale / square_root(squares) : 0.0;
}

TALLY_INLINE double value_of(const Words& t, int64_t entry, double scale) {
    return t.value ? t.value[entry] : (tf_of(t, entry) * t.idf[t.word[entry]]) * scale;
}

constexpr int64_t kEntriesAhead = 12;  // words lie far apart: what comes next is fetched meanwhile

// line[link] of the links at..at + 4 K, over a row's entries begin..end; the block's entries go on to `last`.
template <size_t K>
TALLY_INLINE void score_links(const Words& t, size_t links, size_t at, int64_t begin, int64_t end, int64_t last,
                              double scale, double* line) {
    Four sum[K] = {};
    for (int64_t e = begin; e < end; ++e) {
        const double* next = t.theta + size_t(t.word[e + kEntriesAhead < last ? e + kEntriesAhead : e]) * links + at;
        for (size_t k = 0; k < 4 * K; k += 8) TALLY_PREFETCH(next + k);
        const double v = value_of(t, e, scale);
        if (v == 0.0) continue;  // an unseen word has no weights
        const Four* theta = reinterpret_cast<const Four*>(t.theta + size_t(t.word[e]) * links + at);
        for (size_t k = 0; k < K; ++k) sum[k] += v * theta[k];
    }
    for (size_t k = 0; k < K; ++k) *reinterpret_cast<Four*>(line + at + 4 * k) = sum[k];
}

// gradient[word, link] += round(value * line[link]) * times, of the same links.
template <size_t K>
TALLY_INLINE void sum_links(const Words& t, size_t links, size_t at, int64_t begin, int64_t end, int64_t last, double scale,
                            double magic, int64_t times, const double* line) {
    const int64_t zero = std::bit_cast<int64_t>(magic);
    Four rest[K];
    for (size_t k = 0; k < K; ++k) rest[k] = *reinterpret_cast<const Four*>(line + at + 4 * k);
    for (int64_t e = begin; e < end; ++e) {
        const int64_t* next = t.gradient + size_t(t.word[e + kEntriesAhead < last ? e + kEntriesAhead : e]) * links + at;
        for (size_t k = 0; k < 4 * K; k += 8) TALLY_PREFETCH_TO_WRITE(next + k);
        const double v = value_of(t, e, scale);
        if (v == 0.0) continue;
        int64_t* to = t.gradient + size_t(t.word[e]) * links + at;
        for (size_t k = 0; k < K; ++k) {
            const FourWhole terms = reinterpret_cast<FourWhole>(v * rest[k] + magic) - zero;
            if (times == 1)
                *reinterpret_cast<FourWhole*>(to + 4 * k) += terms;
            else
                for (size_t i = 0; i < 4; ++i) to[4 * k + i] += terms[i] * times;
        }
    }
}

// work(at, K) for runs of 4 K links, the largest first; returns the first of the less than four links that are left.
template <class Work>
TALLY_INLINE size_t over_fours(size_t links, Work work) {
    size_t at = 0;
    for (; at + 20 <= links; at += 20) work(at, std::integral_constant<size_t, 5>{});
    for (; at + 8 <= links; at += 8) work(at, std::integral_constant<size_t, 2>{});
    for (; at + 4 <= links; at += 4) work(at, std::integral_constant<size_t, 1>{});
    return at;
}

// eta[link, row] += words of the row; scale[row] is kept for the gradient; line[links] is scratch.
TALLY_INLINE void add_words(const Words& t, const Ask& a, size_t first, size_t n, double* eta, double* scale, double* line) {
    const size_t links = a.links;
    const int64_t last = t.starts[a.rows];
    for (size_t i = 0; i < n; ++i) {
        const size_t row = first + i;
        const double factor = scale[i] = t.value ? 1.0 : row_scale(t, row);
        const int64_t begin = t.starts[row], end = t.starts[row + 1];
        const size_t rest = over_fours(links, [&](size_t at, auto k) {
            score_links<decltype(k)::value>(t, links, at, begin, end, last, factor, line);
        });
        for (size_t l = rest; l < links; ++l) line[l] = 0.0;
        for (int64_t e = begin; e < end && rest < links; ++e) {
            const double v = value_of(t, e, factor);
            if (v == 0.0) continue;
            const double* theta = t.theta + size_t(t.word[e]) * links;
            for (size_t l = rest; l < links; ++l) line[l] += v * theta[l];
        }
        for (size_t l = 0; l < links; ++l) eta[l * kRows + i] += line[l];
    }
}

TALLY_INLINE void sum_words(const Words& t, const Ask& a, size_t first, size_t n, const double* residual,
                            const double* scale, double magic, double* line) {
    const size_t links = a.links;
    const int64_t zero = std::bit_cast<int64_t>(magic), last = t.starts[a.rows];
    for (size_t i = 0; i < n; ++i) {
        const size_t row = first + i;
        const int64_t times = a.weights ? a.weights[row] : 1, begin = t.starts[row], end = t.starts[row + 1];
        const double factor = scale[i];
        for (size_t l = 0; l < links; ++l) line[l] = residual[l * kRows + i];
        const size_t rest = over_fours(links, [&](size_t at, auto k) {
            sum_links<decltype(k)::value>(t, links, at, begin, end, last, factor, magic, times, line);
        });
        for (int64_t e = begin; e < end && rest < links; ++e) {
            const double v = value_of(t, e, factor);
            if (v == 0.0) continue;
            int64_t* to = t.gradient + size_t(t.word[e]) * links;
            for (size_t l = rest; l < links; ++l) to[l] += (std::bit_cast<int64_t>(v * line[l] + magic) - zero) * times;
        }
    }
}

// As `sums`, with text columns beside the others; of curvatures only the diagonal, without words. spare: kRows doubles per text column, and links more.
inline void word_sums(const Ask& ask, const Words* texts, size_t n_texts, double* memory, double* spare,
                      const Totals& totals) {
    run_fast([a = ask, texts, n_texts, memory, spare, out = totals] {
        const Work w = lay_out(memory, a.dense, a.links);
        TwoCodes two(a);
        double* line = spare + n_texts * kRows;
        const double magic = magic_of(a.bits);
        for (size_t first = 0; first < a.rows; first += kRows) {
            const size_t n = a.rows - first < kRows ? a.rows - first : kRows;
            load_columns(a, first, n, w.y);
            if (of_columns_alone(a)) {
                row_factors(a, first, n, w.row + kRows);
                sum_diagonal(a, w, first, n, magic, out.curvature);
                continue;
            }
            add_dense(a, w.y, w.eta);
            two.load(a, first, n);
            add_coded(a, two, first, n, w.eta);
            for (size_t t = 0; t < n_texts; ++t) add_words(texts[t], a, first, n, w.eta, spare + t * kRows, line);
            finish_rows(a, two, w, first, n, magic, out);
            for (size_t t = 0; t < n_texts; ++t) sum_words(texts[t], a, first, n, w.eta, spare + t * kRows, magic, line);
        }
    });
}

// The rows whose first columns hash to 0 of `every`: the same rows in any order. Returns how many. values and codes are
// laid out as in Ask; at most three columns are looked at. One zero, one NaN.
inline size_t pick_rows(const Ask& a, uint64_t every, int64_t* picked) {
    size_t n = 0;
    for (size_t row = 0; row < a.rows; ++row) {
        uint64_t mixed = 0;
        const size_t dense = a.dense < 3 ? a.dense : 3, coded = a.coded < 3 - dense ? a.coded : 3 - dense;
        for (size_t j = 0; j < dense; ++j) {
            const double x = reinterpret_cast<const double*>(a.values[j])[row * static_cast<size_t>(a.strides[j])];
            mixed += std::bit_cast<uint64_t>((x == x ? x : 0.0) + 0.0) * 0x9E3779B97F4A7C15ULL;
            mixed ^= mixed >> 29;
        }
        for (size_t c = 0; c < coded; ++c) {
            const void* codes = reinterpret_cast<const void*>(a.codes[c]);
            mixed += static_cast<uint64_t>(code_at(codes, a.code_bytes[c], row) + 1) * 0x9E3779B97F4A7C15ULL;
            mixed ^= mixed >> 29;
        }
        mixed *= 0xBF58476D1CE4E5B9ULL;
        picked[n] = static_cast<int64_t>(row);
        n += (mixed >> 40) % every == 0;
    }
    return n;
}

// to[column, i] = x[column, rows[i]].
inline void gather_rows(const Ask& a, size_t n, const int64_t* rows, double* to) {
    for (size_t i = 0; i < n; ++i)  // row by row: in a matrix they lie together
        for (size_t j = 0; j < a.dense; ++j)
            to[j * n + i] = reinterpret_cast<const double*>(a.values[j])[rows[i] * a.strides[j]];
}

// rows[word] += copies of the rows that hold the word; *most becomes the largest count.
inline void word_rows(size_t n, const int64_t* starts, const uint32_t* word, const uint32_t* count, const int64_t* copies,
                      int64_t* rows, int64_t* most) {
    for (size_t i = 0; i < n; ++i)
        for (int64_t e = starts[i]; e < starts[i + 1]; ++e) {
            rows[word[e]] += copies ? copies[i] : 1;
            if (int64_t(count[e]) > *most) *most = count[e];
        }
}

// values[entry] = tf * idf, each row brought to length 1 when `unit` is set: what `add_words` multiplies with.
inline void word_values(size_t n, const Words& t, double* values) {
    for (size_t row = 0; row < n; ++row) {
        const double scale = row_scale(t, row);
        for (int64_t e = t.starts[row]; e < t.starts[row + 1]; ++e)
            values[e - t.starts[0]] = (tf_of(t, e) * t.idf[t.word[e]]) * scale;
    }
}

}  // namespace tally::linear
