/* ---- data ---- */

/* ---- answers ---- */

/* What the model reads of a row: numbers (NAN is missing), codes, and how often each word is there. 0, or 1 + the place of a
   cell that cannot be read. */
static inline int tally_read_(const tally_cell *row, double *x, unsigned *words) {
    int i;
    (void)words;
    for (i = 0; i < TALLY_READ_; i++) {
        const tally_column_ *column = &tally_column_list_[i];
        tally_cell cell = row[column->from];
        if (column->kind == 3) { /* whether there is any word */
            x[i] = TALLY_FIND_WORDS_;
            if (x[i] < 0) return column->from + 1;
        } else if (column->kind == 2 && !column->part) {
            x[i] = tally_code_(column, cell);
        } else {
            if (!tally_number_in_(column, cell, &x[i])) return column->from + 1;
            if (column->part && x[i] == x[i]) {
                if (!(x[i] > -1e8 && x[i] < 1e8)) return column->from + 1; /* no date of any calendar */
                x[i] = (double)tally_part_(x[i], column->part);
                if (column->part == 4) x[i] = column->weekday[(int)x[i]];
            } else if (column->kind == 2) {
                x[i] = column->absent;
            }
        }
    }
    return 0;
}

static inline int tally_unseen_(const double *x) {
    int i, count = 0;
    for (i = 0; i < TALLY_READ_; i++)
        count += tally_column_list_[i].kind == 2 && x[i] > tally_column_list_[i].levels;
    return count;
}

/* Answer a row of TALLY_COLUMNS cells. 0, or 1 + the place of a cell that cannot be read: a text where a number belongs. */
static inline int tally_predict(const tally_cell *row, tally_answer *answer) {
    double x[TALLY_READ_ + 1], share[TALLY_SHARES_];
    int wrong = tally_read_(row, x, TALLY_ANSWER_WORDS_);
    if (wrong) return wrong;
    tally_share_of_(x, TALLY_ANSWER_WORDS_, share);
    tally_answer_(share, answer);
    answer->unseen = tally_unseen_(x);
    return 0;
}

/* The place of a column in a row by its name; -1 where there is none. */
static inline int tally_column(const char *name) {
    int i;
    for (i = 0; i < TALLY_COLUMNS; i++)
        if (strcmp(name, tally_columns[i]) == 0) return i;
    return -1;
}
