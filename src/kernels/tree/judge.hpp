// The split of one node from its count tables alone, for engines that sum tables instead of walking rows.
//
// A numeric column without codes (k = 0) comes with the values that its table's rows stand for. Its table may be a short one:
// the two sides of its best cut, which `best_cut` found in pieces of the long one, and how many cuts there were.
#pragma once

#include "kernels/tree/grow.hpp"

namespace tally::tree {

// The table of one column: rows[level, C + 1], missing last. values: null where the column has codes.
struct Listed {
    const int64_t* rows;
    const double* values = nullptr;
    uint32_t levels = 0;
    int64_t cuts = -1;
};

struct Cut {
    size_t at = 0;  // levels on the left; 0: no cut is allowed
    int64_t key = 0;
    int missing = 0;
    int64_t cuts = 0;  // how many are allowed, missing rows on either side
};

class Judge {
   public:
    Judge(Problem problem, int64_t total_score, int64_t total_rows)
        : problem_(std::move(problem)),
          book_(problem_, total_score, total_rows) {}

    const Problem& problem() const { return problem_; }
    Field field() const { return book_.field(); }

    // tables[column]: [k + 1, C + 1] branch vectors by code, missing last. The answer is a growth of one node
    // (its counts are the caller's); a node that must end is not searched.
    Growth judge(const int64_t* total, const std::vector<Listed>& tables, int32_t depth, double deviance) {
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
            Column column = problem_.columns[j];
            if (tables[j].values)
                column.k = tables[j].levels, column.distinct = tables[j].values, column.cuts = tables[j].cuts;
            scratch_.table.assign(tables[j].rows, tables[j].rows + (column.k + size_t{1}) * book_.width());
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

    // The best cut between the levels of a numeric column, all of them present; missing rows alone are not asked for.
    Cut best_cut(const int64_t* total, const int64_t* table, size_t levels) {
        return problem_.regression ? best_cut_as<double>(total, table, levels) : best_cut_as<int64_t>(total, table, levels);
    }

   private:
    template <class S>
    Cut best_cut_as(const int64_t* total, const int64_t* table, size_t levels) {
        const size_t width = book_.width();
        Searched s;
        s.total.assign(total, total + width);
        book_.look(s, 0.0, false);
        const int64_t* missing = table + levels * width;
        const std::vector<int64_t> none(width, 0);
        std::vector<int64_t> known(s.total);
        const bool fractions = problem_.rules.fractions;  // scored on the rows whose value is known
        for (size_t c = 0; c < width && fractions; ++c) known[c] -= missing[c];
        s.here.total = known.data();
        const Table t{
            levels, width, table, fractions ? none.data() : missing, known.data(), least_rows(s.here, Kind::numeric)};
        scratch_.spare.resize(4 * width);
        Cut out;
        const Best<S> best = cuts_between<S>(s.here.scorer, t, nullptr, scratch_.spare.data(), out.cuts);
        if (best.found) out.at = best.at, out.key = key_of(best.score), out.missing = best.missing;
        return out;
    }

    Problem problem_;
    Rulebook book_;
    Scratch scratch_;
};

}  // namespace tally::tree
