// One look at a column of numbers: all that is needed to tell its kind.
#pragma once

#include <bit>

#include "kernels/base/common.hpp"

namespace tally {

struct Scan {
    size_t missing = 0;           // NaN
    int64_t first_infinity = -1;  // row, or -1
    double low = 0, high = 0;     // of the finite values; low > high when there is none
    bool whole = true;            // every finite value is a whole number
    bool binary = true;           // every finite value is 0 or 1
};

inline Scan scan_nothing() {
    constexpr double infinity = std::bit_cast<double>(uint64_t{0x7FF0000000000000});
    return {.low = infinity, .high = -infinity};
}

// seen += values[begin .. begin + rows), where values points at row `begin`. stride counts elements.
template <class T>
void scan_values(size_t begin, size_t rows, const T* values, ptrdiff_t stride, Scan& seen) {
    constexpr double huge = 4503599627370496.0;  // 2^52: every double beyond is whole
    Scan now = seen;
    for (size_t i = 0; i < rows; ++i) {
        const double x = static_cast<double>(values[static_cast<ptrdiff_t>(i) * stride]);
        if (!(x - x == 0.0)) {  // NaN or infinity
            if (x != x) {
                ++now.missing;
            } else if (now.first_infinity < 0) {
                now.first_infinity = static_cast<int64_t>(begin + i);
            }
            continue;
        }
        now.low = x < now.low ? x : now.low;
        now.high = x > now.high ? x : now.high;
        now.binary = now.binary && (x == 0.0 || x == 1.0);
        now.whole = now.whole && (x >= huge || x <= -huge || static_cast<double>(static_cast<int64_t>(x)) == x);
    }
    seen = now;
}

// Low and high of whole numbers, in their own type.
template <class T>
void scan_whole(size_t rows, const T* values, ptrdiff_t stride, T& low, T& high) {
    TALLY_REQUIRE(rows > 0);
    T l = values[0], h = values[0];
    for (size_t i = 0; i < rows; ++i) {
        const T x = values[static_cast<ptrdiff_t>(i) * stride];
        l = x < l ? x : l;
        h = x > h ? x : h;
    }
    low = l;
    high = h;
}

}  // namespace tally
