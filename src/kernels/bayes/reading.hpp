// How the values of one column are read: cut into bins by the MDL rule, or as a Gaussian for each class; and which of the
// two tells the classes of rows better that it has not seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/sums/scores.hpp"

namespace tally {

// n log2(n), from a table where it reaches so far.
struct NLogN {
    const double* table;
    size_t size;
    double operator()(int64_t n) const {
        if (n <= 0) return 0.0;
        if (static_cast<size_t>(n) < size) return table[n];
        return static_cast<double>(n) * log2_of(static_cast<double>(n));
    }
};

struct Side {  // rows, rows * entropy and classes present of one side of a cut
    double rows = 0, disorder = 0;
    int classes = 0;
};

// fixed: how many classes there are, where that is known; else 0.
template <size_t fixed>
TALLY_INLINE Side side_of(size_t given, const int64_t* high, const int64_t* low, NLogN h) {
    const size_t n_classes = fixed ? fixed : given;
    Side out;
    int64_t rows = 0;
    for (size_t c = 0; c < n_classes; ++c) {
        const int64_t n = high[c] - low[c];
        rows += n;
        out.disorder -= h(n);
        out.classes += n > 0;
    }
    out.disorder += h(rows);
    out.rows = static_cast<double>(rows);
    return out;
}

// log2(3^k - 2)
inline double log2_ways(int k) {
    double power = 1;
    if (k > 30) return k * 1.5849625007211562;
    for (int i = 0; i < k; ++i) power *= 3;
    return log2_of(power - 2);
}

// The disorder of both sides of a cut, by the class counts before it.
template <size_t fixed>
struct Disorder {
    size_t n_classes;
    const int64_t *first, *last;
    NLogN h;
    double operator()(const int64_t* middle) const {
        return side_of<fixed>(n_classes, middle, first, h).disorder + side_of<fixed>(n_classes, last, middle, h).disorder;
    }
};

// Where a column of rising values may be cut: before value `inner` of a cell. Cells follow each other, none is empty.
struct Place {
    size_t cell = 0, inner = 0;
    auto operator<=>(const Place&) const = default;
};

struct BinCut {
    Place at;
    double disorder;
};

// Values that are sorted, a few in a cell: sums[value + 1, class] are the class counts of the values before each.
template <size_t fixed = 0>
struct Sorted {
    static constexpr size_t cell = 64, classes = fixed;
    size_t values, n_classes;
    const int64_t* sums;

    Place end() const { return {values / cell, values % cell}; }
    size_t index(Place place) const { return place.cell * cell + place.inner; }
    // Class counts before a cell.
    const int64_t* before(size_t at) const { return sums + at * cell * n_classes; }
    // Class counts before the values of a cell but its first, and how many there are.
    std::pair<const int64_t*, size_t> inside(size_t at) const {
        return {sums + (at * cell + 1) * n_classes, std::min(cell, values - at * cell) - 1};
    }
};

// Fayyad and Irani: split where the entropy of the classes falls most, as long as the gain pays for saying where.
//
// Disorder is concave in the class counts before a cut. Inside a cell these lie between the counts at the cell's ends, so
// no place in it has less than the least of the corners of that box: a cell whose corners all have more than a place that
// is known already needs no look inside. The slack is far above what rounding could do to a sum.
template <class Values>
class MdlRule {
   public:
    MdlRule(Values& values, double unit, NLogN h) : values_(values), k_(values.n_classes), unit_(unit), h_(h), corner_(k_) {}

    // The places of all cuts, rising.
    std::vector<Place> cuts() {
        std::vector<Place> out;
        std::vector<std::pair<Place, Place>> open{{Place{}, values_.end()}};
        while (!open.empty()) {
            const auto [start, stop] = open.back();
            open.pop_back();
            const BinCut best = best_cut(start, stop);
            if (best.disorder == infinity || !pays(start, best, stop)) continue;
            out.push_back(best.at);
            open.emplace_back(start, best.at);
            open.emplace_back(best.at, stop);
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    const int64_t* before(Place place) const {
        if (place.inner == 0) return values_.before(place.cell);
        return values_.inside(place.cell).first + (place.inner - 1) * k_;
    }

   private:
    static constexpr size_t most_classes = 4;  // a box has 2^classes corners
    static constexpr size_t classes = Values::classes;

    bool pays(Place start, BinCut best, Place stop) const {
        const int64_t *first = before(start), *middle = before(best.at), *last = before(stop);
        const Side whole = side_of<classes>(k_, last, first, h_);
        const Side left = side_of<classes>(k_, middle, first, h_), right = side_of<classes>(k_, last, middle, h_);
        const double rows = whole.rows / unit_;
        const double gain = (whole.disorder - best.disorder) / unit_;  // in bits, over all rows
        const double price = log2_ways(whole.classes) - whole.classes * whole.disorder / whole.rows
                             + left.classes * left.disorder / left.rows + right.classes * right.disorder / right.rows;
        return rows > 1 && gain > log2_of(rows - 1) + price;
    }

    // The first place of least disorder strictly between two.
    BinCut best_cut(Place start, Place stop) {
        const Disorder<classes> disorder{k_, before(start), before(stop), h_};
        const double whole = disorder(disorder.first), slack = 1e-9 * (1.0 + whole);
        double known = infinity;
        ends_.assign(1, whole);  // the disorder where cells begin
        for (size_t cell = start.cell + 1; Place{cell} < stop; ++cell) {
            ends_.push_back(disorder(values_.before(cell)));
            known = std::min(known, ends_.back());
        }
        ends_.push_back(whole);
        BinCut out{{}, infinity};
        for (size_t cell = start.cell; Place{cell} < stop; ++cell) {
            const Place from = std::max(start, Place{cell}), to = std::min(stop, Place{cell + 1});
            const double* const end = ends_.data() + (cell - start.cell);
            if (from.inner == 0 && start < from) out = better(out, from, end[0]);
            if (k_ <= most_classes && floor(disorder, before(from), before(to), std::min(end[0], end[1])) > known + slack)
                continue;
            const auto [counts, n] = values_.inside(cell);
            const size_t stop_at = to.cell == cell ? to.inner - 1 : n;
            for (size_t i = from.inner; i < stop_at; ++i) out = better(out, {cell, i + 1}, disorder(counts + i * k_));
        }
        return out;
    }

    static BinCut better(BinCut known, Place at, double disorder) {
        return disorder < known.disorder ? BinCut{at, disorder} : known;
    }

    // The least of a box's corners; `least` of the first and the last, which are the ends of a cell.
    double floor(const Disorder<classes>& disorder, const int64_t* low, const int64_t* high, double least) {
        for (size_t which = 1; which + 1 < size_t{1} << k_; ++which) {
            for (size_t c = 0; c < k_; ++c) corner_[c] = which >> c & 1 ? high[c] : low[c];
            least = std::min(least, disorder(corner_.data()));
        }
        return least;
    }

    Values& values_;
    size_t k_;
    double unit_;
    NLogN h_;
    std::vector<int64_t> corner_;
    std::vector<double> ends_;
};

// The midpoint of two neighbouring values; where it rounds onto the lower one, the upper one.
inline double between(double low, double high) {
    const double middle = low / 2 + high / 2;
    return low < middle && middle <= high ? middle : high;
}

struct ClassValues {  // one column: values rising, counts[value, class]; unit: counts of one row
    size_t values, classes;
    const double* value;
    const int64_t* counts;
    int64_t unit;
};

struct Readings {  // log-likelihoods of the classes of test rows, squares of their differences, and the rows, all summed
    double gaussian = 0, binned = 0, squares = 0, cases = 0;
};

// Reads the cases outside one fold in both ways, and judges both by the cases inside it. The cases of a class, in rising
// order of value, go round the folds; so no rows are needed. Sums run over rising values, so bits are fixed.
template <size_t fixed>
class FoldJudge {
   public:
    FoldJudge(const ClassValues& column, NLogN h)
        : column_(column),
          classes_(column.classes),
          h_(h),
          test_(std::make_unique_for_overwrite<int64_t[]>((column.values + 1) * classes_)),
          sums_(std::make_unique_for_overwrite<int64_t[]>((column.values + 2) * classes_)),
          rest_(std::make_unique_for_overwrite<double[]>(column.values + 1)),
          seen_(std::make_unique_for_overwrite<double[]>(column.values + 1)) {}

    void judge(int64_t fold, int64_t folds, Readings& to) {
        part(fold, folds);
        if (n_seen_ == 0 || n_rest_ < 2) return;
        prior_.resize(k());
        for (size_t c = 0; c < k(); ++c) prior_[c] = log_of(static_cast<double>(sums_[n_rest_ * k() + c]));
        read_as_gaussian();
        read_in_bins();
        add(to);
    }

   private:
    size_t k() const { return fixed ? fixed : classes_; }

    // Parts counts: values of test cases with these, values of the rest with sums of its counts.
    void part(int64_t fold, int64_t folds) {
        const int64_t unit = column_.unit, turn = folds * unit, skipped = fold * unit;
        std::vector<int64_t> place(k(), 0), reached(k(), 0), sum(k(), 0);
        size_t rest = 0, seen = 0;
        std::fill_n(sums_.get(), k(), 0);
        for (size_t v = 0; v < column_.values; ++v) {
            bool left = false, taken = false;
            for (size_t c = 0; c < k(); ++c) {
                const int64_t count = column_.counts[v * k() + c];
                int64_t at = place[c] + count, whole = 0;
                if (count > turn) whole = at / turn * unit, at %= turn;
                whole += at >= turn ? unit : 0;
                at -= at >= turn ? turn : 0;
                const int64_t now = std::clamp(at - skipped, int64_t{0}, unit), test = whole + now - reached[c];
                place[c] = at, reached[c] = now;
                test_[seen * k() + c] = test;
                sum[c] += count - test;
                sums_[(rest + 1) * k() + c] = sum[c];
                left |= count != test, taken |= test != 0;
            }
            rest_[rest] = seen_[seen] = column_.value[v];
            rest += left, seen += taken;
        }
        n_rest_ = rest, n_seen_ = seen;
    }

    // A Gaussian for each class, its variance smoothed by a few cases of the whole column's.
    void read_as_gaussian() {
        const double smoothing = 2.0 * static_cast<double>(column_.unit), log_two_pi = 1.8378770664093453;
        scale_ = scale_of(std::max(std::abs(rest_[0]), std::abs(rest_[n_rest_ - 1])));
        middle_ = rest_[n_rest_ / 2] * scale_;
        mean_.assign(k(), 0.0), twice_.assign(k(), 0.0), level_.assign(k(), 0.0);
        for (size_t v = 0; v < n_rest_; ++v) {
            const double x = rest_[v] * scale_ - middle_;
            for (size_t c = 0; c < k(); ++c) {
                const double first = static_cast<double>(sums_[(v + 1) * k() + c] - sums_[v * k() + c]) * x;
                mean_[c] += first;
                twice_[c] += first * x;
            }
        }
        double rows = 0, spread = 0, whole = 0;
        for (size_t c = 0; c < k(); ++c) {
            const double n = cases_of(c);
            mean_[c] /= n;
            rows += n, spread += twice_[c], whole += mean_[c] * n;
        }
        const double all = std::max(spread / rows - (whole / rows) * (whole / rows), 0.0);
        for (size_t c = 0; c < k(); ++c) {
            const double n = cases_of(c), own = std::max(twice_[c] - mean_[c] * mean_[c] * n, 0.0);
            const double variance = (own + smoothing * all) / (n + smoothing);
            twice_[c] = variance > 0 ? 2 * variance : 2.0;
            level_[c] = -0.5 * (log_two_pi + log_of(variance > 0 ? variance : 1.0));
        }
    }

    double cases_of(size_t c) const { return static_cast<double>(std::max<int64_t>(sums_[n_rest_ * k() + c], 1)); }

    // 1, or a power of two that keeps the squares of very large or very small values finite.
    static double scale_of(double largest) {
        if ((largest > 1e-100 && largest < 1e100) || largest == 0) return 1.0;
        int exponent;
        std::frexp(largest, &exponent);
        return std::ldexp(1.0, -exponent);
    }

    // Bins with the Laplace correction: cuts_, and gains_[bin, class].
    void read_in_bins() {
        const Sorted<fixed> sorted{n_rest_, k(), sums_.get()};
        std::vector<size_t> before;
        for (Place place : MdlRule(sorted, static_cast<double>(column_.unit), h_).cuts())
            before.push_back(sorted.index(place));
        const size_t bins = before.size() + 1;
        cuts_.clear();
        for (size_t v : before) cuts_.push_back(between(rest_[v - 1], rest_[v]));
        std::vector<double> scores(bins * k());
        for (size_t bin = 0; bin < bins; ++bin) {
            const size_t from = bin ? before[bin - 1] : 0, to = bin < before.size() ? before[bin] : n_rest_;
            for (size_t c = 0; c < k(); ++c) {
                const int64_t own = sums_[to * k() + c] - sums_[from * k() + c] + column_.unit;
                const int64_t all = sums_[n_rest_ * k() + c] + column_.unit * static_cast<int64_t>(bins);
                scores[bin * k() + c] = prior_[c] + log_of(static_cast<double>(own) / static_cast<double>(all));
            }
        }
        gains_.resize(scores.size());
        softmax(bins, k(), scores.data(), gains_.data());
        for (double& gain : gains_) gain = gain_of(gain);
    }

    // A share given to the right class counts at least this much.
    static double gain_of(double share) { return log_of(share > 1e-6 ? share : 1e-6); }

    // Adds what both readings say of the test cases.
    void add(Readings& to) {
        constexpr size_t tile = 256;
        std::vector<double> scores(tile * k()), shares(tile * k()), known(tile * k());
        Readings own;
        size_t bin = 0;
        for (size_t begin = 0; begin < n_seen_; begin += tile) {
            const size_t n = std::min(tile, n_seen_ - begin);
            for (size_t i = 0; i < n; ++i) {
                const double x = seen_[begin + i] * scale_ - middle_;
                for (size_t c = 0; c < k(); ++c) {
                    const double d = x - mean_[c];
                    scores[i * k() + c] = prior_[c] + (level_[c] - d * d / twice_[c]);
                }
            }
            softmax(n, k(), scores.data(), shares.data());
            for (size_t i = 0; i < n * k(); ++i) shares[i] = shares[i] > 1e-6 ? shares[i] : 1e-6;
            log_values(n * k(), shares.data(), known.data());
            for (size_t i = 0; i < n; ++i) {
                while (bin < cuts_.size() && cuts_[bin] <= seen_[begin + i]) ++bin;
                for (size_t c = 0; c < k(); ++c) {
                    const double cases =
                        static_cast<double>(test_[(begin + i) * k() + c]) / static_cast<double>(column_.unit);
                    const double gaussian = known[i * k() + c], binned = gains_[bin * k() + c], d = gaussian - binned;
                    own.gaussian += gaussian * cases;
                    own.binned += binned * cases;
                    own.squares += d * d * cases;
                    own.cases += cases;
                }
            }
        }
        to.gaussian += own.gaussian, to.binned += own.binned, to.squares += own.squares, to.cases += own.cases;
    }

    ClassValues column_;
    size_t classes_, n_rest_ = 0, n_seen_ = 0;
    NLogN h_;
    std::unique_ptr<int64_t[]> test_, sums_;    // [seen, class]; [rest + 1, class]
    std::unique_ptr<double[]> rest_, seen_;     // values
    std::vector<double> cuts_, gains_, prior_;  // gains[bin, class]; prior[class]
    std::vector<double> mean_, twice_, level_;  // of a Gaussian: twice its variance, the log of its height
    double scale_ = 1, middle_ = 0;
};

}  // namespace tally
