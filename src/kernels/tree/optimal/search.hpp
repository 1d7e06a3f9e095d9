// The tree of the least key, and of those the first: by the number of its root's column, then by the cut, then so on in its
// left and its right branch. Every answer is exact; what is not looked at is proven to be no better.
//
// A node of depth two is solved directly, many cuts at once (lanes.hpp). A deeper one takes its cuts one by one, the one of
// the lowest bound first, and asks for its two sides. The order in which cuts are taken decides nothing but the time.
#pragma once

#include <atomic>
#include <chrono>

#include "kernels/tree/optimal/bounds.hpp"
#include "kernels/tree/optimal/lanes.hpp"

namespace tally::tree::optimal {

inline constexpr int64_t no_key = std::numeric_limits<int64_t>::max() / 4;

struct Halt {};  // thrown where the search is to stop

// Who may stop a search: the caller, a clock, a limit of work. Work is rows times columns looked at.
struct Limits {
    const std::atomic<bool>* stop = nullptr;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    int64_t work = no_key;
};

// The best tree of a node with a key below the bound asked for; where there is none, no tree has a smaller key than this.
struct Found {
    int64_t key = no_key;
    std::vector<Test> tree;  // depth first; empty: none is below the bound
};

inline constexpr size_t few = 4;  // cuts of one view in a sweep: what they tell spares others

class Search {
   public:
    Search(const Table& table, const Limits& limits) : table_(table), limits_(limits) {}

    int64_t work() const { return work_; }

    // leaves: the most there may be. below: only trees with a smaller key are of interest.
    Found solve(const Node& node, int depth, int64_t leaves, int64_t below) {
        Found out{below, {}};
        depth = static_cast<int>(std::min<int64_t>(depth, leaves - 1));
        const Sums sums = sum_of(node);
        const int64_t leaf = sums.leaf * table_.worth + table_.leaf;
        if (leaf < below) out = {leaf, {Test{}}};
        const int64_t least = sums.floor * table_.worth + 2 * table_.leaf;  // of any tree that is not a leaf
        if (depth == 0 || node.columns.empty() || least >= out.key) return out;
        if (depth == 1) return one_test(node, out);
        out = depth == 2 ? two_tests(node, leaves, std::move(out)) : deep(node, depth, leaves, std::move(out));
        if (out.tree.empty()) out.key = std::max(below, std::min(out.key, leaf));
        return out;
    }

    struct Sums {
        int64_t leaf = 0, floor = 0;  // losses
    };

    Sums sum_of(const Node& node) {
        Sums out;
        sums_.assign(table_.answers, 0);
        for (const uint32_t row : node.rows) {
            const int64_t* loss = table_.losses(row);
            for (size_t a = 0; a < table_.answers; ++a) sums_[a] += loss[a];
            out.floor += table_.floor[row];
        }
        out.leaf = *std::min_element(sums_.begin(), sums_.end());
        return out;
    }

    // Whether a cut still matters, given the best key and the id of the cut that has it (no_id: none has it yet).
    static bool matters(int64_t bound, uint64_t id, int64_t key, uint64_t best) {
        return bound < key || (bound == key && best != no_id && id < best);
    }

    void count(size_t rows, size_t columns) {
        work_ += static_cast<int64_t>(rows * columns);
        if (work_ > limits_.work || (limits_.stop && limits_.stop->load(std::memory_order_relaxed))) throw Halt{};
        if (limits_.deadline != std::chrono::steady_clock::time_point::max()
            && std::chrono::steady_clock::now() > limits_.deadline)
            throw Halt{};
    }

    // The keys of both sides of a cut, as far as they matter: trees on both sides whose keys sum to less than `below`.
    struct Sides {
        int64_t left, right;  // keys, or bounds of them
        Found found;          // the whole tree; empty: no better
    };

    Sides both(const Node& node, const View& view, const Cut& cut, int depth, int64_t leaves, int64_t left_bound,
               int64_t right_bound, int64_t below) {
        side_.assign(node.size(), 1);
        each_left(view, cut, node.size(), [&](uint32_t r) { side_[r] = 0; });
        count(node.size(), node.columns.size());
        const Node left = part_of(table_, node, side_, 0);
        Node right;  // made where it is asked for
        const std::vector<uint8_t> side = side_;
        auto other = [&]() -> const Node& {
            if (right.rows.empty()) right = part_of(table_, node, side, 1);
            return right;
        };
        const Test test = test_of(table_, view, cut, node.size());
        const int64_t full = depth < 40 ? int64_t{1} << (depth - 1) : no_key;  // the most leaves of a side
        Sides out{left_bound, right_bound, {below, {}}};
        if (leaves >= 2 * full) {
            halves(left, other, depth, full, full, test, out);
            return out;
        }
        for (int64_t own = 1; own < leaves; ++own) {  // with so many leaves on the left
            if (own > full || leaves - own > full) continue;
            Sides part{left_bound, right_bound, {out.found.key, {}}};
            halves(left, other, depth, own, leaves - own, test, part);
            if (!part.found.tree.empty()) out.found = std::move(part.found);
        }
        return out;
    }

   private:
    // Trees up to twice the bound are asked for: how far a side is from being good enough spares its neighbours.
    static int64_t ample(int64_t below) { return below + std::max(below, int64_t{0}); }

    template <class Other>
    void halves(const Node& left, Other other, int depth, int64_t left_leaves, int64_t right_leaves, const Test& test,
                Sides& out) {
        const int64_t below = out.found.key, room = below - out.right;
        const Found a = solve(left, depth - 1, left_leaves, ample(room));
        out.left = std::max(out.left, a.key);
        if (a.key >= room) return;
        const Found b = solve(other(), depth - 1, right_leaves, ample(below - a.key));
        out.right = std::max(out.right, b.key);
        if (a.key + b.key >= below) return;
        out.found.key = a.key + b.key;
        out.found.tree.assign(1, test);
        out.found.tree.insert(out.found.tree.end(), a.tree.begin(), a.tree.end());
        out.found.tree.insert(out.found.tree.end(), b.tree.begin(), b.tree.end());
    }

    Found one_test(const Node& node, Found out) {
        const std::vector<View> views = views_of(table_, node);
        count(node.size(), views.size());
        const size_t A = table_.answers, n = node.size();
        std::vector<int64_t> all(A, 0), left(A);
        for (const uint32_t row : node.rows)
            for (size_t a = 0; a < A; ++a) all[a] += table_.losses(row)[a];
        uint64_t best = no_id;
        for (const View& view : views) {
            uint32_t at = 0;
            std::fill(left.begin(), left.end(), 0);
            auto add = [&](uint32_t r) {
                for (size_t a = 0; a < A; ++a) left[a] += table_.losses(node.rows[r])[a];
            };
            for (const Cut& cut : view.cuts) {
                if (view.levels) {
                    std::fill(left.begin(), left.end(), 0);
                    each_left(view, cut, n, add);
                }
                for (; !view.levels && at < cut.end; ++at) add(view.rows[at]);
                int64_t low = no_key, high = no_key;
                for (size_t a = 0; a < A; ++a) low = std::min(low, left[a]), high = std::min(high, all[a] - left[a]);
                const int64_t key = (low + high) * table_.worth + 2 * table_.leaf;
                if (!matters(key, cut.id, out.key, best)) continue;
                best = cut.id;
                out = {key, {test_of(table_, view, cut, n), Test{}, Test{}}};
            }
        }
        return out;
    }

    Found two_tests(const Node& node, int64_t leaves, Found out) {
        int64_t reach = 0;  // no sum of losses is larger
        for (const uint32_t row : node.rows) reach += table_.most[row];
        if (reach < std::numeric_limits<int16_t>::max()) return two_tests<Narrow>(node, leaves, std::move(out));
        if (reach < std::numeric_limits<int32_t>::max()) return two_tests<Middle>(node, leaves, std::move(out));
        return two_tests<Wide>(node, leaves, std::move(out));
    }

    template <class Width>
    Found two_tests(const Node& node, int64_t leaves, Found out) {
        const std::vector<View> views = views_of(table_, node);
        std::vector<Bounds> bounds;
        for (const View& view : views) bounds.emplace_back(table_, node, view);
        Sweeper<Width> sweeper(table_, node, views);
        uint64_t best = no_id;
        size_t best_view = 0, best_cut = 0;
        std::vector<Lane> asked;
        std::vector<uint32_t> open;
        for (size_t first = 0; first < views.size();) {
            asked.clear();
            for (size_t v = first; v < views.size() && asked.size() < lanes; ++v) {
                open.clear();
                for (size_t c = 0; c < bounds[v].size(); ++c)
                    if (!bounds[v].done(c) && matters(bounds[v].both(c), views[v].cuts[c].id, out.key, best))
                        open.push_back(static_cast<uint32_t>(c));
                if (open.empty()) {
                    if (v == first) ++first;
                    continue;
                }
                const size_t take = std::min({open.size(), lanes - asked.size(), few});
                for (size_t i = 0; i < take; ++i)
                    asked.push_back({&views[v], open[(2 * i + 1) * open.size() / (2 * take)], {}, {}, {}});
            }
            if (asked.empty()) break;
            count(node.size(), views.size());
            sweeper.answer(asked);
            for (const Lane& lane : asked) {
                const auto [left, right, key] = keys_of(lane, leaves);
                const size_t v = static_cast<size_t>(lane.view - views.data());
                bounds[v].learn(lane.cut, left, right);
                const uint64_t id = views[v].cuts[lane.cut].id;
                if (matters(key, id, out.key, best)) out.key = key, best = id, best_view = v, best_cut = lane.cut;
            }
        }
        if (best == no_id) return or_least(std::move(out), bounds);
        const View& view = views[best_view];
        Sides sides = both(node, view, view.cuts[best_cut], 2, leaves, 0, 0, out.key + 1);
        TALLY_REQUIRE(sides.found.key == out.key);
        return sides.found;
    }

    // Where no tree was found, the least that any cut's sides can have.
    static Found or_least(Found out, const std::vector<Bounds>& bounds) {
        if (!out.tree.empty()) return out;
        out.key = no_key;
        for (const Bounds& each : bounds)
            for (size_t c = 0; c < each.size(); ++c) out.key = std::min(out.key, each.both(c));
        return out;
    }

    struct Keys {
        int64_t left, right, whole;
    };

    // The keys of the best sides of a lane with at most one test each, and of the whole with so many leaves.
    Keys keys_of(const Lane& lane, int64_t leaves) const {
        int64_t leaf[2], best[2];
        for (int s = 0; s < 2; ++s) {
            leaf[s] = lane.leaf[s] * table_.worth + table_.leaf;
            best[s] = std::min(leaf[s], lane.test[s] * table_.worth + 2 * table_.leaf);
        }
        const int64_t whole = leaves > 3 ? best[0] + best[1] : std::min(leaf[0] + best[1], best[0] + leaf[1]);
        return {best[0], best[1], whole};
    }

    Found deep(const Node& node, int depth, int64_t leaves, Found out);

    const Table& table_;
    Limits limits_;
    int64_t work_ = 0;
    std::vector<int64_t> sums_;
    std::vector<uint8_t> side_;
};

// The open cuts of a node that is solved cut by cut.
class Frontier {
   public:
    Frontier(const Table& table, const Node& node) : views(views_of(table, node)) {
        for (const View& view : views) bounds.emplace_back(table, node, view);
        next_.resize(views.size());
        stale_.assign(views.size(), 1);
    }

    struct Pick {
        size_t view = 0, cut = 0;
        int64_t bound = no_key;
    };

    // The cut of a view with the lowest bound that still matters; in the middle of its equals.
    const Pick& of_view(size_t v, int64_t key, uint64_t best) {
        Pick& pick = next_[v];
        if (!stale_[v] && (pick.bound == no_key || Search::matters(pick.bound, views[v].cuts[pick.cut].id, key, best)))
            return pick;
        stale_[v] = 0;
        pick = {v, 0, no_key};
        size_t first = 0, last = 0;
        for (size_t c = 0; c < bounds[v].size(); ++c) {
            const int64_t bound = bounds[v].both(c);
            if (bounds[v].done(c) || bound > pick.bound || !Search::matters(bound, views[v].cuts[c].id, key, best)) continue;
            if (bound < pick.bound) first = c;
            if (bound < pick.bound || last + 1 == c) last = c;
            pick.bound = bound;
        }
        pick.cut = pick.bound == no_key ? 0 : middle(v, first, last, pick.bound, key, best);
        return pick;
    }

    void learn(size_t v, size_t cut, int64_t left, int64_t right) {
        bounds[v].learn(cut, left, right);
        stale_[v] = 1;
    }

    const std::vector<View> views;
    std::vector<Bounds> bounds;

   private:
    // The open cut nearest to the middle of a run.
    size_t middle(size_t v, size_t first, size_t last, int64_t bound, int64_t key, uint64_t best) const {
        const size_t at = first + (last - first) / 2;
        for (size_t c = at; c <= last; ++c)
            if (!bounds[v].done(c) && bounds[v].both(c) == bound && Search::matters(bound, views[v].cuts[c].id, key, best))
                return c;
        return first;
    }

    std::vector<Pick> next_;
    std::vector<uint8_t> stale_;
};

inline Found Search::deep(const Node& node, int depth, int64_t leaves, Found out) {
    Frontier frontier(table_, node);
    uint64_t best = no_id;
    while (true) {
        Frontier::Pick pick;
        for (size_t v = 0; v < frontier.views.size(); ++v) {
            const Frontier::Pick& here = frontier.of_view(v, out.key, best);
            if (here.bound < pick.bound) pick = here;
        }
        if (pick.bound == no_key) return or_least(std::move(out), frontier.bounds);
        const View& view = frontier.views[pick.view];
        const Cut& cut = view.cuts[pick.cut];
        const Bounds& known = frontier.bounds[pick.view];
        const int64_t below = out.key + (best != no_id && cut.id < best);
        Sides sides = both(node, view, cut, depth, leaves, known.left(pick.cut), known.right(pick.cut), below);
        frontier.learn(pick.view, pick.cut, sides.left, sides.right);
        if (sides.found.tree.empty()) continue;
        out = std::move(sides.found), best = cut.id;
    }
}

}  // namespace tally::tree::optimal
