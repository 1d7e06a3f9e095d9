// n log2(n) as whole numbers: gains are differences of these, so splits that are equally good tie exactly on every machine.
// Trees and descriptions of columns take the same ones, so both name the same cut.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/base/math.hpp"

namespace tally {

// F(n) = n log2(n) * 2^scale as whole numbers below 2^60 for every n up to the largest. Up to `some` the logarithm of n is the
// sum of those of its prime factors, each rounded once: what is equal by F(ab) = b F(a) + a F(b) is equal here.
class Logs {
   public:
    static constexpr int64_t some = int64_t{1} << 16;   // entries worth keeping where sums of weights go far beyond
    static constexpr int64_t error = int64_t{1} << 19;  // of F at most, in units: some times 16 factors times 1/2

    explicit Logs(int64_t largest, int64_t entries) {
        const int bits = std::bit_width(static_cast<uint64_t>(largest));
        const int scale = 59 - bits - std::bit_width(static_cast<unsigned>(bits));
        factor_ = std::bit_cast<double>(static_cast<uint64_t>(1023 + scale) << 52);
        const int64_t size = (largest < entries ? largest : entries) + 1;
        table_.resize(static_cast<size_t>(size));
        sum_of_primes(static_cast<size_t>(std::min(size, some + 1)));
        for (int64_t n = some + 1; n < size; ++n) table_[static_cast<size_t>(n)] = direct(n);
    }

    int64_t operator()(int64_t n) const {
        return n < static_cast<int64_t>(table_.size()) ? table_[static_cast<size_t>(n)] : direct(n);
    }
    const int64_t* table() const { return table_.data(); }
    double factor() const { return factor_; }

   private:
    int64_t direct(int64_t n) const {
        const double x = static_cast<double>(n);
        return static_cast<int64_t>(x * log2_whole(x) * factor_ + 0.5);
    }

    // table_[n] for n below `size`: logarithms first, by the least prime factor of each n.
    void sum_of_primes(size_t size) {
        std::vector<uint32_t> primes;
        std::vector<uint32_t> least(size, 0);
        for (size_t n = 2; n < size; ++n) {
            if (!least[n]) {
                least[n] = static_cast<uint32_t>(n);
                primes.push_back(least[n]);
                table_[n] = static_cast<int64_t>(log2_whole(static_cast<double>(n)) * factor_ + 0.5);
            }
            for (size_t i = 0; i < primes.size() && primes[i] <= least[n] && primes[i] * n < size; ++i) {
                least[primes[i] * n] = primes[i];
                table_[primes[i] * n] = table_[primes[i]] + table_[n];
            }
        }
        for (size_t n = 2; n < size; ++n) table_[n] *= static_cast<int64_t>(n);
    }

    std::vector<int64_t> table_;
    double factor_;
};

}  // namespace tally
