// Count tables: how often each code meets each class. A block counts in memory of its own where the table is small, in
// several copies, because threads that add to the same cell wait for each other.

namespace tally {

struct Counting {
    int64_t rows;
    const void* classes;  // null: one class
    int64_t class_kind;
    const int64_t* weights;  // null: 1 each
    int64_t n_codes, n_classes;
    int64_t copies;  // of the table in the block's own memory; 0: cells are added to where they lie
    int64_t* table;  // [code, class]

    template <class CodeOf>
    void count(CodeOf code_of) const {
        SHARED(memory);
        int64_t* const own = reinterpret_cast<int64_t*>(memory);
        const int64_t cells = n_codes * n_classes;
        const Cells of{classes, class_kind};
        for (int64_t i = thread(); i < cells * copies; i += threads()) own[i] = 0;
        barrier();
        int64_t* const to = copies ? own + thread() % copies * cells : table;
        for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
            const int64_t c = classes ? of.code(row) : 0;
            add_to(to + code_of(row) * n_classes + c, weights ? weights[row] : 1);
        }
        barrier();
        if (!copies) return;
        for (int64_t i = thread(); i < cells; i += threads()) {
            int64_t sum = 0;
            for (int64_t k = 0; k < copies; ++k) sum += own[k * cells + i];
            if (sum) add_to(table + i, sum);
        }
    }
};

}  // namespace tally

KERNEL count_codes(int64_t rows, const void* codes, int64_t kind, const void* classes, int64_t class_kind,
                   const int64_t* weights, int64_t n_codes, int64_t n_classes, int64_t copies, int64_t* table) {
    using namespace tally;
    const Cells cells{codes, kind};
    const Counting c{rows, classes, class_kind, weights, n_codes, n_classes, copies, table};
    c.count([=](int64_t row) -> int64_t { return codes ? cells.code(row) : 0; });
}

// Codes are the bins between cuts: how many of these are at most the number; missing is one more than all.
KERNEL count_bins(int64_t rows, const void* values, int64_t kind, const double* cuts, int64_t n_cuts, const void* classes,
                  int64_t class_kind, const int64_t* weights, int64_t n_classes, int64_t copies, int64_t* table) {
    using namespace tally;
    const Cells cells{values, kind};
    const Counting c{rows, classes, class_kind, weights, n_cuts + 2, n_classes, copies, table};
    c.count([=](int64_t row) -> int64_t {
        const double x = cells.number(row);
        return x == x ? places_up_to(cuts, n_cuts, x) : n_cuts + 1;
    });
}

// table[word, class] += the word's count times the row's weight; missing[class] += rows without a word.
KERNEL count_words(int64_t rows, const int64_t* starts, const uint32_t* words, const uint32_t* counts, const void* classes,
                   int64_t class_kind, const int64_t* weights, int64_t n_words, int64_t n_classes, int64_t* table,
                   int64_t* missing) {
    using namespace tally;
    const Cells of{classes, class_kind};
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        const int64_t c = classes ? of.code(row) : 0, w = weights ? weights[row] : 1;
        if (starts[row] == starts[row + 1]) add_to(missing + c, w);
        for (int64_t i = starts[row]; i < starts[row + 1]; ++i)
            if (words[i] < n_words) add_to(table + words[i] * n_classes + c, counts ? counts[i] * w : w);
    }
}
