// Growing a tree: rows lie in the order of each column of numbers, node after node, and cuts are scored along the way.
//
// order[column, side, place] and rank[column, side, place]: entries in two buffers, of which a node's stand in one. An entry is
// a row with its class in the highest four bits. A node has the same stretch [begin, end) in every column, its missing rows
// last (rank `absent`). Tiles cut nodes into pieces of work, which a block reads into memory of its own.
// Scores are sums of n log2(n) as whole numbers (src/kernels/sums/entropy.hpp), so no order of work can change the best cut.

namespace tally {

constexpr uint32_t absent = 0xFFFFFFFF;
constexpr int most_classes = 16, most_branches = 16, class_at = 28;

inline uint32_t row_of(uint32_t entry) { return entry & ((1u << class_at) - 1); }
inline uint32_t class_of(uint32_t entry) { return entry >> class_at; }

// Where cell i of a tile lies in the block's memory: threads that read a stretch each do not meet in one bank.
inline int64_t spread(int64_t i) { return i + (i >> 4); }

struct Tiles {
    int64_t count;
    const int64_t *node, *begin, *end, *side;  // [tile]; node: which of those asked for
    int64_t at() const { return block() % count; }
    int64_t column() const { return block() / count; }
};

struct Orders {
    int64_t rows;
    uint32_t *order, *rank;
    int64_t place(int64_t column, int64_t side) const { return (column * 2 + side) * rows; }
};

// A thread's share of a stretch, one after the other.
struct Share {
    int64_t first, last;
    Share(int64_t begin, int64_t end) {
        const int64_t each = (end - begin + threads() - 1) / threads();
        first = begin + each * thread() < end ? begin + each * thread() : end;
        last = first + each < end ? first + each : end;
    }
};

// counts[which] += 1, without an address that depends on it: so counts stay in registers.
template <int Most>
inline void step(uint32_t which, uint32_t* counts) {
#pragma unroll
    for (int c = 0; c < Most; ++c) counts[c] += which == static_cast<uint32_t>(c);
}

// own[thread] becomes the sum over the threads before it; the caller's memory, [threads].
inline uint32_t before_me(uint32_t mine, uint32_t* own) {
    own[thread()] = mine;
    barrier();
    for (uint32_t step = 1; step < threads(); step *= 2) {
        const uint32_t more = thread() >= step ? own[thread() - step] : 0;
        barrier();
        own[thread()] += more;
        barrier();
    }
    const uint32_t sum = own[thread()] - mine;
    barrier();
    return sum;
}

}  // namespace tally

// Keys that rise as numbers do; missing ones last. -0 is 0.
KERNEL sort_keys(int64_t rows, const void* values, int64_t kind, void* keys) {
    using namespace tally;
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        if (kind == singles) {
            const float x = static_cast<const float*>(values)[row] + 0.0f;
            const uint32_t bits = std::bit_cast<uint32_t>(x);
            static_cast<uint32_t*>(keys)[row] = x == x ? (bits >> 31 ? ~bits : bits | 0x80000000u) : absent;
        } else {
            const double x = static_cast<const double*>(values)[row] + 0.0;
            const uint64_t bits = std::bit_cast<uint64_t>(x), top = uint64_t{1} << 63;
            static_cast<uint64_t*>(keys)[row] = x == x ? (bits >> 63 ? ~bits : bits | top) : ~uint64_t{0};
        }
    }
}

// Rows get their classes in their highest bits.
KERNEL label_entries(int64_t rows, uint32_t* order, const void* classes, int64_t class_kind) {
    using namespace tally;
    const Cells of{classes, class_kind};
    for (int64_t i = block() * threads() + thread(); i < rows; i += blocks() * threads())
        order[i] |= of.code(order[i]) << class_at;
}

// out[n] = n log2(n) as `Logs` has it; the first `known` are there already.
KERNEL fill_logs(int64_t known, int64_t size, double factor, int64_t* out) {
    using namespace tally;
    for (int64_t n = known + block() * threads() + thread(); n < size; n += blocks() * threads()) {
        const double x = static_cast<double>(n);
        out[n] = static_cast<int64_t>(x * log2_whole(x) * factor + 0.5);
    }
}

// Codes of numbers: bins between cuts, or places among all values; missing is k.
KERNEL code_numbers(int64_t rows, const void* values, int64_t kind, const double* numbers, int64_t n, int64_t binned,
                    int64_t k, uint32_t* codes) {
    using namespace tally;
    const Cells cells{values, kind};
    for (int64_t row = block() * threads() + thread(); row < rows; row += blocks() * threads()) {
        const double x = cells.number(row);
        codes[row] = static_cast<uint32_t>(x == x ? places_up_to(numbers, n, x) - (binned ? 0 : 1) : k);
    }
}

// counts[column, tile, 2 classes]: entries of each class whose value is known, then the others.
KERNEL tile_counts(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side,
                   int64_t rows, uint32_t* order, uint32_t* rank, int64_t n_classes, uint32_t* counts) {
    using namespace tally;
    SHARED(memory);
    uint32_t* const own = reinterpret_cast<uint32_t*>(memory);
    const Tiles tiles{count, node, begin, end, side};
    const Orders orders{rows, order, rank};
    const int64_t t = tiles.at(), place = orders.place(tiles.column(), side[t]);
    for (int64_t i = thread(); i < 2 * n_classes; i += threads()) own[i] = 0;
    barrier();
    for (int64_t i = begin[t] + thread(); i < end[t]; i += threads()) {
        const uint32_t c = class_of(order[place + i]);
        add_to(own + (rank[place + i] == absent ? n_classes : 0) + c, 1u);
    }
    barrier();
    for (int64_t i = thread(); i < 2 * n_classes; i += threads())
        counts[(tiles.column() * count + t) * 2 * n_classes + i] = own[i];
}

// before[column, tile, class]: known entries of the node in the tiles before; all[column, node, 2 classes].
KERNEL tile_sums(int64_t count, int64_t columns, int64_t nodes, const int64_t* first_tile, int64_t n_classes,
                 const uint32_t* counts, uint32_t* before, int64_t* all) {
    using namespace tally;
    const int64_t wide = 2 * n_classes, jobs = columns * nodes * wide;
    for (int64_t job = block() * threads() + thread(); job < jobs; job += blocks() * threads()) {
        const int64_t c = job % wide, node = job / wide % nodes, column = job / wide / nodes;
        uint32_t sum = 0;
        for (int64_t t = first_tile[node]; t < first_tile[node + 1]; ++t) {
            if (c < n_classes) before[(column * count + t) * n_classes + c] = sum;
            sum += counts[(column * count + t) * wide + c];
        }
        all[job] = sum;
    }
}

namespace tally {

struct BestOf {
    Tiles tiles;
    Orders orders;
    int64_t n_classes, nodes;
    const uint32_t* before;
    const int64_t *all, *least, *logs;
    uint64_t* bound;
    int64_t *score, *at, *cuts, *left;

    static uint64_t key_of(int64_t s) { return static_cast<uint64_t>(s) ^ (uint64_t{1} << 63); }

    // The rows of a node, and those of them whose value is missing.
    template <int Most>
    struct Node {
        int64_t total[Most], apart[Most], known = 0, lost = 0, least;
        const int64_t* logs;

        int64_t rows() const { return known + lost; }
        bool allows(int64_t n) const { return n >= least && rows() - n >= least; }

        // The score of a cut with `l` of each class on its left, and the missing rows where they are sent.
        int64_t score(const uint32_t* l, bool right) const {
            int64_t n = 0, s = 0;
#pragma unroll
            for (int c = 0; c < Most; ++c) {
                const int64_t a = l[c] + (right ? 0 : apart[c]);
                n += a;
                s += logs[a] + logs[total[c] - a];  // of a class that is not there: 0
            }
            return s - logs[n] - logs[rows() - n];
        }

        // No cut between two others has a higher score: scores are convex, so none inside a box is above all of its corners.
        int64_t most_between(const uint32_t* low, const uint32_t* high) const {
            int64_t most = -0x7FFFFFFFFFFFFFFF - 1;
            for (int right = lost ? 0 : 1; right < 2; ++right)
                for (int corner = 0; corner < 1 << Most; ++corner) {
                    uint32_t l[Most];
#pragma unroll
                    for (int c = 0; c < Most; ++c) l[c] = corner >> c & 1 ? high[c] : low[c];
                    const int64_t s = score(l, right);
                    most = s > most ? s : most;
                }
            return most + 4 * (2 * Most + 4) * (int64_t{1} << 19);  // as much as rounding can have taken
        }
    };

    template <int Most>
    Node<Most> node_of(int64_t column, int64_t own) const {
        Node<Most> n;
        const int64_t* const here = all + (column * nodes + own) * 2 * n_classes;
#pragma unroll
        for (int c = 0; c < Most; ++c) {
            n.apart[c] = c < n_classes ? here[n_classes + c] : 0;
            n.total[c] = c < n_classes ? here[c] + n.apart[c] : 0;
            n.known += n.total[c] - n.apart[c], n.lost += n.apart[c];
        }
        n.least = least[own], n.logs = logs;
        return n;
    }

    // Most: classes that are kept in registers.
    template <int Most>
    void find() const {
        SHARED(memory);
        uint64_t* const best = reinterpret_cast<uint64_t*>(memory);  // score, place, cuts
        uint32_t* const scan = reinterpret_cast<uint32_t*>(memory) + 8;
        const int64_t t = tiles.at(), column = tiles.column(), own = tiles.node[t], n_here = tiles.end[t] - tiles.begin[t];
        const int64_t from = orders.place(column, tiles.side[t]) + tiles.begin[t];
        uint32_t* const rank = scan + threads();
        uint8_t* const label = reinterpret_cast<uint8_t*>(rank + spread(n_here + 1) + 1);
        for (int64_t i = thread(); i <= n_here; i += threads()) {
            const bool inside = tiles.begin[t] + i < orders.rows;
            rank[spread(i)] = inside ? orders.rank[from + i] : absent;
            label[spread(i)] = static_cast<uint8_t>(inside ? class_of(orders.order[from + i]) : 0);
        }
        const Node<Most> node = node_of<Most>(column, own);
        if (thread() == 0) best[0] = 0, best[1] = ~uint64_t{0}, best[2] = 0;
        barrier();
        const Share share(0, n_here);
        uint32_t l[Most] = {}, high[Most];
        for (int64_t i = share.first; i < share.last; ++i)
            step<Most>(rank[spread(i)] == absent ? absent : label[spread(i)], l);
        int64_t rows_left = 0;
#pragma unroll
        for (int c = 0; c < Most; ++c) {
            high[c] = l[c];
            if (c < n_classes) l[c] = before_me(l[c], scan) + before[(column * tiles.count + t) * n_classes + c];
            high[c] += l[c], rows_left += l[c];
        }
        Found<Most> top;
        const uint64_t known =
            share.first < share.last ? ends_first<Most>(node, rank, share, high, column * nodes + own) : 0;
        const bool scored = Most > 4 || known == 0 || key_of(node.most_between(l, high)) >= known;
        look<Most>(node, rank, label, share, l, rows_left, scored, top);
        tell<Most>(top, best, column * tiles.count + t);
    }

   private:
    template <int Most>
    struct Found {
        int64_t score = -0x7FFFFFFFFFFFFFFF - 1, at = 0, allowed = 0;
        uint32_t left[Most] = {};
    };

    // Scores the cut at the end of a share, if there is one, and returns the highest that anybody has told of the node so far.
    template <int Most>
    uint64_t ends_first(const Node<Most>& node, const uint32_t* rank, const Share& share, const uint32_t* high,
                        int64_t which) const {
        if (Most > 4) return 0;
        int64_t n = 0;
#pragma unroll
        for (int c = 0; c < Most; ++c) n += high[c];
        const uint32_t mine = rank[spread(share.last - 1)];
        if (mine != absent && n != node.known && rank[spread(share.last)] != mine)
            for (int right = node.lost ? 0 : 1; right < 2; ++right)
                if (node.allows(n + (right ? 0 : node.lost))) {
                    const uint64_t key = key_of(node.score(high, right));
                    if (key > bound[which]) raise_to(bound + which, key);
                }
        return bound[which];
    }

    // Walks a thread's share. scored: else cuts are only counted, for none of them can be the best.
    template <int Most>
    void look(const Node<Most>& node, const uint32_t* rank, const uint8_t* label, const Share& share, uint32_t* l,
              int64_t rows_left, bool scored, Found<Most>& top) const {
        for (int64_t i = share.first; i < share.last; ++i) {
            const uint32_t mine = rank[spread(i)];
            if (mine == absent) break;
            step<Most>(label[spread(i)], l), ++rows_left;
            if (rows_left == node.known || rank[spread(i + 1)] == mine) continue;
            for (int right = node.lost ? 0 : 1; right < 2; ++right) {  // where missing rows go
                if (!node.allows(rows_left + (right ? 0 : node.lost))) continue;
                ++top.allowed;
                if (!scored) continue;
                const int64_t s = node.score(l, right);
                if (s <= top.score) continue;
                top.score = s, top.at = rows_left;
#pragma unroll
                for (int c = 0; c < Most; ++c) top.left[c] = l[c];
            }
        }
    }

    // The best of all threads, of equals the first.
    template <int Most>
    void tell(const Found<Most>& top, uint64_t* best, int64_t to) const {
        barrier();
        const uint64_t key = key_of(top.score);
        if (top.at) raise_to(best, key);
        if (top.allowed) add_to(reinterpret_cast<int64_t*>(best + 2), top.allowed);
        barrier();
        if (top.at && key == best[0]) lower_to(best + 1, static_cast<uint64_t>(top.at));
        barrier();
        if (thread() == 0) {
            score[to] = static_cast<int64_t>(best[0] ^ (uint64_t{1} << 63)), cuts[to] = static_cast<int64_t>(best[2]);
            at[to] = best[1] == ~uint64_t{0} ? 0 : static_cast<int64_t>(best[1]);
        }
        if (top.at && key == best[0] && static_cast<uint64_t>(top.at) == best[1]) {
#pragma unroll
            for (int c = 0; c < Most; ++c)
                if (c < n_classes) left[to * n_classes + c] = top.left[c];
        }
    }
};

}  // namespace tally

// The best cut before an entry of each tile: score, how many known entries of the node lie left of it (0: none is allowed), and
// how many of each class; cuts: how many are allowed, missing rows on either side. Of equals the first. bound[column, node]: a
// score that some cut has, as a key; at first 0. One kernel for so many classes each: registers of many would leave room for few blocks.
#define TILE_BEST(name, most)                                                                                            \
    KERNEL name(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side,       \
                int64_t rows, uint32_t* order, uint32_t* rank, int64_t n_classes, int64_t nodes, const uint32_t* before, \
                const int64_t* all, const int64_t* least, const int64_t* logs, uint64_t* bound, int64_t* score,          \
                int64_t* at, int64_t* cuts, int64_t* left) {                                                             \
        const tally::BestOf best{{count, node, begin, end, side},                                                        \
                                 {rows, order, rank},                                                                    \
                                 n_classes,                                                                              \
                                 nodes,                                                                                  \
                                 before,                                                                                 \
                                 all,                                                                                    \
                                 least,                                                                                  \
                                 logs,                                                                                   \
                                 bound,                                                                                  \
                                 score,                                                                                  \
                                 at,                                                                                     \
                                 cuts,                                                                                   \
                                 left};                                                                                  \
        best.find<most>();                                                                                               \
    }
TILE_BEST(tile_best_2, 2)
TILE_BEST(tile_best_4, 4)
TILE_BEST(tile_best_16, 16)

// out[i]: the number of the entry places[i] of a column.
KERNEL values_at(int64_t n, const int64_t* column, const int64_t* places, const int64_t* side, int64_t rows, uint32_t* order,
                 const int64_t* addresses, const int64_t* kinds, double* out) {
    using namespace tally;
    const Orders orders{rows, order, nullptr};
    for (int64_t i = block() * threads() + thread(); i < n; i += blocks() * threads())
        out[i] = column_of(addresses, kinds, column[i]).number(row_of(order[orders.place(column[i], side[i]) + places[i]]));
}

// table[node, code, class] of a column of codes. small: it is counted in the block's own memory first.
KERNEL node_counts(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side,
                   int64_t rows, uint32_t* order, const void* codes, int64_t kind, int64_t n_codes, int64_t n_classes,
                   int64_t small, int64_t* table) {
    using namespace tally;
    SHARED(memory);
    uint32_t* const own = reinterpret_cast<uint32_t*>(memory);
    const int64_t t = block(), place = side[t] * rows, cells = n_codes * n_classes;
    const Cells coded{codes, kind};
    for (int64_t i = thread(); i < (small ? cells : 0); i += threads()) own[i] = 0;
    barrier();
    for (int64_t i = begin[t] + thread(); i < end[t]; i += threads()) {
        const uint32_t entry = order[place + i];
        const int64_t cell = static_cast<int64_t>(coded.code(row_of(entry))) * n_classes + class_of(entry);
        if (small)
            add_to(own + cell, 1u);
        else
            add_to(table + node[t] * cells + cell, int64_t{1});
    }
    barrier();
    for (int64_t i = thread(); i < (small ? cells : 0); i += threads())
        if (own[i]) add_to(table + node[t] * cells + i, static_cast<int64_t>(own[i]));
}

// branch[row] of the rows at nodes that were tested: by a cut where the column is told by its numbers, else by a map of codes.
KERNEL find_branches(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side,
                     int64_t rows, uint32_t* order, const int64_t* addresses, const int64_t* kinds, const int64_t* column,
                     const double* cut, const int64_t* map_start, const uint8_t* map, uint8_t* branch) {
    using namespace tally;
    const int64_t t = block(), place = side[t] * rows, own = node[t];
    const Cells cells = column_of(addresses, kinds, column[own]);
    const uint8_t* const to = map + map_start[own];
    for (int64_t i = begin[t] + thread(); i < end[t]; i += threads()) {
        const int64_t row = row_of(order[place + i]);
        if (cells.kind == doubles || cells.kind == singles) {
            const double x = cells.number(row);
            branch[row] = to[x == x ? x >= cut[own] : 2];
        } else {
            branch[row] = to[cells.code(row)];
        }
    }
}

// way[column, place]: the branch of each entry; counts[column, tile, branch].
KERNEL branch_counts(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side,
                     int64_t rows, uint32_t* order, const uint8_t* branch, int64_t branches, uint8_t* way,
                     uint32_t* counts) {
    using namespace tally;
    SHARED(memory);
    uint32_t* const own = reinterpret_cast<uint32_t*>(memory);
    const Tiles tiles{count, node, begin, end, side};
    const Orders orders{rows, order, nullptr};
    const int64_t t = tiles.at(), place = orders.place(tiles.column(), side[t]);
    for (int64_t i = thread(); i < branches; i += threads()) own[i] = 0;
    barrier();
    for (int64_t i = begin[t] + thread(); i < end[t]; i += threads()) {
        const uint8_t b = branch[row_of(order[place + i])];
        way[tiles.column() * rows + i] = b;
        add_to(own + b, 1u);
    }
    barrier();
    for (int64_t i = thread(); i < branches; i += threads()) counts[(tiles.column() * count + t) * branches + i] = own[i];
}

// counts become where the entries of each tile and branch begin; sizes[node, branch], the same in every column.
KERNEL branch_places(int64_t count, int64_t columns, int64_t nodes, const int64_t* first_tile, const int64_t* node_begin,
                     int64_t branches, uint32_t* counts, int64_t* sizes) {
    using namespace tally;
    for (int64_t job = block() * threads() + thread(); job < columns * nodes; job += blocks() * threads()) {
        const int64_t node = job % nodes, column = job / nodes;
        uint32_t sum = static_cast<uint32_t>(node_begin[node]);
        for (int64_t b = 0; b < branches; ++b) {
            const uint32_t first = sum;
            for (int64_t t = first_tile[node]; t < first_tile[node + 1]; ++t) {
                uint32_t* const here = counts + (column * count + t) * branches + b;
                const uint32_t n = *here;
                *here = sum;
                sum += n;
            }
            if (column == 0) sizes[node * branches + b] = sum - first;
        }
    }
}

namespace tally {

template <int Most>
inline void part_tile(const Tiles& tiles, const Orders& orders, const uint8_t* way, int64_t branches,
                      const uint32_t* places) {
    SHARED(memory);
    const int64_t t = tiles.at(), column = tiles.column(), side = tiles.side[t], n_here = tiles.end[t] - tiles.begin[t];
    const int64_t from = orders.place(column, side) + tiles.begin[t], to = orders.place(column, 1 - side);
    uint32_t* const scan = reinterpret_cast<uint32_t*>(memory);
    uint32_t* const goal = scan + threads();
    uint8_t* const own = reinterpret_cast<uint8_t*>(goal + spread(n_here) + 1);
    for (int64_t i = thread(); i < n_here; i += threads()) own[spread(i)] = way[column * orders.rows + tiles.begin[t] + i];
    barrier();
    const Share share(0, n_here);
    uint32_t next[Most] = {};
    for (int64_t i = share.first; i < share.last; ++i) step<Most>(own[spread(i)], next);
#pragma unroll
    for (int b = 0; b < Most; ++b) {
        if (b >= branches) break;
        next[b] = before_me(next[b], scan) + places[(column * tiles.count + t) * branches + b];
    }
    for (int64_t i = share.first; i < share.last; ++i) {
        const uint32_t b = own[spread(i)];
#pragma unroll
        for (int k = 0; k < Most; ++k) goal[spread(i)] = b == static_cast<uint32_t>(k) ? next[k] : goal[spread(i)];
        step<Most>(b, next);
    }
    barrier();
    for (int64_t i = thread(); i < n_here; i += threads()) {
        orders.order[to + goal[spread(i)]] = orders.order[from + i];
        orders.rank[to + goal[spread(i)]] = orders.rank[from + i];
    }
}

}  // namespace tally

// Entries of tested nodes move to the other buffer, branch after branch, each in the order it had.
#define PART_ENTRIES(name, most)                                                                                   \
    KERNEL name(int64_t count, const int64_t* node, const int64_t* begin, const int64_t* end, const int64_t* side, \
                int64_t rows, uint32_t* order, uint32_t* rank, const uint8_t* way, int64_t branches,               \
                const uint32_t* places) {                                                                          \
        tally::part_tile<most>({count, node, begin, end, side}, {rows, order, rank}, way, branches, places);       \
    }
PART_ENTRIES(part_entries_2, 2)
PART_ENTRIES(part_entries_16, 16)
