// Columns of numbers of any type as doubles, or as the codes of two of them: some rows at a time, where kernels that read
// one type find them near. What a double may not hold, or a table has a word for, is told and not laid out.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/base/numbers.hpp"

namespace tally {

// A number as a double. odd becomes more than 0 where it is infinite, or whole and beyond 2^53.
struct AsDouble {
    using Out = double;
    template <class T>
    TALLY_INLINE double operator()(T x, uint64_t& odd) const {
        constexpr uint64_t most = uint64_t{1} << 53;
        if constexpr (std::is_same_v<T, double>)
            odd |= (std::bit_cast<uint64_t>(x) & (UINT64_MAX >> 1)) == 0x7FF0000000000000 ? 1 : 0;
        else if constexpr (std::is_same_v<T, float>)
            odd |= (std::bit_cast<uint32_t>(x) & (UINT32_MAX >> 1)) == 0x7F800000 ? 1 : 0;
        else if constexpr (std::is_same_v<T, int64_t>)
            odd |= static_cast<uint64_t>(x) + most > 2 * most ? 1 : 0;
        else if constexpr (std::is_same_v<T, uint64_t>)
            odd |= x > most ? 1 : 0;
        return static_cast<double>(x);
    }
};

// The code of one of two numbers, 2 where it is missing. odd becomes more than 0 where it is another number.
struct AsCode {
    using Out = uint8_t;
    double zero, one;
    template <class T>
    TALLY_INLINE uint8_t operator()(T x, uint64_t& odd) const {
        const double v = static_cast<double>(x);
        const bool first = v == zero, second = v == one, none = v != v;
        odd |= first | second | none ? 0 : 1;
        return static_cast<uint8_t>(none ? 2 : second ? 1 : 0);
    }
};

// Laid out at a time where columns are not runs of memory: lines of memory stay near.
inline constexpr size_t laid_rows = 32;

// out[j * rows + i] = in[i * width + j] for n rows.
template <class Cell>
TALLY_INLINE void turn_rows(size_t width, size_t n, const Cell* in, size_t rows, Cell* out) {
    size_t done = 0, whole = 0;
    if constexpr (std::is_same_v<Cell, double>) {
        done = width - width % 4, whole = n - n % 4;
        for (size_t i = 0; i < whole; i += 4)
            for (size_t j = 0; j < done; j += 4) {
                Four row[4], column[4];
                for (size_t k = 0; k < 4; ++k) row[k] = *reinterpret_cast<const Four*>(in + (i + k) * width + j);
                turn_square(row, column);
                for (size_t k = 0; k < 4; ++k) *reinterpret_cast<Four*>(out + (j + k) * rows + i) = column[k];
            }
    }
    for (size_t j = 0; j < width; ++j)
        for (size_t i = j < done ? whole : 0; i < n; ++i) out[j * rows + i] = in[i * width + j];
}

// Rows first to first + n as out[row, column] where by_rows is asked for, else as out[column, row]; apart: from a row, or a
// column, to the next. Returns whether none of them is odd; where one is, out holds anything.
template <class As>
bool lay_out(const Numbers& given, size_t first, size_t n, bool by_rows, size_t apart, As as, typename As::Out* out) {
    const size_t width = given.width();
    if (!width || !n) return true;
    const bool beside = width > 1 && given.by_rows();
    const bool runs = !by_rows && std::all_of(given.strides.begin(), given.strides.end(), [](auto s) { return s == 1; });
    const size_t tall = runs && !beside ? n : laid_rows;
    std::vector<typename As::Out> room(beside && !by_rows ? laid_rows * width : 0);
    typename As::Out* const tile = room.data();
    uint64_t odd = 0;
    uint64_t* const found = &odd;
    const Numbers* const all = &given;
    run_fast([=] {
        for (size_t i = 0; i < n && !*found; i += tall) {
            const size_t part = n - i < tall ? n - i : tall;
            const auto begin = static_cast<ptrdiff_t>(first + i);
            if (beside) {
                const ptrdiff_t stride = all->strides[0];
                by_cell(all->types[0], all->at[0], [=](auto* x) TALLY_INLINED_HERE {
                    *found |= lay_rows(part, width, x + begin * stride, stride, as, by_rows ? out + i * apart : tile,
                                       by_rows ? apart : width);
                });
                if (!by_rows) turn_rows(width, part, tile, apart, out + i);
                continue;
            }
            for (size_t j = 0; j < width; ++j) {
                const ptrdiff_t stride = all->strides[j];
                by_cell(all->types[j], all->at[j], [=](auto* x) TALLY_INLINED_HERE {
                    *found |= lay_column(part, x + begin * stride, stride, as,
                                         by_rows ? out + i * apart + j : out + j * apart + i, by_rows ? apart : 1);
                });
            }
        }
    });
    return !odd;
}

}  // namespace tally
