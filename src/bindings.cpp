// The only file that includes nanobind. Each binding unpacks arrays and calls one kernel with the GIL released.
// Checks of dtype, shape and order live in kernels.py; nothing is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kernels/counts.hpp"
#include "kernels/numbers.hpp"

namespace nb = nanobind;
using namespace tally;

template <class T>
using In = nb::ndarray<const T, nb::device::cpu, nb::c_contig>;
template <class T>
using Out = nb::ndarray<T, nb::device::cpu, nb::c_contig>;

// ---- text section ----

template <class Offset>
void bind_parse_numbers(nb::module_& m, const char* name) {
    m.def(
        name,
        [](In<uint8_t> data, In<Offset> offsets, In<uint8_t> validity, size_t bit_offset, In<uint8_t> mark_data,
           In<int64_t> mark_offsets, char decimal, bool dates, Out<double> values, Out<uint8_t> kinds,
           Out<int64_t> counts, Out<int64_t> first) {
            nb::gil_scoped_release free;
            const Marks marks{reinterpret_cast<const char*>(mark_data.data()), mark_offsets.data(),
                              mark_offsets.size() - 1};
            parse_numbers(values.size(), reinterpret_cast<const char*>(data.data()), offsets.data(), validity.data(),
                          bit_offset, marks, decimal, dates, values.data(), kinds.data(), counts.data(), first.data());
        },
        nb::arg("data"), nb::arg("offsets"), nb::arg("validity").none(), nb::arg("bit_offset"), nb::arg("mark_data"),
        nb::arg("mark_offsets"), nb::arg("decimal"), nb::arg("dates"), nb::arg("values"), nb::arg("kinds"),
        nb::arg("counts"), nb::arg("first"));
}

void bind_text(nb::module_& m) {
    bind_parse_numbers<int32_t>(m, "parse_numbers_32");
    bind_parse_numbers<int64_t>(m, "parse_numbers_64");
}

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled kernels; call them through tallystick.kernels.";
    bind_text(m);
}
