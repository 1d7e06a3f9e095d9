// Samples of values that no order of the rows can change: those whose hashes are least.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "kernels/base/tiles.hpp"
#include "kernels/columns/hash.hpp"

namespace tally {

// A hash of a value alone; -0.0 is 0.0.
inline uint64_t value_hash(double x) { return mix(std::bit_cast<uint64_t>(x + 0.0)); }

struct Picked {  // rows and their values, n so far
    size_t n = 0;
    uint32_t* rows;
    double* values;
};

// Adds the rows whose values have hashes of at most limits[column], and those without a value, to picked[column].
inline void pick_values(const Columns& columns, const uint64_t* limits, Picked* picked) {
    const size_t wide = padded(columns.width);
    std::vector<double> room(tile_rows * wide);
    std::vector<uint64_t> most(wide, 0);
    std::copy_n(limits, columns.width, most.begin());
    each_tile(columns, room.data(), [&](size_t begin, size_t n, const double* cells, ptrdiff_t stride) {
        uint8_t there[tile_rows * lanes];
        run_fast([=, &there, limit = most.data()] {
            for (size_t i = 0; i < n; ++i) {
                const double* const x = cells + static_cast<ptrdiff_t>(i) * stride;
                for (size_t j = 0; j < wide; ++j) there[i * wide + j] = (value_hash(x[j]) <= limit[j]) | (x[j] != x[j]);
            }
        });
        for (size_t at = 0; at < n * wide; at += 8) {
            uint64_t some;
            std::memcpy(&some, there + at, 8);
            for (; some; some &= some - 1) {
                const size_t cell = at + static_cast<size_t>(std::countr_zero(some)) / 8, i = cell / wide, j = cell % wide;
                if (j >= columns.width) continue;
                Picked& to = picked[j];
                to.rows[to.n] = static_cast<uint32_t>(begin + i);
                to.values[to.n++] = cells[static_cast<ptrdiff_t>(i) * stride + static_cast<ptrdiff_t>(j)];
            }
        }
    });
}

}  // namespace tally
