// The bindings of naive Bayes: words by class, matrices walked by rows, cuts by the MDL rule.
#include <algorithm>

#include "bindings_numbers.hpp"
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
RowKeys keys_of(const In<uint64_t>& keys, size_t columns, size_t first, size_t width) {
    RowKeys own{};
    for (size_t j = 0; j < width; ++j) {
        own.mask[j] = ~uint64_t{0};
        for (size_t lane = 0; lane < 2; ++lane) own.key[lane][j] = keys.data()[lane * columns + first + j];
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

std::vector<Printed> printed(const std::vector<AnyIn>& columns, const In<uint64_t>& keys) {
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
};

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

}  // namespace

void bind_bayes(nb::module_& m) {
    m.def(
        "count_entries",
        [](In<int64_t> starts, In<uint32_t> words, Maybe<uint32_t> counts, AnyIn classes, Maybe<int64_t> weights,
           Out<int64_t> table) {
            by_width(classes, [&](auto* c) {
                count_entries(classes.size(), starts.data(), words.data(), pointer(counts), c, pointer(weights),
                              table.shape(0), table.shape(1), table.data());
            });
        },
        nb::arg("starts").noconvert(), nb::arg("words").noconvert(), nb::arg("counts").noconvert().none(),
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("table").noconvert(), Release());

    m.def(
        "add_level_scores",
        [](Out<double> scores, const std::vector<In<uint8_t>>& codes, const std::vector<In<double>>& tables) {
            std::vector<const uint8_t*> from;
            std::vector<const double*> parts;
            std::vector<size_t> sizes;
            for (size_t j = 0; j < codes.size(); ++j)
                from.push_back(codes[j].data()), parts.push_back(tables[j].data()), sizes.push_back(tables[j].shape(0));
            const LevelScores given{from.size(), from.data(), parts.data(), sizes.data()};
            add_level_scores(scores.shape(0), given, scores.shape(1), scores.data());
        },
        nb::arg("scores").noconvert(), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), Release());

    nb::class_<NumberScores>(m, "NumberScores")
        .def(
            "parabola",
            [](NumberScores& of, In<double> mean, In<double> half, In<double> constant) {
                of.parabola(mean.data(), half.data(), constant.data());
            },
            nb::arg("mean").noconvert(), nb::arg("half").noconvert(), nb::arg("constant").noconvert())
        .def(
            "bins",
            [](NumberScores& of, In<double> cuts, In<double> table, size_t rows) {
                of.bins(cuts.size(), cuts.data(), table.data(), rows);
            },
            nb::arg("cuts").noconvert(), nb::arg("table").noconvert(), nb::arg("rows"))
        .def(
            "add",
            [](const NumberScores& of, Out<double> scores, const std::vector<AnyIn>& columns) {
                std::vector<Numbers> groups;
                for (size_t first = 0; first < columns.size(); first += NumberScores::together)
                    groups.push_back(numbers_of(columns, first, NumberScores::together));
                return of.add(scores.shape(0), groups, scores.data());
            },
            nb::arg("scores").noconvert(), nb::arg("columns").noconvert(), Release());
    m.def("number_scores", [](size_t n_classes) { return NumberScores(n_classes); }, nb::arg("n_classes"));

    // -> what is seen of each column
    m.def(
        "scan_rows",
        [](const std::vector<Strided<double>>& given) {
            std::vector<Seen> out;
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                tell(scan_rows(held.columns()), held.at.size(), out);
            }
            return out;
        },
        nb::arg("columns").noconvert(), Release());

    // -> per column how often the class changes along its values, among some rows
    m.def(
        "class_changes",
        [](const std::vector<Strided<double>>& columns, In<int64_t> rows, In<int64_t> classes) {
            std::vector<int64_t> out;
            std::vector<Met> room(rows.size());
            for (const auto& column : columns) {
                const Column values{column.data(), column.stride(0)};
                out.push_back(class_changes(rows.size(), values, rows.data(), classes.data(), room.data()));
            }
            return out;
        },
        nb::arg("columns").noconvert(), nb::arg("rows").noconvert(), nb::arg("classes").noconvert(), Release());

    // Digits are not carried; every weight is below 2^weight_bits.
    m.attr("most_weight_bits") = most_weight_bits;
    m.def(
        "add_row_moments",
        [](const std::vector<Strided<double>>& given, AnyIn classes, Maybe<int64_t> weights, int64_t weight_bits,
           Out<int64_t> missing, Out<int64_t> digits, Out<int64_t> squares) {
            const size_t k = missing.shape(1);
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                const MomentTables to = tables_of({missing.data(), digits.data(), squares.data()}, first, k);
                by_width(classes, [&](auto* c) { add_columns(held.columns(), c, pointer(weights), weight_bits, k, to); });
            }
        },
        nb::arg("columns").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("weight_bits"), nb::arg("missing").noconvert(), nb::arg("digits").noconvert(),
        nb::arg("squares").noconvert(), Release());

    // keys[lane, column]
    m.def(
        "add_prints",
        [](Out<uint64_t> hashes, const std::vector<Strided<double>>& given, In<uint64_t> keys) {
            const size_t rows = hashes.shape(1);
            for (size_t first = 0; first < given.size(); first += lanes) {
                const Held held(given, first);
                add_prints(held.columns(), {0, rows}, keys_of(keys, given.size(), first, held.at.size()), hashes.data(),
                           hashes.data() + rows);
            }
        },
        nb::arg("hashes").noconvert(), nb::arg("columns").noconvert(), nb::arg("keys").noconvert(), Release());

    // -> sum over rows of weight * hash, low and high half. codes[j] of 8 bits by tables[j][lane, code]; doubles by
    // keys[lane, column]; more[lane, row] is what other columns have added already.
    m.def(
        "hash_total",
        [](size_t rows, const std::vector<In<uint8_t>>& codes, const std::vector<In<uint64_t>>& tables,
           const std::vector<AnyIn>& doubles, In<uint64_t> keys, Maybe<uint64_t> more, Maybe<int64_t> weights) {
            RowsToHash all{rows, {}, {}, {}, printed(doubles, keys), pointer(more), pointer(weights)};
            for (size_t j = 0; j < codes.size(); ++j) {
                all.codes.push_back(codes[j].data());
                all.hashes.push_back(tables[j].data());
                all.sizes.push_back(tables[j].shape(1));
            }
            const uint128 total = hash_total(all);
            return std::make_tuple(static_cast<uint64_t>(total), static_cast<uint64_t>(total >> 64));
        },
        nb::arg("rows"), nb::arg("codes").noconvert(), nb::arg("tables").noconvert(), nb::arg("doubles").noconvert(),
        nb::arg("keys").noconvert(), nb::arg("more").noconvert().none(), nb::arg("weights").noconvert().none(), Release());

    // -> what hash_total tells of rows of these classes, and what scan_rows tells; tables[column, class] as add_row_moments;
    // picks: limits, found, rows and values as pick_values.
    m.def(
        "walk_rows",
        [](const std::vector<AnyIn>& columns, In<uint64_t> keys, In<uint8_t> classes, In<uint64_t> labels, size_t n_classes,
           std::optional<std::tuple<Out<int64_t>, Out<int64_t>, Out<int64_t>>> tables,
           std::optional<std::tuple<In<uint64_t>, Out<int64_t>, Out<int64_t>, Out<double>>> picks) {
            const RowsToHash all{classes.size(),         {classes.data()}, {labels.data()}, {labels.shape(1)},
                                 printed(columns, keys), nullptr,          nullptr};
            std::vector<RowScan> scans(all.groups.size(), nothing_seen());
            MomentTables to{};
            if (tables) to = {std::get<0>(*tables).data(), std::get<1>(*tables).data(), std::get<2>(*tables).data()};
            std::vector<Picked> picked;
            if (picks) picked = to_pick(std::get<1>(*picks), std::get<2>(*picks), std::get<3>(*picks));
            const ToPick pick{picks ? std::get<0>(*picks).data() : nullptr, picked.data()};
            const uint128 total = walk_rows(all, n_classes, scans.data(), tables ? &to : nullptr, picks ? &pick : nullptr);
            if (picks) say_picked(picked, std::get<1>(*picks));
            std::vector<Seen> out;
            for (size_t g = 0; g < scans.size(); ++g) tell(scans[g], all.groups[g].numbers.width(), out);
            return std::make_tuple(static_cast<uint64_t>(total), static_cast<uint64_t>(total >> 64), out);
        },
        nb::arg("columns").noconvert(), nb::arg("keys").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("n_classes"), nb::arg("tables").noconvert().none(),
        nb::arg("picks").noconvert().none(), Release());

    const auto small = [&]<class T>(T) {
        m.def(
            "small_codes",
            [](Strided<T> matrix, In<int64_t> base, size_t start, Out<uint8_t> codes, Out<uint8_t> fits, Out<uint8_t> seen) {
                small_codes(matrix.shape(0),
                            SmallCodes<T>{matrix.shape(1), matrix.data(), matrix.stride(0), matrix.stride(1), base.data(),
                                          codes.shape(1), codes.data() + start, fits.data(), seen.data()});
            },
            nb::arg("matrix").noconvert(), nb::arg("base").noconvert(), nb::arg("start"), nb::arg("codes").noconvert(),
            nb::arg("fits").noconvert(), nb::arg("seen").noconvert(), Release());
    };
    small(int64_t{}), small(uint64_t{}), small(int32_t{}), small(uint32_t{});
    small(int16_t{}), small(uint16_t{}), small(int8_t{}), small(uint8_t{});

    // first: of the rows that are laid out, as many as out has room for; -> whether none is odd
    nb::class_<AnyNumbers>(m, "AnyNumbers")
        .def(
            "doubles",
            [](const AnyNumbers& of, size_t first, bool by_rows, Out<double> out) {
                return lay_out(of.columns, first, out.shape(by_rows ? 0 : 1), by_rows, out.shape(1), AsDouble{}, out.data());
            },
            nb::arg("first"), nb::arg("by_rows"), nb::arg("out").noconvert(), Release())
        .def(
            "codes",
            [](const AnyNumbers& of, size_t first, double zero, double one, Out<uint8_t> out) {
                return lay_out(of.columns, first, out.shape(1), false, out.shape(1), AsCode{zero, one}, out.data());
            },
            nb::arg("first"), nb::arg("zero"), nb::arg("one"), nb::arg("out").noconvert(), Release());
    m.def(
        "any_numbers", [](const std::vector<AnyIn>& columns) { return AnyNumbers{numbers_of(columns, 0, columns.size())}; },
        nb::arg("columns").noconvert());

    m.def(
        "mdl_cuts",
        [](In<int64_t> counts, double unit, In<double> n_log_n) {
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
        nb::arg("columns").noconvert(), nb::arg("cuts").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("tables").noconvert(), Release());

    m.def(
        "value_hashes",
        [](In<double> values, Out<uint64_t> hashes) {
            for (size_t i = 0; i < values.size(); ++i) hashes.data()[i] = value_hash(values.data()[i]);
        },
        nb::arg("values").noconvert(), nb::arg("hashes").noconvert(), Release());

    // found[column]: how many were picked of each column so far; rows and values [column, place] have room for more, and the
    // first row is number `start`
    m.def(
        "pick_values",
        [](const std::vector<Strided<double>>& given, In<uint64_t> limits, size_t start, Out<int64_t> found,
           Out<int64_t> rows, Out<double> values) {
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
