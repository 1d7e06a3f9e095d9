// Columns of two codes, where many lie side by side: a bit for each cell of a stretch of rows, so that scores stay in registers
// while one column after the other is added, and whole numbers are summed by mask.
#pragma once

#include <bit>
#include <vector>

#include "kernels/base/tiles.hpp"
#include "kernels/linear/problem.hpp"

namespace tally::linear {

class TwoCodes {
   public:
    explicit TwoCodes(const Ask& a) : words_(a.coded * kWords), two_(a.coded) {}

    // Takes in rows first..first+n. Beyond them are codes 0, which change nothing that anybody looks at.
    TALLY_INLINE void load(const Ask& a, size_t first, size_t n) {
        for (size_t c = 0; c < a.coded; ++c) {
            if (a.code_bytes[c] != 1) continue;
            const uint8_t* codes = reinterpret_cast<const uint8_t*>(a.codes[c]) + first;
            uint8_t last[kRows];  // a stretch that is not full
            if (n < kRows) {
                for (size_t i = 0; i < kRows; ++i) last[i] = i < n ? codes[i] : 0;
                codes = last;
            }
            uint64_t any = 0;
            for (size_t w = 0; w < kWords; ++w) {
                uint64_t word = 0;
                for (size_t k = 0; k < 8; ++k) {
                    const uint64_t eight = *reinterpret_cast<const Eight*>(codes + 64 * w + 8 * k);
                    word |= eight << k, any |= eight;
                }
                words_[c * kWords + w] = word;
            }
            two_[c] = (any & ~0x0101010101010101ULL) == 0;
        }
    }

    // The end of the columns of two codes that follow each other from this one on.
    TALLY_INLINE size_t end(size_t column) const {
        while (column < two_.size() && two_[column]) ++column;
        return column;
    }

    // eta[link, row] += theta[cell, link] of columns from..to, in their order.
    void add(const Ask& a, size_t from, size_t to, double* eta) const {
        run_wide([words = words_.data(), a, from, to, eta](auto instructions) {
            constexpr size_t wide = decltype(instructions)::doubles;
            for (size_t link = 0; link < a.links; ++link)
                for (size_t row = 0; row < kRows; row += kEach * wide)
                    add_rows<wide>(words + row / 64, row % 64, a, from, to, link, eta + link * kRows + row);
        });
    }

    // gradient[cell, link] += whole[link, row] of columns from..to; beyond the last row whole is 0.
    void sum(const Ask& a, size_t from, size_t to, const int64_t* whole, int64_t* gradient) const {
        run_wide([words = words_.data(), a, from, to, whole, gradient](auto instructions) {
            constexpr size_t wide = decltype(instructions)::doubles;
            for (size_t link = 0; link < a.links; ++link)
                sum_rows<wide>(words, a, from, to, whole + link * kRows, reinterpret_cast<uint64_t*>(gradient) + link);
        });
    }

   private:
    typedef uint64_t Eight TALLY_ANYWHERE;                   // eight codes
    static constexpr size_t kWords = kRows / 64, kEach = 8;  // words of a column; vectors of scores at a time
    std::vector<uint64_t> words_;                            // [column, word]; row r of 64 is bit r / 8 of byte r % 8
    std::vector<uint8_t> two_;                               // [column]: does it have codes 0 and 1 alone in these rows?

    static TALLY_INLINE size_t cell(const Ask& a, size_t column) {
        return (1 + a.dense + static_cast<size_t>(a.starts[column])) * a.links;
    }

    // place[k][lane]: the bit of row k * wide + lane.
    template <size_t wide, size_t n>
    static TALLY_INLINE void places(typename Vectors<wide>::Bits (&place)[n]) {
        static_assert(std::endian::native == std::endian::little);
        for (size_t row = 0; row < n * wide; ++row) place[row / wide][row % wide] = uint64_t(1) << (row % 8 * 8 + row / 8);
    }

    // first: the place of the rows among the 64 of a word.
    template <size_t wide>
    static TALLY_INLINE void add_rows(const uint64_t* words, size_t first, const Ask& a, size_t from, size_t to, size_t link,
                                      double* eta) {
        using Numbers = typename Vectors<wide>::Doubles;
        using Bits = typename Vectors<wide>::Bits;
        Bits place[kEach];
        Numbers sum[kEach];
        places<wide>(place);
        for (size_t k = 0; k < kEach; ++k) sum[k] = *reinterpret_cast<const Numbers*>(eta + k * wide);
        for (size_t c = from; c < to; ++c) {
            const double* t = a.theta + cell(a, c) + link;
            const Numbers none = t[0] - Numbers{}, one = t[a.links] - Numbers{};
            const Bits word = (words[c * kWords] >> first / 8) + Bits{};
            for (size_t k = 0; k < kEach; ++k) sum[k] += (word & place[k]) != 0 ? one : none;
        }
        for (size_t k = 0; k < kEach; ++k) *reinterpret_cast<Numbers*>(eta + k * wide) = sum[k];
    }

    template <size_t wide>
    static TALLY_INLINE void sum_rows(const uint64_t* words, const Ask& a, size_t from, size_t to, const int64_t* whole,
                                      uint64_t* gradient) {
        using Bits = typename Vectors<wide>::Bits;
        Bits place[64 / wide];
        places<wide>(place);
        uint64_t all = 0;
        for (size_t i = 0; i < kRows; ++i) all += uint64_t(whole[i]);
        for (size_t c = from; c < to; ++c) {
            Bits sums[kWords] = {};
            for (size_t w = 0; w < kWords; ++w) {
                const Bits word = words[c * kWords + w] + Bits{};
                for (size_t k = 0; k < 64 / wide; ++k) {
                    const Bits own = *reinterpret_cast<const Bits*>(whole + 64 * w + k * wide);
                    sums[w] = (word & place[k]) != 0 ? sums[w] + own : sums[w];
                }
            }
            uint64_t one = 0;
            for (size_t lane = 0; lane < wide; ++lane) one += sums[0][lane] + sums[1][lane];
            gradient[cell(a, c)] += all - one, gradient[cell(a, c) + a.links] += one;
        }
    }
};
static_assert(kRows == 128);  // two words

}  // namespace tally::linear
