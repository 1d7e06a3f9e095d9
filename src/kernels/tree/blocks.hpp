// The best cut of a long run of classes: most cuts are never scored.
//
// Over a block of entries the left class counts lie in a box between those at its ends, a and b, and a score, convex in the
// counts, has a bound there. Only blocks whose bound reaches the best score at block ends are walked, by the sides of
// walk.hpp. Three measures know scores and bounds, and entries weigh 1, by their class or by their row.
// Law: the cut is that of `walk` over the whole run. Scores at ends and bounds are doubles, and off by far less than the slack.
#pragma once

#include <limits>

#include "kernels/tree/walk.hpp"

namespace tally::tree {

// Memory of the blocks of one run. counts[end, C + 1]: what lies before the first cut of each block, by class and in rows.
struct Ends {
    std::vector<int64_t> counts;
    std::vector<double> scores, bounds;  // of the cut there; of all cuts of the block that begins there
};

// ---- what entries weigh: count(run, from, to, out) adds theirs to out[C + 1], by class and in rows ----

template <class E>
struct Ones {
    Layout<E> layout;
    size_t classes;

    void count(const E* run, size_t from, size_t to, int64_t* out) const {
        out[classes] += static_cast<int64_t>(to - from);
        if (classes == 2) {
            E ones = 0;
            for (size_t i = from; i < to; ++i) ones += run[i] >> (layout.bits + 1);
            out[0] += static_cast<int64_t>(to - from) - static_cast<int64_t>(ones);
            out[1] += static_cast<int64_t>(ones);
            return;
        }
        for (size_t i = from; i < to; ++i) ++out[layout.label(run[i])];
    }
};

template <class E>
struct ByClass {
    Layout<E> layout;
    size_t classes;
    const int64_t* weight;  // [C]

    void count(const E* run, size_t from, size_t to, int64_t* out) const {
        if (classes == 2) {
            int64_t own[3] = {0, 0, 0};
            Ones<E>{layout, 2}.count(run, from, to, own);
            for (size_t c = 0; c < 2; ++c) out[c] += own[c] * weight[c];
            out[2] += own[2];
            return;
        }
        for (size_t i = from; i < to; ++i) out[layout.label(run[i])] += weight[layout.label(run[i])];
        out[classes] += static_cast<int64_t>(to - from);
    }
};

template <class E>
struct ByRow {
    Layout<E> layout;
    size_t classes;
    const int64_t *weight, *rows;  // [row]; rows: null for 1 each, or the very same as weight

    void count(const E* run, size_t from, size_t to, int64_t* out) const {
        int64_t all = 0;
        if (classes == 2) {
            int64_t ones = 0;
            for (size_t i = from; i < to; ++i) {
                const int64_t w = weight[layout.row(run[i])];
                all += w;
                ones += w & -static_cast<int64_t>(layout.label(run[i]));
            }
            out[0] += all - ones;
            out[1] += ones;
        } else {
            for (size_t i = from; i < to; ++i) {
                const int64_t w = weight[layout.row(run[i])];
                all += w;
                out[layout.label(run[i])] += w;
            }
        }
        int64_t copies = rows == weight ? all : rows ? 0 : static_cast<int64_t>(to - from);
        for (size_t i = from; rows && rows != weight && i < to; ++i) copies += rows[layout.row(run[i])];
        out[classes] += copies;
    }
};

// ---- measures: judge(n, ends, scores, bounds) of the blocks between n + 1 ends, all in one unit ----

// Entropy with weights of 1, by the tables of the node. The part that hangs on the number of rows is concave, so that
//     sizes[m] + s (l - m) + sum_c max(pairs_c[a_c], pairs_c[b_c] + s (b_c - a_c)),  s = sizes[m + 1] - sizes[m],
// is a bound, l the rows left of a and m any number of rows between. The slack covers the rounding of the tables: a slope
// has four errors, and goes 64 steps.
template <class E>
struct OneByOne {
    using Sides = ManyClasses<E>;
    Ones<E> entries;
    const NodeTables& tables;
    std::vector<const int64_t*>& at;

    static constexpr double slack() { return 1024.0 * static_cast<double>(Logs::error); }
    static size_t length(size_t) { return 64; }
    static double of(int64_t best) { return static_cast<double>(best); }

    void judge(size_t n, const int64_t* ends, double* scores, double* bounds) const {
        const size_t C = entries.classes, width = C + 1;
        for (size_t k = 0; k < n; ++k) {
            const int64_t *a = ends + k * width, *b = a + width;
            const int64_t l = a[C], m = (l + b[C]) / 2, slope = tables.sizes[m + 1] - tables.sizes[m];
            int64_t score = tables.sizes[l], bound = tables.sizes[m] + slope * (l - m);
            for (size_t c = 0; c < C; ++c) {
                const int64_t here = tables.pairs[c][a[c]];
                score += here;
                bound += std::max(here, tables.pairs[c][b[c]] + slope * (b[c] - a[c]));
            }
            scores[k] = static_cast<double>(score);
            bounds[k] = static_cast<double>(bound);
        }
    }
    Sides sides(const int64_t* a) {
        int64_t sum = 0;
        for (size_t c = 0; c < entries.classes; ++c) sum += *(at[c] = tables.pairs[c] + a[c]);
        return {entries.layout, at.data(), tables.sizes, sum, a[entries.classes]};
    }
};

// The sides of a walk over rows of any weight.
template <class S, class E>
struct Weighed {
    using Sides = S;
    const Scorer& scorer;
    const int64_t *weight, *total;
    int64_t *left, *right;  // [2 C]: memory of the sides

    // Blocks of small nodes are short: what lies outside of a block costs little to judge, what lies in it much to walk.
    static size_t length(size_t cuts) { return cuts < 256 ? 8 : cuts < 2048 ? 32 : 64; }
    Sides sides(Layout<E> layout, const int64_t* a) const {
        std::copy_n(a, scorer.classes, left);
        return Sides::from(layout, scorer, weight, total, left, right);
    }
};

// Entropy of any weights: the same bound in bits, with the logarithms themselves and the slope in the middle. F is off by its
// error from what is taken here, for each of the 2 C + 2 of a score.
template <class E, class Entries>
struct ByLogs : Weighed<WeightedEntropy<E>, E> {
    using Base = Weighed<WeightedEntropy<E>, E>;
    Entries entries;
    static constexpr size_t at_once = 32;

    double slack() const { return 1024.0 * static_cast<double>(Logs::error) / this->scorer.logs->factor(); }
    double of(int64_t best) const { return static_cast<double>(best) / this->scorer.logs->factor(); }
    auto sides(const int64_t* a) const { return Base::sides(entries.layout, a); }

    void judge(size_t n, const int64_t* ends, double* scores, double* bounds) const {
        const size_t C = entries.classes;
        const int64_t* total = this->total;
        const double all = static_cast<double>(this->scorer.sum(total));
        for (size_t from = 0; from < n; from += at_once) {
            const size_t blocks = std::min(at_once, n - from);
            const int64_t* first = ends + from * (C + 1);
            double *score = scores + from, *bound = bounds + from;
            run_fast([=] { judge_some(blocks, first, total, C, all, score, bound); });
        }
    }

   private:
    static TALLY_INLINE double times_log(double x) { return x * log2_whole(x); }

    static TALLY_INLINE void judge_some(size_t n, const int64_t* ends, const int64_t* total, size_t C, double all,
                                        double* score, double* bound) {
        double weight[at_once + 1] = {}, own[at_once + 1], pair[at_once + 1], slope[at_once];
        for (size_t k = 0; k <= n; ++k)
            for (size_t c = 0; c < C; ++c) weight[k] += static_cast<double>(ends[k * (C + 1) + c]);
        for (size_t k = 0; k < n; ++k) {
            const double middle = 0.5 * (weight[k] + weight[k + 1]), rest = all - middle;
            const double below = log2_whole(middle), above = log2_whole(rest);
            slope[k] = above - below;
            bound[k] = slope[k] * (weight[k] - middle) - middle * below - rest * above;
            if (!(middle > 0.0 && rest > 0.0)) bound[k] = std::numeric_limits<double>::infinity();
            score[k] = -times_log(weight[k]) - times_log(all - weight[k]);
        }
        for (size_t c = 0; c < C; ++c) {
            const double whole = static_cast<double>(total[c]);
            for (size_t k = 0; k <= n; ++k) {
                own[k] = static_cast<double>(ends[k * (C + 1) + c]);
                pair[k] = times_log(own[k]) + times_log(whole - own[k]);
            }
            for (size_t k = 0; k < n; ++k) {
                const double there = pair[k + 1] + slope[k] * (own[k + 1] - own[k]);
                score[k] += pair[k];
                bound[k] += pair[k] > there ? pair[k] : there;
            }
        }
    }
};

// Gini: sum_c l_c^2 / n + r_c^2 / (N - n) = sum_c t_c^2 / N + sum_c d_c^2 N / (n (N - n)),  d_c = l_c - n t_c / N. Over a box d_c^2
// is greatest where class c is at one end and all others are at the other, and N / (n (N - n)) at an end. Sums of d_c^2 N /
// (n (N - n)) are off by N / 2^49 at most, far below the slack.
template <class E, class Entries>
struct BySquares : Weighed<GiniSides<E>, E> {
    using Base = Weighed<GiniSides<E>, E>;
    Entries entries;

    double all() const { return static_cast<double>(this->scorer.sum(this->total)); }
    double uncut() const { return static_cast<double>(this->scorer.squares(this->total)) / all(); }  // the score of no cut
    double slack() const { return 1e-10 * uncut(); }
    double of(int64_t best) const { return static_cast<double>(best) / this->scorer.unit() - uncut(); }
    auto sides(const int64_t* a) const { return Base::sides(entries.layout, a); }

    void judge(size_t n, const int64_t* ends, double* scores, double* bounds) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const size_t C = entries.classes, width = C + 1;
        const double whole = all();
        auto over = [&](double weight) {
            return weight > 0.0 && weight < whole ? whole / (weight * (whole - weight)) : infinite;
        };
        double before = static_cast<double>(this->scorer.sum(ends)), by = over(before);
        for (size_t k = 0; k < n; ++k) {
            const int64_t *a = ends + k * width, *b = a + width;
            const double after = static_cast<double>(this->scorer.sum(b)), next = over(after);
            double score = 0.0, bound = 0.0;
            for (size_t c = 0; c < C; ++c) {
                const double share = static_cast<double>(this->total[c]) / whole, step = static_cast<double>(b[c] - a[c]);
                const double here = static_cast<double>(a[c]) - share * before;
                const double high = here + step - share * step, low = here - share * (after - before - step);
                score += here * here;
                bound += std::max(high * high, low * low);
            }
            scores[k] = by < infinite ? score * by : 0.0;
            bounds[k] = std::max(by, next) < infinite ? bound * std::max(by, next) : infinite;
            before = after;
            by = next;
        }
    }
};

template <class E, class Measure>
class Blocks {
   public:
    // aside [C + 1]: what lies left of all entries.
    Blocks(Measure measure, const E* run, Range range, const int64_t* aside, Ends& ends)
        : measure_(measure),
          run_(run),
          range_(range),
          length_(Measure::length(range.high - range.low)),
          blocks_((range.high - range.low + length_ - 1) / length_),
          width_(measure.entries.classes + 1),
          ends_(ends) {
        ends_.counts.assign((blocks_ + 1) * width_, 0);
        ends_.scores.resize(blocks_);
        ends_.bounds.resize(blocks_);
        std::copy_n(aside, width_, ends_.counts.data());
        measure_.entries.count(run_, 0, range_.low, ends_.counts.data());
        for (size_t k = 1; k <= blocks_; ++k) {
            int64_t* end = ends_.counts.data() + k * width_;
            std::copy_n(end - width_, width_, end);
            measure_.entries.count(run_, start(k - 1), start(k), end);
        }
        measure_.judge(blocks_, ends_.counts.data(), ends_.scores.data(), ends_.bounds.data());
    }

    template <bool always_new>
    BestCut best() {
        double reached = -std::numeric_limits<double>::infinity();
        for (size_t k = 0; k < blocks_; ++k)
            if (always_new || measure_.entries.layout.is_new(run_[start(k)])) reached = std::max(reached, ends_.scores[k]);
        BestCut out;
        auto found = Measure::Sides::lowest();
        const double slack = measure_.slack();
        for (size_t k = 0; k < blocks_; ++k) {
            if (ends_.bounds[k] + slack <= reached) continue;
            auto sides = measure_.sides(ends_.counts.data() + k * width_);
            walk_on<always_new>(sides, run_, start(k), start(k + 1), found, out.at);
            if (out.at) reached = std::max(reached, measure_.of(found));
        }
        if (out.at) out.key = key_of(found);
        return out;
    }

    // left [C + 1]: what lies before entry `at`.
    void left_of(size_t at, int64_t* left) const {
        const size_t k = (at - range_.low) / length_;
        std::copy_n(ends_.counts.data() + k * width_, width_, left);
        measure_.entries.count(run_, start(k), at, left);
    }

   private:
    size_t start(size_t k) const { return std::min(range_.low + k * length_, range_.high); }

    Measure measure_;
    const E* run_;
    Range range_;
    size_t length_, blocks_, width_;
    Ends& ends_;
};

}  // namespace tally::tree
