// Text cells to numbers and texts to words: random bytes in arrays of exact size, tables that must grow again and again.
#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/columns/addresses.hpp"
#include "kernels/csv/cut.hpp"
#include "kernels/csv/numbers.hpp"
#include "kernels/text/tokens.hpp"
#include "tests.hpp"

using namespace tally;

namespace {

struct Column {
    std::vector<uint8_t> data;
    std::vector<int64_t> offsets{0};
    void add(const std::string& text) {
        data.insert(data.end(), text.begin(), text.end());
        offsets.push_back(static_cast<int64_t>(data.size()));
    }
    const char* text() const { return reinterpret_cast<const char*>(data.data()); }
};

// Pieces that meet every branch: letters of one to four bytes, broken bytes, sigma and dotted I, marks, digits.
Column random_column(size_t rows, size_t longest, uint64_t seed) {
    static const std::string pieces[] = {"a",    "B",   "7",          "_",  " ",  "'",        ".",           ",",
                                         "é",    "Σ",   "İ",          "漢", "😀", "\xC3",     "\x80",        "\xF0\x9F",
                                         "Ⱥ",    "-",   "e",          "+",  "%",  "$",        "€",           "1234",
                                         "true", "inf", "2012-03-04", "T",  ":",  "wordword", "\xED\xA0\x80"};
    Column out;
    for (size_t row = 0; row < rows; ++row) {
        std::string text;
        const auto length = numbers_below<uint32_t>(1, longest + 1, seed + row)[0];
        for (uint32_t pick : numbers_below<uint32_t>(length, std::size(pieces), seed ^ row * 77)) text += pieces[pick];
        out.add(text);
    }
    out.data.shrink_to_fit();
    return out;
}

struct Table {
    std::vector<uint64_t> slots = std::vector<uint64_t>(4);
    std::vector<Word> records = std::vector<Word>(3);
    std::vector<uint8_t> arena = std::vector<uint8_t>(16);
    size_t words = 0;
    WordTable view() { return {slots.data(), slots.size(), records.data(), words, arena.data(), arena.size()}; }
    void grow(Stop stop) {
        if (stop == stop_arena) return arena.resize(arena.size() + 7);
        std::vector<uint64_t> more(slots.size() * 2);
        move_slots(slots.data(), slots.size(), more.data(), more.size());
        slots = more;
        records.resize(more.size() / 2 + 1);
    }
};

// Counts a column with memory that is always a little too small; returns all entries row by row.
std::vector<uint32_t> counted(const Column& column, Table& table, bool frozen, std::vector<uint32_t>& lengths) {
    const Texts texts{column.offsets.size() - 1, column.data.data(), column.data.size(), column.offsets.data(), nullptr, 0,
                      {"?", nullptr, 0}};
    std::vector<uint32_t> words(2), counts(2), all;
    std::vector<uint8_t> scratch(16);
    lengths.assign(texts.rows, 0);
    for (Word& word : table.records) word.row = -1;
    size_t row = 0, entries = 0;
    while (true) {
        WordTable view = table.view();
        const Stop stop = count_words(texts, row, view, frozen, {lengths.data(), words.data(), counts.data(), words.size()},
                                      entries, {scratch.data(), scratch.size()});
        table.words = view.words;
        if (stop == stop_done) break;
        if (stop == stop_entries)
            words.resize(words.size() + 3), counts.resize(words.size());
        else if (stop == stop_scratch)
            scratch.resize(scratch.size() + 9);
        else
            table.grow(stop);
    }
    std::vector<uint64_t> longest(texts.rows ? 1 + *std::max_element(lengths.begin(), lengths.end()) : 1);
    entries = place_words(texts.rows, nullptr, static_cast<uint32_t>(table.words),
                          {lengths.data(), words.data(), counts.data(), words.size()}, longest.data());
    for (size_t e = 0; e < entries; ++e) all.push_back(words[e]), all.push_back(counts[e]);
    return all;
}

}  // namespace

void test_numbers() {
    Column marks;
    for (const char* mark : {"", "?", "NA", "-"}) marks.add(mark);
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Column column = random_column(300, 12, seed * 1000);
        column.add(std::string(1001, '1'));
        column.add(std::string(1000, '1'));
        column.add(std::string(998, '1') + ",5");
        column.data.shrink_to_fit();
        const size_t rows = column.offsets.size() - 1;
        const std::vector<uint8_t> validity(rows / 8 + 2, 0b10111101);
        std::vector<double> values(rows);
        std::vector<uint8_t> kinds(rows);
        std::vector<int64_t> counts(cell_kinds), first(cell_kinds, -1);
        const Marks missing{marks.text(), marks.offsets.data(), 4};
        parse_numbers(rows, column.text(), column.offsets.data(), validity.data(), seed % 8, missing, seed % 2 ? '.' : ',',
                      seed % 3 == 0, values.data(), kinds.data(), counts.data(), first.data());
        int64_t total = 0;
        for (int64_t n : counts) total += n;
        EXPECT(total == static_cast<int64_t>(rows));
    }
}

// Numbers with any number of digits behind the point, next to each other and at the end of memory: as the library reads them.
void test_usual_numbers() {
    for (size_t last = 1; last < 24; ++last) {
        Column column;
        for (size_t places = 1; places <= last; ++places) {
            std::string text = places % 2 ? "-" : "";
            for (uint32_t digit : numbers_below<uint32_t>(places + 1, 10, 31 * last + places))
                text += std::string(text.size() == places % 2 + 1, '.') + static_cast<char>('0' + digit);
            column.add(text);
        }
        column.data.shrink_to_fit();
        std::vector<double> values(last);
        std::vector<uint8_t> kinds(last);
        std::vector<int64_t> counts(cell_kinds), first(cell_kinds, -1);
        parse_numbers(last, column.text(), column.offsets.data(), nullptr, 0, {"", nullptr, 0}, '.', false, values.data(),
                      kinds.data(), counts.data(), first.data());
        for (size_t row = 0; row < last; ++row) {
            const std::string text(column.text() + column.offsets[row], column.text() + column.offsets[row + 1]);
            EXPECT(values[row] == std::strtod(text.c_str(), nullptr) && kinds[row] == cell_number);
        }
    }
}

// Random cells joined to rows in a block of exact size: the cells that went in come out, and numbers read as in a column.
void test_cut() {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const size_t columns = 2 + seed % 3, rows = seed % 50;
        Column column = random_column(rows * columns, 1 + seed % 9, seed * 31 + 7);
        std::vector<char> block;
        std::vector<double> wanted(rows * columns), values(rows * columns);
        std::vector<uint8_t> kinds(rows * columns);
        std::vector<int64_t> counts(cell_kinds), first(cell_kinds, -1);
        for (size_t i = 0; i < rows * columns; ++i) {
            block.insert(block.end(), column.text() + column.offsets[i], column.text() + column.offsets[i + 1]);
            if (i + 1 < rows * columns || seed % 2) block.push_back((i + 1) % columns ? ';' : '\n');
        }
        block.shrink_to_fit();
        std::vector<uint32_t> ends(block.size() + 8), seen(columns, 0);
        const int64_t found = cut_cells(block.data(), block.size(), columns, ';', ends.data());
        if (rows && block.empty()) continue;
        EXPECT(found == static_cast<int64_t>(rows));
        const Marks none{"", nullptr, 0};
        const Cut cut{block.data(), ends.data(), rows, columns};
        std::vector<uint32_t> which(columns);
        for (size_t j = 0; j < columns; ++j) which[j] = static_cast<uint32_t>(j);
        look_at_columns(cut, none, '.', seen.data());
        std::vector<double*> places(columns);
        for (size_t j = 0; j < columns; ++j) places[j] = values.data() + j * rows;
        const NumberColumns read{which.data(), columns, places.data(), seen.data()};
        read_columns(cut, none, '.', read, nullptr, 0, {});
        const TextLook look = look_at_text(block.data(), block.size(), ';');
        EXPECT(look.lines == static_cast<size_t>(std::count(block.begin(), block.end(), '\n')));
        EXPECT(look.holds == (std::count(block.begin(), block.end(), ';') > 0));
        parse_numbers(rows * columns, column.text(), column.offsets.data(), nullptr, 0, none, '.', true, wanted.data(),
                      kinds.data(), counts.data(), first.data());
        for (size_t j = 0; j < columns; ++j) {
            std::vector<int32_t> offsets(rows + 1);
            copy_cells(cut, j, offsets.data(), nullptr);
            std::vector<char> data(static_cast<size_t>(offsets[rows]));
            if (!data.empty()) copy_cells(cut, j, offsets.data(), data.data());
            std::vector<uint32_t> texts(64);
            std::vector<uint16_t> codes(rows), slots(64);
            std::vector<int64_t> met(32);
            std::vector<uint64_t> keys(32);
            int64_t known = 0;
            const Coding to{codes.data(), texts.data(), met.data(), slots.data(), keys.data(), &known, 64, 32};
            code_columns(cut, &which[j], 1, to);
            for (size_t row = 0; known >= 0 && row < rows; ++row) {
                const char* met_first = cut.data + texts[2 * codes[row]];
                const cells::Span first_text{met_first, met_first + texts[2 * codes[row] + 1]};
                EXPECT(cells::same(cells::stripped(cut.cell(row, j)), first_text));
            }
            for (size_t row = 0; row < rows; ++row) {
                const cells::Span s = cut.cell(row, j);
                const size_t i = row * columns + j;
                EXPECT(s.size() == static_cast<size_t>(column.offsets[i + 1] - column.offsets[i]));
                EXPECT(std::memcmp(s.begin, column.text() + column.offsets[i], s.size()) == 0);
                if (!(seen[j] & ~cells::numbers)) EXPECT(values[j * rows + row] == wanted[i] || wanted[i] != wanted[i]);
            }
        }
    }
}

void test_words() {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        const Column column = random_column(seed == 0 ? 0 : 60, seed % 3 == 0 ? 400 : 20, seed * 999);
        Table table, other, merged;
        std::vector<uint32_t> lengths, again;
        const auto found = counted(column, table, false, lengths);
        EXPECT(counted(column, table, true, again) == found && again == lengths);
        counted(random_column(40, 30, seed + 5), other, false, again);
        for (Table* from : {&table, &other}) {
            std::vector<uint32_t> place(from->words);
            size_t word = 0;
            while (true) {
                WordTable into = merged.view();
                const Stop stop = merge_words(from->view(), word, into, place.data());
                merged.words = into.words;
                if (stop == stop_done) break;
                merged.grow(stop);
            }
        }
        std::vector<WordKey> keys(merged.words);
        std::vector<uint32_t> order(merged.words);
        sort_words(merged.view(), keys.data(), order.data());
        const auto text = [&](uint32_t w) {
            return std::string(merged.arena.begin() + merged.records[w].start,
                               merged.arena.begin() + merged.records[w].start + merged.records[w].length);
        };
        for (size_t i = 1; i < order.size(); ++i) EXPECT(text(order[i - 1]) < text(order[i]));
    }
}

void test_addresses() {
    for (const size_t differ : {size_t{1}, size_t{40}, size_t{most_addresses}, size_t{most_addresses} + 1}) {
        std::vector<uint64_t> given(2 * differ);
        for (size_t row = 0; row < given.size(); ++row) given[row] = (row % differ) << (differ == 40 ? 52 : 4);
        const size_t most = std::min<size_t>(differ, most_addresses);
        std::vector<uint16_t> codes(given.size()), slots(address_slots);
        std::vector<int64_t> first(most);
        std::vector<uint64_t> met(most);
        const size_t found =
            code_addresses(given.size(), given.data(), most, codes.data(), first.data(), slots.data(), met.data());
        EXPECT(found == differ);
        if (found > most) continue;
        for (size_t row = 0; row < given.size(); ++row) EXPECT(codes[row] == row % differ);
        for (size_t code = 0; code < differ; ++code) EXPECT(first[code] == static_cast<int64_t>(code));
    }
}
