// What every kernel shares: checked access under -DTALLY_CHECK, nothing in release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef TALLY_CHECK
#define TALLY_REQUIRE(condition)                                                          \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::fprintf(stderr, "%s:%d: violated: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                 \
        }                                                                                 \
    } while (0)
#else
#define TALLY_REQUIRE(condition) ((void)0)
#endif

// Hot loops are compiled twice and chosen at load time; without contraction both give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TALLY_CHECK)
#define TALLY_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TALLY_CLONES
#endif

namespace tally {
using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
}  // namespace tally
