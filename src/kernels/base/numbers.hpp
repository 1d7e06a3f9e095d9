// Columns of numbers of any type, wherever they lie, as rows of doubles: some rows at a time in a buffer that stays near, so
// that several kernels pass over them and the numbers themselves are read once. Doubles stored by rows are used as they lie.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/tiles.hpp"

namespace tally {

enum class Cell : uint8_t { f64, f32, i64, u64, i32, u32, i16, u16, i8, u8 };

// Calls f with a pointer to numbers of their type.
template <class F>
TALLY_INLINE auto by_cell(Cell type, const void* at, F f) {
    switch (type) {
        case Cell::f64: return f(static_cast<const double*>(at));
        case Cell::f32: return f(static_cast<const float*>(at));
        case Cell::i64: return f(static_cast<const int64_t*>(at));
        case Cell::u64: return f(static_cast<const uint64_t*>(at));
        case Cell::i32: return f(static_cast<const int32_t*>(at));
        case Cell::u32: return f(static_cast<const uint32_t*>(at));
        case Cell::i16: return f(static_cast<const int16_t*>(at));
        case Cell::u16: return f(static_cast<const uint16_t*>(at));
        case Cell::i8: return f(static_cast<const int8_t*>(at));
        default: return f(static_cast<const uint8_t*>(at));
    }
}

// What becomes of a number where any double will do. `odd` becomes more than 0 where others ask for more (doubles.hpp).
struct Plain {
    using Out = double;
    template <class T>
    TALLY_INLINE double operator()(T x, uint64_t&) const {
        return static_cast<double>(x);
    }
};

// Rows of neighbours, `wide` places apart. Returns what is odd.
template <class T, class As>
TALLY_INLINE uint64_t lay_rows(size_t n, size_t width, const T* x, ptrdiff_t stride, As as, typename As::Out* out,
                               size_t wide) {
    uint64_t odd = 0;
    const bool whole = wide == width && stride == static_cast<ptrdiff_t>(width);
    const size_t lines = whole ? 1 : n, cells = whole ? n * width : width;
    for (size_t i = 0; i < lines; ++i) {
        const T* const from = x + static_cast<ptrdiff_t>(i) * stride;
        typename As::Out* const to = out + i * wide;
        for (size_t j = 0; j < cells; ++j) to[j] = as(from[j], odd);
    }
    return odd;
}

// One column, `wide` places apart.
template <class T, class As>
TALLY_INLINE uint64_t lay_column(size_t n, const T* x, ptrdiff_t stride, As as, typename As::Out* out, size_t wide) {
    uint64_t odd = 0;
    if (stride == 1 && wide == 1)
        for (size_t i = 0; i < n; ++i) out[i] = as(x[i], odd);
    else
        for (size_t i = 0; i < n; ++i) out[i * wide] = as(x[static_cast<ptrdiff_t>(i) * stride], odd);
    return odd;
}

struct Numbers {  // row i of column j is cell i * strides[j] from at[j] on
    size_t rows = 0;
    std::vector<const void*> at;
    std::vector<ptrdiff_t> strides;
    std::vector<Cell> types;

    size_t width() const { return at.size(); }
    bool is_whole(size_t j) const { return types[j] > Cell::f32; }
    double cell(size_t row, size_t j) const {
        return by_cell(types[j], at[j],
                       [&](auto* x) { return static_cast<double>(x[static_cast<ptrdiff_t>(row) * strides[j]]); });
    }
    // Lays some rows of a column, `wide` doubles apart.
    void lay(size_t j, Span some, double* out, size_t wide) const {
        by_cell(types[j], at[j], [&](auto* x) {
            lay_column(some.end - some.begin, x + static_cast<ptrdiff_t>(some.begin) * strides[j], strides[j], Plain{}, out,
                       wide);
        });
    }
    // Whether the cells of a row are neighbours of one type.
    bool by_rows() const {
        if (!width() || strides[0] < static_cast<ptrdiff_t>(width())) return false;
        return by_cell(types[0], at[0], [&](auto* x) {
            for (size_t j = 1; j < width(); ++j)
                if (types[j] != types[0] || at[j] != x + j || strides[j] != strides[0]) return false;
            return true;
        });
    }
};

struct NearRows {  // some rows of `columns`, whose first row is number `first` of all
    Columns columns;
    Span rows;
    size_t first;
};

class Near {
    const Numbers& from;
    const bool by_rows, as_they_lie;
    const size_t wide;
    std::vector<double> room;
    std::vector<const double*> at;
    std::vector<ptrdiff_t> strides;

    void lay(size_t begin, size_t n, double* out) const {
        if (by_rows) {
            by_cell(from.types[0], from.at[0], [&](auto* x) {
                const ptrdiff_t stride = from.strides[0];
                const auto* const at = x + static_cast<ptrdiff_t>(begin) * stride;
                const size_t width = from.width(), apart = wide;
                run_fast([=] { lay_rows(n, width, at, stride, Plain{}, out, apart); });
            });
            return;
        }
        for (size_t j = 0; j < from.width(); ++j) from.lay(j, {begin, begin + n}, out + j, wide);
    }

   public:
    // most: rows at a time
    Near(const Numbers& numbers, size_t most)
        : from(numbers),
          by_rows(from.by_rows()),
          as_they_lie(by_rows && from.types[0] == Cell::f64),
          wide(padded(from.width())) {
        if (!as_they_lie) room.resize((most + 8) * wide);  // so many rows more may be read
        for (size_t j = 0; j < from.width(); ++j) {
            at.push_back(as_they_lie ? static_cast<const double*>(from.at[j]) : room.data() + j);
            strides.push_back(as_they_lie ? from.strides[j] : static_cast<ptrdiff_t>(wide));
        }
    }
    Near(const Near&) = delete;
    Near(Near&&) = default;

    NearRows operator()(Span rows) {
        if (as_they_lie) return {{from.rows, at.size(), at.data(), strides.data()}, rows, 0};
        const size_t n = rows.end - rows.begin;
        for (size_t begin = 0; begin < n; begin += row_tile)  // what is written lies in the nearest cache
            lay(rows.begin + begin, std::min(row_tile, n - begin), room.data() + begin * wide);
        return {{n + 8, at.size(), at.data(), strides.data()}, {0, n}, rows.begin};
    }
};

class Sample {  // some rows of all as doubles, evenly
    std::vector<double> room;
    std::vector<const double*> at;
    std::vector<ptrdiff_t> strides;
    size_t rows;

   public:
    Sample(const Numbers& numbers, size_t most) : rows(std::min(most, numbers.rows)) {
        const size_t width = numbers.width();
        room.resize(rows * width);
        strides.assign(width, static_cast<ptrdiff_t>(width));
        for (size_t j = 0; j < width; ++j) {
            at.push_back(room.data() + j);
            for (size_t i = 0; i < rows; ++i) room[i * width + j] = numbers.cell(i * numbers.rows / rows, j);
        }
    }
    Columns columns() const { return {rows, at.size(), at.data(), strides.data()}; }
};

}  // namespace tally
