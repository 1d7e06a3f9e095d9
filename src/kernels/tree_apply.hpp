// Rows down a tree: the node where each row's way ends.
//
// Eight rows go down side by side, so that the waits for memory overlap. A missing or unseen value takes the node's
// missing branch; -1 there means that the way ends at the node.
#pragma once

#include <vector>

#include "kernels/tree_frame.hpp"

namespace tally::tree {

// A column of new rows: numbers, or codes (then levels >= k are missing or unseen).
struct Cells {
    const char* data;
    ptrdiff_t stride;
    int width;      // bytes; numbers are 4 (float) or 8 (double)
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
    int32_t column;   // -1: leaf
    int32_t low, high, missing;  // next nodes of a numeric test
    int64_t branches; // first level's next node in `next`, for tests of levels
    uint32_t levels;  // 0: numeric
};

class Walk {
   public:
    // As in models/tree/nodes.py. child: nodes below in branch order.
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

    void ends(size_t rows, const Cells* columns, int32_t* out) const {
        constexpr size_t lanes = 8;
        size_t row = 0;
        for (; row + lanes <= rows; row += lanes) {
            int32_t node[lanes] = {};
            for (bool moving = true; moving;) {
                moving = false;
                for (size_t k = 0; k < lanes; ++k) {
                    const int32_t to = step(node[k], columns, row + k);
                    moving |= to != node[k];
                    node[k] = to;
                }
            }
            for (size_t k = 0; k < lanes; ++k) out[row + k] = node[k];
        }
        for (; row < rows; ++row) {
            int32_t node = 0;
            for (int32_t to; (to = step(node, columns, row)) != node;) node = to;
            out[row] = node;
        }
    }

   private:
    int32_t step(int32_t node, const Cells* columns, size_t row) const {
        const Step& s = steps_[static_cast<size_t>(node)];
        if (s.column < 0) return node;
        const Cells& cells = columns[s.column];
        if (s.levels) {
            const uint32_t code = cells.code(row);
            return code < s.levels ? next_[static_cast<size_t>(s.branches) + code] : s.missing;
        }
        const double x = cells.number(row);
        return x < s.cut ? s.low : (x == x ? s.high : s.missing);
    }

    std::vector<Step> steps_;
    std::vector<int32_t> next_;
};

}  // namespace tally::tree
