// Exact sums and sums of squares of doubles, per class. Every double is a whole number times 2^-1074, and its square
// one times 2^-2148: so they are added as whole numbers, in digits of 32 bits, and no order can change a bit.
//
// sums[class, sum_digits] counts 2^-1074, squares[class, square_digits] counts 2^-2148; digit i is worth 2^(32 i).
// Digits are held in 64 bits and carried after each call: then all but the last lie in [0, 2^32), the last has the sign.
#pragma once

#include <bit>

#include "kernels/columns/ranks.hpp"

namespace tally {

inline constexpr size_t sum_digits = 68;              // 2^1024 times a total weight of 2^63, in units of 2^-1074
inline constexpr size_t square_digits = 134;          // 2^2048 times 2^63, in units of 2^-2148
inline constexpr size_t most_rows = size_t{1} << 28;  // between two carries

// digits += number * 2^position, number < 2^64.
inline void add_whole(int64_t* digits, size_t position, uint64_t number) {
    const uint128 moved = static_cast<uint128>(number) << (position & 31);
    int64_t* at = digits + (position >> 5);
    at[0] += static_cast<uint32_t>(moved);
    at[1] += static_cast<uint32_t>(moved >> 32);
    at[2] += static_cast<uint32_t>(moved >> 64);
}

// digits += number * 2^position, |number| < 2^116.
inline void add_wide(int64_t* digits, size_t position, int128 number) {
    const bool negative = number < 0;
    const uint128 size = negative ? -static_cast<uint128>(number) : number;
    int64_t* at = digits + (position >> 5);
    const unsigned shift = position & 31;
    const uint128 low = static_cast<uint128>(static_cast<uint64_t>(size)) << shift;
    const uint128 high = (size >> 64) << shift;
    const int64_t parts[5] = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                              static_cast<int64_t>(static_cast<uint32_t>(low >> 64)) + static_cast<uint32_t>(high),
                              static_cast<uint32_t>(high >> 32), static_cast<uint32_t>(high >> 64)};
    for (size_t i = 0; i < 5; ++i) at[i] += negative ? -parts[i] : parts[i];
}

struct Double {  // x = (negative ? -1 : 1) * whole * 2^(position - 1074)
    uint64_t whole;
    size_t position;
    bool negative;
};

inline Double take_apart(uint64_t bits) {
    const uint64_t exponent = bits >> 52 & 2047, fraction = bits & ((uint64_t{1} << 52) - 1);
    const bool normal = exponent != 0;
    return {fraction | static_cast<uint64_t>(normal) << 52, exponent - normal, bits >> 63 != 0};
}

struct MomentTables {
    int64_t* missing;  // [class]: weight of rows without a finite value
    int64_t* sums;     // [class, sum_digits]
    int64_t* squares;  // [class, square_digits]
};

// Adds one column without carrying: at most most_rows rows. The total weight stays below 2^63.
template <class Class>
void add_moments(size_t rows, Column column, const Class* classes, const int64_t* weights, size_t n_classes,
                 MomentTables to) {
    (void)n_classes;
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(classes[row] < n_classes);
        const uint64_t bits = std::bit_cast<uint64_t>(column[row]);
        const size_t c = classes[row];
        if ((bits >> 52 & 2047) == 2047) {
            to.missing[c] += weights ? weights[row] : 1;
            continue;
        }
        const Double x = take_apart(bits);
        int64_t* const sums = to.sums + c * sum_digits;
        int64_t* const squares = to.squares + c * square_digits;
        const uint128 square = static_cast<uint128>(x.whole) * x.whole;
        if (!weights) {
            const uint128 moved = static_cast<uint128>(x.whole) << (x.position & 31);
            const int64_t flip = -static_cast<int64_t>(x.negative);  // (d ^ flip) - flip is -d when negative
            int64_t* at = sums + (x.position >> 5);
            at[0] += (static_cast<int64_t>(static_cast<uint32_t>(moved)) ^ flip) - flip;
            at[1] += (static_cast<int64_t>(static_cast<uint32_t>(moved >> 32)) ^ flip) - flip;
            at[2] += (static_cast<int64_t>(moved >> 64) ^ flip) - flip;
            add_whole(squares, 2 * x.position, static_cast<uint64_t>(square));
            add_whole(squares, 2 * x.position + 64, static_cast<uint64_t>(square >> 64));
            continue;
        }
        const int128 w = weights[row];
        const int128 whole = static_cast<int128>(x.whole);
        add_wide(sums, x.position, x.negative ? -(w * whole) : w * whole);
        add_wide(squares, 2 * x.position, w * static_cast<int128>(square & ((uint64_t{1} << 53) - 1)));
        add_wide(squares, 2 * x.position + 53, w * static_cast<int128>(square >> 53));
    }
}

// Brings digits into their one canonical form.
inline void carry(size_t n, size_t digits, int64_t* table) {
    for (size_t i = 0; i < n; ++i, table += digits) {
        for (size_t d = 0; d + 1 < digits; ++d) {
            table[d + 1] += table[d] >> 32;
            table[d] &= 0xFFFFFFFF;
        }
    }
}

// The fast way for few classes: whole numbers are first added per exponent, in 128 bits, and moved to digits later.
struct Bucket {
    int128 sum;
    uint128 squares;  // of at most bucket_rows rows

    void add(int64_t whole, int64_t) {
        const uint64_t size = static_cast<uint64_t>(whole < 0 ? -whole : whole);
        sum += whole;
        squares += static_cast<uint128>(size) * size;
    }
    void move_to(int64_t* sums, int64_t* digits, size_t position) {
        add_wide(sums, position, sum);
        add_whole(digits, 2 * position, static_cast<uint64_t>(squares));
        add_whole(digits, 2 * position + 64, static_cast<uint64_t>(squares >> 64));
        *this = {};
    }
};

struct WeightedBucket {
    int128 sum, low, high;  // squares = low + high * 2^53; each below 2^53 times the total weight

    void add(int64_t whole, int64_t weight) {
        const uint64_t size = static_cast<uint64_t>(whole < 0 ? -whole : whole);
        const uint128 square = static_cast<uint128>(size) * size;
        sum += static_cast<int128>(whole) * weight;
        low += static_cast<int128>(static_cast<int64_t>(square & ((uint64_t{1} << 53) - 1))) * weight;
        high += static_cast<int128>(static_cast<int64_t>(square >> 53)) * weight;
    }
    void move_to(int64_t* sums, int64_t* digits, size_t position) {
        add_wide(sums, position, sum);
        add_wide(digits, 2 * position, low);
        add_wide(digits, 2 * position + 53, high);
        *this = {};
    }
};

inline constexpr size_t bucket_classes = 128;   // with more classes buckets would not stay in the cache
inline constexpr size_t bucket_columns = 16;    // columns walked together
inline constexpr size_t bucket_rows = 1 << 20;  // 2^20 squares below 2^106 fit 128 bits

inline size_t columns_together(size_t n_columns, size_t n_classes) {
    const size_t most = n_classes < 3 ? bucket_columns : n_classes < 32 ? 32 / n_classes : 1;
    return n_columns < most ? n_columns : most;
}

// Scratch in 8-byte words, all zero before and after a call; 0: the kernel goes without.
inline size_t bucket_words(size_t n_columns, size_t n_classes, bool weighted) {
    if (n_classes > bucket_classes) return 0;
    return columns_together(n_columns, n_classes) * n_classes * 2048 * (weighted ? 6 : 4);
}

struct Exponents {
    size_t low = 2047, high = 0;  // of the buckets touched
};

// buckets[class, exponent] += one column.
template <class B, class Class>
void fill_buckets(size_t rows, Column column, const Class* classes, const int64_t* weights, int64_t* missing, B* buckets,
                  Exponents& seen) {
    constexpr size_t ahead = 48;  // rows: a column of a matrix that lies by rows is in another line with every row
    size_t low = seen.low, high = seen.high;
    for (size_t row = 0; row < rows; ++row) {
        TALLY_PREFETCH(column.values + static_cast<ptrdiff_t>(row + ahead) * column.stride);
        const uint64_t bits = std::bit_cast<uint64_t>(column[row]);
        const size_t c = classes[row], exponent = bits >> 52 & 2047;
        const int64_t weight = weights ? weights[row] : 1;
        if (exponent == 2047) {
            missing[c] += weight;
            continue;
        }
        low = exponent < low ? exponent : low;
        high = exponent > high ? exponent : high;
        const int64_t whole = static_cast<int64_t>(take_apart(bits).whole), flip = -static_cast<int64_t>(bits >> 63);
        buckets[c * 2048 + exponent].add((whole ^ flip) - flip, weight);  // -whole when negative
    }
    seen = {low, high};
}

// Moves buckets into digits and leaves zeros.
template <class B>
void empty_buckets(size_t n_classes, Exponents seen, B* buckets, MomentTables to) {
    for (size_t c = 0; c < n_classes; ++c) {
        for (size_t exponent = seen.low; exponent <= seen.high; ++exponent) {
            buckets[c * 2048 + exponent].move_to(to.sums + c * sum_digits, to.squares + c * square_digits,
                                                 exponent - (exponent != 0));
        }
    }
}

struct Matrix {  // columns of doubles side by side, any strides
    size_t rows, columns;
    const double* values;
    ptrdiff_t row_stride, column_stride;
    Column part(size_t row, size_t column) const {
        return {values + static_cast<ptrdiff_t>(row) * row_stride + static_cast<ptrdiff_t>(column) * column_stride,
                row_stride};
    }
};

inline MomentTables tables_of(MomentTables to, size_t column, size_t n_classes) {
    const size_t first = column * n_classes;
    return {to.missing + first, to.sums + first * sum_digits, to.squares + first * square_digits};
}

template <class B, class Class>
void add_by_buckets(const Matrix& matrix, const Class* classes, const int64_t* weights, size_t n_classes, B* buckets,
                    MomentTables to) {
    constexpr size_t tile = 2048;  // rows of 16 columns that stay in the second-level cache
    const size_t together = columns_together(matrix.columns, n_classes);
    for (size_t first = 0; first < matrix.columns; first += together) {
        const size_t n = matrix.columns - first < together ? matrix.columns - first : together;
        for (size_t start = 0; start < matrix.rows; start += bucket_rows) {
            const size_t stop = matrix.rows - start < bucket_rows ? matrix.rows : start + bucket_rows;
            Exponents seen[bucket_columns];
            for (size_t begin = start; begin < stop; begin += tile) {
                const size_t rows = stop - begin < tile ? stop - begin : tile;
                for (size_t j = 0; j < n; ++j) {
                    fill_buckets(rows, matrix.part(begin, first + j), classes + begin, weights ? weights + begin : nullptr,
                                 tables_of(to, first + j, n_classes).missing, buckets + j * n_classes * 2048, seen[j]);
                }
            }
            for (size_t j = 0; j < n; ++j) {
                empty_buckets(n_classes, seen[j], buckets + j * n_classes * 2048, tables_of(to, first + j, n_classes));
            }
        }
    }
}

// tables[column, class] += the columns of a matrix; digits end carried. scratch: bucket_words, zero, 16-byte aligned.
template <class Class>
void add_matrix_moments(const Matrix& matrix, const Class* classes, const int64_t* weights, size_t n_classes,
                        uint64_t* scratch, MomentTables to) {
    TALLY_REQUIRE(matrix.rows <= most_rows);
    if (bucket_words(matrix.columns, n_classes, weights != nullptr) == 0) {
        for (size_t j = 0; j < matrix.columns; ++j) {
            add_moments(matrix.rows, matrix.part(0, j), classes, weights, n_classes, tables_of(to, j, n_classes));
        }
    } else if (weights) {
        add_by_buckets(matrix, classes, weights, n_classes, reinterpret_cast<WeightedBucket*>(scratch), to);
    } else {
        add_by_buckets(matrix, classes, weights, n_classes, reinterpret_cast<Bucket*>(scratch), to);
    }
    carry(matrix.columns * n_classes, sum_digits, to.sums);
    carry(matrix.columns * n_classes, square_digits, to.squares);
}

}  // namespace tally
