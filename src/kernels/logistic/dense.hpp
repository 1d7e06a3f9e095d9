// Products, eigenvectors and triangular inverses of small dense matrices in a fixed order of additions: the same bits
// everywhere, without BLAS or LAPACK. Matrices lie row by row.
#pragma once

#include "kernels/logistic/sums.hpp"

namespace tally::logistic {

// out[r][x] += factor[r] * from[x] for four rows at once: from is read once.
TALLY_INLINE void add_to_four(size_t n, const double factor[4], const double* from, double* const out[4]) {
    size_t x = 0;
    for (; x + 4 <= n; x += 4) {
        const Four value = *reinterpret_cast<const Four*>(from + x);
        for (size_t r = 0; r < 4; ++r) *reinterpret_cast<Four*>(out[r] + x) += factor[r] * value;
    }
    for (; x < n; ++x)
        for (size_t r = 0; r < 4; ++r) out[r][x] += factor[r] * from[x];
}

TALLY_INLINE void add_to(size_t n, double factor, const double* from, double* out) {
    for (size_t x = 0; x < n; ++x) out[x] += factor * from[x];
}

// out[n, k] = a[n, m] b[m, k]; every entry is added up over m in its order, so that vector code keeps it.
inline void product(size_t n, size_t m, size_t k, const double* a, const double* b, double* out) {
    run_fast([=] {
        constexpr size_t kWide = 256;  // columns of b taken at a time, so that they stay near
        for (size_t i = 0; i < n * k; ++i) out[i] = 0.0;
        for (size_t first = 0; first < k; first += kWide) {
            const size_t wide = k - first < kWide ? k - first : kWide;
            size_t i = 0;
            for (; i + 4 <= n; i += 4) {
                double* to = out + i * k + first;
                double* const rows[4] = {to, to + k, to + 2 * k, to + 3 * k};
                for (size_t j = 0; j < m; ++j) {
                    const double* at = a + i * m + j;
                    const double factor[4] = {at[0], at[m], at[2 * m], at[3 * m]};
                    add_to_four(wide, factor, b + j * k + first, rows);
                }
            }
            for (; i < n; ++i)
                for (size_t j = 0; j < m; ++j) add_to(wide, a[i * m + j], b + j * k + first, out + i * k + first);
        }
    });
}

// out[n, n] = the inverse of a lower triangle l[n, n]: row by row what the rows above leave, four rows at a time.
inline void lower_inverse(size_t n, const double* l, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n * n; ++i) out[i] = 0.0;
        for (size_t first = 0; first < n; first += 4) {
            const size_t end = first + 4 < n ? first + 4 : n;
            size_t done = 0;  // rows above that have been taken off
            if (end - first == 4) {
                double* to = out + first * n;
                double* const rows[4] = {to, to + n, to + 2 * n, to + 3 * n};
                for (; done < first; ++done) {
                    const double* at = l + first * n + done;
                    const double factor[4] = {-at[0], -at[n], -at[2 * n], -at[3 * n]};
                    add_to_four(done + 1, factor, out + done * n, rows);
                }
            }
            for (size_t i = first; i < end; ++i) {
                double* row = out + i * n;
                for (size_t j = done; j < i; ++j) add_to(j + 1, -l[i * n + j], out + j * n, row);
                const double own = 1.0 / l[i * n + i];
                for (size_t x = 0; x < i; ++x) row[x] *= own;
                row[i] = own;
            }
        }
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
                    const double t = (theta < 0 ? -1.0 : 1.0) / (size + __builtin_sqrt(size * size + 1.0));
                    const double c = 1.0 / __builtin_sqrt(t * t + 1.0), s = t * c;
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

}  // namespace tally::logistic
