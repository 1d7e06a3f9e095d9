// Texts to word counts: the words of the pattern (?u)\b\w\w+\b on the lower-cased text, found and counted per row.
//
// Knows UTF-8 and the tables of unicode_tables.hpp. A word is a longest run of at least two word characters.
// Bytes that are no UTF-8 are no word characters. All memory is the caller's; where it runs short a kernel stops before
// the row at hand, says what is short (Stop), and goes on from there when called again.
// Law: the words of a row are those of Python's re.findall(pattern, text.lower()), for the Unicode version of the tables.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/common.hpp"
#include "kernels/numbers.hpp"
#include "kernels/unicode_tables.hpp"

namespace tally {

struct Texts {  // a string column in Arrow layout; validity may be null
    size_t rows;
    const uint8_t* data;
    const int64_t* offsets;
    const uint8_t* validity;
    size_t bit_offset;
    Marks marks;  // a text that is one of them is missing: it has no words

    bool has(size_t row) const {
        TALLY_REQUIRE(offsets[row] >= 0 && offsets[row] <= offsets[row + 1]);
        const size_t bit = bit_offset + row;
        if (validity && !(validity[bit >> 3] >> (bit & 7) & 1)) return false;
        const char* text = reinterpret_cast<const char*>(data);
        return marks.count == 0 || !cells::is_mark(cells::stripped({text + offsets[row], text + offsets[row + 1]}), marks);
    }
};

// Word w is arena[starts[w], starts[w + 1]). slots: open addressing by hash; 0 is free, else hash << 32 | w + 1.
// At most half of the slots are ever used, so a search always ends.
struct WordTable {
    uint64_t* slots;
    size_t capacity;  // a power of two, at most 2^32
    int64_t* starts;  // room for capacity / 2 + 1
    size_t words;
    uint8_t* arena;
    size_t arena_size;
};

// Rows one after the other: row r has lengths[r] entries of words and counts.
struct WordRows {
    uint32_t* lengths;
    uint32_t* words;
    uint32_t* counts;
    size_t room;  // for entries
};

// Per word of the table and one more for unseen words: the row it was last seen in, its entry there, its rows so far.
struct WordSeen {
    int64_t* row;
    uint32_t* entry;
    int64_t* documents;
};

enum Stop : int { stop_done, stop_words, stop_arena, stop_scratch, stop_entries };

namespace tokens {

inline uint64_t load8(const uint8_t* p) {
    uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline uint64_t load4(const uint8_t* p) {
    uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}
inline uint64_t fold(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Reads no byte beyond n. The value decides where a word lies in a table, never what a result is.
inline uint32_t hash_word(const uint8_t* p, size_t n) {
    constexpr uint64_t k1 = 0x9E3779B97F4A7C15, k2 = 0xC2B2AE3D27D4EB4F;
    uint64_t h = k1 ^ n, a, b;
    if (n >= 8) {
        for (size_t i = 0; i + 16 < n; i += 16) h = fold(load8(p + i) ^ h, load8(p + i + 8) ^ k2);
        a = load8(n > 16 ? p + n - 16 : p);
        b = load8(p + n - 8);
    } else if (n >= 4) {
        a = load4(p);
        b = load4(p + n - 4);
    } else {
        a = n ? static_cast<uint64_t>(p[0]) | static_cast<uint64_t>(p[n / 2]) << 8 : 0;
        b = n ? p[n - 1] : 0;
    }
    return static_cast<uint32_t>(fold(fold(a ^ h, b ^ k2), k1) >> 16);
}

constexpr uint32_t no_word = 0xFFFFFFFF;

// The number of a word, or no_word and the free slot where it belongs.
inline uint32_t find(const WordTable& t, const uint8_t* word, size_t n, uint32_t hash, size_t& slot) {
    const size_t mask = t.capacity - 1;
    for (slot = hash & mask;; slot = (slot + 1) & mask) {
        const uint64_t held = t.slots[slot];
        if (held == 0) return no_word;
        if (held >> 32 != hash) continue;
        const uint32_t w = static_cast<uint32_t>(held) - 1;
        if (static_cast<size_t>(t.starts[w + 1] - t.starts[w]) == n && std::memcmp(t.arena + t.starts[w], word, n) == 0)
            return w;
    }
}

inline Stop insert(WordTable& t, const uint8_t* word, size_t n, uint32_t hash, size_t slot) {
    if (t.words >= t.capacity / 2) return stop_words;
    const int64_t end = t.starts[t.words];
    if (t.arena_size - static_cast<size_t>(end) < n) return stop_arena;
    if (n) std::memcpy(t.arena + end, word, n);
    t.starts[++t.words] = end + static_cast<int64_t>(n);
    t.slots[slot] = static_cast<uint64_t>(hash) << 32 | t.words;
    return stop_done;
}

// One character at p: its code and its length; bytes that are no UTF-8 come out one by one as U+FFFD, which is no letter.
inline uint32_t decode(const uint8_t* p, const uint8_t* end, size_t& length) {
    const auto more = [&](size_t i) { return p + i < end && (p[i] & 0xC0) == 0x80; };
    const uint32_t b = *p;
    length = 1;
    if (b < 0x80) return b;
    if (b >= 0xC2 && b < 0xE0 && more(1)) {
        length = 2;
        return (b & 31) << 6 | (p[1] & 63);
    }
    if (b >= 0xE0 && b < 0xF0 && more(1) && more(2)) {
        const uint32_t c = (b & 15) << 12 | (p[1] & 63u) << 6 | (p[2] & 63);
        if (c >= 0x800 && (c < 0xD800 || c >= 0xE000)) return length = 3, c;
    }
    if (b >= 0xF0 && b < 0xF5 && more(1) && more(2) && more(3)) {
        const uint32_t c = (b & 7) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63);
        if (c >= 0x10000 && c < 0x110000) return length = 4, c;
    }
    return 0xFFFD;
}

inline uint8_t* encode(uint32_t c, uint8_t* out) {
    const auto put = [&](uint32_t byte) { *out++ = static_cast<uint8_t>(byte); };
    if (c < 0x80) return put(c), out;
    if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 63)), out;
    if (c < 0x10000) return put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63)), out;
    return put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63)), out;
}

inline const UnicodeRecord& record(uint32_t c) {
    return unicode_records[unicode_blocks[unicode_pages[c >> 7]][c & 127]];
}

// A capital sigma ends its word, and is written ς, when a cased letter stands before it and none after it,
// characters such as the apostrophe skipped. Each look ends at the next sigma at the latest, so all take linear time.
inline bool is_final_sigma(const uint8_t* begin, const uint8_t* sigma, const uint8_t* end) {
    size_t n;
    const uint8_t* p = sigma;
    for (uint8_t flags = unicode_ignorable; flags & unicode_ignorable;) {
        if (p == begin) return false;
        const uint8_t* before = p--;
        while (p > begin && before - p < 4 && (*p & 0xC0) == 0x80) --p;
        uint32_t c = decode(p, end, n);
        if (p + n != before) p = before - 1, c = 0xFFFD;  // a stray byte
        flags = record(c).flags;
        if (!(flags & unicode_ignorable) && !(flags & unicode_cased)) return false;
    }
    for (p = sigma + 2; p < end; p += n) {
        const uint8_t flags = record(decode(p, end, n)).flags;
        if (!(flags & unicode_ignorable)) return !(flags & unicode_cased);
    }
    return true;
}

constexpr uint8_t not_ascii = 0x80;

struct AsciiTable {  // byte -> its lower case if a word character, 0 if not, not_ascii from 128 on
    uint8_t lower[256] = {};
    constexpr AsciiTable() {
        for (int b = 0; b < 256; ++b) {
            const bool capital = b >= 'A' && b <= 'Z';
            const bool word = capital || (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9') || b == '_';
            lower[b] = static_cast<uint8_t>(b >= 128 ? not_ascii : word ? (capital ? b + 32 : b) : 0);
        }
    }
};
inline constexpr AsciiTable ascii;

// Calls found(word, bytes) for each word of a text; it returns stop_done to go on. scratch holds one word at a time and
// must have room for half as much again as the longest run of word characters has bytes, and 4 more.
template <class Found>
Stop each_word(const uint8_t* begin, const uint8_t* end, uint8_t* scratch, size_t room, Found found) {
    const uint8_t* p = begin;
    while (true) {
        while (p < end && ascii.lower[*p] == 0) ++p;
        if (p == end) return stop_done;
        uint8_t* q = scratch;
        const uint8_t* limit = scratch + room - 4;
        size_t characters = 0;
        bool inside = true;
        while (inside && p < end) {
            if (q > limit) return stop_scratch;
            const uint8_t low = ascii.lower[*p];
            if (low == 0) break;
            if (low != not_ascii) {
                *q++ = low;
                ++p;
                ++characters;
                continue;
            }
            size_t n;
            uint32_t c = decode(p, end, n);
            const UnicodeRecord& r = record(c);
            inside = r.flags & unicode_word;
            if (inside) {
                ++characters;
                if (c == 0x3A3 && is_final_sigma(begin, p, end)) q = encode(0x3C2, q);
                else q = encode(c + static_cast<uint32_t>(r.lower), q);
                inside = c != 0x130;  // its lower case is i and a dot above, and the dot ends the word
            }
            p += n;
        }
        if (characters >= 2)
            if (const Stop stop = found(scratch, static_cast<size_t>(q - scratch)); stop != stop_done) return stop;
    }
}

}  // namespace tokens

// Counts the words of the rows from `row` on; row and entries tell how far it came. With `frozen` the table stays as it
// is and every word that is not in it counts as the word number table.words.
// The entries of a row are in order of first appearance; documents[word] += 1 for each row with the word.
inline Stop count_words(const Texts& texts, size_t& row, WordTable& table, bool frozen, const WordSeen& seen,
                        const WordRows& out, size_t& entries, uint8_t* scratch, size_t scratch_room) {
    for (; row < texts.rows; ++row) {
        const size_t first = entries;
        Stop stop = stop_done;
        if (texts.has(row)) {
            const auto found = [&](const uint8_t* word, size_t n) {
                const uint32_t hash = tokens::hash_word(word, n);
                size_t slot;
                uint32_t w = tokens::find(table, word, n, hash, slot);
                if (w == tokens::no_word) {
                    w = static_cast<uint32_t>(table.words);
                    if (!frozen)
                        if (const Stop full = tokens::insert(table, word, n, hash, slot); full != stop_done) return full;
                }
                if (seen.row[w] == static_cast<int64_t>(row)) {
                    ++out.counts[seen.entry[w]];
                    return stop_done;
                }
                if (entries == out.room) return stop_entries;
                seen.row[w] = static_cast<int64_t>(row);
                seen.entry[w] = static_cast<uint32_t>(entries);
                ++seen.documents[w];
                out.words[entries] = w;
                out.counts[entries++] = 1;
                return stop_done;
            };
            stop = tokens::each_word(texts.data + texts.offsets[row], texts.data + texts.offsets[row + 1], scratch,
                                     scratch_room, found);
        }
        if (stop != stop_done) {  // forget the row; its words may stay in the table, they are in no row yet
            for (size_t e = first; e < entries; ++e) {
                --seen.documents[out.words[e]];
                seen.row[out.words[e]] = -1;
            }
            entries = first;
            return stop;
        }
        out.lengths[row] = static_cast<uint32_t>(entries - first);
    }
    return stop_done;
}

// Puts the words of one table into another from number `word` on; place[w] = the number there.
inline Stop merge_words(const WordTable& from, size_t& word, WordTable& into, uint32_t* place) {
    for (; word < from.words; ++word) {
        const uint8_t* text = from.arena + from.starts[word];
        const size_t n = static_cast<size_t>(from.starts[word + 1] - from.starts[word]);
        const uint32_t hash = tokens::hash_word(text, n);
        size_t slot;
        uint32_t w = tokens::find(into, text, n, hash, slot);
        if (w == tokens::no_word) {
            w = static_cast<uint32_t>(into.words);
            if (const Stop full = tokens::insert(into, text, n, hash, slot); full != stop_done) return full;
        }
        place[word] = w;
    }
    return stop_done;
}

// Moves all slots into a larger, empty array of slots.
inline void move_slots(const uint64_t* from, size_t from_capacity, uint64_t* into, size_t capacity) {
    for (size_t i = 0; i < from_capacity; ++i) {
        if (from[i] == 0) continue;
        size_t slot = (from[i] >> 32) & (capacity - 1);
        while (into[slot] != 0) slot = (slot + 1) & (capacity - 1);
        into[slot] = from[i];
    }
}

// order[rank] = word, by the words' bytes. keys is scratch: a word's first eight bytes decide most comparisons.
struct WordKey {
    uint64_t prefix;
    uint64_t word;
};
inline void sort_words(const WordTable& t, WordKey* keys, uint32_t* order) {
    const auto length = [&](uint64_t w) { return static_cast<size_t>(t.starts[w + 1] - t.starts[w]); };
    for (size_t w = 0; w < t.words; ++w) {
        uint64_t prefix = 0;
        const size_t n = length(w);
        for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | (i < n ? t.arena[t.starts[w] + static_cast<int64_t>(i)] : 0);
        keys[w] = {prefix, w};
    }
    std::sort(keys, keys + t.words, [&](const WordKey& a, const WordKey& b) {
        if (a.prefix != b.prefix) return a.prefix < b.prefix;
        const size_t m = length(a.word), n = length(b.word);
        const int c = std::memcmp(t.arena + t.starts[a.word], t.arena + t.starts[b.word], std::min(m, n));
        return c != 0 ? c < 0 : m < n;
    });
    for (size_t i = 0; i < t.words; ++i) order[i] = static_cast<uint32_t>(keys[i].word);
}

// Renumbers the words of rows by place[word] (null: as they are), in place, rising within each row. The number `unseen`
// may come from many words and becomes one entry. Returns the entries left. row_scratch holds the longest row.
inline size_t place_words(size_t rows, const uint32_t* place, uint32_t unseen, const WordRows& out,
                          uint64_t* row_scratch) {
    size_t from = 0, to = 0;
    for (size_t row = 0; row < rows; ++row) {
        size_t n = 0;
        uint32_t rest = 0;
        TALLY_REQUIRE(from + out.lengths[row] <= out.room);
        for (const size_t stop = from + out.lengths[row]; from < stop; ++from) {
            const uint32_t w = place ? place[out.words[from]] : out.words[from];
            if (w == unseen) rest += out.counts[from];
            else row_scratch[n++] = static_cast<uint64_t>(w) << 32 | out.counts[from];
        }
        std::sort(row_scratch, row_scratch + n);
        out.lengths[row] = static_cast<uint32_t>(n + (rest > 0));
        for (size_t i = 0; i < n; ++i, ++to) {
            out.words[to] = static_cast<uint32_t>(row_scratch[i] >> 32);
            out.counts[to] = static_cast<uint32_t>(row_scratch[i]);
        }
        if (rest > 0) {
            out.words[to] = unseen;
            out.counts[to++] = rest;
        }
    }
    return to;
}

}  // namespace tally
