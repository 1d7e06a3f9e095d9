// Count tables: how often each code meets each class, per node.
#pragma once

#include "kernels/common.hpp"

namespace tally {

// table[node, code, class] += weight[row] (1 without weights). nodes or weights may be null.
template <class Code, class Class>
void count_codes(size_t rows, const uint32_t* nodes, const Code* codes, const Class* classes,
                 const int64_t* weights, size_t n_codes, size_t n_classes, int64_t* table) {
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(codes[row] < n_codes && classes[row] < n_classes);
        const size_t node = nodes ? nodes[row] : 0;
        table[(node * n_codes + codes[row]) * n_classes + classes[row]] += weights ? weights[row] : 1;
    }
}

}  // namespace tally
