// Rows of separated text cut into cells, and columns of cells read as numbers, where they lie in the block.
//
// Knows bytes, one separator and line ends. Quoted cells are not its business, nor is what a column means.
// Law: the cells are those of the block cut at every separator and line end; a number is what numbers.hpp reads.
#pragma once

#include <algorithm>
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/csv/numbers.hpp"

namespace tally {

struct Cut {  // cell (row, column) ends at ends[row * columns + column], where its separator or line end stands
    const char* data;
    const uint32_t* ends;
    size_t rows, columns;

    // Ask for a cell some rows ahead: those of one column lie far apart.
    void prefetch(size_t row, size_t column) const {
        constexpr size_t ahead = 16;
        if (row + ahead < rows) TALLY_PREFETCH(data + ends[(row + ahead) * columns + column]);
    }

    TALLY_INLINE cells::Span cell(size_t row, size_t column) const {
        const size_t i = row * columns + column;
        return {data + (i ? ends[i - 1] + 1 : 0), data + ends[i], data + ends[rows * columns - 1]};
    }
};

namespace cells {

constexpr size_t sampled = 100, few = 12;  // as cells.py: cells looked at, and values that may be levels elsewhere
constexpr size_t tile_bytes = 1 << 17;     // text that is read for all columns while it is near

// A bit for each of 64 bytes that is this one.
inline uint64_t places(const char* p, char c) {
    uint64_t out = 0;
#ifdef __SSE2__
    for (int i = 0; i < 4; ++i) {
        const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        out |= uint64_t(unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_set1_epi8(c))))) << (16 * i);
    }
#else
    for (int i = 0; i < 64; ++i) out |= uint64_t{p[i] == c} << i;
#endif
    return out;
}

// Rows whose text is near at once.
inline size_t tile_rows(const Cut& cut) {
    const size_t bytes = cut.rows ? cut.ends[cut.rows * cut.columns - 1] : 0;
    return std::max<size_t>(16, tile_bytes / (bytes / std::max<size_t>(cut.rows, 1) + 1));
}

// Some number that equal texts share; most others do not.
TALLY_INLINE uint64_t hash(Span s) {
    uint64_t h = s.size() * 0x9E3779B97F4A7C15, v = 0;
    for (; s.size() >= 8; s.begin += 8) {
        std::memcpy(&v, s.begin, 8);
        h = (h ^ v) * 0xBF58476D1CE4E5B9;
        h ^= h >> 32;
    }
    v = 0;
    for (; s.begin < s.end; ++s.begin) v = v << 8 | static_cast<uint8_t>(*s.begin);
    h = (h ^ v) * 0x94D049BB133111EB;
    return h ^ h >> 32;
}

inline bool same(Span a, Span b) { return a.size() == b.size() && std::memcmp(a.begin, b.begin, a.size()) == 0; }

// See tally::cut_cells.
inline int64_t cut(const char* data, size_t size, size_t columns, char separator, uint32_t* ends) {
    size_t n = 0, full = columns;  // cells so far; as many as there must be when this row ends
    for (size_t at = 0; at < size; at += 64) {
        char last[64] = {};
        const char* p = data + at;
        if (size - at < 64) p = static_cast<const char*>(std::memcpy(last, p, size - at));
        const uint64_t lines = places(p, '\n'), returns = places(p, '\r');
        if (uint64_t lone = returns & ~(lines >> 1)) {
            if (lone != uint64_t{1} << 63 || at + 64 >= size || data[at + 64] != '\n') return -1;
        }
        const uint64_t both = lines | places(p, separator);
        for (uint64_t line = lines; line; line &= line - 1, full += columns)
            if (n + static_cast<size_t>(std::popcount(both & (line ^ (line - 1)))) != full) return -1;
        size_t next = n;  // always four at a time: how many there are cannot be foreseen, and a wrong guess costs more
        for (uint64_t left = both; left; next += 4)
            for (size_t i = 0; i < 4; ++i, left &= left - 1)
                ends[next + i] = static_cast<uint32_t>(at) + static_cast<uint32_t>(std::countr_zero(left));
        n += static_cast<size_t>(std::popcount(both));
    }
    if (size && data[size - 1] != '\n') {
        ends[n++] = static_cast<uint32_t>(size);
        if (n != full) return -1;
    }
    return static_cast<int64_t>(n / columns);
}

}  // namespace cells

// Fills ends; returns the rows, or -1 where the block is not plain: a row of more or fewer cells, an empty line, a
// carriage return that ends no line. ends has room for 8 cells more than the block has bytes.
inline int64_t cut_cells(const char* data, size_t size, size_t columns, char separator, uint32_t* ends) {
    return run_fast([=] { return cells::cut(data, size, columns, separator, ends); });
}

// What some text holds, in one look. end: behind its last line feed, 0 without one.
struct TextLook {
    size_t lines = 0, end = 0;         // line feeds, and where the last of them ends
    bool odd = false, beyond = false;  // a quote or a NUL byte; a byte beyond ASCII
    bool holds = false;                // the byte that is asked for
};

namespace cells {

inline TextLook look_at(const char* data, size_t size, char asked) {
    constexpr size_t wide = 64, most = 255;  // bytes side by side, and how often each is added to
    TextLook out;
    for (size_t at = 0; at < size;) {
        uint8_t lines[wide] = {}, odd[wide] = {}, beyond[wide] = {}, holds[wide] = {};
        for (size_t i = 0; i < most && at < size; ++i, at += wide) {
            char last[wide];
            const char* p = data + at;
            if (size - at < wide) {
                std::memset(last, asked == ' ' ? 'x' : ' ', wide);  // says nothing
                p = static_cast<const char*>(std::memcpy(last, p, size - at));
            }
            for (size_t k = 0; k < wide; ++k) {
                lines[k] = static_cast<uint8_t>(lines[k] + (p[k] == '\n'));
                odd[k] |= static_cast<uint8_t>((p[k] == '"') | (p[k] == 0));
                beyond[k] |= static_cast<uint8_t>(p[k]) & 0x80;
                holds[k] |= static_cast<uint8_t>(p[k] == asked);
            }
        }
        for (size_t k = 0; k < wide; ++k) {
            out.lines += lines[k];
            out.odd |= odd[k] != 0;
            out.beyond |= beyond[k] != 0;
            out.holds |= holds[k] != 0;
        }
    }
    for (size_t at = size; out.lines && !out.end; --at)
        if (data[at - 1] == '\n') out.end = at;
    return out;
}

}  // namespace cells

inline TextLook look_at_text(const char* data, size_t size, char asked) {
    return run_fast([=] { return cells::look_at(data, size, asked); });
}

namespace cells {

constexpr uint32_t bit(CellKind kind) { return 1u << kind; }
constexpr uint32_t numbers = bit(cell_missing) | bit(cell_number) | bit(cell_integer) | bit(cell_infinite);
constexpr uint32_t dates = bit(cell_missing) | bit(cell_date);

// Is it worth reading this column as numbers? The first cells are numbers, dates or missing, and not a few over and over.
inline bool looks_numeric(const Cut& cut, size_t column, const MarkTest& marks, char point) {
    Span known[few + 1];
    size_t distinct = 0;
    double value;
    for (size_t row = 0; row < std::min(cut.rows, sampled); ++row) {
        const Span s = stripped(cut.cell(row, column));  // the last cell of a row may end in a carriage return
        if (bit(marks.read(s, point, true, value)) & ~(numbers | dates)) return false;
        if (distinct <= few && std::none_of(known, known + distinct, [&](Span k) { return same(k, s); }))
            known[distinct++] = s;
    }
    return distinct > few;
}

}  // namespace cells

// seen[column], of the columns where it is 0: all bits are set for one that does not look like numbers.
inline void look_at_columns(const Cut& cut, const Marks& marks, char point, uint32_t* seen) {
    const MarkTest test(marks);
    for (size_t j = 0; j < cut.columns; ++j)
        if (!seen[j] && !cells::looks_numeric(cut, j, test, point)) seen[j] = ~0u;
}

// Columns of few texts, outer space left out: codes[i, row] of column columns[i], texts[i, code, 0 and 1] where each text
// was met first and how many bytes it has, counts[i, code] its rows, and known[i] how many texts there are, -1 where they are
// more than `most`. slots[i, slot]: a power of two above twice as many, all 0; keys[i, code]. Some rows are coded for all
// columns before the next ones.
struct Coding {
    uint16_t* codes;
    uint32_t* texts;
    int64_t* counts;
    uint16_t* slots;
    uint64_t* keys;
    int64_t* known;
    size_t n_slots, most;
};

namespace cells {

TALLY_INLINE bool is_short(size_t size) { return by_eights && size - 1 < 8; }  // none has no bytes

// Up to eight bytes as a number, others as their hash: what is equal has the same, and short texts of one size are equal then.
TALLY_INLINE uint64_t key_of(Span s) {
    if (!is_short(s.size())) return hash(s);
    uint64_t v = 0;
    std::memcpy(&v, s.begin, s.room - s.begin >= 8 ? 8 : s.size());
    return v << (64 - 8 * s.size());
}

TALLY_INLINE void code_rows(const Cut& cut, size_t column, size_t begin, size_t end, size_t i, const Coding& to) {
    uint16_t *codes = to.codes + i * cut.rows, *slots = to.slots + i * to.n_slots;
    uint32_t* texts = to.texts + i * to.most * 2;
    int64_t* counts = to.counts + i * to.most;
    uint64_t* keys = to.keys + i * to.most;
    size_t known = static_cast<size_t>(to.known[i]);
    const int top = 64 - std::countr_zero(to.n_slots);
    for (size_t row = begin; row < end; ++row) {
        cut.prefetch(row, column);
        const Span s = stripped(cut.cell(row, column));
        const size_t size = s.size();
        const uint64_t key = key_of(s);
        size_t slot = (key ^ size) * 0x9E3779B97F4A7C15 >> top;  // the top bits of a product depend on all bits of a key
        for (; slots[slot]; slot = (slot + 1) & (to.n_slots - 1)) {
            const size_t code = slots[slot] - 1u;
            if (keys[code] == key && texts[2 * code + 1] == size
                && (is_short(size) || std::memcmp(cut.data + texts[2 * code], s.begin, size) == 0))
                break;
        }
        if (!slots[slot]) {
            if (known == to.most) {
                to.known[i] = -1;
                return;
            }
            keys[known] = key;
            texts[2 * known] = static_cast<uint32_t>(s.begin - cut.data);
            texts[2 * known + 1] = static_cast<uint32_t>(size);
            counts[known] = 0;
            slots[slot] = static_cast<uint16_t>(++known);
        }
        codes[row] = static_cast<uint16_t>(slots[slot] - 1);
        ++counts[codes[row]];
    }
    to.known[i] = static_cast<int64_t>(known);
}

TALLY_INLINE void code_all(const Cut& cut, const uint32_t* columns, size_t count, size_t begin, size_t end,
                           const Coding& to) {
    for (size_t i = 0; i < count; ++i)
        if (to.known[i] >= 0) code_rows(cut, columns[i], begin, end, i, to);
}

}  // namespace cells

inline void code_columns(const Cut& cut, const uint32_t* columns, size_t count, const Coding& to) {
    const size_t step = cells::tile_rows(cut);
    for (size_t begin = 0; begin < cut.rows; begin += step)
        cells::code_all(cut, columns, count, begin, std::min(begin + step, cut.rows), to);
}

// Columns read as numbers: values[i][row] of column columns[i], and seen[i] with a bit for each kind of cell met; a column
// that turns out to be texts is left half read.
struct NumberColumns {
    const uint32_t* columns;
    size_t count;
    double* const* values;
    uint32_t* seen;
};

// Reads some columns as numbers and codes others: some rows for all of them before the next ones, while their text is near.
inline void read_columns(const Cut& cut, const Marks& marks, char point, const NumberColumns& numbers, const uint32_t* coded,
                         size_t n_coded, const Coding& to) {
    const MarkTest test(marks);
    const size_t step = cells::tile_rows(cut);
    for (size_t begin = 0; begin < cut.rows; begin += step) {
        const size_t end = std::min(begin + step, cut.rows);
        for (size_t i = 0; i < numbers.count; ++i) {
            uint32_t kinds = numbers.seen[i];
            if ((kinds & ~cells::numbers) && (kinds & ~cells::dates)) continue;
            for (size_t row = begin; row < end; ++row) {
                cut.prefetch(row, numbers.columns[i]);
                const cells::Span s = cells::stripped(cut.cell(row, numbers.columns[i]));
                kinds |= cells::bit(test.read(s, point, true, numbers.values[i][row]));
            }
            numbers.seen[i] = kinds;
        }
        cells::code_all(cut, coded, n_coded, begin, end, to);
    }
}

// The cells of a column one after the other: offsets[row + 1] first (data is null), then their bytes.
inline void copy_cells(const Cut& cut, size_t column, int32_t* offsets, char* data) {
    if (!data) offsets[0] = 0;
    for (size_t row = 0; row < cut.rows; ++row) {
        if (data) cut.prefetch(row, column);
        const cells::Span s = cut.cell(row, column);
        if (data)
            std::memcpy(data + offsets[row], s.begin, s.size());
        else
            offsets[row + 1] = offsets[row] + static_cast<int32_t>(s.size());
    }
}

}  // namespace tally
