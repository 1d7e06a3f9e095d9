// Curvature of the logistic loss over one block: sums of (weight * y_j) * y_k over rows, in fixed point.
// The weight of a pair of classes a > b is p_a p_b; what a class has with itself is the sum of its pairs, so it is left
// to the caller, or asked for without pairs (`own`). Two classes: the one weight p (1 - p). Only the lower triangle of a pair's square is filled.
#pragma once

#include "kernels/linear/code_pairs.hpp"
#include "kernels/linear/sums.hpp"

namespace tally::linear {

// The sums of the lanes of four vectors: whole numbers that wrap, so in any order.
TALLY_INLINE void four_sums(const Vectors<8>::Bits* t, uint64_t* out) {
    FourBits half[4];
    for (size_t x = 0; x < 4; ++x) half[x] = TALLY_SHUFFLE(t[x], t[x], 0, 1, 2, 3) + TALLY_SHUFFLE(t[x], t[x], 4, 5, 6, 7);
    const FourBits a = TALLY_SHUFFLE(half[0], half[1], 0, 4, 2, 6) + TALLY_SHUFFLE(half[0], half[1], 1, 5, 3, 7);
    const FourBits b = TALLY_SHUFFLE(half[2], half[3], 0, 4, 2, 6) + TALLY_SHUFFLE(half[2], half[3], 1, 5, 3, 7);
    *reinterpret_cast<FourBits*>(out) = TALLY_SHUFFLE(a, b, 0, 1, 4, 5) + TALLY_SHUFFLE(a, b, 2, 3, 6, 7);
}

// side[j] . y[k] for so many columns j and as many columns k at a time, so that each load is used as often: as many as there
// are registers for. Wide: vectors of so many rows; out[j, k].
template <class Wide>
struct SquareOfDots {
    static constexpr size_t wide = Wide::doubles, columns = wide == 8 ? 4 : 2;
    using Numbers = typename Vectors<wide>::Doubles;
    using Bits = typename Vectors<wide>::Bits;

    static TALLY_INLINE void sum(const double* const* u, const double* const* v, size_t rows, double magic, uint64_t* out) {
        Bits total[columns * columns] = {};
        const Numbers m = magic - Numbers{};
        for (size_t i = 0; i < rows; i += wide) {
            Numbers b[columns];
            for (size_t k = 0; k < columns; ++k) b[k] = *reinterpret_cast<const Numbers*>(v[k] + i);
            for (size_t j = 0; j < columns; ++j) {
                const Numbers a = *reinterpret_cast<const Numbers*>(u[j] + i);
                for (size_t k = 0; k < columns; ++k) total[j * columns + k] += reinterpret_cast<Bits>(Numbers(a * b[k] + m));
            }
        }
        if constexpr (wide == 8) {
            for (size_t x = 0; x < columns * columns; x += 4) four_sums(total + x, out + x);
        } else {
            for (size_t x = 0; x < columns * columns; ++x) {
                out[x] = 0;
                for (size_t lane = 0; lane < wide; ++lane) out[x] += total[x][lane];
            }
        }
    }
};

// The same for all columns, where every row counts once; beyond the n rows there are zeros. Not inlined with what is done row
// by row: all vector registers are for these loops.
inline void each_by_each(const double* side, const double* y, size_t columns, size_t n, size_t p, double magic,
                         int64_t* square) {
    run_wide([=](auto instructions) {
        using Dots = SquareOfDots<decltype(instructions)>;
        constexpr size_t each = Dots::columns;
        const size_t rows = (n + Dots::wide - 1) / Dots::wide * Dots::wide;
        const uint64_t nothing = rows * std::bit_cast<uint64_t>(magic);
        for (size_t j = 0; j < columns; j += each) {
            const double *u[each], *v[each];
            for (size_t x = 0; x < each; ++x) u[x] = side + (j + x < columns ? j + x : columns - 1) * kRows;
            for (size_t k = 0; k <= j; k += each) {
                for (size_t x = 0; x < each; ++x) v[x] = y + (k + x < columns ? k + x : columns - 1) * kRows;
                uint64_t out[each * each];
                Dots::sum(u, v, rows, magic, out);
                for (size_t a = 0; a < each && j + a < columns; ++a)
                    for (size_t b = 0; b < each && k + b <= j + a; ++b)
                        square[(j + a) * p + k + b] += int64_t(out[a * each + b] - nothing);
            }
        }
    });
}

TALLY_INLINE void dense_by_dense(const Ask& a, const Work& w, const int64_t* copies, size_t n, double magic,
                                 int64_t* square) {
    const size_t p = 1 + a.dense + a.cells, columns = 1 + a.dense;
    if (!copies) return each_by_each(w.side, w.y, columns, n, p, magic, square);
    for (size_t j = 0; j < columns; ++j)
        for (size_t k = 0; k <= j; ++k)
            square[j * p + k] += fixed_dot(w.side + j * kRows, w.y + k * kRows, copies, n, magic);
}

// Rows of the square that belong to cells: a code meets every dense column now, and the constant and other codes by `meeting`.
TALLY_INLINE void cells_by_all(const Ask& a, const Work& w, size_t first, size_t n, double magic, size_t pair,
                               Meeting& meeting, int64_t* square) {
    const size_t p = 1 + a.dense + a.cells, base = 1 + a.dense;
    const int64_t* copies = a.weights ? a.weights + first : nullptr;
    const int64_t zero = std::bit_cast<int64_t>(magic);
    for (size_t j = 0; j <= a.dense; ++j)  // in place: side becomes whole numbers
        for (size_t i = 0; i < n; ++i) {
            const int64_t whole = std::bit_cast<int64_t>(w.side[j * kRows + i] + magic) - zero;
            w.side[j * kRows + i] = std::bit_cast<double>(whole * (copies ? copies[i] : 1));
        }
    meeting.wait(a, pair, first, n, w.side, square);
    if (a.dense == 0) return;
    for (size_t c = 0; c < a.coded; ++c) {
        const void* codes = reinterpret_cast<const void*>(a.codes[c]);
        for (size_t i = 0; i < n; ++i) {
            const size_t cell = static_cast<size_t>(a.starts[c] + code_at(codes, a.code_bytes[c], first + i));
            int64_t* row = square + (base + cell) * p;
            for (size_t j = 1; j <= a.dense; ++j) row[j] += std::bit_cast<int64_t>(w.side[j * kRows + i]);
        }
    }
}

TALLY_INLINE void one_pair(const Ask& a, const Work& w, size_t first, size_t n, double magic, size_t pair, Meeting& meeting,
                           int64_t* squares) {
    const size_t p = 1 + a.dense + a.cells;
    int64_t* square = squares + pair * p * p;
    const double* weight = w.row + 2 * kRows;
    for (size_t j = 0; j <= a.dense; ++j)
        for (size_t i = 0; i < kRows; ++i) w.side[j * kRows + i] = w.y[j * kRows + i] * weight[i];
    dense_by_dense(a, w, a.weights ? a.weights + first : nullptr, n, magic, square);
    if (a.coded) cells_by_all(a, w, first, n, magic, pair, meeting, square);
}

TALLY_INLINE void sum_curvature(const Ask& a, const Work& w, size_t first, size_t n, double magic, Meeting& meeting,
                                int64_t* squares) {
    const double* factor = w.row + kRows;
    double* weight = w.row + 2 * kRows;
    if (a.curvature == Curvature::gram) {
        for (size_t i = 0; i < kRows; ++i) weight[i] = factor[i];
        one_pair(a, w, first, n, magic, 0, meeting, squares);
    } else if (a.links == 1 || a.curvature == Curvature::own) {
        for (size_t l = 0; l < a.links; ++l) {
            const double* s = w.share + l * kRows;
            for (size_t i = 0; i < kRows; ++i) weight[i] = (s[i] * (1.0 - s[i])) * factor[i];
            one_pair(a, w, first, n, magic, l, meeting, squares);
        }
    } else {
        for (size_t l = 1; l < a.links; ++l)
            for (size_t m = 0; m < l; ++m) {
                const double* s = w.share + l * kRows;
                const double* t = w.share + m * kRows;
                for (size_t i = 0; i < kRows; ++i) weight[i] = (s[i] * t[i]) * factor[i];
                one_pair(a, w, first, n, magic, l * (l - 1) / 2 + m, meeting, squares);
            }
    }
}

// squares[0, p] += sum of factor * y_p, squares[1, p] += sum of factor * y_p^2: what standardising and first steps need.
TALLY_INLINE void sum_diagonal(const Ask& a, const Work& w, size_t first, size_t n, double magic, int64_t* squares) {
    const size_t p = 1 + a.dense + a.cells;
    const int64_t* copies = a.weights ? a.weights + first : nullptr;
    const double* factor = w.row + kRows;
    for (size_t j = 0; j <= a.dense; ++j) {
        squares[j] += fixed_dot(w.y + j * kRows, factor, copies, n, magic);
        for (size_t i = 0; i < kRows; ++i) w.side[i] = w.y[j * kRows + i] * factor[i];
        squares[p + j] += fixed_dot(w.y + j * kRows, w.side, copies, n, magic);
    }
    const int64_t zero = std::bit_cast<int64_t>(magic);
    for (size_t c = 0; c < a.coded; ++c) {
        const void* codes = reinterpret_cast<const void*>(a.codes[c]);
        int64_t* to = squares + 1 + a.dense + a.starts[c];
        for (size_t i = 0; i < n; ++i) {
            const int64_t whole = (std::bit_cast<int64_t>(factor[i] + magic) - zero) * (copies ? copies[i] : 1);
            to[code_at(codes, a.code_bytes[c], first + i)] += whole;
            to[p + static_cast<size_t>(code_at(codes, a.code_bytes[c], first + i))] += whole;
        }
    }
}

// 1.5 * 2^(52 - bits): adding it leaves a term's whole multiples of 2^-bits in the low bits.
TALLY_INLINE double magic_of(int64_t bits) { return std::bit_cast<double>(0x4338000000000000ULL - (uint64_t(bits) << 52)); }

// Sums that no weight takes part in: loss and gradient are not asked for.
TALLY_INLINE bool of_columns_alone(const Ask& a) {
    return a.curvature == Curvature::gram || a.curvature == Curvature::diagonal;
}

// How many squares a curvature has.
TALLY_INLINE size_t squares_of(const Ask& a) {
    if (a.curvature == Curvature::gram || a.links == 1) return 1;
    return a.curvature == Curvature::own ? a.links : a.links * (a.links - 1) / 2;
}

// Everything about a block without words.
inline void sums(const Ask& ask, double* memory, const Totals& totals) {
    run_fast([a = ask, memory, out = totals] {
        const Work w = lay_out(memory, a.dense, a.links);
        TwoCodes two(a);
        const double magic = magic_of(a.bits);
        const bool square = a.curvature != Curvature::none && a.curvature != Curvature::diagonal;
        Meeting meeting(a, square ? squares_of(a) : 0);
        for (size_t first = 0; first < a.rows; first += kRows) {
            const size_t n = a.rows - first < kRows ? a.rows - first : kRows;
            load_columns(a, first, n, w.y);
            if (of_columns_alone(a)) {
                row_factors(a, first, n, w.row + kRows);
            } else {
                add_dense(a, w.y, w.eta);
                two.load(a, first, n);
                add_coded(a, two, first, n, w.eta);
                finish_rows(a, two, w, first, n, magic, out);
            }
            if (a.curvature == Curvature::diagonal) {
                sum_diagonal(a, w, first, n, magic, out.curvature);
            } else if (square) {
                sum_curvature(a, w, first, n, magic, meeting, out.curvature);
                meeting.add(a, first + n, out.curvature);
            }
        }
    });
}

}  // namespace tally::linear
