// How often the class changes along a column: next to nothing where the column alone tells the class.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/columns/ranks.hpp"

namespace tally {

using Met = std::pair<uint64_t, int64_t>;  // a value by its order, missing last, and the class of its row

// Changes among n rows in the order of their values, equal values by class; room[n] is scratch.
inline int64_t class_changes(size_t n, Column column, const int64_t* rows, const int64_t* classes, Met* room) {
    for (size_t i = 0; i < n; ++i) {
        const double x = column[static_cast<size_t>(rows[i])];
        room[i] = {x != x ? ~uint64_t{0} : ordered_bits(x), classes[i]};
    }
    std::sort(room, room + n);
    int64_t changes = 0;
    for (size_t i = 1; i < n; ++i) changes += room[i].second != room[i - 1].second;
    return changes;
}

}  // namespace tally
