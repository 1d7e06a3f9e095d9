/* A condition holds for a number from low to below high, or for one of some codes; and for a missing value or a level never
   seen if `missing` is 1. */
typedef struct {
    int column;
    double low, high;
    int codes;
    const int *code;
    int missing;
} tally_condition_;

typedef struct {
    int conditions;
    const tally_condition_ *condition;
    const double *share;
} tally_rule_;

/* ---- data ---- */

/* ---- rules ---- */

static inline int tally_holds_(const tally_condition_ *condition, const double *x) {
    double value = x[condition->column];
    int i;
    if (tally_column_list_[condition->column].kind == 2) {
        if (value >= tally_column_list_[condition->column].levels) return condition->missing;
        for (i = 0; i < condition->codes; i++)
            if (value == condition->code[i]) return 1;
        return 0;
    }
    if (value != value) return condition->missing;
    return value >= condition->low && value < condition->high;
}

/* The first rule whose conditions all hold answers; the last has none. */
static inline void tally_share_of_(const double *x, const unsigned *words, double *out) {
    const tally_rule_ *rule = tally_rules_;
    int i, k;
    (void)words;
    for (;; rule++) {
        for (i = 0; i < rule->conditions && tally_holds_(&rule->condition[i], x); i++) {
        }
        if (i == rule->conditions) break;
    }
    for (k = 0; k < TALLY_SHARES_; k++) out[k] = rule->share[k];
}
