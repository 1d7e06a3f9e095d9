// All rows of a table on the shelf: every column in the form that the search of large nodes wants, and the list of rows.
// Threads belong to the caller: columns are prepared one by one, different ones at once.
#pragma once

#include "kernels/tree/grow.hpp"

namespace tally::tree {

template <class E>
class Shelf {
   public:
    static constexpr uint32_t few = 64;        // codes up to here are counted in small frames too
    static constexpr size_t countable = 4096;  // distinct numbers up to here are counted in large nodes
    static constexpr size_t pays = 4;          // columns of two codes from which words pay

    Problem& problem;
    Frame<E> table;
    std::vector<uint32_t> missing;  // [column]: rows
    std::vector<Pack> packs;
    std::vector<int32_t> bit;  // [column]: pack * 64 + bit, -1 where it is in none

    Shelf(Problem& all, bool unit) : problem(all) {
        const size_t columns = problem.columns.size();
        table.n = problem.rows;
        table.layout.bits = std::max(1, static_cast<int>(std::bit_width(problem.rows)));
        table.order.resize(columns);
        table.codes.resize(columns, nullptr);
        table.width.resize(columns, 0);
        table.weights = problem.weights;
        missing.resize(columns, 0);
        bit.assign(columns, -1);
        if (unit) bundle();
    }

    // Let the orders of columns of numbers lie at a place of the caller: [column of numbers, row].
    void lay_orders(E* place) {
        for (size_t j = 0; j < problem.columns.size(); ++j)
            if (problem.columns[j].in_numbers()) table.order[j] = Order<E>(std::exchange(place, place + problem.rows));
    }

    size_t label(size_t row) const { return problem.regression ? 0 : code_at(problem.labels, problem.label_width, row); }

    // Bring one column into the form the search wants. Columns are independent.
    void prepare(size_t j) {
        Column& column = problem.columns[j];
        if (column.in_numbers())
            sort_column(j, column);
        else if (column.k > few && problem.rows <= problem.small)
            missing[j] = order_by_code(table, j, column);
        if (column.width && table.order[j].empty()) {
            table.codes[j] = column.codes;
            table.width[j] = column.width;
        }
        for (size_t p = 0; p < packs.size(); ++p)
            if (packs[p].first == j) pack_words(p);
    }

    // All rows, class after class.
    void list_rows() {
        const size_t n = problem.rows;
        std::vector<size_t> at(problem.classes + 1, 0);
        for (size_t row = 0; row < n; ++row) ++at[label(row) + 1];
        for (size_t c = 0; c < problem.classes; ++c) at[c + 1] += at[c];
        table.rows.resize(n);
        for (size_t row = 0; row < n; ++row) {
            const size_t c = label(row);
            table.rows[at[c]++] = table.layout.make(c, false, row);
        }
    }

    // order[j] of a frame from the table's codes; returns the number of missing rows.
    uint32_t order_by_code(Frame<E>& f, size_t j, const Column& column) {
        auto code_of = [&](size_t row) { return code_at(column.codes, column.width, f.in_table(row)); };
        if (column.k <= 2 * f.n) {
            thread_local std::vector<uint32_t> counts, codes;
            counts.assign(column.k + size_t{1}, 0);
            codes.resize(f.n);
            for (size_t row = 0; row < f.n; ++row) ++counts[codes[row] = std::min(code_of(row), column.k)];
            const uint32_t gone = counts[column.k];
            order_by_count(
                f.n, counts, [](size_t row) { return codes[row]; }, f.order[j],
                [&](size_t row, bool is_new) { return f.layout.make(label(f.in_table(row)), is_new, row); });
            return gone;
        }
        std::vector<Item<uint32_t, E>> items(f.n), spare;
        std::vector<uint32_t> counts;
        uint32_t gone = 0;
        for (size_t row = 0; row < f.n; ++row) {
            const uint32_t code = code_of(row);
            items[row] = {code, f.layout.make(label(f.in_table(row)), false, row)};
            gone += code >= column.k;
        }
        sort_items(items, spare, counts);
        write_order(items, std::vector<E>(), f.layout.flag(), f.order[j]);
        return gone;
    }

   private:
    // Choose the columns that may be counted 64 at a time; whether they have missing rows is seen later.
    void bundle() {
        std::vector<uint32_t> two;
        for (uint32_t j = 0; j < problem.columns.size(); ++j) {
            const Column& column = problem.columns[j];
            if (column.kind != Kind::numeric && column.k == 2 && column.width == 1) two.push_back(j);
        }
        for (size_t from = 0; from + pays <= two.size(); from += word_bits) {
            const size_t to = std::min(two.size(), from + word_bits);
            packs.push_back(
                {two[from], {two.begin() + static_cast<ptrdiff_t>(from), two.begin() + static_cast<ptrdiff_t>(to)}});
        }
        table.words.resize(packs.size());
    }

    void pack_words(size_t p) {
        fill_words(packs[p], problem.columns, problem.rows, table.words[p]);
        const auto& columns = packs[p].columns;
        for (size_t b = 0; b < columns.size(); ++b) bit[columns[b]] = static_cast<int32_t>(p * word_bits + b);
    }

    void sort_column(size_t j, Column& column) {
        const size_t n = problem.rows;
        if (n > problem.small && count_wholes(j, column)) return;
        auto make = [this](size_t row) { return table.layout.make(label(row), false, row); };
        thread_local SortMemory<E> memory;  // the caller's threads end with the fit, and this with them
        const Sorted found = sort_numbers(column.values, n, table.layout.flag(), memory, table.order[j], make);
        missing[j] = static_cast<uint32_t>(found.missing);
        column.repeats = found.distinct < n - found.missing;
        if (found.distinct <= countable && n > problem.small) ranks_of(j, column, n - found.missing);
    }

    // Whole numbers of a small range in one pass: as codes where few are distinct, else in order. False: not such.
    bool count_wholes(size_t j, Column& column) {
        const size_t n = problem.rows;
        Wholes wholes(column.values, n);
        if (wholes.counts.empty()) return false;
        column.repeats = wholes.distinct < n - wholes.missing;
        const size_t last = wholes.counts.size();
        auto place = [&](size_t row) {
            const double x = column.values[row];
            return x == x ? wholes.at(x) : last;
        };
        if (wholes.distinct > countable) {
            missing[j] = static_cast<uint32_t>(wholes.missing);
            wholes.counts.push_back(missing[j]);
            order_by_count(n, wholes.counts, place, table.order[j], [&](size_t row, bool is_new) {
                const double x = column.values[row];
                return table.layout.make(label(row), is_new && x == x, row);
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

    // Read a column by its codes, and no more by its order. They lie where that would, if the caller has a place for it.
    void use_codes(size_t j, Column& column) {
        table.order[j].give_back();
        column.codes = column.own_codes.data();
        if (E* place = table.order[j].place()) {
            std::memcpy(place, column.own_codes.data(), column.own_codes.size() * sizeof(uint16_t));
            column.codes = place;
            std::vector<uint16_t>().swap(column.own_codes);
        }
        column.k = static_cast<uint32_t>(column.own_distinct.size());
        column.width = 2;
        column.distinct = column.own_distinct.data();
        missing[j] = 0;
    }

    // Few distinct values: codes are cheaper than an order in large nodes.
    void ranks_of(size_t j, Column& column, size_t known) {
        const Order<E>& order = table.order[j];
        const E* entries = order.data();
        column.own_codes.resize(order.size());
        for (size_t i = 0; i < order.size(); ++i) {
            const size_t row = table.layout.row(entries[i]);
            if (i < known && (i == 0 || table.layout.is_new(entries[i]))) column.own_distinct.push_back(column.values[row]);
            column.own_codes[row] = static_cast<uint16_t>(i < known ? column.own_distinct.size() - 1 : 65535);
        }
        for (auto& code : column.own_codes)
            if (code == 65535) code = static_cast<uint16_t>(column.own_distinct.size());
        use_codes(j, column);
    }
};

}  // namespace tally::tree
