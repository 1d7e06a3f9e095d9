// What is asked of a block of rows, and where the answer goes.
#pragma once

#include "kernels/base/common.hpp"

namespace tally::linear {

constexpr size_t kRows = 128;  // rows taken through all steps at a time, so that they stay in the nearest cache

// gram: the same weight for every row. own: a class with itself, p (1 - p), and no pairs of classes.
enum class Curvature : int64_t { none = 0, pairs = 1, gram = 2, diagonal = 3, own = 4 };

// What the rows of a block are, and what is asked of them. P = 1 + dense + cells, the constant first.
struct Ask {
    size_t rows, dense, coded, links, cells;
    const int64_t* values;      // [dense] addresses of doubles; NaN is missing and counts as y = 0
    const int64_t* strides;     // [dense] in doubles
    const double* centre;       // [dense]
    const double* factor;       // [dense]; y = (x - centre) * factor
    const int64_t* codes;       // [coded] addresses
    const int64_t* code_bytes;  // [coded] 1, 2 or 4
    const int64_t* starts;      // [coded] first cell of a column
    const void* classes;
    int64_t class_bytes;
    const double* class_factor;  // [class] at most 1, or null
    const double* row_factor;    // [row] at most 1, or null
    const int64_t* weights;      // [row] copies, or null
    const double* theta;         // [P, links]
    int64_t bits;
    Curvature curvature;
};

struct Totals {
    int64_t* loss;       // [3]: whole units, the rest in 2^-bits, and the rows whose own class has not the highest score
    int64_t* gradient;   // [P, links]
    int64_t* curvature;  // [pair, P, P], the lower triangle; cells by cells below too
};

TALLY_INLINE int64_t code_at(const void* codes, int64_t bytes, size_t row) {
    if (bytes == 1) return static_cast<const uint8_t*>(codes)[row];
    if (bytes == 2) return static_cast<const uint16_t*>(codes)[row];
    return static_cast<const uint32_t*>(codes)[row];
}

}  // namespace tally::linear
