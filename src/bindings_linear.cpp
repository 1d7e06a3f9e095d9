// Bindings of logistic regression: sums over a block, scores, and the solvers' linear algebra.
#include "bindings_numbers.hpp"
#include "kernels/linear/answers.hpp"
#include "kernels/linear/blocks.hpp"
#include "kernels/linear/newton.hpp"
#include "kernels/linear/solve.hpp"
#include "kernels/linear/whole_fit.hpp"

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

template <class T>
std::vector<const T*> pointers(const std::vector<In<T>>& arrays) {
    std::vector<const T*> out;
    for (const auto& one : arrays) out.push_back(one.data());
    return out;
}

// Products and sums of long vectors, kept in T.
template <class T>
void bind_kept(nb::module_& m) {
    m.def(
        "dots",
        [](const std::vector<In<T>>& vectors, const std::vector<In<double>>& sides, Out<double> out) {
            const auto v = pointers(vectors);
            const auto b = pointers(sides);
            const size_t n = sides.empty() ? 0 : sides[0].size();
            nb::gil_scoped_release release;
            linear::dots(n, v.size(), v.data(), b.size(), b.data(), out.data());
        },
        nb::arg("vectors").noconvert(), nb::arg("sides").noconvert(), nb::arg("out").noconvert());
    m.def(
        "combine",
        [](double factor, const std::vector<In<T>>& vectors, In<double> coefficient, Out<double> q) {
            const auto v = pointers(vectors);
            nb::gil_scoped_release release;
            linear::combine(q.size(), factor, v.size(), v.data(), coefficient.data(), q.data());
        },
        nb::arg("factor"), nb::arg("vectors").noconvert(), nb::arg("coefficient").noconvert(), nb::arg("q").noconvert());
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
            const size_t width = table.shape(1), links = theta.shape(1);
            const int64_t* t = table.data();
            std::vector<linear::Words> words;
            for (const auto& text : texts) words.push_back(words_of(text));
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

    // numbers: strength, held, standardize, unit, small, fine, least, doubt, grain.
    m.def("whole_fit_doubles", &linear::whole_fit_doubles, nb::arg("dense"));
    m.def(
        "whole_fit",
        [](size_t dense, In<int64_t> table, In<double> bounds, AnyIn classes, int64_t bits, In<double> numbers,
           In<int64_t> at, int64_t most, Out<double> memory, Out<int64_t> whole, Out<double> scales, Out<double> w,
           Out<double> trace) {
            linear::Ask ask = placed(dense, 0, classes.size(), table);
            ask.links = 1, ask.cells = 0, ask.bits = bits;
            ask.classes = classes.data(), ask.class_bytes = int64_t(classes.itemsize());
            const double* v = numbers.data();
            const int64_t link = 0;
            const linear::Descent q{at.size(), 1,    at.data(), nullptr, &link, nullptr, v[3], 1.0,  0.0,
                                    v[4],      v[5], v[6],      v[7],    v[8],  0.0,     0.0,  true, most};
            nb::gil_scoped_release release;
            return linear::whole_fit(ask, {bounds.data(), v[0], v[1], v[2] != 0.0}, q, memory.data(), whole.data(),
                                     scales.data(), scales.data() + dense, w.data(), trace.shape(0), trace.data());
        },
        nb::arg("dense"), nb::arg("table").noconvert(), nb::arg("bounds").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("bits"), nb::arg("numbers").noconvert(), nb::arg("at").noconvert(), nb::arg("most"),
        nb::arg("memory").noconvert(), nb::arg("whole").noconvert(), nb::arg("scales").noconvert(), nb::arg("w").noconvert(),
        nb::arg("trace").noconvert());

    // The decisions of Newton's method one by one, for rows that are only summed. numbers: small, fine, least, doubt, grain,
    // reach, alarm, ahead, wrong, before. Returns the End, -1: none; stalled: 1 where rounding leaves no more to do.
    m.def(
        "newton_end",
        [](In<double> w, In<double> gradient, In<double> d, In<double> power, In<double> numbers, bool stalled,
           Out<double> scratch) {
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
        [](In<double> h, Out<double> factor) { return linear::factorise(h.shape(0), h.data(), factor.data()); },
        nb::arg("h").noconvert(), nb::arg("factor").noconvert(), Release());
    m.def(
        "newton_step_by",
        [](In<double> h, In<double> factor, bool factorised, Out<double> x) {
            linear::step_by(h.shape(0), h.data(), factor.data(), factorised, x.data());
        },
        nb::arg("h").noconvert(), nb::arg("factor").noconvert(), nb::arg("factorised"), nb::arg("x").noconvert(), Release());

    // answer: 0 scores, 1 shares (numbers[row, class]), 2 the best class (best[row]).
    m.def(
        "logistic_answers",
        [](size_t dense, size_t coded, size_t rows, In<int64_t> table, In<double> scaling, In<double> theta,
           const std::vector<TextArrays>& texts, int64_t answer, Out<double> work, Out<double> numbers, Out<uint32_t> best) {
            std::vector<linear::Words> words;
            for (const auto& text : texts) words.push_back(words_of(text));
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
           Out<int64_t> table) {
            const size_t width = table.shape(1);
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
        },
        nb::arg("values").noconvert(), nb::arg("codes").noconvert(), nb::arg("starts"), nb::arg("table").noconvert());

    m.def(
        "pick_rows",
        [](size_t dense, size_t coded, size_t rows, In<int64_t> table, uint64_t every, Out<int64_t> picked) {
            return linear::pick_rows(placed(dense, coded, rows, table), every, picked.data());
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("rows"), nb::arg("table").noconvert(), nb::arg("every"),
        nb::arg("picked").noconvert(), Release());
    m.def(
        "gather_rows",
        [](size_t dense, In<int64_t> table, In<int64_t> rows, Out<double> to) {
            linear::gather_rows(placed(dense, 0, 0, table), rows.size(), rows.data(), to.data());
        },
        nb::arg("dense"), nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("to").noconvert(), Release());

    m.def(
        "word_rows",
        [](In<int64_t> starts, In<uint32_t> words, In<uint32_t> counts, Maybe<int64_t> weights, Out<int64_t> rows,
           Out<int64_t> most) {
            linear::word_rows(starts.size() - 1, starts.data(), words.data(), counts.data(), pointer(weights), rows.data(),
                              most.data());
        },
        nb::arg("starts").noconvert(), nb::arg("words").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("rows").noconvert(), nb::arg("most").noconvert(), Release());

    m.def(
        "word_values",
        [](const TextArrays& text, Out<double> values) {
            const linear::Words words = words_of(text);
            nb::gil_scoped_release release;
            linear::word_values(std::get<0>(text).size() - 1, words, values.data());
        },
        nb::arg("text"), nb::arg("values").noconvert());

    m.def(
        "dot", [](In<double> a, In<double> b) { return linear::dot(a.size(), a.data(), b.data()); },
        nb::arg("a").noconvert(), nb::arg("b").noconvert(), Release());
    bind_kept<double>(m), bind_kept<float>(m);
    m.def("longest", [](In<double> v) { return linear::longest(v.size(), v.data()); }, nb::arg("v").noconvert(), Release());
    m.def(
        "pulled",
        [](In<int64_t> sums, double unit, In<double> l2, In<double> w, Out<double> gradient) {
            return linear::pulled(sums.size(), sums.data(), unit, l2.data(), w.data(), gradient.data());
        },
        nb::arg("sums").noconvert(), nb::arg("unit"), nb::arg("l2").noconvert(), nb::arg("w").noconvert(),
        nb::arg("gradient").noconvert(), Release());
    m.def(
        "cholesky", [](Out<double> a, double least) { return linear::cholesky(a.shape(0), a.data(), least); },
        nb::arg("a").noconvert(), nb::arg("least"), Release());
    m.def(
        "cholesky_solve", [](In<double> l, Out<double> x) { linear::cholesky_solve(l.shape(0), l.data(), x.data()); },
        nb::arg("l").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "cholesky_skip",
        [](Out<double> a, double least, Out<uint8_t> skipped) {
            linear::cholesky_skip(a.shape(0), a.data(), least, skipped.data());
        },
        nb::arg("a").noconvert(), nb::arg("least"), nb::arg("skipped").noconvert(), Release());
    m.def(
        "inverse_diagonal",
        [](In<double> l, Out<double> column, Out<double> diagonal) {
            linear::inverse_diagonal(l.shape(0), l.data(), column.data(), diagonal.data());
        },
        nb::arg("l").noconvert(), nb::arg("column").noconvert(), nb::arg("diagonal").noconvert(), Release());
    m.def(
        "times", [](In<double> a, In<double> x, Out<double> y) { linear::times(a.shape(0), a.data(), x.data(), y.data()); },
        nb::arg("a").noconvert(), nb::arg("x").noconvert(), nb::arg("y").noconvert(), Release());
    m.def(
        "add_sides",
        [](size_t dense, size_t coded, In<int64_t> table, In<double> scaling, AnyIn classes, Maybe<int64_t> weights,
           In<double> thetas, Out<double> work, Out<double> sides, Out<double> margins) {
            nb::gil_scoped_release release;
            linear::Ask ask = placed(dense, coded, classes.size(), table);
            ask.links = thetas.shape(2), ask.cells = thetas.shape(1) - 1 - dense;
            ask.centre = scaling.data(), ask.factor = scaling.data() + dense;
            ask.classes = classes.data(), ask.class_bytes = int64_t(classes.itemsize()), ask.weights = pointer(weights);
            linear::add_sides(ask, thetas.shape(0), thetas.data(), work.data(), sides.data(), margins.data());
        },
        nb::arg("dense"), nb::arg("coded"), nb::arg("table").noconvert(), nb::arg("scaling").noconvert(),
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("thetas").noconvert(),
        nb::arg("work").noconvert(), nb::arg("sides").noconvert(), nb::arg("margins").noconvert());

    m.def(
        "curvature_of_sums",
        [](In<int64_t> links, size_t classes, In<int64_t> squares, In<int64_t> at, In<double> power, double unit,
           double shift, In<double> l2, Out<double> h) {
            linear::curvature_of_sums(at.size(), links.size(), links.data(), classes, squares.data(), squares.shape(1),
                                      at.data(), power.data(), unit, shift, l2.data(), h.data());
        },
        nb::arg("links").noconvert(), nb::arg("classes"), nb::arg("squares").noconvert(), nb::arg("at").noconvert(),
        nb::arg("power").noconvert(), nb::arg("unit"), nb::arg("shift"), nb::arg("l2").noconvert(), nb::arg("h").noconvert(),
        Release());
    m.def(
        "curvature_of_gram",
        [](In<int64_t> links, size_t classes, In<double> gram, In<double> share, double shift, In<double> l2,
           Out<double> h) {
            linear::curvature_of_gram(gram.shape(0), links.size(), links.data(), classes, gram.data(), share.data(), shift,
                                      l2.data(), h.data());
        },
        nb::arg("links").noconvert(), nb::arg("classes"), nb::arg("gram").noconvert(), nb::arg("share").noconvert(),
        nb::arg("shift"), nb::arg("l2").noconvert(), nb::arg("h").noconvert(), Release());
    m.def(
        "product",
        [](In<double> a, In<double> b, Out<double> out) {
            linear::product(a.shape(0), a.shape(1), b.shape(1), a.data(), b.data(), out.data());
        },
        nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(), Release());
    m.def(
        "posterior",
        [](In<double> matrix, In<int64_t> at, In<double> scale, Out<double> work, Out<double> out, Out<double> told) {
            linear::posterior(at.size(), matrix.shape(0), matrix.data(), at.data(), scale.data(), work.data(), out.data(),
                              told.data());
        },
        nb::arg("matrix").noconvert(), nb::arg("at").noconvert(), nb::arg("scale").noconvert(), nb::arg("work").noconvert(),
        nb::arg("out").noconvert(), nb::arg("told").noconvert(), Release());
    m.def(
        "posterior_start",
        [](In<double> matrix, In<int64_t> at, In<double> scale, size_t begin, size_t stop, Out<double> a, Out<double> x) {
            linear::posterior_start(at.size(), matrix.shape(0), matrix.data(), at.data(), scale.data(), begin, stop,
                                    a.data(), x.data());
        },
        nb::arg("matrix").noconvert(), nb::arg("at").noconvert(), nb::arg("scale").noconvert(), nb::arg("begin"),
        nb::arg("stop"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_block",
        [](size_t first, Out<double> a, Out<double> x) { linear::posterior_block(a.shape(0), first, a.data(), x.data()); },
        nb::arg("first"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_rows",
        [](size_t first, size_t begin, size_t stop, Out<double> a, In<double> x) {
            linear::posterior_rows(a.shape(0), first, begin, stop, a.data(), x.data());
        },
        nb::arg("first"), nb::arg("begin"), nb::arg("stop"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), Release());
    m.def(
        "posterior_columns",
        [](size_t col, In<double> a, Out<double> x, Out<double> told) {
            linear::posterior_columns(a.shape(0), col, a.data(), x.data(), told.data());
        },
        nb::arg("col"), nb::arg("a").noconvert(), nb::arg("x").noconvert(), nb::arg("told").noconvert(), Release());
    m.attr("POSTERIOR_BLOCK") = linear::kBlock;
    m.def(
        "along",
        [](In<int64_t> table, In<double> rows, In<double> x, Out<double> out) {
            linear::along({table.shape(0), table.data(), rows.data()}, x.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "lines_along",
        [](In<int64_t> table, In<double> rows, In<double> v, Out<double> out) {
            linear::lines_along({table.shape(0), table.data(), rows.data()}, v.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("v").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "diagonal_along",
        [](In<int64_t> table, In<double> rows, In<double> w, Out<double> out) {
            linear::diagonal_along({table.shape(0), table.data(), rows.data()}, w.shape(0), w.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("w").noconvert(), nb::arg("out").noconvert(),
        Release());
    m.def(
        "turn_half",
        [](In<int64_t> table, In<double> rows, In<double> w, In<int64_t> some, size_t begin, size_t stop, Out<double> half) {
            linear::turn_half({table.shape(0), table.data(), rows.data()}, w.shape(0), w.data(), some.data(), begin, stop,
                              half.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("w").noconvert(), nb::arg("some").noconvert(),
        nb::arg("begin"), nb::arg("stop"), nb::arg("half").noconvert(), Release());
    m.def(
        "turn_whole",
        [](In<int64_t> table, In<double> rows, In<int64_t> some, size_t begin, size_t stop, In<double> half,
           Out<double> out) {
            linear::turn_whole({table.shape(0), table.data(), rows.data()}, half.shape(1), some.data(), some.size(), begin,
                               stop, half.data(), out.data());
        },
        nb::arg("table").noconvert(), nb::arg("rows").noconvert(), nb::arg("some").noconvert(), nb::arg("begin"),
        nb::arg("stop"), nb::arg("half").noconvert(), nb::arg("out").noconvert(), Release());
    m.def(
        "without_constant",
        [](In<int64_t> lower, double unit, Out<double> w, Out<double> cross) {
            return linear::without_constant(cross.size(), lower.data(), unit, w.data(), cross.data());
        },
        nb::arg("lower").noconvert(), nb::arg("unit"), nb::arg("w").noconvert(), nb::arg("cross").noconvert(), Release());
    m.def(
        "eigen", [](Out<double> a, Out<double> v) { return linear::eigen(a.shape(0), a.data(), v.data()); },
        nb::arg("a").noconvert(), nb::arg("v").noconvert(), Release());
    m.def(
        "eigen_ends",
        [](In<double> a, In<double> l, size_t rounds, Out<double> v, Out<double> ends) {
            linear::eigen_ends(a.shape(0), a.data(), l.data(), rounds, v.data(), ends.data());
        },
        nb::arg("a").noconvert(), nb::arg("l").noconvert(), nb::arg("rounds"), nb::arg("v").noconvert(),
        nb::arg("ends").noconvert(), Release());

    m.def(
        "precondition",
        [](In<double> a, In<double> v, In<double> mean, In<int64_t> groups, bool even, Out<double> q) {
            linear::precondition(a.size(), v.size(), a.data(), v.data(), mean.data(), groups.shape(0), groups.data(), even,
                                 q.data());
        },
        nb::arg("a").noconvert(), nb::arg("v").noconvert(), nb::arg("mean").noconvert(), nb::arg("groups").noconvert(),
        nb::arg("even"), nb::arg("q").noconvert(), Release());
    m.def(
        "lasso_step",
        [](In<double> h, In<double> g, In<double> w, In<double> l1, double tolerance, int64_t rounds, Out<double> d,
           Out<double> hd) {
            return linear::lasso_step(h.shape(0), h.data(), g.data(), w.data(), l1.data(), tolerance, rounds, d.data(),
                                      hd.data());
        },
        nb::arg("h").noconvert(), nb::arg("g").noconvert(), nb::arg("w").noconvert(), nb::arg("l1").noconvert(),
        nb::arg("tolerance"), nb::arg("rounds"), nb::arg("d").noconvert(), nb::arg("hd").noconvert(), Release());
}
