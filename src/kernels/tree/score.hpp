// How good a split is, as a number that ties exactly: whole numbers from counts, never sums in arrival order.
//
// A branch is a vector v of C + 1 whole numbers. Classes: v[c] weighted rows of class c; regression: v[0] the sum of the
// responses in fixed point (C = 1). v[C] is always the number of rows in table units, for min_samples_leaf.
// The score of a split is the sum of `part` over its branches; larger is better:
//   entropy    sum_c F(v_c) - F(n),  F(n) = n log2(n) scaled to a whole number
//   Gini       2^g sum_c v_c^2 / n, rounded down once all branches are summed
//   variance   (v_0 - n mu)^2 / n, mu = the node's mean rounded to a whole number; a double once all branches are summed
// Law: a score is a function of the branches alone, and splits that are equally good have equal scores: sums of fractions
// are exact before they are rounded, and F(ab) = b F(a) + a F(b) to the last unit for all counts up to `Logs::some`.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "kernels/sums/entropy.hpp"

namespace tally::tree {

using Wide = uint128;

enum class Criterion : int { entropy = 0, ratio = 1, gini = 2, variance = 3 };

struct Rules {
    Criterion criterion = Criterion::entropy;
    bool groups = true;         // level columns in two groups; else one branch per level
    double penalty = 0.0;       // gain less this times log2(cuts)/rows for columns in order; C4.5: 1
    bool cut_rows = false;      // C4.5: a numeric cut leaves at least min(25, max(min_leaf, rows / 10 / classes))
    bool stop_at_zero = false;  // a best gain of 0 ends the branch
    bool fractions = false;     // C4.5: missing rows go down all branches in parts; scored on known rows
    int64_t max_depth = 1 << 30, min_leaf = 1, min_split = 2;  // rows in table units
    int64_t unit = 1;
    double min_decrease = 0.0;
    double min_entropy = 0.0;  // bits of a node, of weighted rows by class: a node with less is a leaf
};

struct Scorer {
    Criterion criterion;
    size_t classes;  // C: the length of a branch vector less 1
    const Logs* logs;
    int shift;           // g of scores that are not sums of F
    int64_t middle = 0;  // mu of the node, regression only

    // Whether scores are sums of F; the others are whole numbers in units of 2^-shift rows, n << shift for n rows of one class.
    bool by_logs() const { return criterion == Criterion::entropy || criterion == Criterion::ratio; }

    // Whether walks and bounds of its own are known (blocks.hpp, table.hpp): of any other criterion all cuts are scored, one by one.
    bool bounded() const { return by_logs() || criterion == Criterion::gini || criterion == Criterion::variance; }

    double unit() const {
        return by_logs() ? logs->factor() : std::bit_cast<double>(static_cast<uint64_t>(1023 + shift) << 52);
    }

    int64_t rows(const int64_t* v) const { return v[classes]; }

    int64_t sum(const int64_t* v) const {
        int64_t n = 0;
        for (size_t c = 0; c < classes; ++c) n += v[c];
        return n;
    }

    Wide squares(const int64_t* v) const {
        Wide out = 0;
        for (size_t c = 0; c < classes; ++c) out += squared(v[c]);
        return out;
    }

    static Wide squared(int64_t x) {
        const Wide wide = static_cast<Wide>(x < 0 ? -x : x);
        return wide * wide;
    }

    int64_t entropy(const int64_t* v) const {
        int64_t n = 0, f = 0;
        for (size_t c = 0; c < classes; ++c) {
            n += v[c];
            f += (*logs)(v[c]);
        }
        return f - (*logs)(n);
    }

    // How far a difference of scores that is truly 0 can be off: a few units, or of F beyond `Logs::some` a few of its errors.
    int64_t slack(const int64_t* v) const {
        const bool direct = by_logs() && sum(v) > Logs::some;
        return static_cast<int64_t>(2 * classes + 4) * (direct ? Logs::error : 1);
    }

    double variance(int64_t total, int64_t n) const {
        if (n == 0) return 0.0;
        const double away = static_cast<double>(total - n * middle);
        return away * away / static_cast<double>(n);
    }
};

// A sum of fractions x/n that is rounded only when it is read. The rests are kept in units of 2^-62, each rounded down, so a
// whole sum falls short by less than a unit for each.
struct Fractions {
    Wide whole = 0, rest = 0;
    unsigned parts = 0;
    static constexpr int places = 62;

    void add(Wide x, int64_t n) { put(x, n, 1); }
    void take(Wide x, int64_t n) { put(x, n, -1); }
    Wide floor() const { return whole + ((rest + parts) >> places); }
    double value() const {
        const Wide below = (rest + parts) & ((Wide{1} << places) - 1);
        return static_cast<double>(floor()) + static_cast<double>(static_cast<int64_t>(below >> 22)) * 0x1p-40;
    }

   private:
    void put(Wide x, int64_t n, int sign) {
        if (n == 0) return;
        const Wide by = static_cast<Wide>(n), q = x / by, r = ((x % by) << places) / by;
        whole = sign > 0 ? whole + q : whole - q;
        rest = sign > 0 ? rest + r : rest - r;
        parts += static_cast<unsigned>(sign);
    }
};

// The score of a split, branch by branch: whole for classes, double for regression.
template <class S>
class Sum {
   public:
    explicit Sum(const Scorer& scorer) : scorer_(scorer) {}

    void add(const int64_t* v) { put(v, false); }
    void take(const int64_t* v) { put(v, true); }
    S value() const {
        if constexpr (std::is_same_v<S, double>)
            return fractions_.value();
        else
            return whole_ + static_cast<int64_t>(fractions_.floor());
    }

   private:
    void put(const int64_t* v, bool away) {
        if constexpr (std::is_same_v<S, double>) {
            put(scorer_.squared(v[0] - v[1] * scorer_.middle), v[1], away);
        } else if (scorer_.criterion == Criterion::gini) {
            put(scorer_.squares(v) << scorer_.shift, scorer_.sum(v), away);
        } else {
            whole_ += away ? -scorer_.entropy(v) : scorer_.entropy(v);
        }
    }
    void put(Wide x, int64_t n, bool away) { away ? fractions_.take(x, n) : fractions_.add(x, n); }

    const Scorer& scorer_;
    Fractions fractions_;
    int64_t whole_ = 0;
};

template <class S>
S score_of(const Scorer& scorer, const int64_t* a, const int64_t* b = nullptr) {
    Sum<S> sum(scorer);
    sum.add(a);
    if (b) sum.add(b);
    return sum.value();
}

// About the same score, at once: what is clearly less than the best need not be worked out.
template <class S>
double rough_score(const Scorer& scorer, const int64_t* a, const int64_t* b) {
    auto one = [&](const int64_t* v) {
        if constexpr (std::is_same_v<S, double>) {
            return scorer.variance(v[0], v[1]);
        } else {
            const double n = static_cast<double>(scorer.sum(v));
            return n > 0.0 ? static_cast<double>(scorer.squares(v)) / n : 0.0;
        }
    };
    const double unit =
        std::is_same_v<S, double> ? 1.0 : std::bit_cast<double>(static_cast<uint64_t>(1023 + scorer.shift) << 52);
    return (one(a) + one(b)) * unit;
}

inline int shift_for(int64_t total) { return 61 - std::bit_width(static_cast<uint64_t>(total)); }

// A column's best split of a node.
struct Candidate {
    bool found = false;
    bool pays = true;      // groups that do not pay for their own description are told, never chosen
    bool constant = true;  // no two different known values: no node below can split on this column either
    int64_t score = 0;     // less the price of groups; whole, or the bits of a double not negative: both have the same order
    double gain = 0.0;     // per row, bits for entropy
    double net = 0.0;      // gain less the price of the groups or of the cut
    double ratio = 0.0;    // net over the entropy of the branch sizes
    double cut = 0.0;      // numeric columns
    int32_t missing = 0;   // branch of missing values
    int32_t branches = 0;
    int64_t cuts = 0;   // allowed tests of a column in order, counted for their price
    size_t at = 0;      // entries on the left, where the column is kept in order
    uint32_t code = 0;  // first code on the right, where it is kept as codes
};

inline int64_t key_of(int64_t score) { return score; }
inline int64_t key_of(double score) { return std::bit_cast<int64_t>(score > 0.0 ? score : 0.0); }

// What a score says, in the units people read: mean decrease of impurity per row of the node.
inline double gain_of(const Scorer& scorer, int64_t key, const int64_t* total) {
    if (scorer.criterion == Criterion::variance) {
        const double n = static_cast<double>(total[1]);
        const double decrease = std::bit_cast<double>(key) - score_of<double>(scorer, total);
        return decrease > 0.0 ? decrease / n : 0.0;
    }
    const double n = static_cast<double>(scorer.sum(total));
    const int64_t decrease = key - score_of<int64_t>(scorer, total);
    if (decrease <= scorer.slack(total)) return 0.0;
    return static_cast<double>(decrease) / scorer.unit() / n;
}

}  // namespace tally::tree
