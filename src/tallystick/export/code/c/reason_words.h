/* ---- data ---- */

/* The words that speak against a class, those that cost most first; else all that the card has. */
static inline void tally_say_words_(const tally_term_ *term, const unsigned *words, int c, char *out) {
    const tally_vocabulary_ *vocabulary = &tally_vocabularies_[term->vocabulary];
    const unsigned *count = words + vocabulary->first;
    int w, k, told = 0, bad = 0, known = 0, all, before = -1;
    double worst = -INFINITY;
    for (w = 0; w < vocabulary->words; w++) {
        const double *points = term->a + (size_t)w * TALLY_SHARES_;
        int some = 0;
        for (k = 0; k < TALLY_SHARES_; k++) some = some || points[k] != 0;
        known += count[w] && some;
        bad += count[w] && tally_towards_(points, c) < 0;
    }
    tally_add_text_(out, tally_columns_read_[term->side[0].column]);
    tally_add_text_(out, known ? " contains " : " contains no word of the card");
    all = bad ? bad : known;
    for (; told < all && told < 8; told++) {
        int next = -1;
        double least = INFINITY;
        for (w = 0; w < vocabulary->words; w++) {
            const double *points = term->a + (size_t)w * TALLY_SHARES_;
            double own = tally_towards_(points, c);
            int some = 0;
            for (k = 0; k < TALLY_SHARES_; k++) some = some || points[k] != 0;
            if (!count[w] || !some || (bad && own >= 0) || own >= least) continue;
            if (own > worst || (own == worst && w > before)) least = own, next = w;
        }
        if (told) tally_add_text_(out, ", ");
        for (w = 0; w < vocabulary->words; w++)
            if (vocabulary->word[w].code == next) tally_add_text_(out, vocabulary->word[w].text);
        worst = least, before = next;
    }
    if (all > 8) {
        tally_add_text_(out, " and ");
        if (all - 8 > 999) tally_add_number_(out, (all - 8) / 1000), tally_add_text_(out, ",");
        if (all - 8 > 999 && (all - 8) % 1000 < 100) tally_add_text_(out, (all - 8) % 1000 < 10 ? "00" : "0");
        tally_add_number_(out, (all - 8) % 1000);
        tally_add_text_(out, " more");
    }
}

static inline double tally_words_lost_(const tally_term_ *term, const unsigned *words, int c) {
    const tally_vocabulary_ *known = &tally_vocabularies_[term->vocabulary];
    double lost = 0;
    int w;
    for (w = 0; w < known->words; w++) {
        double own = tally_towards_(term->a + (size_t)w * TALLY_SHARES_, c);
        if (words[known->first + w] && own < 0) lost -= own;
    }
    return lost;
}
