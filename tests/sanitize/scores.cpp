// exp and log, whole-number logarithms, hashes and scores.
#include "kernels/sums/scores.hpp"
#include "kernels/bayes/number_scores.hpp"
#include "kernels/columns/doubles.hpp"
#include "kernels/columns/hash.hpp"
#include "kernels/sums/entropy.hpp"
#include "tests.hpp"

using namespace tally;

void test_math() {
    auto in = hard_doubles(1000, 1);
    for (double x : {infinity, -infinity, 709.79, -745.2, 1e300, -1e300}) in.push_back(x);
    std::vector<double> out(in.size());
    exp_values(in.size(), in.data(), out.data());
    log_values(in.size(), in.data(), out.data());
    log2_values(in.size(), in.data(), out.data());
    log1p_values(in.size(), in.data(), out.data());
    sigmoid_values(in.size(), in.data(), out.data());
    EXPECT(exp_of(0.0) == 1.0 && log_of(1.0) == 0.0 && log2_of(8.0) == 3.0);
    const Logs few(5000, Logs::some), many((int64_t{1} << 52) - 1, Logs::some);
    for (int64_t n = 2; n <= 5000; ++n) EXPECT(few(n) > few(n - 1));
    EXPECT(few(6) == 2 * few(3) + 3 * few(2) && many((int64_t{1} << 52) - 1) > 0);
}

void test_hashes() {
    const char data[] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'};  // no final zero: one step beyond is seen
    const std::vector<int32_t> offsets{0, 0, 1, 9, 9};
    const std::vector<uint8_t> validity{0b00101000};
    std::vector<uint64_t> hashes(4);
    add_text_hashes(4, TextCells<int32_t>{data, offsets.data(), validity.data(), 2}, 7, hashes.data());
    EXPECT(hashes[0] == hashes[2] && hashes[1] != hashes[3]);
    const auto values = hard_doubles(4, 3);
    add_double_hashes(4, values.data(), 1, 8, hashes.data());
    const auto codes = numbers_below<uint16_t>(4, 3, 4);
    const std::vector<uint64_t> table{1, 2, 3};
    add_code_hashes(4, codes.data(), 3, table.data(), hashes.data());
    mix_hashes(4, hashes.data());
    const std::vector<int64_t> weights{1, 0, INT64_MAX, 3};
    EXPECT(sum_hashes(4, hashes.data(), hashes.data(), nullptr)
           != sum_hashes(4, hashes.data(), hashes.data(), weights.data()));
}

template <class T>
void lay(Cell type, T odd) {
    const size_t rows = 70, width = 5;
    auto cells = numbers_below<T>(rows * width, 2, 3);
    Numbers by_rows{rows, {}, {}, std::vector(width, type)}, by_columns = by_rows;
    for (size_t j = 0; j < width; ++j) {
        by_rows.at.push_back(cells.data() + j);
        by_rows.strides.push_back(width);
        by_columns.at.push_back(cells.data() + j * rows);
        by_columns.strides.push_back(1);
    }
    std::vector<double> out(rows * width), turned(rows * width);
    std::vector<uint8_t> codes(rows * width);
    for (const auto& columns : {by_rows, by_columns}) {
        EXPECT(lay_out(columns, 1, rows - 1, true, width, AsDouble{}, out.data()));
        EXPECT(lay_out(columns, 1, rows - 1, false, rows - 1, AsDouble{}, turned.data()));
        EXPECT(lay_out(columns, 0, rows, false, rows, AsCode{0, 1}, codes.data()));
        for (size_t i = 0; i + 1 < rows; ++i)
            for (size_t j = 0; j < width; ++j) EXPECT(out[i * width + j] == turned[j * (rows - 1) + i]);
    }
    cells[rows * width - 1] = odd;
    EXPECT(!lay_out(by_rows, 0, rows, false, rows, AsCode{0, 1}, codes.data()));
    EXPECT(lay_out(by_rows, 0, rows, true, width, AsDouble{}, out.data()) == (sizeof(T) < 8 && type != Cell::f32));
}

void test_doubles() {
    lay<float>(Cell::f32, std::numeric_limits<float>::infinity());
    lay<double>(Cell::f64, -infinity);
    lay<int64_t>(Cell::i64, INT64_MIN);
    lay<uint64_t>(Cell::u64, UINT64_MAX);
    lay<int32_t>(Cell::i32, INT32_MIN);
    lay<uint8_t>(Cell::u8, 255);
    lay<int16_t>(Cell::i16, -1);
}

void test_scores() {
    test_doubles();
    const size_t rows = 700, n_classes = 3;
    std::vector<double> scores(rows * n_classes), shares(scores.size()), table = hard_doubles(5 * n_classes, 9);
    for (double& x : table) x = x == x && x < 1e300 && x > -1e300 ? x : -infinity;
    const auto codes = numbers_below<uint8_t>(rows, 5, 1);
    const auto values = hard_doubles(rows * 2, 2);
    const std::vector<double> mean{0, 1, 2}, half{1, 2, 3}, constant{0, 0, 1};
    add_code_scores(rows, 5, n_classes, codes.data(), table.data(), scores.data());
    NumberScores numbers(n_classes);
    numbers.parabola(mean.data(), half.data(), constant.data());
    numbers.bins(2, mean.data(), table.data(), 10'000);
    const auto doubles = [&](std::vector<const void*> at, std::vector<ptrdiff_t> strides) {
        return Numbers{rows, at, strides, std::vector(at.size(), Cell::f64)};
    };
    const double* const x = values.data();
    EXPECT(numbers.add(rows, {doubles({x, x + rows}, {2, 1})}, scores.data()));
    NumberScores more(n_classes);
    const std::vector<double> cuts{-2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 5}, lines(12 * n_classes, 0.5);
    for (size_t n : {0, 3, 8, 10}) more.bins(n, cuts.data(), lines.data(), n * 1000);
    EXPECT(more.add(rows, {doubles({x, x + 1}, {2, 2}), doubles({x + 1, x}, {1, 1})}, scores.data()));
    std::vector<float> cells(rows * 4, 0.5F);
    Numbers beside{rows, {}, {4, 4, 4, 4}, std::vector(4, Cell::f32)};
    for (size_t j = 0; j < 4; ++j) beside.at.push_back(cells.data() + j);
    EXPECT(more.add(rows, {beside}, scores.data()));
    cells.back() = std::numeric_limits<float>::infinity();
    EXPECT(!more.add(rows, {beside}, shares.data()));
    add_linear_scores(rows, n_classes, values.data() + 1, 2, mean.data(), half.data(), scores.data());
    std::vector<int64_t> starts(rows + 1);
    for (size_t row = 0; row < rows; ++row) starts[row + 1] = starts[row] + static_cast<int64_t>(row % 3);
    const size_t entries = static_cast<size_t>(starts[rows]);
    const auto words = numbers_below<uint32_t>(entries, 5, 6), counts = numbers_below<uint32_t>(entries, 4, 7);
    add_word_scores(rows, 5, n_classes, starts.data(), words.data(), counts.data(), table.data(), scores.data());
    std::vector<uint8_t> best(rows);
    std::vector<double> out(rows);
    best_class(rows, n_classes, scores.data(), best.data());
    softmax(rows, n_classes, scores.data(), shares.data());
    log_sum_exp(rows, n_classes, scores.data(), out.data());
}
