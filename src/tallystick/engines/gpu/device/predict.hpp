// Answers of fitted models to rows of numbers: a tree's walk, scores that add up, and logistic regression. The steps of a
// row are those of src/kernels, in their order, so its shares are the same bits.
//
// A block takes a tile of rows into its own memory, so that cells of a matrix are read side by side; then a thread answers
// a row. Where every column adds a number to a score, a thread reads whole rows by fours of cells. Whatever is infinite, or no number where shares are told, is left to the processor: `odd` says that it was met.

namespace tally {

constexpr double apart = 1e-9;  // scores nearer than this may have equal shares

inline void raise_flag(uint32_t* flag) { *flag = 1; }  // whoever writes, writes the same

struct Matrix {
    int64_t rows, columns;
    const int64_t* at;  // [column] addresses
    int64_t step;       // cells from row to row
    int64_t kind, tile_rows;
    int64_t
        together;  // cells that may be asked for at once; 0: rows do not lie one after the other with these columns alone
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

template <class T, int Width>
struct alignas(Width == 1 ? sizeof(T) : 16) Together {
    T x[Width];
};

// The largest size of cells that were met; what is missing has none.
template <class T>
struct Sizes {
    T most = 0;
    void meet(T x) {
        const T size = x < 0 ? -x : x;
        most = size > most ? size : most;
    }
    void tell(uint32_t* odd) const {
        if (most - most != 0) raise_flag(odd);
    }
};

// Cells of the tile, [row, column] with an odd length, so that threads of neighbouring rows do not wait for each other.
template <class T>
inline void stage(const Matrix& m, T* tile, int64_t first, int32_t n, uint32_t* odd) {
    const int32_t columns = static_cast<int32_t>(m.columns), pitch = columns | 1;
    Sizes<T> met;
    const bool beside = m.step != 1;  // rows lie side by side: the column runs first
    Stepping at(beside ? columns : n);
    const int32_t slow = beside ? n : columns;
    for (; at.s < slow; at.next()) {
        const int32_t row = beside ? at.s : at.f, j = beside ? at.f : at.s;
        const T x = reinterpret_cast<const T*>(m.at[j])[(first + row) * m.step];
        tile[row * pitch + j] = x;
        met.meet(x);
    }
    met.tell(odd);
}

// The same where rows lie one after the other: `Width` cells at once, several times before the first are there.
template <class T, int Width>
inline void stage_flat(const Matrix& m, T* tile, int64_t first, int32_t n, uint32_t* odd) {
    constexpr int32_t ahead = Width == 1 ? 10 : 5;
    const int32_t columns = static_cast<int32_t>(m.columns), pitch = columns | 1, all = static_cast<int32_t>(threads());
    Sizes<T> met;
    Stepping at(columns / Width);
    const auto* const cells =
        reinterpret_cast<const Together<T, Width>*>(reinterpret_cast<const T*>(m.at[0]) + first * columns);
    const int32_t count = n * (columns / Width);
    for (int32_t i = static_cast<int32_t>(thread()); i < count; i += ahead * all) {
        Together<T, Width> some[ahead];
#pragma unroll
        for (int32_t k = 0; k < ahead; ++k) some[k] = i + k * all < count ? cells[i + k * all] : Together<T, Width>{};
#pragma unroll
        for (int32_t k = 0; k < ahead; ++k) {
#pragma unroll
            for (int32_t w = 0; w < Width; ++w) {
                if (i + k * all < count) tile[at.s * pitch + at.f * Width + w] = some[k].x[w];
                met.meet(some[k].x[w]);
            }
            at.next();
        }
    }
    met.tell(odd);
}

// ---- trees ----

// A test of single floats, in one piece: the least single float that is not below the cut stands for it.
struct alignas(16) QuickStep {
    float cut;
    int32_t column, below, above;
};

struct Walk {
    static constexpr bool adds = false, scored = false;
    const double* cut;     // [node]
    const int32_t* steps;  // [node, 4]: column, -1 in a leaf; below the cut; not below it; missing
    const QuickStep* quick;
    const double* node_shares;
    const int64_t* labels;
    int64_t held;  // bytes of tests that every block holds in its own memory: all of them, or none

    Walk in_block(unsigned char* memory) const {
        QuickStep* const own = reinterpret_cast<QuickStep*>(memory);
        const int32_t nodes = static_cast<int32_t>(held / static_cast<int64_t>(sizeof(QuickStep)));
        for (int32_t i = static_cast<int32_t>(thread()); i < nodes; i += static_cast<int32_t>(threads())) own[i] = quick[i];
        Walk out = *this;
        if (nodes) out.quick = own;
        return out;
    }

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
    static constexpr bool adds = true, scored = true;
    static constexpr int64_t held = 0;
    const double* base;    // [class]
    const int64_t* terms;  // [term, 4]: kind, column, cuts, first number
    int64_t n_terms;
    const double* numbers;  // normal: mean, half and constant [class]; bins: cuts, then a table [bin, class]
    double slope;
    const double *shift, *lost;  // [class] or null: added to calibrated scores; scores of rows that all classes rule out
    const double* quick;         // [column, 6]: numbers of a normal term of two classes each; null where there are others

    const Adding& in_block(unsigned char*) const { return *this; }

    struct alignas(16) Own {
        double numbers[6];
    };
    struct Sum {
        double score[2];
    };
    Own own(int j) const { return reinterpret_cast<const Own*>(quick)[j]; }
    void begin(Sum& sum) const { sum.score[0] = base[0], sum.score[1] = base[1]; }
    static void add(const Own& own, double x, Sum& sum) { add_normal<2>(own.numbers, 2, x, sum.score); }
    void end(const Answers& a, Sum& sum, int64_t at) const { tell<2>(a, at, sum.score); }

    // Fixed: the number of classes, or 0.
    template <int Fixed>
    static void add_normal(const double* own, int many, double x, double* score) {
        const int classes = Fixed ? Fixed : many;
        for (int c = 0; c < classes; ++c) {
            const double d = x - own[c], more = own[2 * classes + c] - d * d * own[classes + c];
            score[c] = x == x ? score[c] + more : score[c];
        }
    }

    template <class T>
    void answer(const Answers& a, const T* row, int64_t at, double* score) const {
        double pair[2];  // scores of two classes stay in registers
        if (a.classes == 2)
            add_all<T, 2>(a, row, at, pair);
        else
            add_all<T, 0>(a, row, at, score);
    }

    template <class T, int Fixed>
    void add_all(const Answers& a, const T* row, int64_t at, double* score) const {
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
            } else {
                add_normal<Fixed>(own, classes, x, score);
            }
        }
        tell<Fixed>(a, at, score);
    }

    template <int Fixed>
    void tell(const Answers& a, int64_t at, double* score) const {
        const int classes = Fixed ? Fixed : static_cast<int>(a.classes);
        bool possible = !lost;
        for (int c = 0; c < classes; ++c) {
            score[c] = slope * score[c];
            if (shift) score[c] += shift[c];
            possible |= score[c] != -infinity;
        }
        for (int c = 0; c < classes && !possible; ++c) score[c] = lost[c];
        if (Fixed == 2 && !a.shares && (score[1] - score[0] > apart || score[0] - score[1] > apart)) {
            a.write_best(at, score[1] > score[0]);
            return;
        }
        to_shares(score, classes);
        write_shares(a, score, at);
    }
};

struct Linear {
    static constexpr bool adds = true, scored = true;
    static constexpr int64_t held = 0;
    int64_t dense, links;
    const int64_t* columns;  // [dense, 2]: column, and whether it is 1 where that is missing
    const double *scaling, *theta;
    const double* quick;  // [dense, 4]: centre, factor, weight; null where columns are not read in their order, one link

    const Linear& in_block(unsigned char*) const { return *this; }

    struct Own {
        Two scale;
        double weight;
    };
    struct Sum {
        double e;
    };
    Own own(int j) const { return {reinterpret_cast<const Two*>(quick)[2 * j], quick[4 * j + 2]}; }
    void begin(Sum& sum) const { sum.e = theta[0]; }
    static void add(const Own& own, double x, Sum& sum) { sum.e += own.weight * in_scale(x, own.scale.a, own.scale.b); }
    void end(const Answers& a, const Sum& sum, int64_t at) const {
        double score[2] = {sum.e, 0.0};
        tell(a, at, score);
    }

    template <class T>
    void answer(const Answers& a, const T* row, int64_t at, double* score) const {
        for (int64_t l = 0; l < links; ++l) {
            double e = theta[l];
            for (int64_t j = 0; j < dense; ++j) {
                const double cell = static_cast<double>(row[columns[2 * j]]);
                const double x = columns[2 * j + 1] ? (cell != cell ? 1.0 : 0.0) : cell;
                e += theta[(j + 1) * links + l] * in_scale(x, scaling[j], scaling[dense + j]);
            }
            score[l] = e;
        }
        tell(a, at, score);
    }

    void tell(const Answers& a, int64_t at, double* score) const {
        bool finite = true;
        for (int64_t l = 0; l < links; ++l) finite &= score[l] - score[l] == 0.0;
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

// A row to which every column adds, in their order.
template <class T, class Model>
inline void add_row(const Model& model, const Answers& a, const T* row, int columns, int64_t at) {
    typename Model::Sum sum;
    model.begin(sum);
#pragma unroll 4
    for (int j = 0; j < columns; ++j) Model::add(model.own(j), static_cast<double>(row[j]), sum);
    model.end(a, sum, at);
}

template <class T, class Model>
inline void answer_row(const Model& model, const Answers& a, const T* row, int columns, int64_t at, double* score) {
    if constexpr (Model::adds) {
        if (model.quick) {
            add_row(model, a, row, columns, at);
            return;
        }
    }
    model.answer(a, row, at, score);
}

// A block's memory: what it holds of the model, scores of rows, cells of rows.
template <class T, class Model>
inline void answer_rows(const Matrix& m, const Model& model, const Answers& a, unsigned char* memory) {
    const int32_t pitch = static_cast<int32_t>(m.columns) | 1;
    const int32_t places = Model::scored ? static_cast<int32_t>(a.classes) | 1 : 0;
    double* const scores = reinterpret_cast<double*>(memory + model.held);
    T* const tile = reinterpret_cast<T*>(scores + m.tile_rows * places);
    const Model own = model.in_block(memory);
    for (int64_t first = block() * m.tile_rows; first < m.rows; first += blocks() * m.tile_rows) {
        const int32_t n = static_cast<int32_t>(m.rows - first < m.tile_rows ? m.rows - first : m.tile_rows);
        barrier();
        if (m.together == 4)
            stage_flat<T, 4>(m, tile, first, n, a.odd);
        else if (m.together == 1)
            stage_flat<T, 1>(m, tile, first, n, a.odd);
        else
            stage(m, tile, first, n, a.odd);
        barrier();
        for (int32_t i = static_cast<int32_t>(thread()); i < n; i += static_cast<int32_t>(threads()))
            answer_row(own, a, tile + i * pitch, static_cast<int>(m.columns), first + i, scores + i * places);
    }
}

// Rows by fours of cells, several for a thread: what the model knows of a column is fetched once for all of them, and no
// thread waits for others.
template <class T, class Model>
inline void add_by_fours(const Matrix& m, const Model& model, const Answers& a) {
    constexpr int each = 2;
    const int fours = static_cast<int>(m.columns / 4);
    const int64_t all = threads(), size = each * all;
    Sizes<T> met;
    for (int64_t first = block() * size + thread(); first < m.rows; first += blocks() * size) {
        const Together<T, 4>* at[each];
        typename Model::Sum sum[each];
#pragma unroll
        for (int r = 0; r < each; ++r) {
            const int64_t row = first + r * all < m.rows ? first + r * all : first;
            at[r] = reinterpret_cast<const Together<T, 4>*>(m.at[0]) + row * fours;
            model.begin(sum[r]);
        }
        for (int q = 0; q < fours; ++q) {
            Together<T, 4> some[each];
#pragma unroll
            for (int r = 0; r < each; ++r) some[r] = at[r][q];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const auto own = model.own(4 * q + k);
#pragma unroll
                for (int r = 0; r < each; ++r) {
                    met.meet(some[r].x[k]);
                    Model::add(own, static_cast<double>(some[r].x[k]), sum[r]);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < each; ++r)
            if (first + r * all < m.rows) model.end(a, sum[r], first + r * all);
    }
    met.tell(a.odd);
}

template <class T, class Model>
inline void answer_kind(const Matrix& m, const Model& model, const Answers& a, unsigned char* memory) {
    if constexpr (Model::adds) {
        if (m.together == 4 && model.quick) {
            add_by_fours<T>(m, model, a);
            return;
        }
    }
    answer_rows<T>(m, model, a, memory);
}

template <class Model>
inline void answer_all(const Matrix& m, const Model& model, const Answers& a, unsigned char* memory) {
    if (m.kind == singles)
        answer_kind<float>(m, model, a, memory);
    else
        answer_kind<double>(m, model, a, memory);
}

}  // namespace tally

KERNEL answer_tree(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
                   int64_t together, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd,
                   const double* cut, const int32_t* steps, const void* quick, const double* node_shares,
                   const int64_t* labels, int64_t held) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, together},
               Walk{cut, steps, static_cast<const QuickStep*>(quick), node_shares, labels, held},
               Answers{classes, shares, best, best_kind, odd}, memory);
}

KERNEL_SHARING(4)
answer_sums(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
            int64_t together, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd,
            const double* base, const int64_t* terms, int64_t n_terms, const double* numbers, double slope,
            const double* shift, const double* lost, const double* quick) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, together},
               Adding{base, terms, n_terms, numbers, slope, shift, lost, quick},
               Answers{classes, shares, best, best_kind, odd}, memory);
}

KERNEL_SHARING(4)
answer_linear(int64_t rows, int64_t columns, const int64_t* at, int64_t step, int64_t kind, int64_t tile_rows,
              int64_t together, int64_t classes, double* shares, void* best, int64_t best_kind, uint32_t* odd, int64_t dense,
              int64_t links, const int64_t* places, const double* scaling, const double* theta, const double* quick) {
    using namespace tally;
    SHARED(memory);
    answer_all(Matrix{rows, columns, at, step, kind, tile_rows, together},
               Linear{dense, links, places, scaling, theta, quick}, Answers{classes, shares, best, best_kind, odd}, memory);
}
