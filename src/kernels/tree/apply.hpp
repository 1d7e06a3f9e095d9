// Rows down a tree: the node where each row's way ends.
//
// Several rows go down side by side, so that the waits for memory overlap. A missing or unseen value takes the node's
// missing branch; -1 there means that the way ends at the node.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/tree/frame.hpp"

namespace tally::tree {

// A column of new rows: numbers, or codes (then levels >= k are missing or unseen).
struct Cells {
    const char* data;
    ptrdiff_t stride;
    int width;  // bytes; numbers are 4 (float) or 8 (double)
    bool numbers;

    double number(size_t row) const {
        const char* at = data + static_cast<ptrdiff_t>(row) * stride;
        return width == 4 ? static_cast<double>(*reinterpret_cast<const float*>(at)) : *reinterpret_cast<const double*>(at);
    }
    uint32_t code(size_t row) const {
        const char* at = data + static_cast<ptrdiff_t>(row) * stride;
        if (width == 1) return *reinterpret_cast<const uint8_t*>(at);
        if (width == 2) return *reinterpret_cast<const uint16_t*>(at);
        return *reinterpret_cast<const uint32_t*>(at);
    }
};

struct Step {
    double cut;
    int32_t column;              // -1: leaf
    int32_t low, high, missing;  // next nodes of a numeric test
    int64_t branches;            // first level's next node in `next`, for tests of levels
    uint32_t levels;             // 0: numeric
};

class Walk {
   public:
    // As in tree/nodes.py. child: nodes below in branch order.
    Walk(size_t n, const int32_t* column, const double* cut, const int64_t* first, const int64_t* child,
         const int64_t* branch_start, const int32_t* branch_of, const int32_t* missing) {
        steps_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            Step& s = steps_[i];
            s = {cut[i], column[i], 0, 0, 0, 0, 0};
            if (column[i] < 0) continue;
            auto below = [&](int32_t branch) {
                return static_cast<int32_t>(branch < 0 ? static_cast<int64_t>(i) : child[first[i] + branch]);
            };
            s.missing = below(missing[i]);
            s.levels = static_cast<uint32_t>(branch_start[i + 1] - branch_start[i]);
            s.branches = static_cast<int64_t>(next_.size());
            for (int64_t b = branch_start[i]; b < branch_start[i + 1]; ++b) next_.push_back(below(branch_of[b]));
            if (!s.levels) s.low = below(0), s.high = below(1);
        }
    }

    // out[row]: the node where the row's way ends. Returns whether an infinite number was met.
    bool ends(size_t rows, const Cells* columns, int32_t* out) const {
        bool single = true, whole = true, even = true;
        const Cells* last = nullptr;
        for (const Step& s : steps_) {
            if (s.column < 0 || s.levels) continue;
            const Cells* cells = columns + s.column;
            (cells->width == 4 ? whole : single) = false;
            even = even && (!last || last->stride == cells->stride);
            last = cells;
        }
        if (next_.empty() && even && single != whole)  // numbers only, all of one type
            return whole ? descend<double>(rows, columns, out) : descend<float>(rows, columns, out);
        bool infinite = false;
        constexpr size_t lanes = 8;
        for (size_t row = 0; row < rows; row += lanes) {
            const size_t n = rows - row < lanes ? rows - row : lanes;
            int32_t node[lanes] = {};
            for (bool moving = true; moving;) {
                moving = false;
                for (size_t k = 0; k < n; ++k) {
                    const int32_t to = step(node[k], columns, row + k, infinite);
                    moving |= to != node[k];
                    node[k] = to;
                }
            }
            for (size_t k = 0; k < n; ++k) out[row + k] = node[k];
        }
        return infinite;
    }

   private:
    // Numbers only, all columns of one width and one distance between rows: no branch depends on the data, and a cell
    // is the row's address plus the test's. A leaf leads to itself; following[0, 1, 2] are x < cut, x >= cut, missing.
    template <class Float>
    bool descend(size_t rows, const Cells* columns, int32_t* out) const {
        struct Plain {
            ptrdiff_t offset;
            Float cut;
            int32_t following[3];
        };
        std::vector<Plain> plain(steps_.size());
        const Cells* any = nullptr;
        for (const Step& s : steps_)
            if (s.column >= 0) any = columns + s.column;
        for (size_t i = 0; i < steps_.size(); ++i) {
            const Step& s = steps_[i];
            const int32_t own = static_cast<int32_t>(i);
            plain[i] = {s.column >= 0 ? columns[s.column].data - any->data : 0, not_below<Float>(s.cut), {own, own, own}};
            if (s.column >= 0)
                plain[i].following[0] = s.low, plain[i].following[1] = s.high, plain[i].following[2] = s.missing;
        }
        constexpr size_t lanes = 16;
        bool infinite = false;
        for (size_t row = 0; row < rows; row += lanes) {
            const size_t n = rows - row < lanes ? rows - row : lanes;
            const char* at = any->data + static_cast<ptrdiff_t>(row) * any->stride;
            int32_t node[lanes] = {};
            int32_t moved = 1;
            Float odd = 0;  // becomes NaN when a number met is infinite or missing
            while (moved) {
                moved = 0;
                for (size_t k = 0; k < n; ++k) {
                    const Plain& p = plain[static_cast<size_t>(node[k])];
                    const Float x = *reinterpret_cast<const Float*>(at + static_cast<ptrdiff_t>(k) * any->stride + p.offset);
                    odd += x - x;
                    const int32_t to = p.following[static_cast<int>(!(x < p.cut)) + static_cast<int>(x != x)];
                    moved |= to ^ node[k];
                    node[k] = to;
                }
            }
            for (size_t k = 0; k < n; ++k) out[row + k] = node[k];
            for (size_t k = 0; k < n && odd != odd && !infinite; ++k) walk_one(columns, row + k, infinite);
        }
        return infinite;
    }

    // The least Float that is not below the cut: x < it exactly when x < cut.
    template <class Float>
    static Float not_below(double cut) {
        const Float near = static_cast<Float>(cut);
        if constexpr (std::is_same_v<Float, double>) return near;
        return static_cast<double>(near) < cut ? std::nextafter(near, std::numeric_limits<Float>::infinity()) : near;
    }

    int32_t walk_one(const Cells* columns, size_t row, bool& infinite) const {
        int32_t node = 0;
        for (int32_t to; (to = step(node, columns, row, infinite)) != node;) node = to;
        return node;
    }

    int32_t step(int32_t node, const Cells* columns, size_t row, bool& infinite) const {
        const Step& s = steps_[static_cast<size_t>(node)];
        if (s.column < 0) return node;
        const Cells& cells = columns[s.column];
        if (s.levels) {
            const uint32_t code = cells.code(row);
            return code < s.levels ? next_[static_cast<size_t>(s.branches) + code] : s.missing;
        }
        const double x = cells.number(row);
        infinite |= x - x != 0.0 && x == x;
        return x < s.cut ? s.low : (x == x ? s.high : s.missing);
    }

    std::vector<Step> steps_;
    std::vector<int32_t> next_;
};

}  // namespace tally::tree
