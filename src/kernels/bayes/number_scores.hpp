// Scores of rows by columns of numbers, all columns at once: a parabola for each class, or a table by bin. Some rows at a
// time are laid out as doubles, then taken class by class, so that they and their scores stay near while the columns pass.
// Additions in the order of the columns.
#pragma once

#include <memory>

#include "kernels/columns/bins.hpp"
#include "kernels/columns/doubles.hpp"

namespace tally {

class NumberScores {
   public:
    explicit NumberScores(size_t n_classes) : k_(n_classes) {}

    size_t classes() const { return k_; }

    // constant[class] - (x - mean[class])^2 * half[class]; a missing x adds nothing.
    void parabola(const double* mean, const double* half, const double* constant) {
        Part part;
        for (const double* of : {mean, half, constant}) part.table.insert(part.table.end(), of, of + k_);
        parts_.push_back(std::move(part));
    }

    // table[bin, class], the last line of which is missing. rows: how many are to come, at least.
    void bins(size_t n_cuts, const double* cuts, const double* table, size_t rows) {
        Part part{std::vector<double>((n_cuts + 2) * k_), n_cuts + 2, {}, {}};
        if (n_cuts <= 8) {
            part.few.assign(cuts, cuts + n_cuts);
            part.few.resize((n_cuts + 3) / 4 * 4, std::numeric_limits<double>::quiet_NaN());
        } else
            part.finder.emplace(n_cuts, cuts, rows);
        for (size_t bin = 0; bin < n_cuts + 2; ++bin)
            for (size_t c = 0; c < k_; ++c) part.table[c * part.bins + bin] = table[bin * k_ + c];
        parts_.push_back(std::move(part));
    }

    size_t columns() const { return parts_.size(); }

    // scores[row, class] += the parts of all columns, which come in groups of at most `together`. Returns whether no number is
    // infinite, or whole and beyond 2^53; where one is, scores hold anything.
    bool add(size_t rows, const std::vector<Numbers>& groups, double* scores) const {
        const std::unique_ptr<double[]> room(new double[k_ * tile]);
        std::vector<double> laid(std::min(together, parts_.size()) * apart);
        double* const to = room.get();
        for (size_t begin = 0; begin < rows; begin += tile) {
            const size_t n = std::min(rows - begin, tile);
            turn(n, scores + begin * k_, to);
            auto part = parts_.begin();
            for (const Numbers& group : groups) {
                if (!lay_out(group, begin, n, false, apart, AsDouble{}, laid.data())) return false;
                for (size_t j = 0; j < group.width(); ++j, ++part) {
                    const double* const x = laid.data() + j * apart;
                    part->bins ? add_bins(*part, n, x, to) : add_parabola(*part, x, to);
                }
            }
            for (size_t c = 0; c < k_; ++c)
                for (size_t i = 0; i < n; ++i) scores[(begin + i) * k_ + c] = to[c * tile + i];
        }
        return true;
    }

    static constexpr size_t together = 32;  // columns that are laid out at once: a tile of them stays near

   private:
    static constexpr size_t tile = BinFinder::tile;
    static constexpr size_t apart = tile + 8;  // from a column to the next: not all in the same lines of a cache

    struct Part {
        std::vector<double> table;  // mean, half and constant by class; or [class, bin]
        size_t bins = 0;            // 0: a parabola
        std::vector<double> few;    // cuts, where there are at most 8, and some that no number reaches
        std::optional<BinFinder> finder;
    };

    void turn(size_t n, const double* scores, double* to) const {
        for (size_t c = 0; c < k_; ++c) {
            for (size_t i = 0; i < n; ++i) to[c * tile + i] = scores[i * k_ + c];
            for (size_t i = n; i < tile; ++i) to[c * tile + i] = 0.0;
        }
    }

    void add_parabola(const Part& part, const double* x, double* to) const {
        const size_t k = k_;
        const double* const table = part.table.data();
        run_fast([=] {
            for (size_t c = 0; c < k; ++c) {
                const double mean = table[c], half = table[k + c], constant = table[2 * k + c];
                double* const sum = to + c * tile;
                for (size_t i = 0; i < tile; ++i) {
                    const double d = x[i] - mean, more = sum[i] + (constant - d * d * half);
                    sum[i] = x[i] == x[i] ? more : sum[i];
                }
            }
        });
    }

    // Few cuts: each is held against all numbers, and the table's line is chosen without being looked up. n_cuts: with those
    // that no number reaches.
    template <size_t n_cuts>
    void add_few_bins(const Part& part, const double* x, double* to) const {
        const double *const table = part.table.data(), *const cuts = part.few.data();
        const size_t k = k_, bins = part.bins;
        run_wide([=](auto instructions) {
            using Wide = decltype(instructions);
            using V = Doubles<Wide>;
            const V zero{};
            for (size_t c = 0; c < k; ++c) {
                const double* const line = table + c * bins;
                const V first = line[0] - zero, missing = line[bins - 1] - zero;  // -0.0 stays
                V from[n_cuts + 1] = {}, value[n_cuts + 1] = {};
                for (size_t cut = 0; cut != n_cuts; ++cut) from[cut] = cuts[cut] - zero;
                for (size_t cut = 0; cut != n_cuts; ++cut) value[cut] = line[cut + 1 < bins ? cut + 1 : 0] - zero;
                for (size_t i = 0; i < tile; i += Wide::doubles) {
                    const V own = *reinterpret_cast<const V*>(x + i);
                    V more = own == own ? first : missing;
                    for (size_t cut = 0; cut != n_cuts; ++cut) more = own >= from[cut] ? value[cut] : more;
                    *reinterpret_cast<V*>(to + c * tile + i) += more;
                }
            }
        });
    }

    void add_bins(const Part& part, size_t n, const double* x, double* to) const {
        if (part.few.empty() && !part.finder) return add_few_bins<0>(part, x, to);
        if (part.few.size() == 4) return add_few_bins<4>(part, x, to);
        if (part.few.size() == 8) return add_few_bins<8>(part, x, to);
        uint32_t bin[tile];
        part.finder->find(n, x, bin);
        const uint32_t* const at = bin;
        const double* const table = part.table.data();
        const size_t k = k_, bins = part.bins;
        run_fast([=] {
            for (size_t c = 0; c < k; ++c)
                for (size_t i = 0; i < n; ++i) to[c * tile + i] += table[c * bins + at[i]];
        });
    }

    size_t k_;
    std::vector<Part> parts_;
};

}  // namespace tally
