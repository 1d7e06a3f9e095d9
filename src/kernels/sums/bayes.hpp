// What naive Bayes needs beyond counts and moments: words met by class, and scores of levels.
#pragma once

#include <utility>
#include <vector>

#include "kernels/base/math.hpp"

namespace tally {

template <class Class>
struct Entries {  // words of rows, with their counts (null: 1 each) and the rows' classes and weights (null: 1 each)
    size_t rows;
    const int64_t* starts;
    const uint32_t *words, *counts;
    const Class* classes;
    const int64_t* weights;

    // to(word, class) += count * weight of the entries of one row; a word beyond n_words is not counted.
    template <class To>
    void add(size_t row, size_t n_words, To to) const {
        const int64_t weight = weights ? weights[row] : 1;
        for (int64_t entry = starts[row]; entry < starts[row + 1]; ++entry) {
            if (words[entry] < n_words)
                to(words[entry], classes[row], weight * static_cast<int64_t>(counts ? counts[entry] : 1));
        }
    }
};

// The same as count_entries for large tables: rows class after class, in counts of one class that stay near; most words
// are met in few classes.
template <class Class>
void count_by_class(const Entries<Class>& e, size_t n_words, size_t n_classes, int64_t* table) {
    std::vector<uint32_t> at(n_classes + 1, 0), order(e.rows);
    for (size_t row = 0; row < e.rows; ++row) ++at[e.classes[row] + size_t{1}];
    for (size_t c = 0; c < n_classes; ++c) at[c + 1] += at[c];
    for (size_t row = 0; row < e.rows; ++row) order[at[e.classes[row]]++] = static_cast<uint32_t>(row);
    std::vector<int64_t> own(n_words);
    int64_t* const met = own.data();
    for (size_t c = 0, i = 0; c < n_classes; ++c) {
        if (i == at[c]) continue;
        for (; i < at[c]; ++i) e.add(order[i], n_words, [=](size_t word, size_t, int64_t n) { met[word] += n; });
        for (size_t word = 0; word < n_words; ++word)
            if (met[word]) table[word * n_classes + c] += std::exchange(met[word], 0);
    }
}

// table[word, class] += count[entry] * weight[row] over the entries of each row; a word beyond the table is not counted.
template <class Class>
void count_entries(size_t rows, const int64_t* starts, const uint32_t* words, const uint32_t* counts, const Class* classes,
                   const int64_t* weights, size_t n_words, size_t n_classes, int64_t* table) {
    constexpr size_t large = 1 << 17;  // cells that no near cache holds
    for (size_t row = 0; row < rows; ++row) TALLY_REQUIRE(classes[row] < n_classes);
    const Entries<Class> e{rows, starts, words, counts, classes, weights};
    const size_t cells = n_words * n_classes, n = rows ? static_cast<size_t>(starts[rows] - starts[0]) : 0;
    if (n_classes > 2 && cells >= large && 2 * n >= cells && rows < UINT32_MAX)
        return count_by_class(e, n_words, n_classes, table);
    for (size_t row = 0; row < rows; ++row)
        e.add(row, n_words, [=](size_t word, size_t c, int64_t more) { table[word * n_classes + c] += more; });
}

// scores[row, class] += the sum over columns, in their order, of tables[column][codes[column][row], class]. Some rows at a
// time, so that their scores stay near while the columns pass.
template <size_t fixed>
void add_level_scores(size_t rows, size_t columns, const uint8_t* const* codes, const double* const* tables, size_t given,
                      double* scores) {
    constexpr size_t tile = 256;
    const size_t n_classes = fixed ? fixed : given;
    for (size_t begin = 0; begin < rows; begin += tile) {
        const size_t n = rows - begin < tile ? rows - begin : tile;
        for (size_t j = 0; j < columns; ++j) {
            const uint8_t* const code = codes[j] + begin;
            const double* const table = tables[j];
            double* to = scores + begin * n_classes;
            for (size_t i = 0; i < n; ++i, to += n_classes) {
                const double* const from = table + code[i] * n_classes;
                for (size_t c = 0; c < n_classes; ++c) to[c] += from[c];
            }
        }
    }
}

}  // namespace tally
