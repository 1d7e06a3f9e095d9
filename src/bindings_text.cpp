// Bindings of the text kernels: cells to numbers, objects to codes, texts to words.
#include "bindings.hpp"
#include "kernels/columns/addresses.hpp"
#include "kernels/csv/cut.hpp"
#include "kernels/csv/numbers.hpp"
#include "kernels/text/tokens.hpp"

namespace {

template <class Offset>
void bind_parse_numbers(nb::module_& m, const char* name) {
    m.def(
        name,
        [](In<uint8_t> data, In<Offset> offsets, In<uint8_t> validity, size_t bit_offset, In<uint8_t> mark_data,
           In<int64_t> mark_offsets, char decimal, bool dates, Out<double> values, Out<uint8_t> kinds, Out<int64_t> counts,
           Out<int64_t> first) {
            nb::gil_scoped_release free;
            const Marks marks{reinterpret_cast<const char*>(mark_data.data()), mark_offsets.data(), mark_offsets.size() - 1};
            parse_numbers(values.size(), reinterpret_cast<const char*>(data.data()), offsets.data(), validity.data(),
                          bit_offset, marks, decimal, dates, values.data(), kinds.data(), counts.data(), first.data());
        },
        nb::arg("data"), nb::arg("offsets"), nb::arg("validity").none(), nb::arg("bit_offset"), nb::arg("mark_data"),
        nb::arg("mark_offsets"), nb::arg("decimal"), nb::arg("dates"), nb::arg("values"), nb::arg("kinds"),
        nb::arg("counts"), nb::arg("first"));
}

Cut cut_of(const In<uint8_t>& data, const In<uint32_t>& ends) {
    return {reinterpret_cast<const char*>(data.data()), ends.data(), ends.shape(0), ends.shape(1)};
}

Coding coding_of(const Out<uint16_t>& codes, const Out<uint32_t>& texts, const Out<int64_t>& counts,
                 const Out<uint16_t>& slots, const Out<uint64_t>& keys, const Out<int64_t>& known) {
    return {codes.data(), texts.data(), counts.data(),  slots.data(),
            keys.data(),  known.data(), slots.shape(1), texts.shape(1)};
}

void bind_cut(nb::module_& m) {
    m.def(
        "look_at_text",
        [](In<uint8_t> data, uint8_t asked) {
            TextLook found;
            {
                nb::gil_scoped_release free;
                found = look_at_text(reinterpret_cast<const char*>(data.data()), data.size(), static_cast<char>(asked));
            }
            return nb::make_tuple(found.lines, found.end, found.odd, found.beyond, found.holds);
        },
        nb::arg("data").noconvert(), nb::arg("asked"));

    m.def(
        "cut_cells",
        [](In<uint8_t> data, size_t columns, char separator, Out<uint32_t> ends) {
            return cut_cells(reinterpret_cast<const char*>(data.data()), data.size(), columns, separator, ends.data());
        },
        nb::arg("data").noconvert(), nb::arg("columns"), nb::arg("separator"), nb::arg("ends").noconvert(), Release());

    m.def(
        "look_at_columns",
        [](In<uint8_t> data, In<uint32_t> ends, In<uint8_t> mark_data, In<int64_t> mark_offsets, char decimal,
           Out<uint32_t> seen) {
            const Marks marks{reinterpret_cast<const char*>(mark_data.data()), mark_offsets.data(), mark_offsets.size() - 1};
            look_at_columns(cut_of(data, ends), marks, decimal, seen.data());
        },
        nb::arg("data").noconvert(), nb::arg("ends").noconvert(), nb::arg("mark_data").noconvert(),
        nb::arg("mark_offsets").noconvert(), nb::arg("decimal"), nb::arg("seen").noconvert(), Release());

    m.def(
        "read_columns",
        [](In<uint8_t> data, In<uint32_t> ends, In<uint8_t> mark_data, In<int64_t> mark_offsets, char decimal,
           In<uint32_t> columns, const std::vector<Out<double>>& values, Out<uint32_t> seen, In<uint32_t> coded,
           Out<uint16_t> codes, Out<uint32_t> texts, Out<int64_t> counts, Out<uint16_t> slots, Out<uint64_t> keys,
           Out<int64_t> known) {
            const Marks marks{reinterpret_cast<const char*>(mark_data.data()), mark_offsets.data(), mark_offsets.size() - 1};
            std::vector<double*> places;
            for (const auto& column : values) places.push_back(column.data());
            const NumberColumns numbers{columns.data(), columns.size(), places.data(), seen.data()};
            read_columns(cut_of(data, ends), marks, decimal, numbers, coded.data(), coded.size(),
                         coding_of(codes, texts, counts, slots, keys, known));
        },
        nb::arg("data").noconvert(), nb::arg("ends").noconvert(), nb::arg("mark_data").noconvert(),
        nb::arg("mark_offsets").noconvert(), nb::arg("decimal"), nb::arg("columns").noconvert(),
        nb::arg("values").noconvert(), nb::arg("seen").noconvert(), nb::arg("coded").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("texts").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("slots").noconvert(), nb::arg("keys").noconvert(), nb::arg("known").noconvert(), Release());

    m.def(
        "code_columns",
        [](In<uint8_t> data, In<uint32_t> ends, In<uint32_t> columns, Out<uint16_t> codes, Out<uint32_t> texts,
           Out<int64_t> counts, Out<uint16_t> slots, Out<uint64_t> keys, Out<int64_t> known) {
            code_columns(cut_of(data, ends), columns.data(), columns.size(),
                         coding_of(codes, texts, counts, slots, keys, known));
        },
        nb::arg("data").noconvert(), nb::arg("ends").noconvert(), nb::arg("columns").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("texts").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("slots").noconvert(), nb::arg("keys").noconvert(), nb::arg("known").noconvert(), Release());

    m.def(
        "copy_cells",
        [](In<uint8_t> data, In<uint32_t> ends, size_t column, Out<int32_t> offsets, Out<uint8_t> cells) {
            copy_cells(cut_of(data, ends), column, offsets.data(),
                       cells.size() ? reinterpret_cast<char*>(cells.data()) : nullptr);
        },
        nb::arg("data").noconvert(), nb::arg("ends").noconvert(), nb::arg("column"), nb::arg("offsets").noconvert(),
        nb::arg("cells").noconvert(), Release());
}

void bind_addresses(nb::module_& m) {
    m.def(
        "code_addresses",
        [](In<uint64_t> given, Out<uint16_t> codes, Out<int64_t> first) {
            std::vector<uint16_t> slots(address_slots);
            std::vector<uint64_t> met(first.size());
            return code_addresses(given.size(), given.data(), first.size(), codes.data(), first.data(), slots.data(),
                                  met.data());
        },
        nb::arg("given").noconvert(), nb::arg("codes").noconvert(), nb::arg("first").noconvert(), Release());
    m.attr("most_addresses") = most_addresses;
}

// A table of words lies in three arrays: slots, records[word, 4] and arena.
WordTable word_table(Out<uint64_t>& slots, Out<int64_t>& records, int64_t words, Out<uint8_t>& arena) {
    static_assert(sizeof(Word) == 4 * sizeof(int64_t));
    return {slots.data(), slots.size(), reinterpret_cast<Word*>(records.data()), static_cast<size_t>(words),
            arena.data(), arena.size()};
}

// state: [row, words of the table, entries]; it says where to begin and how far the kernel came.
int bind_count_words(In<uint8_t> data, In<int64_t> offsets, Maybe<uint8_t> validity, size_t bit_offset,
                     In<uint8_t> mark_data, In<int64_t> mark_offsets, Out<uint64_t> slots, Out<int64_t> records,
                     Out<uint8_t> arena, bool frozen, Out<uint32_t> lengths, Out<uint32_t> words, Out<uint32_t> counts,
                     Out<uint8_t> scratch, Out<int64_t> state) {
    const Marks marks{reinterpret_cast<const char*>(mark_data.data()), mark_offsets.data(), mark_offsets.size() - 1};
    const Texts texts{offsets.size() - 1, data.data(), data.size(), offsets.data(), pointer(validity), bit_offset, marks};
    size_t row = static_cast<size_t>(state.data()[0]), entries = static_cast<size_t>(state.data()[2]);
    WordTable table = word_table(slots, records, state.data()[1], arena);
    const WordRows rows{lengths.data(), words.data(), counts.data(), words.size()};
    const int stop = count_words(texts, row, table, frozen, rows, entries, {scratch.data(), scratch.size()});
    const size_t now[] = {row, table.words, entries};
    std::copy(now, now + 3, state.data());
    return stop;
}

void bind_words(nb::module_& m) {
    m.def("count_words", bind_count_words, nb::arg("data").noconvert(), nb::arg("offsets").noconvert(),
          nb::arg("validity").none(), nb::arg("bit_offset"), nb::arg("mark_data").noconvert(),
          nb::arg("mark_offsets").noconvert(), nb::arg("slots").noconvert(), nb::arg("records").noconvert(),
          nb::arg("arena").noconvert(), nb::arg("frozen"), nb::arg("lengths").noconvert(), nb::arg("words").noconvert(),
          nb::arg("counts").noconvert(), nb::arg("scratch").noconvert(), nb::arg("state").noconvert(), Release());

    m.def(
        "merge_words",
        [](Out<uint64_t> slots, Out<int64_t> records, int64_t words, Out<uint8_t> arena, Out<uint64_t> into_slots,
           Out<int64_t> into_records, Out<uint8_t> into_arena, Out<int64_t> state, Out<uint32_t> place) {
            const WordTable from = word_table(slots, records, words, arena);
            WordTable into = word_table(into_slots, into_records, state.data()[1], into_arena);
            size_t word = static_cast<size_t>(state.data()[0]);
            const int stop = merge_words(from, word, into, place.data());
            state.data()[0] = static_cast<int64_t>(word);
            state.data()[1] = static_cast<int64_t>(into.words);
            return stop;
        },
        nb::arg("slots").noconvert(), nb::arg("records").noconvert(), nb::arg("words"), nb::arg("arena").noconvert(),
        nb::arg("into_slots").noconvert(), nb::arg("into_records").noconvert(), nb::arg("into_arena").noconvert(),
        nb::arg("state").noconvert(), nb::arg("place").noconvert(), Release());

    m.def(
        "move_slots",
        [](In<uint64_t> old, Out<uint64_t> into) { move_slots(old.data(), old.size(), into.data(), into.size()); },
        nb::arg("old").noconvert(), nb::arg("into").noconvert(), Release());

    m.def(
        "sort_words",
        [](Out<uint64_t> slots, Out<int64_t> records, int64_t words, Out<uint8_t> arena, Out<uint64_t> keys,
           Out<uint32_t> order) {
            sort_words(word_table(slots, records, words, arena), reinterpret_cast<WordKey*>(keys.data()), order.data());
        },
        nb::arg("slots").noconvert(), nb::arg("records").noconvert(), nb::arg("words"), nb::arg("arena").noconvert(),
        nb::arg("keys").noconvert(), nb::arg("order").noconvert(), Release());

    m.def(
        "place_words",
        [](Out<uint32_t> lengths, Out<uint32_t> words, Out<uint32_t> counts, Maybe<uint32_t> place, uint32_t unseen,
           Out<uint64_t> scratch) {
            return place_words(lengths.size(), pointer(place), unseen,
                               {lengths.data(), words.data(), counts.data(), words.size()}, scratch.data());
        },
        nb::arg("lengths").noconvert(), nb::arg("words").noconvert(), nb::arg("counts").noconvert(), nb::arg("place").none(),
        nb::arg("unseen"), nb::arg("scratch").noconvert(), Release());
}

}  // namespace

void bind_text(nb::module_& m) {
    bind_parse_numbers<int32_t>(m, "parse_numbers_32");
    bind_parse_numbers<int64_t>(m, "parse_numbers_64");
    bind_cut(m);
    bind_addresses(m);
    bind_words(m);
    m.attr("unicode_version") = unicode_version;
}
