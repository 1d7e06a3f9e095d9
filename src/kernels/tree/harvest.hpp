// A grown tree: all nodes depth first, and the candidates where they were written down.
#pragma once

#include "kernels/tree/grow.hpp"

namespace tally::tree {

class Harvest {
   public:
    // grown: the subtrees by their number, and at the end the levels above them.
    Harvest(const Rulebook& book, std::vector<Growth> grown) : field(book.field()), grown_(std::move(grown)) {
        const size_t width = book.problem().regression ? 2 : book.problem().classes;
        size_t all = 0;
        for (const Growth& growth : grown_) all += growth.nodes.size();
        nodes.reserve(all), counts.reserve(all * width);
        std::vector<std::pair<const Growth*, uint32_t>> stack{{&grown_.back(), 0u}};
        while (!stack.empty()) {
            auto [from, at] = stack.back();
            stack.pop_back();
            if (from->nodes[at].task >= 0) from = &grown_[static_cast<size_t>(from->nodes[at].task)], at = 0;
            append(*from, at, width);
            const Node& node = from->nodes[at];
            for (uint32_t b = static_cast<uint32_t>(node.children); b-- > 0;) stack.emplace_back(from, node.first + b);
        }
        for (Growth& growth : grown_) std::vector<Node>().swap(growth.nodes), std::vector<int64_t>().swap(growth.counts);
    }
    Harvest(const Harvest&) = delete;  // `searched_` points into `grown_`
    Harvest& operator=(const Harvest&) = delete;

    std::vector<Node> nodes;
    std::vector<int64_t> counts;
    std::vector<uint8_t> maps;
    Field field;

    // Let go of all but the candidates.
    void give_up_nodes() {
        std::vector<Node>().swap(nodes), std::vector<int64_t>().swap(counts), std::vector<uint8_t>().swap(maps);
    }

    size_t searched() const { return searched_.size(); }

    Candidates candidates() const {
        Candidates out;
        size_t lefts = 0;
        for (const auto& [growth, at] : searched_) lefts += field.lefts(growth->tried[at]);
        out.reserve(searched_.size() * field.by_name.size(), lefts);
        for (const auto& [growth, at] : searched_) field.tell(growth->tried[at], growth->maps, out);
        return out;
    }

   private:
    // Copy one node; its candidates stay where they are.
    void append(const Growth& from, uint32_t at, size_t width) {
        Node node = from.nodes[at];
        const auto counted = from.counts.begin() + static_cast<ptrdiff_t>(at * width);
        counts.insert(counts.end(), counted, counted + static_cast<ptrdiff_t>(width));
        if (node.map_size && field.map_size[static_cast<size_t>(node.column)]) {
            const auto begin = from.maps.begin() + static_cast<ptrdiff_t>(node.map);
            node.map = maps.size();
            maps.insert(maps.end(), begin, begin + static_cast<ptrdiff_t>(node.map_size));
        }
        if (node.candidates >= 0) {
            searched_.emplace_back(&from, static_cast<size_t>(node.candidates));
            node.candidates = static_cast<int64_t>(searched_.size() - 1);
        }
        nodes.push_back(node);
    }

    std::vector<Growth> grown_;
    std::vector<std::pair<const Growth*, size_t>> searched_;  // in order of the nodes
};

}  // namespace tally::tree
