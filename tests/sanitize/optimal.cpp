// The search for the best tree: every form of losses, lanes of every width, levels, orders and missing rows; a round's order
// and a limit of work change no tree, or leave a bound that holds.
#include "tests.hpp"

#include "kernels/tree/optimal/job.hpp"

namespace {

using namespace tally;
using namespace tally::tree::optimal;

struct Given {
    std::vector<std::vector<uint32_t>> codes;
    std::vector<int64_t> loss, floor;

    Given(size_t rows, size_t answers, Form form, int64_t heavy, uint64_t seed) : floor(rows, 0) {
        for (uint32_t k : {30u, 3u, 5u, 2u}) codes.push_back(numbers_below<uint32_t>(rows, k + seed % 2, seed + k));
        const auto draw = numbers_below<int64_t>(rows * answers, 3, seed);
        for (size_t i = 0; i < rows * answers; ++i) {
            const bool own =
                static_cast<int64_t>(i % answers) == draw[i / answers * answers] % static_cast<int64_t>(answers);
            loss.push_back(form == Form::classes ? (own ? 0 : heavy) : draw[i] * heavy);
        }
    }
};

Job* made(const Given& given, size_t answers, Form form) {
    Job* job = new Job;
    const uint32_t sizes[] = {30, 3, 5, 2};
    for (size_t c = 0; c < 4; ++c) job->table.columns.push_back({c == 2, sizes[c], given.codes[c].data()});
    job->table.rows = given.floor.size(), job->table.answers = answers, job->table.form = form;
    job->table.loss = given.loss.data(), job->table.floor = given.floor.data();
    job->table.worth = 17, job->table.leaf = 1;
    return job;
}

int64_t searched(const Given& given, size_t answers, Form form, int depth, int64_t leaves, int64_t work, bool back,
                 int64_t& bound) {
    std::unique_ptr<Job> job(made(given, answers, form));
    job->start(depth, leaves, work, -1.0);
    while (const size_t cuts = job->plan()) {
        for (size_t i = 0; i < cuts; ++i) job->evaluate(back ? cuts - 1 - i : i);
        job->merge();
    }
    bound = job->bound();
    return job->best().key;
}

}  // namespace

void test_optimal() {
    for (int form = 0; form < 3; ++form)
        for (int64_t heavy : {int64_t{1}, int64_t{3000}, int64_t{1} << 33})
            for (uint64_t seed = 0; seed < 4; ++seed) {
                const Form how = static_cast<Form>(form);
                const size_t answers = how == Form::two ? 2 : 3;
                const Given given(seed == 3 ? 2 : 40, answers, how, heavy, seed);
                int64_t bound = 0, other = 0;
                const int64_t best = searched(given, answers, how, 3, 8, no_key, false, bound);
                EXPECT(best == bound);
                EXPECT(best == searched(given, answers, how, 3, 8, no_key, true, other));
                EXPECT(best <= searched(given, answers, how, 3, 5, no_key, false, other));
                EXPECT(best <= searched(given, answers, how, 3, 8, 2000, false, other) && other <= best);
            }
}
