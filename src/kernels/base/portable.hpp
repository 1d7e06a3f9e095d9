// All that is not standard C++20, in one place: integers of 128 bits, vectors, hints, and which instructions there are.
//
// GCC and Clang have what is asked for here, on every system; on Windows that is clang-cl, which comes with Visual
// Studio. Microsoft's own compiler has neither integers of 128 bits nor vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if !defined(__GNUC__) && !defined(__clang__)
#error "The kernels need GCC or Clang. On Windows use clang-cl: cmake -T ClangCL."
#endif

#if defined(__x86_64__) && !defined(TALLY_CHECK)
#define TALLY_X86 1
#include <cpuid.h>
#else
#define TALLY_X86 0
#endif

// Inlined whatever happens: how vectors are handed over depends on the processor that code is compiled for.
#define TALLY_INLINE inline __attribute__((always_inline))
#define TALLY_INLINED_HERE __attribute__((always_inline))  // for lambdas
#define TALLY_VECTOR(bytes) __attribute__((vector_size(bytes)))
// For a typedef: in `using` Clang leaves the alignment out, and loads as if every vector lay at a multiple of its size.
#define TALLY_VECTOR_ANYWHERE(bytes, each) __attribute__((vector_size(bytes), aligned(each), may_alias))
#define TALLY_ANYWHERE __attribute__((aligned(1), may_alias))  // the same of a number
#define TALLY_SHUFFLE __builtin_shufflevector
#define TALLY_CONVERT __builtin_convertvector
#if defined(__clang__)
#define TALLY_UNROLL _Pragma("clang loop unroll_count(4)")  // for the loop that follows
#else
#define TALLY_UNROLL _Pragma("GCC unroll 4")
#endif
#define TALLY_PREFETCH(address) __builtin_prefetch(address)
#define TALLY_PREFETCH_NEAR(address) __builtin_prefetch(address, 0, 2)  // not into the nearest cache: there is no room
#define TALLY_PREFETCH_TO_WRITE(address) __builtin_prefetch(address, 1)
#define TALLY_COMPILED_FOR(instructions) __attribute__((target(instructions), flatten, noinline))

namespace tally {
using int128 = __int128;
using uint128 = unsigned __int128;

inline double square_root(double x) { return __builtin_sqrt(x); }
inline double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }  // a * b + c, rounded once
inline std::uint64_t bytes_turned(std::uint64_t x) { return __builtin_bswap64(x); }

// Instructions for which the hot loops are compiled: what every processor of the build has (on x86 x86-64-v2), AVX2
// with FMA, AVX-512, and with it products of whole numbers of 52 bits.
enum class Level : int { baseline = 0, avx2 = 1, avx512 = 2, ifma = 3 };

inline Level level_of_processor() {
#if TALLY_X86
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return Level::baseline;
    constexpr unsigned fma = 1u << 12, saves = 1u << 27, avx = 1u << 28;
    if ((c & (fma | saves | avx)) != (fma | saves | avx)) return Level::baseline;
    unsigned kept = 0, high = 0;  // the registers that the system keeps
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    if ((kept & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return Level::baseline;
    constexpr unsigned avx2 = 1u << 5, foundation = 1u << 16, quads = 1u << 17, products = 1u << 21, bytes = 1u << 30,
                       lengths = 1u << 31;
    if (!(b & avx2)) return Level::baseline;
    constexpr unsigned all = foundation | quads | bytes | lengths;
    if ((b & all) != all || (kept & 0xe6) != 0xe6) return Level::avx2;
    return b & products ? Level::ifma : Level::avx512;
#else
    return Level::baseline;
#endif
}

// The level at which this process runs: that of the processor, or less where TALLYSTICK_INSTRUCTIONS says so
// (baseline, avx2, avx512): so a test can compare the forms bit for bit, and a user can rule them out.
inline Level level_here() {
    const Level most = level_of_processor();
    const char* const asked = std::getenv("TALLYSTICK_INSTRUCTIONS");
    if (asked && !std::strcmp(asked, "baseline")) return Level::baseline;
    if (asked && !std::strcmp(asked, "avx2") && most > Level::avx2) return Level::avx2;
    if (asked && !std::strcmp(asked, "avx512") && most > Level::avx512) return Level::avx512;
    return most;
}

inline const Level level = level_here();
}  // namespace tally
