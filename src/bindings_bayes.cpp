// The bindings of naive Bayes: words by class, matrices walked by rows, cuts by the MDL rule.
#include <algorithm>

#include "bindings.hpp"
#include "kernels/bayes/number_scores.hpp"
#include "kernels/bayes/reading.hpp"
#include "kernels/bayes/sums.hpp"
#include "kernels/columns/bins.hpp"
#include "kernels/columns/changes.hpp"
#include "kernels/columns/doubles.hpp"
#include "kernels/columns/hash_sample.hpp"
#include "kernels/columns/sample.hpp"
#include "kernels/columns/small_codes.hpp"
#include "kernels/columns/value_counts.hpp"
#include "kernels/sums/one_walk.hpp"

namespace {

struct Held {  // some columns as the kernels want them
    std::vector<const double*> at;
    std::vector<ptrdiff_t> strides;
    size_t rows;

    Held(const std::vector<Strided<double>>& given, size_t first) : rows(given[first].shape(0)) {
        for (size_t j = first; j < std::min(given.size(), first + lanes); ++j) {
            at.push_back(given[j].data());
            strides.push_back(given[j].stride(0));
        }
    }
    Columns columns() const { return {rows, at.size(), at.data(), strides.data()}; }
};

// keys[lane, column] of some columns
RowKeys keys_of(const std::vector<uint64_t>& keys, size_t columns, size_t first, size_t width) {
    RowKeys own{};
    for (size_t j = 0; j < width; ++j) {
        own.mask[j] = ~uint64_t{0};
        for (size_t lane = 0; lane < 2; ++lane) own.key[lane][j] = keys[lane * columns + first + j];
    }
    return own;
}

// per column (missing, low, high, 1 where some cells are not whole, where some are neither 0 nor 1, a -0.0 is there)
using Seen = std::tuple<int64_t, double, double, int64_t, int64_t, bool>;

void tell(const RowScan& s, size_t width, std::vector<Seen>& out) {
    for (size_t j = 0; j < width; ++j) {
        const auto missing = static_cast<int64_t>(s.missing[j]);
        out.emplace_back(missing, s.low[j], s.high[j], s.broken[j] > s.missing[j], s.many[j] > s.missing[j],
                         s.negative_zero[j] != 0);
    }
}

// keys[column] in two lanes as keys[lane, column]
std::vector<uint64_t> by_lane(const std::vector<Key>& keys) {
    std::vector<uint64_t> out;
    for (const Key& key : keys) out.push_back(key.first);
    for (const Key& key : keys) out.push_back(key.second);
    return out;
}

std::vector<Printed> printed(const std::vector<AnyIn>& columns, const std::vector<Key>& given) {
    const std::vector<uint64_t> keys = by_lane(given);
    std::vector<Printed> out;
    for (size_t first = 0; first < columns.size(); first += lanes) {
        Numbers own = numbers_of(columns, first);
        const RowKeys under = keys_of(keys, columns.size(), first, own.width());
        out.push_back({std::move(own), under});
    }
    return out;
}

struct AnyNumbers {  // columns as they lie; Python keeps them
    Numbers columns;
    size_t rows;
};

void need_rows(const AnyNumbers& of, size_t first, size_t rows) {
    if (first > of.rows || rows > of.rows - first)
        refuse(std::to_string(rows) + " rows from " + std::to_string(first) + " on must lie within 0.."
               + std::to_string(of.rows));
}

// found[column] so far; rows and values [column, place]
std::vector<Picked> to_pick(const Out<int64_t>& found, const Out<int64_t>& rows, const Out<double>& values) {
    std::vector<Picked> out;
    const size_t room = rows.shape(1);
    for (size_t j = 0; j < found.size(); ++j)
        out.push_back({static_cast<size_t>(found.data()[j]), room, rows.data() + j * room, values.data() + j * room});
    return out;
}

void say_picked(const std::vector<Picked>& picked, const Out<int64_t>& found) {
    for (size_t j = 0; j < picked.size(); ++j) found.data()[j] = static_cast<int64_t>(picked[j].n);
}

// Columns of one length.
template <class Array>
void need_columns(const std::vector<Array>& columns) {
    if (!columns.empty()) need("columns", columns[0], {any}), need_each("columns", columns, {columns[0].size()});
}

void need_counts(const In<int64_t>& counts, size_t values, const In<double>& n_log_n) {
    need("counts", counts, {values, any}), need_size("number of classes", int64_t(counts.shape(1)));
    need("n_log_n", n_log_n, {any}), need_size("n_log_n", int64_t(n_log_n.size()));
}

void need_moments(size_t columns, size_t k, const Out<int64_t>& missing, const Out<int64_t>& digits,
                  const Out<int64_t>& squares) {
    need("missing", missing, {columns, k}), need("sums", digits, {columns, k, size_t(sum_digits)});
    need("squares", squares, {columns, k, size_t(square_digits)});
}

nb::int_ of_128(uint128 sum) {
    const nb::int_ low(static_cast<uint64_t>(sum)), high(static_cast<uint64_t>(sum >> 64));
    return nb::int_((high << nb::int_(64)) + low);
}

void need_picks(size_t columns, const In<uint64_t>& limits, const Out<int64_t>& found, const Out<int64_t>& rows,
                const Out<double>& values) {
    need("limits", limits, {columns}), need("found", found, {columns}), need("rows", rows, {columns, any});
    need("values", values, {columns, rows.shape(1)});
    for (size_t j = 0; j < columns; ++j)
        if (found.data()[j] < 0 || size_t(found.data()[j]) > rows.shape(1))
            refuse("found must not be more than there is room for");
}

}  // namespace

void bind_bayes(nb::module_& m) {
    m.def(
        "count_entries",
        [](In<int64_t> starts, In<uint32_t> words, Maybe<uint32_t> counts, AnyIn classes, Maybe<int64_t> weights,
           Out<int64_t> out) {
            need_codes("classes", classes, any), need_entries(starts, classes.size(), words);
            need("counts", counts, {words.size()}), need("weights", weights, {classes.size()}), need("out", out, {any, any});
            nb::gil_scoped_release free;
            by_width(classes, [&](auto* c) {
                count_entries(classes.size(), starts.data(), words.data(), pointer(counts), c, pointer(weights),
                              out.shape(0), out.shape(1), out.data());
            });
            return out;
        },
        "Add the words of each row to out[word, class], a word's count (None: 1) times the row's weight.\n\n"
        "A word beyond the table is not counted.",
        nb::arg("starts").noconvert(), nb::arg("words").noconvert(), nb::arg("counts").noconvert().none(),
        nb::arg("classes").noconvert(), nb::kw_only(), nb::arg("weights").noconvert() = nb::none(),
        nb::arg("out").noconvert());

    m.def(
        "add_level_scores",
        [](Out<double> scores, const std::vector<In<uint8_t>>& codes, const std::vector<In<double>>& tables) {
            need("scores", scores, {any, any}), need_same("tables", tables.size(), codes.size());
            need_each("codes", codes, {scores.shape(0)}), need_each("tables", tables, {any, scores.shape(1)});
            std::vector<const uint8_t*> from;
            std::vector<const double*> parts;
            std::vector<size_t> sizes;
            for (size_t j = 0; j < codes.size(); ++j)
                from.push_back(codes[j].data()), parts.push_back(tables[j].data()), sizes.push_back(tables[j].shape(0));
            const LevelScores given{from.size(), from.data(), parts.data(), sizes.data()};
            add_level_scores(scores.shape(0), given, scores.shape(1), scores.data());
        },
        "Do scores[row, class] += tables[j][codes[j][row], class] for all columns j, in their order.",
        nb::arg("scores").noconvert(), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), Release());

    nb::class_<NumberScores>(m, "NumberScores")
        .def(
            "parabola",
            [](NumberScores& of, In<double> mean, In<double> half, In<double> constant) {
                const size_t k = of.classes();
                need("mean", mean, {k}), need("half", half, {k}), need("constant", constant, {k});
                of.parabola(mean.data(), half.data(), constant.data());
            },
            nb::arg("mean").noconvert(), nb::arg("half").noconvert(), nb::arg("constant").noconvert())
        .def(
            "bins",
            [](NumberScores& of, In<double> cuts, In<double> table, size_t rows) {
                need("cuts", cuts, {any}), need("table", table, {cuts.size() + 2, of.classes()});
                of.bins(cuts.size(), cuts.data(), table.data(), rows);
            },
            nb::arg("cuts").noconvert(), nb::arg("table").noconvert(), nb::arg("rows"))
        .def(
            "add",
            [](const NumberScores& of, Out<double> scores, const std::vector<AnyIn>& columns) {
                need("scores", scores, {any, of.classes()}), need_same("columns", columns.size(), of.columns());
                need_numbers("columns", columns, scores.shape(0));
                std::vector<Numbers> groups;
                for (size_t first = 0; first < columns.size(); first += NumberScores::together)
                    groups.push_back(numbers_of(columns, first, NumberScores::together));
                return of.add(scores.shape(0), groups, scores.data());
            },
            nb::arg("scores").noconvert(), nb::arg("columns").noconvert(), Release());
    m.def(
        "number_scores",
        [](int64_t n_classes) {
            need_size("number of classes", n_classes);
            return NumberScores(static_cast<size_t>(n_classes));
        },
        nb::arg("n_classes"));

    // -> what is seen of each column
    m.def(
        "scan_rows",
        [](const std::vector<Strided<double>>& given) {
            need_columns(given);
            std::vector<Seen> out;
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                tell(scan_rows(held.columns()), held.at.size(), out);
            }
            return out;
        },
        "Return per column: missing, low and high (infinities included), 1 where some cells are not whole, and where some\n"
        "are neither 0 nor 1, any -0.0. Columns may be strided; those of a matrix stored by rows are read as they lie.",
        nb::arg("columns").noconvert(), Release());

    m.def(
        "class_changes",
        [](const std::vector<Strided<double>>& columns, In<int64_t> rows, In<int64_t> classes) {
            need_columns(columns), need("rows", rows, {any}), need("classes", classes, {rows.size()});
            const size_t there = columns.empty() ? 0 : columns[0].size();
            for (size_t i = 0; i < rows.size() && !columns.empty(); ++i)
                if (static_cast<uint64_t>(rows.data()[i]) >= there)
                    refuse("rows must lie within 0.." + std::to_string(static_cast<int64_t>(there) - 1) + "; found "
                           + std::to_string(rows.data()[i]));
            std::vector<int64_t> out;
            std::vector<Met> room(rows.size());
            for (const auto& column : columns) {
                const Column values{column.data(), column.stride(0)};
                out.push_back(class_changes(rows.size(), values, rows.data(), classes.data(), room.data()));
            }
            return out;
        },
        "Return, per column, how often the class changes along its values, missing last, equal values by class: among some\n"
        "rows, classes[i] of rows[i].",
        nb::arg("columns").noconvert(), nb::arg("rows").noconvert(), nb::arg("classes").noconvert(), Release());

    // Digits are not carried; every weight is below 2^weight_bits.
    m.attr("most_weight_bits") = most_weight_bits;
    m.def(
        "add_row_moments",
        [](const std::vector<Strided<double>>& given, AnyIn classes, Maybe<int64_t> weights, int64_t weight_bits,
           Out<int64_t> missing, Out<int64_t> digits, Out<int64_t> squares) {
            need("missing", missing, {given.size(), any});
            const size_t k = missing.shape(1);
            need_columns(given), need_moments(given.size(), k, missing, digits, squares);
            need_codes("classes", classes, given.empty() ? any : given[0].size()),
                need("weights", weights, {classes.size()});
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                const MomentTables to = tables_of({missing.data(), digits.data(), squares.data()}, first, k);
                by_width(classes, [&](auto* c) { add_columns(held.columns(), c, pointer(weights), weight_bits, k, to); });
            }
        },
        nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("weight_bits"), nb::arg("missing").noconvert(), nb::arg("digits").noconvert(),
        nb::arg("squares").noconvert(), Release());

    m.def(
        "add_prints",
        [](Out<uint64_t> hashes, const std::vector<Strided<double>>& columns, const std::vector<Key>& keys) {
            need("hashes", hashes, {2, any}), need_same("keys", keys.size(), columns.size());
            const size_t rows = hashes.shape(1);
            need_each("columns", columns, {rows});
            const std::vector<uint64_t> own = by_lane(keys);
            for (size_t first = 0; first < columns.size(); first += lanes) {
                const Held held(columns, first);
                add_prints(held.columns(), {0, rows}, keys_of(own, columns.size(), first, held.at.size()), hashes.data(),
                           hashes.data() + rows);
            }
        },
        "Do hashes[lane, row] += print of columns[j][row] under keys[j][lane], over all j; NaN is missing, -0.0 is 0.0.",
        nb::arg("hashes").noconvert(), nb::arg("columns").noconvert(), nb::arg("keys"), Release());

    m.def(
        "hash_total",
        [](size_t rows, const std::vector<In<uint8_t>>& codes, const std::vector<In<uint64_t>>& tables,
           const std::vector<AnyIn>& doubles, const std::vector<Key>& keys, Maybe<uint64_t> more, Maybe<int64_t> weights,
           uint64_t limit) {
            need_same("tables", tables.size(), codes.size()), need_same("keys", keys.size(), doubles.size());
            need_each("codes", codes, {rows}), need_tables(tables), need_numbers("doubles", doubles, rows);
            need("more", more, {2, rows}), need("weights", weights, {rows});
            RowsToHash all{rows, {}, {}, {}, printed(doubles, keys), pointer(more), pointer(weights)};
            for (size_t j = 0; j < codes.size(); ++j) {
                all.codes.push_back(codes[j].data());
                all.hashes.push_back(tables[j].data());
                all.sizes.push_back(tables[j].shape(1));
            }
            uint128 total = 0;
            LeastRows least{limit, {}, {}};
            {
                nb::gil_scoped_release free;
                total = hash_total(all, least);
            }
            return std::make_tuple(of_128(total), least.rows, least.hashes);
        },
        "Return `sum_hashes` of rows whose hashes are those of their codes, by tables, the prints of their doubles, by\n"
        "keys, and `more`; some rows at a time, so that no array of hashes is made; and the rows with hashes whose lower\n"
        "halves are at most the limit, and these halves.",
        nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), nb::arg("doubles").noconvert(),
        nb::arg("keys"), nb::arg("more").noconvert() = nb::none(), nb::arg("weights").noconvert() = nb::none(),
        nb::arg("limit") = 0);

    m.def(
        "walk_rows",
        [](const std::vector<AnyIn>& columns, const std::vector<Key>& keys, In<uint8_t> classes, In<uint64_t> labels,
           const std::optional<std::tuple<Out<int64_t>, Out<int64_t>, Out<int64_t>>>& moments,
           const std::optional<std::tuple<In<uint64_t>, Out<int64_t>, Out<int64_t>, Out<double>>>& picks, uint64_t limit) {
            need("classes", classes, {any}), need_same("keys", keys.size(), columns.size());
            const size_t rows = classes.size();
            need_numbers("columns", columns, rows), need("labels", labels, {2, any}), need_tables({labels});
            size_t n_classes = labels.shape(1);
            if (moments) {
                const auto& [missing, sums, squares] = *moments;
                if (rows > size_t(most_rows))
                    refuse("at most " + std::to_string(most_rows) + " rows; found " + std::to_string(rows));
                need("missing", missing, {columns.size(), any});
                n_classes = missing.shape(1);
                need_moments(columns.size(), n_classes, missing, sums, squares);
            }
            if (picks) {
                const auto& [limits, found, places, values] = *picks;
                need_picks(columns.size(), limits, found, places, values);
            }
            std::vector<Seen> out;
            uint128 total = 0;
            LeastRows least{limit, {}, {}};
            {
                nb::gil_scoped_release free;
                const RowsToHash all{rows,    {classes.data()}, {labels.data()}, {labels.shape(1)}, printed(columns, keys),
                                     nullptr, nullptr};
                std::vector<RowScan> scans(all.groups.size(), nothing_seen());
                MomentTables to{};
                if (moments) to = {std::get<0>(*moments).data(), std::get<1>(*moments).data(), std::get<2>(*moments).data()};
                std::vector<Picked> picked;
                if (picks) picked = to_pick(std::get<1>(*picks), std::get<2>(*picks), std::get<3>(*picks));
                const ToPick pick{picks ? std::get<0>(*picks).data() : nullptr, picked.data()};
                total = walk_rows(all, n_classes, scans.data(), moments ? &to : nullptr, picks ? &pick : nullptr, least);
                if (picks) say_picked(picked, std::get<1>(*picks));
                for (size_t g = 0; g < scans.size(); ++g) tell(scans[g], all.groups[g].numbers.width(), out);
            }
            return std::make_tuple(of_128(total), out, least.rows, least.hashes);
        },
        "Return `hash_total` of rows of numbers, as doubles, by keys, and of their classes, by labels[lane, class]; and\n"
        "what `scan_rows` says of the columns. moments: tables missing, sums and squares to which rows are added as\n"
        "`add_moments` does, but that digits are not carried. picks: limits[column], found[column], and rows and\n"
        "values [column, place], to which is added what `pick_values` finds, as far as there is room. Last, as\n"
        "`hash_total`, the rows of least hashes. All of it while some rows after the others are near: memory is walked "
        "through once.",
        nb::arg("columns").noconvert(), nb::arg("keys"), nb::arg("classes").noconvert(), nb::arg("labels").noconvert(),
        nb::arg("moments").noconvert() = nb::none(), nb::arg("picks").noconvert() = nb::none(), nb::arg("limit") = 0);

    const auto small = [&]<class T>(T) {
        m.def(
            "small_codes",
            [](Strided<T> matrix, In<int64_t> base, Out<uint8_t> codes, size_t start, Out<uint8_t> fits, Out<uint8_t> seen) {
                need("codes", codes, {any, any});
                const size_t columns = codes.shape(0), room = codes.shape(1);
                need("matrix", matrix, {any, columns}), need("base", base, {columns}), need("fits", fits, {columns});
                need("seen", seen, {columns, 256});
                if (start > room || matrix.shape(0) > room - start)
                    refuse("rows must lie within codes; found " + std::to_string(matrix.shape(0)) + " from "
                           + std::to_string(start) + " on");
                small_codes(matrix.shape(0),
                            SmallCodes<T>{matrix.shape(1), matrix.data(), matrix.stride(0), matrix.stride(1), base.data(),
                                          codes.shape(1), codes.data() + start, fits.data(), seen.data()});
            },
            "Do codes[j, start + row] = matrix[row, j] - base[j]; fits[j] becomes 0 where some of them need more than 8\n"
            "bits; seen[j, code] becomes 1 for every code there is.",
            nb::arg("matrix").noconvert(), nb::arg("base").noconvert(), nb::arg("codes").noconvert(), nb::arg("start"),
            nb::arg("fits").noconvert(), nb::arg("seen").noconvert(), Release());
    };
    small(int64_t{}), small(uint64_t{}), small(int32_t{}), small(uint32_t{});
    small(int16_t{}), small(uint16_t{}), small(int8_t{}), small(uint8_t{});

    // first: of the rows that are laid out, as many as out has room for; -> whether none is odd
    nb::class_<AnyNumbers>(m, "AnyNumbers")
        .def(
            "doubles",
            [](const AnyNumbers& of, size_t first, bool by_rows, Out<double> out) {
                const size_t width = of.columns.width();
                by_rows ? need("out", out, {any, width}) : need("out", out, {width, any});
                need_rows(of, first, out.shape(by_rows ? 0 : 1));
                return lay_out(of.columns, first, out.shape(by_rows ? 0 : 1), by_rows, out.shape(1), AsDouble{}, out.data());
            },
            nb::arg("first"), nb::arg("by_rows"), nb::arg("out").noconvert(), Release())
        .def(
            "codes",
            [](const AnyNumbers& of, size_t first, double zero, double one, Out<uint8_t> out) {
                need("out", out, {of.columns.width(), any}), need_rows(of, first, out.shape(1));
                return lay_out(of.columns, first, out.shape(1), false, out.shape(1), AsCode{zero, one}, out.data());
            },
            nb::arg("first"), nb::arg("zero"), nb::arg("one"), nb::arg("out").noconvert(), Release());
    m.def(
        "any_numbers",
        [](const std::vector<AnyIn>& columns, size_t rows) {
            need_numbers("columns", columns, rows, true);
            return AnyNumbers{numbers_of(columns, 0, columns.size()), rows};
        },
        nb::arg("columns").noconvert(), nb::arg("rows"));

    m.def(
        "mdl_cuts",
        [](In<int64_t> counts, double unit, In<double> n_log_n) {
            need_counts(counts, any, n_log_n);
            const size_t values = counts.shape(0), k = counts.shape(1);
            const auto sums = std::make_unique_for_overwrite<int64_t[]>((values + 1) * k);
            std::fill_n(sums.get(), k, 0);
            for (size_t i = 0; i < values * k; ++i) sums[i + k] = sums[i] + counts.data()[i];
            const auto cuts = [&]<size_t fixed>() {
                const Sorted<fixed> sorted{values, k, sums.get()};
                std::vector<size_t> out;
                for (Place place : MdlRule(sorted, unit, {n_log_n.data(), n_log_n.size()}).cuts())
                    out.push_back(sorted.index(place));
                return out;
            };
            return k == 2 ? cuts.template operator()<2>() : cuts.template operator()<0>();
        },
        nb::arg("counts").noconvert(), nb::arg("unit"), nb::arg("n_log_n").noconvert(), Release());

    // tables[column][bin, class]; the last bin is missing
    m.def(
        "count_bins",
        [](const std::vector<AnyIn>& given, const std::vector<In<double>>& cuts, AnyIn classes, Maybe<int64_t> weights,
           const std::vector<Out<int64_t>>& tables) {
            if (given.empty()) return;
            need_same("cuts", cuts.size(), given.size()), need_same("out", tables.size(), given.size());
            need_codes("classes", classes, any), need("weights", weights, {classes.size()});
            need_numbers("columns", given, classes.size()), need("out", tables[0], {any, any});
            for (size_t j = 0; j < given.size(); ++j)
                need("cuts", cuts[j], {any}), need("out", tables[j], {cuts[j].size() + 2, tables[0].shape(1)});
            std::vector<CutTable> columns;
            std::vector<Numbers> lying;
            const bool doubles = std::ranges::all_of(given, [](auto& x) { return type_of(x.dtype()) == Cell::f64; });
            for (size_t j = 0; j < given.size(); ++j) {
                const auto* const x = doubles ? static_cast<const double*>(given[j].data()) : nullptr;
                columns.push_back({{x, given[j].stride(0)}, cuts[j].size(), cuts[j].data(), tables[j].data()});
            }
            for (size_t first = 0; first < given.size() && !doubles; first += lanes)
                lying.push_back(numbers_of(given, first));
            by_width(classes,
                     [&](auto* c) { count_bins(classes.size(), columns, lying, c, pointer(weights), tables[0].shape(1)); });
        },
        "Add the rows (or weight) of each column of numbers to out[column][bin, class]: bin = cuts at or below the value;\n"
        "missing is len(cuts) + 1.",
        nb::arg("columns").noconvert(), nb::arg("cuts").noconvert(), nb::arg("classes").noconvert(), nb::kw_only(),
        nb::arg("weights").noconvert() = nb::none(), nb::arg("out").noconvert(), Release());

    m.def(
        "value_hashes",
        [](In<double> values) {
            need("values", values, {any});
            New<uint64_t> hashes = fresh<uint64_t>({values.size()});
            nb::gil_scoped_release free;
            for (size_t i = 0; i < values.size(); ++i) hashes.data()[i] = value_hash(values.data()[i]);
            return hashes;
        },
        "Return a hash of each value, the same on every machine; -0.0 is 0.0.", nb::arg("values").noconvert());

    // found[column]: how many were picked of each column so far; rows and values [column, place] have room for more, and the
    // first row is number `start`
    m.def(
        "pick_values",
        [](const std::vector<Strided<double>>& given, In<uint64_t> limits, size_t start, Out<int64_t> found,
           Out<int64_t> rows, Out<double> values) {
            need_columns(given), need_picks(given.size(), limits, found, rows, values);
            std::vector<Picked> picked = to_pick(found, rows, values);
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                pick_values(held.columns(), {0, held.rows}, limits.data() + first, start, picked.data() + first);
            }
            say_picked(picked, found);
        },
        nb::arg("columns").noconvert(), nb::arg("limits").noconvert(), nb::arg("start"), nb::arg("found").noconvert(),
        nb::arg("rows").noconvert(), nb::arg("values").noconvert(), Release());

    // rows[part] begin at starts[part] of the classes; rows of weight 0 do not count -> how many values there are and are
    // kept, and the highest hash of these
    m.def(
        "sample_values",
        [](const std::vector<int64_t>& starts, const std::vector<In<int64_t>>& rows, const std::vector<In<double>>& values,
           AnyIn classes, Maybe<int64_t> weights, uint64_t limit, size_t size, Out<double> to, Out<int64_t> counts,
           Out<int64_t> missing) {
            need_same("values", values.size(), starts.size()), need_same("rows", rows.size(), starts.size());
            for (size_t i = 0; i < rows.size(); ++i)
                need("rows", rows[i], {any}), need("values", values[i], {rows[i].size()});
            need_codes("classes", classes, any), need("weights", weights, {classes.size()}), need("missing", missing, {any});
            need("to", to, {any}), need("counts", counts, {to.size(), missing.size()});
            return by_width(classes, [&](auto* c) {
                const int64_t* const w = pointer(weights);
                size_t n = 0, at = 0;
                for (const auto& part : values) n += part.size();
                const auto own = std::make_unique_for_overwrite<double[]>(n);
                const auto label = std::make_unique_for_overwrite<std::remove_cvref_t<decltype(*c)>[]>(n);
                const auto weight = std::make_unique_for_overwrite<int64_t[]>(w ? n : 0);
                for (size_t part = 0; part < values.size(); ++part) {
                    for (size_t i = 0; i < rows[part].size(); ++i) {
                        const auto row = static_cast<size_t>(starts[part] + rows[part].data()[i]);
                        TALLY_REQUIRE(row < classes.size());
                        if (w && !w[row]) continue;
                        if (w) weight[at] = w[row];
                        own[at] = values[part].data()[i], label[at++] = c[row];
                    }
                }
                const SampledValues found =
                    sample_values(at, own.get(), label.get(), w ? weight.get() : nullptr, missing.size(), limit, size,
                                  to.data(), counts.data(), missing.data());
                return std::make_tuple(found.distinct, found.kept, found.limit);
            });
        },
        nb::arg("starts"), nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("limit"), nb::arg("size"), nb::arg("to").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("missing").noconvert(), Release());

    // values[column, value] and counts[column, value, class] have room for some values of each column, missing[column, class];
    // met[column]: how many there are, where there is room for them
    m.def(
        "meet_values",
        [](const std::vector<AnyIn>& given, AnyIn classes, Maybe<int64_t> weights, Out<double> values, Out<int64_t> counts,
           Out<int64_t> missing, Out<int64_t> met) {
            const size_t n = given.size();
            need_codes("classes", classes, any), need("weights", weights, {classes.size()});
            need_numbers("columns", given, classes.size()), need("values", values, {n, any}), need("met", met, {n});
            need("missing", missing, {n, any}), need("counts", counts, {n, values.shape(1), missing.shape(1)});
            const size_t most = values.shape(1), k = missing.shape(1);
            std::vector<ToMeet> to;
            for (size_t j = 0; j < given.size(); ++j)
                to.push_back({values.data() + j * most, counts.data() + j * most * k, missing.data() + j * k});
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Numbers own = numbers_of(given, first);
                by_width(classes, [&](auto* c) {
                    meet_values(own, c, pointer(weights), k, most, to.data() + first, met.data() + first);
                });
            }
        },
        nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("values").noconvert(), nb::arg("counts").noconvert(), nb::arg("missing").noconvert(),
        nb::arg("met").noconvert(), Release());

    // -> log-likelihoods of the classes as Gaussian and in bins, squares of their differences, and cases, summed over the
    // first `tried` of the folds
    m.def(
        "judge_readings",
        [](In<double> values, In<int64_t> counts, int64_t unit, int64_t folds, int64_t tried, In<double> n_log_n) {
            need("values", values, {any}), need_counts(counts, values.size(), n_log_n);
            need_size("unit", unit), need_size("folds", folds);
            const ClassValues column{values.size(), counts.shape(1), values.data(), counts.data(), unit};
            Readings out;
            const auto run = [&]<size_t fixed>() {
                FoldJudge<fixed> judge(column, {n_log_n.data(), n_log_n.size()});
                for (int64_t fold = 0; fold < tried; ++fold) judge.judge(fold, folds, out);
            };
            column.classes == 2 ? run.template operator()<2>() : run.template operator()<0>();
            return std::make_tuple(out.gaussian, out.binned, out.squares, out.cases);
        },
        nb::arg("values").noconvert(), nb::arg("counts").noconvert(), nb::arg("unit"), nb::arg("folds"), nb::arg("tried"),
        nb::arg("n_log_n").noconvert(), Release());
}
