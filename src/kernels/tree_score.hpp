// How good a split is, as a number that ties exactly: whole numbers from counts, never sums in arrival order.
//
// A branch is a vector v of C + 1 whole numbers. Classes: v[c] weighted rows of class c; regression: v[0] the sum of the
// responses in fixed point (C = 1). v[C] is always the number of rows in table units, for min_samples_leaf.
// The score of a split is the sum of `part` over its branches; larger is better:
//   entropy    sum_c F(v_c) - F(n),  F(n) = n log2(n) scaled to a whole number
//   Gini       floor(2^g sum_c v_c^2 / n)
//   variance   (v_0 - n mu)^2 / n as a double, mu = the node's mean rounded to a whole number
// Law: a score is a function of the branches alone; the order of branches, rows and columns changes nothing.
#pragma once

#include <bit>
#include <type_traits>
#include <vector>

#include "kernels/common.hpp"

namespace tally::tree {

using Wide = unsigned __int128;

enum class Criterion : int { entropy = 0, ratio = 1, gini = 2, variance = 3 };

struct Rules {
    Criterion criterion = Criterion::entropy;
    bool groups = true;         // level columns in two groups; else one branch per level
    double penalty = 0.0;       // gain less this times log2(cuts)/rows for numeric columns; C4.5: 1
    bool cut_rows = false;      // C4.5: a numeric cut leaves at least min(25, max(min_leaf, rows / 10 / classes))
    bool stop_at_zero = false;  // a best gain of 0 ends the branch
    bool fractions = false;     // C4.5: missing rows go down all branches in parts; scored on known rows
    int64_t max_depth = 1 << 30, min_leaf = 1, min_split = 2;  // rows in table units
    int64_t unit = 1;
    double min_decrease = 0.0;
};

// log2(n) in plain double arithmetic; exact for powers of two.
inline double log2_whole(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x) - 0x3FE6A09E667F3BCD;  // the bits of sqrt(1/2)
    const double k = static_cast<double>(static_cast<int64_t>(bits) >> 52);
    const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 2.0 / 23.0;
    for (int d = 21; d >= 1; d -= 2) p = p * z + 2.0 / d;
    return k + s * p * 1.4426950408889634;
}

// F(n) = n log2(n) * 2^scale, rounded to a whole number below 2^52 for every n up to the largest.
class Logs {
   public:
    static constexpr int64_t some = int64_t{1} << 16;  // entries worth keeping where sums of weights go far beyond

    explicit Logs(int64_t largest, int64_t entries) {
        const int bits = std::bit_width(static_cast<uint64_t>(largest));
        const int scale = 51 - bits - std::bit_width(static_cast<unsigned>(bits));
        factor_ = std::bit_cast<double>(static_cast<uint64_t>(1023 + scale) << 52);
        const int64_t size = (largest < entries ? largest : entries) + 1;
        table_.resize(static_cast<size_t>(size));
        for (int64_t n = 0; n < size; ++n) table_[static_cast<size_t>(n)] = direct(n);
    }

    int64_t operator()(int64_t n) const {
        return n < static_cast<int64_t>(table_.size()) ? table_[static_cast<size_t>(n)] : direct(n);
    }
    const int64_t* table() const { return table_.data(); }
    bool covers(int64_t n) const { return n < static_cast<int64_t>(table_.size()); }
    double factor() const { return factor_; }

   private:
    int64_t direct(int64_t n) const {
        if (n < 2) return 0;
        const double x = static_cast<double>(n);
        return static_cast<int64_t>(x * log2_whole(x) * factor_ + 0.5);
    }
    std::vector<int64_t> table_;
    double factor_;
};

struct Scorer {
    Criterion criterion;
    size_t classes;  // C: the length of a branch vector less 1
    const Logs* logs;
    int shift;           // g of the Gini score
    int64_t middle = 0;  // mu of the node, regression only

    int64_t rows(const int64_t* v) const { return v[classes]; }

    int64_t sum(const int64_t* v) const {
        int64_t n = 0;
        for (size_t c = 0; c < classes; ++c) n += v[c];
        return n;
    }

    int64_t entropy(const int64_t* v) const {
        int64_t n = 0, f = 0;
        for (size_t c = 0; c < classes; ++c) {
            n += v[c];
            f += (*logs)(v[c]);
        }
        return f - (*logs)(n);
    }

    int64_t gini_of(Wide squares, int64_t n) const {
        return n == 0 ? 0 : static_cast<int64_t>((squares << shift) / static_cast<Wide>(n));
    }

    int64_t gini(const int64_t* v) const {
        Wide squares = 0;
        int64_t n = 0;
        for (size_t c = 0; c < classes; ++c) {
            n += v[c];
            squares += static_cast<Wide>(v[c]) * static_cast<Wide>(v[c]);
        }
        return gini_of(squares, n);
    }

    double variance(int64_t total, int64_t n) const {
        if (n == 0) return 0.0;
        const double away = static_cast<double>(total - n * middle);
        return away * away / static_cast<double>(n);
    }
};

// The type of a score: whole for classes, double for regression.
template <class S>
inline S part(const Scorer& scorer, const int64_t* v) {
    if constexpr (std::is_same_v<S, double>)
        return scorer.variance(v[0], v[1]);
    else
        return scorer.criterion == Criterion::gini ? scorer.gini(v) : scorer.entropy(v);
}

inline int shift_for(int64_t total) { return 61 - std::bit_width(static_cast<uint64_t>(total)); }

// A column's best split of a node.
struct Candidate {
    bool found = false;
    bool constant = true;   // no two different known values: no node below can split on this column either
    int64_t score = 0;      // whole score, or the bits of a double that is not negative: both order alike
    double gain = 0.0;      // per row, bits for entropy
    double net = 0.0;       // gain less the C4.5 penalty: what columns are compared by, when there is one
    double ratio = 0.0;     // net over the entropy of the branch sizes
    double cut = 0.0;       // numeric columns
    int32_t missing = 0;    // branch of missing values
    int32_t branches = 0;
    int64_t cuts = 0;       // allowed cuts, counted for the C4.5 penalty
    size_t at = 0;          // entries on the left, where the column is kept in order
    uint32_t code = 0;      // first code on the right, where it is kept as codes
};

inline int64_t key_of(int64_t score) { return score; }
inline int64_t key_of(double score) { return std::bit_cast<int64_t>(score > 0.0 ? score : 0.0); }

// What a score says, in the units people read: mean decrease of impurity per row of the node.
inline double gain_of(const Scorer& scorer, int64_t key, const int64_t* total) {
    if (scorer.criterion == Criterion::variance) {
        const double n = static_cast<double>(total[1]);
        const double decrease = std::bit_cast<double>(key) - scorer.variance(total[0], total[1]);
        return decrease > 0.0 ? decrease / n : 0.0;
    }
    const double n = static_cast<double>(scorer.sum(total));
    const int64_t before = scorer.criterion == Criterion::gini ? scorer.gini(total) : scorer.entropy(total);
    const int64_t decrease = key - before;
    // Rounding of the table makes a true 0 a few units; what is below that is 0.
    if (decrease <= static_cast<int64_t>(2 * scorer.classes + 4)) return 0.0;
    const double unit = scorer.criterion == Criterion::gini
                            ? std::bit_cast<double>(static_cast<uint64_t>(1023 + scorer.shift) << 52)
                            : scorer.logs->factor();
    return static_cast<double>(decrease) / unit / n;
}

}  // namespace tally::tree
