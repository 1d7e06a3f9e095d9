// What the binding files share: array types as Python hands them over, and calls by width of codes.
// Only bindings*.cpp include this file and nanobind. Nothing is checked: that is done in the door, tallystick.kernels.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "kernels/base/common.hpp"

namespace nb = nanobind;
using namespace tally;

template <class T>
using In = nb::ndarray<const T, nb::device::cpu, nb::c_contig>;
template <class T>
using Out = nb::ndarray<T, nb::device::cpu, nb::c_contig>;
template <class T>
using Strided = nb::ndarray<const T, nb::device::cpu>;
using AnyIn = nb::ndarray<nb::ro, nb::device::cpu>;  // dtype is looked at here
using AnyOut = nb::ndarray<nb::device::cpu>;
template <class T>
using Maybe = std::optional<In<T>>;
using Release = nb::call_guard<nb::gil_scoped_release>;

template <class T>
const T* pointer(const Maybe<T>& array) {
    return array ? array->data() : nullptr;
}

// Calls f with a typed pointer to codes or classes of 8, 16 or 32 bits.
template <class F>
auto by_width(const AnyIn& array, F f) {
    switch (array.itemsize()) {
        case 1: return f(static_cast<const uint8_t*>(array.data()));
        case 2: return f(static_cast<const uint16_t*>(array.data()));
        default: return f(static_cast<const uint32_t*>(array.data()));
    }
}

template <class F>
auto by_width_out(AnyOut& array, F f) {
    switch (array.itemsize()) {
        case 1: return f(static_cast<uint8_t*>(array.data()));
        case 2: return f(static_cast<uint16_t*>(array.data()));
        default: return f(static_cast<uint32_t*>(array.data()));
    }
}
