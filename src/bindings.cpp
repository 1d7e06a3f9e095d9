// The compiled module. Each binding unpacks arrays and calls one kernel with the GIL released.
// bindings.hpp holds what the binding files share; bindings_<room>.cpp hold the rest of the bindings.
#include "bindings.hpp"

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

void bind_counts(nb::module_& m) {
    m.def(
        "count_classes",
        [](AnyIn classes, Maybe<int64_t> weights, Out<int64_t> table) {
            by_width(classes,
                     [&](auto* c) { count_classes(classes.size(), c, pointer(weights), table.size(), table.data()); });
        },
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("table").noconvert(), Release());

    // tables[column][code, class]; all codes and classes have 8 bits.
    m.def(
        "count_joint",
        [](const std::vector<In<uint8_t>>& columns, In<uint8_t> classes, const std::vector<Out<int64_t>>& tables) {
            std::vector<const uint8_t*> at;
            std::vector<int64_t*> to;
            std::vector<size_t> sizes;
            std::vector<uint32_t> cells(2 * joint_cells);
            for (size_t j = 0; j < columns.size(); ++j) {
                at.push_back(columns[j].data()), to.push_back(tables[j].data()), sizes.push_back(tables[j].shape(0));
            }
            if (at.empty()) return;
            count_joint(classes.size(), at.size(), at.data(), classes.data(), sizes.data(), tables[0].shape(1), cells.data(),
                        to.data());
        },
        nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("tables").noconvert(), Release());
    m.attr("joint_cells") = joint_cells;
    m.attr("joint_codes") = joint_codes;

    // tables[column][node, code, class]
    m.def(
        "count_columns",
        [](const std::vector<AnyIn>& columns, AnyIn classes, Maybe<uint32_t> nodes, Maybe<int64_t> weights,
           const std::vector<Out<int64_t>>& tables) {
            const size_t rows = classes.size();
            for (size_t j = 0; j < columns.size(); ++j) {
                const size_t n_codes = tables[j].shape(1), n_classes = tables[j].shape(2);
                int64_t* table = tables[j].data();
                by_width(columns[j], [&](auto* codes) {
                    by_width(classes, [&](auto* c) {
                        count_codes(rows, pointer(nodes), codes, c, pointer(weights), n_codes, n_classes, table);
                    });
                });
            }
        },
        nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("nodes").noconvert().none(),
        nb::arg("weights").noconvert().none(), nb::arg("tables").noconvert(), Release());
}

// ---- scan ---------------------------------------------------------------------------------------------------

using ScanTuple = std::tuple<int64_t, int64_t, double, double, bool, bool>;

ScanTuple as_tuple(const Scan& s) {
    return {static_cast<int64_t>(s.missing), s.first_infinity, s.low + 0.0, s.high + 0.0, s.whole, s.binary};
}

template <class T>
ScanTuple scan_one(Strided<T> values) {
    Scan seen = scan_nothing();
    scan_values(0, values.size(), values.data(), values.stride(0), seen);
    return as_tuple(seen);
}

// All columns of a matrix [row, column], in row blocks that stay in the second-level cache.
template <class T>
std::vector<ScanTuple> scan_matrix(Strided<T> matrix) {
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

void bind_ranks(nb::module_& m) {
    // scratch[2, row] -> (present, distinct); the first half then holds the sorted elements.
    m.def(
        "rank_rows",
        [](Strided<double> values, Out<uint64_t> scratch) {
            const size_t rows = values.size();
            const Ranked ranked = rank_rows(rows, column_of(values), scratch.data(), scratch.data() + rows);
            return std::tuple(ranked.present, ranked.distinct);
        },
        nb::arg("values").noconvert(), nb::arg("scratch").noconvert(), Release());

    m.def(
        "rank_codes",
        [](Strided<double> values, Out<uint64_t> scratch, size_t present, AnyOut codes, Out<double> distinct) {
            const size_t rows = values.size();
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
            rank_order(values.size(), column_of(values), {present, 0}, scratch.data(), order.data());
        },
        nb::arg("values").noconvert(), nb::arg("scratch").noconvert(), nb::arg("present"), nb::arg("order").noconvert(),
        Release());

    m.def(
        "rank_counts",
        [](In<uint64_t> scratch, size_t present, Out<int64_t> counts) {
            rank_counts({present, counts.size()}, scratch.data(), counts.data());
        },
        nb::arg("scratch").noconvert(), nb::arg("present"), nb::arg("counts").noconvert(), Release());

    m.def(
        "key_hashes",
        [](In<uint64_t> hashes, uint64_t key, Out<uint64_t> out) {
            key_hashes(hashes.size(), hashes.data(), key, out.data());
        },
        nb::arg("hashes").noconvert(), nb::arg("key"), nb::arg("out").noconvert(), Release());

    m.def(
        "number_copies",
        [](In<uint64_t> keys, Out<int64_t> numbers) { return number_copies(keys.size(), keys.data(), numbers.data()); },
        nb::arg("keys").noconvert(), nb::arg("numbers").noconvert(), Release());

    // classes None: n_classes is 0
    m.def(
        "order_keys",
        [](In<uint64_t> keys, std::optional<AnyIn> classes, size_t n_classes, Out<int64_t> order) {
            const auto by = [&](auto* c) { order_keys(keys.size(), keys.data(), c, n_classes, order.data()); };
            if (classes) return by_width(*classes, by);
            by(static_cast<const uint8_t*>(nullptr));
        },
        nb::arg("keys").noconvert(), nb::arg("classes").noconvert().none(), nb::arg("n_classes"),
        nb::arg("order").noconvert(), Release());

    m.def(
        "count_cells",
        [](Strided<double> values, double start, double scale, Maybe<int64_t> weights, Out<int64_t> counts) {
            const Grid grid{start, scale, counts.size()};
            count_cells(values.size(), column_of(values), grid, pointer(weights), counts.data());
        },
        nb::arg("values").noconvert(), nb::arg("start"), nb::arg("scale"), nb::arg("weights").noconvert().none(),
        nb::arg("counts").noconvert(), Release());

    m.def(
        "pick_cells",
        [](Strided<double> values, double start, double scale, In<uint8_t> wanted, Out<uint32_t> picked) {
            const Grid grid{start, scale, wanted.size()};
            return pick_cells(values.size(), column_of(values), grid, wanted.data(), picked.data());
        },
        nb::arg("values").noconvert(), nb::arg("start"), nb::arg("scale"), nb::arg("wanted").noconvert(),
        nb::arg("picked").noconvert(), Release());

    m.def(
        "bin_values",
        [](Strided<double> values, In<double> cuts, AnyOut codes) {
            by_width_out(codes, [&](auto* c) { bin_values(values.size(), column_of(values), cuts.size(), cuts.data(), c); });
        },
        nb::arg("values").noconvert(), nb::arg("cuts").noconvert(), nb::arg("codes").noconvert(), Release());
}

// ---- math ---------------------------------------------------------------------------------------------------

template <void (*kernel)(size_t, const double*, double*)>
void on_values(In<double> in, Out<double> out) {
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
        [](In<int64_t> numbers, int64_t largest, Out<int64_t> out) {
            const Logs logs(largest, Logs::some);
            for (size_t i = 0; i < numbers.size(); ++i) out.data()[i] = logs(numbers.data()[i]);
        },
        nb::arg("numbers").noconvert(), nb::arg("largest"), out, Release());
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
        "carry", [](Out<int64_t> digits) { carry(digits.shape(0), digits.shape(1), digits.data()); },
        nb::arg("digits").noconvert(), Release());
}

// ---- hashes -------------------------------------------------------------------------------------------------

template <class Offset>
void bind_text_hashes(nb::module_& m, const char* name) {
    m.def(
        name,
        [](Out<uint64_t> hashes, In<uint8_t> data, In<Offset> offsets, Maybe<uint8_t> validity, size_t bit_offset,
           uint64_t key0, uint64_t key1) {
            const size_t rows = hashes.shape(1);
            const TextCells<Offset> texts{reinterpret_cast<const char*>(data.data()), offsets.data(), pointer(validity),
                                          bit_offset};
            add_text_hashes(rows, texts, key0, hashes.data());
            add_text_hashes(rows, texts, key1, hashes.data() + rows);
        },
        nb::arg("hashes").noconvert(), nb::arg("data").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("validity").noconvert().none(), nb::arg("bit_offset"), nb::arg("key0"), nb::arg("key1"), Release());
}

void bind_hashes(nb::module_& m) {
    m.def(
        "hash_bytes", [](nb::bytes data, uint64_t key) { return hash_bytes(data.c_str(), data.size(), key); },
        nb::arg("data"), nb::arg("key"));
    m.def("hash_missing", [](uint64_t key) { return hash_bits(missing_cell, key); }, nb::arg("key"));
    bind_text_hashes<int32_t>(m, "add_text_hashes_32");
    bind_text_hashes<int64_t>(m, "add_text_hashes_64");

    m.def(
        "add_double_hashes",
        [](Out<uint64_t> hashes, Strided<double> values, uint64_t key0, uint64_t key1) {
            const size_t rows = values.size();
            add_double_hashes(rows, values.data(), values.stride(0), key0, hashes.data());
            add_double_hashes(rows, values.data(), values.stride(0), key1, hashes.data() + rows);
        },
        nb::arg("hashes").noconvert(), nb::arg("values").noconvert(), nb::arg("key0"), nb::arg("key1"), Release());

    m.def(
        "add_code_hashes",
        [](Out<uint64_t> hashes, AnyIn codes, In<uint64_t> table) {
            const size_t rows = codes.size(), n_codes = table.shape(1);
            by_width(codes, [&](auto* c) {
                add_code_hashes(rows, c, n_codes, table.data(), hashes.data());
                add_code_hashes(rows, c, n_codes, table.data() + n_codes, hashes.data() + rows);
            });
        },
        nb::arg("hashes").noconvert(), nb::arg("codes").noconvert(), nb::arg("table").noconvert(), Release());

    m.def(
        "add_word_hashes",
        [](Out<uint64_t> hashes, In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, In<uint64_t> table) {
            const size_t rows = hashes.shape(1);
            add_word_hashes(rows, starts.data(), words.data(), counts.data(), table.shape(1), table.data(), hashes.data(),
                            hashes.data() + rows);
        },
        nb::arg("hashes").noconvert(), nb::arg("starts").noconvert(), nb::arg("words").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("table").noconvert(), Release());

    // tables[column][lane, code]; all codes have 8 bits.
    m.def(
        "add_joint_hashes",
        [](Out<uint64_t> hashes, const std::vector<In<uint8_t>>& codes, const std::vector<In<uint64_t>>& tables) {
            constexpr size_t step = 1 << 14;  // rows whose hashes stay in the second-level cache while the columns pass
            const size_t rows = hashes.shape(1), columns = codes.size();
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
        nb::arg("hashes").noconvert(), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), Release());

    m.def(
        "mix_hashes", [](Out<uint64_t> hashes) { mix_hashes(hashes.size(), hashes.data()); }, nb::arg("hashes").noconvert(),
        Release());

    m.def(
        "sum_hashes",
        [](In<uint64_t> hashes, Maybe<int64_t> weights) {
            const size_t rows = hashes.shape(1);
            const uint128 sum = sum_hashes(rows, hashes.data(), hashes.data() + rows, pointer(weights));
            return std::tuple(static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 64));
        },
        nb::arg("hashes").noconvert(), nb::arg("weights").noconvert().none(), Release());
}

// ---- scores -------------------------------------------------------------------------------------------------

void bind_scores(nb::module_& m) {
    m.def(
        "add_code_scores",
        [](Out<double> scores, AnyIn codes, In<double> table) {
            by_width(codes, [&](auto* c) {
                add_code_scores(scores.shape(0), table.shape(0), scores.shape(1), c, table.data(), scores.data());
            });
        },
        nb::arg("scores").noconvert(), nb::arg("codes").noconvert(), nb::arg("table").noconvert(), Release());

    m.def(
        "add_linear_scores",
        [](Out<double> scores, Strided<double> values, In<double> slope, In<double> missing) {
            add_linear_scores(scores.shape(0), scores.shape(1), values.data(), values.stride(0), slope.data(),
                              missing.data(), scores.data());
        },
        nb::arg("scores").noconvert(), nb::arg("values").noconvert(), nb::arg("slope").noconvert(),
        nb::arg("missing").noconvert(), Release());

    m.def(
        "add_word_scores",
        [](Out<double> scores, In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, In<double> table) {
            add_word_scores(scores.shape(0), table.shape(0), scores.shape(1), starts.data(), words.data(), counts.data(),
                            table.data(), scores.data());
        },
        nb::arg("scores").noconvert(), nb::arg("starts").noconvert(), nb::arg("words").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("table").noconvert(), Release());

    m.def(
        "best_class",
        [](In<double> scores, AnyOut best) {
            by_width_out(best, [&](auto* b) { best_class(scores.shape(0), scores.shape(1), scores.data(), b); });
        },
        nb::arg("scores").noconvert(), nb::arg("best").noconvert(), Release());

    m.def(
        "softmax",
        [](In<double> scores, Out<double> shares) {
            softmax(scores.shape(0), scores.shape(1), scores.data(), shares.data());
        },
        nb::arg("scores").noconvert(), nb::arg("shares").noconvert(), Release());

    m.def(
        "log_sum_exp",
        [](In<double> scores, Out<double> out) { log_sum_exp(scores.shape(0), scores.shape(1), scores.data(), out.data()); },
        nb::arg("scores").noconvert(), nb::arg("out").noconvert(), Release());
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
