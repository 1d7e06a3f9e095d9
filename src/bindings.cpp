// The only file that includes nanobind. Each binding unpacks arrays and calls one kernel with the GIL released.
// Checks of dtype, shape and order live in kernels.py; nothing is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kernels/counts.hpp"

namespace nb = nanobind;
using namespace tally;

template <class T>
using In = nb::ndarray<const T, nb::device::cpu, nb::c_contig>;
template <class T>
using Out = nb::ndarray<T, nb::device::cpu, nb::c_contig>;

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled kernels; call them through tallystick.kernels.";
}
