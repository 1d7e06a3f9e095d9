// Runs every kernel on hard inputs with all checks on; the sanitizers do the judging, EXPECT checks sums that must hold.
#include "tests.hpp"

int main() {
    test_counts();
    test_ranks();
    test_moments();
    test_math();
    test_hashes();
    test_scores();
    test_linear();
    test_numbers();
    test_usual_numbers();
    test_cut();
    test_words();
    test_addresses();
    test_bayes();
    test_trees();
    test_optimal();
    std::puts("sanitize: all kernels clean");
}
