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

TALLY_CLONES inline double dot(size_t n, const double* a, const double* b) { return dot8(n, a, b); }

// a = L L', L in the lower triangle. Returns the first column whose pivot is not above `least` times its diagonal, or n.
TALLY_CLONES inline int64_t cholesky(size_t n, double* a, double least) {
    for (size_t j = 0; j < n; ++j) {
        double* row = a + j * n;
        for (size_t k = 0; k < j; ++k) row[k] = (row[k] - dot8(k, row, a + k * n)) / a[k * n + k];
        const double pivot = row[j] - dot8(j, row, row);
        if (!(pivot > least * row[j])) return int64_t(j);
        row[j] = __builtin_sqrt(pivot);
    }
    return int64_t(n);
}

// The same for a matrix whose columns may depend on earlier ones: such a column is marked and left out, as if it were
// not there (its row of L is that of the identity).
TALLY_CLONES inline void cholesky_skip(size_t n, double* a, double least, uint8_t* skipped) {
    for (size_t j = 0; j < n; ++j) {
        double* row = a + j * n;
        for (size_t k = 0; k < j; ++k) row[k] = skipped[k] ? 0.0 : (row[k] - dot8(k, row, a + k * n)) / a[k * n + k];
        const double pivot = row[j] - dot8(j, row, row);
        skipped[j] = !(pivot > least * row[j]);
        row[j] = skipped[j] ? 1.0 : __builtin_sqrt(pivot);
        if (skipped[j])
            for (size_t k = 0; k < j; ++k) row[k] = 0.0;
    }
}

// diagonal[j] = the j-th diagonal entry of (L L')^-1; column is scratch of n.
TALLY_CLONES inline void inverse_diagonal(size_t n, const double* l, double* column, double* diagonal) {
    for (size_t j = 0; j < n; ++j) {
        column[j] = 1.0 / l[j * n + j];
        for (size_t i = j + 1; i < n; ++i) column[i] = -dot8(i - j, l + i * n + j, column + j) / l[i * n + i];
        diagonal[j] = dot8(n - j, column + j, column + j);
    }
}

// y = A x.
TALLY_CLONES inline void times(size_t n, const double* a, const double* x, double* y) {
    for (size_t j = 0; j < n; ++j) y[j] = dot8(n, a + j * n, x);
}

// x = (L L')^-1 x.
TALLY_CLONES inline void cholesky_solve(size_t n, const double* l, double* x) {
    for (size_t j = 0; j < n; ++j) x[j] = (x[j] - dot8(j, l + j * n, x)) / l[j * n + j];
    for (size_t j = n; j-- > 0;) {
        x[j] /= l[j * n + j];
        const double v = x[j];
        for (size_t k = 0; k < j; ++k) x[k] -= l[j * n + k] * v;
    }
}

// The step d that minimises g'd + d'Hd/2 + sum l1 |w + d|, one coordinate after the other; hd = H d. Returns rounds taken.
TALLY_CLONES inline int64_t lasso_step(size_t n, const double* h, const double* g, const double* w, const double* l1,
                                       double tolerance, int64_t rounds, double* d, double* hd) {
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
}

}  // namespace tally::logistic
