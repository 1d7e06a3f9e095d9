// Addresses to codes: cells of a column that are the same object need be looked at once.
//
// Knows numbers; what lies there is never read.
#pragma once

#include <bit>

#include "kernels/base/common.hpp"

namespace tally {

constexpr uint16_t most_addresses = (1 << 15) - 1;  // codes are whole numbers of 16 bits, with a sign for whoever wants one
constexpr size_t address_slots = 1 << 16;

// codes[row]: the number of its address, in the order in which they come; first[code]: the row where it came first. Returns
// how many differ, or most + 1 where more than `most` do; then the rest is not set. slots[address_slots] is scratch and all
// 0, met[most] is scratch.
inline size_t code_addresses(size_t rows, const uint64_t* given, size_t most, uint16_t* codes, int64_t* first,
                             uint16_t* slots, uint64_t* met) {
    TALLY_REQUIRE(most <= most_addresses);
    size_t found = 0;
    for (size_t row = 0; row < rows; ++row) {
        const uint64_t at = given[row];
        size_t slot = at * 0x9E3779B97F4A7C15 >> (64 - std::bit_width(address_slots - 1));
        while (slots[slot] && met[slots[slot] - 1] != at) slot = (slot + 1) & (address_slots - 1);
        if (!slots[slot]) {
            if (found == most) return most + 1;
            met[found] = at;
            first[found] = static_cast<int64_t>(row);
            slots[slot] = static_cast<uint16_t>(++found);
        }
        codes[row] = static_cast<uint16_t>(slots[slot] - 1);
    }
    return found;
}

}  // namespace tally
