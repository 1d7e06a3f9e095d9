// The best cut of one node on a column in rising order: walk the run, move each row from right to left, score between
// different values.
//
// An entry is class << (bits + 1) | new_value << bits | row; new_value says that the value differs from the entry before.
// Every tally below starts with the missing rows on one side, moves entries, and scores where asked; the first of
// equal scores stays, so that the lowest cut wins. Law: the answer is that of `cuts_of_table` on the same rows.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/tree/score.hpp"

namespace tally::tree {

template <class E>
struct Layout {
    int bits = 16;
    E row(E e) const { return e & ((E{1} << bits) - 1); }
    size_t label(E e) const { return static_cast<size_t>(e >> (bits + 1)); }
    bool is_new(E e) const { return (e >> bits) & 1; }
    E flag() const { return E{1} << bits; }
    E make(size_t label, bool is_new, size_t row) const {
        return (static_cast<E>(label) << (bits + 1)) | (static_cast<E>(is_new) << bits) | static_cast<E>(row);
    }
};

// What rows weigh; null pointers mean 1 each. Indexed by the row numbers of the entries.
struct Weights {
    const int64_t* score = nullptr;  // in the criterion
    const int64_t* rows = nullptr;   // in min_samples_leaf
    const int64_t* response = nullptr;
};

// Per node, shared by all columns: pairs[c][l] = F(l) + F(t_c - l), sizes[i] = -F(i) - F(n - i).
struct NodeTables {
    const int64_t* const* pairs = nullptr;
    const int64_t* sizes = nullptr;
};

struct BestCut {
    size_t at = 0;  // the cut lies before this entry; 0: none
    int64_t key = 0;
};

// Two classes, weights of 1: three table reads per cut.
template <class E>
struct TwoClasses {
    Layout<E> layout;
    const int64_t *zero, *one, *sizes;
    int64_t left_one, left_all;

    using Score = int64_t;
    static constexpr Score lowest() { return INT64_MIN; }
    Score score() const { return zero[left_all - left_one] + one[left_one] + sizes[left_all]; }
    bool beats(Score& best) const {
        const Score s = score();
        if (s <= best) return false;
        best = s;
        return true;
    }
    void move(E e) {
        left_one += static_cast<int64_t>(layout.label(e));
        ++left_all;
    }
};

// Any number of classes, weights of 1.
template <class E>
struct ManyClasses {
    Layout<E> layout;
    const int64_t** at;  // per class: into pairs[c], at the left count
    const int64_t* sizes;
    int64_t sum, left_all;

    using Score = int64_t;
    static constexpr Score lowest() { return INT64_MIN; }
    bool beats(Score& best) const {
        const Score s = sum + sizes[left_all];
        if (s <= best) return false;
        best = s;
        return true;
    }
    void move(E e) {
        const int64_t*& p = at[layout.label(e)];
        sum += p[1] - p[0];
        ++p;
        ++left_all;
    }
};

// Gini: a double decides unless it is close, then the whole score does.
template <class E>
struct GiniSides {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t* weight;
    int64_t *left, *right;  // per class
    Wide left_squares, right_squares;
    int64_t left_all, right_all;
    mutable double rough = -1.0;

    using Score = int64_t;
    static constexpr Score lowest() { return INT64_MIN; }
    bool beats(Score& best) const {
        const double s = static_cast<double>(left_squares) / static_cast<double>(left_all)
                         + static_cast<double>(right_squares) / static_cast<double>(right_all);
        if (s < rough * (1.0 - 1e-13)) return false;
        Fractions sum;
        sum.add(left_squares << scorer.shift, left_all);
        sum.add(right_squares << scorer.shift, right_all);
        const Score exact = static_cast<Score>(sum.floor());
        if (exact <= best) return false;
        best = exact;
        rough = s;
        return true;
    }
    void move(E e) {
        const size_t c = layout.label(e);
        const int64_t w = weight ? weight[layout.row(e)] : 1;
        const Wide wide = static_cast<Wide>(w);
        left_squares += wide * static_cast<Wide>(2 * left[c] + w);
        right_squares -= wide * static_cast<Wide>(2 * right[c] - w);
        left[c] += w;
        right[c] -= w;
        left_all += w;
        right_all -= w;
    }
};

// Entropy with weights, by what a moved row changes: of many classes only one is looked at.
template <class E>
struct WeightedEntropy {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t* weight;
    int64_t *left, *right;
    int64_t sum, left_all, right_all;

    using Score = int64_t;
    static constexpr Score lowest() { return INT64_MIN; }
    bool beats(Score& best) const {
        const Score s = sum - (*scorer.logs)(left_all) - (*scorer.logs)(right_all);
        if (s <= best) return false;
        best = s;
        return true;
    }
    void move(E e) {
        const Logs& f = *scorer.logs;
        const size_t c = layout.label(e);
        const int64_t w = weight ? weight[layout.row(e)] : 1;
        sum += f(left[c] + w) - f(left[c]) + f(right[c] - w) - f(right[c]);
        left[c] += w;
        right[c] -= w;
        left_all += w;
        right_all -= w;
    }
};

// Any criterion: both sides are scored anew at every cut, by `Sum` alone.
template <class E>
struct AnySides {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t* weight;
    int64_t *left, *right;

    using Score = int64_t;
    static constexpr Score lowest() { return INT64_MIN; }
    bool beats(Score& best) const {
        const Score s = score_of<Score>(scorer, left, right);
        if (s <= best) return false;
        best = s;
        return true;
    }
    void move(E e) {
        const size_t c = layout.label(e);
        const int64_t w = weight ? weight[layout.row(e)] : 1;
        left[c] += w;
        right[c] -= w;
    }
};

// Regression: sums of the response in fixed point; a double decides unless it is close.
template <class E>
struct ResponseSides {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t *response, *weight;
    int64_t left_sum, right_sum, left_all, right_all;
    mutable double rough = -1.0;

    using Score = double;
    static constexpr Score lowest() { return -1.0; }
    bool beats(Score& best) const {
        const double s = scorer.variance(left_sum, left_all) + scorer.variance(right_sum, right_all);
        if (s < rough * (1.0 - 1e-13)) return false;
        Fractions sum;
        sum.add(Scorer::squared(left_sum - left_all * scorer.middle), left_all);
        sum.add(Scorer::squared(right_sum - right_all * scorer.middle), right_all);
        const Score exact = sum.value();
        if (exact <= best) return false;
        best = exact;
        rough = s;
        return true;
    }
    void move(E e) {
        const size_t row = layout.row(e);
        const int64_t w = weight ? weight[row] : 1, y = w * response[row];
        left_sum += y;
        right_sum -= y;
        left_all += w;
        right_all -= w;
    }
};

// Cuts before entry i for i in [low, high).
template <bool always_new, class Sides, class E>
BestCut walk(Sides sides, const E* run, size_t low, size_t high) {
    BestCut out;
    auto best = Sides::lowest();
    const E flag = sides.layout.flag();
    for (size_t i = 0; i < low; ++i) sides.move(run[i]);
    for (size_t i = low; i < high; ++i) {
        const E e = run[i];
        if ((always_new || (e & flag)) && sides.beats(best)) out.at = i;
        sides.move(e);
    }
    if (out.at) out.key = key_of(best);
    return out;
}

struct Range {
    size_t low, high;
};

// Entropy with weights of 1, many rows: most cuts are never scored. The score is convex in the left class counts, so
// over a block of entries it is at most
//     sizes[m] + s (l - m) + sum_c max(pairs_c[l_c], pairs_c[l'_c] + s (l'_c - l_c)),  s = sizes[m + 1] - sizes[m],
// l, l' the counts at the block's ends and m any size between. Only blocks whose bound reaches the best score at
// block ends are walked. The slack covers the rounding of the tables: a slope has four errors, and goes 64 steps.
template <class E>
class Blocks {
   public:
    static constexpr size_t length = 64;
    static constexpr int64_t slack = 1024 * Logs::error;

    Blocks(Layout<E> layout, const E* run, Range range, const int64_t* aside, const NodeTables& tables, size_t classes,
           std::vector<int64_t>& memory)
        : layout_(layout),
          run_(run),
          range_(range),
          tables_(tables),
          C_(classes),
          memory_(memory) {
        memory_.assign((ends() + 1) * C_, 0);
        for (size_t c = 0; c < C_; ++c) memory_[c] = aside[c];
        count(0, range.low, memory_.data());
        for (size_t k = 0; k < ends(); ++k) {
            std::copy_n(&memory_[k * C_], C_, &memory_[(k + 1) * C_]);
            count(start(k), start(k + 1), &memory_[(k + 1) * C_]);
        }
    }

    template <bool always_new>
    BestCut best() {
        int64_t reached = INT64_MIN;
        for (size_t k = 0; k < ends(); ++k)
            if (always_new || layout_.is_new(run_[start(k)])) reached = std::max(reached, score(k));
        BestCut out;
        for (size_t k = 0; k < ends(); ++k)
            if (reached == INT64_MIN || bound(k) + slack > reached) walk_block<always_new>(k, out, reached);
        return out;
    }

    // left [C + 1]: the rows of each class before entry `at`, those set aside among them, and all of them.
    void left_of(size_t at, int64_t* left) const {
        const size_t k = (at - range_.low) / length;
        std::copy_n(counts(k), C_, left);
        count(start(k), at, left);
        left[C_] = size(left);
    }

   private:
    size_t ends() const { return (range_.high - range_.low + length - 1) / length; }
    size_t start(size_t k) const { return std::min(range_.low + k * length, range_.high); }
    const int64_t* counts(size_t k) const { return &memory_[k * C_]; }

    void count(size_t from, size_t to, int64_t* out) const {
        if (C_ == 2) {
            E ones = 0;
            for (size_t i = from; i < to; ++i) ones += run_[i] >> (layout_.bits + 1);
            out[0] += static_cast<int64_t>(to - from) - static_cast<int64_t>(ones);
            out[1] += static_cast<int64_t>(ones);
            return;
        }
        for (size_t i = from; i < to; ++i) ++out[layout_.label(run_[i])];
    }

    int64_t size(const int64_t* l) const {
        int64_t n = 0;
        for (size_t c = 0; c < C_; ++c) n += l[c];
        return n;
    }

    int64_t score(size_t k) const {
        const int64_t* l = counts(k);
        int64_t s = tables_.sizes[size(l)];
        for (size_t c = 0; c < C_; ++c) s += tables_.pairs[c][l[c]];
        return s;
    }

    int64_t bound(size_t k) const {
        const int64_t *a = counts(k), *b = counts(k + 1);
        const int64_t l = size(a), m = (l + size(b)) / 2, slope = tables_.sizes[m + 1] - tables_.sizes[m];
        int64_t s = tables_.sizes[m] + slope * (l - m);
        for (size_t c = 0; c < C_; ++c)
            s += std::max(tables_.pairs[c][a[c]], tables_.pairs[c][b[c]] + slope * (b[c] - a[c]));
        return s;
    }

    template <bool always_new>
    void walk_block(size_t k, BestCut& out, int64_t& reached) {
        int64_t l[32];
        std::copy_n(counts(k), C_, l);
        int64_t sum = score(k), n = size(l);
        sum -= tables_.sizes[n];
        for (size_t i = start(k); i < start(k + 1); ++i) {
            const E e = run_[i];
            if (always_new || layout_.is_new(e)) {
                const int64_t s = sum + tables_.sizes[n];
                if (out.at == 0 || s > out.key) {
                    out.at = i, out.key = s;
                    reached = std::max(reached, s);
                }
            }
            const size_t c = layout_.label(e);
            const int64_t* p = tables_.pairs[c] + l[c]++;
            sum += p[1] - p[0];
            ++n;
        }
    }

    Layout<E> layout_;
    const E* run_;
    Range range_;
    NodeTables tables_;
    size_t C_;
    std::vector<int64_t>& memory_;
};

// Entries before which a cut leaves at least `least` rows on both sides; `aside` rows are left of all, `apart` right.
template <class E>
Range allowed(Layout<E> layout, const E* run, size_t n, const int64_t* rows, int64_t least, int64_t aside, int64_t apart) {
    size_t low = 0, high = n;
    if (!rows) {
        const int64_t a = least - aside, b = static_cast<int64_t>(n) - (least - apart);
        low = static_cast<size_t>(a < 1 ? 1 : a);
        high = b < 0 ? 0 : static_cast<size_t>(b) + 1;
    } else {
        int64_t have = aside;
        while (low < n && (low == 0 || have < least)) have += rows[layout.row(run[low++])];
        have = apart;
        while (high > 0 && (high == n || have < least)) have += rows[layout.row(run[--high])];
        ++high;
    }
    if (low > n) low = n;  // behind the known rows lie those without a value
    if (high > n) high = n;
    return {low, high < low ? low : high};
}

}  // namespace tally::tree
