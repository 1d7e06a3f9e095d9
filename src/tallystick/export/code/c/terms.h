/* ---- data ---- */

/* ---- base and terms ---- */

static inline int tally_line_(const tally_side_ *side, const double *x) {
    double value = x[side->column];
    int low = 0, high = side->cuts;
    if (tally_column_list_[side->column].kind == 2) return side->line ? side->line[(int)value] : (int)value;
    if (value != value) return side->lines - 1;
    while (low < high) { /* how many cuts are <= value */
        int middle = low + (high - low) / 2;
        if (side->cut[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline int tally_table_line_(const tally_term_ *term, const double *x) {
    int line = tally_line_(&term->side[0], x);
    return term->sides < 2 ? line : line * term->side[1].lines + tally_line_(&term->side[1], x);
}

static inline void tally_product_(const tally_term_ *term, const double *x, double *out) {
    double product = 1;
    int i, k;
    for (i = 0; i < term->factors; i++) {
        double value = x[term->factor[2 * i]];
        product *= term->factor[2 * i + 1] < 0 ? value : value == term->factor[2 * i + 1];
    }
    if (product != product) product = *term->b;
    for (k = 0; k < TALLY_SHARES_; k++) out[k] = product * term->a[k];
}

static inline void tally_part_of_(const tally_term_ *term, const double *x, const unsigned *words, double *out) {
    int k;
    double value = x[term->side[0].column];
    (void)words;
    switch (term->kind) {
    case TALLY_TABLE_:
        memcpy(out, term->a + (size_t)TALLY_SHARES_ * (size_t)tally_table_line_(term, x), sizeof(double) * TALLY_SHARES_);
        return;
    case TALLY_NORMAL_:
        for (k = 0; k < TALLY_SHARES_; k++)
            out[k] = value == value ? term->a[k] - (value - term->b[k]) * (value - term->b[k]) * term->c[k] : 0.0;
        return;
    case TALLY_LINEAR_:
        for (k = 0; k < TALLY_SHARES_; k++) out[k] = value == value ? value * term->a[k] + term->b[k] : term->c[k];
        return;
    case TALLY_PRODUCT_:
        tally_product_(term, x, out);
        return;
    default:
        TALLY_WORDED_(term, value > 0, words, out);
    }
}

static inline int tally_finite_(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static inline void tally_scores_(const double *x, const unsigned *words, int bounded, double *score) {
    double part[TALLY_SHARES_];
    int i, k;
    memcpy(score, tally_base_, sizeof part);
    for (i = 0; i < TALLY_TERMS_; i++) {
        tally_part_of_(&tally_terms_[i], x, words, part);
        for (k = 0; k < TALLY_SHARES_; k++) {
            double p = part[k];
            if (bounded) p = p != p ? 0 : p > 1e300 ? 1e300 : p < -1e300 ? -1e300 : p;
            score[k] += p;
        }
    }
}

static inline void tally_scale_(double *score) {
    int k;
    if (TALLY_SCALED_)
        for (k = 0; k < TALLY_SHARES_; k++) score[k] = tally_slope_ * score[k] + tally_shift_[k];
}

static inline double tally_top_(const double *score) {
    double top = score[0];
    int k;
    for (k = 1; k < TALLY_SHARES_; k++)
        if (score[k] > top) top = score[k];
    return top;
}

static inline void tally_share_of_(const double *x, const unsigned *words, double *out) {
    double score[TALLY_SHARES_], top, total = 0;
    int k, finite = 1;
    tally_scores_(x, words, 0, score);
    for (k = 0; k < TALLY_SHARES_; k++) finite = finite && tally_finite_(score[k]);
    if (TALLY_BOUNDED_ && !finite) tally_scores_(x, words, 1, score); /* beyond all doubles: each part is at most 1e300 */
    if (TALLY_NUMBER_) { /* the value itself */
        out[0] = score[0];
        return;
    }
    tally_scale_(score);
    top = tally_top_(score);
    if (top == -INFINITY) { /* every class is impossible: the prior answers */
        memcpy(score, tally_base_, sizeof score);
        tally_scale_(score);
        top = tally_top_(score);
    }
    for (k = 0; k < TALLY_SHARES_; k++) {
        out[k] = tally_exp_(score[k] - top);
        total += out[k];
    }
    for (k = 0; k < TALLY_SHARES_; k++) out[k] /= total;
}
