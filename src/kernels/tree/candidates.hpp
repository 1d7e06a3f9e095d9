// What every column of the searched nodes had to offer. Growing writes it down and goes on; it is put in order, best
// first, when somebody asks.
//
// Written in blocks that never move: keeping all candidates must cost next to nothing of a fit.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/tree/frame.hpp"

namespace tally::tree {

// One column in one node.
struct Offer {
    double cut, gain, ratio;
    int64_t worth;     // by which columns of a node compare
    int32_t branches;  // 0: nothing to split
    int32_t map;       // into Growth::maps, -1: not kept there
    uint64_t second;   // bit of each level that goes to the second of two groups, where 64 bits hold them all
};

// The offers of one node: all columns, then the first branches [column, C + 1]; counts of rows take half the room.
struct Offered {
    int32_t chosen;  // column, or -1
    bool narrow;
    Offer* offers;
    void* lefts;

    void keep_lefts(const std::vector<int64_t>& from) {
        if (narrow)
            std::copy(from.begin(), from.end(), static_cast<uint32_t*>(lefts));
        else
            std::copy(from.begin(), from.end(), static_cast<int64_t*>(lefts));
    }

    int64_t left(size_t at) const {
        return narrow ? int64_t{static_cast<const uint32_t*>(lefts)[at]} : static_cast<const int64_t*>(lefts)[at];
    }
};

class Ledger {
   public:
    Offered& add(size_t columns, size_t width, bool narrow) {
        const size_t lefts = columns * width;
        const size_t words = columns * (sizeof(Offer) / sizeof(int64_t)) + (narrow ? (lefts + 1) / 2 : lefts);
        if (words > left_) {
            left_ = std::max(words, block_words);
            blocks_.push_back(std::make_unique_for_overwrite<int64_t[]>(left_));
            next_ = blocks_.back().get();
        }
        Offer* offers = reinterpret_cast<Offer*>(next_);
        nodes_.push_back({-1, narrow, offers, offers + columns});
        next_ += words;
        left_ -= words;
        return nodes_.back();
    }

    size_t size() const { return nodes_.size(); }
    const Offered& operator[](size_t node) const { return nodes_[node]; }

   private:
    static constexpr size_t block_words = 1 << 13;  // 64 KB: from the heap, without fresh pages each time
    std::vector<std::unique_ptr<int64_t[]>> blocks_;
    std::vector<Offered> nodes_;
    int64_t* next_ = nullptr;
    size_t left_ = 0;
};

// Candidates as they are told: [searched node, column], best first.
struct Candidates {
    std::vector<int32_t> column;
    std::vector<int32_t> branches;  // 0: nothing to split
    std::vector<double> cut, gain, ratio;
    std::vector<int64_t> left;   // into `lefts`, -1: not kept
    std::vector<int64_t> map;    // into `maps`, -1: not kept
    std::vector<int64_t> lefts;  // rows of the first branch, [C + 1] each
    std::vector<uint8_t> maps;   // branches of levels

    void reserve(size_t size, size_t of_lefts) {
        column.reserve(size), branches.reserve(size), left.reserve(size), map.reserve(size);
        cut.reserve(size), gain.reserve(size), ratio.reserve(size), lefts.reserve(of_lefts);
    }

    void add(int32_t j, const Offer& offer, int64_t its_left, int64_t its_map) {
        column.push_back(j), branches.push_back(offer.branches), left.push_back(its_left), map.push_back(its_map);
        cut.push_back(offer.cut), gain.push_back(offer.gain), ratio.push_back(offer.ratio);
    }
};

// What must be known of the columns to put offers in order.
struct Field {
    std::vector<uint32_t> by_name;
    std::vector<uint32_t> map_size;  // [column]: levels whose branch is kept, 0: none
    std::vector<uint8_t> many;       // [column]: one branch per level
    size_t width = 0;                // C + 1

    // How many counts of first branches a node's candidates have.
    size_t lefts(const Offered& node) const {
        size_t out = 0;
        for (uint32_t j : by_name) out += has_left(node.offers[j], j) ? width : 0;
        return out;
    }

    bool has_left(const Offer& offer, uint32_t j) const { return offer.branches == 2 && !many[j]; }

    // Add one node's candidates: the chosen one, then by worth, then by name, those without a split last.
    void tell(const Offered& node, const std::vector<uint8_t>& maps, Candidates& out) const {
        std::vector<uint32_t> order(by_name);
        auto worth = [&](uint32_t j) {
            return std::tuple(static_cast<int32_t>(j) == node.chosen, node.offers[j].branches > 0, node.offers[j].worth);
        };
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return worth(a) > worth(b); });
        for (uint32_t j : order) {
            const Offer& o = node.offers[j];
            int64_t left = -1, map = o.map;
            if (has_left(o, j)) {
                left = static_cast<int64_t>(out.lefts.size());
                for (size_t c = 0; c < width; ++c) out.lefts.push_back(node.left(j * width + c));
            }
            if (o.map >= 0) {
                map = static_cast<int64_t>(out.maps.size());
                out.maps.insert(out.maps.end(), maps.begin() + o.map, maps.begin() + o.map + map_size[j]);
            } else if (o.branches == 2 && map_size[j] > 0 && map_size[j] <= 64) {
                map = static_cast<int64_t>(out.maps.size());
                for (uint32_t code = 0; code < map_size[j]; ++code) out.maps.push_back(o.second >> code & 1);
            }
            out.add(static_cast<int32_t>(j), o, left, map);
        }
    }
};

}  // namespace tally::tree
