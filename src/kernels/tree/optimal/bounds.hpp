// What is known of the cuts of one view before they are looked at: no tree on the left or right of a cut has a smaller key.
//
// Cuts in order have nested sides. A larger side costs at least what a smaller one does; and a side that lacks some rows of
// another costs at most their largest losses less. So what is found at one cut bounds all others.
#pragma once

#include "kernels/tree/optimal/table.hpp"

namespace tally::tree::optimal {

class Bounds {
   public:
    Bounds(const Table& table, const Node& node, const View& view) : chain_(!view.levels) {
        const size_t n = node.size(), cuts = view.cuts.size();
        left_.resize(cuts), right_.resize(cuts), moved_.resize(cuts), done_.assign(cuts, 0);
        int64_t all = 0, floor = 0, most = 0;
        for (size_t i = 0; i < n; ++i) all += table.floor[node.rows[i]];
        uint32_t at = 0;
        for (size_t c = 0; c < cuts; ++c) {
            if (!chain_) at = view.cuts[c].begin, floor = most = 0;
            for (; at < view.cuts[c].end; ++at) {
                const uint32_t row = node.rows[view.rows[at]];
                floor += table.floor[row], most += table.most[row];
            }
            if (view.cuts[c].join)
                for (size_t i = view.known; i < n; ++i) floor += table.floor[node.rows[view.rows[i]]];
            left_[c] = floor * table.worth + table.leaf;
            right_[c] = (all - floor) * table.worth + table.leaf;
            moved_[c] = most * table.worth;
        }
    }

    size_t size() const { return left_.size(); }
    bool done(size_t c) const { return done_[c] != 0; }
    int64_t left(size_t c) const { return left_[c]; }
    int64_t right(size_t c) const { return right_[c]; }
    int64_t both(size_t c) const { return left_[c] + right_[c]; }

    // Take in that the sides of a cut cost at least so much; that is all there is to know of it.
    void learn(size_t c, int64_t left, int64_t right) {
        done_[c] = 1;
        left = std::max(left, left_[c]), right = std::max(right, right_[c]);
        left_[c] = left, right_[c] = right;
        if (!chain_) return;
        for (size_t j = c + 1; j < size(); ++j) {
            left_[j] = std::max(left_[j], left);
            right_[j] = std::max(right_[j], right - (moved_[j] - moved_[c]));
        }
        for (size_t j = c; j-- > 0;) {
            right_[j] = std::max(right_[j], right);
            left_[j] = std::max(left_[j], left - (moved_[c] - moved_[j]));
        }
    }

   private:
    bool chain_;
    std::vector<int64_t> left_, right_;  // [cut]: keys
    std::vector<int64_t> moved_;         // [cut]: the largest losses of the rows before it, as a key
    std::vector<uint8_t> done_;
};

}  // namespace tally::tree::optimal
