// What it costs to say which levels form a group: a split found among 2^k groupings must gain more than one of a few.
//
// Naming j of k levels, groups being in no order, takes log2(k - 1) + log2(k over j) - 1 bits: 0 for two levels, 1.6 for
// three, and for many about k times the entropy of j/k. Where tests have a price, missing rows are one level more: which group
// they join is searched for too, and so is the test that sets them apart. In the units of a criterion the bits b cost
//   entropy    b bits
//   Gini       the share of the node's impurity that b is of the bits of its classes, as for all that is not in bits
//   variance   the part of the node's deviance that b bits would buy of a normal response: 1 - 2^(-2b/rows)
// And a level of one row says nothing of the rows to come: their share of the node's known rows estimates how many new rows
// will have a level that is not here (Good and Turing), so only the rest of a gain counts, the coverage of the levels.
#pragma once

#include <vector>

#include "kernels/base/math.hpp"
#include "kernels/tree/score.hpp"

namespace tally::tree {

// log2 of the factorials of 0..most.
inline std::vector<double> log2_factorials(size_t most) {
    std::vector<double> out(most + 1, 0.0);
    for (size_t n = 2; n <= most; ++n) out[n] = out[n - 1] + log2_whole(static_cast<double>(n));
    return out;
}

inline double group_bits(const std::vector<double>& logs, size_t k, size_t j) {
    if (k < 3 || j == 0 || j >= k) return 0.0;
    return log2_whole(static_cast<double>(k - 1)) + (logs[k] - logs[j] - logs[k - j]) - 1.0;
}

// The price of groups of k levels in a node, as part of a score.
template <class S>
class GroupPrice {
   public:
    GroupPrice(const Scorer& scorer, const int64_t* total, int64_t unit, double deviance, const std::vector<double>& logs,
               size_t k, bool lost, double coverage)
        : logs_(logs),
          k_(k + lost),
          lost_(lost),
          share_(!scorer.by_logs()),
          coverage_(coverage) {
        const double rows = static_cast<double>(scorer.rows(total)) / static_cast<double>(unit);
        if constexpr (std::is_same_v<S, double>) {
            all_ = deviance, each_ = -2.0 * 0.6931471805599453 / rows;
            return;
        }
        const int64_t n = scorer.sum(total);
        each_ = scorer.logs->factor() * static_cast<double>(n) / rows;
        if (!share_) return;
        const int64_t whole = static_cast<int64_t>(static_cast<Wide>(n) << scorer.shift);
        all_ = static_cast<double>(whole - score_of<int64_t>(scorer, total));
        const int64_t mixed = -scorer.entropy(total);  // of few rows beside heavy ones rounding is all of it
        each_ = mixed > 0 ? each_ / static_cast<double>(mixed) : infinity;
    }

    // What a group of j levels, and of the missing rows if they are in it, must gain before coverage.
    S operator()(size_t j, bool missing) const {
        const double bits = group_bits(logs_, k_, j + (lost_ && missing));
        if (!(bits > 0.0)) return S{};
        if constexpr (std::is_same_v<S, double>) {
            return coverage_ > 0.0 ? all_ * (1.0 - exp_of(each_ * bits)) / coverage_ : all_ * 2.0;
        } else {
            const double whole = share_ ? all_ * std::min(each_ * bits, 1.0) : each_ * bits;
            return static_cast<int64_t>(coverage_ > 0.0 ? std::min(whole / coverage_ + 0.5, most) : most);
        }
    }

    // No group of from to `to` levels costs less: groups in the middle cost more than those at the ends, but for rounding.
    S least(size_t from, size_t to) const {
        const S low = std::min((*this)(from, false), (*this)(to, true));
        return low - low / 1024;
    }

    // The score that remains of one less its price: only the covered part of what it is above `before` counts.
    S covered(S score, S before) const {
        if (!(coverage_ < 1.0) || !(score > before)) return score;
        return before + static_cast<S>(static_cast<double>(score - before) * coverage_);
    }

   private:
    static constexpr double most = 0x1p61;  // more than any score

    const std::vector<double>& logs_;
    size_t k_;  // levels here, missing rows one of them if `lost_`
    bool lost_, share_;
    double coverage_, all_ = 0.0, each_ = 0.0;
};

}  // namespace tally::tree
