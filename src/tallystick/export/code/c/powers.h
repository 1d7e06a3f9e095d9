/* ---- data ---- */

/* ---- powers ---- */

static inline double tally_power_(int n) { /* 2 ** n, of a normal number */
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double tally_evenly_(double x) { /* the nearest whole number, ties to even */
    volatile double y = x + 6755399441055744.0;
    return y - 6755399441055744.0;
}

static inline double tally_exp_(double x) { /* the same bits on every machine, which exp of math.h does not promise */
    static const double SERIES[] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0,
                                    1 / 5040.0,       1 / 720.0,       1 / 120.0,      1 / 24.0,      1 / 6.0};
    const double LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;
    double t = x < 710 ? x : 710, n, high, under, r, tail, p = SERIES[0], half;
    int i;
    if (t < -746) t = -746;
    n = tally_evenly_(t * 1.4426950408889634);
    high = t - n * LN2_HIGH;
    under = n * LN2_LOW;
    r = high - under;
    tail = (high - r) - under;
    for (i = 1; i < 11; i++) p = p * r + SERIES[i];
    p = p * r + 0.5;
    half = tally_evenly_(n * 0.5);
    return (1.0 + (r + (p * (r * r) + tail))) * tally_power_((int)half) * tally_power_((int)(n - half));
}
