// One walk over rows of doubles and their classes: their hashes, one look at each column and, where these are asked for,
// exact sums and values of least hashes; some rows after the others while they are near, because memory is slower than all of that.
#pragma once

#include <memory>

#include "kernels/columns/pick.hpp"
#include "kernels/columns/prints.hpp"
#include "kernels/sums/row_moments.hpp"

namespace tally {

struct ToPick {  // limits[column], and where to: picked[column]
    const uint64_t* limits;
    Picked* picked;
};

// given: classes are its only codes. scans[group], tables[column, class] of all columns or null: += the rows; picks: null
// where nothing is picked. -> the total of the hashes.
template <class Way>
uint128 walk_rows_by(const RowsToHash& given, size_t n_classes, RowScan* scans, const MomentTables* to,
                     const ToPick* picks) {
    const size_t groups = given.doubles.size();
    std::vector<Columns> columns;
    std::vector<uint8_t> broken;
    std::vector<std::unique_ptr<RowMoments<Way>>> sums;
    for (size_t g = 0; g < groups; ++g) {
        columns.push_back(given.doubles[g].columns(given.rows));
        broken.push_back(none_is_whole(columns[g]));
        if (to)
            sums.push_back(std::make_unique<RowMoments<Way>>(columns[g], n_classes, tables_of(*to, g * lanes, n_classes)));
    }
    const uint128 total = hash_total(given, [&](Span rows) {
        for (size_t g = 0; g < groups; ++g) {
            scan_rows(columns[g], rows, broken[g], scans[g]);
            if (to) sums[g]->add(rows, given.codes[0]);
            if (picks) pick_values(columns[g], rows, picks->limits + g * lanes, 0, picks->picked + g * lanes);
        }
    });
    for (const auto& own : sums) own->end();
    return total;
}

inline uint128 walk_rows(const RowsToHash& given, size_t n_classes, RowScan* scans, const MomentTables* to,
                         const ToPick* picks) {
    if (level >= Level::ifma) return walk_rows_by<Products>(given, n_classes, scans, to, picks);
    return walk_rows_by<Slices>(given, n_classes, scans, to, picks);
}

}  // namespace tally
