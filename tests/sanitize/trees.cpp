// Growing trees: every criterion, kind of column and weight, on few rows and many; where small nodes begin changes nothing.
#include "tests.hpp"

#include "kernels/tree/apply.hpp"
#include "kernels/tree/grower.hpp"
#include "kernels/tree/judge.hpp"

using namespace tally;

namespace {

struct Rows {  // two columns of numbers, one of them whole; levels of two, five and 300; nine more of two, for words
    size_t n, classes;
    std::vector<double> hard;
    std::vector<float> whole;
    std::vector<std::vector<uint8_t>> two;
    std::vector<uint8_t> five;
    std::vector<uint16_t> many;
    std::vector<uint16_t> labels;
    std::vector<int64_t> response, weights;

    Rows(size_t n, size_t classes, uint64_t seed)
        : n(n),
          classes(classes),
          hard(hard_doubles(n, seed)),
          whole(numbers_below<float>(n, 40, seed + 1)),
          five(numbers_below<uint8_t>(n, 6, seed + 3)),
          many(numbers_below<uint16_t>(n, 301, seed + 4)),
          labels(numbers_below<uint16_t>(n, classes, seed + 5)),
          response(numbers_below<int64_t>(n, 1u << 30, seed + 6)),
          weights(numbers_below<int64_t>(n, 5, seed + 7)) {
        for (uint64_t j = 0; j < 10; ++j)
            two.push_back(numbers_below<uint8_t>(n, j % 3 ? 2 : 3, seed + 20 + j));  // 2 is missing
        for (int64_t& w : weights) ++w;
    }

    tree::Problem problem(tree::Rules rules, bool regression, bool weighted, size_t small) const {
        tree::Problem p;
        p.rows = n;
        p.classes = regression ? 1 : classes;
        p.regression = regression;
        p.labels = labels.data();
        p.label_width = 2;
        p.rules = rules;
        p.small = small;
        const int64_t* w = weighted ? weights.data() : nullptr;
        p.weights = {regression ? nullptr : w, w, regression ? response.data() : nullptr};
        auto numeric = [&](const void* data, ptrdiff_t size) {
            tree::Column c;
            c.values = {static_cast<const char*>(data), size, size == 4};
            p.columns.push_back(std::move(c));
        };
        auto coded = [&](const void* data, int width, uint32_t k, tree::Kind kind) {
            tree::Column c;
            c.kind = kind, c.codes = data, c.width = width, c.k = k;
            p.columns.push_back(std::move(c));
        };
        numeric(hard.data(), 8);
        numeric(whole.data(), 4);
        for (const auto& codes : two) coded(codes.data(), 1, 2, tree::Kind::levels);
        coded(five.data(), 1, 5, tree::Kind::ordered);
        coded(many.data(), 2, 300, tree::Kind::levels);
        for (uint32_t j = 0; j < p.columns.size(); ++j) p.by_name.push_back(j);
        return p;
    }
};

std::shared_ptr<tree::Harvest> grown(tree::Problem& p, int64_t heavy, int64_t rows) {
    tree::Grower<uint32_t> grower(p, heavy, rows);
    grower.run(p.columns.size());
    return grower.finish();
}

void one(const Rows& rows, tree::Rules rules, bool regression, bool weighted) {
    int64_t heavy = static_cast<int64_t>(rows.n);
    if (weighted) {
        heavy = 0;
        for (int64_t w : rows.weights) heavy += w;
    }
    const tree::Harvest* first = nullptr;
    std::vector<std::shared_ptr<tree::Harvest>> all;
    for (size_t small : {size_t{16384}, size_t{20}}) {
        tree::Problem p = rows.problem(rules, regression, weighted, small);
        all.push_back(grown(p, heavy, heavy));
        const tree::Harvest& now = *all.back();
        if (!first) first = &now;
        EXPECT(now.nodes.size() == first->nodes.size() && now.counts == first->counts && now.maps == first->maps);
        const tree::Candidates a = first->candidates(), b = now.candidates();
        EXPECT(a.lefts == b.lefts && a.maps == b.maps && a.column == b.column);
        EXPECT(a.column.size() == p.columns.size() * first->searched());
    }
}

void columns_of_two_codes_are_counted_alike() {
    const Rows rows(3000, 5, 11);
    tree::Frame<uint32_t> f;
    f.n = rows.n;
    f.layout.bits = 12;
    std::vector<uint32_t> entries(rows.n);
    std::vector<int64_t> total(5);
    for (uint32_t i = 0; i < rows.n; ++i) entries[i] = f.layout.make(rows.labels[i], false, i), ++total[rows.labels[i]];
    for (const auto& codes : rows.two) {
        std::vector<int64_t> quick(3 * 6), few(3 * 6), plain(3 * 6);
        tree::sum_two_codes(f, entries.data(), rows.n, codes.data(), 5, total.data(), quick.data());
        tree::sum_few_codes(f, entries.data(), rows.n, codes.data(), 2, 5, few.data());
        tree::sum_codes(f, entries.data(), rows.n, codes.data(), false, 5, plain.data());
        EXPECT(quick == plain && few == plain);
    }
}

void a_judge_and_a_walk_stay_inside() {
    const Rows rows(400, 3, 13);
    tree::Problem p = rows.problem({}, false, false, 50);
    p.columns.erase(p.columns.begin(), p.columns.begin() + 2);  // a judge knows codes only
    p.by_name.resize(p.columns.size());
    const size_t columns = p.columns.size();
    std::vector<std::vector<int64_t>> tables;
    std::vector<tree::Listed> at;
    std::vector<int64_t> total(4);
    for (const tree::Column& c : p.columns) {
        tables.emplace_back((c.k + size_t{1}) * 4);
        for (size_t i = 0; i < rows.n; ++i) {
            int64_t* cell = tables.back().data() + tree::code_at(c.codes, c.width, i) * size_t{4};
            ++cell[rows.labels[i]], ++cell[3];
        }
    }
    for (size_t i = 0; i < rows.n; ++i) ++total[rows.labels[i]], ++total[3];
    for (const auto& table : tables) at.push_back({table.data()});
    tree::Judge judge(std::move(p), 400, 400);
    const tree::Growth said = judge.judge(total.data(), at, 0, 1.0);
    EXPECT(said.nodes[0].column >= 0);
    tree::Candidates told;
    judge.field().tell(said.tried[0], said.maps, told);
    EXPECT(told.column.size() == columns && told.column[0] == said.nodes[0].column);

    const int64_t two[] = {9, 0, 0, 9, 0, 6, 5, 11, 0, 0, 1, 1}, all[] = {9, 6, 6, 21};
    const tree::Cut found = judge.best_cut(all, two, 2);
    EXPECT(found.at == 1 && found.missing == 1 && found.cuts == 2);

    const int32_t column[] = {0, -1, -1}, branch_of[] = {0}, missing[] = {1, -1, -1};
    const double cut[] = {0.5, 0.0, 0.0};
    const int64_t first[] = {0, 2, 2}, child[] = {1, 2}, branch_start[] = {0, 0, 0, 0};
    const tree::Walk walk(3, column, cut, first, child, branch_start, branch_of, missing);
    std::vector<int32_t> ends(rows.n);
    const tree::Cells cells[] = {{reinterpret_cast<const char*>(rows.hard.data()), 8, 8, true}};
    walk.ends(rows.n, cells, ends.data());
    for (size_t i = 0; i < rows.n; ++i) EXPECT(ends[i] == (rows.hard[i] < 0.5 ? 1 : 2));
}

void a_stopped_grower_ends() {
    const Rows rows(500, 3, 12);
    tree::Problem p = rows.problem({}, false, false, 50);
    tree::Grower<uint32_t> grower(p, 500, 500);
    for (size_t j = 0; j < p.columns.size(); ++j) grower.prepare(j);
    EXPECT(grower.start() > 0);
    grower.stop();
    grower.look();
    grower.advance();
    EXPECT(grower.choose() == 0);
    grower.work();
}

// Rows count once and weigh by their class: a node all of whose rows lack a value has no cut to walk to.
void nodes_without_a_value_are_not_walked() {
    Rows rows(300, 3, 14);
    for (size_t i = 0; i < rows.n; ++i) {
        const bool low = rows.whole[i] < 20;
        if (low) rows.hard[i] = std::numeric_limits<double>::quiet_NaN();
        rows.labels[i] = static_cast<uint16_t>(rows.labels[i] % 2 + !low);
        rows.weights[i] = rows.labels[i] == 1 ? 65535 : 9000;
    }
    tree::Problem p = rows.problem({}, false, true, 16384);
    p.weights.rows = nullptr;
    int64_t heavy = 0;
    for (int64_t w : rows.weights) heavy += w;
    EXPECT(grown(p, heavy, static_cast<int64_t>(rows.n))->nodes.size() > 1);
}

}  // namespace

void test_trees() {
    for (size_t n : {1, 2, 350}) {
        for (size_t classes : {2, 9}) {
            const Rows rows(n, classes, n + classes);
            for (bool weighted : {false, true}) {
                for (auto criterion : {tree::Criterion::entropy, tree::Criterion::ratio, tree::Criterion::gini}) {
                    tree::Rules rules;
                    rules.criterion = criterion;
                    one(rows, rules, false, weighted);
                    rules.groups = false, rules.penalty = 1.0, rules.cut_rows = true, rules.min_leaf = 2;
                    one(rows, rules, false, weighted);
                }
                if (classes > 2) continue;
                tree::Rules rules;
                rules.criterion = tree::Criterion::variance;
                one(rows, rules, true, weighted);
            }
        }
    }
    columns_of_two_codes_are_counted_alike();
    a_judge_and_a_walk_stay_inside();
    a_stopped_grower_ends();
    nodes_without_a_value_are_not_walked();
}
