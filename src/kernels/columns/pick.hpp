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

struct Picked {  // rows and their values, n so far
    size_t n = 0;
    int64_t* rows;
    double* values;
};

// there[row], bit j: whether the value of column j has a hash of at most limits[j], or there is none.
inline void mark_tile(size_t n, size_t wide, const double* cells, ptrdiff_t stride, const uint64_t* limits,
                      uint64_t* there) {
    for (size_t i = 0; i < n; ++i) {
        const double* const x = cells + static_cast<ptrdiff_t>(i) * stride;
        uint8_t own[lanes];
        for (size_t j = 0; j < wide; ++j) own[j] = (value_hash(x[j]) <= limits[j]) | (x[j] != x[j]);
        there[i] = 0;
        for (size_t j = 0; j < wide; j += 8) {
            uint64_t some;
            std::memcpy(&some, own + j, 8);
            there[i] |= some * 0x0102040810204080 >> 56 << j;  // eight bytes of 0 or 1 to as many bits
        }
    }
}

#if TALLY_X86
// The same by hand: compilers make bytes of what these instructions give as bits.
TALLY_COMPILED_FOR("avx512f,avx512dq,avx512bw,avx512vl")
inline void mark_tile_avx512(size_t n, size_t wide, const double* cells, ptrdiff_t stride, const uint64_t* limits,
                             uint64_t* there) {
    const __m512i one = _mm512_set1_epi64(static_cast<int64_t>(mix_factors[0]));
    const __m512i two = _mm512_set1_epi64(static_cast<int64_t>(mix_factors[1]));
    for (size_t i = 0; i < n; ++i, cells += stride) {
        uint64_t own = 0;
        for (size_t j = 0; j < wide; j += 8) {
            const __m512d x = _mm512_loadu_pd(cells + j);
            __m512i hash = _mm512_castpd_si512(_mm512_add_pd(x, _mm512_setzero_pd()));
            hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32)), one);
            hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 29)), two);
            hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
            const unsigned within = _mm512_cmple_epu64_mask(hash, _mm512_loadu_si512(limits + j));
            own |= static_cast<uint64_t>(within | _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)) << j;
        }
        there[i] = own;
    }
}
#endif

// Adds the rows whose values have hashes of at most limits[column], and those without a value, to picked[column]; the
// first row is number `start`.
inline void pick_values(const Columns& columns, const uint64_t* limits, size_t start, Picked* picked) {
    alignas(64) double room[tile_rows * lanes];
    uint64_t most[lanes] = {};
    std::copy_n(limits, columns.width, most);
    const size_t wide = padded(columns.width);
    const uint64_t real = columns.width == 64 ? ~uint64_t{0} : (uint64_t{1} << columns.width) - 1;
    each_tile(columns, room, [&](size_t begin, size_t n, const double* cells, ptrdiff_t stride) {
        uint64_t there[tile_rows];
#if TALLY_X86
        if (level >= Level::avx512)
            mark_tile_avx512(n, wide, cells, stride, most, there);
        else
#endif
            run_fast([=, limit = static_cast<const uint64_t*>(most), to = static_cast<uint64_t*>(there)] {
                mark_tile(n, wide, cells, stride, limit, to);
            });
        for (size_t i = 0; i < n; ++i) {
            for (uint64_t some = there[i] & real; some; some &= some - 1) {
                const size_t j = static_cast<size_t>(std::countr_zero(some));
                Picked& to = picked[j];
                to.rows[to.n] = static_cast<int64_t>(start + begin + i);
                to.values[to.n++] = cells[static_cast<ptrdiff_t>(i) * stride + static_cast<ptrdiff_t>(j)];
            }
        }
    });
}

}  // namespace tally
