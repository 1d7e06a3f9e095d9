// The two ways through a table (see grow.hpp): levels of large nodes, and subtrees of small ones.
#pragma once

#include "kernels/tree/harvest.hpp"

namespace tally::tree {

class AnyGrower {
   public:
    virtual ~AnyGrower() = default;
    virtual void prepare(size_t column) = 0;
    virtual size_t start() = 0;
    virtual size_t choose() = 0;
    virtual void advance(size_t column) = 0;
    virtual void work() = 0;
    virtual std::shared_ptr<Harvest> finish() = 0;

    // Let every step return soon; what was grown is of no use then. May be called while others work.
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

   protected:
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> stopped_{false};
};

template <class E>
class Grower final : public AnyGrower {
   public:
    Grower(Problem& problem, int64_t total_score, int64_t total_rows)
        : problem_(problem),
          book_(problem, total_score, total_rows) {
        const size_t columns = problem.columns.size();
        table_.n = problem.rows;
        table_.layout.bits = std::max(1, static_cast<int>(std::bit_width(problem.rows)));
        table_.order.resize(columns);
        table_.codes.resize(columns, nullptr);
        table_.width.resize(columns, 0);
        table_.weights = problem.weights;
        missing_.resize(columns, 0);
        bundle();
        if (problem.rows > problem.small) local_.resize(problem.rows);
    }

    static bool fits(size_t rows, size_t classes) {
        return std::bit_width(rows) + 1 + std::bit_width(classes) <= static_cast<int>(8 * sizeof(E));
    }

    // Bring one column into the form the search wants. Columns are independent.
    void prepare(size_t j) override {
        if (stopped()) return;
        Column& column = problem_.columns[j];
        if (column.kind == Kind::numeric && !column.width)
            sort_column(j, column);
        else if (column.k > few && problem_.rows <= problem_.small)
            missing_[j] = order_by_code(table_, j, column);
        if (column.width && table_.order[j].empty()) {
            table_.codes[j] = column.codes;
            table_.width[j] = column.width;
        }
        for (size_t p = 0; p < packs_.size(); ++p)
            if (packs_[p].first == j) pack_words(p);
    }

    size_t start() override {
        const size_t n = problem_.rows;
        list_rows();
        make_room(table_);
        std::vector<int64_t> total(book_.width());
        sum_rows(table_, table_.rows.data(), n, problem_.regression, problem_.classes, total.data());
        auto open = std::make_shared<Open>();
        open->end = n;
        open->missing = missing_;
        open->constant.assign(problem_.columns.size(), 0);
        open->node = book_.add_node(top_, table_, table_.rows.data(), n, total.data(), 0);
        place(std::move(open), total);
        return frontier_.size();
    }

    // Split the searched nodes; return how many were split: then `advance` all columns and choose again.
    size_t choose() override {
        ready_.clear();
        ready_.swap(frontier_);
        splits_.clear();
        for (auto& s : ready_) {
            if (stopped()) return 0;
            const int32_t best = book_.choose(*s);
            book_.record(top_, *s, best);
            if (best < 0) continue;
            splits_.push_back(split(table_, *s, static_cast<size_t>(best), top_));
            splits_.back().searched = s;
        }
        for (size_t i = 0; i < splits_.size(); ++i)
            for (auto& [open, total] : splits_[i].open) place(open, total, &splits_[i]);
        for (auto& s : ready_) s->parent.reset();  // its table has served
        return splits_.size();
    }

    // Partition one column by the last splits and search the large nodes on it. Columns are independent.
    void advance(size_t j) override {
        thread_local Scratch scratch;
        thread_local std::vector<E> spare;
        for (const auto& made : splits_)
            if (!stopped()) part_column(table_, made, j, spare);
        if (bit_[j] < 0) {
            for (auto& s : frontier_)
                if (!stopped()) book_.search_column(table_, j, *s, scratch);
            return;
        }
        const size_t p = static_cast<size_t>(bit_[j]) / word_bits;
        if (packs_[p].columns.front() != j) return;  // all columns of a pack go with its first
        for (auto& s : frontier_) {
            if (stopped()) return;
            count_pack(table_, p, *s);
            for (uint32_t member : packs_[p].columns) book_.search_column(table_, member, *s, scratch);
        }
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
    static constexpr uint32_t few = 64;        // codes up to here are counted in small frames too
    static constexpr size_t countable = 4096;  // distinct numbers up to here are counted in large nodes
    static constexpr size_t pays = 4;          // columns of two codes from which words pay
    static constexpr int64_t near = 2;         // levels to max_depth that are not worth a frame

    struct Made {
        std::shared_ptr<Open> parent;
        std::shared_ptr<Searched> searched;  // large nodes only
        bool many = false, alive = false;
        std::vector<std::pair<std::shared_ptr<Open>, std::vector<int64_t>>> open;  // branches, with their totals
    };

    size_t label(size_t row) const { return problem_.regression ? 0 : code_at(problem_.labels, problem_.label_width, row); }

    void make_room(Frame<E>& f) {
        f.side.resize(f.n);
        f.spare.resize(f.n);
        bool many = false;
        for (const Column& c : problem_.columns) many |= c.kind == Kind::levels && !problem_.rules.groups;
        if (many) f.branch.resize(f.n);
    }

    // Choose the columns that may be counted 64 at a time; whether they have missing rows is seen later.
    void bundle() {
        bit_.assign(problem_.columns.size(), -1);
        if (!book_.unit()) return;
        std::vector<uint32_t> two;
        for (uint32_t j = 0; j < problem_.columns.size(); ++j) {
            const Column& column = problem_.columns[j];
            if (column.kind != Kind::numeric && column.k == 2 && column.width == 1) two.push_back(j);
        }
        for (size_t from = 0; from + pays <= two.size(); from += word_bits) {
            const size_t to = std::min(two.size(), from + word_bits);
            packs_.push_back(
                {two[from], {two.begin() + static_cast<ptrdiff_t>(from), two.begin() + static_cast<ptrdiff_t>(to)}});
        }
        table_.words.resize(packs_.size());
    }

    void pack_words(size_t p) {
        fill_words(packs_[p], problem_.columns, problem_.rows, table_.words[p]);
        const auto& columns = packs_[p].columns;
        for (size_t b = 0; b < columns.size(); ++b) bit_[columns[b]] = static_cast<int32_t>(p * word_bits + b);
    }

    void count_pack(const Frame<E>& f, size_t p, Searched& s) const {
        const auto& columns = packs_[p].columns;
        if (std::all_of(columns.begin(), columns.end(), [&](uint32_t j) { return s.open->constant[j]; })) return;
        count_words(f, f.words[p], f.rows.data() + s.open->begin, s.total.data(), problem_.classes, columns.size(),
                    s.ones.data() + p * word_bits * problem_.classes);
    }

    // All rows, class after class.
    void list_rows() {
        const size_t n = problem_.rows;
        std::vector<size_t> at(problem_.classes + 1, 0);
        for (size_t row = 0; row < n; ++row) ++at[label(row) + 1];
        for (size_t c = 0; c < problem_.classes; ++c) at[c + 1] += at[c];
        table_.rows.resize(n);
        for (size_t row = 0; row < n; ++row) {
            const size_t c = label(row);
            table_.rows[at[c]++] = table_.layout.make(c, false, row);
        }
    }

    void sort_column(size_t j, Column& column) {
        const size_t n = problem_.rows;
        if (n > problem_.small && count_wholes(j, column)) return;
        auto make = [this](size_t row) { return table_.layout.make(label(row), false, row); };
        thread_local SortMemory<E> memory;  // the caller's threads end with the fit, and this with them
        const Sorted found = sort_numbers(column.values, n, table_.layout.flag(), memory, table_.order[j], make);
        missing_[j] = static_cast<uint32_t>(found.missing);
        column.repeats = found.distinct < n - found.missing;
        if (found.distinct <= countable && n > problem_.small) ranks_of(j, column, n - found.missing);
    }

    // Whole numbers of a small range in one pass: as codes where few are distinct, else in order. False: not such.
    bool count_wholes(size_t j, Column& column) {
        const size_t n = problem_.rows;
        Wholes wholes(column.values, n);
        if (wholes.counts.empty()) return false;
        column.repeats = wholes.distinct < n - wholes.missing;
        const size_t last = wholes.counts.size();
        auto place = [&](size_t row) {
            const double x = column.values[row];
            return x == x ? wholes.at(x) : last;
        };
        if (wholes.distinct > countable) {
            missing_[j] = static_cast<uint32_t>(wholes.missing);
            wholes.counts.push_back(missing_[j]);
            order_by_count(n, wholes.counts, place, table_.order[j], [&](size_t row, bool is_new) {
                const double x = column.values[row];
                return table_.layout.make(label(row), is_new && x == x, row);
            });
            return true;
        }
        wholes.counts.push_back(0);
        uint32_t code = 0;
        for (size_t i = 0; i < last; ++i) {
            if (wholes.counts[i]) column.own_distinct.push_back(wholes.low + static_cast<double>(i));
            code += std::exchange(wholes.counts[i], code) > 0;
        }
        wholes.counts[last] = code;
        column.own_codes.resize(n);
        for (size_t row = 0; row < n; ++row) column.own_codes[row] = static_cast<uint16_t>(wholes.counts[place(row)]);
        use_codes(j, column);
        return true;
    }

    void use_codes(size_t j, Column& column) {
        column.k = static_cast<uint32_t>(column.own_distinct.size());
        column.codes = column.own_codes.data();
        column.width = 2;
        column.distinct = column.own_distinct.data();
        missing_[j] = 0;
    }

    // Few distinct values: codes are cheaper than an order in large nodes.
    void ranks_of(size_t j, Column& column, size_t known) {
        std::vector<E>& order = table_.order[j];
        column.own_codes.resize(order.size());
        for (size_t i = 0; i < order.size(); ++i) {
            const size_t row = table_.layout.row(order[i]);
            if (i < known && (i == 0 || table_.layout.is_new(order[i]))) column.own_distinct.push_back(column.values[row]);
            column.own_codes[row] = static_cast<uint16_t>(i < known ? column.own_distinct.size() - 1 : 65535);
        }
        for (auto& code : column.own_codes)
            if (code == 65535) code = static_cast<uint16_t>(column.own_distinct.size());
        use_codes(j, column);
        std::vector<E>().swap(order);
    }

    // order[j] of a frame from the table's codes; returns the number of missing rows.
    uint32_t order_by_code(Frame<E>& f, size_t j, const Column& column) {
        auto code_of = [&](size_t row) { return code_at(column.codes, column.width, f.in_table(row)); };
        if (column.k <= 2 * f.n) {
            thread_local std::vector<uint32_t> counts, codes;
            counts.assign(column.k + size_t{1}, 0);
            codes.resize(f.n);
            for (size_t row = 0; row < f.n; ++row) ++counts[codes[row] = std::min(code_of(row), column.k)];
            const uint32_t missing = counts[column.k];
            order_by_count(
                f.n, counts, [](size_t row) { return codes[row]; }, f.order[j],
                [&](size_t row, bool is_new) { return f.layout.make(label(f.in_table(row)), is_new, row); });
            return missing;
        }
        std::vector<Item<uint32_t, E>> items(f.n), spare;
        std::vector<uint32_t> counts;
        uint32_t missing = 0;
        for (size_t row = 0; row < f.n; ++row) {
            const uint32_t code = code_of(row);
            items[row] = {code, f.layout.make(label(f.in_table(row)), false, row)};
            missing += code >= column.k;
        }
        sort_items(items, spare, counts);
        write_order(items, std::vector<E>(), f.layout.flag(), f.order[j]);
        return missing;
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
        book_.look(*s, node.deviance);
        frontier_.push_back(std::move(s));
    }

    // Mark sides, partition the row list, add the branches as nodes. The columns are partitioned later.
    Made split(Frame<E>& f, const Searched& s, size_t j, Growth& out) {
        const Column& column = problem_.columns[j];
        Made made;
        made.parent = s.open;
        made.many = column.kind == Kind::levels && !problem_.rules.groups;
        mark(book_, f, s, j);
        E* rows = f.rows.data() + s.open->begin;
        const size_t n = s.open->size(), branches = static_cast<size_t>(s.found[j].branches);
        std::vector<size_t> start{0, 0, n}, known;
        if (made.many)
            part_in_many(f.layout, rows, n, n, f.branch.data(), branches, f.spare.data(), start, known);
        else
            start[1] = part_in_two<false>(f.layout, rows, n, n, f.side.data(), f.spare.data()).first;
        const int32_t depth = out.nodes[s.open->node].depth + 1;
        out.nodes[s.open->node].first = static_cast<uint32_t>(out.nodes.size());
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
            open->node = book_.add_node(out, f, rows + start[b], size, total.data(), depth);
            open->constant = s.open->constant;
            open->missing.assign(problem_.columns.size(), 0);
            made.alive |= !book_.ends(total.data(), out.nodes.back());
            made.open.emplace_back(std::move(open), std::move(total));
        }
        return made;
    }

    void part_column(Frame<E>& f, const Made& made, size_t j, std::vector<E>& own_spare) {
        if (f.order[j].empty() || !made.alive || made.parent->constant[j]) return;
        const size_t n = made.parent->size(), known = n - made.parent->missing[j];
        if (own_spare.size() < n) own_spare.resize(n);
        E* run = f.order[j].data() + made.parent->begin;
        const auto& open = made.open;
        if (!made.many) {
            const auto part = problem_.columns[j].repeats ? part_in_two<true, E> : part_in_two<false, E>;
            const auto [left, left_known] = part(f.layout, run, n, known, f.side.data(), own_spare.data());
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
            for (size_t i = 0; i < f.n; ++i)
                f.order[j][i] = f.layout.make(table_.layout.label(run[i]), table_.layout.is_new(run[i]),
                                              local_[table_.layout.row(run[i])]);
        } else if (column.k > few) {
            open.missing[j] = order_by_code(f, j, column);
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
        root->node = book_.add_node(out, f, f.rows.data(), f.n, total.data(), top_.nodes[task.node].depth);
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
            Made made = split(f, s, static_cast<size_t>(best), out);
            if (!made.alive) continue;
            for (size_t j = 0; j < columns; ++j) part_column(f, made, j, f.spare);
            for (size_t b = made.open.size(); b-- > 0;) {
                const Node& child = out.nodes[made.open[b].first->node];
                if (!book_.ends(made.open[b].second.data(), child)) stack.push_back(std::move(made.open[b]));
            }
        }
    }

    Problem& problem_;
    Rulebook book_;
    Frame<E> table_;
    std::vector<uint32_t> missing_, local_;
    std::vector<Pack> packs_;
    std::vector<int32_t> bit_;  // [column]: pack * 64 + bit, -1 where it is in none
    Growth top_;
    std::vector<std::shared_ptr<Searched>> frontier_, ready_;
    std::vector<Made> splits_;
    std::vector<std::shared_ptr<Open>> tasks_;
    std::vector<Growth> grown_;
    std::atomic<size_t> next_{0};
};

}  // namespace tally::tree
