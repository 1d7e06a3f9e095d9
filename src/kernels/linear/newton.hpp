// Newton's method: what a step is, how far to go along it and when to stop stand here, and nowhere else. `newton` takes
// all steps over one block in one call; where rows are only summed, `linear/solvers.py` asks point by point and
// decides by the same functions. Law: every point, step and bit is the same either way.
#pragma once

#include <cstring>
#include <limits>

#include "kernels/linear/curvature.hpp"
#include "kernels/linear/solve.hpp"

namespace tally::linear {

// What is minimised beside the rows: n free parameters of k links among the P parameters of all links.
struct Descent {
    size_t n, k;
    const int64_t* at;     // [n] free parameters
    const double* power;   // [n] brings a parameter back to its scale
    const int64_t* links;  // [k] links with weights
    const double* l2;      // [n k]
    double unit, factor, shift;
    double small, fine;  // the optimum: gradient and Newton step at most this long
    double least;        // or what is left to gain is at most this, and steps gain no more
    double doubt;        // how far rounding of the rows' terms can move a sum
    double grain;        // and that of a score, for each unit of its size
    double reach;        // or no score changes by more in a step; 0: not asked
    double alarm;        // a gradient so small with a long step means divergence; 0: not looked for
    bool ahead;          // so does every row's own class being ahead
    int64_t most;        // steps
};

struct Spot {
    double* w;
    double* gradient;
    double* curvature;
    double value, loss;
    int64_t wrong;
};

enum class End : int64_t { optimum = 0, diverging = 1, stuck = 2, full = 3 };  // full: no room for another step

inline size_t newton_doubles(size_t dense, size_t links, size_t m) { return work_doubles(dense, links) + 2 * m * m + 4 * m; }

inline size_t newton_whole(size_t p, size_t links) {
    const size_t pairs = links > 1 ? links * (links - 1) / 2 : 1;
    return 3 + p * links + pairs * p * p;
}

// Value, gradient and curvature at spot.w. theta[P, links] is written where weights are free; pull: scratch of n k.
inline void look_at(const Ask& a, const Descent& q, double* theta, double* memory, int64_t* whole, double* pull,
                    Spot& spot) {
    const size_t p = 1 + a.dense + a.cells, m = q.n * q.k;
    for (size_t i = 0; i < q.n; ++i)
        for (size_t x = 0; x < q.k; ++x)
            theta[size_t(q.at[i]) * a.links + size_t(q.links[x])] = spot.w[i * q.k + x] * q.power[i];
    std::memset(whole, 0, newton_whole(p, a.links) * sizeof(int64_t));
    const Totals out{whole, whole + 3, whole + 3 + p * a.links};
    sums(a, memory, out);
    spot.loss = double(out.loss[0]) * q.factor + double(out.loss[1]) * q.unit;
    spot.wrong = out.loss[2];
    for (size_t i = 0; i < q.n; ++i) {
        int64_t all = 0;  // residuals of all classes sum to 0, but for rounding
        for (size_t x = 0; x < q.k; ++x) all += out.gradient[size_t(q.at[i]) * a.links + size_t(q.links[x])];
        const double over = q.shift != 0.0 ? double(all) / double(q.k) : 0.0;
        for (size_t x = 0; x < q.k; ++x) {
            const size_t j = i * q.k + x;
            pull[j] = q.l2[j] * spot.w[j];
            const double sum = double(out.gradient[size_t(q.at[i]) * a.links + size_t(q.links[x])]);
            spot.gradient[j] = (sum - over) * q.power[i] * -q.unit + pull[j];
        }
    }
    spot.value = spot.loss + 0.5 * dot(m, pull, spot.w);
    curvature_of_sums(q.n, q.k, q.links, a.links, out.curvature, p, q.at, q.power, q.unit, q.shift, q.l2, spot.curvature);
}

// factor = that of h; a matrix that is not quite positive gets a little more diagonal. False: a matrix beyond that.
inline bool factorise(size_t m, const double* h, double* factor) {
    double extra = 0.0;
    for (int round = 0; round < 40; ++round) {
        for (size_t i = 0; i < m * m; ++i) factor[i] = h[i];
        if (round > 0)
            for (size_t i = 0; i < m; ++i) factor[i * m + i] *= 1.0 + extra;
        if (cholesky(m, factor, 1e-14) == int64_t(m)) return true;
        extra = 10 * extra > 1e-12 ? 10 * extra : 1e-12;
    }
    return false;
}

// x = h^-1 x by the factor of h, or by its diagonal where there is no factor.
inline void step_by(size_t m, const double* h, const double* factor, bool factorised, double* x) {
    if (factorised) return cholesky_solve(m, factor, x);
    for (size_t i = 0; i < m; ++i) x[i] /= h[i * m + i] > 0 ? h[i * m + i] : 1.0;
}

// d = minus the inverse curvature times the gradient.
inline void newton_step(size_t m, const Spot& spot, double* factor, double* d) {
    for (size_t i = 0; i < m; ++i) d[i] = spot.gradient[i];
    const bool factorised = factorise(m, spot.curvature, factor);
    step_by(m, spot.curvature, factor, factorised, d);
    for (size_t i = 0; i < m; ++i) d[i] = -d[i];
}

// How far to go along a step: 0, t is right: the new value is low enough; else the next t, shorter, by a parabola where it
// helps. Near the optimum values differ by less than they are known to: then the gradient decides.
inline double shorter(double t, double slope, double from, double to, double steep_from, double steep_to, double doubt) {
    const double slack = 1e-13 * (from < 0 ? -from : from) + doubt;
    if (to <= from + 1e-4 * t * slope || (to <= from + slack && steep_to < steep_from)) return 0.0;
    const double bend = 2.0 * (to - from - t * slope);
    const double fit = bend > 0 ? -slope * t * t / bend : 0.5 * t;
    const double least = 0.1 * t > fit ? 0.1 * t : fit;
    return 0.5 * t < least ? 0.5 * t : least;
}

constexpr double kTiny = 1e-4;  // of the longest weight (or of 1): a step that rounding may leave

// Is nothing left to gain at spot? d: the Newton step from there. Either what it could gain is next to nothing, or the
// gradient is no more than rounding can make of 0: that of the rows' terms, and of scores as large as these.
inline bool negligible(const Descent& q, const Spot& spot, const double* d, double* scratch) {
    const size_t m = q.n * q.k;
    const double size = longest(m, spot.w);
    if (longest(m, d) > kTiny * (size > 1.0 ? size : 1.0)) return false;
    if (-dot(m, spot.gradient, d) <= q.least) return true;
    double* power = scratch + m;
    for (size_t j = 0; j < m; ++j) scratch[j] = spot.w[j] < 0 ? -spot.w[j] : spot.w[j], power[j] = q.power[j / q.k];
    const double noise = q.doubt + q.grain * dot(m, scratch, power);
    for (size_t j = 0; j < m; ++j) {
        const double g = spot.gradient[j] < 0 ? -spot.gradient[j] : spot.gradient[j];
        if (g > power[j] * noise) return false;
    }
    return true;
}

// Does rounding leave no more to do? before: the gradient norm one step earlier.
inline bool stalled(const Descent& q, const Spot& spot, const double* d, double before, double* scratch) {
    return longest(q.n * q.k, spot.gradient) > 0.5 * before && negligible(q, spot, d, scratch);
}

// Is the way at its end here? -1: no.
inline int64_t end_at(const Descent& q, const Spot& spot, const double* d, double* scratch) {
    const size_t m = q.n * q.k;
    const double gradient = longest(m, spot.gradient), step = longest(m, d);
    if (gradient <= q.small && step <= q.fine) return int64_t(End::optimum);
    if (q.reach != 0.0) {
        double* power = scratch + m;
        for (size_t j = 0; j < m; ++j) scratch[j] = d[j] < 0 ? -d[j] : d[j], power[j] = q.power[j / q.k];
        if (dot(m, scratch, power) <= q.reach) return int64_t(End::optimum);
    }
    const bool long_step = gradient <= q.alarm && step > 0.1;
    if (q.alarm != 0.0 && (long_step || (q.ahead && spot.wrong == 0))) return int64_t(End::diverging);
    return -1;
}

// From `at` (begun: known there, and d leads on) or from weights alone to the end. trace[room, 3]: value, gradient norm and
// step of each point; counts: points noted, questions asked. Returns the End; `at`, d, trace and counts tell the rest.
inline int64_t newton(const Ask& a, const Descent& q, bool begun, double* theta, double* memory, int64_t* whole, Spot& at,
                      double* d, size_t room, double* trace, int64_t* counts) {
    const size_t m = q.n * q.k;
    double* rest = memory + work_doubles(a.dense, a.links);
    double* factor = rest + m * m;
    Spot next{factor + m * m, factor + m * m + m, rest, 0.0, 0.0, 0};
    double* scratch = next.gradient + m;  // [2 m]
    counts[0] = counts[1] = 0;
    double t = begun ? 1.0 : 0.0, slope = begun ? dot(m, at.gradient, d) : 0.0;
    double before = begun ? longest(m, at.gradient) : std::numeric_limits<double>::infinity();
    int tries = 0;
    for (size_t i = 0; i < m; ++i) next.w[i] = begun ? at.w[i] + d[i] : at.w[i];
    while (true) {
        look_at(a, q, theta, memory, whole, scratch, next);
        ++counts[1];
        if (t > 0.0) {  // along d: low enough?
            const double less = shorter(t, slope, at.value, next.value, before, longest(m, next.gradient), q.doubt);
            if (less != 0.0) {
                if (++tries == 60) return int64_t(negligible(q, at, d, scratch) ? End::optimum : End::stuck);
                t = less;
                for (size_t i = 0; i < m; ++i) next.w[i] = at.w[i] + t * d[i];
                continue;
            }
        }
        for (size_t i = 0; i < m; ++i) at.w[i] = next.w[i], at.gradient[i] = next.gradient[i];
        for (size_t i = 0; i < m * m; ++i) at.curvature[i] = next.curvature[i];
        at.value = next.value, at.loss = next.loss, at.wrong = next.wrong;
        double* line = trace + 3 * size_t(counts[0]++);
        line[0] = at.value, line[1] = longest(m, at.gradient), line[2] = t;
        if (counts[0] > q.most || size_t(counts[0]) == room) return int64_t(End::full);
        newton_step(m, at, factor, d);
        const int64_t end = end_at(q, at, d, scratch);
        if (end >= 0) return end;
        if (stalled(q, at, d, before, scratch)) return int64_t(End::optimum);
        before = line[1];
        t = 1.0, tries = 0, slope = dot(m, at.gradient, d);
        for (size_t i = 0; i < m; ++i) next.w[i] = at.w[i] + d[i];
    }
}

}  // namespace tally::linear
