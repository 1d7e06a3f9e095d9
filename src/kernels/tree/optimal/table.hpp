// What the search for the best tree works on: distinct rows with what each answer costs them, and nodes of such rows.
//
// A tree costs its rows' losses and a price for each leaf; both are one whole number, the key: loss * worth + leaves * leaf,
// where `worth` and `leaf` are such that of equal costs the tree of fewer leaves has the smaller key.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/base/common.hpp"

namespace tally::tree::optimal {

// How losses are made. two: two answers, any losses. classes: a wrong answer costs the row's weight, a right one nothing.
enum class Form : int { two = 0, classes = 1, any = 2 };

struct Column {
    bool levels = false;              // each against the rest; else cut in their order
    uint32_t k = 0;                   // code k is missing
    const uint32_t* codes = nullptr;  // [row]
};

struct Table {
    size_t rows = 0, answers = 0;
    Form form = Form::any;
    std::vector<Column> columns;     // the first of equals is chosen
    const int64_t* loss = nullptr;   // [row, answer]
    const int64_t* floor = nullptr;  // [row]: summed over a node's rows, what no tree can save
    int64_t worth = 1, leaf = 1;
    std::vector<int64_t> most;    // [row]: its largest loss
    std::vector<int64_t> weight;  // [row]: two: loss of answer 0 less that of 1; classes: of a wrong answer
    std::vector<uint32_t> own;    // [row]: classes: the right answer

    const int64_t* losses(uint32_t row) const { return loss + row * answers; }

    void prepare() {
        most.resize(rows), weight.assign(rows, 0), own.assign(rows, 0);
        for (size_t i = 0; i < rows; ++i) {
            const int64_t* l = loss + i * answers;
            most[i] = *std::max_element(l, l + answers);
            weight[i] = form == Form::two ? l[0] - l[1] : most[i];
            own[i] = static_cast<uint32_t>(std::min_element(l, l + answers) - l);
        }
    }
};

// Some rows, and for each column with two values or more their order by code, missing last. Rows have own numbers here.
struct Node {
    std::vector<uint32_t> rows;         // [own row]: row of the table
    std::vector<uint32_t> columns;      // columns of the table
    std::vector<uint32_t> order, code;  // [column, place]
    std::vector<uint32_t> missing;      // [column]: the last places

    size_t size() const { return rows.size(); }
    const uint32_t* order_of(size_t j) const { return order.data() + j * rows.size(); }
    const uint32_t* code_of(size_t j) const { return code.data() + j * rows.size(); }
};

inline bool varies(const uint32_t* code, size_t n) { return n > 1 && code[0] != code[n - 1]; }

inline Node root_of(const Table& table) {
    Node node;
    const size_t n = table.rows;
    node.rows.resize(n);
    std::iota(node.rows.begin(), node.rows.end(), 0u);
    std::vector<uint32_t> count, order(n), code(n);
    for (size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        count.assign(column.k + size_t{2}, 0);
        for (size_t i = 0; i < n; ++i) ++count[column.codes[i] + size_t{1}];
        const uint32_t lost = count[column.k + size_t{1}];
        std::partial_sum(count.begin(), count.end(), count.begin());
        for (size_t i = 0; i < n; ++i) {
            const uint32_t at = count[column.codes[i]]++;
            order[at] = static_cast<uint32_t>(i), code[at] = column.codes[i];
        }
        if (!varies(code.data(), n)) continue;
        node.columns.push_back(static_cast<uint32_t>(c));
        node.missing.push_back(lost);
        node.order.insert(node.order.end(), order.begin(), order.end());
        node.code.insert(node.code.end(), code.begin(), code.end());
    }
    return node;
}

// The rows with side[own row] == which.
inline Node part_of(const Table& table, const Node& from, const std::vector<uint8_t>& side, uint8_t which) {
    Node node;
    const size_t n = from.size();
    std::vector<uint32_t> number(n);
    for (size_t i = 0; i < n; ++i) {
        number[i] = static_cast<uint32_t>(node.rows.size());
        if (side[i] == which) node.rows.push_back(from.rows[i]);
    }
    const size_t m = node.rows.size();
    node.order.resize(from.columns.size() * m), node.code.resize(from.columns.size() * m);
    size_t kept = 0;
    for (size_t j = 0; j < from.columns.size(); ++j) {
        uint32_t *order = node.order.data() + kept * m, *code = node.code.data() + kept * m;
        const uint32_t *old = from.order_of(j), *old_code = from.code_of(j);
        size_t at = 0;
        for (size_t i = 0; i < n && at < m; ++i) {  // writes one place further than it keeps
            order[at] = number[old[i]], code[at] = old_code[i];
            at += side[old[i]] == which;
        }
        if (!varies(code, m)) continue;
        const uint32_t k = table.columns[from.columns[j]].k;
        uint32_t lost = 0;
        for (size_t i = m; i > 0 && code[i - 1] == k; --i) ++lost;
        node.columns.push_back(from.columns[j]);
        node.missing.push_back(lost);
        ++kept;
    }
    node.order.resize(kept * m), node.code.resize(kept * m);
    return node;
}

// A test: which rows go left. id: its place among the tests of equal keys.
struct Cut {
    uint32_t begin = 0, end = 0;  // places [begin, end) of its view go left
    bool join = false;            // and the missing rows, where they are not among the places
    uint64_t id = 0;
};

inline constexpr uint64_t no_id = std::numeric_limits<uint64_t>::max();

// One column of a node in one order. Numbers and ordered levels with missing rows have two: missing first, missing last.
struct View {
    uint32_t column = 0;  // of the table
    bool levels = false, missing_first = false;
    uint32_t known = 0;                               // places that are not missing; levels only
    const uint32_t *rows = nullptr, *code = nullptr;  // [place]
    std::vector<uint32_t> own_rows, own_code;         // where the order is not the node's
    std::vector<uint8_t> ends;                        // [place]: the last of its value
    bool distinct = true;                             // all places are
    size_t low = 0, high = 0;                         // the places of the most frequent value: nobody need walk through them
    std::vector<Cut> cuts;                            // in their order
};

inline uint64_t cut_id(uint32_t column, uint32_t rank, uint32_t side) {
    return uint64_t{column} << 33 | uint64_t{rank} << 1 | side;
}

inline void mark_ends(View& view, size_t n) {
    view.ends.assign(n, 0);
    for (size_t i = 0, begin = 0; i < n; ++i) {
        view.ends[i] = i + 1 == n || view.code[i] != view.code[i + 1];
        view.distinct &= view.ends[i] != 0;
        if (!view.ends[i]) continue;
        if (i + 1 - begin > view.high - view.low) view.low = begin, view.high = i + 1;
        begin = i + 1;
    }
}

// A column in order: the cuts are those between two values. Missing rows alone is the last of them, in one view only.
inline View order_view(const Table& table, const Node& node, size_t j, bool missing_first) {
    View view;
    const size_t n = node.size(), lost = node.missing[j];
    const uint32_t k = table.columns[node.columns[j]].k;
    view.column = node.columns[j], view.missing_first = missing_first;
    view.rows = node.order_of(j), view.code = node.code_of(j);
    if (missing_first) {
        view.own_rows.assign(view.rows + (n - lost), view.rows + n),
            view.own_rows.insert(view.own_rows.end(), view.rows, view.rows + (n - lost));
        view.own_code.assign(view.code + (n - lost), view.code + n),
            view.own_code.insert(view.own_code.end(), view.code, view.code + (n - lost));
        view.rows = view.own_rows.data(), view.code = view.own_code.data();
    }
    mark_ends(view, n);
    uint32_t rank = 0;
    for (size_t i = 0; i + 1 < n; ++i) {
        if (!view.ends[i]) continue;
        if (view.code[i] != k) ++rank;
        if (rank) view.cuts.push_back({0, static_cast<uint32_t>(i + 1), false, cut_id(view.column, rank, !missing_first)});
    }
    return view;
}

// A column of levels: the cuts are each level alone, with missing rows and without, then missing rows alone.
inline View level_view(const Node& node, size_t j) {
    View view;
    const size_t n = node.size(), lost = node.missing[j];
    view.column = node.columns[j], view.levels = true;
    view.rows = node.order_of(j), view.code = node.code_of(j);
    view.known = static_cast<uint32_t>(n - lost);
    mark_ends(view, n);
    uint32_t rank = 0, begin = 0;
    for (uint32_t i = 0; i < view.known; ++i) {
        if (!view.ends[i]) continue;
        ++rank;
        const bool all = begin == 0 && i + 1 == view.known;  // one level only: it and the missing rows are all
        if (lost && !all) view.cuts.push_back({begin, i + 1, true, cut_id(view.column, rank, 0)});
        if (!all) view.cuts.push_back({begin, i + 1, false, cut_id(view.column, rank, 1)});
        begin = i + 1;
    }
    if (lost) view.cuts.push_back({0, view.known, false, cut_id(view.column, rank + 1, 1)});
    return view;
}

inline std::vector<View> views_of(const Table& table, const Node& node) {
    std::vector<View> views;
    for (size_t j = 0; j < node.columns.size(); ++j) {
        if (table.columns[node.columns[j]].levels) {
            views.push_back(level_view(node, j));
            continue;
        }
        if (node.missing[j]) views.push_back(order_view(table, node, j, true));
        views.push_back(order_view(table, node, j, false));
    }
    return views;
}

// Do something with every row on the left of a cut.
template <class F>
void each_left(const View& view, const Cut& cut, size_t n, F f) {
    for (uint32_t i = cut.begin; i < cut.end; ++i) f(view.rows[i]);
    if (cut.join)
        for (size_t i = view.known; i < n; ++i) f(view.rows[i]);
}

// A test as the caller reads it. low, high: the codes between which a cut lies; of levels, low is the level.
// high == k: missing rows are alone on the right. missing: where missing rows go, -1 where the node has none.
struct Test {
    int32_t column = -1;  // a leaf
    uint32_t low = 0, high = 0;
    int32_t missing = -1;
};

inline Test test_of(const Table& table, const View& view, const Cut& cut, size_t n) {
    const uint32_t k = table.columns[view.column].k;
    uint32_t lost = 0;
    while (lost < n && view.code[n - 1 - lost] == k) ++lost;
    const bool alone = lost && !cut.join && cut.begin == 0 && cut.end == n - lost;
    Test test{static_cast<int32_t>(view.column), view.code[cut.end - 1], 0, -1};
    test.high = alone ? k : view.levels ? test.low : view.code[cut.end];
    if (lost || view.missing_first) test.missing = view.missing_first || cut.join ? 0 : 1;
    return test;
}

}  // namespace tally::tree::optimal
