// Where numbers lie among cuts: bin = cuts at or below x, missing: n_cuts + 1. And how often each bin meets each class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/base/numbers.hpp"
#include "kernels/columns/ranks.hpp"

namespace tally {

// Finds bins a tile of numbers at a time. Equal cells between the first and the last cut tell which cuts lie in the cell of
// a number, mostly one or none, and where all cuts but a few are ends of cells the cell alone tells the bin; where cuts crowd in
// some cell, sixteen searches by halves go side by side.
class BinFinder {
   public:
    static constexpr size_t tile = 512;

    template <class Wide>
    using Cells = typename VectorOf<int32_t, Wide::doubles>::Anywhere;

    BinFinder(size_t n_cuts, const double* cuts, size_t rows) : n_(n_cuts), cuts_(n_cuts + 1 + most_near) {
        std::copy_n(cuts, n_cuts, cuts_.begin());
        std::fill(cuts_.begin() + static_cast<ptrdiff_t>(n_cuts), cuts_.end(), std::numeric_limits<double>::quiet_NaN());
        if (n_cuts > 1 && n_cuts + 1 < crowded && rows >= worth_cells && !find_steps()) find_cells();
    }

    // below[0 .. n) of x[0 .. n); both have room for a tile, and all of x is set.
    void find(size_t n, const double* x, uint32_t* below) const {
        switch (near_) {
            case by_steps:
                find_cell(n, x, below, [](uint32_t cell, size_t) { return cell; });
                for (size_t i = 0; i < n; ++i) below[i] = bin_of(below[i], x[i]);
                break;
            case 1: in_cells<1>(n, x, below); break;
            case 2: in_cells<2>(n, x, below); break;
            case 3:
            case 4: in_cells<4>(n, x, below); break;
            default: by_halves(n, x, below);
        }
    }

    // Where the cell of a number mostly tells its bin: out[i] = place(cell of x[i], i); the bin, if the cell tells it; and the
    // bin of a number in that cell.
    bool has_steps() const { return near_ == by_steps; }
    bool all_tell() const { return all_tell_; }
    bool tells(size_t cell) const { return first_[cell] < crowded; }
    uint32_t bin_of(size_t cell) const { return first_[cell]; }
    uint32_t bin_of(size_t cell, double x) const {
        uint32_t at = first_[cell];
        if (at >= crowded) [[unlikely]]
            for (at -= crowded; cuts_[at] <= x;) ++at;
        return at;
    }
    template <class Place>
    void find_cell(size_t n, const double* x, uint32_t* out, Place place) const {
        run_wide([=, first = start_, steps = scale_](auto instructions) {
            using Wide = decltype(instructions);
            const Doubles<Wide> low = Doubles<Wide>{} + first, scale = Doubles<Wide>{} + steps;
            for (size_t i = 0; i < n; i += Wide::doubles)
                cell_of<Wide>(x + i, low, scale, *reinterpret_cast<Cells<Wide>*>(out + i));
            for (size_t i = 0; i < n; ++i) out[i] = place(out[i], i);
        });
    }
    // The cells of some numbers; low: the first step of each, scale: the steps in a unit. What is not whole of a number below 2^51
    // is lost where it is added to 1.5 * 2^52.
    template <class Wide>
    static TALLY_INLINE void cell_of(const double* x, const Doubles<Wide>& low, const Doubles<Wide>& scale,
                                     Cells<Wide>& cell) {
        using V = Doubles<Wide>;
        const V own = *reinterpret_cast<const V*>(x), high = low + static_cast<double>(cells - 1);
        V at = own * scale;
        at = at > low ? at : low;
        at = at < high ? at : high;
        V whole = (at + 0x1.8p52) - 0x1.8p52;
        whole = whole > at ? whole - 1.0 : whole;
        at = own == own ? whole - low : V{} + static_cast<double>(cells);
        cell = TALLY_CONVERT(at, Cells<Wide>);
    }
    double first_step() const { return start_; }
    double steps_in_a_unit() const { return scale_; }

    static constexpr size_t cells = 2048;            // and one for missing
    static constexpr size_t most_steps = cells - 8;  // from the first cut to the last, before cuts are rounded to steps

   private:
    static constexpr size_t most_near = 4, worth_cells = 4096, by_steps = most_near + 1;
    static constexpr uint16_t crowded = 1 << 15;  // added where a cell has more cuts than are looked at, and few cells have

    // A higher number is never in a lower cell, so cuts of lower cells are below x and those of higher ones above it.
    // Missing numbers have a cell of their own.
    template <class Wide>
    static TALLY_INLINE void cells_of(const double* x, double start, double scale, int32_t* cell) {
        using V = Doubles<Wide>;
        typedef int32_t Narrow TALLY_VECTOR_ANYWHERE(Wide::doubles * 4, 4);
        const V own = *reinterpret_cast<const V*>(x), zero{}, top = zero + static_cast<double>(cells - 1);
        V at = (own - start) * scale + 1.0;
        at = at > zero ? at : zero;
        at = at < top ? at : top;
        at = own == own ? at : top + 1.0;
        *reinterpret_cast<Narrow*>(cell) = TALLY_CONVERT(at, Narrow);
    }

    // Whether cuts rise by multiples of a step, a power of two, but for a few within cells, and few enough steps in all. A number
    // in steps is exact, but for those too small to be told from 0: where a step is more than 1, a cut at 0 is within its cell.
    bool find_steps() {
        constexpr size_t few = 32;
        const double width = cuts_[n_ - 1] - cuts_[0];
        if (!(width < std::numeric_limits<double>::infinity())) return false;
        int power = 0;
        std::frexp(width / static_cast<double>(cells - 4), &power);
        if (power < -1000 || power > 1000) return false;
        const double step = std::ldexp(1.0, power), scale = std::ldexp(1.0, -power);
        const double start = std::floor(cuts_[0] * scale) - 1.0;
        std::vector<uint16_t> first(cells + 1), marks(cells);
        size_t within = 0;
        for (size_t cut = 0; cut < n_; ++cut) {
            const double at = cuts_[cut] * scale, own = std::floor(at) - start;
            if (!(std::abs(at) < 0x1p50 && at * step == cuts_[cut] && own >= 1 && own < cells - 1)) return false;
            const bool inside = own + start != at || (at == 0 && step > 1);
            ++first[static_cast<size_t>(own) + inside];
            if (inside) ++within, marks[static_cast<size_t>(own)] = crowded;
        }
        if (within > few || within > n_ / 2) return false;
        for (size_t cell = 1; cell < cells; ++cell) first[cell] = static_cast<uint16_t>(first[cell] + first[cell - 1]);
        for (size_t cell = 0; cell < cells; ++cell) first[cell] = static_cast<uint16_t>(first[cell] + marks[cell]);
        first[cells] = static_cast<uint16_t>(n_ + 1);  // missing
        scale_ = scale, start_ = start, first_ = std::move(first), all_tell_ = !within, near_ = by_steps;
        return true;
    }

    void find_cells() {
        start_ = cuts_[0];
        const double width = cuts_[n_ - 1] - start_;
        scale_ = static_cast<double>(cells - 2) / width;
        if (!(width < std::numeric_limits<double>::infinity() && scale_ < 1e300)) return;
        std::vector<int32_t> cell(n_ + 1);
        std::vector<uint8_t> several(cells);
        for (size_t cut = 0; cut < n_; cut += 2)
            cells_of<Instructions<2, false>>(cuts_.data() + cut, start_, scale_, cell.data() + cut);
        first_.resize(cells + 1);
        first_[cells] = static_cast<uint16_t>(n_ + 1);  // missing
        size_t done = 0, most = 0, more = 0;
        for (size_t cut = 0, end; cut < n_; cut = end) {
            const size_t own = static_cast<size_t>(cell[cut]);
            for (end = cut + 1; end < n_ && cell[end] == cell[cut];) ++end;
            while (done <= own) first_[done++] = static_cast<uint16_t>(cut);
            most = std::max(most, end - cut);
            more += several[own] = end - cut > 1;
        }
        while (done < cells) first_[done++] = static_cast<uint16_t>(n_);
        if (most > 1 && more > n_ / 16) {
            near_ = most <= most_near ? most : 0;
            return;
        }
        near_ = 1;
        for (size_t own = 0; own < cells; ++own) first_[own] = static_cast<uint16_t>(first_[own] + several[own] * crowded);
    }

    // near: cuts that are looked at for every number; one, and as many as need be in cells with several.
    template <size_t near>
    void in_cells(size_t n, const double* x, uint32_t* below) const {
        const double start = start_, scale = scale_, *const cuts = cuts_.data();
        const uint16_t* const first = first_.data();
        run_wide([=](auto instructions) {
            using Wide = decltype(instructions);
            alignas(64) int32_t cell[tile];
            alignas(64) double cut[near * tile];
            for (size_t i = 0; i < n; i += Wide::doubles) cells_of<Wide>(x + i, start, scale, cell + i);
            TALLY_UNROLL
            for (size_t i = 0; i < n; ++i) {
                uint32_t at = first[cell[i]];
                if (near == 1 && at >= crowded) [[unlikely]] {
                    at -= crowded;
                    while (cuts[at] <= x[i] && cuts[at + 1] <= x[i]) ++at;
                }
                below[i] = at;
                for (size_t m = 0; m < near; ++m) cut[m * tile + i] = cuts[at + m];
            }
            for (size_t m = 0; m < near; ++m)
                for (size_t i = 0; i < n; ++i) below[i] += cut[m * tile + i] <= x[i];
        });
    }

    void by_halves(size_t n, const double* x, uint32_t* below) const {
        constexpr size_t together = 16;
        static_assert(tile % together == 0);
        const double* const cuts = cuts_.data();
        for (size_t begin = 0; begin < n; begin += together) {
            size_t at[together] = {};
            for (size_t left = n_; left > 1; left -= left / 2)
                for (size_t i = 0; i < together; ++i) at[i] += cuts[at[i] + left / 2 - 1] <= x[begin + i] ? left / 2 : 0;
            for (size_t i = 0; i < together; ++i) {
                const double own = x[begin + i];
                below[begin + i] = static_cast<uint32_t>(own == own ? at[i] + (cuts[at[i]] <= own) : n_ + 1);
            }
        }
    }

    size_t n_, near_ = 0;           // cuts; cuts of one cell that are looked at, 0: no cells, by_steps: mostly none
    bool all_tell_ = false;         // by steps: no cut is within a cell
    std::vector<double> cuts_;      // and some that no number reaches
    std::vector<uint16_t> first_;   // cuts before each cell; the last: of missing
    double start_ = 0, scale_ = 0;  // of the cells; by steps: the step before the first cut, steps in a unit
};

// codes[row] = number of cuts <= x (a row goes left of a cut when x < cut); missing: n_cuts + 1. cuts ascend.
template <class Code>
void bin_values(size_t rows, Column column, size_t n_cuts, const double* cuts, Code* codes) {
    const BinFinder finder(n_cuts, cuts, rows);
    double x[BinFinder::tile] = {};
    uint32_t below[BinFinder::tile];
    for (size_t begin = 0; begin < rows; begin += BinFinder::tile) {
        const size_t n = std::min(rows - begin, BinFinder::tile);
        for (size_t i = 0; i < n; ++i) x[i] = column[begin + i];
        finder.find(n, x, below);
        for (size_t i = 0; i < n; ++i) codes[begin + i] = static_cast<Code>(below[i]);
    }
}

struct CutTable {  // a column of numbers, its cuts, and table[bin, class], the last line of which is missing
    Column column;
    size_t n_cuts;
    const double* cuts;
    int64_t* table;
};

// x[column, row] = rows of four columns that are neighbours; a column of x begins `apart` after the one before it.
inline constexpr size_t apart = BinFinder::tile + 24;  // not 4 KB, which would put all four into the same lines of the cache

inline void turn_four(Column first, size_t begin, size_t n, double* x) {
    const double* from = first.values + static_cast<ptrdiff_t>(begin) * first.stride;
    const ptrdiff_t stride = first.stride;
    run_fast([=] {
        const double* at = from;
        size_t i = 0;
        for (; i + 4 <= n; i += 4) {
            Four row[4], column[4];
            for (size_t k = 0; k < 4; ++k, at += stride) {
                row[k] = *reinterpret_cast<const Four*>(at);
                TALLY_PREFETCH_NEAR(at + static_cast<ptrdiff_t>(BinFinder::tile) * stride);
            }
            turn_square(row, column);
            for (size_t k = 0; k < 4; ++k) *reinterpret_cast<Four*>(x + k * apart + i) = column[k];
        }
        for (; i < n; ++i, at += stride)
            for (size_t k = 0; k < 4; ++k) x[k * apart + i] = at[k];
    });
}

// Columns that are read together: four or eight neighbours in the rows of a matrix, of which some may not be asked for, or one
// alone.
struct CutGroup {
    Column first;
    size_t wide;                  // columns that are read
    std::vector<size_t> columns;  // those that are asked for
};

// Groups of some of the columns, at most `widest` each. What lies between two columns of a matrix is a cell of the same row, and
// may be read.
inline std::vector<CutGroup> groups_of(const std::vector<CutTable>& columns, const std::vector<size_t>& some,
                                       ptrdiff_t widest) {
    std::vector<CutGroup> out;
    for (size_t from = 0, end; from < some.size();) {
        const Column head = columns[some[from]].column;
        const auto place = [&](size_t at) { return columns[some[at]].column.values - head.values; };
        for (end = from + 1; end < some.size() && columns[some[end]].column.stride == head.stride
                             && place(end) > place(end - 1) && place(end) < head.stride;)
            ++end;  // those that follow each other in a row
        const ptrdiff_t last = place(end - 1), wide = last < 3 ? 1 : last < widest - 1 ? 4 : widest;
        while (from < end) {
            const ptrdiff_t base = wide == 1 ? place(from) : std::min(place(from), last - wide + 1);
            CutGroup group{{head.values + base, head.stride}, static_cast<size_t>(wide), {}};
            for (group.columns = {some[from++]}; from < end && place(from) < base + wide;)
                group.columns.push_back(some[from++]);
            out.push_back(std::move(group));
        }
    }
    return out;
}

// met[cell, class]: rows of a column whose cells mostly tell the bin. Where a cell does not, counts begin at 2^31, and the bins
// of its numbers are looked for one by one.
struct CellCounts {
    static constexpr size_t most_classes = 3;  // for the counts to stay in the nearest cache
    static constexpr size_t most_rows = std::numeric_limits<int32_t>::max();

    const BinFinder& finder;
    uint32_t n_classes, *met;
    int64_t* table;

    void begin() const {
        for (size_t cell = 0; !finder.all_tell() && cell < BinFinder::cells; ++cell)
            if (!finder.tells(cell)) std::fill_n(met + cell * n_classes, n_classes, uint32_t{1} << 31);
    }
    // n numbers of at most a tile: place(i) = cell * n_classes + class of x[i].
    template <class Place>
    void add(size_t n, Column x, Place place) const {
        if (finder.all_tell()) {
            TALLY_UNROLL
            for (size_t i = 0; i < n; ++i) ++met[place(i)];
            return;
        }
        uint32_t rest[BinFinder::tile];
        size_t left = 0;
        TALLY_UNROLL
        for (size_t i = 0; i < n; ++i)
            if (static_cast<int32_t>(++met[place(i)]) < 0) [[unlikely]]
                rest[left++] = static_cast<uint32_t>(i);
        for (size_t r = 0; r < left; ++r) {
            const uint32_t own = place(rest[r]);
            ++table[finder.bin_of(own / n_classes, x[rest[r]]) * n_classes + own % n_classes];
        }
    }
    void end() const {
        for (size_t cell = 0; cell <= BinFinder::cells; ++cell)
            for (size_t c = 0; c < n_classes && finder.tells(cell); ++c)
                table[finder.bin_of(cell) * n_classes + c] += met[cell * n_classes + c];
    }
};

// Eight columns that are neighbours in the rows of a matrix: their cells are found as they lie, since turning rows to columns takes
// longer than that.
class EightCells {
    static constexpr size_t ahead = 128;  // rows between those that memory is asked for and those that are worked on
    double low_[8] = {}, scale_[8] = {};
    std::vector<uint32_t> places_ = std::vector<uint32_t>(wide * BinFinder::tile);  // [row of a tile, lane]

   public:
    static constexpr size_t wide = 8,
                            together =
                                64;  // columns; rows that are gone through for all groups, so that all of a row is near
    CutGroup group;

    EightCells(CutGroup own, const std::vector<CutTable>& columns, const std::vector<BinFinder>& finders)
        : group(std::move(own)) {
        for (const size_t j : group.columns) {
            const auto lane = columns[j].column.values - group.first.values;
            low_[lane] = finders[j].first_step(), scale_[lane] = finders[j].steps_in_a_unit();
        }
    }
    // Finds cell * n_classes + class of n rows from `row` of the tile on, which begins at `begin`; classes: of those rows.
    template <class Class>
    void find(size_t begin, size_t row, size_t n, const Class* classes, int32_t n_classes) {
        run_wide([=, first = group.first.from(begin + row), low = low_, scale = scale_,
                  to = places_.data() + row * wide](auto instructions) {
            using Wide = decltype(instructions);
            using Cells = BinFinder::Cells<Wide>;
            Doubles<Wide> lows[wide / Wide::doubles], scales[wide / Wide::doubles];
            std::memcpy(lows, low, sizeof lows), std::memcpy(scales, scale, sizeof scales);
            const double* x = first.values;
            for (size_t i = 0; i < n; ++i, x += first.stride) {
                TALLY_PREFETCH_NEAR(x + static_cast<ptrdiff_t>(ahead) * first.stride);
                for (size_t k = 0; k < wide / Wide::doubles; ++k) {
                    Cells& place = *reinterpret_cast<Cells*>(to + i * wide + k * Wide::doubles);
                    BinFinder::cell_of<Wide>(x + k * Wide::doubles, lows[k], scales[k], place);
                    place = place * n_classes + classes[i];
                }
            }
        });
    }
    // What was found of the rows of a tile, for one column.
    auto places(Column column) const {
        return [at = places_.data() + (column.values - group.first.values)](size_t i) { return at[i * wide]; };
    }
};

// table[bin, class] += weight[row] (1 without weights) of some columns; a tile of rows for all of them, which share lines of
// the cache where they are a matrix. lying: the columns, where some of them are no doubles; then each is read alone.
template <class Class>
void count_some_bins(size_t rows, const std::vector<CutTable>& columns, const Numbers* lying, const Class* classes,
                     const int64_t* weights, size_t n_classes) {
    const bool few = !weights && n_classes <= CellCounts::most_classes && rows <= CellCounts::most_rows;
    std::vector<BinFinder> finders;
    for (const CutTable& own : columns) finders.emplace_back(own.n_cuts, own.cuts, rows);
    const size_t all_cells = (BinFinder::cells + 1) * n_classes;
    const auto has_steps = [](const BinFinder& finder) { return finder.has_steps(); };
    std::vector<uint32_t> met(few ? static_cast<size_t>(std::ranges::count_if(finders, has_steps)) * all_cells : 0);
    std::vector<std::optional<CellCounts>> cells(columns.size());
    uint32_t* next = met.data();
    for (size_t j = 0; j < columns.size() && few; ++j) {
        if (!finders[j].has_steps()) continue;
        cells[j].emplace(CellCounts{finders[j], static_cast<uint32_t>(n_classes), next, columns[j].table});
        cells[j]->begin();
        next += all_cells;
    }
    std::vector<size_t> quick, others;
    for (size_t j = 0; j < columns.size(); ++j) (cells[j] ? quick : others).push_back(j);
    std::vector<CutGroup> groups = groups_of(columns, others, 4);
    std::vector<EightCells> eights;
    for (CutGroup& group : groups_of(columns, quick, EightCells::wide)) {
        if (group.wide == EightCells::wide)
            eights.emplace_back(std::move(group), columns, finders);
        else
            groups.push_back(std::move(group));
    }
    const auto k = static_cast<uint32_t>(n_classes);
    alignas(64) double x[4 * apart] = {};
    alignas(64) uint32_t below[BinFinder::tile];
    for (size_t begin = 0; begin < rows; begin += BinFinder::tile) {
        const size_t n = std::min(rows - begin, BinFinder::tile);
        const Class* const own = classes + begin;
        for (size_t i = 0; i < n; ++i) TALLY_REQUIRE(own[i] < n_classes);
        for (size_t row = 0; row < n; row += EightCells::together)
            for (EightCells& eight : eights)
                eight.find(begin, row, std::min(n - row, EightCells::together), own + row, static_cast<int32_t>(k));
        for (const EightCells& eight : eights)
            for (const size_t j : eight.group.columns)
                cells[j]->add(n, columns[j].column.from(begin), eight.places(columns[j].column));
        for (const CutGroup& group : groups) {
            if (group.wide == 4) {
                turn_four(group.first, begin, n, x);
            } else if (lying) {
                lying->lay(group.columns[0], {begin, begin + n}, x, 1);
            } else {
                for (size_t i = 0; i < n; ++i) x[i] = group.first[begin + i];
            }
            for (const size_t j : group.columns) {
                const double* const values = x + (columns[j].column.values - group.first.values) * apart;
                if (cells[j]) {
                    finders[j].find_cell(n, values, below, [=](uint32_t cell, size_t i) { return cell * k + own[i]; });
                    cells[j]->add(n, {values, 1}, [&](size_t i) { return below[i]; });
                    continue;
                }
                int64_t* const table = columns[j].table;
                finders[j].find(n, values, below);
                if (weights) {
                    for (size_t i = 0; i < n; ++i) table[below[i] * n_classes + own[i]] += weights[begin + i];
                    continue;
                }
                run_fast([=, to = static_cast<uint32_t*>(below)] {  // places first: an addition waits for no product
                    for (size_t i = 0; i < n; ++i) to[i] = to[i] * k + own[i];
                    TALLY_UNROLL
                    for (size_t i = 0; i < n; ++i) ++table[to[i]];
                });
            }
        }
    }
    for (size_t j = 0; j < columns.size(); ++j)
        if (cells[j]) cells[j]->end();
}

// The same of all columns, some after the others, so that what is kept for a column is never kept for many. lying: nothing, or
// all columns of which some are no doubles, by as many; columns[].column is nowhere then.
template <class Class>
void count_bins(size_t rows, const std::vector<CutTable>& columns, const std::vector<Numbers>& lying, const Class* classes,
                const int64_t* weights, size_t n_classes) {
    for (size_t from = 0; from < columns.size(); from += lanes) {
        const auto begin = columns.begin() + static_cast<ptrdiff_t>(from);
        const auto end = begin + static_cast<ptrdiff_t>(std::min(lanes, columns.size() - from));
        const Numbers* const own = lying.empty() ? nullptr : &lying[from / lanes];
        count_some_bins(rows, {begin, end}, own, classes, weights, n_classes);
    }
}

}  // namespace tally
