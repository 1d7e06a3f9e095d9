typedef struct {
    int place;         /* of the class that is answered, among tally_labels */
    const char *label; /* its text */
    double probability[TALLY_CLASSES];
    int unseen; /* how many cells hold a level that no training row held */
    TALLY_WORDS_FOUND_
} tally_answer;

/* ---- data ---- */

static inline void tally_answer_(const double *share, tally_answer *answer) { /* the most probable, or the cheapest */
    double score, top = 0;
    int a, c;
    for (a = 0; a < TALLY_CLASSES; a++) {
        answer->probability[a] = score = share[a];
        if (TALLY_COSTED_)
            for (score = 0, c = 0; c < TALLY_CLASSES; c++) score -= share[c] * tally_costs_[c * TALLY_COSTED_][a];
        if (a == 0 || score > top) answer->place = a, top = score; /* of equals the first */
    }
    answer->label = tally_labels[answer->place];
}
