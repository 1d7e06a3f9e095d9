// A whole small fit over one block: columns of numbers without missing cells, two classes, every row once, a constant and a
// prior of one strength. The columns are summed, scaled and fitted in one call, where `linear/learner.py` takes the same
// steps question by question. Law: the scales and weights are those that the questions lead to, bit for bit.
#pragma once

#include <cmath>

#include "kernels/base/math.hpp"
#include "kernels/linear/newton.hpp"

namespace tally::linear {

struct WholeFit {
    const double* bounds;   // [dense, 2]: the least and the highest value of each column
    double strength, held;  // of the prior, and what it is at most
    bool standardize;       // whether it holds the weights of scaled columns
};

inline size_t whole_fit_doubles(size_t dense) {
    const size_t p = 1 + dense;
    return newton_doubles(dense, 1, p) + p * p + 9 * p;
}

// Scratch of a fit beside that of Newton's method, each for 1 + dense numbers.
struct Room {
    double *gradient, *d, *theta, *power, *l2, *factor, *middle, *half, *curvature;

    Room(double* memory, size_t p) {
        double** const all[] = {&gradient, &d, &theta, &power, &l2, &factor, &middle, &half, &curvature};
        for (double** const one : all) *one = memory, memory += p;
    }
};

// Sums of the columns, brought to -1..1, and of their products, in whole numbers: squares[p, p].
inline void sum_columns(Ask a, const double* bounds, const Room& room, double* memory, int64_t* whole) {
    const size_t p = 1 + a.dense;
    for (size_t j = 0; j < a.dense; ++j) {
        const double low = bounds[2 * j], high = bounds[2 * j + 1], half = high / 2 - low / 2;
        room.middle[j] = low / 2 + high / 2;
        room.half[j] = half == 0 ? 1.0 : half > 1e-300 ? half : 1e-300;  // a constant column has no range
        room.factor[j] = 1.0 / room.half[j];
    }
    for (size_t i = 0; i < p; ++i) room.theta[i] = 0.0;
    std::memset(whole, 0, newton_whole(p, 1) * sizeof(int64_t));
    a.centre = room.middle, a.factor = room.factor, a.theta = room.theta, a.curvature = Curvature::gram;
    sums(a, memory, Totals{whole, whole + 3, whole + 3 + p});
}

// z = (x - centre) / scale; power bounds |z|: from the sums of the columns.
inline void scale_columns(size_t dense, const int64_t* squares, double unit, const Room& room, double* centre,
                          double* scale) {
    const size_t p = 1 + dense;
    const double rows = double(squares[0]) * unit, n = rows > 1e-300 ? rows : 1e-300;
    room.power[0] = 1.0;
    for (size_t j = 0; j < dense; ++j) {
        const double mean = double(squares[(1 + j) * p]) * unit / n;
        const double rest = double(squares[(1 + j) * p + 1 + j]) * unit / n - mean * mean;
        double spread = square_root(rest > 0.0 ? rest : 0.0);
        spread = spread == 0.0 ? 1.0 : spread;
        centre[j] = room.middle[j] + room.half[j] * mean;
        scale[j] = room.half[j] * spread;
        int bits = 0;
        (void)std::frexp((1.0 + (mean < 0 ? -mean : mean)) / spread, &bits);
        room.power[1 + j] = std::ldexp(1.0, bits);
    }
}

// l2 = the prior of each weight, and w = weights of 0 with the constant of the class shares. False: there is one class.
inline bool begin(const Ask& a, const WholeFit& fit, const double* scale, double* l2, double* w) {
    double ones = 0.0;
    for (size_t i = 0; i < a.rows; ++i) ones += double(code_at(a.classes, a.class_bytes, i));
    const double all = double(a.rows), zeros = all - ones;
    if (ones == 0.0 || zeros == 0.0) return false;
    w[0] = log_of(ones / all) - log_of(zeros / all), l2[0] = 0.0;
    for (size_t j = 0; j < a.dense; ++j) {
        const double each = fit.standardize ? 1.0 : 1.0 / scale[j], prior = fit.strength * each * each;
        w[1 + j] = 0.0, l2[1 + j] = prior < fit.held ? prior : fit.held;
    }
    return true;
}

// centre[dense], scale[dense] and w[1 + dense], the weights of scaled columns. q has what does not depend on the columns.
// memory[whole_fit_doubles], whole[newton_whole], trace[lines, 3]. Returns the End.
inline int64_t whole_fit(Ask a, const WholeFit& fit, Descent q, double* memory, int64_t* whole, double* centre,
                         double* scale, double* w, size_t lines, double* trace) {
    const size_t p = 1 + a.dense;
    const Room room(memory + newton_doubles(a.dense, 1, p), p);
    sum_columns(a, fit.bounds, room, memory, whole);
    scale_columns(a.dense, whole + 3 + p, q.unit, room, centre, scale);
    if (!begin(a, fit, scale, room.l2, w)) return int64_t(End::stuck);
    for (size_t j = 0; j < a.dense; ++j) room.factor[j] = 1.0 / scale[j] / room.power[1 + j];
    a.centre = centre, a.factor = room.factor, a.theta = room.theta, a.curvature = Curvature::pairs;
    q.power = room.power, q.l2 = room.l2;
    Spot spot{w, room.gradient, room.curvature, 0.0, 0.0, 0};
    int64_t counts[2];
    return newton(a, q, false, room.theta, memory, whole, spot, room.d, lines, trace, counts);
}

}  // namespace tally::linear
