// Bindings of logistic regression: sums over a block, scores, and the solvers' linear algebra.
#include "bindings.hpp"
#include "kernels/linear/answers.hpp"
#include "kernels/linear/blocks.hpp"
#include "kernels/linear/newton.hpp"
#include "kernels/linear/solve.hpp"

#include <algorithm>
#include <numeric>

namespace {

// The arrays of one text column, in the order of `tallystick.kernels.logistic.Text`.
using TextArrays = std::tuple<In<int64_t>, In<uint32_t>, In<uint32_t>, In<double>, In<double>, bool, double, In<double>,
                              Out<int64_t>, Maybe<double>>;

linear::Words words_of(const TextArrays& t) {
    return {std::get<0>(t).data(), std::get<1>(t).data(), std::get<2>(t).data(),  std::get<3>(t).data(),
            std::get<4>(t).data(), std::get<4>(t).size(), std::get<5>(t),         std::get<6>(t),
            std::get<7>(t).data(), std::get<8>(t).data(), pointer(std::get<9>(t))};
}

// Where columns lie, as `tallystick.kernels.logistic` tells it.
linear::Ask placed(size_t dense, size_t coded, size_t rows, const In<int64_t>& table) {
    const size_t width = table.shape(1);
    linear::Ask ask{};
    ask.rows = rows, ask.dense = dense, ask.coded = coded;
    ask.values = table.data(), ask.strides = table.data() + width;
    ask.codes = table.data() + 2 * width, ask.code_bytes = table.data() + 3 * width;
    ask.starts = table.data() + 4 * width;
    return ask;
}

void need_placed(size_t dense, size_t coded, const In<int64_t>& table) { need("table", table, {5, std::max(dense, coded)}); }

size_t pairs_of(size_t classes) { return classes < 2 ? 1 : classes * (classes - 1) / 2; }

void need_parameters(size_t parameters, size_t dense) {
    if (parameters < 1 + dense) refuse("theta must have a line for the constant and for each column of numbers");
}

// Rows of a block with what they count for.
void need_rows(size_t dense, size_t coded, const In<int64_t>& table, const In<double>& scaling, const AnyIn& classes,
               const Maybe<double>& class_factor, const Maybe<double>& row_factor, const Maybe<int64_t>& weights) {
    need_placed(dense, coded, table), need("scaling", scaling, {2, dense}), need_codes("classes", classes, any);
    need("copies", weights, {classes.size()}), need("row_factor", row_factor, {classes.size()});
    need("class_factor", class_factor, {any});
}

void need_curvature(const Out<int64_t>& squares, linear::Curvature curvature, size_t p, size_t links) {
    switch (curvature) {
        case linear::Curvature::none: return;
        case linear::Curvature::pairs: return need("squares", squares, {pairs_of(links), p, p});
        case linear::Curvature::gram: return need("squares", squares, {1, p, p});
        case linear::Curvature::diagonal: return need("squares", squares, {2, p});
        case linear::Curvature::own: return need("squares", squares, {links, p, p});
    }
    refuse("curvature must be one that is known");
}

void need_work(const Out<double>& work, size_t dense, size_t links, size_t texts) {
    need("work", work, {any});
    if (work.size() < linear::work_doubles(dense, links) + texts * linear::kRows + links) refuse("work must be longer");
}

void need_text(const TextArrays& t) {
    const auto& [starts, words, counts, idf, tf, unit, scale, theta, gradient, values] = t;
    need_entries(starts, any, words), need("counts", counts, {words.size()}), need("idf", idf, {any}), need("tf", tf, {any});
    need_size("idf", int64_t(idf.size())), need_size("tf", int64_t(tf.size()));
    need("theta", theta, {idf.size() - 1, any}), need("values", values, {words.size()});
    if (gradient.size()) need("gradient", gradient, {theta.shape(0), theta.shape(1)});
}

std::vector<linear::Words> words_of_all(const std::vector<TextArrays>& texts) {
    std::vector<linear::Words> words;
    for (const auto& text : texts) need_text(text), words.push_back(words_of(text));
    return words;
}

template <class T>
std::vector<const T*> pointers(const std::vector<In<T>>& arrays) {
    std::vector<const T*> out;
    for (const auto& one : arrays) out.push_back(one.data());
    return out;
}

void need_answers(size_t dense, size_t rows, size_t texts, const In<double>& scaling, const In<double>& theta,
                  int64_t answer, const Out<double>& work, const Out<double>& numbers, const Out<uint32_t>& best) {
    need("scaling", scaling, {2, dense}), need("theta", theta, {any, any}), need_parameters(theta.shape(0), dense);
    need_work(work, dense, theta.shape(1), texts);
    if (linear::Answer(answer) == linear::Answer::best) return need("best", best, {rows});
    need("numbers", numbers, {rows, std::max<size_t>(theta.shape(1), 2)});
}

// Products and sums of long vectors, kept in T.
template <class T>
void bind_kept(nb::module_& m) {
    m.def(
        "dots",
        [](const std::vector<In<T>>& vectors, const std::vector<In<double>>& sides) {
            const size_t n = sides.empty() ? 0 : sides[0].size();
            need_each("vectors", vectors, {n}), need_each("sides", sides, {n});
            const auto v = pointers(vectors);
            const auto b = pointers(sides);
            std::vector<double> out(v.size() * b.size());
            {
                nb::gil_scoped_release free;
                linear::dots(n, v.size(), v.data(), b.size(), b.data(), out.data());
            }
            std::vector<std::vector<double>> lists;
            for (size_t i = 0; i < v.size(); ++i) lists.emplace_back(&out[i * b.size()], &out[i * b.size()] + b.size());
            return lists;
        },
        "Return [vector][side]: the sums of products, every vector read once; vectors of one precision.",
        nb::arg("vectors").noconvert(), nb::arg("sides").noconvert());
    m.def(
        "combine",
        [](Out<double> q, double factor, const std::vector<In<T>>& vectors, const std::vector<double>& coefficients) {
            need("q", q, {any}), need_each("vectors", vectors, {q.size()});
            need_same("coefficients", coefficients.size(), vectors.size());
            const auto v = pointers(vectors);
            nb::gil_scoped_release free;
            linear::combine(q.size(), factor, v.size(), v.data(), coefficients.data(), q.data());
            return q;
        },
        "Do q = factor * q + the sum of coefficient * vector, and return it.", nb::arg("q").noconvert(), nb::arg("factor"),
        nb::arg("vectors").noconvert(), nb::arg("coefficients"));
}

// A matrix of as many rows as columns; returns how many.
template <class Array>
size_t need_square(const char* name, const Array& a) {
    need(name, a, {any, any}), need(name, a, {a.shape(0), a.shape(0)});
    return a.shape(0);
}

void need_stretch(size_t begin, size_t stop, size_t n) {
    if (begin > stop || stop > n) refuse("a stretch must lie within what is cut");
}

// Numbers of places, each below a limit.
void need_below(const char* name, const In<int64_t>& places, size_t limit) {
    for (size_t i = 0; i < places.size(); ++i)
        if (places.data()[i] < 0 || static_cast<size_t>(places.data()[i]) >= limit)
            refuse(std::string(name) + " must lie within 0.." + std::to_string(static_cast<int64_t>(limit) - 1) + "; found "
                   + std::to_string(places.data()[i]));
}

void need_rising(const char* name, const In<int64_t>& places, size_t limit) {
    need(name, places, {any});
    for (size_t i = 0; i < places.size(); ++i) {
        const int64_t least = i ? places.data()[i - 1] + 1 : 0;
        if (places.data()[i] < least || static_cast<size_t>(places.data()[i]) >= limit)
            refuse(std::string(name) + " must rise within 0.." + std::to_string(static_cast<int64_t>(limit) - 1));
    }
}

void need_posterior(const In<double>& matrix, const In<int64_t>& at, const In<double>& scale, const Out<double>& work,
                    const Out<double>& out) {
    const size_t size = need_square("matrix", matrix), n = at.size();
    need("at", at, {any}), need("scale", scale, {n}), need_below("at", at, size);
    need("out", work, {n, n}), need("out", out, {n, n});
}

// Lines and directions of pieces that lie side by side, table[piece]: first line, lines, first direction, directions.
std::pair<size_t, size_t> need_basis(const In<int64_t>& table, const In<double>& rows) {
    need("table", table, {any, 4}), need("rows", rows, {any});
    size_t line = 0, direction = 0, size = 0;
    for (size_t i = 0; i < table.shape(0); ++i) {
        const int64_t* const t = table.data() + 4 * i;
        const bool next = t[0] == int64_t(line) && t[2] == int64_t(direction) && t[1] >= 0 && t[3] >= 0;
        if (!next || t[1] >> 31 || t[3] >> 31) refuse("table must have pieces one after the other");
        line += size_t(t[1]), direction += size_t(t[3]), size += size_t(t[1]) * size_t(t[3]);
    }
    need("rows", rows, {size});
    return {line, direction};
}

}  // namespace

void bind_linear(nb::module_& m) {
    m.def(
        "logistic_work", [](size_t dense, size_t links) { return linear::work_doubles(dense, links); }, nb::arg("dense"),
        nb::arg("links"));

    // table: int64 [5, max(dense, coded)]: addresses and strides of values; addresses, bytes and first cells of codes.
    m.def(
        "logistic_sums",
        [](size_t dense, size_t coded, In<int64_t> table, In<double> scaling, AnyIn classes, Maybe<double> class_factor,
           Maybe<double> row_factor, Maybe<int64_t> weights, In<double> theta, int64_t bits, int64_t curvature,
           const std::vector<TextArrays>& texts, Out<double> work, Out<int64_t> loss, Out<int64_t> gradient,
           Out<int64_t> squares) {
            need_rows(dense, coded, table, scaling, classes, class_factor, row_factor, weights);
            need("theta", theta, {any, any}), need_parameters(theta.shape(0), dense);
            const size_t width = table.shape(1), p = theta.shape(0), links = theta.shape(1);
            if (bits < 0 || bits > 50) refuse("bits must be 0 to 50; found " + std::to_string(bits));
            need("loss", loss, {3}), need("gradient", gradient, {p, links});
            need_curvature(squares, linear::Curvature(curvature), p, links);
            need_work(work, dense, links, texts.size());
            const int64_t* t = table.data();
            const std::vector<linear::Words> words = words_of_all(texts);
            nb::gil_scoped_release release;
            const linear::Ask ask{classes.size(),
                                  dense,
                                  coded,
                                  links,
                                  theta.shape(0) - 1 - dense,
                                  t,
                                  t + width,
                                  scaling.data(),
                                  scaling.data() + dense,
                                  t + 2 * width,
                                  t + 3 * width,
                                  t + 4 * width,
                                  classes.data(),
                                  int64_t(classes.itemsize()),
                                  pointer(class_factor),
                                  pointer(row_factor),
                                  pointer(weights),
                                  theta.data(),
                                  bits,
                                  linear::Curvature(curvature)};
            const linear::Totals out{loss.data(), gradient.data(), squares.data()};
            double* spare = work.data() + linear::work_doubles(dense, links);
            if (words.empty())
                linear::sums(ask, work.data(), out);
            else
                linear::word_sums(ask, words.data(), words.size(), work.data(), spare, out);
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("table").noconvert(), nb::arg("scaling").noconvert(),
        nb::arg("classes").noconvert(), nb::arg("class_factor").noconvert().none(), nb::arg("row_factor").noconvert().none(),
        nb::arg("weights").noconvert().none(), nb::arg("theta").noconvert(), nb::arg("bits"), nb::arg("curvature"),
        nb::arg("texts"), nb::arg("work").noconvert(), nb::arg("loss").noconvert(), nb::arg("gradient").noconvert(),
        nb::arg("squares").noconvert());

    m.def("newton_doubles", &linear::newton_doubles, nb::arg("dense"), nb::arg("links"), nb::arg("weights"));
    m.def("newton_whole", &linear::newton_whole, nb::arg("parameters"), nb::arg("links"));

    // numbers: unit, factor, shift, small, fine, least, doubt, grain, reach, alarm, ahead, value; out: value, loss, wrong.
    m.def(
        "newton",
        [](size_t dense, size_t coded, In<int64_t> table, In<double> scaling, AnyIn classes, Maybe<double> class_factor,
           Maybe<double> row_factor, Maybe<int64_t> weights, Out<double> theta, int64_t bits, In<int64_t> at,
           In<double> power, In<int64_t> links, In<double> l2, In<double> numbers, int64_t most, bool begun,
           Out<double> memory, Out<int64_t> whole, Out<double> w, Out<double> gradient, Out<double> curvature, Out<double> d,
           Out<double> trace, Out<int64_t> counts, Out<double> out) {
            need_rows(dense, coded, table, scaling, classes, class_factor, row_factor, weights);
            need("theta", theta, {any, any}), need_parameters(theta.shape(0), dense);
            const size_t n = l2.size(), p = theta.shape(0), k = theta.shape(1);
            need("at", at, {any}), need("power", power, {at.size()}), need("links", links, {any});
            need("l2", l2, {at.size() * links.size()}), need("numbers", numbers, {12});
            need_below("at", at, p), need_below("links", links, k);
            need("memory", memory, {linear::newton_doubles(dense, k, n)}),
                need("whole", whole, {linear::newton_whole(p, k)});
            need("w", w, {n}), need("gradient", gradient, {n}), need("d", d, {n}), need("curvature", curvature, {n, n});
            need("trace", trace, {any, 3}), need("counts", counts, {2}), need("out", out, {3});
            linear::Ask ask = placed(dense, coded, classes.size(), table);
            ask.links = theta.shape(1), ask.cells = theta.shape(0) - 1 - dense;
            ask.centre = scaling.data(), ask.factor = scaling.data() + dense;
            ask.classes = classes.data(), ask.class_bytes = int64_t(classes.itemsize());
            ask.class_factor = pointer(class_factor), ask.row_factor = pointer(row_factor), ask.weights = pointer(weights);
            ask.theta = theta.data(), ask.bits = bits, ask.curvature = linear::Curvature::pairs;
            const double* v = numbers.data();
            const linear::Descent q{at.size(), links.size(), at.data(), power.data(), links.data(), l2.data(),
                                    v[0],      v[1],         v[2],      v[3],         v[4],         v[5],
                                    v[6],      v[7],         v[8],      v[9],         v[10] != 0.0, most};
            linear::Spot spot{w.data(), gradient.data(), curvature.data(), v[11], 0.0, 0};
            nb::gil_scoped_release release;
            const int64_t end = linear::newton(ask, q, begun, theta.data(), memory.data(), whole.data(), spot, d.data(),
                                               trace.shape(0), trace.data(), counts.data());
            out.data()[0] = spot.value, out.data()[1] = spot.loss, out.data()[2] = double(spot.wrong);
            return end;
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("table").noconvert(), nb::arg("scaling").noconvert(),
        nb::arg("classes").noconvert(), nb::arg("class_factor").noconvert().none(), nb::arg("row_factor").noconvert().none(),
        nb::arg("weights").noconvert().none(), nb::arg("theta").noconvert(), nb::arg("bits"), nb::arg("at").noconvert(),
        nb::arg("power").noconvert(), nb::arg("links").noconvert(), nb::arg("l2").noconvert(),
        nb::arg("numbers").noconvert(), nb::arg("most"), nb::arg("begun"), nb::arg("memory").noconvert(),
        nb::arg("whole").noconvert(), nb::arg("w").noconvert(), nb::arg("gradient").noconvert(),
        nb::arg("curvature").noconvert(), nb::arg("d").noconvert(), nb::arg("trace").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("out").noconvert());

    // The decisions of Newton's method one by one, for rows that are only summed. numbers: small, fine, least, doubt, grain,
    // reach, alarm, ahead, wrong, before. Returns the End, -1: none; stalled: 1 where rounding leaves no more to do.
    m.def(
        "newton_end",
        [](In<double> w, In<double> gradient, In<double> d, In<double> power, In<double> numbers, bool stalled,
           Out<double> scratch) {
            const size_t n = w.size();
            need("w", w, {any}), need("gradient", gradient, {n}), need("d", d, {n}), need("power", power, {n});
            need("numbers", numbers, {10}), need("scratch", scratch, {2 * n});
            const double* v = numbers.data();
            const linear::Descent q{w.size(), 1,    nullptr, power.data(), nullptr, nullptr, 0.0,  0.0,         0.0,
                                    v[0],     v[1], v[2],    v[3],         v[4],    v[5],    v[6], v[7] != 0.0, 0};
            const linear::Spot spot{
                const_cast<double*>(w.data()), const_cast<double*>(gradient.data()), nullptr, 0.0, 0.0, int64_t(v[8])};
            if (stalled) return int64_t(linear::stalled(q, spot, d.data(), v[9], scratch.data()));
            return linear::end_at(q, spot, d.data(), scratch.data());
        },
        nb::arg("w").noconvert(), nb::arg("gradient").noconvert(), nb::arg("d").noconvert(), nb::arg("power").noconvert(),
        nb::arg("numbers").noconvert(), nb::arg("stalled"), nb::arg("scratch").noconvert(), Release());
    m.def("newton_shorter", &linear::shorter, nb::arg("t"), nb::arg("slope"), nb::arg("from_value"), nb::arg("to_value"),
          nb::arg("from_steep"), nb::arg("to_steep"), nb::arg("doubt"));
    m.def(
        "newton_factorise",
        [](In<double> h, Out<double> factor) {
            const size_t n = need_square("h", h);
            need("factor", factor, {n, n});
            return linear::factorise(n, h.data(), factor.data());
        },
        nb::arg("h").noconvert(), nb::arg("factor").noconvert(), Release());
    m.def(
        "newton_step_by",
        [](In<double> h, In<double> factor, bool factorised, Out<double> x) {
            const size_t n = need_square("h", h);
            need("factor", factor, {n, n}), need("x", x, {n});
            linear::step_by(n, h.data(), factor.data(), factorised, x.data());
        },
        nb::arg("h").noconvert(), nb::arg("factor").noconvert(), nb::arg("factorised"), nb::arg("x").noconvert(), Release());

    // answer: 0 scores, 1 shares (numbers[row, class]), 2 the best class (best[row]).
    m.def(
        "logistic_answers",
        [](size_t dense, size_t coded, size_t rows, In<int64_t> table, In<double> scaling, In<double> theta,
           const std::vector<TextArrays>& texts, int64_t answer, Out<double> work, Out<double> numbers, Out<uint32_t> best) {
            need_placed(dense, coded, table);
            need_answers(dense, rows, texts.size(), scaling, theta, answer, work, numbers, best);
            const std::vector<linear::Words> words = words_of_all(texts);
            nb::gil_scoped_release release;
            linear::Ask ask = placed(dense, coded, rows, table);
            ask.links = theta.shape(1), ask.cells = theta.shape(0) - 1 - dense;
            ask.centre = scaling.data(), ask.factor = scaling.data() + dense, ask.theta = theta.data();
            return linear::answers(ask, words.data(), words.size(), work.data(),
                                   work.data() + linear::work_doubles(dense, ask.links), linear::Answer(answer),
                                   numbers.data(), best.data());
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("rows"), nb::arg("table").noconvert(), nb::arg("scaling").noconvert(),
        nb::arg("theta").noconvert(), nb::arg("texts"), nb::arg("answer"), nb::arg("work").noconvert(),
        nb::arg("numbers").noconvert(), nb::arg("best").noconvert());

    // The same of numbers of any type; table: where codes lie. Returns also false where a number is odd.
    m.def(
        "answers_of_numbers",
        [](const std::vector<AnyIn>& given, size_t coded, size_t rows, In<int64_t> table, In<double> scaling,
           In<double> theta, int64_t answer, Out<double> work, Out<double> numbers, Out<uint32_t> best) {
            const size_t dense = given.size();
            need_numbers("values", given, rows), need_placed(0, coded, table);
            need_answers(dense, rows, 0, scaling, theta, answer, work, numbers, best);
            linear::Ask ask = placed(dense, coded, rows, table);
            ask.links = theta.shape(1), ask.cells = theta.shape(0) - 1 - dense;
            ask.centre = scaling.data(), ask.factor = scaling.data() + dense, ask.theta = theta.data();
            return linear::answers(ask, numbers_of(given, 0, dense), work.data(),
                                   work.data() + linear::work_doubles(dense, ask.links), linear::Answer(answer),
                                   numbers.data(), best.data());
        },
        nb::arg("given").noconvert(), nb::arg("coded"), nb::arg("rows"), nb::arg("table").noconvert(),
        nb::arg("scaling").noconvert(), nb::arg("theta").noconvert(), nb::arg("answer"), nb::arg("work").noconvert(),
        nb::arg("numbers").noconvert(), nb::arg("best").noconvert(), Release());

    m.def(
        "places",
        [](const std::vector<Strided<double>>& values, const std::vector<AnyIn>& codes, const std::vector<int64_t>& starts,
           size_t rows) {
            const size_t width = std::max(values.size(), codes.size());
            need_each("values", values, {rows}), need_same("starts", starts.size(), codes.size());
            for (const auto& one : codes) need_codes("codes", one, rows);
            New<int64_t> table = zeros<int64_t>({5, width});
            int64_t* t = table.data();
            for (size_t j = 0; j < values.size(); ++j) {
                t[j] = reinterpret_cast<int64_t>(values[j].data());
                t[width + j] = values[j].stride(0);
            }
            for (size_t c = 0; c < codes.size(); ++c) {
                t[2 * width + c] = reinterpret_cast<int64_t>(codes[c].data());
                t[3 * width + c] = int64_t(codes[c].itemsize());
                t[4 * width + c] = starts[c];
            }
            return table;
        },
        "Return where columns lie: addresses and strides of values; addresses, bytes and first cells of codes.",
        nb::arg("values").noconvert(), nb::arg("codes").noconvert(), nb::arg("starts"), nb::arg("rows"));

    m.def(
        "pick_rows",
        [](size_t dense, size_t coded, size_t rows, In<int64_t> table, int64_t every, Out<int64_t> picked) {
            need_placed(dense, coded, table), need_size("every", every), need("picked", picked, {rows + 1});
            return linear::pick_rows(placed(dense, coded, rows, table), static_cast<uint64_t>(every), picked.data());
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("rows"), nb::arg("table").noconvert(), nb::arg("every"),
        nb::arg("picked").noconvert(), Release());
    m.def(
        "gather_rows",
        [](size_t dense, In<int64_t> table, In<int64_t> rows, Out<double> to) {
            need("table", table, {5, any}), need("rows", rows, {any}), need("to", to, {dense, rows.size()});
            if (table.shape(1) < dense) refuse("table must have all columns");
            linear::gather_rows(placed(dense, 0, 0, table), rows.size(), rows.data(), to.data());
        },
        nb::arg("dense"), nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("to").noconvert(), Release());

    m.def(
        "word_rows",
        [](In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, Maybe<int64_t> weights, Out<int64_t> rows,
           Out<int64_t> most) {
            need_entries(starts, any, words), need("counts", counts, {words.size()});
            need("weights", weights, {starts.size() - 1}), need("rows", rows, {any}), need("most", most, {1});
            linear::word_rows(starts.size() - 1, starts.data(), words.data(), counts.data(), pointer(weights), rows.data(),
                              most.data());
        },
        "Do rows[word] += copies of the rows that hold the word; most[0] becomes the largest count.",
        nb::arg("starts").noconvert(), nb::arg("words").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("rows").noconvert(), nb::arg("most").noconvert(), Release());

    m.def(
        "word_values",
        [](const TextArrays& text, Out<double> values) {
            need_text(text);
            const auto& starts = std::get<0>(text);
            need("values", values, {size_t(starts.data()[starts.size() - 1] - starts.data()[0])});
            const linear::Words words = words_of(text);
            nb::gil_scoped_release release;
            linear::word_values(std::get<0>(text).size() - 1, words, values.data());
        },
        nb::arg("text"), nb::arg("values").noconvert());

    m.def(
        "dot",
        [](In<double> a, In<double> b) {
            need("a", a, {any}), need("b", b, {a.size()});
            return linear::dot(a.size(), a.data(), b.data());
        },
        "Return the sum of a * b in a fixed order.", nb::arg("a").noconvert(), nb::arg("b").noconvert(), Release());
    bind_kept<double>(m), bind_kept<float>(m);
    m.def(
        "longest",
        [](In<double> v) {
            need("v", v, {any});
            return linear::longest(v.size(), v.data());
        },
        "Return the largest of |v|.", nb::arg("v").noconvert(), Release());
    m.def(
        "pulled",
        [](In<int64_t> sums, double unit, In<double> l2, In<double> w, Out<double> gradient) {
            const size_t n = w.size();
            need("w", w, {any}), need("sums", sums, {n}), need("l2", l2, {n}), need("gradient", gradient, {n});
            return linear::pulled(n, sums.data(), unit, l2.data(), w.data(), gradient.data());
        },
        "Do gradient = sums * unit + l2 * w, and return the sum of l2 * w * w.", nb::arg("sums").noconvert(),
        nb::arg("unit"), nb::arg("l2").noconvert(), nb::arg("w").noconvert(), nb::arg("gradient").noconvert(), Release());
    m.def(
        "cholesky",
        [](In<double> a, double least) {
            const size_t n = need_square("a", a);
            New<double> factor = copy_of(a, {n, n});
            nb::gil_scoped_release free;
            const size_t at = linear::cholesky(n, factor.data(), least);
            return std::tuple(factor, at);
        },
        "Return L of a = L L' and n; or what was done, and the first column whose pivot is at most `least` of itself.",
        nb::arg("a").noconvert(), nb::arg("least") = 0.0);
    m.def(
        "cholesky_solve",
        [](In<double> factor, In<double> right) {
            const size_t n = need_square("factor", factor);
            need("right", right, {n});
            New<double> x = copy_of(right, {n});
            nb::gil_scoped_release free;
            linear::cholesky_solve(n, factor.data(), x.data());
            return x;
        },
        "Return x with L L' x = right.", nb::arg("factor").noconvert(), nb::arg("right").noconvert());
    m.def(
        "cholesky_skip",
        [](In<double> a, double least) {
            const size_t n = need_square("a", a);
            New<double> factor = copy_of(a, {n, n});
            New<bool> skipped = zeros<bool>({n});
            nb::gil_scoped_release free;
            linear::cholesky_skip(n, factor.data(), least, reinterpret_cast<uint8_t*>(skipped.data()));
            return std::tuple(factor, skipped);
        },
        "Return L of the columns that do not depend on earlier ones, and which do (their rows are the identity's).",
        nb::arg("a").noconvert(), nb::arg("least"));
    m.def(
        "inverse_diagonal",
        [](In<double> factor) {
            const size_t n = need_square("factor", factor);
            New<double> diagonal = fresh<double>({n});
            std::vector<double> column(n);
            nb::gil_scoped_release free;
            linear::inverse_diagonal(n, factor.data(), column.data(), diagonal.data());
            return diagonal;
        },
        "Return the diagonal of (L L')^-1.", nb::arg("factor").noconvert());
    m.def(
        "times",
        [](In<double> a, In<double> x) {
            const size_t n = need_square("a", a);
            need("x", x, {n});
            New<double> y = fresh<double>({n});
            nb::gil_scoped_release free;
            linear::times(n, a.data(), x.data(), y.data());
            return y;
        },
        "Return a x for a square matrix, in a fixed order of additions.", nb::arg("a").noconvert(),
        nb::arg("x").noconvert());
    m.def(
        "add_sides",
        [](size_t dense, size_t coded, In<int64_t> table, In<double> scaling, AnyIn classes, Maybe<int64_t> weights,
           In<double> thetas, Out<double> sides, Out<double> margins) {
            need("thetas", thetas, {any, any, any});
            const size_t directions = thetas.shape(0), k = thetas.shape(2);
            need_placed(dense, coded, table), need("scaling", scaling, {2, dense});
            need_codes("classes", classes, any), need("weights", weights, {classes.size()});
            need("sides", sides, {directions, pairs_of(k), 4}), need("margins", margins, {directions, 2});
            need_parameters(thetas.shape(1), dense);
            std::vector<double> work(linear::work_doubles(dense, k));
            nb::gil_scoped_release release;
            linear::Ask ask = placed(dense, coded, classes.size(), table);
            ask.links = thetas.shape(2), ask.cells = thetas.shape(1) - 1 - dense;
            ask.centre = scaling.data(), ask.factor = scaling.data() + dense;
            ask.classes = classes.data(), ask.class_bytes = int64_t(classes.itemsize()), ask.weights = pointer(weights);
            linear::add_sides(ask, thetas.shape(0), thetas.data(), work.data(), sides.data(), margins.data());
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("table").noconvert(), nb::arg("scaling").noconvert(),
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("thetas").noconvert(),
        nb::arg("sides").noconvert(), nb::arg("margins").noconvert());

    m.def(
        "curvature_of_sums",
        [](In<int64_t> links, size_t classes, In<int64_t> squares, In<int64_t> at, In<double> power, double unit,
           double shift, In<double> l2) {
            need("links", links, {any}), need("at", at, {any}), need("power", power, {at.size()});
            const size_t m = at.size() * links.size();
            need("l2", l2, {m}), need("squares", squares, {pairs_of(classes), any, any});
            need("squares", squares, {pairs_of(classes), squares.shape(1), squares.shape(1)});
            need_below("at", at, squares.shape(1)), need_below("links", links, std::max<size_t>(classes, 1));
            New<double> h = fresh<double>({m, m});
            nb::gil_scoped_release free;
            linear::curvature_of_sums(at.size(), links.size(), links.data(), classes, squares.data(), squares.shape(1),
                                      at.data(), power.data(), unit, shift, l2.data(), h.data());
            return h;
        },
        "Return the curvature [n k, n k] from squares[pair, P, P] in whole `unit`s, lower triangles filled.\n\n"
        "links[k]: the classes with weights (classes 1: the one link of two classes); at[n]: the free parameters,\n"
        "each brought to its scale by power[n]; shift is added among the constants, l2[n k] to the diagonal.",
        nb::arg("links").noconvert(), nb::arg("classes"), nb::arg("squares").noconvert(), nb::arg("at").noconvert(),
        nb::arg("power").noconvert(), nb::arg("unit"), nb::arg("shift"), nb::arg("l2").noconvert());
    m.def(
        "curvature_of_gram",
        [](In<int64_t> links, size_t classes, In<double> gram, In<double> share, double shift, In<double> l2) {
            const size_t n = need_square("gram", gram), k = std::max<size_t>(classes, 2), m = n * links.size();
            need("links", links, {any}), need("share", share, {k}), need("l2", l2, {m}), need_below("links", links, k);
            New<double> h = fresh<double>({m, m});
            nb::gil_scoped_release free;
            linear::curvature_of_gram(n, links.size(), links.data(), classes, gram.data(), share.data(), shift, l2.data(),
                                      h.data());
            return h;
        },
        "Return the curvature [n k, n k] where every row has the same share[class]; gram[n, n] sums z z'.",
        nb::arg("links").noconvert(), nb::arg("classes"), nb::arg("gram").noconvert(), nb::arg("share").noconvert(),
        nb::arg("shift"), nb::arg("l2").noconvert());
    m.def(
        "product",
        [](In<double> a, In<double> b) {
            need("b", b, {any, any}), need("a", a, {any, b.shape(0)});
            New<double> out = fresh<double>({a.shape(0), b.shape(1)});
            nb::gil_scoped_release free;
            linear::product(a.shape(0), a.shape(1), b.shape(1), a.data(), b.data(), out.data());
            return out;
        },
        "Return the matrix product a b, in a fixed order of additions.", nb::arg("a").noconvert(), nb::arg("b").noconvert());
    m.def(
        "posterior",
        [](In<double> matrix, In<int64_t> at, In<double> scale, Out<double> work, Out<double> out, Out<double> diagonal) {
            need_posterior(matrix, at, scale, work, out), need("diagonal", diagonal, {at.size()});
            linear::posterior(at.size(), matrix.shape(0), matrix.data(), at.data(), scale.data(), work.data(), out.data(),
                              diagonal.data());
        },
        nb::arg("matrix").noconvert(), nb::arg("at").noconvert(), nb::arg("scale").noconvert(), nb::arg("work").noconvert(),
        nb::arg("out").noconvert(), nb::arg("diagonal").noconvert(), Release());
    m.def(
        "posterior_start",
        [](In<double> matrix, In<int64_t> at, In<double> scale, size_t begin, size_t stop, Out<double> a, Out<double> x) {
            need_posterior(matrix, at, scale, a, x), need_stretch(begin, stop, at.size());
            linear::posterior_start(at.size(), matrix.shape(0), matrix.data(), at.data(), scale.data(), begin, stop,
                                    a.data(), x.data());
        },
        nb::arg("matrix").noconvert(), nb::arg("at").noconvert(), nb::arg("scale").noconvert(), nb::arg("begin"),
        nb::arg("stop"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_block",
        [](size_t first, Out<double> a, Out<double> x) {
            const size_t n = need_square("a", a);
            need("x", x, {n, n}), need_stretch(first, n, n);
            linear::posterior_block(n, first, a.data(), x.data());
        },
        nb::arg("first"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_rows",
        [](size_t first, size_t begin, size_t stop, Out<double> a, In<double> x) {
            const size_t n = need_square("a", a);
            need("x", x, {n, n}), need_stretch(begin, stop, n), need_stretch(first, n, n);
            linear::posterior_rows(n, first, begin, stop, a.data(), x.data());
        },
        nb::arg("first"), nb::arg("begin"), nb::arg("stop"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_columns",
        [](size_t col, In<double> a, Out<double> x, Out<double> diagonal) {
            const size_t n = need_square("a", a);
            need("x", x, {n, n}), need("diagonal", diagonal, {n}), need_stretch(col, n, n);
            linear::posterior_columns(n, col, a.data(), x.data(), diagonal.data());
        },
        nb::arg("col"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), nb::arg("diagonal").noconvert(), Release());
    m.attr("POSTERIOR_BLOCK") = linear::kBlock;
    m.def(
        "along",
        [](In<int64_t> table, In<double> rows, In<double> x, Out<double> out) {
            const auto [lines, directions] = need_basis(table, rows);
            need("x", x, {lines}), need("out", out, {directions});
            linear::along({table.shape(0), table.data(), rows.data()}, x.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "lines_along",
        [](In<int64_t> table, In<double> rows, In<double> v, Out<double> out) {
            const auto [lines, directions] = need_basis(table, rows);
            need("v", v, {directions}), need("out", out, {lines});
            linear::lines_along({table.shape(0), table.data(), rows.data()}, v.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("v").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "diagonal_along",
        [](In<int64_t> table, In<double> rows, In<double> w, Out<double> out) {
            const auto [lines, directions] = need_basis(table, rows);
            need("w", w, {lines, lines}), need("out", out, {directions});
            linear::diagonal_along({table.shape(0), table.data(), rows.data()}, w.shape(0), w.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("w").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "turn_half",
        [](In<int64_t> table, In<double> rows, In<double> w, In<int64_t> some, size_t begin, size_t stop, Out<double> half) {
            const auto [lines, directions] = need_basis(table, rows);
            need("w", w, {lines, lines}), need_rising("some", some, directions), need("work", half, {some.size(), lines});
            need_stretch(begin, stop, some.size());
            linear::turn_half({table.shape(0), table.data(), rows.data()}, w.shape(0), w.data(), some.data(), begin, stop,
                              half.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("w").noconvert(), nb::arg("some").noconvert(),
        nb::arg("begin"), nb::arg("stop"), nb::arg("half").noconvert(), Release());
    m.def(
        "turn_whole",
        [](In<int64_t> table, In<double> rows, In<int64_t> some, size_t begin, size_t stop, In<double> half,
           Out<double> out) {
            const auto [lines, directions] = need_basis(table, rows);
            need_rising("some", some, directions), need("half", half, {some.size(), lines});
            need("work", out, {some.size(), some.size()}), need_stretch(begin, stop, some.size());
            linear::turn_whole({table.shape(0), table.data(), rows.data()}, half.shape(1), some.data(), some.size(), begin,
                               stop, half.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("some").noconvert(), nb::arg("begin"),
        nb::arg("stop"), nb::arg("half").noconvert(), nb::arg("out").noconvert(), Release());
    m.def(
        "without_constant",
        [](In<int64_t> lower, double unit, Out<double> out) {
            const size_t n = need_square("lower", lower);
            need_size("lower", int64_t(n)), need("out", out, {n - 1, n - 1});
            New<double> cross = fresh<double>({n - 1});
            nb::gil_scoped_release free;
            const double own = linear::without_constant(n - 1, lower.data(), unit, out.data(), cross.data());
            return std::tuple(out, own, cross);
        },
        "Return what a curvature in whole `unit`s, the constant first and only its lower triangle filled, is where the\n"
        "constant is free to follow; the constant's own; and how it follows each of the others. out: a matrix to be\n"
        "written over with the first.",
        nb::arg("lower").noconvert(), nb::arg("unit"), nb::arg("out").noconvert());
    m.def(
        "eigen",
        [](In<double> a) {
            const size_t n = need_square("a", a);
            New<double> values = fresh<double>({n}), vectors = fresh<double>({n, n});
            nb::gil_scoped_release free;
            std::vector<double> work(a.data(), a.data() + n * n), own(n * n);
            linear::eigen(n, work.data(), own.data());
            std::vector<size_t> order(n);
            std::iota(order.begin(), order.end(), size_t{0});
            std::ranges::stable_sort(order, [&](size_t i, size_t j) { return work[i * n + i] > work[j * n + j]; });
            for (size_t i = 0; i < n; ++i) {
                values.data()[i] = work[order[i] * n + order[i]];
                std::copy_n(&own[order[i] * n], n, vectors.data() + i * n);
            }
            return std::tuple(values, vectors);
        },
        "Return the eigenvalues of a symmetric matrix, falling, and its eigenvectors as rows.", nb::arg("a").noconvert());
    m.def(
        "eigen_ends",
        [](In<double> a, In<double> factor, int64_t rounds) {
            const size_t n = need_square("a", a);
            need("factor", factor, {n, n}), need_size("rounds", rounds);
            std::vector<double> v(2 * n);
            double ends[2];
            linear::eigen_ends(n, a.data(), factor.data(), static_cast<size_t>(rounds), v.data(), ends);
            return std::tuple(ends[0], ends[1]);
        },
        "Return about the largest and the smallest eigenvalue of a = L L'.", nb::arg("a").noconvert(),
        nb::arg("factor").noconvert(), nb::arg("rounds") = 30, Release());

    m.def(
        "precondition",
        [](In<double> a, In<double> v, In<double> mean, In<int64_t> groups, bool even, Out<double> q) {
            need("a", a, {any}), need("v", v, {any}), need("mean", mean, {a.size()}), need("groups", groups, {any, 2});
            need("q", q, {a.size() * v.size()}), need_below("groups", groups, a.size() + 1);
            nb::gil_scoped_release free;
            linear::precondition(a.size(), v.size(), a.data(), v.data(), mean.data(), groups.shape(0), groups.data(), even,
                                 q.data());
            return q;
        },
        "Return q[row, link] divided by about the curvature, in place: see kernels/linear/solve.hpp.\n\n"
        "a[row] * v[link] is 1 over the diagonal, mean[row] the mean of a column; groups[group, 2]: rows whose\n"
        "weights keep their sum; even: so do the links of a row.",
        nb::arg("a").noconvert(), nb::arg("v").noconvert(), nb::arg("mean").noconvert(), nb::arg("groups").noconvert(),
        nb::arg("even"), nb::arg("q").noconvert());
    m.def(
        "lasso_step",
        [](In<double> h, In<double> g, In<double> w, In<double> l1, double tolerance, int64_t rounds) {
            const size_t n = need_square("h", h);
            need("g", g, {n}), need("w", w, {n}), need("l1", l1, {n});
            New<double> d = zeros<double>({n});
            std::vector<double> hd(n);
            nb::gil_scoped_release free;
            const int64_t took =
                linear::lasso_step(n, h.data(), g.data(), w.data(), l1.data(), tolerance, rounds, d.data(), hd.data());
            return std::tuple(d, took);
        },
        "Return the step d that minimises g'd + d'hd/2 + sum l1 |w + d|, and the rounds it took.", nb::arg("h").noconvert(),
        nb::arg("g").noconvert(), nb::arg("w").noconvert(), nb::arg("l1").noconvert(), nb::arg("tolerance"),
        nb::arg("rounds"));
}
