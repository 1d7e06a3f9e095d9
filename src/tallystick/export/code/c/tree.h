/* A test of numbers sends x < cut to to[0] and others to to[1]; of levels a code to to[code]. A missing value, or a level
   never seen, goes to `missing`; where that is negative, it goes down all branches in parts. A way to the node itself ends
   there. */
typedef struct {
    int column; /* -1: a leaf */
    double cut;
    const int *to;
    int ways;
    int missing;
    const double *part; /* of each branch */
    const double *share;
} tally_node_;

/* ---- data ---- */

/* ---- the tree ---- */

static inline void tally_down_(const tally_node_ *nodes, const double *x, int at, double part, double *out) {
    for (;;) {
        const tally_node_ *node = &nodes[at];
        int to = at, k;
        if (node->column >= 0) {
            double value = x[node->column];
            if (tally_column_list_[node->column].kind == 2) to = value < node->ways ? node->to[(int)value] : node->missing;
            else to = value < node->cut ? node->to[0] : value == value ? node->to[1] : node->missing;
        }
        if (to < 0) { /* the last branch first, as the model adds them */
            for (k = -to - 1; k >= 0; k--) tally_down_(nodes, x, node->to[node->ways + k], part * node->part[k], out);
            return;
        }
        if (to == at) {
            for (k = 0; k < TALLY_SHARES_; k++) out[k] += part * node->share[k];
            return;
        }
        at = to;
    }
}

static inline void tally_share_of_(const double *x, const unsigned *words, double *out) {
    int k;
    (void)words;
    for (k = 0; k < TALLY_SHARES_; k++) out[k] = 0;
    tally_down_(tally_nodes_, x, 0, 1.0, out);
}
