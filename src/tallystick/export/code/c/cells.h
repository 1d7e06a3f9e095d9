/* A cell of a row: tally_missing(), tally_number(3.5) or tally_text("yes"), UTF-8 that ends with a zero byte. A number or a
   date may be given as text. */
enum { TALLY_MISSING, TALLY_NUMBER, TALLY_TEXT };

typedef struct {
    int kind;
    double number;
    const char *text;
} tally_cell;

static inline tally_cell tally_missing(void) {
    tally_cell cell = {TALLY_MISSING, 0, ""};
    return cell;
}

static inline tally_cell tally_number(double number) {
    tally_cell cell = {TALLY_NUMBER, 0, ""};
    cell.number = number;
    return cell;
}

static inline tally_cell tally_text(const char *text) {
    tally_cell cell = {TALLY_TEXT, 0, ""};
    if (!text) return tally_missing();
    cell.text = text;
    return cell;
}

typedef struct {
    const char *text;
    int code;
} tally_spelling_;

typedef struct {
    double number;
    int code;
} tally_numeral_;

typedef struct {
    int from;   /* the cell of the row */
    int kind;   /* 0 number, 1 date, 2 levels, 3 text */
    int part;   /* of a date: 1 year, 2 month, 3 hour, 4 weekday; 0: the date itself */
    int levels; /* how many; the code of a missing cell is `absent`, of a level never seen levels + 1 */
    int absent;
    int spellings; /* sorted by their bytes */
    const tally_spelling_ *spelling;
    int numerals; /* levels that are written as numbers are */
    const tally_numeral_ *numeral;
    int meanings; /* other words for no and yes, in lower case */
    const tally_spelling_ *meaning;
    const char *const *name; /* of each level */
    const int *weekday;      /* the code of Monday, Tuesday, ... */
    int marks;               /* texts that mean missing in this column alone */
    const char *const *mark;
} tally_column_;

/* ---- data ---- */

/* ---- cells ---- */

typedef struct {
    const char *start;
    size_t size;
} tally_view_;

static inline int tally_space_(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline int tally_digit_(char c) { return c >= '0' && c <= '9'; }

static inline tally_view_ tally_strip_(const char *text) {
    tally_view_ view;
    view.start = text;
    while (tally_space_(*view.start)) view.start++;
    view.size = strlen(view.start);
    while (view.size && tally_space_(view.start[view.size - 1])) view.size--;
    return view;
}

/* The order of bytes; with `lower` the view counts as if its letters A to Z were small. */
static inline int tally_compare_(tally_view_ view, const char *text, int lower) {
    size_t i;
    for (i = 0; i < view.size; i++) {
        unsigned char a = (unsigned char)view.start[i], b = (unsigned char)text[i];
        if (lower && a >= 'A' && a <= 'Z') a = (unsigned char)(a + 32);
        if (a != b) return a < b ? -1 : 1;
        if (!b) return 1;
    }
    return text[view.size] ? -1 : 0;
}

static inline int tally_among_(tally_view_ view, const char *const *texts, int count, int lower) {
    int i;
    for (i = 0; i < count; i++)
        if (tally_compare_(view, texts[i], lower) == 0) return 1;
    return 0;
}

static inline int tally_spelt_(tally_view_ view, const tally_spelling_ *known, int count, int lower) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2, order = tally_compare_(view, known[middle].text, lower);
        if (order == 0) return known[middle].code;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return -1;
}

/* Digits, a point, an exponent: 1 where the whole view is such a number, 2 where it is a whole number. */
static inline int tally_syntax_(tally_view_ view) {
    const char *p = view.start, *end = view.start + view.size;
    int digits = 0, whole = 1;
    if (p < end && (*p == '+' || *p == '-')) p++;
    while (p < end && tally_digit_(*p)) p++, digits++;
    if (p < end && *p == '.') {
        whole = 0;
        p++;
        while (p < end && tally_digit_(*p)) p++, digits++;
    }
    if (!digits) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        whole = 0;
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        if (p == end || !tally_digit_(*p)) return 0;
        while (p < end && tally_digit_(*p)) p++;
    }
    if (p != end) return 0;
    return whole ? 2 : 1;
}

/* strtod follows the locale of the program: where it stops short, the number counts as unreadable. */
static inline int tally_parse_(tally_view_ view, double *x) {
    char *end;
    if (!tally_syntax_(view)) return 0;
    *x = strtod(view.start, &end);
    return end == view.start + view.size;
}

static inline int tally_number_of_(tally_view_ view, size_t from, size_t count) {
    int value = 0;
    size_t i;
    for (i = from; i < from + count; i++) {
        if (i >= view.size || !tally_digit_(view.start[i])) return -1;
        value = value * 10 + (view.start[i] - '0');
    }
    return value;
}

static inline int64_t tally_day_(int year, int month, int day) { /* since 1970-01-01 */
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of = y - era * 400;
    int64_t in = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of * 365 + of / 4 - of / 100 + in - 719468;
}

/* hh:mm, hh:mm:ss or hh:mm:ss.ffffff, then Z or +hh, +hhmm or +hh:mm, from `at` to the end. */
static inline int tally_clock_(tally_view_ v, size_t at, int64_t *microseconds, int *zone) {
    int hour = tally_number_of_(v, at, 2), minute = tally_number_of_(v, at + 3, 2), second = 0, ahead, more = 0;
    int64_t fraction = 0, unit = 100000;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || v.start[at + 2] != ':') return 0;
    at += 5;
    if (at < v.size && v.start[at] == ':') {
        second = tally_number_of_(v, at + 1, 2);
        if (second < 0 || second > 59) return 0;
        at += 3;
        if (at < v.size && (v.start[at] == '.' || v.start[at] == ',')) {
            size_t first = ++at;
            for (; at < v.size && tally_digit_(v.start[at]); at++, unit /= 10) fraction += unit * (v.start[at] - '0');
            if (at == first) return 0;
        }
    }
    *microseconds = ((int64_t)hour * 3600 + minute * 60 + second) * 1000000 + fraction;
    *zone = 0;
    if (at == v.size) return 1;
    if (v.start[at] == 'Z') return at + 1 == v.size;
    if (v.start[at] != '+' && v.start[at] != '-') return 0;
    ahead = tally_number_of_(v, at + 1, 2);
    if (ahead < 0 || ahead > 23) return 0;
    if (at + 3 < v.size) {
        size_t colon = v.start[at + 3] == ':';
        more = tally_number_of_(v, at + 3 + colon, 2);
        if (more < 0 || more > 59 || at + 5 + colon != v.size) return 0;
    }
    *zone = (v.start[at] == '-' ? 1 : -1) * (ahead * 60 + more);
    return 1;
}

static inline int tally_date_(tally_view_ v, double *days) { /* since 1970-01-01 */
    static const int LAST[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = tally_number_of_(v, 0, 4), month = tally_number_of_(v, 5, 2), day = tally_number_of_(v, 8, 2);
    int zone = 0, leap;
    int64_t clock = 0;
    if (year < 1 || month < 1 || month > 12 || day < 1 || v.start[4] != '-' || v.start[7] != '-') return 0;
    leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > LAST[month - 1] + (month == 2 && leap)) return 0;
    if (v.size > 10) {
        if (v.start[10] != 'T' && v.start[10] != ' ') return 0;
        if (!tally_clock_(v, 11, &clock, &zone)) return 0;
    }
    clock += (tally_day_(year, month, day) * 1440 + zone) * 60000000;
    *days = (double)clock / 86400e6;
    return 1;
}

static inline int64_t tally_floor_(double x) {
    int64_t whole = (int64_t)x;
    return (double)whole > x ? whole - 1 : whole;
}

static inline int64_t tally_below_(int64_t a, int64_t b) { /* the whole part of a / b, b > 0 */
    return a / b - (a % b < 0);
}

/* A part of days since 1970-01-01; a weekday is counted from Monday, 0. */
static inline int64_t tally_part_(double days, int part) {
    int64_t clock = tally_floor_(days * 86400000.0 + 0.5), day = tally_below_(clock, 86400000), era, left, year, march;
    if (part == 3) return (clock - day * 86400000) / 3600000;
    if (part == 4) return day + 3 - 7 * tally_below_(day + 3, 7);
    era = tally_below_(day + 719468, 146097);
    left = day + 719468 - era * 146097;
    year = (left - left / 1460 + left / 36524 - left / 146096) / 365;
    march = (5 * (left - (365 * year + year / 4 - year / 100)) + 2) / 153;
    return part == 1 ? year + era * 400 + march / 10 : march + 3 - 12 * (march / 10);
}

/* The number of a cell, NAN where it is missing; 0 is returned where it cannot be read. */
static inline int tally_number_in_(const tally_column_ *column, tally_cell cell, double *x) {
    int i;
    *x = NAN;
    if (cell.kind == TALLY_MISSING) return 1;
    if (cell.kind == TALLY_NUMBER) {
        if (cell.number != cell.number) return 1;
        *x = cell.number;
    } else {
        tally_view_ view = tally_strip_(cell.text);
        if (tally_among_(view, tally_marks_, TALLY_MARKS_, 0)) return 1;
        if (tally_among_(view, column->mark, column->marks, 0)) return 1;
        if (tally_among_(view, tally_number_marks_, TALLY_NUMBER_MARKS_, 1)) return 1;
        if (!(column->kind == 1 || column->part ? tally_date_(view, x) : tally_parse_(view, x))) return 0;
    }
    for (i = 0; i < TALLY_SENTINELS_; i++)
        if (*x == tally_sentinels_[i]) {
            *x = NAN;
            return 1;
        }
    if (!(*x >= -DBL_MAX && *x <= DBL_MAX)) return 0;
    *x = *x + 0.0; /* -0 is 0 */
    return 1;
}

/* Whether a whole number in a text is exactly a double: 9007199254740993 is none. */
static inline int tally_exact_(tally_view_ view, double x) {
    char digits[400];
    size_t sign = view.start[0] == '+' || view.start[0] == '-', size = view.size - sign;
    if (size > 1 && view.start[sign] == '0') return 0; /* a name such as 007 */
    if (size < 16) return 1;
    if (size > 309 || !(x >= -DBL_MAX && x <= DBL_MAX)) return 0;
    snprintf(digits, sizeof digits, "%.0f", x < 0 ? -x : x);
    return strlen(digits) == size && memcmp(digits, view.start + sign, size) == 0;
}

static inline int tally_by_number_(const tally_column_ *column, double x) {
    int i;
    tally_view_ word;
    for (i = 0; i < column->numerals; i++)
        if (x == column->numeral[i].number) return column->numeral[i].code;
    if (x != 0 && x != 1) return -1;
    word.start = x == 0 ? "0" : "1";
    word.size = 1;
    return tally_spelt_(word, column->meaning, column->meanings, 0);
}

/* The code of a level; then missing, then never seen. */
static inline int tally_code_(const tally_column_ *column, tally_cell cell) {
    int found, syntax, i, unseen = column->levels + 1;
    double x = 0;
    tally_view_ view;
    if (cell.kind == TALLY_MISSING || (cell.kind == TALLY_NUMBER && cell.number != cell.number)) return column->absent;
    if (cell.kind == TALLY_NUMBER) {
        for (i = 0; i < TALLY_SENTINELS_; i++)
            if (cell.number == tally_sentinels_[i]) return column->absent;
        found = tally_by_number_(column, cell.number);
        return found < 0 ? unseen : found;
    }
    view = tally_strip_(cell.text);
    if (tally_among_(view, tally_marks_, TALLY_MARKS_, 0)) return column->absent;
    if (tally_among_(view, column->mark, column->marks, 0)) return column->absent;
    found = tally_spelt_(view, column->spelling, column->spellings, 0);
    if (found >= 0) return found;
    syntax = tally_syntax_(view);
    if (syntax && tally_parse_(view, &x) && (syntax == 1 || tally_exact_(view, x))) {
        found = tally_by_number_(column, x);
        return found < 0 ? unseen : found;
    }
    if (column->meanings || tally_compare_(view, "true", 1) == 0 || tally_compare_(view, "false", 1) == 0) {
        found = tally_spelt_(view, column->spelling, column->spellings, 1);
        if (found >= 0) return found;
    }
    found = tally_spelt_(view, column->meaning, column->meanings, 1);
    return found < 0 ? unseen : found;
}
