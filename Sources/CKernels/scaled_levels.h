// SPDX-License-Identifier: Apache-2.0
// Steps, once per level. No multiplication is fused with an addition, so all levels yield the same results.

INLINE int64_t NAME(ordered)(double x) {
    int64_t u;
    memcpy(&u, &x, 8);
    return u ^ ((u >> 63) & INT64_MAX);
}

static size_t NAME(ck_to_steps)(const double *v, size_t n, double divisor, double offset, int64_t *k, int64_t *c) {
    // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
    const double magic = 0x1.8p52;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (v[i] - offset) * divisor, y = x + magic, r = y - magic;
        int64_t bits;
        memcpy(&bits, &y, 8);
        bool fits = x < 0x1p51 && x > -0x1p51;
        k[i] = fits ? bits - INT64_C(0x4338000000000000) : 0;
        double near = (fits ? r : 0.0) / divisor + offset;
        c[i] = (int64_t)((uint64_t)NAME(ordered)(v[i]) - (uint64_t)NAME(ordered)(near));
        count += c[i] != 0;
    }
    return count;
}

static void NAME(ck_from_steps)(
    const int64_t *k, const int64_t *c, size_t n, double divisor, double offset, double *v) {
    for (size_t i = 0; i < n; i++) {
        uint64_t u = (uint64_t)NAME(ordered)((double)k[i] / divisor + offset) + (uint64_t)c[i];
        u ^= (uint64_t)((int64_t)u >> 63) & INT64_MAX;
        memcpy(v + i, &u, 8);
    }
}
