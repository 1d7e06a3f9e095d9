// The two ways through a table (see grow.hpp): levels of large nodes, and subtrees of small ones.
#pragma once

#include "kernels/tree/harvest.hpp"
#include "kernels/tree/shelf.hpp"

namespace tally::tree {

class AnyGrower {
   public:
    virtual ~AnyGrower() = default;
    virtual void lay_orders(void* place) = 0;
    virtual void prepare(size_t column) = 0;
    virtual size_t start() = 0;
    virtual void look() = 0;
    virtual void advance() = 0;
    virtual size_t choose() = 0;
    virtual void part() = 0;
    virtual void settle() = 0;
    virtual void work() = 0;
    virtual std::shared_ptr<Harvest> finish() = 0;

    // Let every step return soon; what was grown is of no use then. May be called while others work.
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

    // How many nodes there are so far: more than `most_nodes` where growing was given up for that.
    size_t nodes() const { return nodes_.load(std::memory_order_relaxed); }

    // All steps on this thread.
    void run(size_t columns) {
        for (size_t j = 0; j < columns; ++j) prepare(j);
        for (size_t more = start(); more;) {
            look(), advance();
            if ((more = choose())) part(), settle();
        }
        work();
    }

   protected:
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

    // Nodes are added and never taken away, so whoever finds too many knows it of the whole tree.
    void count_nodes(size_t more, size_t most) {
        if (nodes_.fetch_add(more, std::memory_order_relaxed) + more > most) stop();
    }

   private:
    std::atomic<bool> stopped_{false};
    std::atomic<size_t> nodes_{0};
};

template <class E>
class Grower final : public AnyGrower {
   public:
    Grower(Problem& problem, int64_t total_score, int64_t total_rows)
        : problem_(problem),
          book_(problem, total_score, total_rows),
          shelf_(problem, book_.unit()) {
        if (problem.rows > problem.small) local_.resize(problem.rows);
    }

    static bool fits(size_t rows, size_t classes) {
        return std::bit_width(rows) + 1 + std::bit_width(classes) <= static_cast<int>(8 * sizeof(E));
    }

    void lay_orders(void* place) override { shelf_.lay_orders(static_cast<E*>(place)); }

    void prepare(size_t column) override {
        if (!stopped()) shelf_.prepare(column);
    }

    size_t start() override {
        const size_t n = problem_.rows;
        shelf_.list_rows();
        make_room(table_);
        std::vector<int64_t> total(book_.width());
        sum_rows(table_, table_.rows.data(), n, problem_.regression, problem_.classes, total.data());
        auto open = std::make_shared<Open>();
        open->end = n;
        open->missing = shelf_.missing;
        open->constant.assign(problem_.columns.size(), 0);
        open->node = book_.add_node(top_, book_.count(table_, table_.rows.data(), n, total.data()), 0);
        count_nodes(1, problem_.most_nodes);
        place(std::move(open), total);
        kin_.assign(1, {nullptr, {}});
        for (auto& s : frontier_) kin_[0].nodes.push_back(s.get());
        for (size_t j = 0; j < problem_.columns.size(); ++j) (table_.order[j].empty() ? counted_ : walked_).push_back(j);
        looks_ = jobs_ = 0;
        return frontier_.size();
    }

    // Make large nodes ready to be searched. Any number of threads may do this, as for `advance`, `part` and `work`.
    void look() override {
        for (size_t i = looks_++; i < frontier_.size() && !stopped(); i = looks_++)
            book_.look(*frontier_[i], top_.nodes[frontier_[i]->open->node].deviance);
    }

    // Partition the columns by the last splits and search the large nodes on them: a job is a column and what one split
    // has left, so that threads are busy to the end of a level. Columns in order go node by node, whose tables stay near
    // then; of columns of codes each goes through all nodes while its codes stay near.
    void advance() override {
        const size_t kin = kin_.size(), first = kin * walked_.size();
        for (size_t job = jobs_++; job < first + kin * counted_.size(); job = jobs_++) {
            if (stopped()) return;
            if (job < first)
                advance(kin_[job / walked_.size()], walked_[job % walked_.size()]);
            else
                advance(kin_[(job - first) % kin], counted_[(job - first) / kin]);
        }
    }

    // Choose the splits of the searched nodes; return how many there are: then `part`, `settle`, `look` and `advance`.
    size_t choose() override {
        ready_.clear();
        ready_.swap(frontier_);
        splits_.clear();
        for (auto& s : ready_) {
            if (stopped()) return 0;
            const int32_t best = book_.choose(*s);
            book_.record(top_, *s, best);
            if (best < 0) continue;
            splits_.emplace_back();
            splits_.back().searched = s;
            splits_.back().column = static_cast<size_t>(best);
        }
        parts_ = 0;
        return splits_.size();
    }

    // Part the rows of the nodes by their splits.
    void part() override {
        for (size_t i = parts_++; i < splits_.size() && !stopped(); i = parts_++) {
            Made& made = splits_[i];
            split(table_, *made.searched, made.column, made);
        }
    }

    // Add the branches as nodes, in the order of their parents.
    void settle() override {
        kin_.clear();
        looks_ = jobs_ = 0;
        if (stopped()) return;
        SideBits::fill(table_.side, table_.side_bits);
        for (auto& made : splits_) add_branches(made, top_);
        for (auto& made : splits_) {
            const size_t from = frontier_.size();
            for (auto& [open, total] : made.open) place(open, total, &made);
            kin_.push_back({&made, {}});
            for (size_t i = from; i < frontier_.size(); ++i) kin_.back().nodes.push_back(frontier_[i].get());
        }
        for (auto& s : ready_) s->parent.reset();                             // its table has served
        auto rows = [](const Kin& kin) { return kin.made->parent->size(); };  // the longest jobs first
        std::stable_sort(kin_.begin(), kin_.end(), [&](const Kin& a, const Kin& b) { return rows(a) > rows(b); });
    }

    // Take small nodes and grow them until none waits. Any number of threads may do this after the last level.
    void work() override {
        Frame<E> frame;
        for (size_t i = next_++; i < tasks_.size() && !stopped(); i = next_++) {
            Growth out;
            const bool whole = tasks_[i]->size() == problem_.rows;
            if (!whole) copy_rows(*tasks_[i], frame);
            grow(whole ? table_ : frame, *tasks_[i], whole, out);
            grown_[i] = std::move(out);
        }
    }

    // Join the levels and the subtrees. The grower is empty then.
    std::shared_ptr<Harvest> finish() override {
        grown_.push_back(std::move(top_));
        return std::make_shared<Harvest>(book_, std::move(grown_));
    }

   private:
    static constexpr int64_t near = 2;  // levels to max_depth that are not worth a frame

    struct Made {
        std::shared_ptr<Open> parent;
        std::shared_ptr<Searched> searched;  // large nodes only
        size_t column = 0;
        bool many = false, alive = false;
        std::vector<std::pair<std::shared_ptr<Open>, std::vector<int64_t>>> open;  // branches, with their totals
        std::vector<Counted> counted;                                              // [branch]
    };

    // What one split has left: the nodes that are searched next.
    struct Kin {
        const Made* made;  // null: the root
        std::vector<Searched*> nodes;
    };

    void advance(const Kin& kin, size_t j) {
        thread_local Scratch scratch;
        thread_local std::vector<E> spare;
        if (kin.made) part_column(table_, *kin.made, j, SideBits{table_.side_bits.data()}, spare);
        if (bit_[j] < 0) {
            for (Searched* s : kin.nodes)
                if (!stopped()) book_.search_column(table_, j, *s, scratch);
            return;
        }
        const size_t p = static_cast<size_t>(bit_[j]) / word_bits;
        if (packs_[p].columns.front() != j) return;  // all columns of a pack go with its first
        for (Searched* s : kin.nodes) {
            if (stopped()) return;
            count_pack(table_, p, *s);
            for (uint32_t member : packs_[p].columns) book_.search_column(table_, member, *s, scratch);
        }
    }

    void make_room(Frame<E>& f) {
        f.side.resize(f.n);
        f.spare.resize(f.n);
        bool many = false;
        for (const Column& c : problem_.columns) many |= c.kind == Kind::levels && !problem_.rules.groups;
        if (many) f.branch.resize(f.n);
    }

    void count_pack(const Frame<E>& f, size_t p, Searched& s) const {
        const auto& columns = packs_[p].columns;
        if (std::all_of(columns.begin(), columns.end(), [&](uint32_t j) { return s.open->constant[j]; })) return;
        count_words(f, f.words[p], f.rows.data() + s.open->begin, s.total.data(), problem_.classes, columns.size(),
                    s.ones.data() + p * word_bits * problem_.classes);
    }

    // A node that goes on: to the large ones, or to the tasks.
    void place(std::shared_ptr<Open> open, const std::vector<int64_t>& total, const Made* made = nullptr) {
        Node& node = top_.nodes[open->node];
        if (book_.ends(total.data(), node)) return;
        if (open->size() <= problem_.small
            && (problem_.rules.max_depth - node.depth > near || open->size() == problem_.rows)) {
            node.task = static_cast<int32_t>(tasks_.size());
            tasks_.push_back(std::move(open));
            grown_.emplace_back();
            return;
        }
        auto s = std::make_shared<Searched>();
        s->open = std::move(open);
        s->total = total;
        s->kept.resize(problem_.columns.size());
        if (made && made->open.size() == 2) {
            const auto& other = made->open[made->open[0].first == s->open];
            s->parent = made->searched;
            s->sibling = other.first;
            s->sibling_total = other.second;
        }
        s->bit = &bit_;
        s->ones.resize(packs_.size() * word_bits * problem_.classes);
        frontier_.push_back(std::move(s));
    }

    // Mark sides, partition the row list and count the branches. The columns are partitioned later.
    void split(Frame<E>& f, const Searched& s, size_t j, Made& made) {
        made.parent = s.open;
        made.column = j;
        made.many = problem_.columns[j].kind == Kind::levels && !problem_.rules.groups;
        mark(book_, f, s, j);
        E* rows = f.rows.data() + s.open->begin;
        E* spare = f.spare.data() + s.open->begin;  // others part other rows at the same time
        const size_t n = s.open->size(), branches = static_cast<size_t>(s.found[j].branches);
        std::vector<size_t> start{0, 0, n}, known;
        if (made.many)
            part_in_many(f.layout, rows, n, n, f.branch.data(), branches, spare, start, known);
        else
            start[1] = part_in_two<false>(f.layout, rows, n, n, f.side.data(), spare).first;
        for (size_t b = 0; b < branches; ++b) {
            std::vector<int64_t> total(book_.width());
            const size_t size = start[b + 1] - start[b];
            if (made.many) {
                sum_rows(f, rows + start[b], size, problem_.regression, problem_.classes, total.data());
            } else {  // the search has counted the first branch already
                const int64_t* left = s.lefts.data() + j * book_.width();
                for (size_t c = 0; c < total.size(); ++c) total[c] = b == 0 ? left[c] : s.total[c] - left[c];
            }
            auto open = std::make_shared<Open>();
            open->begin = s.open->begin + start[b];
            open->end = open->begin + size;
            open->constant = s.open->constant;
            open->missing.assign(problem_.columns.size(), 0);
            made.counted.push_back(book_.count(f, rows + start[b], size, total.data()));
            made.open.emplace_back(std::move(open), std::move(total));
        }
    }

    void add_branches(Made& made, Growth& out) {
        const uint32_t parent = made.parent->node;
        const int32_t depth = out.nodes[parent].depth + 1;
        count_nodes(made.open.size(), problem_.most_nodes);
        out.nodes[parent].first = static_cast<uint32_t>(out.nodes.size());
        for (size_t b = 0; b < made.open.size(); ++b) {
            made.open[b].first->node = book_.add_node(out, made.counted[b], depth);
            made.alive |= !book_.ends(made.open[b].second.data(), out.nodes.back());
        }
    }

    template <class Sides>
    void part_column(Frame<E>& f, const Made& made, size_t j, Sides side, std::vector<E>& own_spare) {
        if (f.order[j].empty() || !made.alive || made.parent->constant[j]) return;
        const size_t n = made.parent->size(), known = n - made.parent->missing[j];
        if (own_spare.size() < n) own_spare.resize(n);
        E* run = f.order[j].data() + made.parent->begin;
        const auto& open = made.open;
        if (!made.many) {
            const auto part = problem_.columns[j].repeats ? part_in_two<true, E, Sides> : part_in_two<false, E, Sides>;
            const auto [left, left_known] = part(f.layout, run, n, known, side, own_spare.data());
            open[0].first->missing[j] = static_cast<uint32_t>(left - left_known);
            open[1].first->missing[j] = static_cast<uint32_t>(made.parent->missing[j] - (left - left_known));
            return;
        }
        std::vector<size_t> start, known_of;
        part_in_many(f.layout, run, n, known, f.branch.data(), open.size(), own_spare.data(), start, known_of);
        for (size_t b = 0; b < open.size(); ++b)
            open[b].first->missing[j] = static_cast<uint32_t>(start[b + 1] - start[b] - known_of[b]);
    }

    // Copy the rows of a node into a frame of their own, numbered from 0.
    void copy_rows(Open& open, Frame<E>& f) {
        const size_t columns = problem_.columns.size();
        f.n = open.size();
        f.layout.bits = std::bit_width(f.n);
        f.table_row.resize(f.n);
        f.rows.resize(f.n);
        for (size_t i = 0; i < f.n; ++i) {
            const E e = table_.rows[open.begin + i];
            const size_t row = table_.layout.row(e);
            f.table_row[i] = static_cast<uint32_t>(row);
            local_[row] = static_cast<uint32_t>(i);  // each row is in one task: no two threads meet here
            f.rows[i] = f.layout.make(table_.layout.label(e), false, i);
        }
        make_room(f);
        copy_weights(f);
        f.words.resize(packs_.size());
        for (size_t p = 0; p < packs_.size(); ++p) {
            f.words[p].resize(f.n);
            for (size_t i = 0; i < f.n; ++i) f.words[p][i] = table_.words[p][f.table_row[i]];
        }
        f.order.resize(columns);
        f.own_codes.resize(columns);
        f.codes.assign(columns, nullptr);
        f.width.assign(columns, 0);
        for (size_t j = 0; j < columns; ++j) {
            f.order[j].clear();
            if (!open.constant[j]) copy_column(open, f, j);
        }
    }

    void copy_column(Open& open, Frame<E>& f, size_t j) {
        const Column& column = problem_.columns[j];
        if (!table_.order[j].empty()) {
            const E* run = table_.order[j].data() + open.begin;
            f.order[j].resize(f.n);
            E* to = f.order[j].data();
            for (size_t i = 0; i < f.n; ++i)
                to[i] = f.layout.make(table_.layout.label(run[i]), table_.layout.is_new(run[i]),
                                      local_[table_.layout.row(run[i])]);
        } else if (column.k > Shelf<E>::few) {
            open.missing[j] = shelf_.order_by_code(f, j, column);
        } else if (bit_[j] < 0) {
            f.own_codes[j].resize(f.n);
            for (size_t i = 0; i < f.n; ++i)
                f.own_codes[j][i] = static_cast<uint8_t>(code_at(column.codes, column.width, f.table_row[i]));
            f.codes[j] = f.own_codes[j].data();
            f.width[j] = 1;
        }
    }

    void copy_weights(Frame<E>& f) {
        auto copy = [&](const int64_t* from, std::vector<int64_t>& own) -> const int64_t* {
            if (!from) return nullptr;
            own.resize(f.n);
            for (size_t i = 0; i < f.n; ++i) own[i] = from[f.table_row[i]];
            return own.data();
        };
        f.weights.score = copy(problem_.weights.score, f.own_score);
        f.weights.rows = copy(problem_.weights.rows, f.own_rows);
        f.weights.response = copy(problem_.weights.response, f.own_response);
    }

    // Grow a small node to its leaves, depth first.
    void grow(Frame<E>& f, const Open& task, bool whole, Growth& out) {
        const size_t columns = problem_.columns.size();
        auto root = std::make_shared<Open>(task);
        if (!whole) root->begin = 0, root->end = f.n;
        std::vector<int64_t> total(book_.width());
        sum_rows(f, f.rows.data(), f.n, problem_.regression, problem_.classes, total.data());
        root->node = book_.add_node(out, book_.count(f, f.rows.data(), f.n, total.data()), top_.nodes[task.node].depth);
        std::vector<std::pair<std::shared_ptr<Open>, std::vector<int64_t>>> stack;
        stack.emplace_back(std::move(root), std::move(total));
        Searched s;
        Scratch scratch;
        s.bit = &bit_;
        s.ones.resize(packs_.size() * word_bits * problem_.classes);
        while (!stack.empty() && !stopped()) {
            s.open = std::move(stack.back().first);
            s.total = std::move(stack.back().second);
            stack.pop_back();
            book_.look(s, out.nodes[s.open->node].deviance);
            for (size_t p = 0; p < packs_.size(); ++p) count_pack(f, p, s);
            for (size_t j = 0; j < columns; ++j) book_.search_column(f, j, s, scratch);
            const int32_t best = book_.choose(s);
            book_.record(out, s, best);
            if (best < 0) continue;
            Made made;
            split(f, s, static_cast<size_t>(best), made);
            add_branches(made, out);
            if (!made.alive) continue;
            for (size_t j = 0; j < columns; ++j) part_column(f, made, j, f.side.data(), f.spare);
            for (size_t b = made.open.size(); b-- > 0;) {
                const Node& child = out.nodes[made.open[b].first->node];
                if (!book_.ends(made.open[b].second.data(), child)) stack.push_back(std::move(made.open[b]));
            }
        }
    }

    Problem& problem_;
    Rulebook book_;
    Shelf<E> shelf_;
    Frame<E>& table_ = shelf_.table;
    std::vector<Pack>& packs_ = shelf_.packs;
    std::vector<int32_t>& bit_ = shelf_.bit;
    std::vector<uint32_t> local_;
    Growth top_;
    std::vector<std::shared_ptr<Searched>> frontier_, ready_;
    std::vector<Made> splits_;
    std::vector<Kin> kin_;
    std::vector<size_t> walked_, counted_;  // columns in order, and in codes
    std::vector<std::shared_ptr<Open>> tasks_;
    std::vector<Growth> grown_;
    std::atomic<size_t> next_{0}, looks_{0}, jobs_{0}, parts_{0};
};

}  // namespace tally::tree
