// What the binding files share: array types as Python hands them over, checks of their shapes, arrays that are made here,
// and calls by width of codes. Only bindings*.cpp include this file and nanobind.
//
// This is the door: nanobind checks an array's type, order in memory and whether it may be written to; `need` and its kin
// check its shape. What only the rows can tell (a code beyond its table) is the caller's promise.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/base/numbers.hpp"
#include "kernels/sums/joint.hpp"

namespace nb = nanobind;
using namespace tally;

template <class T>
using In = nb::ndarray<const T, nb::device::cpu, nb::c_contig>;
template <class T>
using Out = nb::ndarray<T, nb::device::cpu, nb::c_contig>;
template <class T>
using New = nb::ndarray<T, nb::numpy, nb::device::cpu, nb::c_contig>;  // made here, by `fresh`
template <class T>
using Strided = nb::ndarray<const T, nb::device::cpu>;
using AnyIn = nb::ndarray<nb::ro, nb::device::cpu>;  // dtype is looked at here
using AnyOut = nb::ndarray<nb::device::cpu>;
using AnyNew = nb::ndarray<nb::numpy, nb::device::cpu>;
template <class T>
using Maybe = std::optional<In<T>>;
using Release = nb::call_guard<nb::gil_scoped_release>;
using Key = std::pair<uint64_t, uint64_t>;  // of the two lanes of a hash

template <class T>
const T* pointer(const Maybe<T>& array) {
    return array ? array->data() : nullptr;
}

// ---- checks -------------------------------------------------------------------------------------------------

constexpr size_t any = static_cast<size_t>(-1);  // length

[[noreturn]] inline void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

template <class Array>
std::string shape_of(const Array& a) {
    std::string found = "(";
    for (size_t i = 0; i < a.ndim(); ++i) found += (i ? ", " : "") + std::to_string(a.shape(i));
    return found + ")";
}

// Raises ValueError where an array has another shape, or its items do not lie where such items may.
template <class Array>
void need(const char* name, const Array& a, std::initializer_list<size_t> shape) {
    bool same = a.ndim() == shape.size();
    for (size_t i = 0; same && i < shape.size(); ++i) same = shape.begin()[i] == any || shape.begin()[i] == a.shape(i);
    if (!same) {
        std::string wanted;
        for (const size_t n : shape) wanted += (wanted.empty() ? "" : ", ") + (n == any ? "any" : std::to_string(n));
        refuse(std::string(name) + " must have shape (" + wanted + "); found " + shape_of(a));
    }
    if (a.size() && reinterpret_cast<uintptr_t>(a.data()) % a.itemsize()) refuse(std::string(name) + " must be aligned");
}

template <class T>
void need(const char* name, const Maybe<T>& a, std::initializer_list<size_t> shape) {
    if (a) need(name, *a, shape);
}

template <class Array>
void need_each(const char* name, const std::vector<Array>& arrays, std::initializer_list<size_t> shape) {
    for (const auto& one : arrays) need(name, one, shape);
}

// Codes or classes: 8, 16 or 32 bits without a sign, one after the other.
inline void need_codes(const char* name, const AnyIn& a, size_t rows) {
    const auto type = a.dtype();
    const bool whole = type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt) && type.lanes == 1;
    if (!whole || (type.bits != 8 && type.bits != 16 && type.bits != 32))
        throw nb::type_error((std::string(name) + " must be uint8 or uint16 or uint32").c_str());
    need(name, a, {rows});
    if (a.size() > 1 && a.stride(0) != 1) refuse(std::string(name) + " must be C-contiguous");
}

// Columns of numbers of any type, strided as they may be.
inline void need_numbers(const char* name, const std::vector<AnyIn>& columns, size_t rows, bool booleans = false) {
    for (const AnyIn& a : columns) {
        const auto type = a.dtype();
        const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
        const bool whole = code == nb::dlpack::dtype_code::Int || code == nb::dlpack::dtype_code::UInt;
        const bool real = code == nb::dlpack::dtype_code::Float && (type.bits == 32 || type.bits == 64);
        const bool fits = (whole && type.bits <= 64) || real || (booleans && code == nb::dlpack::dtype_code::Bool);
        if (!fits || type.lanes != 1) throw nb::type_error((std::string(name) + " must be numbers").c_str());
        need(name, a, {rows});
    }
}

inline void need_size(const char* name, int64_t value, int64_t low = 1) {
    if (value < low)
        refuse(std::string(name) + " must be a whole number of at least " + std::to_string(low) + "; found "
               + std::to_string(value));
}

inline void need_same(const char* name, size_t found, size_t wanted) {
    if (found != wanted)
        refuse(std::string(name) + " must have one entry per column; found " + std::to_string(found) + " for "
               + std::to_string(wanted));
}

// Rows of entries: those of row r are starts[r]..starts[r + 1]. Starts rise: that is a promise.
inline void need_entries(const In<int64_t>& starts, size_t rows, const In<uint32_t>& words) {
    need("starts", starts, {rows == any ? any : rows + 1}), need("words", words, {any});
    if (!starts.size()) refuse("starts must have one entry more than there are rows");
    const int64_t first = starts.data()[0], last = starts.data()[starts.size() - 1];
    if (first < 0 || last < first || static_cast<uint64_t>(last) > words.size())
        refuse("starts must lie within words; found " + std::to_string(first) + ".." + std::to_string(last) + " for "
               + std::to_string(words.size()) + " entries");
}

// Hashes of codes that are taken together.
inline void need_tables(const std::vector<In<uint64_t>>& tables) {
    for (const auto& one : tables) {
        need("tables", one, {2, any});
        if (one.shape(1) > joint_codes)
            refuse("tables must have at most " + std::to_string(joint_codes) + " codes; found "
                   + std::to_string(one.shape(1)));
    }
}

// ---- arrays made here ---------------------------------------------------------------------------------------

// Set when the module loads; it is never unloaded.
inline PyObject* numpy_empty = nullptr;
template <class T>
inline PyObject* dtype_of = nullptr;

// An array of a shape, not filled; NumPy makes it, so it owns its memory. Needs the interpreter's lock.
template <class T, class Array = New<T>>
Array fresh(std::initializer_list<size_t> shape) {
    nb::list sizes;
    for (const size_t n : shape) sizes.append(n);
    return nb::cast<Array>(nb::handle(numpy_empty)(nb::tuple(sizes), nb::handle(dtype_of<T>)));
}

template <class T>
New<T> zeros(std::initializer_list<size_t> shape) {
    New<T> out = fresh<T>(shape);
    std::fill_n(out.data(), out.size(), T{});
    return out;
}

// Room for codes 0..codes-1 in the narrowest type.
inline AnyNew fresh_codes(size_t codes, size_t rows) {
    if (codes <= size_t{1} << 8) return fresh<uint8_t, AnyNew>({rows});
    return codes <= size_t{1} << 16 ? fresh<uint16_t, AnyNew>({rows}) : fresh<uint32_t, AnyNew>({rows});
}

template <class T>
New<T> copy_of(const In<T>& a, std::initializer_list<size_t> shape) {
    New<T> out = fresh<T>(shape);
    std::copy_n(a.data(), a.size(), out.data());
    return out;
}

// ---- by type ------------------------------------------------------------------------------------------------

// Calls f with a typed pointer to codes or classes of 8, 16 or 32 bits.
template <class F>
auto by_width(const AnyIn& array, F f) {
    switch (array.itemsize()) {
        case 1: return f(static_cast<const uint8_t*>(array.data()));
        case 2: return f(static_cast<const uint16_t*>(array.data()));
        default: return f(static_cast<const uint32_t*>(array.data()));
    }
}

template <class Array, class F>
auto by_width_out(Array& array, F f) {
    switch (array.itemsize()) {
        case 1: return f(static_cast<uint8_t*>(array.data()));
        case 2: return f(static_cast<uint16_t*>(array.data()));
        default: return f(static_cast<uint32_t*>(array.data()));
    }
}

inline Cell type_of(const nb::dlpack::dtype& type) {
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    const bool wide = type.bits == 64;
    if (code == nb::dlpack::dtype_code::Float) return wide ? Cell::f64 : Cell::f32;
    const bool sign = code == nb::dlpack::dtype_code::Int;
    if (wide) return sign ? Cell::i64 : Cell::u64;
    if (type.bits == 32) return sign ? Cell::i32 : Cell::u32;
    if (type.bits == 16) return sign ? Cell::i16 : Cell::u16;
    return sign ? Cell::i8 : Cell::u8;
}

// some columns of numbers of any type, booleans among them
inline Numbers numbers_of(const std::vector<AnyIn>& columns, size_t first, size_t most = lanes) {
    Numbers own{columns.empty() ? 0 : columns[first].shape(0), {}, {}, {}};
    for (size_t j = first; j < std::min(columns.size(), first + most); ++j) {
        own.at.push_back(columns[j].data());
        own.strides.push_back(columns[j].stride(0));
        own.types.push_back(type_of(columns[j].dtype()));
    }
    return own;
}
