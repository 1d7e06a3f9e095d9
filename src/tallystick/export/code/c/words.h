/* The words of a column, sorted by their bytes; code: the number of a word. */
typedef struct {
    int words, first; /* how many, and where their counts begin */
    const tally_spelling_ *word;
} tally_vocabulary_;

typedef struct {
    uint32_t low, high; /* both inside */
} tally_range_;

typedef struct {
    uint32_t capital, small;
} tally_letter_;

/* ---- data ---- */

/* ---- words ---- */

static inline int tally_within_(uint32_t c, const tally_range_ *range, int count) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c > range[middle].high) low = middle + 1;
        else high = middle;
    }
    return low < count && c >= range[low].low;
}

static inline uint32_t tally_lower_(uint32_t c) { /* of the letters that words of the model have */
    int i;
    if (c < 128) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    for (i = 0; i < TALLY_LETTERS_; i++)
        if (tally_letters_[i].capital == c) return tally_letters_[i].small;
    return c;
}

/* One character of UTF-8; a byte that begins none stands for itself alone, which is no letter. */
static inline uint32_t tally_decode_(const unsigned char *p, int *size) {
    uint32_t c = p[0];
    int more = c >= 0xF0 && c < 0xF8 ? 3 : c >= 0xE0 ? 2 : 1, i;
    *size = 1;
    if (c < 128) return c;
    if (c < 0xC2 || c >= 0xF5) return 0xFFFD;
    c &= 0x3Fu >> more;
    for (i = 1; i <= more; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0xFFFD;
        c = c << 6 | (p[i] & 63u);
    }
    *size = more + 1;
    return c;
}

/* A capital sigma ends its word when a cased letter stands before it and none after it, ignorable characters skipped. */
static inline int tally_ends_sigma_(const unsigned char *begin, const unsigned char *sigma) {
    const unsigned char *p = sigma;
    int size;
    uint32_t c;
    do {
        if (p == begin) return 0;
        p--;
        while (p > begin && (*p & 0xC0) == 0x80) p--;
        c = tally_decode_(p, &size);
        if (tally_within_(c, tally_cased_, TALLY_CASED_)) break;
        if (!tally_within_(c, tally_ignorable_, TALLY_IGNORABLE_)) return 0;
    } while (1);
    for (p = sigma + 2; *p; p += size) {
        c = tally_decode_(p, &size);
        if (tally_within_(c, tally_cased_, TALLY_CASED_)) return 0;
        if (!tally_within_(c, tally_ignorable_, TALLY_IGNORABLE_)) return 1;
    }
    return 1;
}

/* Keep of the words low to high, alike so far, those with a byte at some place. */
static inline void tally_narrow_(const tally_vocabulary_ *known, int *low, int *high, size_t at, unsigned char byte) {
    int first = *low, last = *high, end = *high;
    while (first < last) {
        int middle = first + (last - first) / 2;
        if ((unsigned char)known->word[middle].text[at] < byte) first = middle + 1;
        else last = middle;
    }
    *low = first;
    while (first < end) {
        int middle = first + (end - first) / 2;
        if ((unsigned char)known->word[middle].text[at] <= byte) first = middle + 1;
        else end = middle;
    }
    *high = first;
}

static inline int tally_encode_(uint32_t c, unsigned char *out) {
    if (c < 0x80) return out[0] = (unsigned char)c, 1;
    if (c < 0x800) return out[0] = (unsigned char)(0xC0 | c >> 6), out[1] = (unsigned char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xE0 | c >> 12), out[1] = (unsigned char)(0x80 | (c >> 6 & 63));
        return out[2] = (unsigned char)(0x80 | (c & 63)), 3;
    }
    out[0] = (unsigned char)(0xF0 | c >> 18), out[1] = (unsigned char)(0x80 | (c >> 12 & 63));
    return out[2] = (unsigned char)(0x80 | (c >> 6 & 63)), out[3] = (unsigned char)(0x80 | (c & 63)), 4;
}

/* Count the words of a cell: runs of letters, digits and underscores in lower case. 1 where there is any, -1 of a number. */
static inline int tally_find_words_(const tally_vocabulary_ *known, tally_cell cell, unsigned *count) {
    const unsigned char *begin = (const unsigned char *)cell.text, *p = begin;
    int some = 0, low = 0, high = 0, size, i, inside = 0;
    size_t at = 0;
    memset(count + known->first, 0, sizeof(unsigned) * (size_t)known->words);
    if (cell.kind == TALLY_NUMBER) return cell.number == cell.number ? -1 : 0;
    if (cell.kind == TALLY_MISSING || tally_among_(tally_strip_(cell.text), tally_marks_, TALLY_MARKS_, 0)) return 0;
    for (;; p += size) {
        uint32_t c = tally_decode_(p, &size);
        int letter = tally_within_(c, tally_word_characters_, TALLY_WORD_CHARACTERS_), dotted = c == 0x130;
        if (letter) {
            unsigned char bytes[4];
            if (!inside) low = 0, high = known->words, at = 0;
            inside = some = 1;
            c = c == 0x3A3 && tally_ends_sigma_(begin, p) ? 0x3C2 : dotted ? 'i' : tally_lower_(c);
            for (i = tally_encode_(c, bytes), letter = 0; letter < i; letter++, at++)
                tally_narrow_(known, &low, &high, at, bytes[letter]);
        }
        if (inside && (!letter || dotted)) { /* a capital i with a dot is i and a dot, which ends the word */
            if (low < high && !known->word[low].text[at]) count[known->first + known->word[low].code]++;
            inside = 0;
        }
        if (!*p) return some;
    }
}

static inline double tally_log_(double x) { /* natural, of a whole number from 1 up, as the model counts */
    const double LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;
    double k = 0, f, s, z, half, p = 2.0 / 23;
    int d;
    while (x >= 1.4142135623730951) x /= 2, k += 1;
    f = x - 1;
    s = f / (2 + f);
    z = s * s;
    half = 0.5 * f * f;
    for (d = 21; d > 2; d -= 2) p = p * z + 2.0 / d;
    return k * LN2_HIGH - ((half - s * (half + z * p)) - k * LN2_LOW - f);
}

static inline double tally_raw_(const tally_term_ *term, int word, unsigned count) {
    if (term->value == 2) return count * term->c[word] / 65536;
    return (1.0 + tally_log_(count < 4096 ? count : 4096)) * term->c[word];
}

static inline void tally_worded_(const tally_term_ *term, int some, const unsigned *words, double *out) {
    const tally_vocabulary_ *known = &tally_vocabularies_[term->vocabulary];
    const unsigned *count = words + known->first;
    double squares = 0, scale = 0;
    int w, k;
    for (k = 0; k < TALLY_SHARES_; k++) out[k] = 0;
    if (term->value > 1) {
        for (w = 0; w < known->words; w++)
            if (count[w]) squares += tally_raw_(term, w, count[w]) * tally_raw_(term, w, count[w]);
        scale = term->value == 2 ? sqrt(squares > 0 ? squares : 1) : squares > 0 ? 1 / sqrt(squares) : 0;
    }
    for (w = 0; w < known->words; w++) {
        double value = term->value ? 1.0 : count[w];
        if (!count[w]) continue;
        if (term->value == 2) value = tally_evenly_(tally_raw_(term, w, count[w]) / scale * 1048576);
        if (term->value == 3) value = tally_raw_(term, w, count[w]) * scale;
        if (value != 0)
            for (k = 0; k < TALLY_SHARES_; k++) out[k] += value * term->a[(size_t)w * TALLY_SHARES_ + (size_t)k];
    }
    if (some && term->b)
        for (k = 0; k < TALLY_SHARES_; k++) out[k] += term->b[k];
}
