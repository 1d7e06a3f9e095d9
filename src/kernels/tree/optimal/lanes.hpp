// The best one-test trees on both sides of many cuts at once: each cut is a lane of vector registers.
//
// A sweep walks the rows in the order of a column and keeps, for every lane, the losses of the rows so far on the left of
// the lane's cut, and of those on its right. All sums are whole numbers: lanes of 16, 32 or 64 bits give the same.
#pragma once

#include "kernels/tree/optimal/table.hpp"

namespace tally::tree::optimal {

inline constexpr size_t lanes = 16;

struct Narrow {
    using Number = int16_t;
    using Vector = int16_t TALLY_VECTOR(lanes * sizeof(int16_t));
};
struct Middle {
    using Number = int32_t;
    using Vector = int32_t TALLY_VECTOR(lanes * sizeof(int32_t));
};
struct Wide {
    using Number = int64_t;
    using Vector = int64_t TALLY_VECTOR(lanes * sizeof(int64_t));
};

// A vector in memory: its place is the same whichever processor the code that reads it is compiled for.
template <class Width>
struct alignas(lanes * sizeof(typename Width::Number)) Held {
    typename Width::Vector v;
};

// A cut whose two sides are asked for, and the answer as losses: of a leaf, and of the best single test.
struct Lane {
    const View* view = nullptr;
    uint32_t cut = 0;
    int64_t leaf[2] = {0, 0}, test[2] = {0, 0}, all[2] = {0, 0};
};

template <class V>
TALLY_INLINE void lower(V& least, const V& other) {
    least = other < least ? other : least;
}
template <class V>
TALLY_INLINE void raise(V& most, const V& other) {
    most = other > most ? other : most;
}

// Memory of one sweep; kept from one to the next.
template <class Width>
struct Sweeper {
    using V = typename Width::Vector;
    using N = typename Width::Number;
    const Table& table;
    const Node& node;
    const std::vector<View>& views;
    std::vector<Held<Width>> on_left;        // [own row]: the row's weight in the lanes where it is on the left
    std::vector<N> weight;                   // [own row]
    std::vector<uint32_t> own;               // [own row]
    std::vector<std::vector<N>> so_far;      // [view, place]: two: sum of weights
    std::vector<Held<Width>> after;          // classes: [place, side]: the heaviest class from one end
    std::vector<Held<Width>> sums;           // [answer, side] and more
    std::vector<int64_t> all_sum, left_sum;  // [answer]

    Sweeper(const Table& t, const Node& n, const std::vector<View>& v) : table(t), node(n), views(v) {
        const size_t rows = node.size();
        on_left.resize(rows), weight.resize(rows);
        for (size_t i = 0; i < rows; ++i) weight[i] = static_cast<N>(table.weight[node.rows[i]]);
        if (table.form == Form::classes) {
            own.resize(rows), after.resize(2 * rows);
            for (size_t i = 0; i < rows; ++i) own[i] = table.own[node.rows[i]];
        }
        if (table.form == Form::any) std::fill(weight.begin(), weight.end(), static_cast<N>(-1));
        sums.resize(8 * table.answers), all_sum.assign(table.answers, 0), left_sum.resize(table.answers);
        for (size_t i = 0; i < rows; ++i) sum_up(all_sum.data(), static_cast<uint32_t>(i));
        if (table.form != Form::two) return;
        for (const View& view : views) {
            std::vector<N> sum(view.levels ? 0 : rows);
            N all = 0;
            for (size_t i = 0; i < sum.size(); ++i) sum[i] = all = static_cast<N>(all + weight[view.rows[i]]);
            so_far.push_back(std::move(sum));
        }
    }

    // Mark the left sides of some cuts, those of one view next to each other and in their order, and sum their losses.
    void place(std::vector<Lane>& asked) {
        std::memset(static_cast<void*>(on_left.data()), 0, on_left.size() * sizeof(Held<Width>));
        for (size_t l = 0; l < asked.size();) {
            const View& view = *asked[l].view;
            size_t next = l;
            while (next < asked.size() && asked[next].view == &view) ++next;
            if (view.levels) {
                for (; l < next; ++l) {
                    std::fill(left_sum.begin(), left_sum.end(), 0);
                    each_left(view, view.cuts[asked[l].cut], node.size(), [&](uint32_t r) {
                        on_left[r].v[l] = weight[r];
                        sum_up(left_sum.data(), r);
                    });
                    close(asked[l]);
                }
                continue;
            }
            V mask{};
            for (size_t m = l; m < next; ++m) mask[m] = -1;
            std::fill(left_sum.begin(), left_sum.end(), 0);
            uint32_t at = 0;
            for (; l < next; ++l) {
                const uint32_t end = view.cuts[asked[l].cut].end;
                for (; at < end; ++at) {
                    const uint32_t r = view.rows[at];
                    on_left[r].v |= (V{} + weight[r]) & mask;
                    sum_up(left_sum.data(), r);
                }
                mask[l] = 0;
                close(asked[l]);
            }
        }
    }

    // Fill in the best single tests of all lanes.
    void answer(std::vector<Lane>& asked) {
        place(asked);
        Held<Width> best[4];
        run_fast([this, &best] {
            switch (table.form) {
                case Form::two: two(best); break;
                case Form::classes: classes(best); break;
                default: any(best);
            }
        });
        for (size_t l = 0; l < asked.size(); ++l) {
            for (int s = 0; s < 2; ++s) {
                int64_t& test = asked[l].test[s];
                if (table.form == Form::two) {
                    const int64_t least = best[2 * s].v[l], most = best[2 * s + 1].v[l], all = asked[l].all[s];
                    test += std::min({int64_t{0}, all, least, all - most});
                } else {
                    test = table.form == Form::classes ? test - best[s].v[l] : best[s].v[l];
                }
            }
        }
    }

   private:
    // Add a row to the sums of a side: classes: weight by class; else loss by answer.
    void sum_up(int64_t* to, uint32_t r) const {
        if (table.form == Form::classes) {
            to[own[r]] += weight[r];
            return;
        }
        const int64_t* loss = table.losses(node.rows[r]);
        for (size_t a = 0; a < table.answers; ++a) to[a] += loss[a];
    }

    // The losses of a leaf on either side of a cut, and what its best test is reckoned from: two: the loss of answer 1 and
    // how much more answer 0 loses; classes: all weight.
    void close(Lane& lane) const {
        const size_t A = table.answers;
        for (int s = 0; s < 2; ++s) {
            int64_t least = std::numeric_limits<int64_t>::max(), most = 0, sum = 0, each = 0;
            for (size_t a = 0; a < A; ++a) {
                each = s ? all_sum[a] - left_sum[a] : left_sum[a];
                least = std::min(least, each), most = std::max(most, each), sum += each;
            }
            lane.leaf[s] = table.form == Form::classes ? sum - most : least;
            lane.test[s] = table.form == Form::two ? each : sum;
            lane.all[s] = sum - 2 * each;
        }
    }

    // Two answers: the difference D of their losses on one side of a test decides, and only its extremes matter.
    TALLY_INLINE void two(Held<Width>* best) {
        V least{}, most{}, least_right{}, most_right{};
        auto look = [&](const V& left, const V& right) TALLY_INLINED_HERE {
            lower(least, left), raise(most, left);
            lower(least_right, right), raise(most_right, right);
        };
        const Held<Width>* rows = on_left.data();
        const size_t n = node.size();
        V whole{};
        for (size_t i = 0; i < n; ++i) whole += rows[i].v;
        for (size_t v = 0; v < views.size(); ++v) {
            const View& view = views[v];
            if (view.levels) {
                each_group(view, look);
                continue;
            }
            const N* all = so_far[v].data();
            V left{};
            if (view.distinct) {
                for (size_t i = 0; i < n; ++i) {
                    left += rows[view.rows[i]].v;
                    look(left, (V{} + all[i]) - left);
                }
            } else {
                for (size_t i = 0; i < view.low; ++i) {
                    left += rows[view.rows[i]].v;
                    if (view.ends[i]) look(left, (V{} + all[i]) - left);
                }
                left = whole;  // from the other end
                for (size_t i = n; i-- > view.high;) {
                    left -= rows[view.rows[i]].v;
                    if (view.ends[i - 1]) look(left, (V{} + all[i - 1]) - left);
                }
            }
        }
        best[0].v = least, best[1].v = most, best[2].v = least_right, best[3].v = most_right;
    }

    // Call f with the sums of each level, with missing rows and without; and of missing rows alone.
    template <class F>
    TALLY_INLINE void each_group(const View& view, F f) {
        const size_t n = node.size();
        V lost{}, lost_right{};
        for (size_t i = view.known; i < n; ++i) {
            const uint32_t r = view.rows[i];
            lost += on_left[r].v, lost_right += (V{} + weight[r]) - on_left[r].v;
        }
        if (view.known < n) f(lost, lost_right);
        V left{}, right{};
        for (size_t i = 0; i < view.known; ++i) {
            const uint32_t r = view.rows[i];
            left += on_left[r].v, right += (V{} + weight[r]) - on_left[r].v;
            if (!view.ends[i]) continue;
            f(left, right);
            if (view.known < n) f(left + lost, right + lost_right);
            left = V{}, right = V{};
        }
    }

    // Many classes: a side's best answer is its heaviest class. The weights of a growing side only grow, so their
    // largest is kept up as rows come; from the other end it is found by walking back first.
    TALLY_INLINE void classes(Held<Width>* best) {
        V found{}, found_right{};
        const size_t C = table.answers, n = node.size();
        Held<Width>*here = sums.data(), *all = here + 2 * C;  // [class], left then right of the cut
        auto add = [&](Held<Width>* to, uint32_t r, V& top, V& top_right) TALLY_INLINED_HERE {
            const uint32_t c = own[r];
            const V left = on_left[r].v;
            to[c].v += left, to[C + c].v += (V{} + weight[r]) - left;
            raise(top, to[c].v), raise(top_right, to[C + c].v);
        };
        auto clear = [&](V& top, V& top_right) TALLY_INLINED_HERE {
            for (size_t c = 0; c < 2 * C; ++c) here[c].v = V{};
            top = V{}, top_right = V{};
        };
        auto others = [&](V& top, V& top_right) TALLY_INLINED_HERE {  // all rows but those so far
            top = V{}, top_right = V{};
            for (size_t c = 0; c < C; ++c) {
                here[c].v = all[c].v - here[c].v, here[C + c].v = all[C + c].v - here[C + c].v;
                raise(top, here[c].v), raise(top_right, here[C + c].v);
            }
        };
        auto look = [&](size_t i, const V& top, const V& top_right) TALLY_INLINED_HERE {
            raise(found, top + after[2 * i].v), raise(found_right, top_right + after[2 * i + 1].v);
        };
        V top{}, top_right{};
        std::fill(all, all + 2 * C, Held<Width>{});
        for (size_t i = 0; i < n; ++i) add(all, static_cast<uint32_t>(i), top, top_right);
        for (const View& view : views) {
            if (view.levels) {
                level_classes(view, found, found_right);
                continue;
            }
            clear(top, top_right);  // before the most frequent value: forth, then back
            for (size_t i = 0; i < view.low; ++i) {
                add(here, view.rows[i], top, top_right);
                after[2 * i].v = top, after[2 * i + 1].v = top_right;
            }
            others(top, top_right);
            for (size_t i = view.low; i-- > 0;) {
                if (view.ends[i]) look(i, top, top_right);
                add(here, view.rows[i], top, top_right);
            }
            clear(top, top_right);  // behind it: back, then forth
            for (size_t i = n; i-- > view.high;) {
                add(here, view.rows[i], top, top_right);
                after[2 * i].v = top, after[2 * i + 1].v = top_right;
            }
            others(top, top_right);
            for (size_t i = view.high; i < n; ++i) {
                if (view.ends[i - 1]) look(i, top, top_right);
                add(here, view.rows[i], top, top_right);
            }
        }
        best[0].v = found, best[1].v = found_right;
    }

    TALLY_INLINE void level_classes(const View& view, V& found, V& found_right) {
        const size_t C = table.answers, n = node.size();
        Held<Width>*here = sums.data(), *all = here + 2 * C, *lost = all + 2 * C;  // [class], left then right of the cut
        std::fill(here, here + 2 * C, Held<Width>{}), std::fill(lost, lost + 2 * C, Held<Width>{});
        auto add = [&](Held<Width>* to, uint32_t r) TALLY_INLINED_HERE {
            to[own[r]].v += on_left[r].v, to[C + own[r]].v += (V{} + weight[r]) - on_left[r].v;
        };
        for (size_t i = view.known; i < n; ++i) add(lost, view.rows[i]);
        auto look = [&](const Held<Width>* group, const Held<Width>* more) TALLY_INLINED_HERE {
            for (int s = 0; s < 2; ++s) {
                V in{}, out{};
                for (size_t c = s * C; c < (s + 1) * C; ++c) {
                    const V sum = more ? group[c].v + more[c].v : group[c].v;
                    raise(in, sum), raise(out, all[c].v - sum);
                }
                raise(s ? found_right : found, in + out);
            }
        };
        if (view.known < n) look(lost, nullptr);
        for (size_t i = 0; i < view.known; ++i) {
            add(here, view.rows[i]);
            if (!view.ends[i]) continue;
            look(here, nullptr);
            if (view.known < n) look(here, lost);
            std::fill(here, here + 2 * C, Held<Width>{});
        }
    }

    // Any losses of any number of answers: the sums of all answers, cut by cut.
    TALLY_INLINE void any(Held<Width>* best) {
        V found = V{} + std::numeric_limits<N>::max(), found_right = found;
        const size_t A = table.answers, n = node.size();
        Held<Width>*all = sums.data(), *here = all + 2 * A, *lost = here + 2 * A;  // [answer], left then right of the cut
        auto add = [&](Held<Width>* to, uint32_t r) TALLY_INLINED_HERE {
            const int64_t* loss = table.losses(node.rows[r]);
            for (size_t a = 0; a < A; ++a) {
                const V each = V{} + static_cast<N>(loss[a]);
                to[a].v += each & on_left[r].v, to[A + a].v += each & ~on_left[r].v;
            }
        };
        auto look = [&](bool joined) TALLY_INLINED_HERE {
            for (int s = 0; s < 2; ++s) {
                V in = V{} + std::numeric_limits<N>::max(), out = in;
                for (size_t a = s * A; a < (s + 1) * A; ++a) {
                    const V sum = joined ? here[a].v + lost[a].v : here[a].v;
                    lower(in, sum), lower(out, all[a].v - sum);
                }
                lower(s ? found_right : found, in + out);
            }
        };
        std::fill(all, all + 2 * A, Held<Width>{});
        for (size_t i = 0; i < n; ++i) add(all, static_cast<uint32_t>(i));
        for (const View& view : views) {
            std::fill(here, here + 4 * A, Held<Width>{});
            if (view.levels && view.known < n) {
                for (size_t i = view.known; i < n; ++i) add(lost, view.rows[i]);
                look(true);
            }
            for (size_t i = 0; i < (view.levels ? view.known : n); ++i) {
                add(here, view.rows[i]);
                if (!view.ends[i]) continue;
                look(false);
                if (!view.levels) continue;
                if (view.known < n) look(true);
                std::fill(here, here + 2 * A, Held<Width>{});
            }
        }
        best[0].v = found, best[1].v = found_right;
    }
};

}  // namespace tally::tree::optimal
