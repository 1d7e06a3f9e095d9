// Loss, gradient and curvature of logistic regression: every term of src/kernels/logistic, in fixed point, so that any
// order of rows gives the same bits.
//
// A block takes a tile of rows through all steps: columns into its own memory, scores to residuals and weights (a thread
// per row), then sums of products, four columns by four for each thread, in registers over all its tiles. A cell of a coded
// column is a column of 0 and 1 in the tile where cells are few, and else added to one by one.

namespace tally {

enum Curved : int64_t { no_curvature = 0, by_pairs = 1, gram = 2, diagonal = 3, own_only = 4 };

constexpr int64_t source_places = 7;  // of a dense column: address, kind, code, those of a second factor, missing

struct Points {
    int64_t rows;
    const uint32_t* chosen;  // [rows]: rows of the columns; null: all, in their order
    int64_t dense, coded, cells, links;
    const int64_t* sources;  // [dense, source_places]; code -1: the number; a second address of 0: one factor
    int64_t plain;           // 1: all are doubles and 2: all are singles, as they lie; 0: look at each
    const double* scaling;   // [2, dense]
    const int64_t* codes;    // [coded, 3]: address, kind, first cell
    const void* classes;     // null: one class
    int64_t class_kind;
    const double* class_factor;  // [class] or null
    const int64_t* weights;      // [row] or null
    double divisor;              // 0: weights are copies; else weight / divisor is the row's factor
    const double* theta;         // [parameter, link]
    double magic;
    int64_t curvature;
    int64_t hot;    // are cells columns of the tile?
    int64_t shift;  // a tile has 2^shift rows
    int64_t *loss, *gradient, *squares;

    // A row of the tile: columns, padded to fours; residuals, padded; weights; shares; copies. Its length is 2 more than
    // a multiple of 4, so that rows begin in different banks and pairs of doubles are aligned.
    int64_t columns() const { return 1 + dense + (hot ? cells : 0); }
    int64_t residuals() const { return (columns() + 3) / 4 * 4; }
    int64_t weight_at() const { return residuals() + (links + 3) / 4 * 4; }
    int64_t n_weights() const {
        if (curvature == no_curvature) return 0;
        if (curvature == gram || curvature == diagonal || links == 1) return 1;
        return curvature == own_only ? links : links * (links - 1) / 2;
    }
    int64_t shares() const { return weight_at() + n_weights(); }
    int64_t copies_at() const { return shares() + links; }
    int64_t pitch() const { return copies_at() / 4 * 4 + (copies_at() % 4 < 2 ? 2 : 6); }
    int64_t row_of(int64_t at) const { return chosen ? chosen[at] : at; }
    int64_t parameters() const { return 1 + dense + cells; }
    bool copied() const { return weights && divisor == 0.0; }
    int64_t own_class(int64_t row) const { return classes ? Cells{classes, class_kind}.code(row) : 0; }
    int64_t cell(int64_t c, int64_t row) const {
        return codes[3 * c + 2] + Cells{reinterpret_cast<const void*>(codes[3 * c]), codes[3 * c + 1]}.code(row);
    }
};

inline double factor_of(const int64_t* source, int64_t row) {
    const Cells cells{reinterpret_cast<const void*>(source[0]), source[1]};
    if (source[2] < 0) return cells.number(row);
    return static_cast<int64_t>(cells.code(row)) == source[2] ? 1.0 : 0.0;
}

APART inline double source_of(const int64_t* source, int64_t row) {
    const double x = factor_of(source, row);
    if (source[6]) return x != x ? 1.0 : 0.0;
    return source[3] ? x * factor_of(source + 3, row) : x;
}

inline double in_scale(double x, double centre, double factor) {
    const double y = (x - centre) * factor;
    return y == y ? y : 0.0;
}

// Columns of the tile's rows, a thread for some rows and every so manieth column.
template <int plain>
inline void load_tile(const Points& p, double* tile, int64_t first, int64_t n) {
    const int64_t tile_rows = int64_t{1} << p.shift, pitch = p.pitch();
    const int64_t step = threads() >> p.shift ? threads() >> p.shift : 1;
    for (int64_t i = thread() & (tile_rows - 1); i < n; i += threads()) {
        double* const to = tile + i * pitch + 1;
        const int64_t row = p.row_of(first + i);
#pragma unroll(plain ? 4 : 1)
        for (int64_t j = thread() >> p.shift; j < p.dense; j += step) {
            const int64_t* const source = p.sources + j * source_places;
            double x;
            if (plain == 1)
                x = reinterpret_cast<const double*>(source[0])[row];
            else if (plain == 2)
                x = static_cast<double>(reinterpret_cast<const float*>(source[0])[row]);
            else
                x = source_of(source, row);
            to[j] = in_scale(x, p.scaling[j], p.scaling[p.dense + j]);
        }
        for (int64_t j = p.dense + (thread() >> p.shift); j < p.residuals() - 1; j += step) to[j] = 0.0;
    }
}

struct Losses {
    uint64_t whole = 0, rest = 0, wrong = 0;
};

// What a row counts for beside its copies.
inline double row_factor(const Points& p, int64_t row) {
    double factor = 1.0;
    if (p.weights && p.divisor != 0.0) factor = static_cast<double>(p.weights[row]) / p.divisor;
    if (p.class_factor) factor *= p.class_factor[p.own_class(row)];
    return factor;
}

inline void add_loss(const Points& p, double loss, uint64_t times, Losses& losses) {
    const double bounded = loss < 1e9 ? loss : 1e9;
    const double shifted = bounded + rounder;
    losses.whole += (std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(rounder)) * times;
    losses.rest +=
        (std::bit_cast<uint64_t>((bounded - (shifted - rounder)) + p.magic) - std::bit_cast<uint64_t>(p.magic)) * times;
}

// The score of a link: columns are added in their order.
inline double score_of(const Points& p, const double* at, int64_t row, int64_t link) {
    const double* const theta = p.theta + link;
    double e = theta[0];
#pragma unroll 4
    for (int64_t j = 1; j <= p.dense; ++j) e += theta[j * p.links] * at[j];
#pragma unroll 1
    for (int64_t c = 0; c < p.coded; ++c) e += theta[(1 + p.dense + p.cell(c, row)) * p.links];
    return e;
}

// Two classes: the residual stands at r[0], p at s[0]; returns the loss. As two_classes in src/kernels/logistic/sums.hpp.
inline double two_classes(const Points& p, int64_t own, double* r, double* s, uint64_t times, Losses& losses) {
    const double e = r[0];
    const double exact = exp_of(e < 0 ? e : -e);
    const double t = exact < 1e-200 ? 0.0 : exact;
    const double share = (e < 0 ? t : 1.0) / (1.0 + t);
    double loss = log_of(1.0 + t) + (e < 0 ? 0.0 : e);
    loss -= own != 0 ? e : 0.0;
    r[0] = own != 0 ? 1.0 - share : -share;
    s[0] = share;
    losses.wrong += r[0] < 0.5 && r[0] > -0.5 ? 0 : times;
    return loss;
}

APART inline double many_classes(const Points& p, int64_t own, double* r, double* s, uint64_t times, Losses& losses) {
    double top = r[0], sum = 0.0, next = 0.0;
    for (int64_t l = 1; l < p.links; ++l) top = r[l] > top ? r[l] : top;
    for (int64_t l = 0; l < p.links; ++l) {
        s[l] = exp_of(r[l] - top);
        sum += s[l];
    }
    const double loss = (log_of(sum) + top) - r[own];
    for (int64_t l = 0; l < p.links; ++l) {
        s[l] /= sum;
        r[l] = -s[l];
        next = l != own && s[l] > next ? s[l] : next;
    }
    r[own] += 1.0;
    losses.wrong += next < s[own] ? 0 : times;
    return loss;
}

inline void curvature_weights(const Points& p, double* at, double factor) {
    double* const w = at + p.weight_at();
    const double* const s = at + p.shares();
    if (p.links == 1 || p.curvature == own_only) {
        for (int64_t l = 0; l < p.links; ++l) w[l] = (s[l] * (1.0 - s[l])) * factor;
        return;
    }
    for (int64_t l = 1; l < p.links; ++l)
        for (int64_t m = 0; m < l; ++m) w[l * (l - 1) / 2 + m] = (s[l] * s[m]) * factor;
}

// From a row's columns to its residuals, weights, copies and loss.
inline void finish_row(const Points& p, double* at, int64_t row, Losses& losses) {
    double* const r = at + p.residuals();
    const double factor = row_factor(p, row);
    const uint64_t times = p.copied() ? static_cast<uint64_t>(p.weights[row]) : 1;
    at[0] = 1.0;
    at[p.copies_at()] = std::bit_cast<double>(times);
    for (int64_t l = p.links; l < (p.links + 3) / 4 * 4; ++l) r[l] = 0.0;
    if (p.hot)
        for (int64_t c = 0; c < p.coded; ++c) at[1 + p.dense + p.cell(c, row)] = 1.0;
    if (p.curvature == gram || p.curvature == diagonal) {
        for (int64_t l = 0; l < p.links; ++l) r[l] = factor;
        at[p.weight_at()] = factor;
        return;
    }
    for (int64_t l = 0; l < p.links; ++l) r[l] = score_of(p, at, row, l);
    const int64_t own = p.own_class(row);
    double* const s = at + p.shares();
    const double loss = p.links == 1 ? two_classes(p, own, r, s, times, losses) : many_classes(p, own, r, s, times, losses);
    add_loss(p, loss * factor, times, losses);
    for (int64_t l = 0; l < p.links; ++l) r[l] *= factor;
    if (p.curvature != no_curvature) curvature_weights(p, at, factor);
}

struct alignas(16) Two {
    double a, b;
};

struct Task {
    int64_t weight, j, k;  // places of a tile's row: sums of (row[j + 0..3] * row[weight]) * row[k + 0..3]
};

template <bool copied>
inline void add_products(const Points& p, const Task& task, const double* tile, int64_t begin, int64_t end, int64_t step,
                         uint64_t (&sum)[16]) {
    const int64_t pitch = p.pitch(), copies = p.copies_at();
    const double magic = p.magic;
#pragma unroll 2
    for (int64_t i = begin; i < end; i += step) {
        const double* const row = tile + i * pitch;
        const Two* const u = reinterpret_cast<const Two*>(row + task.j);
        const Two* const v = reinterpret_cast<const Two*>(row + task.k);
        const Two u0 = u[0], u1 = u[1], v0 = v[0], v1 = v[1];
        const double w = row[task.weight];
        const double left[4] = {u0.a * w, u0.b * w, u1.a * w, u1.b * w}, right[4] = {v0.a, v0.b, v1.a, v1.b};
        const uint64_t times = copied ? std::bit_cast<uint64_t>(row[copies]) : 1;
#pragma unroll
        for (int a = 0; a < 4; ++a)
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const uint64_t bits = std::bit_cast<uint64_t>(left[a] * right[b] + magic);
                sum[4 * a + b] += copied ? (bits - std::bit_cast<uint64_t>(magic)) * times : bits;
            }
    }
}

// Adds a task's sums where they belong. terms: rows that went in with the magic number.
inline void write_products(const Points& p, const Task& task, uint64_t terms, const uint64_t (&sum)[16]) {
    const int64_t size = p.parameters(), columns = p.columns(), residuals = p.residuals();
    for (int i = 0; i < 16; ++i) {
        const int64_t j = task.j + i / 4, k = task.k + i % 4;
        const int64_t whole = static_cast<int64_t>(sum[i] - terms * std::bit_cast<uint64_t>(p.magic));
        if (whole == 0 || k >= columns) continue;
        if (j >= residuals) {
            const int64_t link = j - residuals;
            if (p.curvature == diagonal && link == 0) add_to(p.squares + k, whole);
            if (p.curvature != diagonal && link < p.links) add_to(p.gradient + k * p.links + link, whole);
        } else if (p.curvature == diagonal) {
            if (j == k) add_to(p.squares + size + k, whole);
        } else if (j < columns && k <= j) {
            add_to(p.squares + ((task.weight - p.weight_at()) * size + j) * size + k, whole);
        }
    }
}

// Cells that are no columns of the tile: each row adds to its own.
APART inline void add_cells(const Points& p, const double* tile, int64_t first, int64_t n) {
    const int64_t size = p.parameters(), base = 1 + p.dense, pitch = p.pitch();
    const uint64_t zero = std::bit_cast<uint64_t>(p.magic);
    for (int64_t i = thread(); i < n * p.coded; i += threads()) {
        const int64_t c = i / n, row = p.row_of(first + i % n), cell = base + p.cell(c, row);
        const double* const at = tile + i % n * pitch;
        const uint64_t times = std::bit_cast<uint64_t>(at[p.copies_at()]);
        const auto fixed = [=](double x) {
            return static_cast<int64_t>((std::bit_cast<uint64_t>(x + p.magic) - zero) * times);
        };
        if (p.curvature == diagonal) {
            const int64_t whole = fixed(at[p.weight_at()]);
            add_to(p.squares + cell, whole);
            add_to(p.squares + size + cell, whole);
            continue;
        }
        if (p.curvature != gram)
            for (int64_t l = 0; l < p.links; ++l) add_to(p.gradient + cell * p.links + l, fixed(at[p.residuals() + l]));
        for (int64_t q = 0; q < p.n_weights(); ++q) {
            const double w = at[p.weight_at() + q];
            int64_t* const to = p.squares + (q * size + cell) * size;
            for (int64_t j = 0; j < base; ++j) add_to(to + j, fixed(at[j] * w));
            const int64_t alone = fixed(w);
            for (int64_t d = 0; d <= c; ++d) add_to(to + base + p.cell(d, row), alone);
        }
    }
}

inline void write_losses(const Points& p, const Losses& own, unsigned char* memory) {
    uint64_t* const all = reinterpret_cast<uint64_t*>(memory);
    barrier();
    all[3 * thread()] = own.whole, all[3 * thread() + 1] = own.rest, all[3 * thread() + 2] = own.wrong;
    barrier();
    if (thread() >= 3 && threads() > 1) return;
    for (uint32_t k = thread(); k < 3; k += threads()) {
        uint64_t sum = 0;
        for (uint32_t t = 0; t < threads(); ++t) sum += all[3 * t + k];
        if (sum) add_to(p.loss + k, static_cast<int64_t>(sum));
    }
}

}  // namespace tally

// tasks [n, 3] are shared out among `passes` blocks that read the same rows, `each` to a block.
KERNEL_SHARING(2)
logistic_sums(int64_t rows, const uint32_t* chosen, int64_t dense, int64_t coded, int64_t cells, int64_t links,
              const int64_t* sources, int64_t plain, const double* scaling, const int64_t* codes, const void* classes,
              int64_t class_kind, const double* class_factor, const int64_t* weights, double divisor, const double* theta,
              double magic, int64_t curvature, int64_t hot, int64_t shift, const int64_t* tasks, int64_t n_tasks,
              int64_t each, int64_t passes, int64_t* loss, int64_t* gradient, int64_t* squares) {
    using namespace tally;
    SHARED(memory);
    double* const tile = reinterpret_cast<double*>(memory);
    const Points p{rows,    chosen,    dense,   coded,      cells,        links,    sources, plain,
                   scaling, codes,     classes, class_kind, class_factor, weights,  divisor, theta,
                   magic,   curvature, hot,     shift,      loss,         gradient, squares};
    const int64_t pass = block() % passes, tile_rows = int64_t{1} << shift, stride = blocks() / passes * tile_rows;
    const int64_t mine = n_tasks - pass * each < each ? n_tasks - pass * each : each;  // this pass's tasks
    const int64_t groups = mine > 0 ? threads() / mine : 0, group = mine > 0 ? thread() / mine : 0;
    const bool working = group < groups;
    const int64_t at = 3 * (pass * each + (working ? thread() % mine : 0));
    const Task task = mine > 0 ? Task{tasks[at], tasks[at + 1], tasks[at + 2]} : Task{0, 0, 0};
    uint64_t sum[16] = {}, terms = 0;
    Losses losses;
    for (int64_t first = block() / passes * tile_rows; first < rows; first += stride) {
        const int64_t n = rows - first < tile_rows ? rows - first : tile_rows;
        barrier();
        if (plain == 1)
            load_tile<1>(p, tile, first, n);
        else if (plain == 2)
            load_tile<2>(p, tile, first, n);
        else
            load_tile<0>(p, tile, first, n);
        barrier();
        for (int64_t i = thread(); i < n; i += threads()) finish_row(p, tile + i * p.pitch(), p.row_of(first + i), losses);
        barrier();
        if (working && p.copied()) {
            add_products<true>(p, task, tile, group, n, groups, sum);
        } else if (working) {
            add_products<false>(p, task, tile, group, n, groups, sum);
            terms += n > group ? static_cast<uint64_t>((n - group + groups - 1) / groups) : 0;
        }
        if (!hot && coded && pass == 0) add_cells(p, tile, first, n);
    }
    if (working) write_products(p, task, terms, sum);
    if (pass == 0) write_losses(p, losses, memory);
}

KERNEL heaviest(int64_t rows, const int64_t* weights, uint64_t* most) {
    using namespace tally;
    uint64_t own = 0;
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads())
        own = static_cast<uint64_t>(weights[row]) > own ? static_cast<uint64_t>(weights[row]) : own;
    if (own) raise_to(most, own);
}

// Adds the rows whose first columns, three at most, hash to 0 of `every` to a list, in any order: those of pick_rows in
// src/kernels/logistic/words.hpp. One zero, one NaN.
KERNEL choose_rows(int64_t rows, int64_t dense, const int64_t* sources, int64_t coded, const int64_t* codes, int64_t every,
                   uint32_t* count, uint32_t* chosen) {
    using namespace tally;
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        uint64_t mixed = 0;
        for (int64_t j = 0; j < dense; ++j) {
            const double x = source_of(sources + j * source_places, row);
            mixed += std::bit_cast<uint64_t>((x == x ? x : 0.0) + 0.0) * 0x9E3779B97F4A7C15ULL;
            mixed ^= mixed >> 29;
        }
        for (int64_t c = 0; c < coded; ++c) {
            const Cells cells{reinterpret_cast<const void*>(codes[3 * c]), codes[3 * c + 1]};
            mixed += static_cast<uint64_t>(static_cast<int64_t>(cells.code(row)) + 1) * 0x9E3779B97F4A7C15ULL;
            mixed ^= mixed >> 29;
        }
        mixed *= 0xBF58476D1CE4E5B9ULL;
        if ((mixed >> 40) % static_cast<uint64_t>(every) == 0) chosen[take_place(count)] = static_cast<uint32_t>(row);
    }
}

namespace tally {

// Doubles as whole numbers of the same order.
inline uint64_t ordered(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x), top = uint64_t{1} << 63;
    return bits & top ? ~bits : bits | top;
}

// ends[0] becomes the least, ends[1] the highest, as ordered whole numbers. A look first: few numbers change an end.
inline void widen(uint64_t* ends, double x) {
    if (x != x) return;
    const uint64_t key = ordered(x);
    if (key < ends[0]) lower_to(ends, key);
    if (key > ends[1]) raise_to(ends + 1, key);
}

}  // namespace tally

// Between which scores the classes lie along directions thetas[direction, parameter, link], over rows of weight above 0:
// one_side in src/kernels/logistic/answers.hpp. ends [direction, pair, 2, 2], then margins [direction, 2].
KERNEL widen_sides(int64_t rows, int64_t dense, int64_t coded, int64_t links, int64_t parameters, const int64_t* sources,
                   const double* scaling, const int64_t* codes, const void* classes, int64_t class_kind,
                   const int64_t* weights, int64_t directions, const double* thetas, uint64_t* ends, uint64_t* margins) {
    using namespace tally;
    SHARED(memory);
    double* const score = reinterpret_cast<double*>(memory) + thread() * links;
    const int64_t n_classes = links == 1 ? 2 : links, pairs = n_classes * (n_classes - 1) / 2;
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        if (weights && weights[row] == 0) continue;
        const int64_t own = Cells{classes, class_kind}.code(row);
        for (int64_t d = 0; d < directions; ++d) {
            const double* const theta = thetas + d * parameters * links;
            for (int64_t l = 0; l < links; ++l) score[l] = theta[l];
            for (int64_t j = 0; j < dense; ++j) {
                const double y = in_scale(source_of(sources + j * source_places, row), scaling[j], scaling[dense + j]);
                for (int64_t l = 0; l < links; ++l) score[l] += theta[(1 + j) * links + l] * y;
            }
            for (int64_t c = 0; c < coded; ++c) {
                const Cells cells{reinterpret_cast<const void*>(codes[3 * c]), codes[3 * c + 1]};
                const int64_t at = 1 + dense + codes[3 * c + 2] + cells.code(row);
                for (int64_t l = 0; l < links; ++l) score[l] += theta[at * links + l];
            }
            double lead = infinity;
            for (int64_t c = 0; c < n_classes; ++c) {
                if (c == own) continue;
                const double up = own > c ? 1.0 : -1.0;
                const double gap = links == 1 ? score[0] : up * (score[own] - score[c]);
                const int64_t pair = own > c ? own * (own - 1) / 2 + c : c * (c - 1) / 2 + own;
                widen(ends + 4 * (d * pairs + pair) + (own > c ? 0 : 2), gap);
                lead = up * gap < lead ? up * gap : lead;
            }
            widen(margins + 2 * d, lead);
        }
    }
}
