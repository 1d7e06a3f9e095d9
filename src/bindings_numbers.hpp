// Columns of numbers of any type, as Python hands them over.
#pragma once

#include "bindings.hpp"
#include "kernels/base/numbers.hpp"

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
