// What every kernel shares: checked access under -DTALLY_CHECK, nothing in release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "kernels/base/portable.hpp"

#ifdef TALLY_CHECK
#define TALLY_REQUIRE(condition)                                                           \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: violated: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                  \
        }                                                                                  \
    } while (0)
#else
#define TALLY_REQUIRE(condition) ((void)0)
#endif

namespace tally {
using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#if TALLY_X86
template <class Loop>
TALLY_COMPILED_FOR("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
auto run_avx512(Loop loop) {
    return loop();
}
template <class Loop>
TALLY_COMPILED_FOR("avx2,fma")
auto run_avx2(Loop loop) {
    return loop();
}
#endif

// Runs a hot loop, compiled for the widest instructions that the processor has. Without contraction all forms give the
// same bits. Capture by value ([=]), so that the loop's own variables cannot be thought to change with what it writes.
template <class Loop>
inline auto run_fast(Loop loop) {
#if TALLY_X86
    if (level >= Level::avx512) return run_avx512(loop);
    if (level == Level::avx2) return run_avx2(loop);
#endif
    return loop();
}

// What a loop may use: vectors of so many doubles, and a fused multiply-add where that is quick.
template <size_t n, bool f>
struct Instructions {
    static constexpr size_t doubles = n;
    static constexpr bool fused = f;
};

// As run_fast, for loops written for vectors; loop(instructions) must find the same numbers with all.
template <class Loop>
inline auto run_wide(Loop loop) {
#if TALLY_X86
    if (level >= Level::avx512) return run_avx512([loop] { return loop(Instructions<8, true>{}); });
    if (level == Level::avx2) return run_avx2([loop] { return loop(Instructions<4, true>{}); });
#endif
    return loop(Instructions<2, false>{});
}
}  // namespace tally
