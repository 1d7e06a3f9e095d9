typedef struct {
    double value;
    int unseen; /* how many cells hold a level that no training row held */
} tally_answer;

/* ---- data ---- */

static inline void tally_answer_(const double *share, tally_answer *answer) { answer->value = share[0]; }
