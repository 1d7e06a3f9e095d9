// The split of one node from its count tables alone, for engines that sum tables instead of walking rows.
#pragma once

#include "kernels/tree/grow.hpp"

namespace tally::tree {

class Judge {
   public:
    Judge(Problem problem, int64_t total_score, int64_t total_rows)
        : problem_(std::move(problem)),
          book_(problem_, total_score, total_rows) {}

    const Problem& problem() const { return problem_; }
    Field field() const { return book_.field(); }

    // tables[column]: [k + 1, C + 1] branch vectors by code, missing last. The answer is a growth of one node
    // (its counts are the caller's); a node that must end is not searched.
    Growth judge(const int64_t* total, const std::vector<const int64_t*>& tables, int32_t depth, double deviance) {
        Growth out;
        Node node;
        node.depth = depth;
        node.deviance = deviance;
        out.nodes.push_back(node);
        if (book_.ends(total, node)) return out;
        Searched s;
        s.open = std::make_shared<Open>();
        s.total.assign(total, total + book_.width());
        book_.look(s, deviance, false);
        for (size_t j = 0; j < tables.size(); ++j) {
            const Column& column = problem_.columns[j];
            scratch_.table.assign(tables[j], tables[j] + (column.k + size_t{1}) * book_.width());
            s.here.unit = false;  // the rows are in the tables already
            const size_t levels = compact(s.here, column.k, scratch_);
            int64_t* left = s.lefts.data() + j * book_.width();
            uint8_t* map = s.maps.data() + book_.map_at(j);
            s.found[j] = problem_.regression ? search_table<double>(column, s.here, levels, scratch_, left, map)
                                             : search_table<int64_t>(column, s.here, levels, scratch_, left, map);
        }
        book_.record(out, s, book_.choose(s));
        return out;
    }

   private:
    Problem problem_;
    Rulebook book_;
    Scratch scratch_;
};

}  // namespace tally::tree
