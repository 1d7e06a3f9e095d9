// Columns of numbers of any type as doubles, or as the codes of two of them: some rows at a time, where kernels that read
// one type find them near. What a double may not hold, or a table has a word for, is told and not laid out.
#pragma once

#include <bit>
#include <vector>

#include "kernels/base/tiles.hpp"

namespace tally {

enum class NumberType { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

struct Numbers {  // row i is at[i * stride], in bytes
    const char* at;
    ptrdiff_t stride;
    NumberType type;
};

inline size_t bytes_of(NumberType type) {
    constexpr size_t bytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    return bytes[static_cast<size_t>(type)];
}

template <class F>
TALLY_INLINE void by_type(NumberType type, F f) {
    switch (type) {
        case NumberType::f32: return f(float{});
        case NumberType::f64: return f(double{});
        case NumberType::i8: return f(int8_t{});
        case NumberType::i16: return f(int16_t{});
        case NumberType::i32: return f(int32_t{});
        case NumberType::i64: return f(int64_t{});
        case NumberType::u8: return f(uint8_t{});
        case NumberType::u16: return f(uint16_t{});
        case NumberType::u32: return f(uint32_t{});
        case NumberType::u64: return f(uint64_t{});
    }
}

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

// Whether the cells of a row are neighbours of one type, and rows equally far apart.
inline bool side_by_side(size_t width, const Numbers* columns) {
    const ptrdiff_t size = static_cast<ptrdiff_t>(bytes_of(columns[0].type));
    for (size_t j = 1; j < width; ++j)
        if (columns[j].at != columns[0].at + static_cast<ptrdiff_t>(j) * size || columns[j].stride != columns[0].stride
            || columns[j].type != columns[0].type)
            return false;
    return width > 1;
}

inline constexpr size_t laid_rows =
    32;  // laid out at a time where columns are not runs of memory: lines of memory stay near

// out[i * wide + j]: rows of neighbours, as they lie.
template <class T, class As>
TALLY_INLINE uint64_t lay_rows(size_t width, const Numbers& x, size_t first, size_t n, As as, typename As::Out* out) {
    uint64_t odd = 0;
    const char* const at = x.at + static_cast<ptrdiff_t>(first) * x.stride;
    const bool whole = x.stride == static_cast<ptrdiff_t>(width * sizeof(T));
    const size_t lines = whole ? 1 : n, cells = whole ? n * width : width;
    for (size_t i = 0; i < lines; ++i) {
        const T* const from = reinterpret_cast<const T*>(at + static_cast<ptrdiff_t>(i) * x.stride);
        typename As::Out* const to = out + i * cells;
        for (size_t j = 0; j < cells; ++j) to[j] = as(from[j], odd);
    }
    return odd;
}

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

// One column: to[i * step].
template <class T, class As>
TALLY_INLINE uint64_t lay_column(const Numbers& x, size_t first, size_t n, As as, size_t step, typename As::Out* to) {
    uint64_t odd = 0;
    const char* const at = x.at + static_cast<ptrdiff_t>(first) * x.stride;
    const T* const from = reinterpret_cast<const T*>(at);
    if (x.stride == static_cast<ptrdiff_t>(sizeof(T)) && step == 1)
        for (size_t i = 0; i < n; ++i) to[i] = as(from[i], odd);
    else
        for (size_t i = 0; i < n; ++i)
            to[i * step] = as(*reinterpret_cast<const T*>(at + static_cast<ptrdiff_t>(i) * x.stride), odd);
    return odd;
}

// Rows first to first + n as out[row, column] where by_rows is asked for, else as out[column, row]. Returns whether none of
// them is odd; where one is, out holds anything.
template <class As>
bool lay_out(const std::vector<Numbers>& given, size_t first, size_t n, bool by_rows, As as, typename As::Out* out) {
    const size_t width = given.size();
    if (!width || !n) return true;
    const Numbers* const columns = given.data();
    const bool beside = side_by_side(width, columns);
    bool runs = !by_rows;
    for (size_t j = 0; j < width; ++j) runs = runs && columns[j].stride == static_cast<ptrdiff_t>(bytes_of(columns[j].type));
    const size_t tall = runs && !beside ? n : laid_rows;
    std::vector<typename As::Out> room(beside && !by_rows ? laid_rows * width : 0);
    typename As::Out* const tile = room.data();
    uint64_t odd = 0;
    uint64_t* const found = &odd;
    run_fast([=] {
        for (size_t i = 0; i < n && !*found; i += tall) {
            const size_t part = n - i < tall ? n - i : tall;
            if (beside) {
                by_type(columns[0].type, [=]<class T>(T) TALLY_INLINED_HERE {
                    *found |= lay_rows<T>(width, columns[0], first + i, part, as, by_rows ? out + i * width : tile);
                });
                if (!by_rows) turn_rows(width, part, tile, n, out + i);
                continue;
            }
            for (size_t j = 0; j < width; ++j)
                by_type(columns[j].type, [=]<class T>(T) TALLY_INLINED_HERE {
                    *found |= lay_column<T>(columns[j], first + i, part, as, by_rows ? width : 1,
                                            by_rows ? out + i * width + j : out + j * n + i);
                });
        }
    });
    return !odd;
}

}  // namespace tally
