// One walk over rows of numbers and their classes: their hashes, one look at each column and, where these are asked for,
// exact sums and values of least hashes; some rows after the others while they are near, because memory is slower than all of that.
#pragma once

#include <memory>

#include "kernels/columns/hash_sample.hpp"
#include "kernels/columns/prints.hpp"
#include "kernels/sums/row_moments.hpp"

namespace tally {

struct ToPick {  // limits[column], and where to: picked[column]
    const uint64_t* limits;
    Picked* picked;
};

// given: classes are its only codes. scans[group], tables[column, class] of all columns or null: += the rows; picks: null
// where nothing is picked; least: += the rows of least hashes. -> the total of the hashes.
template <class Way>
uint128 walk_rows_by(const RowsToHash& given, size_t n_classes, RowScan* scans, const MomentTables* to, const ToPick* picks,
                     LeastRows& least) {
    constexpr size_t looked_at = 255;  // rows that tell how large values are, and whether they are whole
    std::vector<std::vector<Kind>> kinds;
    std::vector<std::unique_ptr<RowMoments<Way>>> sums;
    for (size_t g = 0; g < given.groups.size(); ++g) {
        const Numbers& own = given.groups[g].numbers;
        const Sample some(own, looked_at);
        kinds.push_back(kinds_of(own, some.columns()));
        if (to)
            sums.push_back(
                std::make_unique<RowMoments<Way>>(some.columns(), n_classes, tables_of(*to, g * lanes, n_classes)));
    }
    const auto beside = [&](size_t g, const NearRows& some) {
        scan_rows(some.columns, some.rows, kinds[g].data(), scans[g]);
        if (to) sums[g]->add(some.columns, some.rows, given.codes[0] + some.first);
        if (picks) pick_values(some.columns, some.rows, picks->limits + g * lanes, some.first, picks->picked + g * lanes);
    };
    const uint128 total =
        hash_total(given, beside, [&](size_t begin, size_t n, const uint64_t* low) { least.add(begin, n, low); });
    for (const auto& own : sums) own->end();
    return total;
}

inline uint128 walk_rows(const RowsToHash& given, size_t n_classes, RowScan* scans, const MomentTables* to,
                         const ToPick* picks, LeastRows& least) {
    if (level >= Level::ifma) return walk_rows_by<Products>(given, n_classes, scans, to, picks, least);
    return walk_rows_by<Slices>(given, n_classes, scans, to, picks, least);
}

}  // namespace tally
