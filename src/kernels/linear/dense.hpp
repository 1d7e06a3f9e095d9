// Products, eigenvectors and inverses of small dense matrices in a fixed order of additions: the same bits
// everywhere, without BLAS or LAPACK. Matrices lie row by row.
#pragma once

#include "kernels/linear/sums.hpp"

namespace tally::linear {

// How a product is cut up: so many of the m terms at a time, of so many columns. These lie side by side then, so that each load
// of them is of the nearest cache.
constexpr size_t kDeep = 64, kStrip = 8, kWidth = 4 * kStrip, kFew = 4;

// out[Rows, kStrip] += (Sign < 0: -=) a[Rows, m] b[m, kStrip]: every entry is added to over m in its order.
template <int Sign, class Wide, size_t Rows>
TALLY_INLINE void tile(size_t m, const double* a, size_t a_wide, const double* b, double* out, size_t wide) {
    constexpr size_t lanes = Wide::doubles, each = kStrip / lanes;
    using Numbers = Doubles<Wide>;
    Numbers sum[Rows][each];
    for (size_t r = 0; r < Rows; ++r)
        for (size_t v = 0; v < each; ++v) sum[r][v] = *reinterpret_cast<const Numbers*>(out + r * wide + v * lanes);
    for (size_t j = 0; j < m; ++j) {
        Numbers own[each];
        for (size_t v = 0; v < each; ++v) own[v] = *reinterpret_cast<const Numbers*>(b + j * kStrip + v * lanes);
        for (size_t r = 0; r < Rows; ++r) {
            const double factor = a[r * a_wide + j];
            for (size_t v = 0; v < each; ++v) {
                if (Sign > 0)
                    sum[r][v] += factor * own[v];
                else
                    sum[r][v] -= factor * own[v];
            }
        }
    }
    for (size_t r = 0; r < Rows; ++r)
        for (size_t v = 0; v < each; ++v) *reinterpret_cast<Numbers*>(out + r * wide + v * lanes) = sum[r][v];
}

// The same of the columns that are left, fewer than kStrip.
template <int Sign, class Wide, size_t Rows>
TALLY_INLINE void narrow_tile(size_t m, size_t columns, const double* a, size_t a_wide, const double* b, double* out,
                              size_t wide) {
    double own[Rows * kStrip] = {};
    for (size_t r = 0; r < Rows; ++r)
        for (size_t c = 0; c < columns; ++c) own[r * kStrip + c] = out[r * wide + c];
    tile<Sign, Wide, Rows>(m, a, a_wide, b, own, kStrip);
    for (size_t r = 0; r < Rows; ++r)
        for (size_t c = 0; c < columns; ++c) out[r * wide + c] = own[r * kStrip + c];
}

// Rows of a product from `i` on, so many at a time; returns the first that is left.
template <int Sign, class Wide, size_t Rows>
TALLY_INLINE size_t tiles(size_t i, size_t n, size_t m, size_t k, const double* a, size_t a_wide, const double* packed,
                          double* out, size_t wide) {
    for (; i + Rows <= n; i += Rows)
        for (size_t x = 0; x < k; x += kStrip) {
            const double *from = a + i * a_wide, *strip = packed + x * kDeep;
            double* to = out + i * wide + x;
            if (x + kStrip <= k)
                tile<Sign, Wide, Rows>(m, from, a_wide, strip, to, wide);
            else
                narrow_tile<Sign, Wide, Rows>(m, k - x, from, a_wide, strip, to, wide);
        }
    return i;
}

// packed[strip][m, kStrip] = b[m, k], with zeros beside the last columns.
TALLY_INLINE void pack(size_t m, size_t k, const double* b, size_t b_wide, double* packed) {
    for (size_t x = 0; x < k; x += kStrip) {
        const size_t here = k - x < kStrip ? k - x : kStrip;
        double* to = packed + x * kDeep;
        for (size_t j = 0; j < m; ++j, to += kStrip) {
            const double* from = b + j * b_wide + x;
            if (here == kStrip)
                for (size_t c = 0; c < kStrip; ++c) to[c] = from[c];
            else
                for (size_t c = 0; c < kStrip; ++c) to[c] = c < here ? from[c] : 0.0;
        }
    }
}

// out[n, k] += (Sign < 0: -=) a[n, m] b[m, k]; a_wide, b_wide, wide: doubles from one row to the next.
template <int Sign, class Wide>
TALLY_INLINE void add_product(size_t n, size_t m, size_t k, const double* a, size_t a_wide, const double* b, size_t b_wide,
                              double* out, size_t wide) {
    if (n < kFew) {  // to lay columns side by side would cost more than it gives
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < m; ++j) {
                const double factor = Sign * a[i * a_wide + j];
                for (size_t x = 0; x < k; ++x) out[i * wide + x] += factor * b[j * b_wide + x];
            }
        return;
    }
    double packed[kDeep * kWidth];
    for (size_t x = 0; x < k; x += kWidth)
        for (size_t j = 0; j < m; j += kDeep) {
            const size_t deep = m - j < kDeep ? m - j : kDeep, columns = k - x < kWidth ? k - x : kWidth;
            pack(deep, columns, b + j * b_wide + x, b_wide, packed);
            size_t left = tiles<Sign, Wide, Wide::doubles>(0, n, deep, columns, a + j, a_wide, packed, out + x, wide);
            if constexpr (Wide::doubles > kFew)
                left = tiles<Sign, Wide, kFew>(left, n, deep, columns, a + j, a_wide, packed, out + x, wide);
            tiles<Sign, Wide, 1>(left, n, deep, columns, a + j, a_wide, packed, out + x, wide);
        }
}

// out[n, k] = a[n, m] b[m, k]; every entry is added up over m in its order, so that vector code keeps it.
inline void product(size_t n, size_t m, size_t k, const double* a, const double* b, double* out) {
    run_wide([=](auto instructions) {
        for (size_t i = 0; i < n * k; ++i) out[i] = 0.0;
        add_product<1, decltype(instructions)>(n, m, k, a, m, b, k, out, k);
    });
}

constexpr size_t kBlock = 32;  // columns that `posterior` takes at a time

// The block a[size, size] at the diagonal becomes its Cholesky factor, x[size, size] that factor's inverse. No pivot of
// I + (something with no negative eigenvalue) is below 1; what rounding leaves below is taken for 1.
TALLY_INLINE void factor_block(size_t n, size_t size, double* a, double* x) {
    for (size_t i = 0; i < size; ++i) {
        for (size_t j = 0; j < i; ++j) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum * x[j * n + j];
        }
        double pivot = a[i * n + i];
        for (size_t k = 0; k < i; ++k) pivot -= a[i * n + k] * a[i * n + k];
        a[i * n + i] = square_root(pivot > 1.0 ? pivot : 1.0);
        x[i * n + i] = 1.0 / a[i * n + i];
        for (size_t j = 0; j < i; ++j) {
            double sum = 0.0;
            for (size_t k = j; k < i; ++k) sum -= a[i * n + k] * x[k * n + j];
            x[i * n + j] = sum * x[i * n + i];
        }
    }
}

// `posterior` in steps that threads may share: the start, then block after block of the diagonal, each followed by the rows
// below it, then columns of the inverse. However rows and columns are shared out, every entry has the same bits.

// Rows begin to stop of the lower triangle a[n, n] of I + D M D, M being entries at[n] of matrix[wide, wide] and
// D = diag(scale[n]); and of x[n, n] = 0.
inline void posterior_start(size_t n, size_t wide, const double* matrix, const int64_t* at, const double* scale,
                            size_t begin, size_t stop, double* a, double* x) {
    run_fast([=] {
        for (size_t i = begin; i < stop; ++i) {
            const double* from = matrix + size_t(at[i]) * wide;
            for (size_t j = 0; j <= i; ++j) a[i * n + j] = from[at[j]] * scale[i] * scale[j];
            a[i * n + i] += 1.0;
            for (size_t j = 0; j < n; ++j) x[i * n + j] = 0.0;
        }
    });
}

inline size_t posterior_size(size_t n, size_t first) { return n - first < kBlock ? n - first : kBlock; }

// The block of the diagonal that begins at `first` becomes its factor in a, and in x that factor's inverse.
inline void posterior_block(size_t n, size_t first, double* a, double* x) {
    run_wide([=](auto instructions) {
        using Wide = decltype(instructions);
        const size_t size = posterior_size(n, first);
        double* panel = a + first * n + first;
        // what the columns before leave of it: a transposed copy of its rows lies above the diagonal
        for (size_t k = 0; k < first; ++k)
            for (size_t c = 0; c < size; ++c) a[k * n + first + c] = a[(first + c) * n + k];
        add_product<-1, Wide>(size, first, size, a + first * n, n, a + first, n, panel, n);
        for (size_t c = 0; c < size; ++c)  // the block's own upper part is not read
            for (size_t d = c + 1; d < size; ++d) panel[c * n + d] = 0.0;
        factor_block(n, size, panel, x + first * n + first);
    });
}

// Rows begin to stop below that block: what the columns before leave, times the transposed inverse of the block.
inline void posterior_rows(size_t n, size_t first, size_t begin, size_t stop, double* a, const double* x) {
    run_wide([=](auto instructions) {
        using Wide = decltype(instructions);
        const size_t size = posterior_size(n, first);
        const double* own = x + first * n + first;
        add_product<-1, Wide>(stop - begin, first, size, a + begin * n, n, a + first, n, a + begin * n + first, n);
        double across[kBlock * kBlock], left[kBlock * kBlock];
        for (size_t c = 0; c < size; ++c)
            for (size_t d = 0; d < size; ++d) across[c * kBlock + d] = own[d * n + c];
        for (size_t i = begin; i < stop; i += kBlock) {
            const size_t rows = stop - i < kBlock ? stop - i : kBlock;
            double* to = a + i * n + first;
            for (size_t r = 0; r < rows; ++r)
                for (size_t d = 0; d < size; ++d) left[r * kBlock + d] = to[r * n + d], to[r * n + d] = 0.0;
            add_product<1, Wide>(rows, size, size, left, kBlock, across, kBlock, to, n);
        }
    });
}

// The columns of the inverse x that begin at `col`, as many as a block has: row after row what the blocks before leave,
// times the inverse of the block. And their told = the diagonal of I - X'X.
inline void posterior_columns(size_t n, size_t col, const double* a, double* x, double* told) {
    run_wide([=](auto instructions) {
        using Wide = decltype(instructions);
        const size_t cols = posterior_size(n, col);
        double block[kBlock * kBlock];
        for (size_t first = col + cols; first < n; first += kBlock) {
            const size_t size = posterior_size(n, first);
            double* sums = x + first * n + col;
            add_product<-1, Wide>(size, first - col, cols, a + first * n + col, n, x + col * n + col, n, sums, n);
            for (size_t c = 0; c < size; ++c)
                for (size_t d = 0; d < cols; ++d) block[c * kBlock + d] = sums[c * n + d], sums[c * n + d] = 0.0;
            add_product<1, Wide>(size, size, cols, x + first * n + first, n, block, kBlock, sums, n);
        }
        for (size_t j = col; j < col + cols; ++j) told[j] = 0.0;
        for (size_t i = col; i < n; ++i)
            for (size_t j = col; j < col + cols && j <= i; ++j) told[j] += x[i * n + j] * x[i * n + j];
        for (size_t j = col; j < col + cols; ++j) told[j] = told[j] < 1.0 ? 1.0 - told[j] : 0.0;
    });
}

// All steps: X[n, n] with X'X = (I + D M D)^-1, and told[n]. a[n, n]: scratch.
inline void posterior(size_t n, size_t wide, const double* matrix, const int64_t* at, const double* scale, double* a,
                      double* x, double* told) {
    posterior_start(n, wide, matrix, at, scale, 0, n, a, x);
    for (size_t first = 0; first < n; first += kBlock) {
        posterior_block(n, first, a, x);
        posterior_rows(n, first, first + posterior_size(n, first), n, a, x);
    }
    for (size_t col = 0; col < n; col += kBlock) posterior_columns(n, col, a, x, told);
}

// From lower[1 + n, 1 + n], whole multiples of `unit`, the constant first: w[n, n] with the constant free to follow, and
// cross[n] = how it follows. Returns the constant's own.
inline double without_constant(size_t n, const int64_t* lower, double unit, double* w, double* cross) {
    return run_fast([=] {
        const size_t p = 1 + n;
        const double own = double(lower[0]) * unit, weight = own > 1e-9 ? own : 1e-9;
        for (size_t i = 0; i < n; ++i) cross[i] = double(lower[(1 + i) * p]) * unit / weight;
        for (size_t i = 0; i < n; ++i) {
            const int64_t* from = lower + (1 + i) * p + 1;
            const double mine = cross[i] * weight;
            for (size_t j = 0; j <= i; ++j) w[i * n + j] = double(from[j]) * unit - mine * cross[j];
        }
        constexpr size_t kSide = 16;  // mirrored square by square, so that both stay near
        for (size_t i = 0; i < n; i += kSide)
            for (size_t j = 0; j <= i; j += kSide)
                for (size_t r = i; r < i + kSide && r < n; ++r)
                    for (size_t c = j; c < j + kSide && c < r; ++c) w[c * n + r] = w[r * n + c];
        return weight;
    });
}

// The eigenvalues of a symmetric matrix a[n, n], on its diagonal afterwards, and its eigenvectors, the rows of v[n, n],
// by Jacobi's rotations in a fixed order. Returns the rounds taken.
inline int64_t eigen(size_t n, double* a, double* v) {
    return run_fast([=] {
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) v[i * n + j] = i == j ? 1.0 : 0.0;
        for (int64_t round = 0; round < 60; ++round) {
            double off = 0.0, all = 0.0;
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j <= i; ++j) (i == j ? all : off) += a[i * n + j] * a[i * n + j];
            if (off <= 1e-30 * all) return round;
            for (size_t p = 0; p + 1 < n; ++p)
                for (size_t q = p + 1; q < n; ++q) {
                    const double apq = a[p * n + q];
                    if (apq * apq <= 1e-36 * all) continue;
                    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                    const double size = theta < 0 ? -theta : theta;
                    const double t = (theta < 0 ? -1.0 : 1.0) / (size + square_root(size * size + 1.0));
                    const double c = 1.0 / square_root(t * t + 1.0), s = t * c;
                    double* ap = a + p * n;
                    double* aq = a + q * n;
                    for (size_t i = 0; i < n; ++i) {
                        const double x = ap[i], y = aq[i];
                        ap[i] = c * x - s * y, aq[i] = s * x + c * y;
                    }
                    for (size_t i = 0; i < n; ++i) {
                        const double x = a[i * n + p], y = a[i * n + q];
                        a[i * n + p] = c * x - s * y, a[i * n + q] = s * x + c * y;
                    }
                    double* vp = v + p * n;
                    double* vq = v + q * n;
                    for (size_t i = 0; i < n; ++i) {
                        const double x = vp[i], y = vq[i];
                        vp[i] = c * x - s * y, vq[i] = s * x + c * y;
                    }
                }
        }
        return int64_t(60);
    });
}

}  // namespace tally::linear
