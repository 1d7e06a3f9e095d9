// The best split of one node from its count table, whoever made the table.
//
// table[level, 0..C] holds the levels present in the node, in code order, as branch vectors (see score.hpp).
// Missing rows are tried on every branch and as a branch of their own; without any they go to the larger branch, the first
// of equals. Ties: the lower cut (or shorter group in its order, or lower mask), then the lower branch for missing; a branch of
// missing rows alone comes last.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "kernels/tree/score.hpp"
#include "kernels/tree/sort.hpp"

namespace tally::tree {

struct Table {
    size_t levels;           // m
    size_t width;            // C + 1
    const int64_t* rows;     // [m, C + 1]
    const int64_t* missing;  // [C + 1]
    const int64_t* total;    // [C + 1], missing included
    int64_t least;           // rows of each of two branches
    const int64_t* level(size_t j) const { return rows + j * width; }
};

// The best of a sequence of two-branch splits; `at` is whatever number the caller gives each.
template <class S>
struct Best {
    S score{};  // less its price
    size_t at = 0;
    int missing = 0;
    bool found = false;
    double rough = 0.0;
    S price{};
    void offer(S s, size_t where, int side, S paid = S{}) {
        if (found && (s < score || (s == score && (where > at || (where == at && side > missing))))) return;
        score = s, at = where, missing = side, found = true, price = paid;
    }
};

// Splits without a price.
template <class S>
struct Free {
    S operator()(size_t, bool) const { return S{}; }
    S least(size_t, size_t) const { return S{}; }
};

// Offer one split: `a` rows in the first branch.
template <class S>
bool offer_split(const Scorer& scorer, const Table& t, const int64_t* a, int64_t* b, size_t at, int missing, S price,
                 Best<S>& best) {
    const size_t last = t.width - 1;
    for (size_t c = 0; c < t.width; ++c) b[c] = t.total[c] - a[c];
    if (a[last] < t.least || b[last] < t.least) return false;
    const int where = t.missing[last] > 0 ? missing : (a[last] >= b[last] ? 0 : 1);
    if (std::is_same_v<S, double> || scorer.criterion == Criterion::gini) {
        const double whole = rough_score<S>(scorer, a, b), rough = whole - static_cast<double>(price);
        if (best.found && rough < best.rough - 1e-12 * whole) return true;
        best.rough = best.found ? std::max(best.rough, rough) : rough;
    }
    best.offer(score_of<S>(scorer, a, b) - price, at, where, price);
    return true;
}

// Offer the split with `left` known rows on the left, missing rows on either side; `group`: levels in branch `of`, which is priced.
// Return how many of these splits are allowed.
template <class S, class Price>
int64_t offer_sides(const Scorer& scorer, const Table& t, const int64_t* left, size_t at, size_t group, int of,
                    const Price& price, int64_t* spare, Best<S>& best) {
    int64_t *a = spare, *b = spare + t.width, allowed = 0;
    for (int side = 0; side < (t.missing[t.width - 1] > 0 ? 2 : 1); ++side) {
        for (size_t c = 0; c < t.width; ++c) a[c] = left[c] + (side == 0 ? t.missing[c] : 0);
        allowed += offer_split(scorer, t, a, b, at, side, price(group, side == of), best);
    }
    return allowed;
}

// Offer the split of all known rows from the missing ones, which stand for a level.
template <class S, class Price>
bool offer_missing(const Scorer& scorer, const Table& t, size_t at, const Price& price, int64_t* spare, Best<S>& best) {
    if (t.missing[t.width - 1] == 0) return false;
    for (size_t c = 0; c < t.width; ++c) spare[c] = t.total[c] - t.missing[c];
    return offer_split(scorer, t, spare, spare + t.width, at, 1, price(0, true), best);
}

constexpr size_t kStretch = 64;       // cuts that are looked at together
constexpr size_t kLong = 256;         // levels from which that pays
constexpr size_t kCornerClasses = 4;  // classes up to which it does: a box has 2^C corners

// No cut whose left side lies between low and high, class by class, has a higher score: scores are convex in the rows of the
// first branch, so that none inside a box is above all of its corners. spare: [2 (C + 1)].
inline int64_t most_between(const Scorer& scorer, const Table& t, const int64_t* low, const int64_t* high, int64_t* spare) {
    int64_t *a = spare, *b = spare + t.width, most = INT64_MIN;
    for (int side = 0; side < (t.missing[t.width - 1] > 0 ? 2 : 1); ++side)
        for (size_t corner = 0; corner < (size_t{1} << scorer.classes); ++corner) {
            for (size_t c = 0; c < scorer.classes; ++c) {
                a[c] = (corner >> c & 1 ? high[c] : low[c]) + (side == 0 ? t.missing[c] : 0);
                b[c] = t.total[c] - a[c];
            }
            most = std::max(most, score_of<int64_t>(scorer, a, b));
        }
    const int64_t rounding = scorer.by_logs() ? 4 * static_cast<int64_t>(2 * scorer.classes + 4) * Logs::error : 2;
    return most + rounding;
}

// The shares of the second of two classes that some levels have.
struct Shares {
    double low = 1.0, high = 0.0;
    void add(const int64_t* level) {
        const double all = static_cast<double>(level[0] + level[1]), share = static_cast<double>(level[1]) / all;
        if (!(all > 0.0)) return;
        low = std::min(low, share);
        high = std::max(high, share);
    }
};

// About the part of a score that a branch of two classes has, whose rows need not be whole.
inline double part_about(const Scorer& scorer, double zero, double one) {
    const double n = zero + one;
    auto F = [](double x) { return x * log2_whole(x); };
    return scorer.unit() * (scorer.by_logs() ? F(zero) + F(one) - F(n) : n > 0.0 ? (zero * zero + one * one) / n : 0.0);
}

// The same of cuts among levels of two classes, from and to being what lies left of the first and of all of them. Steps whose
// shares lie between two lead from corner to corner of a parallelogram and stay in it, which is thin where levels are in order
// of their shares.
inline int64_t most_among(const Scorer& scorer, const Table& t, const int64_t* from, const int64_t* to,
                          const Shares& shares) {
    const double zero = static_cast<double>(to[0] - from[0]), one = static_cast<double>(to[1] - from[1]), all = zero + one;
    const double wide = shares.high - shares.low, above = one - all * shares.low;
    const double low =
        wide > 0.0 ? std::clamp(all - above / wide, 0.0, all) : 0.0;  // rows by which steps of low shares lead
    const double corners[4][2] = {{0.0, 0.0},
                                  {zero, one},
                                  {low * (1.0 - shares.low), low * shares.low},
                                  {zero - low * (1.0 - shares.low), one - low * shares.low}};
    double most = -0x1p62;
    for (int side = 0; side < (t.missing[2] > 0 ? 2 : 1); ++side)
        for (const auto& corner : corners) {
            double left[2], right[2];
            for (size_t c = 0; c < 2; ++c) {
                left[c] = std::max(static_cast<double>(from[c] + (side == 0 ? t.missing[c] : 0)) + corner[c], 0.0);
                right[c] = std::max(static_cast<double>(t.total[c]) - left[c], 0.0);
            }
            most = std::max(most, part_about(scorer, left[0], left[1]) + part_about(scorer, right[0], right[1]));
        }
    return static_cast<int64_t>(most + (scorer.by_logs() ? 1024.0 * static_cast<double>(Logs::error) : 1e-10 * most));
}

// `cuts_between` many levels: stretches of cuts that cannot hold the best are counted, not scored. order: of their shares, of
// two classes; null: their own.
template <class Price>
Best<int64_t> cuts_in_stretches(const Scorer& scorer, const Table& t, const uint32_t* order, int64_t* spare, int64_t& cuts,
                                const Price& price) {
    const size_t all = t.levels - 1, last = t.width - 1, stretches = (all + kStretch - 1) / kStretch;
    std::vector<int64_t> before((stretches + 1) * t.width, 0);  // [stretch]: what lies left of its first cut's level
    std::vector<Shares> shares(stretches);
    auto level = [&](size_t j) { return t.level(order ? order[j] : j); };
    Best<int64_t> best;
    for (size_t s = 0; s < stretches; ++s) {
        const size_t end = std::min((s + 1) * kStretch, all);
        int64_t* next = before.data() + (s + 1) * t.width;
        std::copy_n(before.data() + s * t.width, t.width, next);
        for (size_t j = s * kStretch; j < end; ++j) {
            for (size_t c = 0; c < t.width; ++c) next[c] += level(j)[c];
            if (order) shares[s].add(level(j));
        }
        offer_sides(scorer, t, next, end, end, 0, price, spare + t.width, best);
    }
    for (size_t s = 0; s < stretches; ++s) {
        int64_t* left = before.data() + s * t.width;
        const size_t from = s * kStretch, end = std::min(from + kStretch, all);
        const int64_t most = order ? most_among(scorer, t, left, left + t.width, shares[s])
                                   : most_between(scorer, t, left, left + t.width, spare + t.width);
        const bool below = best.found && most - price.least(from + 1, end) < best.score;
        for (size_t j = from; j < end; ++j) {
            for (size_t c = below ? last : 0; c < t.width; ++c) left[c] += level(j)[c];
            if (!below) {
                cuts += offer_sides(scorer, t, left, j + 1, j + 1, 0, price, spare + t.width, best);
                continue;
            }
            for (int side = 0; side < (t.missing[last] > 0 ? 2 : 1); ++side) {
                const int64_t rows = left[last] + (side == 0 ? t.missing[last] : 0);
                cuts += rows >= t.least && t.total[last] - rows >= t.least;
            }
        }
    }
    return best;
}

// Cuts between neighbouring levels in the given order: at = levels on the left.
template <class S, class Price = Free<S>>
Best<S> cuts_between(const Scorer& scorer, const Table& t, const uint32_t* order, int64_t* spare, int64_t& cuts,
                     const Price& price = {}) {
    if constexpr (std::is_same_v<S, int64_t>)
        if (scorer.bounded() && t.levels >= kLong && (order ? scorer.classes == 2 : scorer.classes <= kCornerClasses))
            return cuts_in_stretches(scorer, t, order, spare, cuts, price);
    Best<S> best;
    int64_t* left = spare;
    std::fill(left, left + t.width, 0);
    for (size_t j = 0; j + 1 < t.levels; ++j) {
        const int64_t* level = t.level(order ? order[j] : j);
        for (size_t c = 0; c < t.width; ++c) left[c] += level[c];
        cuts += offer_sides(scorer, t, left, j + 1, j + 1, 0, price, spare + t.width, best);
    }
    return best;
}

// The same, and missing rows alone: at = all levels.
template <class S, class Price = Free<S>>
Best<S> cuts_of_table(const Scorer& scorer, const Table& t, const uint32_t* order, int64_t* spare, int64_t& cuts,
                      const Price& price = {}) {
    Best<S> best = cuts_between<S>(scorer, t, order, spare, cuts, price);
    cuts += offer_missing(scorer, t, t.levels, price, spare + t.width, best);
    return best;
}

// All ways to send levels 1..m-1 to the second branch (level 0 stays in the first): at = mask of levels >> 1; all ones and one
// more bit where missing rows are alone.
template <class S, class Price>
Best<S> groups_by_trial(const Scorer& scorer, const Table& t, int64_t* spare, const Price& price) {
    Best<S> best;
    int64_t* left = spare;
    std::fill(left, left + t.width, 0);
    for (size_t j = 0; j < t.levels; ++j)
        for (size_t c = 0; c < t.width; ++c) left[c] += t.level(j)[c];
    size_t mask = 0;
    for (size_t step = 1; step < (size_t{1} << (t.levels - 1)); ++step) {  // one level moves per step (Gray code)
        const size_t j = static_cast<size_t>(std::countr_zero(step));
        const int64_t sign = mask >> j & 1 ? 1 : -1;
        mask ^= size_t{1} << j;
        for (size_t c = 0; c < t.width; ++c) left[c] += sign * t.level(j + 1)[c];
        offer_sides(scorer, t, left, mask, static_cast<size_t>(std::popcount(mask)), 1, price, spare + t.width, best);
    }
    offer_missing(scorer, t, size_t{1} << t.levels, price, spare + t.width, best);
    return best;
}

// First principal component of the levels' class shares, weighted by rows; value[level] is its coordinate.
inline void principal_values(const Table& t, std::vector<double>& value) {
    const size_t classes = t.width - 1;
    std::vector<double> mean(classes, 0.0), spread(classes * classes, 0.0), axis(classes), next(classes), away(classes);
    double all = 0.0;
    auto size = [&](size_t j) { return static_cast<double>(std::accumulate(t.level(j), t.level(j) + classes, int64_t{0})); };
    for (size_t j = 0; j < t.levels; ++j) {
        all += size(j);
        for (size_t c = 0; c < classes; ++c) mean[c] += static_cast<double>(t.level(j)[c]);
    }
    for (double& m : mean) m /= all;
    auto share = [&](size_t j, size_t c) { return static_cast<double>(t.level(j)[c]) / size(j) - mean[c]; };
    for (size_t j = 0; j < t.levels; ++j)
        for (size_t a = 0; a < classes; ++a)
            for (size_t b = 0; b < classes; ++b) spread[a * classes + b] += size(j) * share(j, a) * share(j, b);
    size_t widest = 0;
    for (size_t c = 1; c < classes; ++c)
        if (spread[c * classes + c] > spread[widest * classes + widest]) widest = c;
    for (size_t c = 0; c < classes; ++c) axis[c] = spread[widest * classes + c];
    for (int round = 0; round < 64; ++round) {
        double largest = 0.0;
        for (size_t a = 0; a < classes; ++a) {
            next[a] = 0.0;
            for (size_t b = 0; b < classes; ++b) next[a] += spread[a * classes + b] * axis[b];
            largest = std::max(largest, next[a] < 0 ? -next[a] : next[a]);
        }
        if (largest == 0.0) break;
        for (size_t c = 0; c < classes; ++c) axis[c] = next[c] / largest;
    }
    for (size_t j = 0; j < t.levels; ++j) {
        value[j] = 0.0;
        for (size_t c = 0; c < classes; ++c) value[j] += share(j, c) * axis[c];
    }
}

// Levels by their share of the second of two classes, equal ones in their own order. Shares of levels of fewer than
// 2^16 rows differ by more than 1/65535^2 or not at all, so 32 bits tell them apart. False: a level has more rows, or none that counts.
inline bool order_shares(const Table& t, std::vector<uint32_t>& order) {
    thread_local std::vector<Item<uint32_t, uint32_t>> items, spare;
    thread_local std::vector<uint32_t> counts;
    items.resize(t.levels);
    for (uint32_t j = 0; j < t.levels; ++j) {
        const int64_t top = t.level(j)[1], all = t.level(j)[0] + top;
        if (all < 1 || all > 65535) return false;
        const double share = static_cast<double>(top) / static_cast<double>(all);
        items[j] = {static_cast<uint32_t>(share * 4294967295.0), j};
    }
    sort_items(items, spare, counts);
    for (uint32_t i = 0; i < t.levels; ++i) order[i] = items[i].entry;
    return true;
}

// The order in which two groups are cut: by share of the second class, by mean response, or by `principal_values`.
inline void group_order(const Table& t, Criterion criterion, std::vector<uint32_t>& order) {
    order.resize(t.levels);
    std::iota(order.begin(), order.end(), 0u);
    using Signed = int128;
    if (criterion == Criterion::variance || t.width == 3) {
        const bool regression = criterion == Criterion::variance;
        if (!regression && order_shares(t, order)) return;
        auto top = [&](uint32_t j) { return static_cast<Signed>(t.level(j)[regression ? 0 : 1]); };
        auto all = [&](uint32_t j) {
            return static_cast<Signed>(regression ? t.level(j)[1] : t.level(j)[0] + t.level(j)[1]);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return top(a) * all(b) < top(b) * all(a); });
        return;
    }
    std::vector<double> value(t.levels);
    principal_values(t, value);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return value[a] < value[b]; });
}

struct LevelSplit {
    bool found = false;
    int64_t key = 0;
    int missing = 0;
};

// Two groups: side[level] is 0 or 1, level 0 always in group 0. price(levels in one group, and
// whether missing rows are in it): what naming them costs.
template <class S, class Price>
LevelSplit two_groups(const Scorer& scorer, const Table& t, int64_t* spare, std::vector<uint32_t>& order, uint8_t* side,
                      const Price& price) {
    // In order of the second of two classes lies the best cut of a convex score; nothing says that any other is convex.
    const bool two = t.width == 3 && scorer.bounded();
    const bool by_order = scorer.criterion == Criterion::variance || two || t.levels > 12;
    Best<S> best;
    if (by_order) {
        int64_t cuts = 0;
        group_order(t, scorer.criterion, order);
        best = cuts_of_table<S>(scorer, t, order.data(), spare, cuts, price);
    } else {
        best = groups_by_trial<S>(scorer, t, spare, price);
    }
    if (!best.found) return {};
    for (size_t j = 0; j < t.levels; ++j) {
        if (by_order)
            side[order[j]] = j >= best.at;
        else
            side[j] = j > 0 && (best.at >> (j - 1) & 1) && best.at >> t.levels == 0;
    }
    if (side[0]) {
        for (size_t j = 0; j < t.levels; ++j) side[j] ^= 1;
        best.missing ^= 1;
    }
    if (t.missing[t.width - 1] == 0) {  // to the larger group, the first of equals
        int64_t rows[2] = {0, 0};
        for (size_t j = 0; j < t.levels; ++j) rows[side[j]] += t.level(j)[t.width - 1];
        best.missing = rows[0] >= rows[1] ? 0 : 1;
    }
    if (best.price > S{}) best.score = price.covered(best.score, score_of<S>(scorer, t.total));
    return {true, key_of(best.score), best.missing};
}

// The share of known rows whose level has more than one row here; 1 for two levels, which need not be named.
inline double coverage(const Table& t, int64_t unit) {
    int64_t known = 0, single = 0;
    for (size_t j = 0; j < t.levels; ++j) {
        const int64_t rows = t.level(j)[t.width - 1];
        known += rows;
        if (rows <= unit) single += rows;
    }
    return t.levels < 3 ? 1.0 : static_cast<double>(known - single) / static_cast<double>(known);
}

// One branch per level; missing = position of the level whose branch takes missing rows, or `levels`: a branch of their own.
template <class S>
LevelSplit one_branch_each(const Scorer& scorer, const Table& t, int64_t* spare) {
    const size_t last = t.width - 1;
    Sum<S> sum(scorer);
    size_t large = 0, widest = 0;
    for (size_t j = 0; j < t.levels; ++j) {
        sum.add(t.level(j));
        large += t.level(j)[last] >= t.least;
        if (t.level(j)[last] > t.level(widest)[last]) widest = j;
    }
    if (large + (t.missing[last] > 0 && t.missing[last] >= t.least) < 2) return {};
    if (t.missing[last] == 0) return {true, key_of(sum.value()), static_cast<int>(widest)};
    Best<S> best;
    for (size_t j = 0; j < t.levels && large >= 2; ++j) {
        for (size_t c = 0; c < t.width; ++c) spare[c] = t.level(j)[c] + t.missing[c];
        Sum<S> own = sum;
        own.take(t.level(j));
        own.add(spare);
        best.offer(own.value(), j, static_cast<int>(j));
    }
    sum.add(t.missing);
    if (t.missing[last] >= t.least) best.offer(sum.value(), t.levels, static_cast<int>(t.levels));
    return {best.found, key_of(best.score), best.missing};
}

}  // namespace tally::tree
