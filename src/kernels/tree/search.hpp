// The best split of one node on one column, by whichever way the frame keeps the column.
#pragma once

#include "kernels/tree/blocks.hpp"
#include "kernels/tree/frame.hpp"
#include "kernels/tree/price.hpp"
#include "kernels/tree/table.hpp"

namespace tally::tree {

// What the search knows of a node, the same for all columns.
struct Here {
    Scorer scorer;
    const Rules* rules;
    const int64_t* total;  // [C + 1]
    NodeTables tables;
    bool regression, unit;
    double deviance = 0.0;                            // regression only
    const std::vector<double>* factorials = nullptr;  // their log2, up to the most levels of a column
    bool ratios = true;                               // somebody reads the ratio of a candidate
    const int64_t* by_class = nullptr;                // [C]: what a row weighs, where its class alone tells
    bool alike = false;                               // rows weigh as much in the criterion as in min_samples_leaf
};

// The cut of a test that sends every known number to the first branch: missing rows are alone in the second.
inline constexpr double no_cut = std::numeric_limits<double>::max();

// Memory of one thread.
struct Scratch {
    std::vector<int64_t> table, present, spare;
    std::vector<uint32_t> codes, order;
    std::vector<uint8_t> side;
    std::vector<const int64_t*> at;
    std::vector<int64_t> left, right;
    Ends ends;
};

inline int64_t least_rows(const Here& here, Kind kind) {
    const Rules& rules = *here.rules;
    if (!rules.cut_rows || kind != Kind::numeric || here.regression) return rules.min_leaf;
    const int64_t tenth = 10 * static_cast<int64_t>(here.scorer.classes);
    const int64_t wanted = (here.total[here.scorer.classes] + tenth - 1) / tenth;
    if (wanted <= rules.min_leaf) return rules.min_leaf;
    return std::min(wanted, 25 * rules.unit);
}

// Gain, ratio and prices of a found split, from its score and the rows of its branches (weighted as in the criterion).
inline void finish(const Here& here, Kind kind, int64_t full_score, int64_t sizes_of_branches, Candidate& out) {
    const Scorer& scorer = here.scorer;
    out.net = out.gain = gain_of(scorer, full_score, here.total);
    if (out.score != full_score) {
        out.net = gain_of(scorer, out.score, here.total);
        out.pays = out.net > 0.0;
    }
    if (here.regression) return;
    const double n = static_cast<double>(scorer.sum(here.total));
    if (here.rules->penalty > 0.0 && kind != Kind::levels) {
        const double rows = static_cast<double>(scorer.rows(here.total)) / static_cast<double>(here.rules->unit);
        out.net -= here.rules->penalty * log2_whole(static_cast<double>(out.cuts)) / rows;
        if (here.rules->stop_at_zero && !(out.net > 0.0)) out.found = false;
    }
    if (!here.ratios) return;
    const int64_t info = (*scorer.logs)(scorer.sum(here.total)) - sizes_of_branches;
    out.ratio = info > 0 ? out.net / (static_cast<double>(info) / scorer.logs->factor() / n) : 0.0;
}

inline int64_t logs_of_two(const Here& here, const int64_t* left) {
    if (here.regression) return 0;
    const int64_t n = here.scorer.sum(left);
    return (*here.scorer.logs)(n) + (*here.scorer.logs)(here.scorer.sum(here.total) - n);
}

// The cuts of one node on a column in order. aside [C + 1]: the missing rows on the left.
template <class E>
struct Cuts {
    const E* run;
    Range range;
    const int64_t* aside;
    bool repeats;
};

// The best cut of a long run, block by block. left [C + 1] receives the first branch.
template <class Measure, class E>
BestCut walk_blocks(Measure measure, const Cuts<E>& cuts, Scratch& s, int64_t* left) {
    Blocks<E, Measure> blocks(measure, cuts.run, cuts.range, cuts.aside, s.ends);
    const BestCut cut = cuts.repeats ? blocks.template best<false>() : blocks.template best<true>();
    if (cut.at) blocks.left_of(cut.at, left);
    return cut;
}

// The same where no table holds the scores; entries: what rows weigh.
template <class Entries, class E>
BestCut walk_weighed(const Frame<E>& f, const Here& here, Entries entries, const Cuts<E>& cuts, Scratch& s, int64_t* left) {
    auto go = [&]<template <class, class> class Measure>() {
        return walk_blocks(
            Measure<E, Entries>{{here.scorer, f.weights.score, here.total, s.left.data(), s.right.data()}, entries}, cuts, s,
            left);
    };
    return here.scorer.by_logs() ? go.template operator()<ByLogs>() : go.template operator()<BySquares>();
}

// Walk one run with the missing rows `aside` on the left (or none, and they are on the right).
// left [C + 1] receives the first branch if the walk knows it, else left[C] stays 0.
template <class E>
BestCut walk_run(const Frame<E>& f, const Here& here, const Cuts<E>& cuts, Scratch& s, int64_t* left) {
    const Scorer& sc = here.scorer;
    const int64_t* aside = cuts.aside;
    const size_t C = sc.classes;
    auto go = [&](auto sides) {
        const auto [low, high] = cuts.range;
        return cuts.repeats ? walk<false>(sides, cuts.run, low, high) : walk<true>(sides, cuts.run, low, high);
    };
    if (here.regression)
        return go(ResponseSides<E>{f.layout, sc, f.weights.response, f.weights.rows, aside[0], here.total[0] - aside[0],
                                   aside[1], here.total[1] - aside[1]});
    const bool by_table = here.unit && sc.by_logs();
    const bool blocks = sc.bounded() && C <= 32 && cuts.range.high - cuts.range.low >= (by_table ? 256 : 32);
    if (by_table) {
        s.at.resize(C);
        if (blocks) return walk_blocks(OneByOne<E>{{f.layout, C}, here.tables, s.at}, cuts, s, left);
        const NodeTables& t = here.tables;
        if (C == 2) return go(TwoClasses<E>{f.layout, t.pairs[0], t.pairs[1], t.sizes, aside[1], aside[0] + aside[1]});
        int64_t sum = 0;
        for (size_t c = 0; c < C; ++c) sum += *(s.at[c] = t.pairs[c] + aside[c]);
        return go(ManyClasses<E>{f.layout, s.at.data(), t.sizes, sum, sc.sum(aside)});
    }
    s.left.resize(2 * C);
    s.right.resize(2 * C);
    if (blocks) {
        if (here.unit) return walk_weighed(f, here, Ones<E>{f.layout, C}, cuts, s, left);
        if (here.by_class) return walk_weighed(f, here, ByClass<E>{f.layout, C, here.by_class}, cuts, s, left);
        const int64_t* rows = here.alike ? f.weights.score : f.weights.rows;
        return walk_weighed(f, here, ByRow<E>{f.layout, C, f.weights.score, rows}, cuts, s, left);
    }
    std::copy_n(aside, C, s.left.data());
    if (sc.by_logs())
        return go(WeightedEntropy<E>::from(f.layout, sc, f.weights.score, here.total, s.left.data(), s.right.data()));
    if (!sc.bounded())
        return go(ScoredSides<E>::from(f.layout, sc, f.weights.score, here.total, s.left.data(), s.right.data()));
    return go(GiniSides<E>::from(f.layout, sc, f.weights.score, here.total, s.left.data(), s.right.data()));
}

template <class E>
double value_of(const Frame<E>& f, const Column& column, E e) {
    const size_t row = f.in_table(f.layout.row(e));
    return column.width ? column.distinct[code_at(column.codes, column.width, row)] : column.values[row];
}

// The split of known rows from missing ones, where it beats the best cut: then best.at is the number of known entries.
// Says whether both sides have rows enough.
inline bool offer_alone(const Here& here, size_t known, const int64_t* apart, int64_t least, BestCut& best, Scratch& s) {
    const size_t width = here.scorer.classes + 1;
    s.left.assign(here.total, here.total + width);
    for (size_t c = 0; c < width; ++c) s.left[c] -= apart[c];
    if (apart[width - 1] < least || s.left[width - 1] < least) return false;
    const int64_t key = here.regression ? key_of(score_of<double>(here.scorer, s.left.data(), apart))
                                        : key_of(score_of<int64_t>(here.scorer, s.left.data(), apart));
    if (!best.at || key > best.key) best.at = known, best.key = key;
    return true;
}

// A numeric or ordered column kept in order. left [C + 1] receives the first branch.
template <class E>
Candidate search_order(const Frame<E>& f, const Column& column, const Here& here, const E* run, size_t n, size_t missing,
                       Scratch& s, int64_t* left) {
    Candidate out;
    const size_t known = n - missing, width = here.scorer.classes + 1;
    s.spare.assign(3 * width, 0);
    int64_t *apart = s.spare.data(), *none = apart + width, *known_left = none + width;
    if (missing) sum_rows(f, run + known, missing, here.regression, width - 1, apart);
    const int64_t least = least_rows(here, column.kind), away = apart[width - 1];
    const int64_t* rows = f.weights.rows;
    const bool repeats = column.repeats;
    BestCut best;
    for (int side = missing ? 0 : 1; side < 2; ++side) {
        const Range range = allowed(f.layout, run, known, rows, least, side == 0 ? away : 0, side == 0 ? 0 : away);
        known_left[width - 1] = 0;
        const BestCut cut = walk_run(f, here, Cuts<E>{run, range, side == 0 ? apart : none, repeats}, s, known_left);
        if (!cut.at || (best.at && (cut.key < best.key || (cut.key == best.key && cut.at >= best.at)))) continue;
        best = cut;
        out.missing = side;
        std::copy_n(known_left, width, left);
    }
    const bool alone = missing && known && offer_alone(here, known, apart, least, best, s);
    if (alone && best.at == known) {
        out.missing = 1;
        for (size_t c = 0; c < width; ++c) left[c] = here.total[c] - apart[c];
    }
    out.found = best.at > 0;
    if (!out.found) {
        out.constant = !missing || !known;
        for (size_t i = 1; i < known && out.constant; ++i) out.constant = repeats && !f.layout.is_new(run[i]);
        return out;
    }
    out.constant = false;
    if (left[width - 1] == 0) {
        sum_rows(f, run, best.at, here.regression, width - 1, left);
        for (size_t c = 0; missing && out.missing == 0 && c < width; ++c) left[c] += apart[c];
    }
    if (!missing) out.missing = left[width - 1] >= here.total[width - 1] - left[width - 1] ? 0 : 1;
    if (here.rules->penalty > 0.0) {
        const Range a = allowed(f.layout, run, known, rows, least, int64_t{0}, away);
        const Range b = allowed(f.layout, run, known, rows, least, away, int64_t{0});
        out.cuts = alone;
        auto cuts = [&](Range range) {
            int64_t count = 0;
            for (size_t i = range.low; i < range.high; ++i) count += !repeats || f.layout.is_new(run[i]);
            return count;
        };
        out.cuts += cuts(a) + (missing ? cuts(b) : 0);  // missing rows on either side: each is a test
    }
    out.branches = 2;
    out.at = best.at;
    out.score = best.key;
    const bool lost = best.at == known;
    if (column.kind == Kind::numeric)
        out.cut =
            lost ? no_cut : cut_between(column, value_of(f, column, run[best.at - 1]), value_of(f, column, run[best.at]));
    if (column.width)
        out.code = lost ? column.k : code_at(column.codes, column.width, f.in_table(f.layout.row(run[best.at])));
    finish(here, column.kind, out.score, logs_of_two(here, left), out);
    return out;
}

// The levels present in a node from a full table [k + 1, C + 1]; the table is cleared. Returns how many.
inline size_t compact(const Here& here, uint32_t k, Scratch& s) {
    const size_t width = here.scorer.classes + 1, last = width - 1;
    s.present.resize((k + size_t{1}) * width);
    s.codes.resize(k);
    int64_t* out = s.present.data();
    size_t levels = 0;
    for (uint32_t code = 0; code <= k; ++code) {
        int64_t* cell = s.table.data() + code * width;
        if (here.unit && !here.regression)
            for (size_t c = 0; c < last; ++c) cell[last] += cell[c];
        if (code < k && cell[last] == 0) continue;
        if (code < k) s.codes[levels++] = code;
        for (size_t c = 0; c < width; ++c) *out++ = std::exchange(cell[c], 0);
    }
    s.codes.resize(levels);
    s.present.resize((levels + 1) * width);
    return levels;
}

// The same from a run in order of code.
template <class E>
size_t compact_run(const Frame<E>& f, const Column& column, const Here& here, const E* run, size_t n, size_t missing,
                   Scratch& s) {
    const size_t width = here.scorer.classes + 1, known = n - missing;
    s.present.clear();
    s.codes.clear();
    for (size_t i = 0; i < known;) {
        size_t end = i + 1;
        while (end < known && !f.layout.is_new(run[end])) ++end;
        s.present.resize(s.present.size() + width);
        sum_rows(f, run + i, end - i, here.regression, width - 1, s.present.data() + s.present.size() - width);
        s.codes.push_back(code_at(column.codes, column.width, f.in_table(f.layout.row(run[i]))));
        i = end;
    }
    s.present.resize(s.present.size() + width);
    sum_rows(f, run + known, missing, here.regression, width - 1, s.present.data() + s.present.size() - width);
    return s.codes.size();
}

// Score the compact table in s.present (missing last). map[code] receives branches of a level column.
template <class S>
Candidate score_table(const Column& column, const Here& here, size_t levels, Scratch& s, int64_t* left, uint8_t* map) {
    Candidate out;
    const size_t width = here.scorer.classes + 1;
    out.constant = levels + (s.present[levels * width + width - 1] > 0) < 2;
    if (out.constant) return out;
    const Table t{
        levels, width, s.present.data(), s.present.data() + levels * width, here.total, least_rows(here, column.kind)};
    s.spare.resize(4 * width);
    s.side.assign(levels, 0);
    int64_t sizes = 0;
    if (column.kind == Kind::levels && !here.rules->groups) {
        const LevelSplit found = one_branch_each<S>(here.scorer, t, s.spare.data());
        if (!(out.found = found.found)) return out;
        const size_t with = static_cast<size_t>(found.missing);  // the level that missing rows go with, or none
        out.score = found.key, out.missing = static_cast<int32_t>(with < levels ? s.codes[with] : column.k);
        out.branches = static_cast<int32_t>(column.k + (with == levels));
        if (!here.regression)
            for (size_t j = 0; j < levels + (with == levels); ++j)
                sizes += (*here.scorer.logs)(here.scorer.sum(t.level(j))
                                             + (with == j && j < levels ? here.scorer.sum(t.missing) : 0));
        finish(here, column.kind, out.score, sizes, out);
        return out;
    }
    if (column.kind == Kind::levels) {
        const GroupPrice<S> price(here.scorer, here.total, here.rules->unit, here.deviance, *here.factorials, levels,
                                  here.rules->penalty > 0.0 && t.missing[width - 1] > 0, coverage(t, here.rules->unit));
        const LevelSplit found = two_groups<S>(here.scorer, t, s.spare.data(), s.order, s.side.data(), price);
        out.found = found.found, out.score = found.key, out.missing = found.missing;
    } else {
        Best<S> best = cuts_between<S>(here.scorer, t, nullptr, s.spare.data(), out.cuts);
        if (column.cuts >= 0) out.cuts = column.cuts;
        out.cuts += offer_missing(here.scorer, t, levels, Free<S>{}, s.spare.data() + width, best);
        out.found = best.found, out.score = key_of(best.score), out.missing = best.missing;
        for (size_t j = best.at; j < levels && best.found; ++j) s.side[j] = 1;
        if (best.found) {
            const bool lost = best.at == levels;
            out.code = lost ? column.k : s.codes[best.at];
            if (column.kind == Kind::numeric)
                out.cut =
                    lost ? no_cut
                         : cut_between(column, column.distinct[s.codes[best.at - 1]], column.distinct[s.codes[best.at]]);
        }
    }
    if (!out.found) return out;
    out.branches = 2;
    for (size_t c = 0; c < width; ++c) {
        left[c] = out.missing == 0 ? t.missing[c] : 0;
        for (size_t j = 0; j < levels; ++j) left[c] += s.side[j] ? 0 : t.level(j)[c];
    }
    if (column.kind == Kind::levels) {
        const bool lost = std::find(s.side.begin(), s.side.end(), 1) == s.side.end();  // missing rows are alone
        std::memset(map, lost ? 0 : out.missing, column.k);
        for (size_t j = 0; j < levels; ++j) map[s.codes[j]] = s.side[j];
    }
    for (size_t c = 0; c < width; ++c) s.spare[c] = here.total[c] - left[c];
    finish(here, column.kind, key_of(score_of<S>(here.scorer, left, s.spare.data())), logs_of_two(here, left), out);
    return out;
}

// C4.5's fractional cases: the split is scored on the rows whose value is known, its gain weighted by their share, and
// missing rows count as a branch of their own in the entropy of the branch sizes.
template <class S>
Candidate score_known(const Column& column, const Here& here, size_t levels, Scratch& s, int64_t* left, uint8_t* map) {
    const size_t width = here.scorer.classes + 1;
    std::vector<int64_t> known(here.total, here.total + width);
    int64_t* away = s.present.data() + levels * width;
    for (size_t c = 0; c < width; ++c) known[c] -= away[c];
    const int64_t lost = here.regression ? 0 : here.scorer.sum(away);
    std::fill(away, away + width, 0);
    Rules plain = *here.rules;
    plain.penalty = 0.0;
    plain.fractions = false;
    Here part = here;
    part.rules = &plain;
    part.total = known.data();
    Candidate out = score_table<S>(column, part, levels, s, left, map);
    out.missing = -2;
    if (!out.found) return out;
    const double all = static_cast<double>(here.total[width - 1]);
    out.gain *= static_cast<double>(known[width - 1]) / all;
    out.net *= static_cast<double>(known[width - 1]) / all;
    out.score = key_of(out.net);  // columns differ in their known rows: gains compare, scores do not
    if (here.rules->penalty > 0.0 && column.kind == Kind::numeric) {
        out.net -=
            here.rules->penalty * log2_whole(static_cast<double>(out.cuts)) / (all / static_cast<double>(here.rules->unit));
        if (here.rules->stop_at_zero && !(out.net > 0.0)) out.found = false;
    }
    if (here.regression) return out;
    const Logs& F = *here.scorer.logs;
    int64_t sizes = F(lost);
    if (column.kind == Kind::levels && !plain.groups)
        for (size_t j = 0; j < levels; ++j) sizes += F(here.scorer.sum(s.present.data() + j * width));
    else
        sizes += logs_of_two(part, left);
    const int64_t n = here.scorer.sum(here.total), info = F(n) - sizes;
    out.ratio = info > 0 ? out.net / (static_cast<double>(info) / F.factor() / static_cast<double>(n)) : 0.0;
    return out;
}

template <class S>
Candidate search_table(const Column& column, const Here& here, size_t levels, Scratch& s, int64_t* left, uint8_t* map) {
    return here.rules->fractions ? score_known<S>(column, here, levels, s, left, map)
                                 : score_table<S>(column, here, levels, s, left, map);
}

// Two levels and no missing row: there is one way to part them, and nothing to name, so nothing is put in order and priced.
// ones[class, 64]: rows of the second level. The answer is that of `score_table`.
inline Candidate part_two_levels(const Here& here, const int64_t* ones, Scratch& s, int64_t* left, uint8_t* map) {
    Candidate out;
    const size_t last = here.scorer.classes;
    s.spare.resize(last + 1);
    int64_t* right = s.spare.data();
    right[last] = 0;
    for (size_t c = 0; c < last; ++c) right[last] += right[c] = ones[64 * c];
    const int64_t rows = right[last], others = here.total[last] - rows;
    out.constant = rows == 0 || others == 0;
    out.found = !out.constant && std::min(rows, others) >= least_rows(here, Kind::levels);
    if (!out.found) return out;
    for (size_t c = 0; c <= last; ++c) left[c] = here.total[c] - right[c];
    map[0] = 0, map[1] = 1;
    out.branches = 2;
    out.missing = others >= rows ? 0 : 1;
    out.score = key_of(score_of<int64_t>(here.scorer, left, right));
    finish(here, Kind::levels, out.score, logs_of_two(here, left), out);
    return out;
}

// Add the rows of a node to a table of branch vectors by code, whichever way is quickest. total[C]: its classes.
template <class E>
void fill_table(const Frame<E>& f, size_t j, const Column& column, const Here& here, const E* rows, size_t n,
                const int64_t* total, int64_t* table) {
    const size_t classes = here.scorer.classes;
    auto sum = [&](auto* codes) {
        if (here.unit && column.k == 2 && classes <= 8)
            sum_two_codes(f, rows, n, codes, classes, total, table);
        else if (here.unit && n >= 512 && (column.k + size_t{1}) * classes <= 512)
            sum_few_codes(f, rows, n, codes, column.k, classes, table);
        else
            sum_codes(f, rows, n, codes, here.regression, classes, table);
    };
    if (f.width[j] == 1) sum(static_cast<const uint8_t*>(f.codes[j]));
    if (f.width[j] == 2) sum(static_cast<const uint16_t*>(f.codes[j]));
    if (f.width[j] == 4) sum(static_cast<const uint32_t*>(f.codes[j]));
}

// Large nodes keep their tables, so that of two siblings only the smaller is counted: the other is parent less it.
struct Family {
    const std::vector<int64_t>* parent = nullptr;  // its table of this column
    size_t begin = 0, size = 0;                    // the sibling's rows
    const int64_t* total = nullptr;                // and classes
    std::vector<int64_t>* keep = nullptr;          // where the node's own table goes
    const int64_t* ones = nullptr;                 // rows of code 1 where it was counted with others, [class, 64]
};

// The best split of the node `open` on one column.
template <class E>
Candidate search(const Frame<E>& f, size_t j, const Column& column, const Here& here, const Open& open, Scratch& s,
                 int64_t* left, uint8_t* map, const Family& family = {}) {
    const size_t n = open.size(), width = here.scorer.classes + 1;
    if (!f.order[j].empty() && column.kind != Kind::levels)
        return search_order(f, column, here, f.order[j].data() + open.begin, n, open.missing[j], s, left);
    size_t levels;
    if (!f.order[j].empty()) {
        levels = compact_run(f, column, here, f.order[j].data() + open.begin, n, open.missing[j], s);
    } else {
        const size_t cells = (column.k + size_t{1}) * width;
        if (s.table.size() < cells) s.table.resize(cells, 0);
        if (family.ones && column.kind == Kind::levels && here.rules->groups && !here.rules->fractions)
            return part_two_levels(here, family.ones, s, left, map);
        if (family.ones) {
            for (size_t c = 0; c + 1 < width; ++c) {
                s.table[width + c] = family.ones[64 * c];
                s.table[c] = here.total[c] - family.ones[64 * c];
            }
            levels = compact(here, column.k, s);
            return search_table<int64_t>(column, here, levels, s, left, map);
        }
        const bool other = family.parent && !family.parent->empty() && family.size < n;
        const E* rows = f.rows.data() + (other ? family.begin : open.begin);
        fill_table(f, j, column, here, rows, other ? family.size : n, other ? family.total : here.total, s.table.data());
        for (size_t i = 0; other && i < cells; ++i) s.table[i] = (*family.parent)[i] - s.table[i];
        if (family.keep) family.keep->assign(s.table.begin(), s.table.begin() + static_cast<ptrdiff_t>(cells));
        levels = compact(here, column.k, s);
    }
    return here.regression ? search_table<double>(column, here, levels, s, left, map)
                           : search_table<int64_t>(column, here, levels, s, left, map);
}

}  // namespace tally::tree
