// Text cells to numbers, and what a cell looks like: one pass over a string column in Arrow layout.
//
// Knows bytes. Knows nothing of columns, kinds of columns or rules: it counts, others decide.
// Law: a number's value is the double nearest to the written decimal (ties to even), as Python's float() gives it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#include "kernels/base/common.hpp"

namespace tally {

// What a cell is once surrounding ASCII white space is gone. tallystick.kernels repeats these numbers as CellKind.
enum CellKind : uint8_t {
    cell_missing,        // null, or one of the marks
    cell_number,         // 3.14, 1e5, 7.
    cell_integer,        // 42, -0, +7; exact as a double
    cell_leading_zeros,  // 00123: an integer by form, a name by habit
    cell_inexact,        // an integer that no double holds exactly
    cell_infinite,       // inf, Infinity, 1e999
    cell_boolean,        // true, false in any letter case
    cell_date,           // 2012-03-04, 2012-03-04T05:06:07.8+01:00
    cell_thousands,      // 1,234 or 12,345.6: never guessed
    cell_other_decimal,  // 3,14 where the decimal mark is a point; 3.14 where it is a comma
    cell_percent,        // 12 %
    cell_currency,       // $5, 5 €
    cell_other,
    cell_kinds  // how many there are
};

struct Marks {  // texts that mean missing: mark m is data[offsets[m], offsets[m + 1])
    const char* data;
    const int64_t* offsets;
    size_t count;
};

namespace cells {

// Longer tokens are not numbers. The bound lets a decimal comma be replaced in a buffer on the stack.
constexpr size_t longest_number = 1000;

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

struct Span {
    const char* begin = nullptr;
    const char* end = nullptr;
    const char* room = end;  // the end of what may be read: other cells lie behind this one
    size_t size() const { return static_cast<size_t>(end - begin); }
};

TALLY_INLINE Span stripped(Span s) {
    while (s.begin < s.end && is_space(*s.begin)) ++s.begin;
    while (s.end > s.begin && is_space(s.end[-1])) --s.end;
    return s;
}

// A number as written: digits with the point left out, and where the point and the exponent put them.
struct Decimal {
    uint64_t mantissa = 0;  // the digits, when there are at most 19 of them
    int64_t digits = 0;     // how many; where they are more than 19, leading zeros apart
    int64_t whole = 0;      // digits before the point, leading zeros included
    int64_t exponent = 0;   // of ten, the point's share included
    bool negative = false;
    bool integer = true;  // no point, no exponent
    bool leading_zero = false;
};

// Eight bytes as they lie, with digits as 0 to 9 and all else as more: the first byte is the lowest.
inline uint64_t bytes_at(const char* p) {
    uint64_t v;
    std::memcpy(&v, p, 8);
    return v ^ 0x3030303030303030;
}

// The top bit of each byte that is not a digit.
inline uint64_t no_digits(uint64_t v) { return (((v & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | v) & 0x8080808080808080; }

// The number that eight digits make: pairs are added up, then pairs of pairs, then both halves.
inline uint64_t number_of(uint64_t v) {
    v = v * 10 + (v >> 8);
    return ((v & 0x000000FF000000FF) * 0x000F424000000064 + (v >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >> 32;
}

constexpr bool by_eights = std::endian::native == std::endian::little;

// Many digits: those that count begin with the first that is not zero. The mantissa wraps beyond 19, then it is not used.
inline void count_again(const char* p, const char* end, Decimal& d) {
    d.mantissa = 0;
    d.digits = 0;
    for (; p < end; ++p) {
        if (!is_digit(*p)) continue;  // the point
        d.mantissa = d.mantissa * 10 + static_cast<uint64_t>(*p - '0');
        d.digits += d.digits > 0 || *p != '0';
    }
}

// Reads the longest number at the start of s; returns its end, or null when there is none.
inline const char* scan(Span s, char point, Decimal& d) {
    const char* p = s.begin;
    d.negative = p < s.end && *p == '-';
    p += d.negative || (p < s.end && *p == '+');
    const char* start = p;
    auto eat = [&] {
        for (; by_eights && s.end - p >= 8 && !no_digits(bytes_at(p)); p += 8)
            d.mantissa = d.mantissa * 100000000 + number_of(bytes_at(p));
        for (; p < s.end && is_digit(*p); ++p) d.mantissa = d.mantissa * 10 + static_cast<uint64_t>(*p - '0');
    };
    eat();
    d.whole = p - start;
    d.leading_zero = d.whole > 1 && *start == '0';
    if (p < s.end && *p == point) {
        const char* after = ++p;
        eat();
        if (d.whole == 0 && p == after) return nullptr;
        d.exponent = after - p;
        d.integer = false;
    }
    if (p == start) return nullptr;
    d.digits = d.whole - d.exponent;
    if (d.digits > 19) count_again(start, p, d);
    if (p < s.end && (*p == 'e' || *p == 'E')) {
        const char* q = p + 1;
        bool minus = false;
        if (q < s.end && (*q == '-' || *q == '+')) minus = *q++ == '-';
        if (q < s.end && is_digit(*q)) {
            int64_t e = 0;
            for (; q < s.end && is_digit(*q); ++q) e = e < 100000 ? e * 10 + (*q - '0') : e;
            d.exponent += minus ? -e : e;
            d.integer = false;
            p = q;
        }
    }
    return p;
}

// The digits [begin, end) with any sign, read by the library; ',' becomes '.' on the way.
inline double careful(Span s, char point, const Decimal& d) {
    char buffer[longest_number];
    if (s.begin < s.end && (*s.begin == '+' || *s.begin == '-')) ++s.begin;
    if (point != '.') {
        std::memcpy(buffer, s.begin, s.size());
        if (void* mark = std::memchr(buffer, point, s.size())) *static_cast<char*>(mark) = '.';
        s = {buffer, buffer + s.size()};
    }
    double value = 0;
    const auto done = std::from_chars(s.begin, s.end, value);
    if (done.ec == std::errc::result_out_of_range)  // too large or too small: the size of the first digit tells
        value = d.digits + d.exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return value;
}

// Powers of ten from 10^-27 to 10^27 as digits * 2^exponent, the digits 64 bits long and cut off, not rounded.
struct Power {
    uint64_t digits;
    int exponent;
};
constexpr int largest_power = 27;  // 5^27 fits in 64 bits

constexpr std::array<Power, 2 * largest_power + 1> powers = [] {
    std::array<Power, 2 * largest_power + 1> out{};
    uint64_t fives = 1;
    for (int k = 0; k <= largest_power; ++k, fives *= 5) {
        const int top = static_cast<int>(std::bit_width(fives)) - 1;
        out[static_cast<size_t>(largest_power + k)] = {fives << (63 - top), k + top - 63};
        if (k)
            out[static_cast<size_t>(largest_power - k)] = {
                static_cast<uint64_t>((static_cast<uint128>(1) << (64 + top)) / fives), -64 - top - k};
    }
    return out;
}();

// mantissa * 10^exponent, rounded once; false where the 64 bits of a power do not tell which double is nearest, one in
// some hundred. The product is less than two of its last bits too small: what lies below a half by more, or above it, is sure.
TALLY_INLINE bool nearest(uint64_t mantissa, int exponent, double& value) {
    const Power power = powers[static_cast<size_t>(largest_power + exponent)];
    const int shift = std::countl_zero(mantissa);
    const auto product = static_cast<uint128>(mantissa << shift) * power.digits;
    const auto high = static_cast<uint64_t>(product >> 64);
    const int drop = 10 + static_cast<int>(high >> 63);  // 53 bits stay
    const uint64_t half = uint64_t{1} << (drop - 1), rest = high & (2 * half - 1);
    if (rest == half || rest == half - 1) return false;
    const auto kept = static_cast<double>((high >> drop) + (rest > half));
    const auto scale = static_cast<uint64_t>(1023 + drop + 64 + power.exponent - shift) << 52;
    value = kept * std::bit_cast<double>(scale);
    return true;
}

inline double value_of(Span s, char point, const Decimal& d) {
    static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value;
    if (d.digits <= 19 && d.mantissa == 0) return 0.0;  // -0 is 0
    if (d.digits <= 15 && d.exponent >= -22 && d.exponent <= 22) {
        // Both are exact doubles, so one operation rounds once: the nearest double.
        const double m = static_cast<double>(d.mantissa);
        value = d.exponent < 0 ? m / tens[-d.exponent] : m * tens[d.exponent];
    } else if (d.digits > 19 || d.exponent < -largest_power || d.exponent > largest_power
               || !nearest(d.mantissa, static_cast<int>(d.exponent), value)) {
        value = careful(s, point, d);
    }
    // A sign cannot be foreseen, and a wrong guess costs more than the number: no branch.
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | static_cast<uint64_t>(d.negative && value != 0.0) << 63);
}

// Is the integer written in s (sign allowed) the very value of this double?
inline bool exact(Span s, const Decimal& d, double value) {
    if (d.digits <= 15) return true;
    if (std::isinf(value)) return false;
    const double size = std::fabs(value);
    if (d.digits <= 19) return size < 0x1p64 && static_cast<uint64_t>(size) == d.mantissa;
    char text[400];
    const auto done = std::to_chars(text, text + sizeof text, size, std::chars_format::fixed, 0);
    const size_t length = static_cast<size_t>(done.ptr - text);
    return static_cast<size_t>(d.digits) == length && std::memcmp(s.end - length, text, length) == 0;
}

// ---- everything that is not a plain number: rare, so written for reading, not for speed ----

inline bool same_word(Span s, const char* lower) {
    const size_t n = std::strlen(lower);
    if (s.size() != n) return false;
    for (size_t i = 0; i < n; ++i)
        if ((s.begin[i] | 0x20) != lower[i]) return false;
    return true;
}

inline bool read_digits(const char*& p, const char* end, int n, int64_t& out) {
    if (end - p < n) return false;
    out = 0;
    for (int i = 0; i < n; ++i, ++p) {
        if (!is_digit(*p)) return false;
        out = out * 10 + (*p - '0');
    }
    return true;
}

inline int64_t days_since_1970(int64_t y, int64_t m, int64_t d) {  // Gregorian, also before its time
    y -= m <= 2;
    const int64_t era = (y >= 0 ? y : y - 399) / 400, year = y - era * 400;
    const int64_t day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

// The part after HH:MM: seconds, their fraction cut at microseconds, and the zone. micros grows by it.
inline bool read_clock_rest(const char*& p, const char* end, int64_t& micros) {
    int64_t seconds, hours, minutes;
    if (p < end && *p == ':') {
        if (!read_digits(++p, end, 2, seconds) || seconds > 59) return false;
        micros += seconds * 1000000;
        if (p < end && (*p == '.' || *p == ',')) {
            if (++p == end || !is_digit(*p)) return false;
            for (int64_t unit = 100000; p < end && is_digit(*p); ++p, unit /= 10) micros += unit * (*p - '0');
        }
    }
    if (p < end && *p == 'Z') {
        ++p;
    } else if (p < end && (*p == '+' || *p == '-')) {
        const int64_t sign = *p++ == '-' ? 1 : -1;  // +01:00 is an hour earlier in universal time
        if (!read_digits(p, end, 2, hours) || hours > 23) return false;
        minutes = 0;
        const bool colon = p < end && *p == ':';
        p += colon;
        if ((colon || p < end) && (!read_digits(p, end, 2, minutes) || minutes > 59)) return false;
        micros += sign * (hours * 60 + minutes) * 60000000;
    }
    return p == end;
}

// Days since 1970-01-01 as double(microseconds) / 86,400,000,000, so that Arrow timestamps can be given the same bits.
inline bool read_date(Span s, double& days) {
    static constexpr int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const char* p = s.begin;
    int64_t y, m, d, hours, minutes;
    if (!read_digits(p, s.end, 4, y) || p == s.end || *p++ != '-') return false;
    if (!read_digits(p, s.end, 2, m) || p == s.end || *p++ != '-') return false;
    if (!read_digits(p, s.end, 2, d) || y == 0 || m < 1 || m > 12 || d < 1) return false;
    const bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (d > lengths[m - 1] + (m == 2 && leap)) return false;
    int64_t micros = days_since_1970(y, m, d) * 86400000000;
    if (p < s.end) {
        if (*p != 'T' && *p != ' ') return false;
        if (!read_digits(++p, s.end, 2, hours) || hours > 23 || p == s.end || *p++ != ':') return false;
        if (!read_digits(p, s.end, 2, minutes) || minutes > 59) return false;
        micros += (hours * 60 + minutes) * 60000000;
        if (!read_clock_rest(p, s.end, micros)) return false;
    }
    days = static_cast<double>(micros) / 86400e6;
    return true;
}

// One to three digits, then groups of a separator and three digits, then perhaps a fraction.
inline bool is_grouped(Span s, char separator, char point) {
    const char* p = s.begin;
    if (p < s.end && (*p == '-' || *p == '+')) ++p;
    int lead = 0, groups = 0;
    for (; p < s.end && is_digit(*p); ++p) ++lead;
    if (lead < 1 || lead > 3) return false;
    int64_t group;
    for (; p < s.end && *p == separator; ++groups)
        if (!read_digits(++p, s.end, 3, group)) return false;
    if (p < s.end && *p == point)
        for (++p; p < s.end && is_digit(*p); ++p) {}
    return groups > 0 && p == s.end;
}

inline bool is_plain(Span s, char point) {
    Decimal d;
    return scan(s, point, d) == s.end && s.size() > 0;
}

inline size_t currency_at(const char* p, const char* end) {  // bytes of a sign of money at p, 0 if none
    const size_t left = static_cast<size_t>(end - p);
    if (left >= 1 && *p == '$') return 1;
    if (left >= 2 && (std::memcmp(p, "\xC2\xA3", 2) == 0 || std::memcmp(p, "\xC2\xA5", 2) == 0)) return 2;  // £ ¥
    if (left >= 3 && std::memcmp(p, "\xE2\x82\xAC", 3) == 0) return 3;                                      // €
    return 0;
}

inline bool is_amount(Span s, char point, char other) {
    s = stripped(s);
    return is_plain(s, point) || is_plain(s, other) || is_grouped(s, other, point) || is_grouped(s, point, other);
}

inline bool is_currency(Span s, char point, char other) {
    const char* p = s.begin;
    if (*p == '-' || *p == '+') ++p;
    if (const size_t n = currency_at(p, s.end)) return is_amount({p + n, s.end}, point, other);
    for (size_t n = 1; n <= 3 && n < s.size(); ++n)
        if (currency_at(s.end - n, s.end) == n) return is_amount({s.begin, s.end - n}, point, other);
    return false;
}

// a cell that is neither a plain number nor a mark. s is not empty and holds no outer space.
inline CellKind look(Span s, char point, bool dates, double& value) {
    if (s.size() > 100) return cell_other;
    const char initial = static_cast<char>(*s.begin | 0x20);
    if (initial >= 'a' && initial <= 'z' && initial != 'i' && initial != 't' && initial != 'f') return cell_other;
    const char other = point == '.' ? ',' : '.';
    Span word = s;
    if (*word.begin == '+' || *word.begin == '-') ++word.begin;
    if (same_word(word, "inf") || same_word(word, "infinity")) {
        value = *s.begin == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return cell_infinite;
    }
    if (same_word(s, "true") || same_word(s, "false")) return cell_boolean;
    double days;
    if (s.size() >= 10 && s.begin[4] == '-' && read_date(s, days)) {
        if (dates) value = days;
        return cell_date;
    }
    if (is_grouped(s, other, point)) return cell_thousands;
    if (is_plain(s, other)) return cell_other_decimal;
    if (s.end[-1] == '%' && is_amount({s.begin, s.end - 1}, point, other)) return cell_percent;
    if (is_currency(s, point, other)) return cell_currency;
    return cell_other;
}

// Up to eight digits and nothing else, the first of several no zero.
TALLY_INLINE bool read_short(Span s, double& value) {
    if (s.room - s.begin < 8 || (*s.begin == '0' && s.size() > 1)) return false;
    const uint64_t v = bytes_at(s.begin) << (64 - 8 * s.size());
    value = static_cast<double>(static_cast<int64_t>(number_of(v)));
    return !no_digits(v);
}

constexpr uint64_t units[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// The number that the first n of 16 bytes make, n from 8 to 16; bad: not 0 where one of them is no digit. How many there
// are cannot be foreseen, and a wrong guess costs more than the number: no branch.
TALLY_INLINE uint64_t number_of_many(const char* p, size_t n, uint64_t& bad) {
#ifdef __SSE4_1__
    static constexpr uint8_t moved[32] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
                                          0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15};
    const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
    const __m128i digits =
        _mm_shuffle_epi8(_mm_xor_si128(load(p), _mm_set1_epi8('0')), load(moved + n));  // 0, ..., 0, digits
    bad = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits))) ^ 0xFFFF;
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));  // 10 and 1 times
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));  // 100 and 1 times
    const __m128i both = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const auto eights = static_cast<uint64_t>(_mm_cvtsi128_si64(both));
    return (eights & 0xFFFFFFFF) * 100000000 + (eights >> 32);
#else
    const uint64_t a = bytes_at(p), b = bytes_at(p + n - 8) & (n == 8 ? 0 : ~uint64_t{0} << (128 - 8 * n));
    bad = no_digits(a) | no_digits(b);
    return number_of(a) * units[n - 8] + number_of(b);
#endif
}

// The most frequent number: a digit, the point, 8 to 18 digits more. False: it is none, or must be read with care.
TALLY_INLINE bool read_usual(Span s, char point, double& value) {
    static constexpr uint64_t ones[] = {1, 1, 10}, masks[] = {0, 0xFF, 0xFFFF};
    const bool negative = *s.begin == '-';
    const char* p = s.begin + negative;
    const int64_t places = s.end - p - 2;
    if (places < 8 || places > 18 || p[1] != point || s.room - p < 20) return false;
    const uint64_t first = static_cast<uint8_t>(p[0] - '0');
    const size_t n = static_cast<size_t>(std::min<int64_t>(places, 16)), more = static_cast<size_t>(places) - n;
    uint64_t bad;
    const uint64_t many = number_of_many(p + 2, n, bad);
    uint16_t behind;  // up to two digits more
    std::memcpy(&behind, p + 18, 2);
    const uint64_t last = (behind ^ 0x3030u) & masks[more];
    if ((bad | no_digits(last) | (first > 9)) != 0) return false;
    const uint64_t mantissa =
        (first * 100000000 * units[n - 8] + many) * units[more] + (last & 0xFF) * ones[more] + (last >> 8);
    if (mantissa == 0 || !nearest(mantissa, -static_cast<int>(places), value)) return false;
    value = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | static_cast<uint64_t>(negative) << 63);
    return true;
}

inline CellKind read_any(Span s, char point, bool dates, double& value) {
    value = std::numeric_limits<double>::quiet_NaN();
    if (s.size() == 0 || s.size() > longest_number) return cell_other;
    if (is_digit(*s.begin) || *s.begin == '-' || *s.begin == '+' || *s.begin == point) {
        Decimal d;
        if (scan(s, point, d) == s.end) {
            value = value_of(s, point, d);
            if (d.integer && d.leading_zero) return cell_leading_zeros;
            if (d.integer) return exact(s, d, value) ? cell_integer : cell_inexact;
            return std::isinf(value) ? cell_infinite : cell_number;
        }
    }
    return look(s, point, dates, value);
}

// Inlined whatever happens: a span handed over is written and read back in other widths, and that takes long.
TALLY_INLINE CellKind read(Span s, char point, bool dates, double& value) {
    if (by_eights && s.size() - 1 < 8 && read_short(s, value)) return cell_integer;  // none has no bytes
    if (by_eights && s.size() > 8 && read_usual(s, point, value)) return cell_number;
    return read_any(s, point, dates, value);
}

inline bool is_mark(Span s, const Marks& marks) {
    for (size_t m = 0; m < marks.count; ++m) {
        const size_t n = static_cast<size_t>(marks.offsets[m + 1] - marks.offsets[m]);
        if (n == s.size() && (n == 0 || std::memcmp(marks.data + marks.offsets[m], s.begin, n) == 0)) return true;
    }
    return false;
}

}  // namespace cells

struct MarkTest {  // which cells are marks, asked by their first byte and length: most need no comparison
    const Marks& marks;
    size_t longest[256] = {};  // of the marks with this first byte
    bool empty_is_mark = false;

    explicit MarkTest(const Marks& given) : marks(given) {
        for (size_t m = 0; m < marks.count; ++m) {
            const auto size = static_cast<size_t>(marks.offsets[m + 1] - marks.offsets[m]);
            if (size == 0)
                empty_is_mark = true;
            else if (size_t& known = longest[static_cast<uint8_t>(marks.data[marks.offsets[m]])]; known < size)
                known = size;
        }
    }

    // What a cell without outer space is; value: NaN where it is not a number.
    TALLY_INLINE CellKind read(cells::Span s, char point, bool dates, double& value) const {
        const bool maybe = s.size() ? s.size() <= longest[static_cast<uint8_t>(*s.begin)] : empty_is_mark;
        if (!maybe || !cells::is_mark(s, marks)) return cells::read(s, point, dates, value);
        value = std::numeric_limits<double>::quiet_NaN();
        return cell_missing;
    }
};

// values[row], kinds[row] for every cell; counts[kind] += cells, first[kind] = the first row of it (left alone if none).
// validity may be null; bit (bit_offset + row) says that the cell is there. Cell row is data[offsets[row], offsets[row+1]).
template <class Offset>
void parse_numbers(size_t rows, const char* data, const Offset* offsets, const uint8_t* validity, size_t bit_offset,
                   const Marks& marks, char point, bool dates, double* values, uint8_t* kinds, int64_t* counts,
                   int64_t* first) {
    const MarkTest test(marks);
    const char* room = data + offsets[rows];
    for (size_t row = 0; row < rows; ++row) {
        TALLY_REQUIRE(offsets[row] >= 0 && offsets[row] <= offsets[row + 1]);
        const size_t bit = bit_offset + row;
        double value = std::numeric_limits<double>::quiet_NaN();
        CellKind kind = cell_missing;
        if (!validity || (validity[bit >> 3] >> (bit & 7) & 1)) {
            kind = test.read(cells::stripped({data + offsets[row], data + offsets[row + 1], room}), point, dates, value);
        }
        values[row] = value;
        kinds[row] = kind;
        if (counts[kind]++ == 0) first[kind] = static_cast<int64_t>(row);
    }
}

}  // namespace tally
