// The bindings of growing trees: the second file that includes nanobind, apart because it compiles longest.
// Checks live in the door, tallystick.kernels.trees; nothing is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "kernels/tree/apply.hpp"
#include "kernels/tree/grower.hpp"
#include "kernels/tree/judge.hpp"

namespace nb = nanobind;
using namespace tally;

namespace {

using AnyIn = nb::ndarray<nb::ro, nb::device::cpu>;  // dtype is looked at here
template <class T>
using Maybe = std::optional<nb::ndarray<const T, nb::device::cpu, nb::c_contig>>;
using Release = nb::call_guard<nb::gil_scoped_release>;

template <class T>
const T* pointer(const Maybe<T>& array) {
    return array ? array->data() : nullptr;
}

// Holds a problem and its grower; the door keeps the arrays alive.
struct TreeGrower {
    tree::Problem problem;
    std::unique_ptr<tree::AnyGrower> grower;
    std::shared_ptr<tree::Harvest> harvest;

    TreeGrower(size_t rows, size_t classes, std::optional<AnyIn> labels, Maybe<int64_t> response,
               Maybe<int64_t> score_weights, Maybe<int64_t> row_weights) {
        problem.rows = rows;
        problem.regression = !labels.has_value();
        problem.classes = classes;
        if (labels) problem.labels = labels->data(), problem.label_width = static_cast<int>(labels->itemsize());
        problem.weights = {pointer(score_weights), pointer(row_weights), pointer(response)};
    }

    void set_rules(int criterion, bool groups, double penalty, bool cut_rows, bool stop_at_zero, bool fractions,
                   int64_t max_depth, int64_t min_leaf, int64_t min_split, int64_t unit, double min_decrease,
                   double min_entropy) {
        problem.rules = {static_cast<tree::Criterion>(criterion),
                         groups,
                         penalty,
                         cut_rows,
                         stop_at_zero,
                         fractions,
                         max_depth,
                         min_leaf,
                         min_split,
                         unit,
                         min_decrease,
                         min_entropy};
    }

    void add_numeric(nb::ndarray<nb::ro, nb::device::cpu, nb::ndim<1>> values) {
        tree::Column column;
        column.values = {static_cast<const char*>(values.data()),
                         static_cast<ptrdiff_t>(values.stride(0)) * static_cast<ptrdiff_t>(values.itemsize()),
                         values.itemsize() == 4};
        problem.columns.push_back(std::move(column));
    }

    void add_codes(int kind, AnyIn codes, uint32_t k, Maybe<double> distinct, bool binned) {
        tree::Column column;
        column.kind = static_cast<tree::Kind>(kind);
        column.codes = codes.data();
        column.width = static_cast<int>(codes.itemsize());
        column.k = k;
        column.distinct = pointer(distinct);
        column.binned = binned;
        problem.columns.push_back(std::move(column));
    }

    // Bytes of an entry of a column in order.
    size_t entry() const { return tree::Grower<uint32_t>::fits(problem.rows, problem.classes) ? 4 : 8; }

    void build(std::vector<uint32_t> by_name, bool keep_tried, size_t small, int64_t total_score, int64_t total_rows,
               size_t most_nodes) {
        problem.by_name = std::move(by_name);
        problem.keep_tried = keep_tried;
        problem.small = small;
        problem.most_nodes = most_nodes;
        if (entry() == 4)
            grower = std::make_unique<tree::Grower<uint32_t>>(problem, total_score, total_rows);
        else
            grower = std::make_unique<tree::Grower<uint64_t>>(problem, total_score, total_rows);
    }

    // Small tables: all of it at once.
    void run() { grower->run(problem.columns.size()); }
};

// A NumPy array that owns its vector.
template <class T>
nb::ndarray<nb::numpy, T> given(std::vector<T>&& values, std::vector<size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

template <class T, class Record, class Read>
nb::ndarray<nb::numpy, T> field(const std::vector<Record>& records, Read read) {
    std::vector<T> out(records.size());
    for (size_t i = 0; i < records.size(); ++i) out[i] = static_cast<T>(read(records[i]));
    return given(std::move(out), {records.size()});
}

void tell_nodes(nb::dict& out, const std::vector<tree::Node>& nodes) {
    out["column"] = field<int32_t>(nodes, [](const auto& v) { return v.column; });
    out["cut"] = field<double>(nodes, [](const auto& v) { return v.cut; });
    out["children"] = field<int32_t>(nodes, [](const auto& v) { return v.children; });
    out["missing"] = field<int32_t>(nodes, [](const auto& v) { return v.missing; });
    out["gain"] = field<double>(nodes, [](const auto& v) { return v.gain; });
    out["deviance"] = field<double>(nodes, [](const auto& v) { return v.deviance; });
    out["map"] = field<int64_t>(nodes, [](const auto& v) { return v.map; });
    out["map_size"] = field<int64_t>(nodes, [](const auto& v) { return v.map_size; });
    out["candidates"] = field<int64_t>(nodes, [](const auto& v) { return v.candidates; });
}

void tell_tried(nb::dict& out, tree::Candidates c, size_t width) {
    const size_t tried = c.column.size(), lefts = c.lefts.size() / width, maps = c.maps.size();
    out["tried_column"] = given(std::move(c.column), {tried});
    out["tried_branches"] = given(std::move(c.branches), {tried});
    out["tried_cut"] = given(std::move(c.cut), {tried});
    out["tried_gain"] = given(std::move(c.gain), {tried});
    out["tried_ratio"] = given(std::move(c.ratio), {tried});
    out["tried_left"] = given(std::move(c.left), {tried});
    out["tried_map"] = given(std::move(c.map), {tried});
    out["lefts"] = given(std::move(c.lefts), {lefts, width});
    out["tried_maps"] = given(std::move(c.maps), {maps});
}

nb::dict tree_arrays(TreeGrower& self) {
    {
        nb::gil_scoped_release free;
        if (self.harvest) throw std::logic_error("the tree was read off before");
        self.harvest = self.grower->finish();
    }
    tree::Harvest& h = *self.harvest;
    const size_t n = h.nodes.size(), width = self.problem.regression ? 2 : self.problem.classes;
    nb::dict out;
    tell_nodes(out, h.nodes);
    const size_t maps = h.maps.size();
    out["maps"] = given(std::move(h.maps), {maps});
    out["counts"] = given(std::move(h.counts), {n, width});
    h.give_up_nodes();
    return out;
}

nb::dict tried_arrays(const tree::Harvest& self) {
    tree::Candidates c;
    {
        nb::gil_scoped_release free;
        c = self.candidates();
    }
    nb::dict out;
    tell_tried(out, std::move(c), self.field.width);
    return out;
}

nb::dict judged(tree::Judge& judge, tree::Growth g) {
    nb::dict out;
    tell_nodes(out, g.nodes);
    tree::Candidates c;
    if (g.tried.size()) judge.field().tell(g.tried[0], g.maps, c);
    tell_tried(out, std::move(c), judge.field().width);
    const size_t maps = g.maps.size();
    out["maps"] = given(std::move(g.maps), {maps});
    return out;
}

template <class T>
using In = nb::ndarray<const T, nb::device::cpu, nb::c_contig>;
using Strided = nb::ndarray<nb::ro, nb::device::cpu, nb::ndim<1>>;

tree::Walk make_walk(In<int32_t> column, In<double> cut, In<int64_t> first, In<int64_t> child, In<int64_t> branch_start,
                     In<int32_t> branch_of, In<int32_t> missing) {
    return tree::Walk(column.size(), column.data(), cut.data(), first.data(), child.data(), branch_start.data(),
                      branch_of.data(), missing.data());
}

bool walk_ends(const tree::Walk& walk, const std::vector<std::optional<Strided>>& columns,
               nb::ndarray<int32_t, nb::device::cpu, nb::c_contig> out) {
    std::vector<tree::Cells> cells;
    for (const auto& c : columns) {
        if (!c) {
            cells.push_back({nullptr, 0, 8, true});  // no test looks at it
            continue;
        }
        const ptrdiff_t size = static_cast<ptrdiff_t>(c->itemsize());
        const bool numbers = c->dtype().code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float);
        cells.push_back({static_cast<const char*>(c->data()), static_cast<ptrdiff_t>(c->stride(0)) * size,
                         static_cast<int>(size), numbers});
    }
    nb::gil_scoped_release free;
    return walk.ends(out.size(), cells.data(), out.data());
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<tree::Harvest>(m, "TreeHarvest").def("tried", &tried_arrays);
    nb::class_<TreeGrower>(m, "TreeGrower")
        .def(nb::init<size_t, size_t, std::optional<AnyIn>, Maybe<int64_t>, Maybe<int64_t>, Maybe<int64_t>>(),
             nb::arg("rows"), nb::arg("classes"), nb::arg("labels").none(), nb::arg("response").none(),
             nb::arg("score_weights").none(), nb::arg("row_weights").none())
        .def("set_rules", &TreeGrower::set_rules)
        .def("add_numeric", &TreeGrower::add_numeric)
        .def("add_codes", &TreeGrower::add_codes, nb::arg("kind"), nb::arg("codes"), nb::arg("k"),
             nb::arg("distinct").none(), nb::arg("binned"))
        .def("build", &TreeGrower::build)
        .def("entry", &TreeGrower::entry)
        .def("lay_orders",
             [](TreeGrower& g, nb::ndarray<nb::device::cpu, nb::c_contig> place) { g.grower->lay_orders(place.data()); })
        .def(
            "prepare", [](TreeGrower& g, size_t j) { g.grower->prepare(j); }, Release())
        .def(
            "start", [](TreeGrower& g) { return g.grower->start(); }, Release())
        .def(
            "look", [](TreeGrower& g) { g.grower->look(); }, Release())
        .def(
            "advance", [](TreeGrower& g) { g.grower->advance(); }, Release())
        .def(
            "choose", [](TreeGrower& g) { return g.grower->choose(); }, Release())
        .def(
            "part", [](TreeGrower& g) { g.grower->part(); }, Release())
        .def(
            "settle", [](TreeGrower& g) { g.grower->settle(); }, Release())
        .def(
            "work", [](TreeGrower& g) { g.grower->work(); }, Release())
        .def("run", &TreeGrower::run, Release())
        .def("stop", [](TreeGrower& g) { g.grower->stop(); })
        .def("nodes", [](TreeGrower& g) { return g.grower->nodes(); })
        .def("arrays", &tree_arrays)
        .def("harvest", [](TreeGrower& g) { return g.harvest; })
        .def("judge", [](TreeGrower& g, int64_t total_score, int64_t total_rows) {
            return std::make_unique<tree::Judge>(std::move(g.problem), total_score, total_rows);
        });
    nb::class_<tree::Judge>(m, "TreeJudge")
        .def(
            "judge",
            [](tree::Judge& judge, In<int64_t> total, const std::vector<In<int64_t>>& tables,
               const std::vector<Maybe<double>>& values, const std::vector<int64_t>& cuts, int32_t depth, double deviance) {
                std::vector<tree::Listed> listed;
                for (size_t j = 0; j < tables.size(); ++j)
                    listed.push_back({tables[j].data(), pointer(values[j]),
                                      static_cast<uint32_t>(values[j] ? values[j]->size() : 0), cuts[j]});
                return judged(judge, judge.judge(total.data(), listed, depth, deviance));
            },
            nb::arg("total").noconvert(), nb::arg("tables").noconvert(), nb::arg("values"), nb::arg("cuts"),
            nb::arg("depth"), nb::arg("deviance"))
        .def(
            "best_cut",
            [](tree::Judge& judge, In<int64_t> total, In<int64_t> table) {
                const tree::Cut cut = judge.best_cut(total.data(), table.data(), table.shape(0) - 1);
                return nb::make_tuple(cut.at, cut.key, cut.missing, cut.cuts);
            },
            nb::arg("total").noconvert(), nb::arg("table").noconvert());
    nb::class_<tree::Walk>(m, "TreeWalk").def("ends", &walk_ends, nb::arg("columns"), nb::arg("out").noconvert());
    m.def("tree_walk", &make_walk);
}
