// Exact sums of numbers and of their squares, by class.
//
// A number z = x / 2^e, |z| < 1, is cut at fixed bits into parts that are whole multiples of 2^-40 and 2^-80, its square
// into parts of 2^-40 to 2^-160. Sums of up to 2^13 parts have at most 53 bits, so doubles add them exactly; they are then
// whole numbers of 64 bits. What has bits below the last part goes the long way, to digits of 32 bits (see
// src/kernels/sums/moments.hpp), which any double can be added to.

namespace tally {

constexpr int64_t at_once = 4;  // classes that are summed in one reading
constexpr int64_t sum_places = 68, square_places = 134;

// (x + cut) - cut rounds to whole multiples of 2^-40, 2^-80, ...
constexpr double cut_40 = 1.5 * 4096.0, cut_80 = 1.5 / 268435456.0, cut_120 = cut_80 / 1099511627776.0,
                 up_40 = 1099511627776.0;

inline double rounded(double x, double cut) { return (x + cut) - cut; }

template <class T>
struct Parts;

template <>
struct Parts<float> {
    static constexpr int sums = 1, squares = 2;
    static bool fits(double z) { return z < 1.0 && z > -1.0 && rounded(z, cut_40) == z; }
    static void of(double z, double* sum, double* square) {
        const double p = z * z;  // exact: 48 bits
        sum[0] = z;
        square[0] = rounded(p, cut_40);
        square[1] = p - square[0];
    }
};

template <>
struct Parts<double> {
    static constexpr int sums = 2, squares = 4;
    static bool fits(double z) {
        const double rest = z - rounded(z, cut_40);
        return z < 1.0 && z > -1.0 && rounded(rest, cut_80) == rest;
    }
    static void of(double z, double* sum, double* square) {
        sum[0] = rounded(z, cut_40);
        sum[1] = z - sum[0];
        double p = z * z, r = multiply_add(z, z, -p);  // p + r is the square
        square[0] = rounded(p, cut_40);
        p -= square[0];
        const double p1 = rounded(p, cut_80), r1 = rounded(r, cut_80);
        p -= p1, r -= r1;
        const double p2 = rounded(p, cut_120), r2 = rounded(r, cut_120);
        square[1] = p1 + r1;
        square[2] = p2 + r2;
        square[3] = (p - p2) + (r - r2);
    }
};

inline void add_number(int64_t* digits, uint64_t position, uint64_t number, bool negative) {
    const uint64_t shift = position & 31, low = number << shift, high = shift ? number >> (64 - shift) : 0;
    int64_t* const at = digits + (position >> 5);
    const int64_t parts[3] = {static_cast<int64_t>(low & 0xFFFFFFFF), static_cast<int64_t>(low >> 32),
                              static_cast<int64_t>(high)};
    for (int i = 0; i < 3; ++i)
        if (parts[i]) add_to(at + i, negative ? -parts[i] : parts[i]);
}

// The long way: sums in units of 2^-1074, squares in units of 2^-2148.
inline void add_double(double x, int64_t* sums, int64_t* squares) {
    const uint64_t bits = std::bit_cast<uint64_t>(x), exponent = bits >> 52 & 2047;
    const uint64_t whole = (bits & ((uint64_t{1} << 52) - 1)) | (exponent ? uint64_t{1} << 52 : 0);
    const uint64_t position = exponent - (exponent ? 1 : 0);
    add_number(sums, position, whole, bits >> 63);
    const uint64_t a = whole >> 27, b = whole & ((1 << 27) - 1);  // (a 2^27 + b)^2, each product below 2^54
    add_number(squares, 2 * position + 54, a * a, false);
    add_number(squares, 2 * position + 28, a * b, false);
    add_number(squares, 2 * position, b * b, false);
}

struct Moments {
    int64_t rows, n_columns;
    const int64_t *columns, *exponents;  // [column]: addresses; e, or `none` where all go the long way
    const void* classes;
    int64_t class_kind, first_class, n_classes, stripe;
    int64_t* parts;    // [column, class, 6 parts, 2]: low 32 bits, the rest
    int64_t* missing;  // [column, class]
    int64_t *sums, *squares;  // [column, class, digit]
};
constexpr int64_t none = 1 << 20;

template <class T>
inline void add_stripe(const Moments& m) {
    constexpr int each = Parts<T>::sums + Parts<T>::squares + 1;  // the last counts missing rows
    SHARED(memory);
    int64_t* const own = reinterpret_cast<int64_t*>(memory);  // [class, each]
    const Cells of{m.classes, m.class_kind};
    const int64_t begin = block() * m.stripe, end = begin + m.stripe < m.rows ? begin + m.stripe : m.rows;
    for (int64_t j = 0; j < m.n_columns; ++j) {
        for (int64_t i = thread(); i < at_once * each; i += threads()) own[i] = 0;
        barrier();
        const T* const column = reinterpret_cast<const T*>(m.columns[j]);
        const int64_t e = m.exponents[j];
        const double scale = e == none ? 0.0 : std::bit_cast<double>(static_cast<uint64_t>(1023 - e) << 52);
        double acc[at_once][each] = {};
        for (int64_t row = begin + thread(); row < end; row += threads()) {
            const int64_t c = (m.classes ? of.code(row) : 0) - m.first_class;
            if (c < 0 || c >= at_once) continue;
            const double x = static_cast<double>(column[row]);
            const bool there = x - x == 0.0;
            const double z = x * scale;
            double sum[Parts<T>::sums] = {}, square[Parts<T>::squares] = {};
            if (there && e != none && Parts<T>::fits(z)) {
                Parts<T>::of(z, sum, square);
            } else if (there) {
                const int64_t cell = j * m.n_classes + m.first_class + c;
                add_double(x, m.sums + cell * sum_places, m.squares + cell * square_places);
            }
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                const bool here = k == c;
                for (int i = 0; i < Parts<T>::sums; ++i) acc[k][i] += here ? sum[i] : 0.0;
                for (int i = 0; i < Parts<T>::squares; ++i) acc[k][Parts<T>::sums + i] += here ? square[i] : 0.0;
                acc[k][each - 1] += here && !there ? 1.0 : 0.0;
            }
        }
        for (int k = 0; k < at_once; ++k) {
            double unit = up_40;
            for (int i = 0; i < each; ++i) {
                if (i == Parts<T>::sums) unit = up_40;
                const double whole = i == each - 1 ? acc[k][i] : acc[k][i] * unit;
                if (whole != 0.0) add_to(own + k * each + i, static_cast<int64_t>(whole));
                unit *= up_40;
            }
        }
        barrier();
        for (int64_t i = thread(); i < at_once * each; i += threads()) {
            const int64_t c = m.first_class + i / each, part = i % each;
            if (own[i] == 0 || c >= m.n_classes) continue;
            if (part == each - 1) {
                add_to(m.missing + j * m.n_classes + c, own[i]);
            } else {
                int64_t* const to = m.parts + ((j * m.n_classes + c) * 6 + part) * 2;
                add_to(to, own[i] & 0xFFFFFFFF);
                add_to(to + 1, own[i] >> 32);
            }
        }
        barrier();
    }
}

}  // namespace tally

// The largest bits of a number without its sign, of those that are finite.
KERNEL largest(int64_t rows, const void* values, int64_t kind, uint64_t* bits) {
    using namespace tally;
    const Cells cells{values, kind};
    uint64_t most = 0;
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        const double x = cells.number(row);
        const uint64_t own = std::bit_cast<uint64_t>(x) & 0x7FFFFFFFFFFFFFFF;
        most = x - x == 0.0 && own > most ? own : most;
    }
    if (most) raise_to(bits, most);
}

KERNEL add_moments(int64_t rows, int64_t n_columns, const int64_t* columns, const int64_t* exponents, int64_t kind,
                   const void* classes, int64_t class_kind, int64_t first_class, int64_t n_classes, int64_t stripe,
                   int64_t* parts, int64_t* missing, int64_t* sums, int64_t* squares) {
    using namespace tally;
    const Moments m{rows,      n_columns, columns, exponents, classes, class_kind, first_class,
                    n_classes, stripe,    parts,   missing,   sums,    squares};
    if (kind == singles)
        add_stripe<float>(m);
    else
        add_stripe<double>(m);
}
