// Columns of doubles walked together, a tile of rows at a time: in a tile the cells of a row are neighbours and their
// number is a multiple of 8, so that a loop over them needs no end piece. A matrix stored by rows is used as it lies.
#pragma once

#include "kernels/base/common.hpp"

namespace tally {

inline constexpr size_t lanes = 64;  // columns worked on at a time; their tables stay in the first-level cache
inline constexpr size_t tile_rows = 32;
inline constexpr size_t row_tile = 64;  // where columns are taken by vectors, and the rows of a tile one after the other

// Vectors of n numbers, as many as the instructions in force have room for.
template <size_t n>
struct Vectors {
    typedef double Doubles TALLY_VECTOR_ANYWHERE(n * 8, 8);
    typedef int64_t Wholes TALLY_VECTOR_ANYWHERE(n * 8, 8);
    typedef uint64_t Bits TALLY_VECTOR_ANYWHERE(n * 8, 8);
};

// n numbers of any type.
template <class T, size_t n>
struct VectorOf {
    typedef T Cells TALLY_VECTOR(n * sizeof(T));
    typedef T Anywhere TALLY_VECTOR_ANYWHERE(n * sizeof(T), alignof(T));
};

// Never a parameter of a template itself: what Clang deduces has lost that vectors may lie anywhere.
template <class Wide>
using Doubles = typename Vectors<Wide::doubles>::Doubles;

typedef double Four TALLY_VECTOR_ANYWHERE(32, 8);
typedef int64_t FourWhole TALLY_VECTOR_ANYWHERE(32, 8);
typedef uint64_t FourBits TALLY_VECTOR_ANYWHERE(32, 8);  // sums of these may wrap
static_assert(alignof(Four) == 8 && alignof(FourWhole) == 8 && alignof(FourBits) == 8);

// A square of four rows and four columns: column[k] holds the four rows of column k.
TALLY_INLINE void turn_square(const Four row[4], Four column[4]) {
    const Four a = TALLY_SHUFFLE(row[0], row[1], 0, 4, 2, 6), b = TALLY_SHUFFLE(row[0], row[1], 1, 5, 3, 7);
    const Four d = TALLY_SHUFFLE(row[2], row[3], 0, 4, 2, 6), e = TALLY_SHUFFLE(row[2], row[3], 1, 5, 3, 7);
    column[0] = TALLY_SHUFFLE(a, d, 0, 1, 4, 5), column[1] = TALLY_SHUFFLE(b, e, 0, 1, 4, 5);
    column[2] = TALLY_SHUFFLE(a, d, 2, 3, 6, 7), column[3] = TALLY_SHUFFLE(b, e, 2, 3, 6, 7);
}

inline size_t padded(size_t width) { return (width + 7) & ~size_t{7}; }

struct Columns {  // column j of row i is at[j][i * strides[j]]; at most `lanes` of them
    size_t rows, width;
    const double* const* at;
    const ptrdiff_t* strides;

    // Whether the cells of a row are neighbours, and a row lies before the next.
    bool by_rows() const {
        for (size_t j = 1; j < width; ++j)
            if (at[j] != at[0] + j || strides[j] != strides[0]) return false;
        return width && strides[0] >= static_cast<ptrdiff_t>(width);
    }
    // Copies some rows to out[row, lane]; the lanes beyond the last column get 0.
    void copy(size_t begin, size_t n, double* out) const {
        const size_t wide = padded(width);
        for (size_t j = 0; j < width; ++j) {
            const double* x = at[j] + static_cast<ptrdiff_t>(begin) * strides[j];
            for (size_t i = 0; i < n; ++i) out[i * wide + j] = x[static_cast<ptrdiff_t>(i) * strides[j]];
        }
        for (size_t j = width; j < wide; ++j)
            for (size_t i = 0; i < n; ++i) out[i * wide + j] = 0.0;
    }
};

struct Span {  // of rows: those before `end`
    size_t begin, end;
};

// Calls work(first row, rows, cells, stride) tile by tile, `tall` rows each. Lanes beyond the last column hold anything: where rows are
// used as they lie, the cells of the next row. The last rows are copied, so that nothing behind the table is read.
template <size_t tall = tile_rows, class Work>
void each_tile(const Columns& columns, Span rows, double* room, Work work) {
    const size_t wide = padded(columns.width);
    const bool as_it_lies = columns.by_rows();
    for (size_t begin = rows.begin; begin < rows.end; begin += tall) {
        const size_t n = rows.end - begin < tall ? rows.end - begin : tall;
        if (as_it_lies && begin + n + 8 <= columns.rows) {
            work(begin, n, columns.at[0] + static_cast<ptrdiff_t>(begin) * columns.strides[0], columns.strides[0]);
        } else {
            columns.copy(begin, n, room);
            work(begin, n, static_cast<const double*>(room), static_cast<ptrdiff_t>(wide));
        }
    }
}

template <size_t tall = tile_rows, class Work>
void each_tile(const Columns& columns, double* room, Work work) {
    each_tile<tall>(columns, {0, columns.rows}, room, work);
}

}  // namespace tally
