/* ---- data ---- */

static inline void tally_say_side_(const tally_side_ *side, const double *x, char *out) {
    const tally_column_ *column = &tally_column_list_[side->column];
    int code = (int)(column->kind == 2 ? x[side->column] : 0);
    tally_add_text_(out, tally_columns_read_[side->column]);
    tally_add_text_(out, " ");
    if (column->kind != 2) {
        tally_add_text_(out, side->said[tally_line_(side, x)]);
    } else if (code < column->levels) {
        tally_add_text_(out, "= ");
        tally_add_text_(out, column->name[code]);
    } else {
        tally_add_text_(out, code == column->levels ? "is missing" : "is a new level");
    }
}

static inline double tally_lost_(const tally_term_ *term, const double *x, const unsigned *words, int c) {
    double part[TALLY_SHARES_];
    if (term->kind == TALLY_WORDS_) return TALLY_WORDS_LOST_(term, words, c);
    tally_part_of_(term, x, words, part);
    return term->best[c] - tally_towards_(part, c);
}

/* Write at most `most` reasons, those that cost most points first, and return how many; -1 - the place of a cell that cannot
   be read. Points count towards the second of two classes, and of more towards the one that is most probable. */
static inline int tally_reasons(const tally_cell *row, int most, tally_reason *out) {
    double x[TALLY_READ_ + 1], share[TALLY_SHARES_], lost[TALLY_TERMS_ + 1];
    TALLY_ROOM_
    int wrong = tally_read_(row, x, TALLY_COUNTS_), i, k, c = 1, told = 0;
    if (wrong) return -wrong;
    if (TALLY_SHARES_ > 2) {
        tally_share_of_(x, TALLY_COUNTS_, share);
        for (c = 0, k = 1; k < TALLY_SHARES_; k++)
            if (share[k] > share[c]) c = k;
    }
    for (i = 0; i < TALLY_TERMS_; i++) lost[i] = tally_lost_(&tally_terms_[i], x, TALLY_COUNTS_, c);
    for (; told < most; told++) {
        tally_reason *reason = &out[told];
        const tally_term_ *term;
        int next = 0;
        for (i = 1; i < TALLY_TERMS_; i++)
            if (lost[i] > lost[next]) next = i;
        if (!(lost[next] > 0)) break;
        term = &tally_terms_[next];
        reason->section = term->name;
        reason->points = (long)lost[next];
        reason->text[0] = 0;
        for (i = 0; i < term->sides; i++) {
            if (i) tally_add_text_(reason->text, ", ");
            tally_say_side_(&term->side[i], x, reason->text);
        }
        TALLY_SAY_WORDS_
        tally_add_text_(reason->text, ": ");
        tally_add_number_(reason->text, reason->points);
        tally_add_text_(reason->text, reason->points == 1 ? " point" : " points");
        tally_add_text_(reason->text, term->kind == TALLY_WORDS_ ? " less than without" : " less than the best");
        lost[next] = 0;
    }
    return told;
}
