// A basis in blocks: pieces of lines, each with directions of its own, and what a matrix over all lines is along them.
// Every sum runs in a fixed order: the same bits everywhere.
#pragma once

#include <vector>

#include "kernels/linear/dense.hpp"
#include "kernels/linear/solve.hpp"

namespace tally::linear {

// Piece by piece its first line, lines, first direction and directions; rows[direction][line of its piece], one after
// the other. Both lines and directions of the pieces follow each other without a gap.
struct Basis {
    size_t pieces;
    const int64_t* table;  // [pieces, 4]
    const double* rows;

    TALLY_INLINE size_t line(size_t p) const { return size_t(table[4 * p]); }
    TALLY_INLINE size_t lines(size_t p) const { return size_t(table[4 * p + 1]); }
    TALLY_INLINE size_t first(size_t p) const { return size_t(table[4 * p + 2]); }
    TALLY_INLINE size_t directions(size_t p) const { return size_t(table[4 * p + 3]); }
};

// out[direction] = B'x for x[line].
inline void along(const Basis& basis, const double* x, double* out) {
    run_fast([b = basis, x, out] {
        const double* row = b.rows;
        for (size_t p = 0; p < b.pieces; ++p)
            for (size_t d = 0; d < b.directions(p); ++d, row += b.lines(p)) {
                double sum = 0.0;
                for (size_t l = 0; l < b.lines(p); ++l) sum += row[l] * x[b.line(p) + l];
                out[b.first(p) + d] = sum;
            }
    });
}

// out[line] = B v for v[direction].
inline void lines_along(const Basis& basis, const double* v, double* out) {
    run_fast([b = basis, v, out] {
        const double* row = b.rows;
        for (size_t p = 0; p < b.pieces; ++p) {
            double* to = out + b.line(p);
            for (size_t l = 0; l < b.lines(p); ++l) to[l] = 0.0;
            for (size_t d = 0; d < b.directions(p); ++d, row += b.lines(p)) {
                const double own = v[b.first(p) + d];
                if (own != 0.0)
                    for (size_t l = 0; l < b.lines(p); ++l) to[l] += own * row[l];
            }
        }
    });
}

// out[direction] = the diagonal of B'W B, w[n, n] being symmetric.
inline void diagonal_along(const Basis& basis, size_t n, const double* w, double* out) {
    run_fast([b = basis, n, w, out] {
        const double* row = b.rows;
        for (size_t p = 0; p < b.pieces; ++p) {
            const double* own = w + b.line(p) * n + b.line(p);
            for (size_t d = 0; d < b.directions(p); ++d, row += b.lines(p)) {
                double all = 0.0;
                for (size_t l = 0; l < b.lines(p); ++l) all += row[l] * dot8(b.lines(p), own + l * n, row);
                out[b.first(p) + d] = all;
            }
        }
    });
}

// Calls work(first of them, how many, lines of their piece, its first line) for directions some[begin] to some[stop],
// rising: kBlock at a time, none over the end of a piece; own[how many, lines] holds their rows of the basis then.
template <class Work>
TALLY_INLINE void each_direction(const Basis& b, const int64_t* some, size_t begin, size_t stop, double* own, Work work) {
    const double* rows = b.rows;
    for (size_t p = 0, i = begin; p < b.pieces && i < stop; ++p) {
        const size_t lines = b.lines(p), end = b.first(p) + b.directions(p);
        while (i < stop && size_t(some[i]) < end) {
            size_t size = 0;
            for (; size < kBlock && i + size < stop && size_t(some[i + size]) < end; ++size) {
                const double* row = rows + (size_t(some[i + size]) - b.first(p)) * lines;
                for (size_t l = 0; l < lines; ++l) own[size * lines + l] = row[l];
            }
            work(i, size, lines, b.line(p));
            i += size;
        }
        rows += lines * b.directions(p);
    }
}

// B'W B in two steps that threads may share, of directions some[q], rising, w[n, n] being symmetric: first
// half[q, n] = B'W of directions begin to stop, as far as the own piece's last line.
inline void turn_half(const Basis& basis, size_t n, const double* w, const int64_t* some, size_t begin, size_t stop,
                      double* half) {
    std::vector<double> room(n * kBlock);
    run_wide([&basis, n, w, some, begin, stop, half, own = room.data()](auto instructions) {
        using Wide = decltype(instructions);
        each_direction(basis, some, begin, stop, own, [=](size_t i, size_t size, size_t lines, size_t line) {
            for (size_t r = 0; r < size; ++r)
                for (size_t x = 0; x < line + lines; ++x) half[(i + r) * n + x] = 0.0;
            add_product<1, Wide>(size, lines, line + lines, own, lines, w + line * n, n, half + i * n, n);
        });
    });
}

// Then out[q, q], its lower triangle, in the columns begin to stop.
inline void turn_whole(const Basis& basis, size_t n, const int64_t* some, size_t q, size_t begin, size_t stop,
                       const double* half, double* out) {
    std::vector<double> room(2 * n * kBlock);
    run_wide([&basis, n, some, q, begin, stop, half, out, own = room.data(),
              across = room.data() + n * kBlock](auto instructions) {
        using Wide = decltype(instructions);
        each_direction(basis, some, begin, stop, own, [=](size_t i, size_t size, size_t lines, size_t line) {
            for (size_t l = 0; l < lines; ++l)
                for (size_t c = 0; c < size; ++c) across[l * kBlock + c] = own[c * lines + l];
            for (size_t r = i; r < q; ++r)
                for (size_t c = 0; c < size; ++c) out[r * q + i + c] = 0.0;
            add_product<1, Wide>(q - i, lines, size, half + i * n + line, n, across, kBlock, out + i * q + i, q);
        });
    });
}

}  // namespace tally::linear
