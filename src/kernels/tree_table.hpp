// The best split of one node from its count table, whoever made the table.
//
// table[level, 0..C] holds the levels present in the node, in code order, as branch vectors (see tree_score.hpp).
// Missing rows are tried on every branch; without any they go to the larger branch, the first of equals.
// Ties: the lower cut (or shorter group in its order, or lower mask), then the lower branch for missing.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "kernels/tree_score.hpp"
#include "kernels/tree_sort.hpp"

namespace tally::tree {

struct Table {
    size_t levels;          // m
    size_t width;           // C + 1
    const int64_t* rows;    // [m, C + 1]
    const int64_t* missing; // [C + 1]
    const int64_t* total;   // [C + 1], missing included
    int64_t least;          // rows of each of two branches
    const int64_t* level(size_t j) const { return rows + j * width; }
};

// The best of a sequence of two-branch splits; `at` is whatever number the caller gives each.
template <class S>
struct Best {
    S score{};
    size_t at = 0;
    int missing = 0;
    bool found = false;
    void offer(S s, size_t where, int side) {
        if (found && (s < score || (s == score && (where > at || (where == at && side > missing))))) return;
        score = s, at = where, missing = side, found = true;
    }
};

// Offer the split with `left` known rows on the left, missing rows on either side; count it when it is allowed.
template <class S>
int64_t offer_sides(const Scorer& scorer, const Table& t, const int64_t* left, size_t at, int64_t* spare, Best<S>& best) {
    const size_t width = t.width, last = width - 1;
    const bool any = t.missing[last] > 0;
    int64_t *a = spare, *b = spare + width;
    bool allowed = false;
    for (int side = 0; side < (any ? 2 : 1); ++side) {
        for (size_t c = 0; c < width; ++c) {
            a[c] = left[c] + (side == 0 ? t.missing[c] : 0);
            b[c] = t.total[c] - a[c];
        }
        if (a[last] < t.least || b[last] < t.least) continue;
        allowed = true;
        const int where = any ? side : (a[last] >= b[last] ? 0 : 1);
        best.offer(part<S>(scorer, a) + part<S>(scorer, b), at, where);
    }
    return allowed;
}

// Cuts between neighbouring levels in the given order: at = levels on the left.
template <class S>
Best<S> cuts_of_table(const Scorer& scorer, const Table& t, const uint32_t* order, int64_t* spare, int64_t& cuts) {
    Best<S> best;
    int64_t* left = spare;
    std::fill(left, left + t.width, 0);
    for (size_t j = 0; j + 1 < t.levels; ++j) {
        const int64_t* level = t.level(order ? order[j] : j);
        for (size_t c = 0; c < t.width; ++c) left[c] += level[c];
        cuts += offer_sides(scorer, t, left, j + 1, spare + t.width, best);
    }
    return best;
}

// All ways to send levels 1..m-1 to the second branch (level 0 stays in the first): at = mask of levels >> 1.
template <class S>
Best<S> groups_by_trial(const Scorer& scorer, const Table& t, int64_t* spare) {
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
        offer_sides(scorer, t, left, mask, spare + t.width, best);
    }
    return best;
}

// First principal component of the levels' class shares, weighted by rows; value[level] is its coordinate.
inline void principal_values(const Table& t, std::vector<double>& value) {
    const size_t classes = t.width - 1;
    std::vector<double> mean(classes, 0.0), spread(classes * classes, 0.0), axis(classes), next(classes), away(classes);
    double all = 0.0;
    auto size = [&](size_t j) {
        return static_cast<double>(std::accumulate(t.level(j), t.level(j) + classes, int64_t{0}));
    };
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
    using Signed = __int128;
    if (criterion == Criterion::variance || t.width == 3) {
        const bool regression = criterion == Criterion::variance;
        if (!regression && order_shares(t, order)) return;
        auto top = [&](uint32_t j) { return static_cast<Signed>(t.level(j)[regression ? 0 : 1]); };
        auto all = [&](uint32_t j) {
            return static_cast<Signed>(regression ? t.level(j)[1] : t.level(j)[0] + t.level(j)[1]);
        };
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return top(a) * all(b) < top(b) * all(a); });
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

// Two groups: side[level] is 0 or 1, level 0 always in group 0.
template <class S>
LevelSplit two_groups(const Scorer& scorer, const Table& t, int64_t* spare, std::vector<uint32_t>& order, uint8_t* side) {
    const bool by_order = scorer.criterion == Criterion::variance || t.width == 3 || t.levels > 12;
    Best<S> best;
    if (by_order) {
        int64_t cuts = 0;
        group_order(t, scorer.criterion, order);
        best = cuts_of_table<S>(scorer, t, order.data(), spare, cuts);
    } else {
        best = groups_by_trial<S>(scorer, t, spare);
    }
    if (!best.found) return {};
    for (size_t j = 0; j < t.levels; ++j) {
        if (by_order)
            side[order[j]] = j >= best.at;
        else
            side[j] = j > 0 && (best.at >> (j - 1) & 1);
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
    return {true, key_of(best.score), best.missing};
}

// One branch per level; missing = position of the level whose branch takes missing rows.
template <class S>
LevelSplit one_branch_each(const Scorer& scorer, const Table& t, int64_t* spare) {
    const size_t last = t.width - 1;
    S sum{};
    size_t large = 0, widest = 0;
    for (size_t j = 0; j < t.levels; ++j) {
        sum += part<S>(scorer, t.level(j));
        large += t.level(j)[last] >= t.least;
        if (t.level(j)[last] > t.level(widest)[last]) widest = j;
    }
    if (large < 2) return {};
    if (t.missing[last] == 0) return {true, key_of(sum), static_cast<int>(widest)};
    Best<S> best;
    for (size_t j = 0; j < t.levels; ++j) {
        for (size_t c = 0; c < t.width; ++c) spare[c] = t.level(j)[c] + t.missing[c];
        best.offer(sum - part<S>(scorer, t.level(j)) + part<S>(scorer, spare), 0, static_cast<int>(j));
    }
    return {true, key_of(best.score), best.missing};
}

}  // namespace tally::tree
