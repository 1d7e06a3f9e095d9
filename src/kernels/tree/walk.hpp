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
        if (s > rough) rough = s;  // not better than the best, or the best itself
        if (exact <= best) return false;
        best = exact;
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

    // Begin with left[C]. total[C]: what both sides weigh.
    static GiniSides from(Layout<E> layout, const Scorer& scorer, const int64_t* weight, const int64_t* total, int64_t* left,
                          int64_t* right) {
        for (size_t c = 0; c < scorer.classes; ++c) right[c] = total[c] - left[c];
        return {layout,           scorer,           weight, left, right, scorer.squares(left), scorer.squares(right),
                scorer.sum(left), scorer.sum(right)};
    }
};

// Entropy with weights, by what a moved row changes: of many classes only one is looked at.
template <class E>
struct WeightedEntropy {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t* weight;
    int64_t *left, *right;  // [2 C]: the weight of each class, then its F
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
        const size_t c = layout.label(e), f = scorer.classes + c;
        const int64_t w = weight[layout.row(e)];
        left[c] += w;
        right[c] -= w;
        sum -= left[f] + right[f];
        sum += (left[f] = (*scorer.logs)(left[c])) + (right[f] = (*scorer.logs)(right[c]));
        left_all += w;
        right_all -= w;
    }

    // Begin with left[C]; both memories have room for 2 C. total[C]: what both sides weigh.
    static WeightedEntropy from(Layout<E> layout, const Scorer& scorer, const int64_t* weight, const int64_t* total,
                                int64_t* left, int64_t* right) {
        const size_t C = scorer.classes;
        int64_t sum = 0;
        for (size_t c = 0; c < C; ++c) {
            right[c] = total[c] - left[c];
            sum += (left[C + c] = (*scorer.logs)(left[c])) + (right[C + c] = (*scorer.logs)(right[c]));
        }
        return {layout, scorer, weight, left, right, sum, scorer.sum(left), scorer.sum(right)};
    }
};

// Any criterion: each cut is scored from the counts of its sides, since nothing else is known of the score.
template <class E>
struct ScoredSides {
    Layout<E> layout;
    const Scorer& scorer;
    const int64_t* weight;
    int64_t *left, *right;  // [C]

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

    // Begin with left[C]. total[C]: what both sides weigh.
    static ScoredSides from(Layout<E> layout, const Scorer& scorer, const int64_t* weight, const int64_t* total,
                            int64_t* left, int64_t* right) {
        for (size_t c = 0; c < scorer.classes; ++c) right[c] = total[c] - left[c];
        return {layout, scorer, weight, left, right};
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

// Look for a better cut before entry i for i in [low, high), and move these entries; `at` is the best so far.
template <bool always_new, class Sides, class E>
void walk_on(Sides& sides, const E* run, size_t low, size_t high, typename Sides::Score& best, size_t& at) {
    const E flag = sides.layout.flag();
    for (size_t i = low; i < high; ++i) {
        const E e = run[i];
        if ((always_new || (e & flag)) && sides.beats(best)) at = i;
        sides.move(e);
    }
}

// Cuts before entry i for i in [low, high).
template <bool always_new, class Sides, class E>
BestCut walk(Sides sides, const E* run, size_t low, size_t high) {
    BestCut out;
    auto best = Sides::lowest();
    for (size_t i = 0; i < low; ++i) sides.move(run[i]);
    walk_on<always_new>(sides, run, low, high, best, out.at);
    if (out.at) out.key = key_of(best);
    return out;
}

struct Range {
    size_t low, high;
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
