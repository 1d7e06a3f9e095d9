// The rows of a column dealt into cells of rising values: class counts of whole cells, sorted inside only where somebody
// looks. So a column is cut by the MDL rule without being sorted, and the cuts are those of the sorted column.
#pragma once

#include <array>
#include <numeric>

#include "kernels/columns/ranks.hpp"
#include "kernels/sums/reading.hpp"

namespace tally {

template <class Class>
struct ClassedRows {  // values of rows with their classes and weights (null: 1 each)
    size_t rows, n_classes;
    Column values;
    const Class* classes;
    const int64_t* weights;
    int64_t weight(size_t row) const { return weights ? weights[row] : 1; }
};

template <class Class>
class Dealt {
   public:
    explicit Dealt(const ClassedRows<Class>& rows) : n_classes(rows.n_classes), rows_(rows), missing_(rows.n_classes, 0) {
        find_grid();
        std::vector<int64_t> counts(most_cells * n_classes, 0);
        cell_of_.resize(rows.rows);
        for (size_t row = 0; row < rows.rows; ++row) {
            const double x = rows.values[row];
            TALLY_REQUIRE(rows.classes[row] < n_classes);
            const size_t cell = x == x ? cell_at(x) : most_cells;
            const int64_t weight = rows.weight(row);
            cell_of_[row] = static_cast<uint16_t>(weight ? cell : most_cells);
            (x == x ? counts.data() + cell * n_classes : missing_.data())[rows.classes[row]] += weight;
        }
        name_cells(counts);
    }

    size_t n_classes;

    Place end() const { return {cells_.size(), 0}; }
    const int64_t* before(size_t cell) const { return sums_.data() + cell * n_classes; }
    std::pair<const int64_t*, size_t> inside(size_t cell) {
        const Cell& own = sorted(cell);
        return {own.sums.data(), own.values.size() - 1};
    }
    // The midpoint of the values on both sides of a place.
    double cut(Place place) {
        const double high = sorted(place.cell).values[place.inner];
        return between(place.inner ? sorted(place.cell).values[place.inner - 1] : sorted(place.cell - 1).values.back(),
                       high);
    }
    const std::vector<int64_t>& missing() const { return missing_; }

   private:
    static constexpr size_t most_cells = 16384;

    struct Cell {
        uint16_t name = 0;
        std::vector<double> values;  // rising, where it is sorted
        std::vector<int64_t> sums;   // class counts before each value but the first, those before the cell included
    };

    // Cells of equal width between the least and the greatest value; halves, so that the width is finite.
    void find_grid() {
        double low = infinity, high = -infinity;
        for (size_t row = 0; row < rows_.rows; ++row) {
            const double x = rows_.values[row];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        start_ = low / 2;
        const double width = high / 2 - start_;
        scale_ = width > 0 ? static_cast<double>(most_cells) / width : 0.0;
        if (!(scale_ < 1e300)) scale_ = 0.0;  // values nearer than doubles tell: one cell
    }

    size_t cell_at(double x) const {
        const double at = (x / 2 - start_) * scale_;
        return at < static_cast<double>(most_cells - 1) ? static_cast<size_t>(at) : most_cells - 1;
    }

    // Keeps the cells that have rows, with the class counts before each.
    void name_cells(const std::vector<int64_t>& counts) {
        std::vector<int64_t> sum(n_classes, 0);
        sums_ = sum;
        for (size_t cell = 0; cell < most_cells; ++cell) {
            bool any = false;
            for (size_t c = 0; c < n_classes; ++c) any |= counts[cell * n_classes + c] > 0;
            if (!any) continue;
            for (size_t c = 0; c < n_classes; ++c) sum[c] += counts[cell * n_classes + c];
            sums_.insert(sums_.end(), sum.begin(), sum.end());
            cells_.emplace_back().name = static_cast<uint16_t>(cell);
        }
    }

    const Cell& sorted(size_t cell) {
        Cell& own = cells_[cell];
        if (own.values.empty()) sort(own, before(cell));
        return own;
    }

    struct Item {
        double value;
        uint32_t row;
    };

    void sort(Cell& own, const int64_t* before) {
        if (items_.empty()) deal();
        Item* const from = items_.data() + starts_[own.name];
        Item* const to = items_.data() + starts_[own.name + size_t{1}];
        sort_items(from, to);
        std::vector<int64_t> sum(before, before + n_classes);
        for (Item* at = from; at < to; ++at) {
            if (at == from || at->value != own.values.back()) {
                if (at != from) own.sums.insert(own.sums.end(), sum.begin(), sum.end());
                own.values.push_back(at->value);
            }
            sum[rows_.classes[at->row]] += rows_.weight(at->row);
        }
    }

    // Writes the rows cell after cell.
    void deal() {
        starts_.assign(most_cells + 2, 0);
        for (uint16_t cell : cell_of_) ++starts_[cell + size_t{1}];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
        items_.resize(rows_.rows);
        for (size_t row = 0; row < rows_.rows; ++row)
            items_[next[cell_of_[row]]++] = {rows_.values[row] + 0.0, static_cast<uint32_t>(row)};
    }

    // Deals a cell once more, evenly, so that few are left to be sorted in each part.
    void sort_items(Item* from, Item* to) {
        const auto less = [](const Item& a, const Item& b) { return a.value < b.value; };
        const size_t n = static_cast<size_t>(to - from);
        const auto [low, high] = std::minmax_element(from, to, less);
        const double start = low->value, width = high->value / 2 - start / 2;
        const double scale = static_cast<double>(n - 1) / width;
        if (n <= 16 || !(width > 0) || !(scale < 1e300)) return std::sort(from, to, less);
        const auto part_of = [=](const Item& item) { return static_cast<size_t>((item.value / 2 - start / 2) * scale); };
        parts_.assign(n + 1, 0);
        spare_.assign(from, to);
        for (const Item& item : spare_) ++parts_[part_of(item) + 1];
        std::partial_sum(parts_.begin(), parts_.end(), parts_.begin());
        for (const Item& item : spare_) from[parts_[part_of(item)]++] = item;
        for (size_t part = 0, begin = 0; part < n; begin = parts_[part++])
            if (parts_[part] - begin > 1) std::sort(from + begin, from + parts_[part], less);
    }

    ClassedRows<Class> rows_;
    std::vector<int64_t> missing_, sums_;  // [class]; [cell + 1, class]
    std::vector<uint16_t> cell_of_;
    std::vector<uint32_t> starts_, parts_;
    std::vector<Item> items_, spare_;
    std::vector<Cell> cells_;
    double start_ = 0, scale_ = 0;
};

struct CutColumn {  // cuts rising, counts[bin, class], and missing[class]
    std::vector<double> cuts;
    std::vector<int64_t> counts, missing;
};

// A column cut by the MDL rule. Rows of weight 0 are not there. rows < 2^32.
template <class Class>
CutColumn cut_rows(const ClassedRows<Class>& rows, double unit, NLogN h) {
    Dealt<Class> dealt(rows);
    MdlRule rule(dealt, unit, h);
    CutColumn out;
    out.missing = dealt.missing();
    const int64_t* below = dealt.before(0);
    std::vector<Place> places = rule.cuts();
    for (Place place : places) out.cuts.push_back(dealt.cut(place));
    places.push_back(dealt.end());
    for (Place place : places) {
        const int64_t* const above = rule.before(place);
        for (size_t c = 0; c < rows.n_classes; ++c) out.counts.push_back(above[c] - below[c]);
        below = above;
    }
    return out;
}

}  // namespace tally
