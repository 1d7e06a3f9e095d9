/* What a column adds to the score of each class. A side has cuts, or the line of each code. */
typedef struct {
    int column;
    int lines;
    int cuts;
    const double *cut;
    const int *line;         /* of each code; none: the code itself */
    const char *const *said; /* the ranges in words, missing last; for reasons */
} tally_side_;

enum { TALLY_TABLE_, TALLY_NORMAL_, TALLY_LINEAR_, TALLY_PRODUCT_, TALLY_WORDS_ };

typedef struct {
    int kind;
    const char *name;
    int sides;
    tally_side_ side[2];
    /* TABLE: a by line. NORMAL: a - (x - b) * (x - b) * c. LINEAR: x * a + b, missing c. PRODUCT: product * a, missing *b * a.
       WORDS: a by word, b where there is any word, c by word (idf). */
    const double *a, *b, *c;
    int factors;
    const int *factor; /* (column, code or -1) of each */
    int value; /* of words: 0 counts, 1 once, 2 tf-idf in whole parts, 3 log tf-idf */
    int vocabulary;
    const double *best; /* the points of the best line, of a card */
} tally_term_;

