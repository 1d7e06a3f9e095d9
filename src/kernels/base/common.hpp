// What every kernel shares: checked access under -DTALLY_CHECK, nothing in release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

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

// Whether to run the AVX2 form of hot loops. glibc is asked where it can be, because then
// GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 switches it off: so a test can compare the two forms bit for bit.
#if !defined(__x86_64__) || !defined(__GNUC__) || defined(TALLY_CHECK)
inline constexpr bool has_avx2 = false;
#elif __has_include(<sys/platform/x86.h>)
inline const bool has_avx2 = CPU_FEATURE_ACTIVE(AVX2);
#else
inline const bool has_avx2 = __builtin_cpu_supports("avx2");
#endif

#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop>
__attribute__((target("avx2"), flatten, noinline)) auto run_avx2(Loop loop) {
    return loop();
}
#else
template <class Loop>
auto run_avx2(Loop loop) {
    return loop();
}
#endif

// Runs a hot loop, compiled for AVX2 where the processor has it. Without contraction both forms give the same bits.
// Capture by value ([=]), so that the loop's own variables cannot be thought to change with what it writes.
template <class Loop>
inline auto run_fast(Loop loop) {
    return has_avx2 ? run_avx2(loop) : loop();
}

// Whether fused multiply-add may be used too; it is off whenever AVX2 is.
#if !defined(__x86_64__) || !defined(__GNUC__) || defined(TALLY_CHECK)
inline constexpr bool has_fma = false;
#elif __has_include(<sys/platform/x86.h>)
inline const bool has_fma = has_avx2 && CPU_FEATURE_ACTIVE(FMA);
#else
inline const bool has_fma = has_avx2 && __builtin_cpu_supports("fma");
#endif

#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop>
__attribute__((target("avx2,fma"), flatten, noinline)) auto run_avx2_fma(Loop loop) {
    return loop(std::true_type{});
}
#else
template <class Loop>
auto run_avx2_fma(Loop loop) {
    return loop(std::true_type{});
}
#endif

// As run_fast, for loops that need the exact rest of a product: loop(true) may ask for a fused multiply-add, which is
// quick then; loop(false) must find the same number another way.
template <class Loop>
inline auto run_fused(Loop loop) {
    return has_fma ? run_avx2_fma(loop) : loop(std::false_type{});
}
}  // namespace tally
