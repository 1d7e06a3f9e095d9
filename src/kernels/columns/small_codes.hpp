// Small whole numbers of many columns as codes of 8 bits. A matrix by rows is read in the order in which it lies, eight columns of
// eight rows at a time, which are then turned. Which codes there are a word of 64 bits tells, a bit for each; only where
// codes are greater are the cells looked at again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/base/tiles.hpp"

namespace tally {

inline constexpr size_t eight = 8;

// Whether eight cells are coded together sooner than one after the other: short types must be made long first.
template <class Wide, class T>
inline constexpr bool widens = sizeof(T) == 8 || Wide::doubles == eight || std::is_same_v<T, uint8_t>;

// What was met in eight places: all bits of their codes, and a bit for each code below 64.
struct MetCodes {
    uint64_t all[eight] = {}, below[eight] = {};
};

// codes[i * 8 + k] = x[i * stride + k] - base[k] of n groups of eight cells.
template <class Wide, class T>
TALLY_INLINE void code_eights(size_t n, const T* x, ptrdiff_t stride, const int64_t* base, uint8_t* codes, MetCodes& met) {
    constexpr size_t at_once = Wide::doubles, parts = eight / at_once;
    using Bits = typename Vectors<at_once>::Bits;
    Bits low[parts], all[parts], below[parts];
    for (size_t p = 0; p < parts; ++p) {
        std::memcpy(&low[p], base + p * at_once, sizeof(Bits));
        std::memcpy(&all[p], met.all + p * at_once, sizeof(Bits));
        std::memcpy(&below[p], met.below + p * at_once, sizeof(Bits));
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t p = 0; p < parts; ++p) {
            typename VectorOf<T, at_once>::Cells cells;
            std::memcpy(&cells, x + static_cast<ptrdiff_t>(i) * stride + p * at_once, sizeof cells);
            const Bits code = reinterpret_cast<Bits>(TALLY_CONVERT(cells, typename Vectors<at_once>::Wholes)) - low[p];
            all[p] |= code;
            below[p] |= reinterpret_cast<Bits>(code < 64) & (Bits{} + 1) << (code & 63);
            const auto bytes = TALLY_CONVERT(code, typename VectorOf<uint8_t, at_once>::Cells);
            std::memcpy(codes + i * eight + p * at_once, &bytes, at_once);
        }
    }
    for (size_t p = 0; p < parts; ++p) {
        std::memcpy(met.all + p * at_once, &all[p], sizeof(Bits));
        std::memcpy(met.below + p * at_once, &below[p], sizeof(Bits));
    }
}

// codes[i * 8 + k] = x[i * stride + k] of eight rows of bytes, which are their own codes. all: their bits, eight for each k.
template <class T>
TALLY_INLINE void copy_eights(const T* x, ptrdiff_t stride, uint8_t* codes, uint64_t& all) {
    for (size_t i = 0; i < eight; ++i) {
        uint64_t row;
        std::memcpy(&row, x + static_cast<ptrdiff_t>(i) * stride, sizeof row);
        std::memcpy(codes + i * eight, &row, sizeof row);
        all |= row;
    }
}

// out[k * stride + i] = cells[i * 8 + k] of eight rows i.
TALLY_INLINE void turn_bytes(const uint8_t* cells, uint8_t* out, size_t stride) {
    using Bytes = VectorOf<uint8_t, 16>::Cells;
    using Pairs = VectorOf<uint16_t, 8>::Cells;
    using Fours = VectorOf<uint32_t, 4>::Cells;
    Pairs two[4];  // of two rows each, all eight columns
    for (size_t k = 0; k < 4; ++k) {
        Bytes x;
        std::memcpy(&x, cells + 16 * k, 16);
        two[k] = reinterpret_cast<Pairs>(TALLY_SHUFFLE(x, x, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    }
    Fours four[2][2];  // of four rows each: columns 0 to 3, and the others
    for (size_t k = 0; k < 2; ++k) {
        four[k][0] = reinterpret_cast<Fours>(TALLY_SHUFFLE(two[2 * k], two[2 * k + 1], 0, 8, 1, 9, 2, 10, 3, 11));
        four[k][1] = reinterpret_cast<Fours>(TALLY_SHUFFLE(two[2 * k], two[2 * k + 1], 4, 12, 5, 13, 6, 14, 7, 15));
    }
    for (size_t half = 0; half < 2; ++half) {
        const Fours ends[2] = {TALLY_SHUFFLE(four[0][half], four[1][half], 0, 4, 1, 5),
                               TALLY_SHUFFLE(four[0][half], four[1][half], 2, 6, 3, 7)};
        uint8_t turned[2 * sizeof(Fours)];
        std::memcpy(turned, ends, sizeof turned);
        for (size_t c = 0; c < 4; ++c) std::memcpy(out + (4 * half + c) * stride, turned + eight * c, eight);
    }
}

template <class T>
struct SmallCodes {
    static constexpr size_t tile = 256;  // rows
    size_t columns;
    const T* matrix;
    ptrdiff_t row_stride, column_stride;
    const int64_t* base;
    size_t all_rows;
    uint8_t *codes, *fits, *seen;

    const T* cells(size_t row, size_t j) const {
        return matrix + static_cast<ptrdiff_t>(row) * row_stride + static_cast<ptrdiff_t>(j) * column_stride;
    }
    void look_again(size_t begin, size_t n, size_t j) const {
        const uint8_t* const own = codes + j * all_rows + begin;
        for (size_t i = 0; i < n; ++i) seen[j * 256 + own[i]] = 1;
    }
    // The same of a tile of few codes, each compared with all cells.
    template <class Wide>
    TALLY_INLINE void look_among(size_t begin, size_t j, size_t few) const {
        constexpr size_t wide = Wide::doubles * sizeof(uint64_t);
        const uint8_t* const own = codes + j * all_rows + begin;
        for (size_t code = 0; code < few; ++code) {
            typename VectorOf<uint8_t, wide>::Cells some, met{};
            for (size_t i = 0; i < tile; i += wide) {
                std::memcpy(&some, own + i, wide);
                met |= reinterpret_cast<decltype(met)>(some == static_cast<uint8_t>(code));
            }
            uint64_t words[wide / sizeof(uint64_t)], any = 0;
            std::memcpy(words, &met, wide);
            for (uint64_t word : words) any |= word;
            if (any) seen[j * 256 + code] = 1;
        }
    }
    // Takes in what was met of a column in a tile. below: 0 where codes were not told apart.
    template <class Wide>
    TALLY_INLINE void note(size_t begin, size_t j, uint64_t all, uint64_t below) const {
        constexpr size_t few = 16;
        fits[j] = static_cast<uint8_t>(fits[j] & (all < 256));
        if (!below && all < few) return look_among<Wide>(begin, j, static_cast<size_t>(all) + 1);
        if (!below || all >= 64) return look_again(begin, tile, j);
        for (; below; below &= below - 1) seen[j * 256 + static_cast<size_t>(std::countr_zero(below))] = 1;
    }
    // -> all bits of the codes of some rows of a column.
    TALLY_INLINE uint64_t code_cells(size_t begin, size_t n, size_t j, ptrdiff_t stride) const {
        const T* const x = cells(begin, j);
        uint8_t* const out = codes + j * all_rows + begin;
        const uint64_t low = static_cast<uint64_t>(base[j]);
        uint64_t all = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t code = static_cast<uint64_t>(static_cast<int64_t>(x[static_cast<ptrdiff_t>(i) * stride])) - low;
            out[i] = static_cast<uint8_t>(code);
            all |= code;
        }
        return all;
    }
    void last_rows(size_t begin, size_t n, size_t j) const {
        fits[j] = static_cast<uint8_t>(fits[j] & (code_cells(begin, n, j, row_stride) < 256));
        look_again(begin, n, j);
    }
    // A tile of columns from `first` on, at least eight and at most `lanes`; the last eight may be met twice.
    template <class Wide>
    TALLY_INLINE void across(size_t begin, size_t first, size_t width) const {
        MetCodes met[lanes / eight];
        uint64_t all[lanes / eight] = {};
        const bool plain = std::is_same_v<T, uint8_t> && std::all_of(base, base + columns, [](int64_t b) { return b == 0; });
        const size_t groups = (width + eight - 1) / eight;
        const auto at = [=](size_t g) { return first + (g + 1 < groups ? g * eight : width - eight); };
        for (size_t row = begin; row < begin + tile; row += eight) {
            for (size_t g = 0; g < groups; ++g) {
                uint8_t room[eight * eight];
                if (plain) {
                    copy_eights(cells(row, at(g)), row_stride, room, all[g]);
                } else {
                    code_eights<Wide>(eight, cells(row, at(g)), row_stride, base + at(g), room, met[g]);
                }
                turn_bytes(room, codes + at(g) * all_rows + row, all_rows);
            }
        }
        for (size_t g = 0; g < groups; ++g) {
            for (size_t k = 0; k < eight; ++k) {
                const uint64_t byte = all[g] >> 8 * k & 255;
                note<Wide>(begin, at(g) + k, plain ? byte : met[g].all[k], met[g].below[k]);
            }
        }
    }
    // A tile of one column whose cells are neighbours.
    template <class Wide>
    TALLY_INLINE void along(size_t begin, size_t j) const {
        MetCodes met;
        int64_t low[eight];
        for (int64_t& one : low) one = base[j];
        code_eights<Wide>(tile / eight, cells(begin, j), eight, low, codes + j * all_rows + begin, met);
        uint64_t all = 0, below = 0;
        for (size_t k = 0; k < eight; ++k) all |= met.all[k], below |= met.below[k];
        note<Wide>(begin, j, all, below);
    }
    template <class Wide>
    TALLY_INLINE void whole_tile(size_t begin) const {
        size_t j = 0;
        if (widens<Wide, T> && column_stride == 1) {
            for (size_t width; j + eight <= columns; j += width) {
                width = columns - j < lanes ? columns - j : lanes;
                across<Wide>(begin, j, width);
            }
        } else if (sizeof(T) == 8 && row_stride == 1) {
            for (; j < columns; ++j) along<Wide>(begin, j);
        }
        for (; j < columns; ++j) {
            const uint64_t all = row_stride == 1 ? code_cells(begin, tile, j, 1) : code_cells(begin, tile, j, row_stride);
            note<Wide>(begin, j, all, 0);
        }
    }
};

// codes[column, row] = value - base[column] where that fits 8 bits; fits[column] is cleared where it does not, and
// seen[column, code] is set for every code there is.
template <class T>
void small_codes(size_t rows, const SmallCodes<T>& work) {
    constexpr size_t tile = SmallCodes<T>::tile;
    const size_t whole = rows / tile * tile;
    run_wide([whole, work](auto instructions) {
        for (size_t begin = 0; begin < whole; begin += tile) work.template whole_tile<decltype(instructions)>(begin);
    });
    for (size_t j = 0; j < work.columns; ++j) work.last_rows(whole, rows - whole, j);
}

}  // namespace tally
