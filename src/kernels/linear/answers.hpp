// What a fitted logistic regression answers for new rows: scores, shares or the best class, a block in one reading.
// Columns are added in their order, so an answer depends on its own row alone: not on blocks, threads or instruction set.
#pragma once

#include <algorithm>

#include "kernels/columns/doubles.hpp"
#include "kernels/linear/quick_answers.hpp"
#include "kernels/linear/words.hpp"

namespace tally::linear {

enum class Answer : int64_t { scores = 0, shares = 1, best = 2 };

// to[row, class] from eta[link, row]; two classes have the scores 0 and eta.
TALLY_INLINE void write_scores(const double* eta, size_t links, size_t n, double* to) {
    if (links == 1)
        for (size_t i = 0; i < n; ++i) to[2 * i] = 0.0, to[2 * i + 1] = eta[i];
    else
        for (size_t l = 0; l < links; ++l)
            for (size_t i = 0; i < n; ++i) to[i * links + l] = eta[l * kRows + i];
}

// eta becomes shares[class, row], by the steps of `softmax`; two classes need room for both. spare: 2 * kRows.
TALLY_INLINE void shares_in_place(double* eta, size_t links, double* spare) {
    double* top = spare;
    double* sum = spare + kRows;
    if (links == 1) {
        for (size_t i = 0; i < kRows; ++i) {
            const double e = eta[i], t = exp_of(e < 0 ? e : -e), whole = 1.0 + t;
            eta[i] = (e < 0 ? 1.0 : t) / whole;
            eta[kRows + i] = (e < 0 ? t : 1.0) / whole;
        }
        return;
    }
    for (size_t i = 0; i < kRows; ++i) top[i] = eta[i], sum[i] = 0.0;
    for (size_t l = 1; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) top[i] = eta[l * kRows + i] > top[i] ? eta[l * kRows + i] : top[i];
    for (size_t l = 0; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) {
            eta[l * kRows + i] = exp_of(eta[l * kRows + i] - top[i]);
            sum[i] += eta[l * kRows + i];
        }
    for (size_t l = 0; l < links; ++l)
        for (size_t i = 0; i < kRows; ++i) eta[l * kRows + i] /= sum[i];
}

// best[row]: the class of the highest share, the first of equals. Scores decide where they are far enough apart that
// their shares differ too; else `near` says so and the shares have to.
TALLY_INLINE bool best_of_scores(const double* eta, size_t links, size_t n, uint32_t* best) {
    bool near = false;
    if (links == 1) {
        for (size_t i = 0; i < n; ++i) {
            best[i] = eta[i] > 0.0;
            near |= eta[i] < kApart && eta[i] > -kApart;
        }
        return near;
    }
    for (size_t i = 0; i < n; ++i) {
        double top = eta[i], next = -infinity;
        uint32_t at = 0;
        for (size_t l = 1; l < links; ++l) {
            const double e = eta[l * kRows + i];
            const bool better = e > top;
            next = better ? top : e > next ? e : next;
            at = better ? uint32_t(l) : at;
            top = better ? e : top;
        }
        best[i] = at;
        near |= !(top - next > kApart);
    }
    return near;
}

TALLY_INLINE void best_of_shares(const double* share, size_t classes, size_t n, uint32_t* best) {
    for (size_t i = 0; i < n; ++i) {
        uint32_t at = 0;
        for (size_t c = 1; c < classes; ++c)
            if (share[c * kRows + i] > share[at * kRows + i]) at = uint32_t(c);
        best[i] = at;
    }
}

// eta[row] of one link over columns that lie side by side: they go into the sum without being laid out first. The
// additions are those of `add_dense`, in their order.
TALLY_INLINE void add_side_by_side(const Ask& a, size_t first, size_t n, double* y, double* eta) {
    const size_t stride = static_cast<size_t>(a.strides[0]), done = a.dense - a.dense % 4, whole = n - n % 4;
    const double* x = reinterpret_cast<const double*>(a.values[0]) + first * stride;
    for (size_t i = 0; i < whole; i += 4) {
        Four e = {a.theta[0], a.theta[0], a.theta[0], a.theta[0]};
        for (size_t j = 0; j < done; j += 4) {
            Four column[4];
            load_square(x + i * stride + j, stride, a.centre + j, a.factor + j, column);
            for (size_t k = 0; k < 4; ++k) e += a.theta[1 + j + k] * column[k];
        }
        for (size_t j = done; j < a.dense; ++j) {
            Four column;
            for (size_t k = 0; k < 4; ++k) column[k] = scaled(x[(i + k) * stride + j], a.centre[j], a.factor[j]);
            e += a.theta[1 + j] * column;
        }
        *reinterpret_cast<Four*>(eta + i) = e;
    }
    if (whole == n) return;
    double rest[kRows];
    load_columns(a, first, n, y);
    add_dense(a, y, rest);
    for (size_t i = whole; i < n; ++i) eta[i] = rest[i];
}

// Fills scores or shares [row, class], or best[row]. Returns whether every score is finite: where none is missing or
// infinite among the rows' values, it is. spare: kRows doubles per text column, and links more.
inline bool answers(const Ask& ask, const Words* texts, size_t n_texts, double* memory, double* spare, Answer answer,
                    double* numbers, uint32_t* best) {
    const bool looks = answer == Answer::best && ask.links == 1 && ask.coded == 0 && n_texts == 0 && side_by_side(ask);
    const size_t told = looks ? told_at_a_look(ask, memory, best) : 0;
    return run_fast([a = ask, texts, n_texts, memory, spare, answer, numbers, best, told] {
        const Work w = lay_out(memory, a.dense, a.links);
        TwoCodes two(a);
        const size_t classes = a.links == 1 ? 2 : a.links;
        double* line = spare + n_texts * kRows;
        const bool plain = a.links == 1 && a.coded == 0 && side_by_side(a);
        bool finite = true;
        for (size_t first = told; first < a.rows; first += kRows) {
            const size_t n = a.rows - first < kRows ? a.rows - first : kRows;
            if (plain) {
                add_side_by_side(a, first, n, w.y, w.eta);
            } else {
                load_columns(a, first, n, w.y);
                add_dense(a, w.y, w.eta);
                two.load(a, first, n);
                add_coded(a, two, first, n, w.eta);
            }
            for (size_t t = 0; t < n_texts; ++t) add_words(texts[t], a, first, n, w.eta, spare + t * kRows, line);
            for (size_t l = 0; l < a.links; ++l)
                for (size_t i = 0; i < n; ++i) finite &= w.eta[l * kRows + i] - w.eta[l * kRows + i] == 0.0;
            if (answer == Answer::scores) {
                write_scores(w.eta, a.links, n, numbers + first * classes);
                continue;
            }
            if (answer == Answer::best && !best_of_scores(w.eta, a.links, n, best + first)) continue;
            shares_in_place(w.eta, a.links, w.row);
            if (answer == Answer::best)
                best_of_shares(w.eta, classes, n, best + first);
            else
                write_scores(w.eta, classes, n, numbers + first * classes);
        }
        return finite;
    });
}

constexpr size_t kLaid =
    1 << 17;  // cells that are laid out at a time; less of them take longer to write, however near they lie

// The same where the dense columns are numbers of any type, without texts; `ask` needs no values. Some rows at a time are laid
// out as doubles. Returns also false where a number is infinite, or whole and beyond 2^53: the answers hold anything then.
inline bool answers(const Ask& ask, const Numbers& given, double* memory, double* spare, Answer answer, double* numbers,
                    uint32_t* best) {
    const size_t wide = ask.dense, classes = ask.links == 1 ? 2 : ask.links;
    const size_t tall = kRows * std::min(1 + kLaid / kRows / (wide + 1), (ask.rows + kRows - 1) / kRows);
    std::vector<double> laid(tall * wide);
    std::vector<int64_t> values(wide), strides(wide, static_cast<int64_t>(wide)), codes(ask.coded);
    for (size_t j = 0; j < wide; ++j) values[j] = reinterpret_cast<int64_t>(laid.data() + j);
    Ask some = ask;
    some.values = values.data(), some.strides = strides.data(), some.codes = codes.data();
    for (size_t first = 0; first < ask.rows; first += tall) {
        some.rows = ask.rows - first < tall ? ask.rows - first : tall;
        if (!tally::lay_out(given, first, some.rows, true, wide, AsDouble{}, laid.data())) return false;
        for (size_t c = 0; c < ask.coded; ++c) codes[c] = ask.codes[c] + static_cast<int64_t>(first) * ask.code_bytes[c];
        const bool finite = answers(some, nullptr, 0, memory, spare, answer, numbers ? numbers + first * classes : nullptr,
                                    best ? best + first : nullptr);
        if (!finite) return false;
    }
    return true;
}

// Between which scores the classes lie along directions thetas[direction, P, links], over rows of weight above 0.
// sides[direction, pair, 4]: least and highest score of the first class of a pair (1, 0), (2, 0), (2, 1), ... minus the
// second, over rows of the first, then of the second. margins[direction, 2]: least and highest lead of a row's own class.
TALLY_INLINE void one_side(const Ask& a, const Work& w, size_t first, size_t n, double* sides, double* margins) {
    const size_t classes = a.links == 1 ? 2 : a.links;
    for (size_t i = 0; i < n; ++i) {
        if (a.weights && a.weights[first + i] == 0) continue;
        const size_t own = static_cast<size_t>(code_at(a.classes, a.class_bytes, first + i));
        double lead = infinity;
        for (size_t c = 0; c < classes; ++c) {
            if (c == own) continue;
            const double up = own > c ? 1.0 : -1.0;  // the pair is told from its higher class
            const double gap = a.links == 1 ? w.eta[i] : up * (w.eta[own * kRows + i] - w.eta[c * kRows + i]);
            const size_t pair = own > c ? own * (own - 1) / 2 + c : c * (c - 1) / 2 + own;
            double* side = sides + 4 * pair + (own > c ? 0 : 2);
            side[0] = gap < side[0] ? gap : side[0];
            side[1] = gap > side[1] ? gap : side[1];
            lead = up * gap < lead ? up * gap : lead;
        }
        margins[0] = lead < margins[0] ? lead : margins[0];
        margins[1] = lead > margins[1] ? lead : margins[1];
    }
}

inline void add_sides(const Ask& ask, size_t directions, const double* thetas, double* memory, double* sides,
                      double* margins) {
    run_fast([ask, directions, thetas, memory, sides, margins] {
        Ask a = ask;
        const Work w = lay_out(memory, a.dense, a.links);
        TwoCodes two(a);
        const size_t classes = a.links == 1 ? 2 : a.links, pairs = classes * (classes - 1) / 2;
        for (size_t first = 0; first < a.rows; first += kRows) {
            const size_t n = a.rows - first < kRows ? a.rows - first : kRows;
            load_columns(a, first, n, w.y);
            two.load(a, first, n);
            for (size_t d = 0; d < directions; ++d) {
                a.theta = thetas + d * (1 + a.dense + a.cells) * a.links;
                add_dense(a, w.y, w.eta);
                add_coded(a, two, first, n, w.eta);
                one_side(a, w, first, n, sides + 4 * pairs * d, margins + 2 * d);
            }
        }
    });
}

}  // namespace tally::linear
