// The bindings of the search for the best tree. Checks live in the door, tallystick.kernels.optimal; nothing is checked here.
#include "bindings.hpp"

#include "kernels/tree/optimal/job.hpp"

namespace {

using optimal = tree::optimal::Job;

void add_column(optimal& job, bool levels, uint32_t k, In<uint32_t> codes) {
    job.table.columns.push_back({levels, k, codes.data()});
}

void set_rows(optimal& job, int form, In<int64_t> loss, In<int64_t> floor, int64_t worth, int64_t leaf) {
    job.table.rows = loss.shape(0), job.table.answers = loss.shape(1);
    job.table.form = static_cast<tree::optimal::Form>(form);
    job.table.loss = loss.data(), job.table.floor = floor.data();
    job.table.worth = worth, job.table.leaf = leaf;
}

// column, low, high, missing of every node, depth first.
std::vector<std::tuple<int32_t, uint32_t, uint32_t, int32_t>> tests(const optimal& job) {
    std::vector<std::tuple<int32_t, uint32_t, uint32_t, int32_t>> out;
    for (const auto& t : job.best().tree) out.emplace_back(t.column, t.low, t.high, t.missing);
    return out;
}

}  // namespace

void bind_optimal(nb::module_& m) {
    nb::class_<optimal>(m, "OptimalTree")
        .def(nb::init<>())
        .def("add_column", &add_column, nb::arg("levels"), nb::arg("k"), nb::arg("codes").noconvert())
        .def("set_rows", &set_rows, nb::arg("form"), nb::arg("loss").noconvert(), nb::arg("floor").noconvert(),
             nb::arg("worth"), nb::arg("leaf"))
        .def("start", &optimal::start, nb::arg("depth"), nb::arg("leaves"), nb::arg("max_work"), nb::arg("seconds"),
             Release())
        .def("plan", &optimal::plan, Release())
        .def("evaluate", &optimal::evaluate, Release())
        .def("merge", &optimal::merge, Release())
        .def("stop", &optimal::stop)
        .def("tests", &tests)
        .def_prop_ro("key", [](const optimal& job) { return job.best().key; })
        .def_prop_ro("bound", &optimal::bound)
        .def_prop_ro("work", &optimal::work)
        .def_prop_ro("proven", &optimal::proven);
}
