/* What cost a row points of the card, against the best line of a section. */
typedef struct {
    const char *section;
    long points;
    char text[TALLY_REASON_SIZE];
} tally_reason;

/* ---- data ---- */

/* ---- reasons ---- */

static inline double tally_towards_(const double *part, int c) { /* of two classes: for one, against the other */
    return TALLY_SHARES_ == 2 ? part[c] - part[1 - c] : part[c];
}

static inline void tally_add_text_(char *out, const char *text) {
    size_t used = strlen(out), size = strlen(text), room = TALLY_REASON_SIZE - 1 - used;
    if (size > room) size = room;
    memcpy(out + used, text, size);
    out[used + size] = 0;
}

static inline void tally_add_number_(char *out, long number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", number);
    tally_add_text_(out, digits);
}
