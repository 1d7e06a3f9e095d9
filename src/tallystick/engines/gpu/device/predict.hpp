// Answers of fitted models to rows of numbers: a tree's walk, scores that add up, and logistic regression. The steps of a
// row are those of src/kernels, in their order, so its shares are the same bits.
//
// A block takes a tile of rows into its own memory, so that cells of a matrix are read side by side; then a thread answers
// a row. Whatever is infinite, or no number where shares are told, is left to the processor: `odd` says that it was met.

namespace tally {

constexpr double apart = 1e-9;  // scores nearer than this may have equal shares

inline void raise_flag(uint32_t* flag) { *flag = 1; }  // whoever writes, writes the same

struct Matrix {
    int64_t rows, columns;
    const int64_t* at;  // [column] addresses
    int64_t step;       // cells from row to row
    int64_t kind, tile_rows;
    bool flat;  // rows lie one after the other, and hold these columns alone, in their order
};

struct Answers {
    int64_t classes;
    double* shares;  // [row, class], or null
    void* best;      // [row], or null
    int64_t best_kind;
    uint32_t* odd;

    void write_best(int64_t row, int64_t c) const {
        if (best_kind == bytes)
            static_cast<uint8_t*>(best)[row] = static_cast<uint8_t>(c);
        else
            static_cast<uint32_t*>(best)[row] = static_cast<uint32_t>(c);
    }
};

// Where a thread stands when all of them go over the cells of a tile, one after the other.
struct Stepping {
    int32_t f, s, fast, by_fast, by_slow;
    explicit Stepping(int32_t fast)
        : f(static_cast<int32_t>(thread()) % fast),
          s(static_cast<int32_t>(thread()) / fast),
          fast(fast),
          by_fast(static_cast<int32_t>(threads()) % fast),
          by_slow(static_cast<int32_t>(threads()) / fast) {}
    void next() {
        f += by_fast, s += by_slow;
        if (f >= fast) f -= fast, ++s;
    }
};

// Cells of the tile, [row, column] with an odd length, so that threads of neighbouring rows do not wait for each other. Of a
// matrix whose rows lie one after the other several are asked for before the first is there.
template <class T>
inline void stage(const Matrix& m, T* tile, int64_t first, int32_t n, uint32_t* odd) {
    const int32_t columns = static_cast<int32_t>(m.columns), pitch = columns | 1, all = static_cast<int32_t>(threads());
    T strange = 0;
    const bool beside = m.step != 1;  // rows lie side by side: the column runs first
    Stepping at(beside ? columns : n);
    if (m.flat) {
        constexpr int32_t ahead = 10;
        const T* const cells = reinterpret_cast<const T*>(m.at[0]) + first * columns;
        const int32_t count = n * columns;
        for (int32_t i = static_cast<int32_t>(thread()); i < count; i += ahead * all) {
            T x[ahead];
#pragma unroll
            for (int32_t k = 0; k < ahead; ++k) x[k] = i + k * all < count ? cells[i + k * all] : T{0};
#pragma unroll
            for (int32_t k = 0; k < ahead; ++k) {
                if (i + k * all < count) tile[at.s * pitch + at.f] = x[k];
                strange += x[k] == x[k] ? x[k] - x[k] : T{0};  // no number as soon as one is infinite
                at.next();
            }
        }
    } else {
        const int32_t slow = beside ? n : columns;
        for (; at.s < slow; at.next()) {
            const int32_t row = beside ? at.s : at.f, j = beside ? at.f : at.s;
            const T x = reinterpret_cast<const T*>(m.at[j])[(first + row) * m.step];
            tile[row * pitch + j] = x;
            strange += x == x ? x - x : T{0};
        }
    }
    if (strange != strange) raise_flag(odd);
}

// ---- trees ----

// A test of single floats, in one piece: the least single float that is not below the cut stands for it.
struct alignas(16) QuickStep {
    float cut;
    int32_t column, below, above;
};

struct Walk {
    const double* cut;     // [node]
    const int32_t* steps;  // [node, 4]: column, -1 in a leaf; below the cut; not below it; missing
    const QuickStep* quick;
    const double* node_shares;
    const int64_t* labels;

    int32_t end(const float* row) const {
        int32_t node = 0;
        for (;;) {
            const QuickStep s = quick[node];
            if (s.column < 0) return node;
            const float x = row[s.column];
            const int32_t to = x < s.cut ? s.below : (x == x ? s.above : steps[4 * node + 3]);
            if (to == node) return node;
            node = to;
        }
    }

    int32_t end(const double* row) const {
        int32_t node = 0;
        for (;;) {
            const int32_t* const s = steps + 4 * node;
            if (s[0] < 0) return node;
            const double x = row[s[0]];
            const int32_t to = x < cut[node] ? s[1] : (x == x ? s[2] : s[3]);
            if (to == node) return node;
            node = to;
        }
    }

    template <class T>
    void answer(const Answers& a, const T* row, int64_t at, double*) const {
        const int64_t node = end(row);
        if (a.best) a.write_best(at, labels[node]);
        if (a.shares)
            for (int64_t c = 0; c < a.classes; ++c) a.shares[at * a.classes + c] = node_shares[node * a.classes + c];
    }
};

// ---- scores ----

// Scores become shares, as softmax in src/kernels/sums/scores.hpp.
inline void to_shares(double* score, int64_t classes) {
    double top = score[0], sum = 0.0;
    for (int64_t c = 1; c < classes; ++c) top = score[c] > top ? score[c] : top;
    const double base = top == -infinity ? 0.0 : top;
    for (int64_t c = 0; c < classes; ++c) {
        score[c] = exp_of(score[c] - base);
        sum += score[c];
    }
    for (int64_t c = 0; c < classes; ++c) score[c] = sum == 0.0 ? 0.0 : score[c] / sum;
}

// Shares of a row as they are asked for.
inline void write_shares(const Answers& a, const double* share, int64_t at) {
    int64_t best = 0;
    bool strange = false;
    for (int64_t c = 0; c < a.classes; ++c) {
        best = share[c] > share[best] ? c : best;
        strange |= share[c] != share[c];
        if (a.shares) a.shares[at * a.classes + c] = share[c];
    }
    if (a.best) a.write_best(at, best);
    if (strange) raise_flag(a.odd);
}

constexpr int64_t normal_term = 0, bin_term = 1;

struct Adding {
    const double* base;    // [class]
    const int64_t* terms;  // [term, 4]: kind, column, cuts, first number
    int64_t n_terms;
    const double* numbers;  // normal: mean, half and constant [class]; bins: cuts, then a table [bin, class]
    double slope;
    const double *shift, *lost;  // [class] or null: added to calibrated scores; scores of rows that all classes rule out

    template <class T>
    void answer(const Answers& a, const T* row, int64_t at, double* score) const {
        double pair[2];  // scores of two classes stay in registers
        if (a.classes == 2)
            add<T, 2>(a, row, at, pair);
        else
            add<T, 0>(a, row, at, score);
    }

    // Fixed: the number of classes, or 0.
    template <class T, int Fixed>
    void add(const Answers& a, const T* row, int64_t at, double* score) const {
        const int classes = Fixed ? Fixed : static_cast<int>(a.classes);
        for (int c = 0; c < classes; ++c) score[c] = base[c];
        for (int t = 0; t < static_cast<int>(n_terms); ++t) {
            const int64_t* const term = terms + 4 * t;
            const double* const own = numbers + term[3];
            const double x = static_cast<double>(row[term[1]]);
            if (term[0] == bin_term) {
                const int64_t cuts = term[2];
                const double* const from = own + cuts + (x == x ? places_up_to(own, cuts, x) : cuts + 1) * classes;
                for (int c = 0; c < classes; ++c) score[c] += from[c];
            } else if (x == x) {
                for (int c = 0; c < classes; ++c) {
                    const double d = x - own[c];
                    score[c] += own[2 * classes + c] - d * d * own[classes + c];
                }
            }
        }
        bool possible = !lost;
        for (int c = 0; c < classes; ++c) {
            score[c] = slope * score[c];
            if (shift) score[c] += shift[c];
            possible |= score[c] != -infinity;
        }
        for (int c = 0; c < classes && !possible; ++c) score[c] = lost[c];
        to_shares(score, classes);
        write_shares(a, score, at);
    }
};

struct Linear {
    int64_t dense, links;
    const int64_t* columns;  // [dense, 2]: column, and whether it is 1 where that is missing
    const double *scaling, *theta;
    const double* quick;  // [dense, 4]: centre, factor, weight; null where columns are not read in their order, one link

    template <class T>
    double one_link(const T* row) const {
        double e = theta[0];
#pragma unroll 4
        for (int j = 0; j < static_cast<int>(dense); ++j) {
            const Two scale = reinterpret_cast<const Two*>(quick)[2 * j];
            e += quick[4 * j + 2] * in_scale(static_cast<double>(row[j]), scale.a, scale.b);
        }
        return e;
    }

    template <class T>
    void answer(const Answers& a, const T* row, int64_t at, double* score) const {
        bool finite = true;
        for (int64_t l = 0; l < links; ++l) {
            double e = quick ? one_link(row) : theta[l];
            for (int64_t j = quick ? dense : 0; j < dense; ++j) {
                const double cell = static_cast<double>(row[columns[2 * j]]);
                const double x = columns[2 * j + 1] ? (cell != cell ? 1.0 : 0.0) : cell;
                e += theta[(j + 1) * links + l] * in_scale(x, scaling[j], scaling[dense + j]);
            }
            finite &= e - e == 0.0;
            score[l] = e;
        }
        if (!finite) raise_flag(a.odd);
        if (links > 1) {
            to_shares(score, links);
        } else if (!a.shares && (score[0] > apart || score[0] < -apart)) {
            a.write_best(at, score[0] > 0.0);
            return;
        } else {
            const double e = score[0], t = exp_of(e < 0 ? e : -e), whole = 1.0 + t;
            score[0] = (e < 0 ? 1.0 : t) / whole;
            score[1] = (e < 0 ? t : 1.0) / whole;
        }
        write_shares(a, score, at);
    }
};

template <class T, class Model>
inline void answer_rows(const Matrix& m, const Model& model, const Answers& a, unsigned char* memory) {
    const int32_t pitch = static_cast<int32_t>(m.columns) | 1, places = static_cast<int32_t>(a.classes) | 1;
    double* const scores = reinterpret_cast<double*>(memory);
    T* const tile = reinterpret_cast<T*>(scores + m.tile_rows * places);
    for (int64_t first = block() * m.tile_rows; first < m.rows; first += blocks() * m.tile_rows) {
        const int32_t n = static_cast<int32_t>(m.rows - first < m.tile_rows ? m.rows - first : m.tile_rows);
        barrier();
        stage(m, tile, first, n, a.odd);
        barrier();
        for (int32_t i = static_cast<int32_t>(thread()); i < n; i += static_cast<int32_t>(threads()))
            model.answer(a, tile + i * pitch, first + i, scores + i * places);
    }
}

template <class Model>
inline void answer_all(const Matrix& m, const Model& model, const Answers& a, unsigned char* memory) {
    if (m.kind == singles)
        answer_rows<float>(m, model, a, memory);
    else
        answer_rows<double>(m, model, a, memory);
}

}  // namespace tally

KERNEL answer_tree(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
                   int64_t flat, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd,
                   const double* cut, const int32_t* steps, const void* quick, const double* node_shares,
                   const int64_t* labels) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, flat != 0},
               Walk{cut, steps, static_cast<const QuickStep*>(quick), node_shares, labels},
               Answers{classes, shares, best, best_kind, odd}, memory);
}

KERNEL answer_sums(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
                   int64_t flat, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd,
                   const double* base, const int64_t* terms, int64_t n_terms, const double* numbers, double slope,
                   const double* shift, const double* lost) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, flat != 0},
               Adding{base, terms, n_terms, numbers, slope, shift, lost}, Answers{classes, shares, best, best_kind, odd},
               memory);
}

KERNEL answer_linear(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
                     int64_t flat, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd,
                     int64_t dense, int64_t links, const int64_t* places, const double* scaling, const double* theta,
                     const double* quick) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, flat != 0},
               Linear{dense, links, places, scaling, theta, quick}, Answers{classes, shares, best, best_kind, odd}, memory);
}
