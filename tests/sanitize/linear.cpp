// The sums, answers and linear algebra of logistic regression, on columns of every layout and with weights.
#include "kernels/linear/answers.hpp"
#include "kernels/linear/blocks.hpp"
#include "kernels/linear/newton.hpp"
#include "kernels/linear/solve.hpp"
#include "tests.hpp"

using namespace tally;
using namespace tally::linear;

namespace {

// Rows of 5 values side by side, one column of its own, and four coded columns, two of them of two codes; everything of exact
// size.
struct Sample {
    size_t rows, links;
    std::vector<double> matrix, own, scaling, theta, factor, by_class;
    std::vector<uint8_t> small, two, other, classes;
    std::vector<uint16_t> wide;
    std::vector<int64_t> weights, values, strides, codes, bytes, starts;

    Sample(size_t n, size_t k) : rows(n), links(k) {
        const auto hard = hard_doubles(rows * 6, 3);
        for (double x : hard) own.push_back(x == x ? (x > 1 ? 1 : x < -1 ? -1 : x) : x);
        matrix.assign(own.begin() + std::ptrdiff_t(rows), own.end());
        own.resize(rows);
        scaling.assign(12, 0.0);
        for (size_t j = 6; j < 12; ++j) scaling[j] = 1.0;
        small = numbers_below<uint8_t>(rows, 4, 5), wide = numbers_below<uint16_t>(rows, 6, 6);
        two = numbers_below<uint8_t>(rows, 2, 9), other = numbers_below<uint8_t>(rows, 2, 10);
        classes = numbers_below<uint8_t>(rows, links == 1 ? 2 : links, 7);
        weights = numbers_below<int64_t>(rows, 4, 8);
        theta.resize((1 + 6 + 14) * links);
        for (size_t i = 0; i < theta.size(); ++i) theta[i] = double(i % 7) / 3 - 1;
        factor.assign(rows, 0.5), by_class.assign(links == 1 ? 2 : links, 0.25);
        for (size_t j = 0; j < 5; ++j) values.push_back(reinterpret_cast<int64_t>(matrix.data() + j));
        values.push_back(reinterpret_cast<int64_t>(own.data()));
        strides = {5, 5, 5, 5, 5, 1};
        codes = {reinterpret_cast<int64_t>(small.data()), reinterpret_cast<int64_t>(wide.data()),
                 reinterpret_cast<int64_t>(two.data()), reinterpret_cast<int64_t>(other.data())};
        bytes = {1, 2, 1, 1}, starts = {0, 4, 10, 12};
    }

    Ask ask(Curvature curvature, bool weighted) const {
        return {rows,
                6,
                4,
                links,
                14,
                values.data(),
                strides.data(),
                scaling.data(),
                scaling.data() + 6,
                codes.data(),
                bytes.data(),
                starts.data(),
                classes.data(),
                1,
                weighted ? by_class.data() : nullptr,
                weighted ? factor.data() : nullptr,
                weighted ? weights.data() : nullptr,
                theta.data(),
                40,
                curvature};
    }
};

struct Texts {
    std::vector<int64_t> starts, gradient;
    std::vector<uint32_t> word, count;
    std::vector<double> idf, tf, theta, value;

    Texts(size_t rows, size_t links)
        : starts(rows + 1),
          gradient(5 * links),
          idf{1, 2, 1, 3, 1, 0},
          tf{0, 1, 1.5},
          theta(5 * links, 0.5) {
        for (size_t row = 0; row < rows; ++row) starts[row + 1] = starts[row] + int64_t(row % 3);
        word = numbers_below<uint32_t>(size_t(starts[rows]), 6, 4);  // 5 is an unseen word
        count = numbers_below<uint32_t>(size_t(starts[rows]), 9, 5);
        value.resize(word.size());
    }

    Words words(bool valued) {
        return {starts.data(),
                word.data(),
                count.data(),
                idf.data(),
                tf.data(),
                tf.size(),
                1,
                1.0,
                theta.data(),
                gradient.data(),
                valued ? value.data() : nullptr};
    }
};

void sums_and_answers(size_t rows, size_t links) {
    const Sample s(rows, links);
    const size_t p = 21, classes = links == 1 ? 2 : links, pairs = classes * (classes - 1) / 2;
    std::vector<double> work(work_doubles(6, links)), spare(kRows + links), numbers(rows * classes);
    std::vector<uint32_t> best(rows);
    for (const Curvature c : {Curvature::none, Curvature::pairs, Curvature::gram, Curvature::diagonal})
        for (const bool weighted : {false, true}) {
            const size_t size = c == Curvature::none ? 0 : c == Curvature::diagonal ? 2 * p : pairs * p * p;
            std::vector<int64_t> loss(3), gradient(p * links), squares(size);
            sums(s.ask(c, weighted), work.data(), {loss.data(), gradient.data(), squares.data()});
            EXPECT(loss[0] >= 0);
        }
    Texts texts(rows, links);
    std::vector<int64_t> loss(3), gradient(p * links), words_loss(3);
    for (const bool valued : {false, true}) {
        const Words words = texts.words(valued);
        if (!valued) word_values(rows, words, texts.value.data());
        std::vector<int64_t>& to = valued ? words_loss : loss;
        word_sums(s.ask(Curvature::none, true), &words, 1, work.data(), spare.data(), {to.data(), gradient.data(), nullptr});
    }
    EXPECT(loss == words_loss);
    const Words words = texts.words(true);
    for (const Answer answer : {Answer::scores, Answer::shares, Answer::best})
        answers(s.ask(Curvature::none, false), &words, 1, work.data(), spare.data(), answer, numbers.data(), best.data());
    for (uint32_t b : best) EXPECT(b < classes);
    Ask beside = s.ask(Curvature::none, false);
    beside.dense = 5, beside.coded = beside.cells = 0;
    answers(beside, nullptr, 0, work.data(), spare.data(), Answer::best, nullptr, best.data());
    Ask coded = s.ask(Curvature::none, false);
    std::vector<float> cells(rows * coded.dense, 0.25F);
    Numbers given{rows, {}, {}, std::vector(coded.dense, Cell::f32)};
    for (size_t j = 0; j < coded.dense; ++j)
        given.at.push_back(cells.data() + j), given.strides.push_back(ptrdiff_t(coded.dense));
    for (const Answer answer : {Answer::scores, Answer::shares, Answer::best})
        EXPECT(answers(coded, given, work.data(), spare.data(), answer, numbers.data(), best.data()));
    cells.back() = std::numeric_limits<float>::infinity();
    EXPECT(!answers(coded, given, work.data(), spare.data(), Answer::best, nullptr, best.data()));
    std::vector<double> thetas(s.theta), sides(4 * pairs * 2, 0.0), margins(4, 0.0);
    thetas.insert(thetas.end(), s.theta.begin(), s.theta.end());
    add_sides(s.ask(Curvature::none, true), 2, thetas.data(), work.data(), sides.data(), margins.data());
    std::vector<int64_t> picked(rows + 1), most(1), word_count(6);
    const size_t kept = pick_rows(s.ask(Curvature::none, false), 3, picked.data());
    std::vector<double> gathered(6 * kept);
    gather_rows(s.ask(Curvature::none, false), kept, picked.data(), gathered.data());
    word_rows(rows, texts.starts.data(), texts.word.data(), texts.count.data(), nullptr, word_count.data(), most.data());
}

// Every parameter is free, with a prior, so that there is an optimum whatever the rows are.
void newton_way(size_t rows, size_t links, bool weighted) {
    const Sample s(rows, links);
    const size_t p = 21, m = p * links;
    std::vector<int64_t> at(p), free(links), whole(newton_whole(p, links)), counts(2);
    for (size_t i = 0; i < p; ++i) at[i] = int64_t(i);
    for (size_t l = 0; l < links; ++l) free[l] = int64_t(l);
    const std::vector<double> power(p, 1.0), l2(m, 2.0);
    std::vector<double> theta(p * links), memory(newton_doubles(6, links, m)), w(m), gradient(m), curvature(m * m), d(m),
        trace(3 * 50);
    Ask ask = s.ask(Curvature::pairs, weighted);
    ask.theta = theta.data();
    const double unit = std::bit_cast<double>((uint64_t(1023) - uint64_t(ask.bits)) << 52);
    const Descent q{p,    links, at.data(), power.data(), free.data(), l2.data(), unit, 1.0,  0.0,
                    1e-6, 1e-6,  0.0,       0.0,          0.0,         0.0,       0.0,  true, 200};
    Spot spot{w.data(), gradient.data(), curvature.data(), 0.0, 0.0, 0};
    const int64_t end =
        newton(ask, q, false, theta.data(), memory.data(), whole.data(), spot, d.data(), 50, trace.data(), counts.data());
    EXPECT(end == int64_t(End::optimum));
    EXPECT(longest(m, gradient.data()) <= 1e-6);
    for (double& v : w) v = 0.5;
    const Descent short_way{p,   links, at.data(), power.data(), free.data(), l2.data(), unit, 1.0,  0.0,
                            0.0, 0.0,   0.0,       0.0,          0.0,         1e-9,      1.0,  true, 2};
    newton(ask, short_way, false, theta.data(), memory.data(), whole.data(), spot, d.data(), 50, trace.data(),
           counts.data());
    EXPECT(counts[0] <= 3);
}

void algebra(size_t n) {
    std::vector<double> a(n * n), l, x(n, 1.0), y(n), scratch(2 * n), ends(2), d(n), hd(n);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) a[i * n + j] = (i == j ? 3.0 : 0.0) + 1.0 / double(1 + i + j);
    l = a;
    EXPECT(cholesky(n, l.data(), 1e-14) == int64_t(n));
    cholesky_solve(n, l.data(), x.data());
    times(n, a.data(), x.data(), y.data());
    for (double v : y) EXPECT(v > 0.999999 && v < 1.000001);
    std::vector<double> inverse(n * n), turned(n * n);
    std::vector<int64_t> order(n), table{0, int64_t(n), 0, int64_t(n)}, lower((n + 1) * (n + 1), 3);
    for (size_t i = 0; i < n; ++i) order[i] = int64_t(i);
    posterior(n, n, a.data(), order.data(), d.data(), turned.data(), inverse.data(), y.data());
    EXPECT(inverse[0] == 1.0 && y[0] == 0.0);
    product(n, n, n, a.data(), inverse.data(), turned.data());
    const Basis basis{1, table.data(), a.data()};
    along(basis, x.data(), y.data());
    lines_along(basis, x.data(), y.data());
    diagonal_along(basis, n, a.data(), y.data());
    std::vector<double> half(n * n);
    for (size_t begin : {size_t{0}, n / 2})
        turn_half(basis, n, a.data(), order.data(), begin, begin ? n : n / 2, half.data());
    for (size_t begin : {size_t{0}, n / 2})
        turn_whole(basis, n, order.data(), n, begin, begin ? n : n / 2, half.data(), turned.data());
    EXPECT(without_constant(n, lower.data(), 0.5, turned.data(), y.data()) == 1.5);
    inverse_diagonal(n, l.data(), scratch.data(), y.data());
    eigen_ends(n, a.data(), l.data(), 5, scratch.data(), ends.data());
    lasso_step(n, a.data(), x.data(), y.data(), y.data(), 1e-9, 50, d.data(), hd.data());
    std::vector<double> twice(a);
    std::vector<uint8_t> skipped(n);
    cholesky_skip(n, twice.data(), 1e-9, skipped.data());
    const double* vectors[] = {x.data(), y.data()};
    const std::vector<double> factors{0.5, -2.0};
    std::vector<double> out(4), q(n, 1.0);
    dots(n, 2, vectors, 2, vectors, out.data());
    EXPECT(out[1] == out[2]);
    combine(n, 2.0, 2, vectors, factors.data(), q.data());
    const std::vector<float> kept(n, 0.5F);
    const float* single[] = {kept.data()};
    dots(n, 1, single, 2, vectors, out.data());
    const float* five[] = {kept.data(), kept.data(), kept.data(), kept.data(), kept.data()};
    std::vector<double> many(10);
    dots(n, 5, five, 2, vectors, many.data());
    EXPECT(many[0] == out[0] && many[9] == out[1]);
    combine(n, 2.0, 1, single, factors.data(), q.data());
    EXPECT(longest(n, q.data()) > 0.0);
    const std::vector<int64_t> groups{1, int64_t(n)}, whole(n, 3);
    const std::vector<double> v{0.5}, mean(n, 0.25);
    precondition(n, 1, q.data(), v.data(), mean.data(), 1, groups.data(), false, x.data());
    pulled(n, whole.data(), 0.5, q.data(), y.data(), d.data());
    const std::vector<int64_t> links{0, 2}, at{0, 1};
    const std::vector<int64_t> squares(3 * n * n, 5);
    const std::vector<double> l2(4, 1.0), power{1, 2}, share{0.2, 0.3, 0.5}, gram{4, 1, 1, 3};
    std::vector<double> h(16);
    if (n >= 2)
        curvature_of_sums(2, 2, links.data(), 3, squares.data(), n, at.data(), power.data(), 0.5, 1, l2.data(), h.data());
    curvature_of_gram(2, 2, links.data(), 3, gram.data(), share.data(), 1, l2.data(), h.data());
    for (size_t i = 0; i < 4; ++i)
        for (size_t j = 0; j < 4; ++j) EXPECT(h[i * 4 + j] == h[j * 4 + i]);
}

}  // namespace

void test_linear() {
    for (const size_t rows : {size_t{1}, size_t{3}, size_t{128}, size_t{301}})
        for (const size_t links : {size_t{1}, size_t{3}, size_t{13}}) {
            sums_and_answers(rows, links);
            if (links > 3) continue;
            newton_way(rows, links, false), newton_way(rows, links, true);
        }
    for (const size_t n : {size_t{1}, size_t{2}, size_t{9}, size_t{30}}) algebra(n);
}
