// Naive Bayes kernels and those that walk whole matrices, in every layout and on hard doubles.
#include "tests.hpp"

#include "kernels/bayes/reading.hpp"
#include "kernels/bayes/sums.hpp"
#include "kernels/columns/bins.hpp"
#include "kernels/columns/changes.hpp"
#include "kernels/columns/hash_sample.hpp"
#include "kernels/columns/sample.hpp"
#include "kernels/columns/small_codes.hpp"
#include "kernels/columns/value_counts.hpp"
#include "kernels/sums/one_walk.hpp"

using namespace tally;

namespace {

struct Laid {  // a matrix of hard doubles, its columns as they lie by rows, with others between, or by columns
    std::vector<double> cells;
    std::vector<const double*> at;
    std::vector<ptrdiff_t> strides;
    size_t rows;

    // usual: nearly all cells are numbers of about one size, so that the quick ways are gone.
    Laid(size_t rows, size_t width, bool by_rows, size_t between = 0, bool usual = false)
        : cells(hard_doubles(rows * (width + between), rows + width)),
          rows(rows) {
        for (size_t i = 0; usual && i < cells.size(); ++i)
            if (i % (width + between) < width && i % 53) cells[i] = static_cast<double>(i * 7919 % 2003) / 7 - 100;
        for (size_t j = 0; j < width; ++j) {
            at.push_back(cells.data() + (by_rows ? j : j * rows));
            strides.push_back(by_rows ? static_cast<ptrdiff_t>(width + between) : 1);
        }
    }
    Columns columns() const { return {rows, at.size(), at.data(), strides.data()}; }
};

void sums_equal_those_of_each_column(const Laid& laid, size_t n_classes) {
    const size_t width = laid.at.size();
    const auto classes = numbers_below<uint8_t>(laid.rows, n_classes, 3);
    std::vector<int64_t> digits[3], squares[3], missing[3];
    for (size_t way : {0, 1, 2}) {
        missing[way].resize(width * n_classes);
        digits[way].resize(missing[way].size() * sum_digits);
        squares[way].resize(missing[way].size() * square_digits);
        const MomentTables to{missing[way].data(), digits[way].data(), squares[way].data()};
        if (way == 0) {
            add_columns_by<Slices>(laid.columns(), classes.data(), nullptr, 0, n_classes, to);
        } else if (way == 1) {
            add_columns_by<Products>(laid.columns(), classes.data(), nullptr, 0, n_classes, to);
        } else {
            for (size_t j = 0; j < width; ++j) {
                add_moments(laid.rows, {laid.at[j], laid.strides[j]}, classes.data(), nullptr, n_classes,
                            tables_of(to, j, n_classes));
            }
        }
        carry(width * n_classes, sum_digits, digits[way].data());
        carry(width * n_classes, square_digits, squares[way].data());
    }
    for (size_t way : {0, 1}) EXPECT(missing[way] == missing[2] && digits[way] == digits[2] && squares[way] == squares[2]);
}

void weighted_sums_equal_those_of_each_column(const Laid& laid, size_t n_classes) {
    const size_t width = laid.at.size();
    const auto classes = numbers_below<uint8_t>(laid.rows, n_classes, 3);
    const auto weights = numbers_below<int64_t>(laid.rows, uint64_t{1} << most_weight_bits, 5);
    std::vector<int64_t> digits[2], squares[2], missing[2];
    for (size_t way : {0, 1}) {
        missing[way].resize(width * n_classes);
        digits[way].resize(missing[way].size() * sum_digits);
        squares[way].resize(missing[way].size() * square_digits);
        const MomentTables to{missing[way].data(), digits[way].data(), squares[way].data()};
        if (way == 0)
            add_columns(laid.columns(), classes.data(), weights.data(), most_weight_bits, n_classes, to);
        else
            for (size_t j = 0; j < width; ++j)
                add_moments(laid.rows, {laid.at[j], laid.strides[j]}, classes.data(), weights.data(), n_classes,
                            tables_of(to, j, n_classes));
        carry(width * n_classes, sum_digits, digits[way].data());
        carry(width * n_classes, square_digits, squares[way].data());
    }
    EXPECT(missing[0] == missing[1] && digits[0] == digits[1] && squares[0] == squares[1]);
}

void facts_and_prints(const Laid& laid) {
    const RowScan scan = scan_rows(laid.columns());
    for (size_t j = 0; j < laid.at.size(); ++j) EXPECT(scan.missing[j] <= static_cast<double>(laid.rows));
    RowKeys keys{};
    for (size_t j = 0; j < laid.at.size(); ++j)
        keys.mask[j] = ~uint64_t{0}, keys.key[0][j] = j * 77, keys.key[1][j] = mix(j);
    std::vector<uint64_t> low(laid.rows), high(laid.rows);
    add_prints(laid.columns(), {0, laid.rows}, keys, low.data(), high.data());
    for (size_t row = 0; row < laid.rows; ++row) {
        uint64_t sum = 0;
        for (size_t j = 0; j < laid.at.size(); ++j) {
            sum += print_of(print_bits(laid.at[j][static_cast<ptrdiff_t>(row) * laid.strides[j]]), keys.key[0][j]);
        }
        EXPECT(sum == low[row]);
    }
}

void one_walk_tells_what_three_tell(const Laid& laid) {
    const size_t width = laid.at.size(), n_classes = 3;
    const auto classes = numbers_below<uint8_t>(laid.rows, n_classes, 3);
    const auto labels = numbers_below<uint64_t>(2 * n_classes, 1u << 31, 4);
    RowKeys keys{};
    for (size_t j = 0; j < width; ++j) keys.mask[j] = ~uint64_t{0}, keys.key[0][j] = j * 77, keys.key[1][j] = mix(j);
    const Numbers numbers{laid.rows, {laid.at.begin(), laid.at.end()}, laid.strides, std::vector(width, Cell::f64)};
    const RowsToHash all{laid.rows, {classes.data()}, {labels.data()}, {n_classes}, {{numbers, keys}}, nullptr, nullptr};
    std::vector<int64_t> missing[2], digits[2], squares[2];
    MomentTables to[2];
    for (size_t way : {0, 1}) {
        missing[way].resize(width * n_classes);
        digits[way].resize(missing[way].size() * sum_digits);
        squares[way].resize(missing[way].size() * square_digits);
        to[way] = {missing[way].data(), digits[way].data(), squares[way].data()};
    }
    RowScan scan = nothing_seen();
    const std::vector<uint64_t> limits(width, uint64_t{1} << 61);
    std::vector<int64_t> where(width * 20);
    std::vector<double> what(where.size());
    std::vector<Picked> picked;  // there is no room for all
    for (size_t j = 0; j < width; ++j) picked.push_back({0, 20, where.data() + j * 20, what.data() + j * 20});
    const ToPick picks{limits.data(), picked.data()};
    LeastRows along{uint64_t{1} << 62, {}, {}}, alone = along;
    EXPECT(walk_rows_by<Products>(all, n_classes, &scan, &to[0], &picks, along) == hash_total(all, alone));
    EXPECT(along.rows == alone.rows && along.hashes == alone.hashes && (laid.rows < 100 || !alone.rows.empty()));
    add_columns_by<Products>(laid.columns(), classes.data(), nullptr, 0, n_classes, to[1]);
    for (size_t way : {0, 1}) {
        carry(width * n_classes, sum_digits, digits[way].data());
        carry(width * n_classes, square_digits, squares[way].data());
    }
    EXPECT(missing[0] == missing[1] && digits[0] == digits[1] && squares[0] == squares[1]);
    const RowScan seen = scan_rows(laid.columns());
    for (size_t j = 0; j < width; ++j)
        EXPECT(seen.missing[j] == scan.missing[j] && seen.low[j] == scan.low[j] && seen.high[j] == scan.high[j]);
}

template <class T>
void numbers_of_a_type_are_laid_and_met(Cell type, size_t rows, size_t width, bool by_rows) {
    const auto cells = numbers_below<T>(rows * width, 100, rows + width);
    const size_t n_classes = 3;
    const auto classes = numbers_below<uint8_t>(rows, n_classes, 3);
    Numbers numbers{rows, {}, {}, std::vector(width, type)};
    for (size_t j = 0; j < width; ++j) {
        numbers.at.push_back(cells.data() + (by_rows ? j : j * rows));
        numbers.strides.push_back(by_rows ? static_cast<ptrdiff_t>(width) : 1);
    }
    const std::vector<double> ends{10, 20.5, 70};
    std::vector<std::vector<int64_t>> bins(width, std::vector<int64_t>((ends.size() + 2) * n_classes));
    std::vector<CutTable> cut;
    for (auto& own : bins) cut.push_back({{nullptr, 1}, ends.size(), ends.data(), own.data()});
    count_bins(rows, cut, {numbers}, classes.data(), static_cast<const int64_t*>(nullptr), n_classes);
    for (size_t j = 0; j < width; ++j) {
        for (size_t row = 0; row < rows; ++row) {
            const auto below = std::upper_bound(ends.begin(), ends.end(), numbers.cell(row, j)) - ends.begin();
            --bins[j][static_cast<size_t>(below) * n_classes + classes[row]];
        }
        for (int64_t count : bins[j]) EXPECT(count == 0);
    }
    Near near(numbers, 128);
    for (size_t begin = 0; begin < rows; begin += 128) {
        const NearRows some = near({begin, std::min(begin + 128, rows)});
        for (size_t j = 0; j < width; ++j) {
            const double* const x = some.columns.at[j];
            for (size_t i = some.rows.begin; i < some.rows.end; ++i)
                EXPECT(x[static_cast<ptrdiff_t>(i) * some.columns.strides[j]] == numbers.cell(some.first + i, j));
        }
    }
    for (size_t most : {size_t{5}, size_t{100}}) {
        std::vector<double> values(width * most);
        std::vector<int64_t> counts(width * most * n_classes), missing(width * n_classes), met(width);
        std::vector<ToMeet> to;
        for (size_t j = 0; j < width; ++j)
            to.push_back({values.data() + j * most, counts.data() + j * most * n_classes, missing.data() + j * n_classes});
        meet_values(numbers, classes.data(), nullptr, n_classes, most, to.data(), met.data());
        for (size_t j = 0; j < width; ++j) {
            int64_t sum = 0;
            for (size_t i = 0; i < most * n_classes; ++i) sum += counts[j * most * n_classes + i];
            EXPECT(sum == (met[j] <= static_cast<int64_t>(most) ? static_cast<int64_t>(rows) : 0));
        }
    }
}

void numbers_of_any_type_are_laid_and_met() {
    for (size_t rows : {1, 130, 3000}) {
        for (size_t width : {1, 5, 9}) {
            for (bool by_rows : {true, false}) {
                numbers_of_a_type_are_laid_and_met<double>(Cell::f64, rows, width, by_rows);
                numbers_of_a_type_are_laid_and_met<float>(Cell::f32, rows, width, by_rows);
                numbers_of_a_type_are_laid_and_met<int64_t>(Cell::i64, rows, width, by_rows);
                numbers_of_a_type_are_laid_and_met<uint32_t>(Cell::u32, rows, width, by_rows);
                numbers_of_a_type_are_laid_and_met<int16_t>(Cell::i16, rows, width, by_rows);
                numbers_of_a_type_are_laid_and_met<uint8_t>(Cell::u8, rows, width, by_rows);
            }
        }
    }
}

void classes_change_along_a_column() {
    const Laid laid(500, 3, true);
    std::vector<int64_t> rows(500), classes(500);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(499 - i), classes[i] = i >= 250;
    std::vector<Met> room(rows.size());
    for (size_t j = 0; j < 3; ++j) {
        const Column column{laid.at[j], laid.strides[j]};
        const int64_t changes = class_changes(rows.size(), column, rows.data(), classes.data(), room.data());
        EXPECT(changes > 0 && changes < 500);
    }
    EXPECT(class_changes(0, {laid.at[0], laid.strides[0]}, rows.data(), classes.data(), room.data()) == 0);
}

void joint_codes_count_and_hash() {
    for (size_t rows : {0, 1, 513, 3000}) {
        const size_t n_codes[] = {3, 250, 2, 2, 1, 60, 11, 11, 11}, n_classes = 5, columns = 9;
        std::vector<std::vector<uint8_t>> codes;
        std::vector<std::vector<int64_t>> tables, alone;
        std::vector<std::vector<uint64_t>> hashes;
        std::vector<const uint8_t*> at;
        std::vector<int64_t*> to;
        std::vector<const uint64_t*> from;
        const auto classes = numbers_below<uint8_t>(rows, n_classes, 8);
        for (size_t j = 0; j < columns; ++j) {
            codes.push_back(numbers_below<uint8_t>(rows, n_codes[j], j + 1));
            tables.emplace_back(n_codes[j] * n_classes);
            alone.emplace_back(n_codes[j] * n_classes);
            hashes.push_back(numbers_below<uint64_t>(2 * n_codes[j], 1u << 31, j));
        }
        for (size_t j = 0; j < columns; ++j)
            at.push_back(codes[j].data()), to.push_back(tables[j].data()), from.push_back(hashes[j].data());
        std::vector<uint32_t> cells(2 * joint_cells);
        count_joint(rows, columns, at.data(), classes.data(), n_codes, n_classes, cells.data(), to.data());
        std::vector<Lanes> room(joint_codes);
        std::vector<uint64_t> low(rows), high(rows);
        add_joint_hashes(rows, columns, at.data(), from.data(), n_codes, room.data(), low.data(), high.data());
        for (size_t row = 0; row < rows; ++row) {
            for (size_t j = 0; j < columns; ++j) {
                ++alone[j][codes[j][row] * n_classes + classes[row]];
                high[row] -= hashes[j][n_codes[j] + codes[j][row]];
            }
            EXPECT(high[row] == 0);
        }
        EXPECT(tables == alone);
    }
}

void fingerprints_are_those_of_single_rows() {
    const size_t n_codes[] = {3, 250}, rows = 5000;
    const Laid laid(rows, 3, true);
    const auto a = numbers_below<uint8_t>(rows, n_codes[0], 1), b = numbers_below<uint8_t>(rows, n_codes[1], 2);
    const auto first = numbers_below<uint64_t>(2 * n_codes[0], 1u << 31, 3),
               second = numbers_below<uint64_t>(2 * n_codes[1], 1u << 31, 4);
    const auto more = numbers_below<uint64_t>(2 * rows, 1u << 31, 5);
    const auto weights = numbers_below<int64_t>(rows, 9, 6);
    RowKeys keys{};
    for (size_t j = 0; j < 3; ++j) keys.mask[j] = ~uint64_t{0}, keys.key[0][j] = j * 77, keys.key[1][j] = mix(j);
    const RowsToHash all{rows,
                         {a.data(), b.data()},
                         {first.data(), second.data()},
                         {n_codes[0], n_codes[1]},
                         {{{rows, {laid.at.begin(), laid.at.end()}, laid.strides, std::vector(3, Cell::f64)}, keys}},
                         more.data(),
                         weights.data()};
    uint128 sum = 0;
    for (size_t row = 0; row < rows; ++row) {
        uint64_t half[2];
        for (size_t lane : {0, 1}) {
            half[lane] = more[lane * rows + row] + first[lane * n_codes[0] + a[row]] + second[lane * n_codes[1] + b[row]];
            for (size_t j = 0; j < 3; ++j)
                half[lane] +=
                    print_of(print_bits(laid.at[j][static_cast<ptrdiff_t>(row) * laid.strides[j]]), keys.key[lane][j]);
        }
        const uint128 hash = static_cast<uint128>(mix(half[1])) << 64 | mix(half[0]);
        sum += hash * static_cast<uint64_t>(weights[row]);
    }
    LeastRows least{uint64_t{1} << 62, {}, {}};
    EXPECT(hash_total(all, least) == sum);

    const std::vector<int64_t> starts{0, 2, 2, 5};
    const std::vector<uint32_t> words{0, 3, 1, 2, 3}, counts{1, 2, 3, 4, 4294967295u};
    const auto table = numbers_below<uint64_t>(2 * 4, 1u << 31, 7);
    std::vector<uint64_t> low(3), high(3);
    add_word_hashes(3, starts.data(), words.data(), counts.data(), 4, table.data(), low.data(), high.data());
    EXPECT(low[0] == table[0] + 2 * table[3] && low[1] == 0 && high[0] == table[4] + 2 * table[7]);
}

void words_scores_cuts_and_codes() {
    const std::vector<int64_t> starts{0, 2, 2, 5};
    const std::vector<uint32_t> words{0, 3, 1, 2, 3}, counts{1, 2, 3, 4, 5};
    const std::vector<uint8_t> classes{1, 0, 1};
    std::vector<int64_t> table(3 * 2);
    count_entries(3, starts.data(), words.data(), counts.data(), classes.data(), nullptr, 3, 2, table.data());
    EXPECT(table[1] == 1 && table[3] == 3 && table[5] == 4);  // word 3 is beyond the table

    std::vector<int64_t> many(1001);
    for (size_t row = 0; row <= 1000; ++row) many[row] = static_cast<int64_t>(70 * row);
    const auto met = numbers_below<uint32_t>(70000, 44001, 9);
    const auto three = numbers_below<uint8_t>(1000, 3, 10);
    std::vector<int64_t> large(44000 * 3);  // counted class after class
    count_entries(1000, many.data(), met.data(), nullptr, three.data(), nullptr, 44000, 3, large.data());
    for (size_t entry = 0; entry < met.size(); ++entry)
        if (met[entry] < 44000) --large[met[entry] * 3 + three[entry / 70]];
    for (int64_t left : large) EXPECT(left == 0);

    const auto codes = numbers_below<uint8_t>(1000, 4, 2);
    const uint8_t* const at[] = {codes.data(), codes.data()};
    const size_t sizes[] = {4, 4};
    for (size_t k : {1, 2, 3, 4, 5}) {
        const std::vector<double> parts(4 * k, 0.5);
        const double* const from[] = {parts.data(), parts.data()};
        for (size_t n : {3, 257, 1000}) {
            std::vector<double> scores(n * k);
            add_level_scores(n, {2, at, from, sizes}, k, scores.data());
            for (double score : scores) EXPECT(score == 1.0);
        }
    }

    const size_t n_values = 2000;  // enough for cells that are passed over
    auto counted = numbers_below<int64_t>(n_values * 2, 9, 4);
    for (size_t i = 0; i < counted.size(); ++i) counted[i] *= i % 2 == i / n_values;
    std::vector<int64_t> sums((n_values + 1) * 2);
    for (size_t i = 0; i < counted.size(); ++i) sums[i + 2] = sums[i] + counted[i];
    std::vector<double> n_log_n(10), values(n_values);
    for (size_t n = 1; n < n_log_n.size(); ++n) n_log_n[n] = static_cast<double>(n) * log2_of(static_cast<double>(n));
    for (size_t v = 0; v < n_values; ++v) values[v] = static_cast<double>(v);
    const NLogN h{n_log_n.data(), n_log_n.size()};
    const Sorted<> sorted{n_values, 2, sums.data()};
    const std::vector<Place> cuts = MdlRule(sorted, 1.0, h).cuts();
    EXPECT(cuts.size() == 1 && sorted.index(cuts[0]) == n_values / 2);
    FoldJudge<2> judge({n_values, 2, values.data(), counted.data(), 1}, h);
    Readings said;
    for (int64_t fold = 0; fold < 5; ++fold) judge.judge(fold, 5, said);
    EXPECT(said.cases == static_cast<double>(sums[n_values * 2] + sums[n_values * 2 + 1]) && said.binned > said.gaussian);

    std::vector<double> rows(50000), ends(300);  // enough for cells of cuts
    std::vector<uint8_t> halves(rows.size());
    const auto places = numbers_below<uint32_t>(rows.size(), 1u << 20, 8);
    for (size_t row = 0; row < rows.size(); ++row) {
        rows[row] = row % 100 ? static_cast<double>(places[row]) : not_a_number;
        halves[row] = places[row] >= 1u << 19;
    }
    for (int form : {0, 1, 2, 3}) {  // in steps, one within a cell, not in steps, crowded
        for (size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<double>((i + 1) << (form == 3 ? 0 : 11));
        if (form == 1) ends[1] += 0.1;
        for (size_t i = 0; i < ends.size() && form == 2; ++i) ends[i] += 0.1 * static_cast<double>(i);
        if (form == 3) ends.back() = 1e300;
        EXPECT(BinFinder(ends.size(), ends.data(), rows.size()).has_steps() == (form < 2));
        std::vector<int64_t> counts((ends.size() + 2) * 2);
        count_bins(rows.size(), {{{rows.data(), 1}, ends.size(), ends.data(), counts.data()}}, {}, halves.data(),
                   static_cast<const int64_t*>(nullptr), 2);
        std::vector<uint16_t> bins(rows.size());
        bin_values(rows.size(), Column{rows.data(), 1}, ends.size(), ends.data(), bins.data());
        for (size_t row = 0; row < rows.size(); ++row) {
            const auto below = std::upper_bound(ends.begin(), ends.end(), rows[row]) - ends.begin();
            const size_t bin = rows[row] == rows[row] ? static_cast<size_t>(below) : ends.size() + 1;
            EXPECT(bins[row] == bin);
            --counts[bin * 2 + halves[row]];
        }
        for (int64_t count : counts) EXPECT(count == 0);
        const size_t size = counts.size(), tall = rows.size() / 10;  // the same numbers as the rows of a matrix
        std::vector<int64_t> together(10 * size), alone(10 * size);
        std::vector<CutTable> matrix;
        for (size_t j = 0; j < 10; ++j) {
            matrix.push_back({{rows.data() + j, 10}, ends.size(), ends.data(), together.data() + j * size});
            count_bins(tall, {{{rows.data() + j, 10}, ends.size(), ends.data(), alone.data() + j * size}}, {}, halves.data(),
                       static_cast<const int64_t*>(nullptr), 2);
        }
        count_bins(tall, matrix, {}, halves.data(), static_cast<const int64_t*>(nullptr), 2);
        EXPECT(together == alone);
    }
    for (double width : {1e-9, 0.7, 1023.0, 1025.0, 1e12}) {  // ends that are rounded by the most steps are found by steps
        for (size_t i = 0; i < ends.size(); ++i) ends[i] = width * (static_cast<double>(i * i % 997) / 997 - 0.3);
        std::sort(ends.begin(), ends.end());
        int power = 0;
        std::frexp((ends.back() - ends.front()) / static_cast<double>(BinFinder::most_steps), &power);
        for (size_t i = 0; i < ends.size(); ++i)
            if (i % 30) ends[i] = std::ldexp(std::rint(std::ldexp(ends[i], -power)), power);
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        EXPECT(BinFinder(ends.size(), ends.data(), rows.size()).has_steps());
    }
    const std::vector<double> falling{0, 1e6, 100, 2000, -4000};
    EXPECT(!BinFinder(falling.size(), falling.data(), rows.size()).has_steps());
    std::vector<int64_t> where(rows.size());
    std::vector<double> picked_values(rows.size());
    Picked picked{0, where.size(), where.data(), picked_values.data()};
    const double* own = rows.data();
    const ptrdiff_t stride = 1;
    const uint64_t limit = uint64_t{1} << 60;
    pick_values(Columns{rows.size(), 1, &own, &stride}, {0, rows.size()}, &limit, 7, &picked);
    EXPECT(picked.n && where[0] >= 7);
    EXPECT(picked.n > rows.size() / 100 && picked.n < rows.size() / 4);
    std::vector<double> kept(1000);
    std::vector<int64_t> by_class(2 * kept.size()), none(2);
    const SampledValues sample = sample_values(picked.n, picked_values.data(), halves.data(), nullptr, 2, limit, kept.size(),
                                               kept.data(), by_class.data(), none.data());
    EXPECT(sample.kept == kept.size() && sample.limit < limit && std::is_sorted(kept.begin(), kept.end()));
    EXPECT(none[0] + none[1] == static_cast<int64_t>(rows.size() / 100));
    const std::vector<int64_t> threes(picked.n, 3);
    std::vector<int64_t> weighed(by_class.size()), missing(2);
    sample_values(picked.n, picked_values.data(), halves.data(), threes.data(), 2, limit, kept.size(), kept.data(),
                  weighed.data(), missing.data());
    for (size_t i = 0; i < by_class.size(); ++i) EXPECT(weighed[i] == 3 * by_class[i]);
}

// Codes of small whole numbers, by rows and by columns, with codes below 64 and beyond.
template <class T>
void small_numbers_are_coded(size_t rows, size_t width, uint64_t below) {
    const auto matrix = numbers_below<T>(rows * width, below, 6);
    std::vector<int64_t> base(width);
    for (size_t j = 0; j < width; ++j) base[j] = j % 3 == 2 ? -1 : 0;
    const auto deep = static_cast<ptrdiff_t>(rows), wide = static_cast<ptrdiff_t>(width);
    for (const auto& [down, right] : {std::pair{wide, ptrdiff_t{1}}, std::pair{ptrdiff_t{1}, deep}}) {
        std::vector<uint8_t> codes(rows * width), fits(width, 1), seen(width * 256);
        small_codes(rows, SmallCodes<T>{width, matrix.data(), down, right, base.data(), rows, codes.data(), fits.data(),
                                        seen.data()});
        for (size_t j = 0; j < width; ++j) {
            std::vector<uint8_t> there(256);
            uint64_t all = 0;
            for (size_t i = 0; i < rows; ++i) {
                const T value = matrix[i * static_cast<size_t>(down) + j * static_cast<size_t>(right)];
                const uint64_t code = static_cast<uint64_t>(static_cast<int64_t>(value)) - static_cast<uint64_t>(base[j]);
                EXPECT(codes[j * rows + i] == static_cast<uint8_t>(code));
                there[static_cast<uint8_t>(code)] = 1, all |= code;
            }
            EXPECT((fits[j] == 1) == (all < 256));
            EXPECT(std::equal(there.begin(), there.end(), seen.begin() + static_cast<ptrdiff_t>(256 * j)));
        }
    }
}

}  // namespace

void test_bayes() {
    for (bool by_rows : {true, false}) {
        for (size_t width : {1, 7, 30, 64}) {
            for (size_t rows : {0, 1, 33, 5000}) {
                for (size_t between : {0, 3}) {
                    const Laid hard(rows, width, by_rows, between), usual(rows, width, by_rows, between, true);
                    sums_equal_those_of_each_column(hard, 3);
                    sums_equal_those_of_each_column(usual, 3);
                    weighted_sums_equal_those_of_each_column(hard, 3);
                    weighted_sums_equal_those_of_each_column(usual, 3);
                    facts_and_prints(hard);
                    one_walk_tells_what_three_tell(hard);
                    one_walk_tells_what_three_tell(usual);
                }
            }
        }
    }
    numbers_of_any_type_are_laid_and_met();
    classes_change_along_a_column();
    joint_codes_count_and_hash();
    fingerprints_are_those_of_single_rows();
    words_scores_cuts_and_codes();
    for (size_t rows : {0, 1, 255, 600}) {
        for (size_t width : {1, 3, 8, 30, 70}) {
            for (uint64_t below : {9, 64, 200, 400}) {
                small_numbers_are_coded<int64_t>(rows, width, below);
                small_numbers_are_coded<int32_t>(rows, width, below);
                small_numbers_are_coded<uint8_t>(rows, width, below);
            }
        }
    }
}
