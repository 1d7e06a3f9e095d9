// Texts to word counts: the words of the pattern (?u)\b\w\w+\b on the lower-cased text, found and counted per row.
//
// Knows UTF-8 and the tables of unicode_tables.hpp. A word is a longest run of word characters.
// Bytes that are not UTF-8 are no word characters. All memory is the caller's; where it runs short a kernel stops before
// the row at hand, says what is short (Stop), and goes on from there when called again.
// Law: the words of a row are those of Python's re.findall(pattern, text.lower()), for the Unicode version of the tables.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/base/common.hpp"
#include "kernels/csv/numbers.hpp"
#include "kernels/text/unicode_tables.hpp"

namespace tally {

struct Texts {  // a string column in Arrow layout; validity may be null
    size_t rows;
    const uint8_t* data;
    size_t size;  // bytes of data
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

// What is known of a word, in one place because it is needed at one time.
struct Word {
    int64_t start;  // its bytes are arena[start, start + length)
    uint32_t length;
    uint32_t entry;     // the entry of that row that counts it
    int64_t row;        // the last row it was seen in
    int64_t documents;  // rows with the word so far
};

// Words by number. slots: open addressing by hash; 0 is free, else hash << 32 | number + 1. At most half of the slots
// are ever used, so a search always ends. arena: the bytes of all words, then at least 16 bytes that may be read.
struct WordTable {
    uint64_t* slots;
    size_t capacity;  // a power of two, at most 2^32
    Word* records;    // room for capacity / 2 + 1: the one after the last stands for unseen words
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

enum Stop : int { stop_done, stop_words, stop_arena, stop_scratch, stop_entries };

namespace tokens {

inline uint64_t load8(const uint8_t* p) {
    uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline uint64_t fold(uint64_t a, uint64_t b) {
    const auto product = static_cast<uint128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// A word to be looked up: its first 16 bytes with zeros behind the end, its text if it is longer, and a hash, which
// decides where a word lies in a table and never what a result is.
struct Key {
    uint64_t low, high;
    const uint8_t* text;
    uint32_t length;
    uint32_t hash;
};

struct Masks {  // masks[n]: the first n of 8 bytes
    uint64_t of[9] = {};
    constexpr Masks() {
        for (int n = 1; n <= 8; ++n) of[n] = of[n - 1] << 8 | 0xFF;
    }
};
inline constexpr Masks masks;
static_assert(std::endian::native == std::endian::little);

inline void first_16(const uint8_t* p, size_t n, uint64_t& low, uint64_t& high) {
    low = load8(p) & masks.of[std::min<size_t>(n, 8)];
    high = load8(p + 8) & masks.of[n <= 8 ? 0 : std::min<size_t>(n - 8, 8)];
}

inline Key key_of(const uint8_t* text, size_t n) {
    constexpr uint64_t k1 = 0x9E3779B97F4A7C15, k2 = 0xC2B2AE3D27D4EB4F;
    Key key{0, 0, text, static_cast<uint32_t>(n), 0};
    first_16(text, n, key.low, key.high);
    uint64_t h = fold(key.low ^ k1, key.high ^ k2);
    if (n > 16) {
        for (size_t i = 16; i + 16 < n; i += 16) h = fold(load8(text + i) ^ h, load8(text + i + 8) ^ k2);
        h = fold(load8(text + n - 16) ^ h, load8(text + n - 8) ^ k2);
    }
    key.hash = static_cast<uint32_t>((h ^ n) * k1 >> 32);
    return key;
}

inline bool same(const WordTable& t, const Word& word, const Key& key) {
    if (word.length != key.length) return false;
    const uint8_t* text = t.arena + word.start;
    uint64_t low, high;
    first_16(text, key.length, low, high);
    if (low != key.low || high != key.high) return false;
    return key.length <= 16 || std::memcmp(text + 16, key.text + 16, key.length - 16) == 0;
}

constexpr uint32_t no_word = 0xFFFFFFFF;

// The number of a word, or no_word and the free slot where it belongs.
inline uint32_t find(const WordTable& t, const Key& key, size_t& slot) {
    const size_t mask = t.capacity - 1;
    for (slot = key.hash & mask;; slot = (slot + 1) & mask) {
        const uint64_t held = t.slots[slot];
        if (held == 0) return no_word;
        if (held >> 32 != key.hash) continue;
        const uint32_t w = static_cast<uint32_t>(held) - 1;
        if (same(t, t.records[w], key)) return w;
    }
}

inline Stop insert(WordTable& t, const Key& key, size_t slot) {
    if (t.words >= t.capacity / 2) return stop_words;
    const int64_t end = t.words ? t.records[t.words - 1].start + t.records[t.words - 1].length : 0;
    if (t.arena_size - static_cast<size_t>(end) < key.length + 16) return stop_arena;
    std::memcpy(t.arena + end, &key.low, 8);
    std::memcpy(t.arena + end + 8, &key.high, 8);
    if (key.length > 16) std::memcpy(t.arena + end + 16, key.text + 16, key.length - 16);
    t.records[t.words++] = {end, key.length, 0, -1, 0};
    t.slots[slot] = static_cast<uint64_t>(key.hash) << 32 | t.words;
    return stop_done;
}

// One character at p: its code and its length; bytes that are not UTF-8 come out one by one as U+FFFD, which is not a letter.
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

inline const UnicodeRecord& record(uint32_t c) { return unicode_records[unicode_blocks[unicode_pages[c >> 7]][c & 127]]; }

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

// ---- the words of one text ----

struct Scratch {  // room for one word
    uint8_t* bytes;
    size_t room;
};

inline bool is_ascii_word(uint8_t b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
}

#ifdef __SSE2__
// Bytes of 16 that lie in low..high, both ASCII.
inline __m128i between(__m128i bytes, char low, char high) {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(low - 1))),
                         _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(high + 1))));
}

// Bit i tells whether byte i is an ASCII word character (word), or no ASCII (high).
inline void classify(const uint8_t* p, uint64_t& word, uint64_t& high) {
    word = high = 0;
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const __m128i letter = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
        const __m128i other = _mm_or_si128(between(bytes, '0', '9'), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
        word |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(letter, other)))) << 16 * i;
        high |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(bytes))) << 16 * i;
    }
}

inline void lower_16(const uint8_t* from, uint8_t* to) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i capital = _mm_and_si128(between(bytes, 'A', 'Z'), _mm_set1_epi8(0x20));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_or_si128(bytes, capital));
}
#else
inline void classify(const uint8_t* p, uint64_t& word, uint64_t& high) {
    word = high = 0;
    for (int i = 0; i < 64; ++i) {
        word |= static_cast<uint64_t>(is_ascii_word(p[i])) << i;
        high |= static_cast<uint64_t>(p[i] >> 7) << i;
    }
}

inline void lower_16(const uint8_t* from, uint8_t* to) {
    for (int i = 0; i < 16; ++i) to[i] = static_cast<uint8_t>(from[i] >= 'A' && from[i] <= 'Z' ? from[i] + 32 : from[i]);
}
#endif

// Words of a run [p, stop) of bytes that are ASCII word characters or no ASCII: character by character.
template <class Found>
Stop each_word_of_any(const uint8_t* begin, const uint8_t* end, const uint8_t* p, const uint8_t* stop, Scratch scratch,
                      Found& found) {
    if (scratch.room < 2 * static_cast<size_t>(stop - p) + 16) return stop_scratch;  // lower case may be longer
    while (p < stop) {
        uint8_t* q = scratch.bytes;
        size_t characters = 0;
        for (bool inside = true; inside && p < stop;) {
            size_t n;
            const uint32_t c = decode(p, stop, n);
            const UnicodeRecord& r = record(c);
            inside = r.flags & unicode_word;
            if (inside) {
                const bool last_sigma = c == 0x3A3 && is_final_sigma(begin, p, end);
                q = encode(last_sigma ? 0x3C2 : c + static_cast<uint32_t>(r.lower), q);
                ++characters;
                inside = c != 0x130;  // its lower case is i and a dot above, and the dot ends the word
            }
            p += n;
        }
        if (characters == 0) continue;
        if (const Stop s = found(scratch.bytes, static_cast<size_t>(q - scratch.bytes)); s != stop_done) return s;
    }
    return stop_done;
}

// A run of n ASCII word characters: it is one word. Bytes up to limit may be read.
template <class Found>
Stop ascii_word(const uint8_t* p, size_t n, const uint8_t* limit, Scratch scratch, Found& found) {
    if (scratch.room < n + 16) return stop_scratch;
    if (static_cast<size_t>(limit - p) < n + 16) {
        std::memcpy(scratch.bytes, p, n);
        p = scratch.bytes;
    }
    for (size_t i = 0; i < n; i += 16) lower_16(p + i, scratch.bytes + i);
    return found(scratch.bytes, n);
}

// Calls found(word, bytes) for each word of a text, lower-cased, with 16 bytes that may be read; found returns stop_done
// to go on. Bytes up to limit may be read.
template <class Found>
Stop each_word(const uint8_t* begin, const uint8_t* end, const uint8_t* limit, Scratch scratch, Found found) {
    const uint8_t* start = nullptr;  // of the run that is open at the end of a block of 64 bytes
    bool any = false;                // that run has bytes that are not ASCII
    const auto emit = [&](const uint8_t* stop) {
        if (any) return each_word_of_any(begin, end, start, stop, scratch, found);
        return ascii_word(start, static_cast<size_t>(stop - start), limit, scratch, found);
    };
    for (const uint8_t* block = begin; block < end; block += 64) {
        uint8_t tail[64] = {};
        const size_t left = static_cast<size_t>(end - block);
        if (left < 64) std::memcpy(tail, block, left);
        uint64_t word, high;
        classify(left < 64 ? tail : block, word, high);
        uint64_t run = word | high;  // bits below the place we are at do not count
        for (uint64_t here = ~0ull; here;) {
            if (!start) {
                if (!(run & here)) break;
                const int first = std::countr_zero(run & here);
                start = block + first;
                any = false;
                here = ~0ull << first;
            }
            const uint64_t stops = ~run & here;
            if (!stops) {
                any |= (high & here) != 0;
                break;
            }
            const int last = std::countr_zero(stops);
            any |= (high & here & ((1ull << last) - 1)) != 0;
            if (const Stop s = emit(block + last); s != stop_done) return s;
            start = nullptr;
            here = ~0ull << last;
        }
    }
    return start ? emit(end) : stop_done;
}

}  // namespace tokens

// Counts the words of the rows from `row` on; row and entries tell how far it came. With `frozen` no word is added and
// every word that is not there counts as the number table.words.
// The entries of a row are in order of first appearance.
inline Stop count_words(const Texts& texts, size_t& row, WordTable& table, bool frozen, const WordRows& out, size_t& entries,
                        tokens::Scratch scratch) {
    const auto count = [&](const tokens::Key& key) {
        size_t slot;
        uint32_t w = tokens::find(table, key, slot);
        if (w == tokens::no_word) {
            w = static_cast<uint32_t>(table.words);
            if (!frozen)
                if (const Stop full = tokens::insert(table, key, slot); full != stop_done) return full;
        }
        Word& word = table.records[w];
        if (word.row == static_cast<int64_t>(row)) {
            ++out.counts[word.entry];
            return stop_done;
        }
        if (entries == out.room) return stop_entries;
        word.row = static_cast<int64_t>(row);
        word.entry = static_cast<uint32_t>(entries);
        ++word.documents;
        out.words[entries] = w;
        out.counts[entries++] = 1;
        return stop_done;
    };
    // Words wait in a batch while the memory they will touch is fetched: a large table lies outside the cache.
    tokens::Key batch[32];
    size_t waiting = 0;
    const auto flush = [&] {
        for (size_t i = 0; i < waiting; ++i)
            if (const uint64_t held = table.slots[batch[i].hash & (table.capacity - 1)])
                TALLY_PREFETCH(&table.records[static_cast<uint32_t>(held) - 1]);
        Stop stop = stop_done;
        for (size_t i = 0; i < waiting && stop == stop_done; ++i) stop = count(batch[i]);
        waiting = 0;
        return stop;
    };
    const auto found = [&](const uint8_t* text, size_t n) {
        const tokens::Key key = tokens::key_of(text, n);
        if (n > 16) return count(key);  // its text does not stay
        TALLY_PREFETCH(&table.slots[key.hash & (table.capacity - 1)]);
        batch[waiting++] = key;
        return waiting == std::size(batch) ? flush() : stop_done;
    };
    for (; row < texts.rows; ++row) {
        const size_t first = entries;
        if (texts.has(row)) {
            Stop stop = tokens::each_word(texts.data + texts.offsets[row], texts.data + texts.offsets[row + 1],
                                          texts.data + texts.size, scratch, found);
            if (stop == stop_done) stop = flush();
            if (stop != stop_done) {  // forget the row; its words may stay in the table, in no row yet
                for (; entries > first; --entries) {
                    Word& word = table.records[out.words[entries - 1]];
                    --word.documents;
                    word.row = -1;
                }
                return stop;
            }
        }
        out.lengths[row] = static_cast<uint32_t>(entries - first);
    }
    return stop_done;
}

// Puts the words of one table into another from number `word` on; place[w] = the number there.
inline Stop merge_words(const WordTable& from, size_t& word, WordTable& into, uint32_t* place) {
    for (; word < from.words; ++word) {
        const tokens::Key key = tokens::key_of(from.arena + from.records[word].start, from.records[word].length);
        size_t slot;
        uint32_t w = tokens::find(into, key, slot);
        if (w == tokens::no_word) {
            w = static_cast<uint32_t>(into.words);
            if (const Stop full = tokens::insert(into, key, slot); full != stop_done) return full;
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

// order[rank] = word, by the words' bytes. Words are dealt by their first two bytes, then sorted among their likes. keys is
// scratch: a word's first eight bytes decide most comparisons.
struct WordKey {
    uint64_t prefix;
    uint64_t word;
};
inline void sort_words(const WordTable& t, WordKey* keys, uint32_t* order) {
    const auto prefix = [&](size_t w) {
        uint64_t low, high;
        tokens::first_16(t.arena + t.records[w].start, t.records[w].length, low, high);
        return bytes_turned(low);
    };
    std::vector<uint32_t> at((1 << 16) + 1);  // where words that begin with the same two bytes go
    for (size_t w = 0; w < t.words; ++w) ++at[(prefix(w) >> 48) + 1];
    for (size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    for (size_t w = 0; w < t.words; ++w) order[at[prefix(w) >> 48]++] = static_cast<uint32_t>(w);
    for (size_t i = 0; i < t.words; ++i) keys[i] = {prefix(order[i]), order[i]};
    for (size_t i = 0, begin = 0; i + 1 < at.size(); begin = at[i++])  // each is now where the next begin
        std::sort(keys + begin, keys + at[i], [&](const WordKey& a, const WordKey& b) {
            if (a.prefix != b.prefix) return a.prefix < b.prefix;
            const Word &v = t.records[a.word], &w = t.records[b.word];
            const int c = std::memcmp(t.arena + v.start, t.arena + w.start, std::min(v.length, w.length));
            return c != 0 ? c < 0 : v.length < w.length;
        });
    for (size_t i = 0; i < t.words; ++i) order[i] = static_cast<uint32_t>(keys[i].word);
}

// Renumbers the words of rows by place[word] (null: as they are), in place, rising within each row. The number `unseen`
// may come from many words and becomes one entry. Returns the entries left. row_scratch holds the longest row.
inline size_t place_words(size_t rows, const uint32_t* place, uint32_t unseen, const WordRows& out, uint64_t* row_scratch) {
    size_t from = 0, to = 0;
    for (size_t row = 0; row < rows; ++row) {
        size_t n = 0;
        uint32_t rest = 0;
        TALLY_REQUIRE(from + out.lengths[row] <= out.room);
        for (const size_t stop = from + out.lengths[row]; from < stop; ++from) {
            const uint32_t w = place ? place[out.words[from]] : out.words[from];
            if (w == unseen)
                rest += out.counts[from];
            else
                row_scratch[n++] = static_cast<uint64_t>(w) << 32 | out.counts[from];
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
