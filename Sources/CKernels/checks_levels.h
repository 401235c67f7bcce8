// SPDX-License-Identifier: Apache-2.0
// Checks of samples, once per level. No loop ends early: nearly every block is valid.

static bool NAME(ck_all_finite)(const double *v, size_t n) {
    // All exponent bits are set in NaN and infinities; `bad` has the result of each lane.
    v8u bad = 0;
    const uint64_t exponent = UINT64_C(0x7ff0000000000000);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8u x;
        memcpy(&x, v + i, sizeof x);
        bad |= (v8u)((x & exponent) == exponent);
    }
    uint64_t any = __builtin_reduce_or(bad);
    for (; i < n; i++) {
        uint64_t x;
        memcpy(&x, v + i, sizeof x);
        any |= (x & exponent) == exponent;
    }
    return any == 0;
}

static bool NAME(ck_is_ascending)(const int64_t *a, size_t n) {
    size_t i = 0;
    v8i bad = 0;
    for (; i + 9 <= n; i += 8) {
        v8i x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, a + i + 1, sizeof y);
        bad |= x > y;
    }
    int64_t any = __builtin_reduce_or(bad);
    for (; i + 1 < n; i++) any |= a[i] > a[i + 1];
    return any == 0;
}
