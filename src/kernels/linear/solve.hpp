// Linear algebra of the solvers in a fixed order of additions: the same bits everywhere, without BLAS or LAPACK.
#pragma once

#include "kernels/linear/sums.hpp"

namespace tally::linear {

// Sum of a[i] * b[i] in eight running sums, so that vector code keeps the order.
template <class Number>
TALLY_INLINE double dot8(size_t n, const Number* a, const double* b) {
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; ++k) s[k] += double(a[i + k]) * b[i + k];
    for (size_t k = 0; i < n; ++i, ++k) s[k] += double(a[i]) * b[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

TALLY_INLINE void load_four(const double* v, Four& out) { out = *reinterpret_cast<const Four*>(v); }
TALLY_INLINE void load_four(const float* v, Four& out) { out = Four{v[0], v[1], v[2], v[3]}; }

// out[r] = rows[r] . b for four rows at once, each as dot8: b is read once, and no sum waits for another.
template <class Number>
TALLY_INLINE void four_dot8(size_t n, const Number* const rows[4], const double* b, double out[4]) {
    Four low[4] = {}, high[4] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        Four b0, b1, a0, a1;
        load_four(b + i, b0);
        load_four(b + i + 4, b1);
        for (size_t r = 0; r < 4; ++r) {
            load_four(rows[r] + i, a0);
            load_four(rows[r] + i + 4, a1);
            low[r] += a0 * b0;
            high[r] += a1 * b1;
        }
    }
    for (size_t r = 0; r < 4; ++r) {
        double s[8];
        for (size_t k = 0; k < 4; ++k) s[k] = low[r][k], s[k + 4] = high[r][k];
        for (size_t k = 0; i + k < n; ++k) s[k] += double(rows[r][i + k]) * b[i + k];
        out[r] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
}

inline double dot(size_t n, const double* a, const double* b) {
    return run_fast([=] { return dot8(n, a, b); });
}

constexpr size_t kPiece = 2048;  // entries of long vectors taken at a time, so that each is read once

// out[vector, side] = vectors[vector] . sides[side], summed piece by piece. Number: what the vectors are kept in.
template <class Number>
inline void dots(size_t n, size_t n_vectors, const Number* const* vectors, size_t n_sides, const double* const* sides,
                 double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n_vectors * n_sides; ++i) out[i] = 0.0;
        for (size_t first = 0; first < n; first += kPiece) {
            const size_t size = n - first < kPiece ? n - first : kPiece;
            size_t v = 0;
            for (; v + 4 <= n_vectors; v += 4) {
                const Number* const four[4] = {vectors[v] + first, vectors[v + 1] + first, vectors[v + 2] + first,
                                               vectors[v + 3] + first};
                for (size_t b = 0; b < n_sides; ++b) {
                    double found[4];
                    four_dot8(size, four, sides[b] + first, found);
                    for (size_t r = 0; r < 4; ++r) out[(v + r) * n_sides + b] += found[r];
                }
            }
            for (; v < n_vectors; ++v)
                for (size_t b = 0; b < n_sides; ++b)
                    out[v * n_sides + b] += dot8(size, vectors[v] + first, sides[b] + first);
        }
    });
}

// q = factor * q + sum of coefficient[vector] * vectors[vector], in the order of the vectors.
template <class Number>
inline void combine(size_t n, double factor, size_t n_vectors, const Number* const* vectors, const double* coefficient,
                    double* q) {
    run_fast([=] {
        for (size_t first = 0; first < n; first += kPiece) {
            const size_t size = n - first < kPiece ? n - first : kPiece;
            double* to = q + first;
            for (size_t i = 0; i < size; ++i) to[i] *= factor;
            size_t v = 0;
            for (; v + 4 <= n_vectors; v += 4) {  // one after the other, but what they are added to is read once
                const Number *a = vectors[v] + first, *b = vectors[v + 1] + first, *c = vectors[v + 2] + first,
                             *d = vectors[v + 3] + first;
                const double* k = coefficient + v;
                const double k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3];
                for (size_t i = 0; i < size; ++i)
                    to[i] = (((to[i] + k0 * double(a[i])) + k1 * double(b[i])) + k2 * double(c[i])) + k3 * double(d[i]);
            }
            for (; v < n_vectors; ++v) {
                const Number* from = vectors[v] + first;
                const double c = coefficient[v];
                for (size_t i = 0; i < size; ++i) to[i] += c * double(from[i]);
            }
        }
    });
}

// gradient = sums * unit + l2 * w; returns the sum of l2 * w * w.
inline double pulled(size_t n, const int64_t* sums, double unit, const double* l2, const double* w, double* gradient) {
    return run_fast([=] {
        double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (size_t i = 0; i < n; ++i) {
            const double pull = l2[i] * w[i];
            gradient[i] = double(sums[i]) * unit + pull;
            s[i % 8] += pull * w[i];
        }
        return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    });
}

// The largest of |v[i]|, in eight running ones.
inline double longest(size_t n, const double* v) {
    return run_fast([=] {
        double most[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (size_t i = 0; i < n; i += 8)
            for (size_t k = 0; k < (n - i < 8 ? n - i : 8); ++k) {
                const double size = v[i + k] < 0 ? -v[i + k] : v[i + k];
                most[k] = size > most[k] ? size : most[k];
            }
        double out = 0.0;
        for (const double one : most) out = one > out ? one : out;
        return out;
    });
}

// a = L L', L in the lower triangle. Returns the first column whose pivot is not above `least` times its diagonal, or n.
// Four rows go together over the columns before them.
inline int64_t cholesky(size_t n, double* a, double least) {
    return run_fast([=] {
        for (size_t first = 0; first < n; first += 4) {
            const size_t end = first + 4 < n ? first + 4 : n;
            size_t done = 0;  // columns that the rows have already
            if (end - first == 4) {
                const double* const rows[4] = {a + first * n, a + (first + 1) * n, a + (first + 2) * n, a + (first + 3) * n};
                for (double out[4]; done < first; ++done) {
                    four_dot8(done, rows, a + done * n, out);
                    for (size_t r = 0; r < 4; ++r) {
                        double* entry = a + (first + r) * n + done;
                        *entry = (*entry - out[r]) / a[done * n + done];
                    }
                }
            }
            for (size_t j = first; j < end; ++j) {
                double* row = a + j * n;
                for (size_t k = done; k < j; ++k) row[k] = (row[k] - dot8(k, row, a + k * n)) / a[k * n + k];
                const double pivot = row[j] - dot8(j, row, row);
                if (!(pivot > least * row[j])) return int64_t(j);
                row[j] = square_root(pivot);
            }
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
            row[j] = skipped[j] ? 1.0 : square_root(pivot);
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

constexpr size_t kSquare = 16;  // parameters on the side of a square that is filled at a time

// The curvature h[n k, n k] of n parameters of k links, from one table per pair of classes: h is -table where the links
// differ and the sum of a link's tables where they do not. table(pair, i, j) is the pair's entry for parameters j <= i.
// `shift` is added among the constants of all links, l2[n k] to the diagonal. links[k]: which classes have weights.
template <class Table>
TALLY_INLINE void assemble(size_t n, size_t k, const int64_t* links, size_t classes, Table table, double shift,
                           const double* l2, double* h) {
    const size_t m = n * k;
    auto fill = [=](size_t i, size_t j) TALLY_INLINED_HERE {
        for (size_t x = 0; x < k; ++x)
            for (size_t y = 0; y < k; ++y) {
                const size_t a = size_t(links[x]), b = size_t(links[y]);
                double value = 0.0;
                if (classes == 1) {
                    value = table(0, i, j);
                } else if (a != b) {
                    value = -table(a > b ? a * (a - 1) / 2 + b : b * (b - 1) / 2 + a, i, j);
                } else {
                    for (size_t c = 0; c < classes; ++c)
                        if (c != a) value += table(a > c ? a * (a - 1) / 2 + c : c * (c - 1) / 2 + a, i, j);
                }
                if (i == 0) value += shift;
                h[(i * k + x) * m + j * k + y] = value;
                h[(j * k + y) * m + i * k + x] = value;
            }
    };
    for (size_t rows = 0; rows < n; rows += kSquare)  // square by square: what is mirrored stays near
        for (size_t columns = 0; columns <= rows; columns += kSquare)
            for (size_t i = rows; i < n && i < rows + kSquare; ++i)
                for (size_t j = columns; j <= i && j < columns + kSquare; ++j) fill(i, j);
    for (size_t i = 0; i < m; ++i) h[i * m + i] += l2[i];
}

// From the sums over rows squares[pair, p, p], the lower triangles; power[i] brings parameter at[i] back to its scale.
inline void curvature_of_sums(size_t n, size_t k, const int64_t* links, size_t classes, const int64_t* squares, size_t p,
                              const int64_t* at, const double* power, double unit, double shift, const double* l2,
                              double* h) {
    run_fast([=] {
        assemble(
            n, k, links, classes,
            [=](size_t pair, size_t i, size_t j) {
                const size_t high = size_t(at[i] > at[j] ? at[i] : at[j]), low = size_t(at[i] > at[j] ? at[j] : at[i]);
                return double(squares[(pair * p + high) * p + low]) * (power[i] * power[j] * unit);
            },
            shift, l2, h);
    });
}

// From gram[n, n] with the same weight for every row: share[a] * share[b] for a pair of classes.
inline void curvature_of_gram(size_t n, size_t k, const int64_t* links, size_t classes, const double* gram,
                              const double* share, double shift, const double* l2, double* h) {
    run_fast([=] {
        assemble(
            n, k, links, classes,
            [=](size_t pair, size_t i, size_t j) {
                size_t a = 1;
                while ((a + 1) * a / 2 <= pair) ++a;
                return gram[i * n + j] * (share[a] * share[pair - a * (a - 1) / 2]);
            },
            shift, l2, h);
    });
}

// About the largest and the smallest eigenvalue of a, whose factor is l, by repeated products. v: scratch of 2 n.
inline void eigen_ends(size_t n, const double* a, const double* l, size_t rounds, double* v, double* ends) {
    double* u = v + n;
    for (size_t j = 0; j < n; ++j) v[j] = 1.0 + double(j) / double(n);
    for (size_t round = 0; round < rounds; ++round) {
        times(n, a, v, u);
        const double length = square_root(dot(n, u, u));
        for (size_t j = 0; j < n; ++j) v[j] = u[j] / length;
    }
    times(n, a, v, u);
    ends[0] = dot(n, v, u);
    for (size_t j = 0; j < n; ++j) v[j] = 1.0 + double(j) / double(n);
    for (size_t round = 0; round < rounds; ++round) {
        const double length = square_root(dot(n, v, v));
        for (size_t j = 0; j < n; ++j) v[j] /= length;
        cholesky_solve(n, l, v);
    }
    ends[1] = 1.0 / square_root(dot(n, v, v));
}

// The inverse curvature as L-BFGS begins with it: q[n, k] in place becomes weights. The constant (row 0) is measured where
// every column has its mean, so that it is no longer torn between a column's cells; a[row] * v[link] is 1 over the curvature.
// The weights of a group of rows (the cells of one column) keep their sum, which no row of the table can see; so do the
// links of a row when `even`. groups: [2 * n_groups] first row and the row after the last; cells without rows (mean 0)
// stay apart.
inline void precondition(size_t n, size_t k, const double* a, const double* v, const double* mean, size_t n_groups,
                         const int64_t* groups, bool even, double* q) {
    run_fast([=] {
        double room = 0.0;
        for (size_t l = 0; l < k; ++l) room += v[l];
        for (size_t j = 1; j < n; ++j)
            if (mean[j] != 0.0)
                for (size_t l = 0; l < k; ++l) q[j * k + l] -= mean[j] * q[l];
        for (size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (size_t l = 0; l < k; ++l) {
                q[j * k + l] *= a[j] * v[l];
                sum += q[j * k + l];
            }
            if (!even) continue;
            sum /= room;
            for (size_t l = 0; l < k; ++l) q[j * k + l] -= sum * v[l];
        }
        for (size_t g = 0; g < n_groups; ++g) {
            const size_t begin = size_t(groups[2 * g]), end = size_t(groups[2 * g + 1]);
            double cells = 0.0;
            for (size_t j = begin; j < end; ++j) cells += mean[j] > 0.0 ? a[j] : 0.0;
            if (!(cells > 0.0)) continue;
            for (size_t l = 0; l < k; ++l) {
                double sum = 0.0;
                for (size_t j = begin; j < end; ++j) sum += mean[j] > 0.0 ? q[j * k + l] : 0.0;
                for (size_t j = begin; j < end; ++j) q[j * k + l] -= mean[j] > 0.0 ? sum / cells * a[j] : 0.0;
            }
        }
        for (size_t j = 1; j < n; ++j)
            if (mean[j] != 0.0)
                for (size_t l = 0; l < k; ++l) q[l] -= mean[j] * q[j * k + l];
    });
}

// The step d that minimises g'd + d'Hd/2 + sum l1 |w + d|, one coordinate after the other; hd = H d. Returns rounds taken.
inline int64_t lasso_step(size_t n, const double* h, const double* g, const double* w, const double* l1, double tolerance,
                          int64_t rounds, double* d, double* hd) {
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

}  // namespace tally::linear
