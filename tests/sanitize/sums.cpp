// Counts, ranks and moments.
#include "kernels/columns/bins.hpp"
#include "kernels/columns/order.hpp"
#include "kernels/columns/ranks.hpp"
#include "kernels/columns/scan.hpp"
#include "kernels/csv/cells.hpp"
#include "kernels/sums/counts.hpp"
#include "kernels/sums/moments.hpp"
#include "tests.hpp"

#include <tuple>

using namespace tally;

template <class Code, class Class>
void count_one(size_t rows, size_t n_codes, size_t n_classes) {
    const auto codes = numbers_below<Code>(rows, n_codes, 1);
    const auto classes = numbers_below<Class>(rows, n_classes, 2);
    const auto nodes = numbers_below<uint32_t>(rows, 3, 3);
    const auto weights = numbers_below<int64_t>(rows, 1u << 30, 4);
    std::vector<int64_t> table(n_codes * n_classes), noded(3 * n_codes * n_classes), total(n_classes);
    count_codes(rows, nullptr, codes.data(), classes.data(), nullptr, n_codes, n_classes, table.data());
    count_codes(rows, nodes.data(), codes.data(), classes.data(), weights.data(), n_codes, n_classes, noded.data());
    count_classes(rows, classes.data(), nullptr, n_classes, total.data());
    int64_t sum = 0;
    for (int64_t n : table) sum += n;
    EXPECT(sum == static_cast<int64_t>(rows));
}

void test_counts() {
    for (size_t rows : {0, 1, 3, 4, 5, 1000}) {
        count_one<uint8_t, uint8_t>(rows, 5, 3);
        count_one<uint8_t, uint32_t>(rows, 256, 7);
        count_one<uint16_t, uint16_t>(rows, 300, 9);
        count_one<uint32_t, uint8_t>(rows, 70000, 2);
    }
}

template <class Code>
void rank_one(const std::vector<double>& values, ptrdiff_t stride) {
    const size_t rows = values.size() / static_cast<size_t>(stride);
    const Column column{values.data(), stride};
    std::vector<uint64_t> elements(rows), spare(rows);
    const Ranked ranked = rank_rows(rows, column, elements.data(), spare.data());
    std::vector<Code> codes(rows);
    std::vector<double> distinct(ranked.distinct);
    std::vector<int64_t> counts(ranked.distinct);
    std::vector<uint32_t> order(rows);
    rank_codes(rows, column, ranked, elements.data(), spare.data(), codes.data(), distinct.data());
    rank_counts(ranked, elements.data(), counts.data());
    rank_order(rows, column, ranked, elements.data(), order.data());
    for (size_t row = 0; row < rows; ++row) {
        const double x = column[row];
        EXPECT(x != x ? codes[row] == ranked.distinct : distinct[codes[row]] == x);
    }
    for (size_t i = 1; i < ranked.distinct; ++i) EXPECT(distinct[i - 1] < distinct[i]);
    std::vector<double> cuts = distinct;
    std::vector<uint16_t> bins(rows);
    bin_values(rows, column, cuts.size(), cuts.data(), bins.data());
    bin_values(rows, column, 0, cuts.data(), bins.data());
    for (size_t cells : {1, 7, 65536}) {
        std::vector<int64_t> rows_in(cells);
        std::vector<uint8_t> wanted(cells, 1);
        std::vector<uint32_t> picked(rows + 1);
        const Grid grid{-0.5, static_cast<double>(cells), cells};
        count_cells(rows, column, grid, nullptr, rows_in.data());
        EXPECT(pick_cells(rows, column, grid, wanted.data(), picked.data()) == ranked.present);
    }
    Scan seen = scan_nothing();
    scan_values(0, rows, values.data(), stride, seen);
    EXPECT(seen.missing == rows - ranked.present);
}

// Keys of 64 bits, some of them copies: numbered, and in order class by class.
void order_rows(size_t rows, uint64_t different) {
    const auto drawn = numbers_below<uint64_t>(rows, different, rows);
    const auto classes = numbers_below<uint8_t>(rows, 3, 4);
    std::vector<uint64_t> keys(rows);
    key_hashes(rows, drawn.data(), 7, keys.data());
    std::vector<int64_t> numbers(rows), order(rows), all(rows);
    const size_t distinct = number_copies(rows, keys.data(), numbers.data());
    EXPECT(distinct == static_cast<size_t>(std::count(numbers.begin(), numbers.end(), 0)));
    order_keys(rows, keys.data(), classes.data(), 3, order.data());
    order_keys<uint8_t>(rows, keys.data(), nullptr, 0, all.data());
    for (size_t i = 1; i < rows; ++i) {
        const auto a = static_cast<size_t>(order[i - 1]), b = static_cast<size_t>(order[i]);
        EXPECT(std::tuple(classes[a], keys[a], a) < std::tuple(classes[b], keys[b], b));
        const auto c = static_cast<size_t>(all[i - 1]), d = static_cast<size_t>(all[i]);
        EXPECT(std::pair(keys[c], c) < std::pair(keys[d], d));
        EXPECT(numbers[d] == (keys[c] == keys[d] ? numbers[c] + 1 : 0));
    }
}

void test_ranks() {
    for (size_t rows : {0, 1, 2, 100, 5000, 120000})
        for (uint64_t different : {1, 3, 1000000}) order_rows(rows, different);
    for (size_t rows : {0, 1, 2, 100, 5000, 120000}) {
        rank_one<uint32_t>(hard_doubles(rows, rows + 1), 1);
        rank_one<uint32_t>(hard_doubles(rows * 3, rows + 2), 3);
        rank_one<uint16_t>(std::vector<double>(rows, 2.5), 1);
        std::vector<double> close(rows);
        for (size_t i = 0; i < rows; ++i) close[i] = i == 0 ? 1e300 : 1.0 + static_cast<double>(i * 7 % 97) * 0x1p-52;
        rank_one<uint32_t>(close, 1);
    }
    const auto whole = numbers_below<int64_t>(50, 1000, 9);
    int64_t low = 0, high = 0;
    scan_whole(50, whole.data(), 1, low, high);
    EXPECT(low <= high);
}

void test_moments() {
    for (size_t n_classes : {1, 2, 40, 200}) {
        const size_t rows = 3000, columns = 18;
        const auto values = hard_doubles(rows * columns, n_classes);
        const auto classes = numbers_below<uint8_t>(rows, n_classes, 5);
        const auto weights = numbers_below<int64_t>(rows, 1u << 30, 6);
        const Matrix matrix{rows, columns, values.data(), static_cast<ptrdiff_t>(columns), 1};
        for (const int64_t* w : {static_cast<const int64_t*>(nullptr), weights.data()}) {
            std::vector<uint64_t> scratch(bucket_words(columns, n_classes, w != nullptr));
            std::vector<int64_t> missing(columns * n_classes), sums(missing.size() * sum_digits),
                squares(missing.size() * square_digits);
            add_matrix_moments(matrix, classes.data(), w, n_classes, scratch.data(),
                               {missing.data(), sums.data(), squares.data()});
            for (uint64_t word : scratch) EXPECT(word == 0);
            for (size_t i = 0; i < squares.size(); ++i) EXPECT(squares[i] >= 0);
        }
    }
    // The largest double with the largest weight touches the last digits.
    const double most[] = {1.7976931348623157e308};
    const uint8_t label[] = {0};
    const int64_t weight[] = {INT64_MAX};
    std::vector<int64_t> missing(1), sums(sum_digits), squares(square_digits);
    std::vector<uint64_t> scratch(bucket_words(1, 1, true));
    const MomentTables tables{missing.data(), sums.data(), squares.data()};
    add_matrix_moments(Matrix{1, 1, most, 1, 1}, label, weight, 1, scratch.data(), tables);
    add_moments(1, Column{most, 1}, label, weight, 1, tables);
}
