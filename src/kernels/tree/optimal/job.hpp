// A search in rounds, so that the caller's threads can share it: `plan` names some cuts of the root, `evaluate` looks at one
// of them, `merge` takes all answers in. A round depends on nothing but the rounds before, so that neither does the result,
// nor the work that was needed, on threads.
#pragma once

#include <memory>

#include "kernels/tree/optimal/search.hpp"

namespace tally::tree::optimal {

class Job {
   public:
    static constexpr size_t round = 8;  // cuts of the root at a time

    Table table;

    // seconds < 0: no limit.
    void start(int depth, int64_t leaves, int64_t max_work, double seconds) {
        depth_ = static_cast<int>(std::min<int64_t>(depth, leaves - 1)), leaves_ = leaves, max_work_ = max_work;
        table.prepare();
        root_ = root_of(table);
        limits_.stop = &stop_;
        if (seconds >= 0)
            limits_.deadline =
                std::chrono::steady_clock::now()
                + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
        Search free(table, {});
        best_ = free.solve(root_, 1, leaves_, no_key);  // a tree there is whatever happens
        bound_ = free.sum_of(root_).floor * table.worth + table.leaf;
        if (depth_ <= 1) bound_ = best_.key, over_ = true;
    }

    // How many cuts are to be looked at now; 0: the search is over.
    size_t plan() {
        picks_.clear();
        if (over_) return 0;
        if (!frontier_) return begun_ ? 0 : 1;
        std::vector<Frontier::Pick> open;
        for (size_t v = 0; v < frontier_->views.size(); ++v) {
            const Frontier::Pick& pick = frontier_->of_view(v, key_, cut_);
            if (pick.bound != no_key) open.push_back(pick);
        }
        if (open.empty()) {
            finish();
            return 0;
        }
        std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
        bound_ = std::min(best_.key, open[0].bound);
        open.resize(std::min(open.size(), round));
        picks_ = std::move(open);
        sides_.assign(picks_.size(), {0, 0, {}}), works_.assign(picks_.size(), 0), halted_.assign(picks_.size(), 1);
        return picks_.size();
    }

    void evaluate(size_t i) {
        Search search(table, limits_now());
        try {
            if (!frontier_) {
                begin(search);
            } else {
                const Frontier::Pick& pick = picks_[i];
                const View& view = frontier_->views[pick.view];
                const Cut& cut = view.cuts[pick.cut];
                const Bounds& known = frontier_->bounds[pick.view];
                sides_[i] = search.both(root_, view, cut, depth_, leaves_, known.left(pick.cut), known.right(pick.cut),
                                        key_ + (cut_ != no_id && cut.id < cut_));
                halted_[i] = 0;
            }
        } catch (const Halt&) {
            if (!frontier_) over_ = true;
        }
        (frontier_ ? works_[i] : work_) += search.work();
    }

    void merge() {
        for (size_t i = 0; i < picks_.size(); ++i) {
            work_ += works_[i];
            if (halted_[i]) {
                over_ = true;
                continue;
            }
            const Frontier::Pick& pick = picks_[i];
            const uint64_t id = frontier_->views[pick.view].cuts[pick.cut].id;
            frontier_->learn(pick.view, pick.cut, sides_[i].left, sides_[i].right);
            if (sides_[i].found.tree.empty() || !Search::matters(sides_[i].found.key, id, key_, cut_)) continue;
            best_ = std::move(sides_[i].found), key_ = best_.key, cut_ = id;
        }
        if (!frontier_ && !over_ && begun_) open_frontier();
        if (!frontier_ && !begun_) over_ = true;  // nobody evaluated
        if (work_ >= max_work_) over_ = true;
        if (over_ && frontier_) settle();
    }

    void stop() { stop_ = true; }
    const Found& best() const { return best_; }
    int64_t bound() const { return bound_; }
    int64_t work() const { return work_; }
    bool proven() const { return bound_ >= best_.key; }

   private:
    // A work limit holds for each cut of a round: all cuts of a round begin with what is left.
    Limits limits_now() const {
        Limits out = limits_;
        out.work = max_work_ - work_;
        return out;
    }

    // The first round: depth two is solved at once; for deeper trees a good one to begin with, test by test.
    void begin(Search& search) {
        begun_ = true;
        if (depth_ <= 2) {
            best_ = search.solve(root_, depth_, leaves_, no_key);
            bound_ = best_.key, over_ = true;
            return;
        }
        Found found = greedy(search, root_, depth_, leaves_);
        if (found.key < best_.key) best_ = std::move(found);
    }

    // Depth two at each node, of whose tree the first test is kept while more depth is left.
    Found greedy(Search& search, const Node& node, int depth, int64_t leaves) {
        Found out = search.solve(node, std::min(depth, 2), leaves, no_key);
        const int64_t full = depth < 40 ? int64_t{1} << depth : no_key;
        if (depth <= 2 || out.tree.size() < 5 || leaves < full) return out;
        const Test test = out.tree[0];
        std::vector<uint8_t> side(node.size());
        for (size_t i = 0; i < node.size(); ++i) side[i] = goes_right(test, table.columns[test.column], node.rows[i]);
        const Found a = greedy(search, part_of(table, node, side, 0), depth - 1, full / 2);
        const Found b = greedy(search, part_of(table, node, side, 1), depth - 1, full / 2);
        if (a.key + b.key >= out.key) return out;
        out.key = a.key + b.key;
        out.tree.assign(1, test);
        out.tree.insert(out.tree.end(), a.tree.begin(), a.tree.end());
        out.tree.insert(out.tree.end(), b.tree.begin(), b.tree.end());
        return out;
    }

    static uint8_t goes_right(const Test& test, const Column& column, uint32_t row) {
        const uint32_t code = column.codes[row];
        if (code == column.k) return static_cast<uint8_t>(test.missing == 1);
        if (test.high == column.k) return 0;
        return column.levels ? code != test.low : code >= test.high;
    }

    // Of the tree found first only the key is taken over: an equal one that comes before it is still looked for.
    void open_frontier() {
        frontier_ = std::make_unique<Frontier>(table, root_);
        const Search::Sums sums = Search(table, {}).sum_of(root_);
        key_ = std::min(best_.key + 1, sums.leaf * table.worth + table.leaf), cut_ = no_id;
        if (best_.tree.size() == 1) key_ = best_.key;  // a leaf stands by itself
    }

    void finish() { bound_ = best_.key, over_ = true; }

    // Stopped before the end: what no cut that is still open can go below.
    void settle() {
        int64_t least = best_.key;
        for (size_t v = 0; v < frontier_->views.size(); ++v) {
            const Frontier::Pick& pick = frontier_->of_view(v, key_, cut_);
            least = std::min(least, pick.bound);
        }
        bound_ = std::max(bound_, least);
    }

    Node root_;
    int depth_ = 0;
    int64_t leaves_ = 0, max_work_ = no_key, work_ = 0;
    Limits limits_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<Frontier> frontier_;
    std::vector<Frontier::Pick> picks_;
    std::vector<Search::Sides> sides_;
    std::vector<int64_t> works_;
    std::vector<uint8_t> halted_;
    Found best_;
    int64_t key_ = no_key, bound_ = 0;
    uint64_t cut_ = no_id;
    bool begun_ = false, over_ = false;
};

}  // namespace tally::tree::optimal
