// Grow a tree on encoded columns. Large nodes are searched a level at a time (`look`, `advance`, `choose`, then `part` and
// `settle`); a node that has become small is copied into a frame of its own that fits the cache and grown
// to its leaves in one go (`work`). Both use the same search, so where the border lies changes nothing.
//
// Threads belong to the caller: `prepare` may run at once for different columns; `look`, `advance`, `part` and `work` any
// number of times at once, each taking the next job. `start`, `choose` and `settle` are short and run alone.
// Law: the tree depends on the multiset of rows alone.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "kernels/tree/candidates.hpp"
#include "kernels/tree/search.hpp"
#include "kernels/tree/words.hpp"

namespace tally::tree {

struct Node {
    int32_t column = -1, children = 0, missing = -1, depth = 0;
    uint32_t first = 0;  // its branches stand one after the other in the same list
    int32_t task = -1;   // the subtree that goes on from here
    double cut = std::numeric_limits<double>::quiet_NaN(), gain = 0.0, deviance = 0.0;
    int64_t candidates = -1;  // in Growth::tried
    size_t map = 0, map_size = 0;
};

// What growing produces; one per subtree, joined at the end.
struct Growth {
    std::vector<Node> nodes;
    std::vector<int64_t> counts;  // [node, C]: rows per class; regression [node, 2]: rows, sum of the response
    Ledger tried;                 // [searched node]
    std::vector<uint8_t> maps;    // branches of levels
};

// counts[C]: rows per class; regression [2]: rows, sum of the response.
struct Counted {
    std::vector<int64_t> counts;
    double deviance = 0.0;
};

struct Problem {
    size_t rows = 0, classes = 2;  // classes = 1 in regression
    bool regression = false;
    const void* labels = nullptr;
    int label_width = 1;
    Weights weights;  // by table row
    Rules rules;
    std::vector<Column> columns;
    std::vector<uint32_t> by_name;  // columns in order of their names
    bool keep_tried = true;
    size_t small = 16384;          // rows of a node that is grown in one go
    size_t most_nodes = SIZE_MAX;  // a tree of more is not grown to its end
};

// The tables of F that all columns of a node share.
struct Tables {
    std::vector<int64_t> memory;
    std::vector<const int64_t*> pairs;
    NodeTables view;

    // Fill pairs[c][l] = F(l) + F(t_c - l) and sizes[i] = -F(i) - F(n - i).
    void fill(const Logs& logs, const int64_t* total, size_t classes) {
        const int64_t* F = logs.table();
        int64_t n = 0;
        for (size_t c = 0; c < classes; ++c) n += total[c];
        memory.resize(static_cast<size_t>(2 * n) + classes + 2);
        pairs.resize(classes);
        int64_t* at = memory.data();
        for (size_t c = 0; c < classes; ++c) {
            const int64_t t = total[c];
            for (int64_t l = 0; l <= t; ++l) at[l] = F[l] + F[t - l];
            pairs[c] = at;
            at += t + 1;
        }
        for (int64_t i = 0; i <= n; ++i) at[i] = -F[i] - F[n - i];
        view = {pairs.data(), at};
    }
};

// One node being searched: what all columns share, and what each column found.
struct Searched {
    std::shared_ptr<Open> open;
    std::vector<int64_t> total;  // [C + 1]
    Tables tables;
    Here here{};
    std::vector<Candidate> found;  // per column
    std::vector<int64_t> lefts;    // [column, C + 1]
    std::vector<uint8_t> maps;     // all level columns, at map_at[column]

    // Large nodes only: tables of columns without an order, and the kin to subtract by.
    std::vector<std::vector<int64_t>> kept;
    std::shared_ptr<Searched> parent;
    std::shared_ptr<Open> sibling;
    std::vector<int64_t> sibling_total;

    std::vector<int64_t> ones;                  // [pack, class, 64]
    const std::vector<int32_t>* bit = nullptr;  // [column]: pack * 64 + bit, -1 where it is in none

    Family family(size_t j) {
        Family out;
        if (bit && (*bit)[j] >= 0) {
            const size_t at = static_cast<size_t>((*bit)[j]);
            out.ones = ones.data() + at / word_bits * word_bits * (total.size() - 1) + at % word_bits;
            return out;
        }
        if (kept.empty()) return out;
        out.keep = &kept[j];
        if (parent && !parent->open->constant[j])
            out.parent = &parent->kept[j], out.begin = sibling->begin, out.size = sibling->size(),
            out.total = sibling_total.data();
        return out;
    }
};

class Rulebook {
   public:
    Rulebook(const Problem& problem, int64_t total_score, int64_t total_rows)
        : problem_(problem),
          // Rows of weight 1 are walked by the whole table; all others ask for single entries.
          logs_(problem.regression ? 1 : total_score,
                unit() && problem.rows ? std::max(static_cast<int64_t>(problem.rows), Logs::some) : Logs::some),
          all_weight_(problem.regression ? total_rows : total_score) {
        scorer_ = {problem.rules.criterion, problem.classes, &logs_, shift_for(total_score)};
        size_t most = 0;
        for (const Column& column : problem.columns) {
            if (column.kind == Kind::levels) most = std::max<size_t>(most, column.k);
            map_at_.push_back(map_size_);
            if (column.kind != Kind::numeric) map_size_ += column.k;
            some_order_ |= column.kind != Kind::levels;
        }
        factorials_ = log2_factorials(problem.rules.groups ? most + 1 : 0);  // missing rows may be one more
        weigh_classes();
    }

    const Problem& problem() const { return problem_; }
    const Logs& logs() const { return logs_; }
    size_t width() const { return problem_.classes + 1; }
    size_t map_at(size_t column) const { return map_at_[column]; }

    // A node ends here whatever its columns say.
    bool ends(const int64_t* total, const Node& node) const {
        const Rules& rules = problem_.rules;
        const int64_t rows = total[problem_.classes];
        if (node.depth >= rules.max_depth || rows < rules.min_split || rows < 2 * rules.min_leaf) return true;
        if (problem_.regression) return node.deviance == 0.0;
        size_t present = 0;
        for (size_t c = 0; c < problem_.classes; ++c) present += total[c] > 0;
        return present < 2 || (rules.min_entropy > 0.0 && sure(total));
    }

    bool unit() const { return !problem_.regression && !problem_.weights.score; }

    // Prepare a node for searching; `walks`: rows will be walked, which wants tables of F.
    void look(Searched& s, double deviance, bool walks = true) const {
        Scorer scorer = scorer_;
        if (problem_.regression) {
            const int64_t n = s.total[1], sum = s.total[0];
            scorer.middle = n ? (sum >= 0 ? (sum + n / 2) / n : -((-sum + n / 2) / n)) : 0;
        } else if (walks && some_order_ && unit() && scorer.by_logs()) {
            s.tables.fill(logs_, s.total.data(), problem_.classes);
        }
        s.here = {scorer,
                  &problem_.rules,
                  s.total.data(),
                  s.tables.view,
                  problem_.regression,
                  unit(),
                  deviance,
                  &factorials_,
                  problem_.keep_tried || scorer.criterion == Criterion::ratio,
                  by_class_.empty() ? nullptr : by_class_.data(),
                  alike_};
        s.found.assign(problem_.columns.size(), Candidate{});
        s.lefts.assign(problem_.columns.size() * width(), 0);
        s.maps.assign(map_size_, 0);
    }

    template <class E>
    void search_column(const Frame<E>& f, size_t j, Searched& s, Scratch& scratch) const {
        if (s.open->constant[j]) return;
        s.found[j] = search(f, j, problem_.columns[j], s.here, *s.open, scratch, s.lefts.data() + j * width(),
                            s.maps.data() + map_at_[j], s.family(j));
        s.open->constant[j] = s.found[j].constant;
    }

    // What it takes to put candidates in order.
    Field field() const {
        Field out{problem_.by_name, {}, {}, width()};
        for (const Column& column : problem_.columns) {
            const bool many = column.kind == Kind::levels && !problem_.rules.groups;
            out.many.push_back(many);
            out.map_size.push_back(column.kind == Kind::numeric || many ? 0 : column.k);
        }
        return out;
    }

    // The winning column, or -1.
    int32_t choose(const Searched& s) const {
        const Rules& rules = problem_.rules;
        const bool ratio = rules.criterion == Criterion::ratio;
        double guard = 0.0;
        if (ratio) {  // C4.5: only among columns of at least average gain
            double sum = 0.0;
            int64_t count = 0;
            for (uint32_t j : problem_.by_name)
                if (s.found[j].found && s.found[j].pays) sum += s.found[j].net, ++count;
            guard = count ? sum / static_cast<double>(count) - 1e-3 : 0.0;
        }
        int32_t best = -1;
        for (uint32_t j : problem_.by_name) {
            const Candidate& c = s.found[j];
            if (!c.found || !c.pays || (ratio && c.net < guard)) continue;
            if (best < 0
                || (ratio ? c.ratio > s.found[static_cast<size_t>(best)].ratio
                          : c.score > s.found[static_cast<size_t>(best)].score))
                best = static_cast<int32_t>(j);
        }
        if (best < 0) return best;
        const double gain = s.found[static_cast<size_t>(best)].gain, net = s.found[static_cast<size_t>(best)].net;
        const int64_t weight = problem_.regression ? s.total[1] : scorer_.sum(s.total.data());
        const double share = static_cast<double>(weight) / static_cast<double>(all_weight_);
        if (rules.stop_at_zero && !(net > 0.0)) return -1;
        return gain * share >= rules.min_decrease ? best : -1;
    }

    // What a node is told by; `rows` are its entries.
    template <class E>
    Counted count(const Frame<E>& f, const E* rows, size_t n, const int64_t* total) const {
        if (problem_.regression) return {{total[1], total[0]}, deviance(f, rows, n, total)};
        if (!problem_.weights.score) return {{total, total + problem_.classes}, 0.0};
        Counted out{std::vector<int64_t>(problem_.classes, 0), 0.0};
        const int64_t* copies = f.weights.rows;
        for (size_t i = 0; i < n; ++i) out.counts[f.layout.label(rows[i])] += copies ? copies[f.layout.row(rows[i])] : 1;
        return out;
    }

    // Add a node with its counts.
    uint32_t add_node(Growth& out, const Counted& counted, int32_t depth) const {
        Node node;
        node.depth = depth;
        node.deviance = counted.deviance;
        out.counts.insert(out.counts.end(), counted.counts.begin(), counted.counts.end());
        out.nodes.push_back(node);
        return static_cast<uint32_t>(out.nodes.size() - 1);
    }

    // Write the split of a node and what every column had to offer.
    void record(Growth& out, const Searched& s, int32_t best) const {
        Node& node = out.nodes[s.open->node];
        if (problem_.keep_tried) keep_tried(out, s, best, node);
        if (best < 0) return;
        const size_t j = static_cast<size_t>(best);
        const Candidate& c = s.found[j];
        const Column& column = problem_.columns[j];
        node.column = best;
        node.children = c.branches;
        node.missing = c.missing;
        node.gain = c.gain;
        if (column.kind == Kind::numeric) {
            node.cut = c.cut;
            return;
        }
        node.map = out.maps.size();
        node.map_size = column.k;
        append_map(out, s, j);
    }

   private:
    // What a row weighs by its class, where that tells it and a row is one row; else whether both weights are alike.
    void weigh_classes() {
        const Weights& w = problem_.weights;
        if (problem_.regression || !w.score) return;
        alike_ = w.rows && std::equal(w.score, w.score + problem_.rows, w.rows);
        if (w.rows) return;
        std::vector<int64_t> own(problem_.classes, -1);
        for (size_t row = 0; row < problem_.rows; ++row) {
            int64_t& known = own[code_at(problem_.labels, problem_.label_width, row)];
            if (known < 0) known = w.score[row];
            if (known != w.score[row]) return;
        }
        by_class_ = std::move(own);
    }

    // The classes of a node are less mixed than what is worth a test; on the line they are mixed enough.
    bool sure(const int64_t* total) const {
        Scorer bits = scorer_;
        bits.criterion = Criterion::entropy;
        const double mixed = static_cast<double>(bits.slack(total) - bits.entropy(total)) / bits.unit();
        return mixed < problem_.rules.min_entropy * static_cast<double>(bits.sum(total));
    }

    template <class E>
    double deviance(const Frame<E>& f, const E* rows, size_t n, const int64_t* total) const {
        const int64_t count = total[1];
        if (!count) return 0.0;
        const int64_t middle = total[0] / count;
        int128 squares = 0;
        for (size_t i = 0; i < n; ++i) {
            const size_t row = f.layout.row(rows[i]);
            const int128 away = f.weights.response[row] - middle;
            squares += away * away * (f.weights.rows ? f.weights.rows[row] : 1);
        }
        const double rest = static_cast<double>(total[0] - count * middle);
        const double out = static_cast<double>(squares) - rest * rest / static_cast<double>(count);
        return out > 0.0 ? out : 0.0;
    }

    // Two groups and cuts of ordered levels; one branch per level needs no map, its size says it.
    void append_map(Growth& out, const Searched& s, size_t j) const {
        const Column& column = problem_.columns[j];
        if (column.kind == Kind::ordered) {
            for (uint32_t code = 0; code < column.k; ++code) out.maps.push_back(code >= s.found[j].code);
        } else if (problem_.rules.groups) {
            const uint8_t* map = s.maps.data() + map_at_[j];
            out.maps.insert(out.maps.end(), map, map + column.k);
        }
    }

    // Columns of levels keep their branches where 64 bits hold them, or where they are among the five best, as many as a
    // file has.
    void keep_tried(Growth& out, const Searched& s, int32_t best, Node& node) const {
        const size_t columns = problem_.columns.size();
        node.candidates = static_cast<int64_t>(out.tried.size());
        // Tables of weights or of parts of rows can hold more than rows are.
        const bool narrow = unit() && *std::max_element(s.total.begin(), s.total.end()) <= UINT32_MAX;
        Offered& kept = out.tried.add(columns, width(), narrow);
        kept.chosen = best;
        const bool ratio = problem_.rules.criterion == Criterion::ratio;
        for (size_t j = 0; j < columns; ++j) {
            const Candidate& c = s.found[j];
            kept.offers[j] = {c.cut,
                              c.gain,
                              c.ratio,
                              ratio ? rank_of(c.ratio) : c.score,
                              c.found ? c.branches : 0,
                              -1,
                              second_group(s, j)};
        }
        kept.keep_lefts(s.lefts);
        if (map_size_) keep_maps(out, s, kept);
    }

    // Doubles as whole numbers of the same order; a gain less its price can be negative.
    static int64_t rank_of(double x) {
        const int64_t bits = std::bit_cast<int64_t>(x);
        return bits ^ ((bits >> 63) & INT64_MAX);
    }

    uint64_t second_group(const Searched& s, size_t j) const {
        const Column& column = problem_.columns[j];
        if (column.kind == Kind::numeric || column.k > 64) return 0;
        if (column.kind == Kind::ordered) return s.found[j].code < 64 ? ~uint64_t{0} << s.found[j].code : 0;
        const uint8_t* map = s.maps.data() + map_at_[j];
        uint64_t out = 0;
        for (uint32_t code = 0; problem_.rules.groups && code < column.k; ++code) out |= uint64_t{map[code]} << code;
        return out;
    }

    void keep_maps(Growth& out, const Searched& s, Offered& kept) const {
        auto better = [&](uint32_t a, uint32_t b) {
            if (static_cast<int32_t>(a) == kept.chosen || static_cast<int32_t>(b) == kept.chosen)
                return static_cast<int32_t>(a) == kept.chosen;
            return kept.offers[a].worth > kept.offers[b].worth;
        };
        uint32_t top[6];
        size_t n = 0;
        for (uint32_t j : problem_.by_name) {
            if (!kept.offers[j].branches) continue;
            size_t at = n;
            for (; at > 0 && better(j, top[at - 1]); --at) top[at] = top[at - 1];
            top[at] = j;
            n = std::min(n + 1, size_t{5});
        }
        for (size_t i = 0; i < n; ++i) {
            if (problem_.columns[top[i]].kind == Kind::numeric || out.maps.size() > INT32_MAX) continue;
            kept.offers[top[i]].map = static_cast<int32_t>(out.maps.size());
            append_map(out, s, top[i]);
        }
    }

    const Problem& problem_;
    Logs logs_;
    int64_t all_weight_;  // of all rows, class weights included
    std::vector<int64_t> by_class_;
    bool alike_ = false;
    Scorer scorer_{};
    std::vector<double> factorials_;
    std::vector<size_t> map_at_;
    size_t map_size_ = 0;
    bool some_order_ = false;  // some column may be walked in order
};

// Mark where each row of a node goes: side[row] for two branches, branch[row] for more.
template <class E>
void mark(const Rulebook& book, Frame<E>& f, const Searched& s, size_t j) {
    const Column& column = book.problem().columns[j];
    const Candidate& c = s.found[j];
    const E* rows = f.rows.data() + s.open->begin;
    const size_t n = s.open->size();
    const bool many = column.kind == Kind::levels && !book.problem().rules.groups;
    if (!f.order[j].empty() && column.kind != Kind::levels) {
        const E* run = f.order[j].data() + s.open->begin;
        const size_t known = n - s.open->missing[j];
        for (size_t i = 0; i < c.at; ++i) f.side[f.layout.row(run[i])] = 0;
        for (size_t i = c.at; i < known; ++i) f.side[f.layout.row(run[i])] = 1;
        for (size_t i = known; i < n; ++i) f.side[f.layout.row(run[i])] = static_cast<uint8_t>(c.missing);
        return;
    }
    const uint8_t* map = column.kind == Kind::levels ? s.maps.data() + book.map_at(j) : nullptr;
    std::vector<uint32_t> to(column.k + size_t{1}, static_cast<uint32_t>(c.missing));  // [code], missing last
    for (uint32_t code = 0; code < column.k; ++code) to[code] = many ? code : map ? map[code] : code >= c.code;
    auto send = [&](auto code_of) {
        for (size_t i = 0; i < n; ++i) {
            const size_t row = f.layout.row(rows[i]);
            const uint32_t branch = to[std::min<uint32_t>(code_of(row), column.k)];
            if (many)
                f.branch[row] = branch;
            else
                f.side[row] = static_cast<uint8_t>(branch);
        }
    };
    if (f.width[j] == 1)
        send([codes = static_cast<const uint8_t*>(f.codes[j])](size_t row) { return codes[row]; });
    else if (f.width[j] == 2)
        send([codes = static_cast<const uint16_t*>(f.codes[j])](size_t row) { return codes[row]; });
    else if (f.width[j] == 4)
        send([codes = static_cast<const uint32_t*>(f.codes[j])](size_t row) { return codes[row]; });
    else
        send([&](size_t row) { return code_at(column.codes, column.width, f.in_table(row)); });
}

}  // namespace tally::tree
