// SPDX-License-Identifier: Apache-2.0
// Checks of samples, once per level. No early exit: nearly all samples are valid. Times and values share one loop,
// because two concurrent streams from memory are faster than two successive ones.

INLINE uint64_t NAME(any)(v8i lanes) {
    int64_t any = 0;
    for (int lane = 0; lane < 8; lane++) any |= lanes[lane];
    return any != 0;
}

/// All exponent bits are set in NaN and infinities.
INLINE uint64_t NAME(is_not_finite)(double v) {
    uint64_t x;
    memcpy(&x, &v, sizeof x);
    return (x & UINT64_C(0x7ff0000000000000)) == UINT64_C(0x7ff0000000000000);
}

INLINE v8i NAME(not_finite)(const double *v) {
    const uint64_t exponent = UINT64_C(0x7ff0000000000000);
    v8u x;
    memcpy(&x, v, sizeof x);
    return (v8i)((x & exponent) == exponent);
}

static unsigned NAME(ck_examine_points)(const int64_t *starts, const double *values, size_t n, int64_t first,
                                        int64_t last) {
    if (n == 0) return 0;
    v8i wrong = 0, outside = 0, strange = 0;
    size_t i = 0;
    for (; i + 9 <= n; i += 8) {
        v8i x, y;
        memcpy(&x, starts + i, sizeof x);
        memcpy(&y, starts + i + 1, sizeof y);
        wrong |= x > y;
        outside |= (x < first) | (x > last);
        strange |= NAME(not_finite)(values + i);
    }
    uint64_t unordered = NAME(any)(wrong), out = NAME(any)(outside), odd = NAME(any)(strange);
    for (; i < n; i++) {
        unordered |= i + 1 < n && starts[i] > starts[i + 1];
        out |= starts[i] < first || starts[i] > last;
        odd |= NAME(is_not_finite)(values[i]);
    }
    return (odd ? CK_NOT_FINITE : 0) | (unordered ? CK_UNORDERED : 0) | (out ? CK_OUTSIDE : 0);
}

static unsigned NAME(ck_examine)(const int64_t *starts, const int64_t *ends, const double *values, size_t n,
                                 int64_t first, int64_t last) {
    if (n == 0) return 0;
    v8i wrong = 0, outside = 0, strange = 0, backwards = 0, lasting = 0;
    size_t i = 0;
    for (; i + 9 <= n; i += 8) {
        v8i x, y, a, b;
        memcpy(&x, starts + i, sizeof x);
        memcpy(&y, starts + i + 1, sizeof y);
        memcpy(&a, ends + i, sizeof a);
        memcpy(&b, ends + i + 1, sizeof b);
        wrong |= (x > y) | ((x == y) & (a > b));
        outside |= (x < first) | (a > last);
        backwards |= a < x;
        lasting |= a != x;
        strange |= NAME(not_finite)(values + i);
    }
    uint64_t unordered = NAME(any)(wrong), out = NAME(any)(outside), odd = NAME(any)(strange);
    uint64_t back = NAME(any)(backwards), lasts = NAME(any)(lasting);
    for (; i < n; i++) {
        if (i + 1 < n) {
            unordered |= starts[i] > starts[i + 1] || (starts[i] == starts[i + 1] && ends[i] > ends[i + 1]);
        }
        out |= starts[i] < first || ends[i] > last;
        back |= ends[i] < starts[i];
        lasts |= ends[i] != starts[i];
        odd |= NAME(is_not_finite)(values[i]);
    }
    return (odd ? CK_NOT_FINITE : 0) | (unordered ? CK_UNORDERED : 0) | (out ? CK_OUTSIDE : 0) |
           (back ? CK_BACKWARDS : 0) | (lasts ? CK_LASTING : 0);
}
