// Grows trees by the criterion of the recipe in docs/extending.md, which stands in score.hpp when this is compiled.
//
// Input: how many tables; of each classes, rows, rows of a small node, least rows of a leaf, columns, whether there are weights;
// per column its kind, its codes and its cells; labels; weights. Output: a line per node, depth first: column, branches,
// branch of missing rows, cut, and the branch of each code.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

#include "kernels/tree/grower.hpp"

using namespace tally;

int main() {
    size_t tables = 0;
    std::cin >> tables;
    while (tables--) {
        tree::Problem p;
        size_t columns = 0;
        bool weighted = false;
        std::cin >> p.classes >> p.rows >> p.small >> p.rules.min_leaf >> columns >> weighted;
        p.rules.criterion = tree::Criterion::error;
        std::vector<std::vector<double>> numbers(columns, std::vector<double>(p.rows));
        std::vector<std::vector<uint16_t>> codes(columns, std::vector<uint16_t>(p.rows));
        for (size_t j = 0; j < columns; ++j) {
            tree::Column column;
            int kind = 0;
            std::cin >> kind >> column.k;
            column.kind = static_cast<tree::Kind>(kind);
            for (size_t i = 0; i < p.rows; ++i) {
                std::string cell;
                std::cin >> cell;
                numbers[j][i] = cell == "None" ? std::nan("") : std::stod(cell);
                codes[j][i] = static_cast<uint16_t>(cell == "None" ? column.k : numbers[j][i]);
            }
            if (column.kind == tree::Kind::numeric)
                column.values = {reinterpret_cast<const char*>(numbers[j].data()), 8, false};
            else
                column.codes = codes[j].data(), column.width = 2;
            p.columns.push_back(column);
            p.by_name.push_back(static_cast<uint32_t>(j));
        }
        std::vector<uint16_t> labels(p.rows);
        std::vector<int64_t> weights(p.rows, 1);
        int64_t heavy = 0;
        for (uint16_t& label : labels) std::cin >> label;
        for (int64_t& weight : weights) {
            if (weighted) std::cin >> weight;
            heavy += weight;
        }
        p.labels = labels.data();
        p.label_width = 2;
        if (weighted) p.weights.score = weights.data();
        tree::Grower<uint32_t> grower(p, heavy, static_cast<int64_t>(p.rows));
        grower.run(columns);
        const auto grown = grower.finish();
        for (const tree::Node& node : grown->nodes) {
            std::printf("%d %d %d %.17g", node.column, node.children, node.missing, node.cut);
            for (size_t i = 0; i < node.map_size; ++i) std::printf(" %d", grown->maps[node.map + i]);
            std::printf("\n");
        }
        std::printf("\n");
    }
}
