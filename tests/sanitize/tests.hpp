// What the sanitizer tests share: exact-size heap arrays, so that one step beyond is seen, and a stream of numbers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#define EXPECT(condition)                                                                  \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

// Doubles that hurt: signed zeros, subnormals, the largest, NaN, neighbours, and plain ones.
inline std::vector<double> hard_doubles(size_t n, uint64_t seed) {
    const double edges[] = {0.0,
                            -0.0,
                            5e-324,
                            -5e-324,
                            2.2250738585072014e-308,
                            1.7976931348623157e308,
                            -1.7976931348623157e308,
                            1.0,
                            1.0000000000000002,
                            std::numeric_limits<double>::quiet_NaN()};
    std::vector<double> out(n);
    for (size_t i = 0; i < n; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t pick = seed >> 33;
        out[i] = pick % 3 == 0 ? edges[pick / 3 % 10] : static_cast<double>(static_cast<int64_t>(pick % 2001) - 1000) / 8;
    }
    out.shrink_to_fit();
    return out;
}

template <class T>
std::vector<T> numbers_below(size_t n, uint64_t bound, uint64_t seed) {
    std::vector<T> out(n);
    for (T& x : out) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x = static_cast<T>((seed >> 33) % bound);
    }
    return out;
}

void test_counts();
void test_ranks();
void test_moments();
void test_math();
void test_hashes();
void test_scores();
void test_linear();
void test_numbers();
void test_usual_numbers();
void test_cut();
void test_words();
void test_addresses();
void test_bayes();
void test_trees();
void test_optimal();
