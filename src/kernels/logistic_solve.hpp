// Linear algebra of the solvers in a fixed order of additions: the same bits everywhere, without BLAS or LAPACK.
#pragma once

#include "kernels/logistic.hpp"

namespace tally::logistic {

// Sum of a[i] * b[i] in eight running sums, so that vector code keeps the order.
TALLY_INLINE double dot8(size_t n, const double* a, const double* b) {
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) s[k] += a[i + k] * b[i + k];
    for (size_t k = 0; i < n; ++i, ++k) s[k] += a[i] * b[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

inline double dot(size_t n, const double* a, const double* b) {
    return run_fast([=] { return dot8(n, a, b); });
}

// a = L L', L in the lower triangle. Returns the first column whose pivot is not above `least` times its diagonal, or n.
inline int64_t cholesky(size_t n, double* a, double least) {
    return run_fast([=] {
        for (size_t j = 0; j < n; ++j) {
            double* row = a + j * n;
            for (size_t k = 0; k < j; ++k) row[k] = (row[k] - dot8(k, row, a + k * n)) / a[k * n + k];
            const double pivot = row[j] - dot8(j, row, row);
            if (!(pivot > least * row[j])) return int64_t(j);
            row[j] = __builtin_sqrt(pivot);
        }
        return int64_t(n);
    });
}

// The same for a matrix whose columns may depend on earlier ones: such a column is marked and left out, as if it were
// not there (its row of L is that of the identity).
inline void cholesky_skip(size_t n, double* a, double least, uint8_t* skipped) {
    run_fast([=] {
        for (size_t j = 0; j < n; ++j) {
            double* row = a + j * n;
            for (size_t k = 0; k < j; ++k) row[k] = skipped[k] ? 0.0 : (row[k] - dot8(k, row, a + k * n)) / a[k * n + k];
            const double pivot = row[j] - dot8(j, row, row);
            skipped[j] = !(pivot > least * row[j]);
            row[j] = skipped[j] ? 1.0 : __builtin_sqrt(pivot);
            if (skipped[j])
                for (size_t k = 0; k < j; ++k) row[k] = 0.0;
        }
    });
}

// diagonal[j] = the j-th diagonal entry of (L L')^-1; column is scratch of n.
inline void inverse_diagonal(size_t n, const double* l, double* column, double* diagonal) {
    run_fast([=] {
        for (size_t j = 0; j < n; ++j) {
            column[j] = 1.0 / l[j * n + j];
            for (size_t i = j + 1; i < n; ++i) column[i] = -dot8(i - j, l + i * n + j, column + j) / l[i * n + i];
            diagonal[j] = dot8(n - j, column + j, column + j);
        }
    });
}

// y = A x.
inline void times(size_t n, const double* a, const double* x, double* y) {
    run_fast([=] {
        for (size_t j = 0; j < n; ++j) y[j] = dot8(n, a + j * n, x);
    });
}

// x = (L L')^-1 x.
inline void cholesky_solve(size_t n, const double* l, double* x) {
    run_fast([=] {
        for (size_t j = 0; j < n; ++j) x[j] = (x[j] - dot8(j, l + j * n, x)) / l[j * n + j];
        for (size_t j = n; j-- > 0;) {
            x[j] /= l[j * n + j];
            const double v = x[j];
            for (size_t k = 0; k < j; ++k) x[k] -= l[j * n + k] * v;
        }
    });
}

// The inverse curvature as L-BFGS begins with it: q[n, k] in place becomes weights. The constant (row 0) is measured where
// every column has its mean, so that it is no longer torn between a column's cells; curvature a[row] * v[link] elsewhere.
// The weights of a group of rows (the cells of one column) keep their sum, which no row of the table can see; so do the
// links of a row when `even`. groups: [2 * n_groups] first row and the row after the last; cells without rows (mean 0)
// stay apart.
inline void precondition(size_t n, size_t k, const double* a, const double* v, const double* mean, size_t n_groups,
                         const int64_t* groups, bool even, double* q) {
    run_fast([=] {
        for (size_t j = 1; j < n; ++j)
            for (size_t l = 0; l < k; ++l) q[j * k + l] -= mean[j] * q[l];
        for (size_t j = 0; j < n; ++j) {
            double sum = 0.0, room = 0.0;
            for (size_t l = 0; l < k; ++l) {
                q[j * k + l] /= a[j] * v[l];
                sum += q[j * k + l];
                room += 1.0 / v[l];
            }
            for (size_t l = 0; even && l < k; ++l) q[j * k + l] -= sum / room / v[l];
        }
        for (size_t g = 0; g < n_groups; ++g) {
            const size_t begin = size_t(groups[2 * g]), end = size_t(groups[2 * g + 1]);
            double room = 0.0;
            for (size_t j = begin; j < end; ++j) room += mean[j] > 0.0 ? 1.0 / a[j] : 0.0;
            if (!(room > 0.0)) continue;
            for (size_t l = 0; l < k; ++l) {
                double sum = 0.0;
                for (size_t j = begin; j < end; ++j) sum += mean[j] > 0.0 ? q[j * k + l] : 0.0;
                for (size_t j = begin; j < end; ++j) q[j * k + l] -= mean[j] > 0.0 ? sum / room / a[j] : 0.0;
            }
        }
        for (size_t j = 1; j < n; ++j)
            for (size_t l = 0; l < k; ++l) q[l] -= mean[j] * q[j * k + l];
    });
}

// The step d that minimises g'd + d'Hd/2 + sum l1 |w + d|, one coordinate after the other; hd = H d. Returns rounds taken.
inline int64_t lasso_step(size_t n, const double* h, const double* g, const double* w, const double* l1,
                                       double tolerance, int64_t rounds, double* d, double* hd) {
    return run_fast([=] {
        for (int64_t round = 0; round < rounds; ++round) {
            double moved = 0.0;
            for (size_t j = 0; j < n; ++j) {
                const double curve = h[j * n + j];
                if (!(curve > 0.0)) continue;
                const double at = w[j] + d[j];
                const double aim = at * curve - (g[j] + hd[j]);  // the unpenalised optimum times the curvature
                const double to = aim > l1[j] ? (aim - l1[j]) / curve : aim < -l1[j] ? (aim + l1[j]) / curve : 0.0;
                const double change = to - at;
                if (change == 0.0) continue;
                d[j] += change;
                for (size_t k = 0; k < n; ++k) hd[k] += h[j * n + k] * change;
                const double size = (change < 0 ? -change : change) * curve;
                moved = size > moved ? size : moved;
            }
            if (moved <= tolerance) return round + 1;
        }
        return rounds;
    });
}

}  // namespace tally::logistic
