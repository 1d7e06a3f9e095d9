// The compiled module. Each binding unpacks arrays and calls one kernel with the GIL released.
// bindings.hpp holds what the binding files share; bindings_<room>.cpp hold the rest of the bindings.
#include "bindings.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

#include "kernels/base/math.hpp"
#include "kernels/columns/bins.hpp"
#include "kernels/columns/hash.hpp"
#include "kernels/columns/order.hpp"
#include "kernels/columns/ranks.hpp"
#include "kernels/columns/scan.hpp"
#include "kernels/csv/cells.hpp"
#include "kernels/sums/counts.hpp"
#include "kernels/sums/entropy.hpp"
#include "kernels/sums/joint.hpp"
#include "kernels/sums/moments.hpp"
#include "kernels/sums/scores.hpp"

namespace {

// ---- counts -------------------------------------------------------------------------------------------------

constexpr size_t full = size_t{1} << 32;  // rows at which a cell of 32 bits could be full

// tables[column] [node, code, class] += rows of each column. Columns of few codes are counted together.
void count_all(const std::vector<AnyIn>& columns, const AnyIn& classes, const Maybe<int64_t>& weights,
               const Maybe<uint32_t>& nodes, const std::vector<size_t>& n_codes, size_t n_classes,
               const std::vector<int64_t*>& tables) {
    const size_t rows = classes.size();
    const bool plain = !weights && !nodes && classes.itemsize() == 1 && rows < full;
    const auto small = [&](size_t j) {
        return plain && columns[j].itemsize() == 1 && n_codes[j] * n_classes <= joint_cells;
    };
    std::vector<const uint8_t*> at;
    std::vector<int64_t*> to;
    std::vector<size_t> sizes;
    for (size_t j = 0; j < columns.size(); ++j)
        if (small(j))
            at.push_back(static_cast<const uint8_t*>(columns[j].data())), to.push_back(tables[j]),
                sizes.push_back(n_codes[j]);
    const bool together = at.size() > 1;
    if (together) {
        std::vector<uint32_t> cells(2 * joint_cells);
        const auto* const c = static_cast<const uint8_t*>(classes.data());
        count_joint(rows, at.size(), at.data(), c, sizes.data(), n_classes, cells.data(), to.data());
    }
    for (size_t j = 0; j < columns.size(); ++j) {
        if (together && small(j)) continue;
        by_width(columns[j], [&](auto* codes) {
            by_width(classes, [&](auto* c) {
                count_codes(rows, pointer(nodes), codes, c, pointer(weights), n_codes[j], n_classes, tables[j]);
            });
        });
    }
}

std::vector<Out<int64_t>> count_columns_into(const std::vector<AnyIn>& columns, const AnyIn& classes,
                                             const std::vector<int64_t>& n_codes, int64_t n_classes,
                                             const Maybe<int64_t>& weights, const Maybe<uint32_t>& nodes, int64_t n_nodes,
                                             const std::optional<std::vector<Out<int64_t>>>& out) {
    const size_t rows = classes.size(), k = static_cast<size_t>(n_classes), n = static_cast<size_t>(n_nodes);
    need_same("n_codes", n_codes.size(), columns.size());
    if (out) need_same("out", out->size(), columns.size());
    need_size("n_classes", n_classes), need_size("n_nodes", n_nodes);
    need_codes("classes", classes, rows), need("weights", weights, {rows}), need("nodes", nodes, {rows});
    std::vector<Out<int64_t>> tables;
    std::vector<int64_t*> to;
    std::vector<size_t> sizes;
    for (size_t j = 0; j < columns.size(); ++j) {
        need_codes("codes", columns[j], rows), need_size("n_codes", n_codes[j]);
        const auto size = static_cast<size_t>(n_codes[j]);
        if (out && nodes) need("out", (*out)[j], {n, size, k});
        if (out && !nodes) need("out", (*out)[j], {size, k});
        const auto table = [&]() -> Out<int64_t> {
            if (out) return (*out)[j];
            return Out<int64_t>(nodes ? zeros<int64_t>({n, size, k}) : zeros<int64_t>({size, k}));
        };
        tables.push_back(table()), to.push_back(tables.back().data()), sizes.push_back(size);
    }
    nb::gil_scoped_release free;
    count_all(columns, classes, weights, nodes, sizes, k, to);
    return tables;
}

void bind_counts(nb::module_& m) {
    m.def(
        "count_classes",
        [](AnyIn classes, int64_t n_classes, Maybe<int64_t> weights, std::optional<Out<int64_t>> out) {
            need_size("n_classes", n_classes);
            const auto k = static_cast<size_t>(n_classes);
            need_codes("classes", classes, any), need("weights", weights, {classes.size()});
            if (out) need("out", *out, {k});
            Out<int64_t> table = out ? *out : Out<int64_t>(zeros<int64_t>({k}));
            nb::gil_scoped_release free;
            by_width(classes, [&](auto* c) { count_classes(classes.size(), c, pointer(weights), k, table.data()); });
            return table;
        },
        "Return out[class] = rows (or weight) of each class; a given `out` is added to.", nb::arg("classes").noconvert(),
        nb::arg("n_classes"), nb::arg("weights").noconvert() = nb::none(), nb::arg("out").noconvert() = nb::none());

    m.def(
        "count_codes",
        [](AnyIn codes, AnyIn classes, int64_t n_codes, int64_t n_classes, Maybe<int64_t> weights, Maybe<uint32_t> nodes,
           int64_t n_nodes, std::optional<Out<int64_t>> out) {
            std::optional<std::vector<Out<int64_t>>> given;
            if (out) given = {*out};
            return count_columns_into({codes}, classes, {n_codes}, n_classes, weights, nodes, n_nodes, given)[0];
        },
        "Return out[node, code, class] = rows (or weight); [code, class] without nodes. A given `out` is added to.",
        nb::arg("codes").noconvert(), nb::arg("classes").noconvert(), nb::arg("n_codes"), nb::arg("n_classes"),
        nb::kw_only(), nb::arg("weights").noconvert() = nb::none(), nb::arg("nodes").noconvert() = nb::none(),
        nb::arg("n_nodes") = 1, nb::arg("out").noconvert() = nb::none());

    m.def("count_columns", &count_columns_into,
          "Return one table per column, each as `count_codes` gives it, in one call. A given `out` is added to.",
          nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("n_codes"), nb::arg("n_classes"),
          nb::kw_only(), nb::arg("weights").noconvert() = nb::none(), nb::arg("nodes").noconvert() = nb::none(),
          nb::arg("n_nodes") = 1, nb::arg("out").noconvert() = nb::none());
    m.attr("joint_codes") = joint_codes;
}

// ---- scan ---------------------------------------------------------------------------------------------------

using ScanTuple = std::tuple<int64_t, int64_t, double, double, bool, bool>;

ScanTuple as_tuple(const Scan& s) {
    return {static_cast<int64_t>(s.missing), s.first_infinity, s.low + 0.0, s.high + 0.0, s.whole, s.binary};
}

template <class T>
ScanTuple scan_one(Strided<T> values) {
    need("values", values, {any});
    Scan seen = scan_nothing();
    scan_values(0, values.size(), values.data(), values.stride(0), seen);
    return as_tuple(seen);
}

// All columns of a matrix [row, column], in row blocks that stay in the second-level cache.
template <class T>
std::vector<ScanTuple> scan_matrix(Strided<T> matrix) {
    need("matrix", matrix, {any, any});
    constexpr size_t tile = 256;
    const size_t rows = matrix.shape(0), columns = matrix.shape(1);
    std::vector<Scan> seen(columns, scan_nothing());
    for (size_t begin = 0; begin < rows; begin += tile) {
        const size_t n = std::min(tile, rows - begin);
        for (size_t j = 0; j < columns; ++j) {
            const T* at = matrix.data() + static_cast<ptrdiff_t>(begin) * matrix.stride(0)
                          + static_cast<ptrdiff_t>(j) * matrix.stride(1);
            scan_values(begin, n, at, matrix.stride(0), seen[j]);
        }
    }
    std::vector<ScanTuple> out;
    for (const Scan& s : seen) out.push_back(as_tuple(s));
    return out;
}

template <class T>
std::tuple<T, T> scan_range(Strided<T> values) {
    need("values", values, {any});
    T low = 0, high = 0;
    scan_whole(values.size(), values.data(), values.stride(0), low, high);
    return {low, high};
}

void bind_scan(nb::module_& m) {
    m.def("scan", &scan_one<double>, nb::arg("values").noconvert(), Release());
    m.def("scan", &scan_one<float>, nb::arg("values").noconvert(), Release());
    m.def("scan_matrix", &scan_matrix<double>, nb::arg("matrix").noconvert(), Release());
    m.def("scan_matrix", &scan_matrix<float>, nb::arg("matrix").noconvert(), Release());
    m.def("scan_whole", &scan_range<int64_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<uint64_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<int32_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<uint32_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<int16_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<uint16_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<int8_t>, nb::arg("values").noconvert(), Release());
    m.def("scan_whole", &scan_range<uint8_t>, nb::arg("values").noconvert(), Release());
}

// ---- ranks --------------------------------------------------------------------------------------------------

Column column_of(const Strided<double>& values) { return {values.data(), values.stride(0)}; }

// Numbers of rows have 32 bits.
void need_few(const char* name, size_t rows) {
    if (rows >> 32) refuse(std::string(name) + " must have fewer than 2**32 rows; found " + std::to_string(rows));
}

void need_scratch(const Strided<double>& values, const auto& scratch, size_t present) {
    need("values", values, {any}), need_few("values", values.size()), need("scratch", scratch, {2, values.size()});
    if (present > values.size()) refuse("present must not be more than the rows");
}

void bind_ranks(nb::module_& m) {
    // scratch[2, row] -> (present, distinct); the first half then holds the sorted elements.
    m.def(
        "rank_rows",
        [](Strided<double> values, Out<uint64_t> scratch) {
            need_scratch(values, scratch, 0);
            const size_t rows = values.size();
            const Ranked ranked = rank_rows(rows, column_of(values), scratch.data(), scratch.data() + rows);
            return std::tuple(ranked.present, ranked.distinct);
        },
        nb::arg("values").noconvert(), nb::arg("scratch").noconvert(), Release());

    m.def(
        "rank_codes",
        [](Strided<double> values, Out<uint64_t> scratch, size_t present, AnyOut codes, Out<double> distinct) {
            need_scratch(values, scratch, present);
            const size_t rows = values.size();
            need_codes("codes", AnyIn(codes), rows), need("distinct", distinct, {any});
            by_width_out(codes, [&](auto* c) {
                rank_codes(rows, column_of(values), {present, distinct.size()}, scratch.data(), scratch.data() + rows, c,
                           distinct.data());
            });
        },
        nb::arg("values").noconvert(), nb::arg("scratch").noconvert(), nb::arg("present"), nb::arg("codes").noconvert(),
        nb::arg("distinct").noconvert(), Release());

    m.def(
        "rank_order",
        [](Strided<double> values, In<uint64_t> scratch, size_t present, Out<uint32_t> order) {
            need_scratch(values, scratch, present), need("order", order, {values.size()});
            rank_order(values.size(), column_of(values), {present, 0}, scratch.data(), order.data());
        },
        nb::arg("values").noconvert(), nb::arg("scratch").noconvert(), nb::arg("present"), nb::arg("order").noconvert(),
        Release());

    m.def(
        "rank_counts",
        [](In<uint64_t> scratch, size_t present, Out<int64_t> counts) {
            need("scratch", scratch, {2, any}), need("counts", counts, {any});
            if (present > scratch.shape(1)) refuse("present must not be more than the rows");
            rank_counts({present, counts.size()}, scratch.data(), counts.data());
        },
        nb::arg("scratch").noconvert(), nb::arg("present"), nb::arg("counts").noconvert(), Release());

    m.def(
        "key_hashes",
        [](In<uint64_t> hashes, uint64_t key, std::optional<Out<uint64_t>> out) {
            need("hashes", hashes, {any});
            if (out) need("out", *out, {hashes.size()});
            Out<uint64_t> to = out ? *out : Out<uint64_t>(fresh<uint64_t>({hashes.size()}));
            nb::gil_scoped_release free;
            key_hashes(hashes.size(), hashes.data(), key, to.data());
            return to;
        },
        "Return out[row], another hash for another key; out may be the hashes themselves.", nb::arg("hashes").noconvert(),
        nb::arg("key"), nb::arg("out").noconvert() = nb::none());

    m.def(
        "number_copies",
        [](In<uint64_t> keys) {
            need("keys", keys, {any}), need_few("keys", keys.size());
            New<int64_t> numbers = fresh<int64_t>({keys.size()});
            nb::gil_scoped_release free;
            const size_t distinct = number_copies(keys.size(), keys.data(), numbers.data());
            return std::tuple(numbers, distinct);
        },
        "Return numbers[row], how many rows before it have its key, and how many keys differ.", nb::arg("keys").noconvert());

    m.def(
        "order_keys",
        [](In<uint64_t> keys, std::optional<AnyIn> classes, size_t n_classes) {
            need("keys", keys, {any}), need_few("keys", keys.size());
            if (classes) need_codes("classes", *classes, keys.size()), need_size("n_classes", int64_t(n_classes));
            New<int64_t> order = fresh<int64_t>({keys.size()});
            nb::gil_scoped_release free;
            const auto by = [&](auto* c) { order_keys(keys.size(), keys.data(), c, n_classes, order.data()); };
            if (classes)
                by_width(*classes, by);
            else
                by(static_cast<const uint8_t*>(nullptr));
            return order;
        },
        "Return the rows in the order of their keys, class by class where there are classes; equal ones in the order they "
        "have.",
        nb::arg("keys").noconvert(), nb::arg("classes").noconvert() = nb::none(), nb::arg("n_classes") = 0);

    m.def(
        "count_cells",
        [](Strided<double> values, double start, double scale, Maybe<int64_t> weights, Out<int64_t> counts) {
            need("values", values, {any}), need("weights", weights, {values.size()}), need("counts", counts, {any});
            need_size("cells", int64_t(counts.size()));
            const Grid grid{start, scale, counts.size()};
            count_cells(values.size(), column_of(values), grid, pointer(weights), counts.data());
        },
        "Do counts[cell] += rows (or weight), cell = (x / 2 - start) * scale within the cells; missing values are in none.",
        nb::arg("values").noconvert(), nb::arg("start"), nb::arg("scale"), nb::arg("weights").noconvert().none(),
        nb::arg("counts").noconvert(), Release());

    m.def(
        "pick_cells",
        [](Strided<double> values, double start, double scale, In<bool> wanted) {
            need("values", values, {any}), need_few("values", values.size()), need("wanted", wanted, {any});
            need_size("cells", int64_t(wanted.size()));
            const std::unique_ptr<uint32_t[]> picked(new uint32_t[values.size() + 1]);
            size_t count = 0;
            {
                nb::gil_scoped_release free;
                const Grid grid{start, scale, wanted.size()};
                const auto* const there = reinterpret_cast<const uint8_t*>(wanted.data());
                count = pick_cells(values.size(), column_of(values), grid, there, picked.get());
            }
            New<uint32_t> out = fresh<uint32_t>({count});
            std::copy_n(picked.get(), count, out.data());
            return out;
        },
        "Return the rows whose values lie in cells with wanted[cell], see `count_cells`.", nb::arg("values").noconvert(),
        nb::arg("start"), nb::arg("scale"), nb::arg("wanted").noconvert());

    m.def(
        "bins",
        [](Strided<double> values, In<double> cuts) {
            need("values", values, {any}), need("cuts", cuts, {any});
            AnyNew codes = fresh_codes(cuts.size() + 3, values.size());
            nb::gil_scoped_release free;
            by_width_out(codes, [&](auto* c) { bin_values(values.size(), column_of(values), cuts.size(), cuts.data(), c); });
            return codes;
        },
        "Return codes[row] = number of cuts <= value (x < cut is left of it); missing is len(cuts) + 1.",
        nb::arg("values").noconvert(), nb::arg("cuts").noconvert());
}

// ---- math ---------------------------------------------------------------------------------------------------

template <void (*kernel)(size_t, const double*, double*)>
void on_values(In<double> in, Out<double> out) {
    need("values", in, {any}), need("out", out, {in.size()});
    kernel(in.size(), in.data(), out.data());
}

void bind_math(nb::module_& m) {
    const auto in = nb::arg("values").noconvert();
    const auto out = nb::arg("out").noconvert();
    m.def("exp", &on_values<exp_values>, in, out, Release());
    m.def("log", &on_values<log_values>, in, out, Release());
    m.def("log2", &on_values<log2_values>, in, out, Release());
    m.def("log1p", &on_values<log1p_values>, in, out, Release());
    m.def("sigmoid", &on_values<sigmoid_values>, in, out, Release());
    m.def(
        "clone",
        [] {
            constexpr const char* names[] = {"baseline", "avx2", "avx512", "ifma"};
            return names[static_cast<int>(level)];
        },
        "Which form of the hot loops runs here.");
    m.def(
        "n_log2_n",
        [](In<int64_t> numbers, int64_t largest) {
            need("numbers", numbers, {any});
            const auto [low, high] = std::minmax_element(numbers.data(), numbers.data() + numbers.size());
            if (largest < 0 || largest >> 52 || (numbers.size() && (*low < 0 || *high > largest)))
                refuse("numbers must be in 0..largest, and largest below 2^52; found " + std::to_string(largest));
            New<int64_t> out = fresh<int64_t>({numbers.size()});
            nb::gil_scoped_release free;
            const Logs logs(largest, Logs::some);
            for (size_t i = 0; i < numbers.size(); ++i) out.data()[i] = logs(numbers.data()[i]);
            return out;
        },
        "Return F(n) = n log2(n) 2^s as whole numbers below 2^60, with one s for all n in 0..largest.\n\n"
        "They are those that trees are grown by: F(ab) = b F(a) + a F(b) to the last unit for ab up to 2^16.",
        nb::arg("numbers").noconvert(), nb::arg("largest"));
}

// ---- moments ------------------------------------------------------------------------------------------------

void bind_moments(nb::module_& m) {
    m.attr("sum_digits") = sum_digits;
    m.attr("bin_steps") = BinFinder::most_steps;
    m.attr("square_digits") = square_digits;
    m.attr("most_rows") = most_rows;
    m.def("bucket_words", &bucket_words, nb::arg("n_columns"), nb::arg("n_classes"), nb::arg("weighted"));

    m.def(
        "add_moments",
        [](Strided<double> matrix, AnyIn classes, Maybe<int64_t> weights, Out<uint64_t> scratch, Out<int64_t> missing,
           Out<int64_t> sums, Out<int64_t> squares) {
            need("matrix", matrix, {any, any}), need("missing", missing, {any, any});
            const size_t rows = matrix.shape(0), columns = missing.shape(0), k = missing.shape(1);
            need("matrix", matrix, {rows, columns}), need_codes("classes", classes, rows), need("weights", weights, {rows});
            need("missing", missing, {columns, k}), need("sums", sums, {columns, k, size_t(sum_digits)});
            need("squares", squares, {columns, k, size_t(square_digits)});
            need("scratch", scratch, {size_t(bucket_words(columns, k, weights.has_value()))});
            const Matrix view{matrix.shape(0), matrix.shape(1), matrix.data(), matrix.stride(0), matrix.stride(1)};
            by_width(classes, [&](auto* c) {
                add_matrix_moments(view, c, pointer(weights), missing.shape(1), scratch.data(),
                                   {missing.data(), sums.data(), squares.data()});
            });
        },
        nb::arg("matrix").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("scratch").noconvert(), nb::arg("missing").noconvert(), nb::arg("sums").noconvert(),
        nb::arg("squares").noconvert(), Release());

    m.def(
        "carry",
        [](Out<int64_t> digits) {
            need("digits", digits, {any, any});
            carry(digits.shape(0), digits.shape(1), digits.data());
        },
        nb::arg("digits").noconvert(), Release());
}

// ---- hashes -------------------------------------------------------------------------------------------------

// Hashes of cells and rows in two lanes of 64 bits: for fingerprints and folds, not for secrets. A row's hash is mix(sum
// over columns of its cells' hashes): hashes[lane, row] starts at 0, each column adds, then `mix_hashes` ends it. A
// column's key comes from its name, so the order of columns does not matter.

template <class Offset>
void bind_text_hashes(nb::module_& m) {
    m.def(
        "add_text_hashes",
        [](Out<uint64_t> hashes, In<uint8_t> data, In<Offset> offsets, Maybe<uint8_t> validity, Key key, size_t bit_offset) {
            need("hashes", hashes, {2, any});
            const size_t rows = hashes.shape(1);
            need("data", data, {any}), need("offsets", offsets, {rows + 1}), need("validity", validity, {any});
            const Offset first = offsets.data()[0], last = offsets.data()[rows];
            if (first < 0 || last < first || static_cast<uint64_t>(last) > data.size())
                refuse("offsets must lie within data; found " + std::to_string(first) + ".." + std::to_string(last) + " for "
                       + std::to_string(data.size()) + " bytes");
            if (validity && (bit_offset >> 48 || 8 * validity->size() < bit_offset + rows))
                refuse("validity must have " + std::to_string(bit_offset + rows) + " bits");
            const TextCells<Offset> texts{reinterpret_cast<const char*>(data.data()), offsets.data(), pointer(validity),
                                          bit_offset};
            add_text_hashes(rows, texts, key.first, hashes.data());
            add_text_hashes(rows, texts, key.second, hashes.data() + rows);
        },
        "Do hashes[lane, row] += hash of the text data[offsets[row]:offsets[row + 1]] under key[lane].\n\n"
        "Bit (bit_offset + row) of validity is 1 where the cell is there; None: all are.",
        nb::arg("hashes").noconvert(), nb::arg("data").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("validity").noconvert().none(), nb::arg("key"), nb::kw_only(), nb::arg("bit_offset") = 0, Release());
}

nb::int_ of_128(uint64_t low, uint64_t high) { return nb::int_((nb::int_(high) << nb::int_(64)) + nb::int_(low)); }

void bind_hashes(nb::module_& m) {
    m.def(
        "hash_text",
        [](nb::bytes data, Key key) {
            return Key(hash_bytes(data.c_str(), data.size(), key.first), hash_bytes(data.c_str(), data.size(), key.second));
        },
        "Return the two lanes of the hash of some bytes: a column's key from its name, a level's hash.", nb::arg("data"),
        nb::arg("key") = Key(1, 2));
    m.def(
        "hash_missing", [](Key key) { return Key(hash_bits(missing_cell, key.first), hash_bits(missing_cell, key.second)); },
        "Return the two lanes of a missing cell's hash.", nb::arg("key"));
    bind_text_hashes<int32_t>(m);
    bind_text_hashes<int64_t>(m);

    m.def(
        "add_double_hashes",
        [](Out<uint64_t> hashes, Strided<double> values, Key key) {
            need("hashes", hashes, {2, any});
            const size_t rows = hashes.shape(1);
            need("values", values, {rows});
            add_double_hashes(rows, values.data(), values.stride(0), key.first, hashes.data());
            add_double_hashes(rows, values.data(), values.stride(0), key.second, hashes.data() + rows);
        },
        "Do hashes[lane, row] += hash of values[row] under key[lane]; NaN is missing, -0.0 is 0.0.",
        nb::arg("hashes").noconvert(), nb::arg("values").noconvert(), nb::arg("key"), Release());

    m.def(
        "add_code_hashes",
        [](Out<uint64_t> hashes, AnyIn codes, In<uint64_t> table) {
            need("hashes", hashes, {2, any});
            const size_t rows = hashes.shape(1);
            need_codes("codes", codes, rows), need("table", table, {2, any});
            const size_t n_codes = table.shape(1);
            by_width(codes, [&](auto* c) {
                add_code_hashes(rows, c, n_codes, table.data(), hashes.data());
                add_code_hashes(rows, c, n_codes, table.data() + n_codes, hashes.data() + rows);
            });
        },
        "Do hashes[lane, row] += table[lane, codes[row]].", nb::arg("hashes").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("table").noconvert(), Release());

    m.def(
        "add_word_hashes",
        [](Out<uint64_t> hashes, In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, In<uint64_t> table) {
            need("hashes", hashes, {2, any});
            const size_t rows = hashes.shape(1);
            need_entries(starts, rows, words), need("counts", counts, {words.size()}), need("table", table, {2, any});
            add_word_hashes(rows, starts.data(), words.data(), counts.data(), table.shape(1), table.data(), hashes.data(),
                            hashes.data() + rows);
        },
        "Do hashes[lane, row] += count * table[lane, word] over the entries starts[row]:starts[row + 1].",
        nb::arg("hashes").noconvert(), nb::arg("starts").noconvert(), nb::arg("words").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("table").noconvert(), Release());

    m.def(
        "add_joint_hashes",
        [](Out<uint64_t> hashes, const std::vector<In<uint8_t>>& codes, const std::vector<In<uint64_t>>& tables) {
            constexpr size_t step = 1 << 14;  // rows whose hashes stay in the second-level cache while the columns pass
            need("hashes", hashes, {2, any}), need_same("tables", tables.size(), codes.size());
            const size_t rows = hashes.shape(1), columns = codes.size();
            need_each("codes", codes, {rows}), need_tables(tables);
            std::vector<const uint8_t*> at(columns);
            std::vector<const uint64_t*> hash(columns);
            std::vector<size_t> sizes(columns);
            std::vector<Lanes> room(joint_codes);
            for (size_t j = 0; j < columns; ++j) hash[j] = tables[j].data(), sizes[j] = tables[j].shape(1);
            for (size_t begin = 0; begin < rows; begin += step) {
                for (size_t j = 0; j < columns; ++j) at[j] = codes[j].data() + begin;
                add_joint_hashes(rows - begin < step ? rows - begin : step, columns, at.data(), hash.data(), sizes.data(),
                                 room.data(), hashes.data() + begin, hashes.data() + rows + begin);
            }
        },
        "Do `add_code_hashes` for several columns of few codes; tables have at most 2,048 codes.",
        nb::arg("hashes").noconvert(), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), Release());

    m.def(
        "mix_hashes",
        [](Out<uint64_t> hashes) {
            need("hashes", hashes, {2, any});
            mix_hashes(hashes.size(), hashes.data());
        },
        "End the row hashes: each is mixed once more, in place.", nb::arg("hashes").noconvert(), Release());

    m.def(
        "sum_hashes",
        [](In<uint64_t> hashes, Maybe<int64_t> weights) {
            need("hashes", hashes, {2, any});
            const size_t rows = hashes.shape(1);
            need("weights", weights, {rows});
            uint128 sum = 0;
            {
                nb::gil_scoped_release free;
                sum = sum_hashes(rows, hashes.data(), hashes.data() + rows, pointer(weights));
            }
            return of_128(static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 64));
        },
        "Return the sum over rows of weight times the 128-bit hash (lane 1 is the high half), modulo 2^128.",
        nb::arg("hashes").noconvert(), nb::arg("weights").noconvert() = nb::none());
}

// ---- scores -------------------------------------------------------------------------------------------------

void need_scores(const auto& scores) {
    need("scores", scores, {any, any}), need_size("number of classes", int64_t(scores.shape(1)));
}

void bind_scores(nb::module_& m) {
    m.def(
        "add_code_scores",
        [](Out<double> scores, AnyIn codes, In<double> table) {
            need_scores(scores), need_codes("codes", codes, scores.shape(0)), need("table", table, {any, scores.shape(1)});
            by_width(codes, [&](auto* c) {
                add_code_scores(scores.shape(0), table.shape(0), scores.shape(1), c, table.data(), scores.data());
            });
        },
        "Do scores[row, class] += table[codes[row], class].", nb::arg("scores").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("table").noconvert(), Release());

    m.def(
        "add_linear_scores",
        [](Out<double> scores, Strided<double> values, In<double> slope, In<double> missing) {
            need_scores(scores), need("values", values, {scores.shape(0)});
            need("slope", slope, {scores.shape(1)}), need("missing", missing, {scores.shape(1)});
            add_linear_scores(scores.shape(0), scores.shape(1), values.data(), values.stride(0), slope.data(),
                              missing.data(), scores.data());
        },
        "Do scores[row, class] += x * slope[class]; a missing x adds missing[class].", nb::arg("scores").noconvert(),
        nb::arg("values").noconvert(), nb::arg("slope").noconvert(), nb::arg("missing").noconvert(), Release());

    m.def(
        "add_word_scores",
        [](Out<double> scores, In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, In<double> table) {
            need_scores(scores), need_entries(starts, scores.shape(0), words);
            need("counts", counts, {words.size()}), need("table", table, {any, scores.shape(1)});
            add_word_scores(scores.shape(0), table.shape(0), scores.shape(1), starts.data(), words.data(), counts.data(),
                            table.data(), scores.data());
        },
        "Do scores[row, class] += sum over the row's entries of counts[entry] * table[words[entry], class].",
        nb::arg("scores").noconvert(), nb::arg("starts").noconvert(), nb::arg("words").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("table").noconvert(), Release());

    m.def(
        "best_class",
        [](In<double> scores) {
            need_scores(scores);
            AnyNew best = fresh_codes(scores.shape(1), scores.shape(0));
            nb::gil_scoped_release free;
            by_width_out(best, [&](auto* b) { best_class(scores.shape(0), scores.shape(1), scores.data(), b); });
            return best;
        },
        "Return the class with the highest score per row, the first of equals, in the narrowest dtype.",
        nb::arg("scores").noconvert());

    m.def(
        "softmax",
        [](In<double> scores) {
            need_scores(scores);
            New<double> shares = fresh<double>({scores.shape(0), scores.shape(1)});
            nb::gil_scoped_release free;
            softmax(scores.shape(0), scores.shape(1), scores.data(), shares.data());
            return shares;
        },
        "Return shares[row, class] = e^score over the row's sum; all 0 in a row where every score is -inf.",
        nb::arg("scores").noconvert());

    m.def(
        "log_sum_exp",
        [](In<double> scores) {
            need_scores(scores);
            New<double> out = fresh<double>({scores.shape(0)});
            nb::gil_scoped_release free;
            log_sum_exp(scores.shape(0), scores.shape(1), scores.data(), out.data());
            return out;
        },
        "Return ln(sum over classes of e^score) per row.", nb::arg("scores").noconvert());
}

template <class T>
void name_dtype(const char* name) {
    nb::object type = nb::module_::import_("numpy").attr("dtype")(name);
    dtype_of<T> = type.release().ptr();
}

void find_numpy() {
    nb::object empty = nb::module_::import_("numpy").attr("empty");
    numpy_empty = empty.release().ptr();
    name_dtype<double>("float64"), name_dtype<int64_t>("int64"), name_dtype<uint64_t>("uint64");
    name_dtype<uint32_t>("uint32"), name_dtype<uint16_t>("uint16"), name_dtype<uint8_t>("uint8"), name_dtype<bool>("bool");
}

}  // namespace

void bind_bayes(nb::module_& m);    // bindings_bayes.cpp
void bind_linear(nb::module_& m);   // bindings_linear.cpp
void bind_optimal(nb::module_& m);  // bindings_optimal.cpp
void bind_text(nb::module_& m);     // bindings_text.cpp
void bind_trees(nb::module_& m);    // bindings_trees.cpp

// Memory that ran out in a kernel is the error of users, in words; a size beyond all containers is the same.
void no_memory(const std::exception_ptr& thrown, void*) {
    const auto raise = [] {
        nb::object made = nb::module_::import_("tallystick.kernels.check").attr("no_memory")();
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    };
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) { raise(); } catch (const std::length_error&) {
        raise();
    }
}

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled kernels; call them through tallystick.kernels.";
    find_numpy();
    nb::register_exception_translator(no_memory);
    bind_counts(m);
    bind_scan(m);
    bind_ranks(m);
    bind_math(m);
    bind_moments(m);
    bind_hashes(m);
    bind_scores(m);
    bind_text(m);
    bind_linear(m);
    bind_bayes(m);
    bind_trees(m);
    bind_optimal(m);
}
