// Exact sums of numbers and of their squares, by class.
//
// Numbers |x| < 2^e are cut at fixed bits into parts that are whole multiples of 2^(e - 40) and 2^(e - 80), their squares into
// parts of 2^(2e - 40) to 2^(2e - 160). Sums of up to 2^13 parts have at most 53 bits, so doubles add them exactly; they are
// then whole numbers of 64 bits. What has bits below the last part goes the long way, to digits of 32 bits (see
// src/kernels/sums/moments.hpp), which any double can be added to. A class is a factor of 1 or 0: nobody branches on it.

namespace tally {

constexpr int at_once = 2;  // classes that are summed in one reading
constexpr int64_t sum_places = 68, square_places = 134;
constexpr int64_t none = 1 << 20;  // the exponent that says: the long way

inline double power(int64_t e) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + e) << 52); }
inline double rounded(double x, double cut) { return (x + cut) - cut; }

// (x + cut) - cut rounds to whole multiples of 2^(e - 40), 2^(e - 80), ...; squares alike, of 2e.
struct Cuts {
    double one[2], two[3];
    explicit Cuts(int64_t e) {
        for (int i = 0; i < 2; ++i) one[i] = 1.5 * power(e + 12 - 40 * i);
        for (int i = 0; i < 3; ++i) two[i] = 1.5 * power(2 * e + 12 - 40 * i);
    }
};

// Numbers that fit by their size alone: `size` ones from `least` on, by their leading bits.
struct Window {
    uint32_t least, size;
};

template <class T>
struct Parts;

template <>
struct Parts<float> {
    static constexpr int sums = 1, squares = 2;
    // Bits without the sign: numbers from 2^(e - 17) on have their last bit at 2^(e - 40) or above.
    static Window window(int64_t e) { return {exponent(e - 17), exponent(e) - exponent(e - 17)}; }
    static uint32_t exponent(int64_t e) {
        return static_cast<uint32_t>(e + 127 < 0 ? 0 : e + 127 > 255 ? 255 : e + 127) << 23;
    }
    static bool fits_at_once(float x, Window w) { return (std::bit_cast<uint32_t>(x) & 0x7FFFFFFF) - w.least < w.size; }
    static bool fits(double x, const Cuts& cut) { return rounded(x, cut.one[0]) == x; }
    static void of(double x, const Cuts& cut, double* part) {
        const double p = x * x;  // exact: 48 bits
        part[0] = x;
        part[1] = rounded(p, cut.two[0]);
        part[2] = p - part[1];
    }
};

template <>
struct Parts<double> {
    static constexpr int sums = 2, squares = 4;
    static Window window(int64_t e) { return {static_cast<uint32_t>(e - 27 + 1023), 27}; }
    static bool fits_at_once(double x, Window w) {
        return (static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 52) & 2047) - w.least < w.size;
    }
    static bool fits(double x, const Cuts& cut) {
        const double rest = x - rounded(x, cut.one[0]);
        return rounded(rest, cut.one[1]) == rest;
    }
    static void of(double x, const Cuts& cut, double* part) {
        part[0] = rounded(x, cut.one[0]);
        part[1] = x - part[0];
        double p = x * x, r = multiply_add(x, x, -p);  // p + r is the square
        part[2] = rounded(p, cut.two[0]);
        p -= part[2];
        const double p1 = rounded(p, cut.two[1]), r1 = rounded(r, cut.two[1]);
        p -= p1, r -= r1;
        const double p2 = rounded(p, cut.two[2]), r2 = rounded(r, cut.two[2]);
        part[3] = p1 + r1;
        part[4] = p2 + r2;
        part[5] = (p - p2) + (r - r2);
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
    int64_t* parts;           // [column, class, 6 parts, 2]: low 32 bits, the rest
    int64_t* missing;         // [column, class]
    int64_t *sums, *squares;  // [column, class, digit]
};

template <class T>
struct alignas(16) Four {
    T at[4];
};

// One column of one stripe of rows.
template <class T>
struct Stripe {
    static constexpr int each = Parts<T>::sums + Parts<T>::squares;
    const Moments& m;
    int64_t j, e;
    Window window;
    Cuts cuts;
    Cells of;
    double acc[at_once][each] = {};

    Stripe(const Moments& m, int64_t j)
        : m(m),
          j(j),
          e(m.exponents[j]),
          window(Parts<T>::window(e == none ? 0 : e)),
          cuts(e == none ? 0 : e),
          of{m.classes, m.class_kind} {}

    // What is left of a number that does not fit at once: the same number, or 0 where it went another way.
    T another_way(T x, int64_t c) {
        const double wide = static_cast<double>(x), limit = e == none ? 0.0 : power(e);
        if (e != none && wide < limit && wide > -limit && Parts<T>::fits(wide, cuts)) return x;
        if (c < 0 || c >= at_once) return T(0);
        const int64_t cell = j * m.n_classes + m.first_class + c;
        if (wide - wide == 0.0)
            add_double(wide, m.sums + cell * sum_places, m.squares + cell * square_places);
        else
            add_to(m.missing + cell, int64_t{1});
        return T(0);
    }

    void add(T x, int64_t c) {
        if (e == none || !Parts<T>::fits_at_once(x, window)) x = another_way(x, c);
        double part[each];
        Parts<T>::of(static_cast<double>(x), cuts, part);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const double here = c == k ? 1.0 : 0.0;
#pragma unroll
            for (int i = 0; i < each; ++i) acc[k][i] = multiply_add(part[i], here, acc[k][i]);
        }
    }

    int64_t class_of(int64_t row) const { return (m.classes ? of.code(row) : 0) - m.first_class; }

    void read(int64_t begin, int64_t end) {
        const T* const column = reinterpret_cast<const T*>(m.columns[j]);
        const int64_t whole = begin + (end - begin) / 4 * 4;  // stripes begin at multiples of four
        if (m.class_kind == bytes && m.classes) {
            const uint8_t* const classes = static_cast<const uint8_t*>(m.classes);
            constexpr int ahead = 16 / sizeof(T);  // so many fours are asked for before the first is there
            const int64_t step = 4 * static_cast<int64_t>(threads());
            for (int64_t row = begin + 4 * static_cast<int64_t>(thread()); row < whole; row += ahead * step) {
                Four<T> x[ahead];
                uint32_t c[ahead];
#pragma unroll
                for (int k = 0; k < ahead; ++k) {
                    const int64_t at = row + k * step < whole ? row + k * step : row;
                    x[k] = *reinterpret_cast<const Four<T>*>(column + at);
                    c[k] = *reinterpret_cast<const uint32_t*>(classes + at);
                }
#pragma unroll
                for (int k = 0; k < ahead; ++k)
                    if (row + k * step < whole)
#pragma unroll
                        for (int i = 0; i < 4; ++i)
                            add(x[k].at[i], static_cast<int64_t>(c[k] >> 8 * i & 255) - m.first_class);
            }
        } else {
            for (int64_t row = begin + thread(); row < whole; row += threads()) add(column[row], class_of(row));
        }
        for (int64_t row = whole + thread(); row < end; row += threads()) add(column[row], class_of(row));
    }

    // The sums of all threads, to the totals.
    void finish() {
        SHARED(memory);
        int64_t* const own = reinterpret_cast<int64_t*>(memory);  // [class, each, thread]
        for (int k = 0; k < at_once; ++k)
            for (int i = 0; i < each; ++i) {
                const bool square = i >= Parts<T>::sums;
                const int64_t unit = 40 * (1 + i - (square ? Parts<T>::sums : 0)) - (square ? 2 : 1) * (e == none ? 0 : e);
                own[(k * each + i) * threads() + thread()] = static_cast<int64_t>(acc[k][i] * power(unit));
            }
        barrier();
        for (uint32_t step = threads() / 2; step; step /= 2) {
            for (int i = 0; i < at_once * each && thread() < step; ++i)
                own[i * threads() + thread()] += own[i * threads() + thread() + step];
            barrier();
        }
        for (int64_t i = thread(); i < at_once * each; i += threads()) {
            const int64_t c = m.first_class + i / each, sum = own[i * threads()];
            if (sum == 0 || c >= m.n_classes) continue;
            int64_t* const to = m.parts + ((j * m.n_classes + c) * 6 + i % each) * 2;
            add_to(to, sum & 0xFFFFFFFF);
            add_to(to + 1, sum >> 32);
        }
        barrier();
    }
};

template <class T>
inline void add_stripe(const Moments& m) {
    const int64_t begin = block() * m.stripe, end = begin + m.stripe < m.rows ? begin + m.stripe : m.rows;
    for (int64_t j = 0; j < m.n_columns; ++j) {
        Stripe<T> stripe(m, j);
        stripe.read(begin, end);
        stripe.finish();
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

// One kernel a type: what doubles need in registers would leave room for few blocks of singles.
#define ADD_MOMENTS(name, type)                                                                                         \
    KERNEL name(int64_t rows, int64_t n_columns, const int64_t* columns, const int64_t* exponents, const void* classes, \
                int64_t class_kind, int64_t first_class, int64_t n_classes, int64_t stripe, int64_t* parts,             \
                int64_t* missing, int64_t* sums, int64_t* squares) {                                                    \
        const tally::Moments m{rows,      n_columns, columns, exponents, classes, class_kind, first_class,              \
                               n_classes, stripe,    parts,   missing,   sums,    squares};                             \
        tally::add_stripe<type>(m);                                                                                     \
    }
ADD_MOMENTS(add_singles, float)
ADD_MOMENTS(add_doubles, double)
