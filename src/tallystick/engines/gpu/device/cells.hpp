// Cells of columns as they lie on the device, whatever their type.

namespace tally {

enum Kind : int64_t { doubles = 0, singles = 1, bytes = 2, shorts = 3, words = 4 };

struct Cells {
    const void* at;
    int64_t kind;

    double number(int64_t row) const {
        return kind == singles ? static_cast<double>(static_cast<const float*>(at)[row])
                               : static_cast<const double*>(at)[row];
    }
    uint32_t code(int64_t row) const {
        if (kind == bytes) return static_cast<const uint8_t*>(at)[row];
        if (kind == shorts) return static_cast<const uint16_t*>(at)[row];
        return static_cast<const uint32_t*>(at)[row];
    }
};

// Column j of many, by its address.
inline Cells column_of(const int64_t* addresses, const int64_t* kinds, int64_t j) {
    return {reinterpret_cast<const void*>(addresses[j]), kinds[j]};
}

// The first of `n` rising numbers that is above x: how many of them are at most x.
inline int64_t places_up_to(const double* numbers, int64_t n, double x) {
    int64_t low = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const bool up = numbers[low + half] <= x;
        low = up ? low + half + 1 : low;
        n = up ? n - half - 1 : half;
    }
    return low;
}

}  // namespace tally
