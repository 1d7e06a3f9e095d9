// Samples of values that no order of the rows can change: those whose hashes are least.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/tiles.hpp"
#include "kernels/columns/hash.hpp"
#if TALLY_X86
#include <immintrin.h>
#endif

namespace tally {

// A hash of a value alone; -0.0 is 0.0.
inline uint64_t value_hash(double x) { return mix(std::bit_cast<uint64_t>(x + 0.0)); }

struct Picked {  // rows and their values, n so far; where there is no room for more, the rest is left out
    size_t n = 0, room;
    int64_t* rows;
    double* values;
};

// found[]: row * lanes + column of the values that have a hash of at most limits[column], and of those that are missing;
// real: bits of the columns that there are. -> how many
inline size_t mark_tile(size_t n, size_t wide, const double* cells, ptrdiff_t stride, const uint64_t* limits, uint64_t real,
                        uint32_t* found) {
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        const double* const x = cells + static_cast<ptrdiff_t>(i) * stride;
        uint8_t own[lanes];
        for (size_t j = 0; j < wide; ++j) own[j] = (value_hash(x[j]) <= limits[j]) | (x[j] != x[j]);
        uint64_t there = 0;
        for (size_t j = 0; j < wide; j += 8) {
            uint64_t some;
            std::memcpy(&some, own + j, 8);
            there |= some * 0x0102040810204080 >> 56 << j;  // eight bytes of 0 or 1 to as many bits
        }
        for (there &= real; there; there &= there - 1)
            found[count++] = static_cast<uint32_t>(i * lanes + static_cast<size_t>(std::countr_zero(there)));
    }
    return count;
}

#if TALLY_X86
// The same by hand: compilers make bytes of what these instructions give as bits, and a loop over bits is left at another
// turn in every row, which no processor foresees. found[] has room for eight more.
TALLY_COMPILED_FOR("avx512f,avx512dq,avx512bw,avx512vl,popcnt")
inline size_t mark_tile_avx512(size_t n, size_t wide, const double* cells, ptrdiff_t stride, const uint64_t* limits,
                               uint64_t real, uint32_t* found) {
    const __mmask8 all = 0xFF;  // with it GCC 12 need not take a register as it finds it, of which it would warn
    const __m512i one = _mm512_set1_epi64(static_cast<int64_t>(mix_factors[0]));
    const __m512i two = _mm512_set1_epi64(static_cast<int64_t>(mix_factors[1]));
    const __m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t count = 0;
    for (size_t i = 0; i < n; ++i, cells += stride) {
        for (size_t j = 0; j < wide; j += 8) {
            const __m512d x = _mm512_loadu_pd(cells + j);
            __m512i hash = _mm512_castpd_si512(_mm512_add_pd(x, _mm512_setzero_pd()));
            hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_maskz_srli_epi64(all, hash, 32)), one);
            hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_maskz_srli_epi64(all, hash, 29)), two);
            hash = _mm512_xor_si512(hash, _mm512_maskz_srli_epi64(all, hash, 32));
            const unsigned within = _mm512_cmple_epu64_mask(hash, _mm512_loadu_si512(limits + j));
            const unsigned there =
                (within | _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)) & static_cast<unsigned>(real >> j & 0xFF);
            const __m256i names = _mm256_add_epi32(first, _mm256_set1_epi32(static_cast<int>(i * lanes + j)));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(found + count),
                                _mm256_maskz_compress_epi32(static_cast<__mmask8>(there), names));
            count += static_cast<size_t>(std::popcount(there));
        }
    }
    return count;
}
#endif

// Adds those rows whose values have hashes of at most limits[column], and those without a value, to picked[column]; the
// first row of the columns is number `start`.
inline void pick_values(const Columns& columns, Span rows, const uint64_t* limits, size_t start, Picked* picked) {
    alignas(64) double room[tile_rows * lanes];
    uint64_t most[lanes] = {};
    std::copy_n(limits, columns.width, most);
    const size_t wide = padded(columns.width);
    const uint64_t real = columns.width == 64 ? ~uint64_t{0} : (uint64_t{1} << columns.width) - 1;
    each_tile(columns, rows, room, [&](size_t begin, size_t n, const double* cells, ptrdiff_t stride) {
        uint32_t found[tile_rows * lanes + 8];
        size_t count;
#if TALLY_X86
        if (level >= Level::avx512)
            count = mark_tile_avx512(n, wide, cells, stride, most, real, found);
        else
#endif
            count = run_fast([=, limit = static_cast<const uint64_t*>(most), to = static_cast<uint32_t*>(found)] {
                return mark_tile(n, wide, cells, stride, limit, real, to);
            });
        for (size_t k = 0; k < count; ++k) {
            const size_t i = found[k] / lanes, j = found[k] % lanes;
            Picked& to = picked[j];
            if (to.n == to.room) continue;
            to.rows[to.n] = static_cast<int64_t>(start + begin + i);
            to.values[to.n++] = cells[static_cast<ptrdiff_t>(i) * stride + static_cast<ptrdiff_t>(j)];
        }
    });
}

}  // namespace tally
