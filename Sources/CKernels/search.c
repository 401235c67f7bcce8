// SPDX-License-Identifier: Apache-2.0
// Searching and checking plain arrays.

#include "levels.h"

size_t ck_lower_bound(const int64_t *a, size_t n, int64_t key) {
    const int64_t *base = a;
    if (n == 0) return 0;
    while (n > 1) {
        size_t half = n / 2;
        base = base[half - 1] < key ? base + half : base;
        n -= half;
    }
    return (size_t)(base - a) + (*base < key);
}

bool ck_all_finite(const double *v, size_t n) {
    // The exponent of NaN and infinities is all ones; one bit of `bad` per lane.
    v8u bad = 0;
    const uint64_t exponent = UINT64_C(0x7ff0000000000000);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8u x;
        memcpy(&x, v + i, sizeof x);
        bad |= (v8u)((x & exponent) == exponent);
    }
    uint64_t any = 0;
    for (int lane = 0; lane < 8; lane++) any |= bad[lane];
    for (; i < n; i++) {
        uint64_t x;
        memcpy(&x, v + i, sizeof x);
        any |= (x & exponent) == exponent;
    }
    return any == 0;
}

bool ck_is_ascending(const int64_t *a, size_t n) {
    size_t i = 0;
    v8i bad = 0;
    for (; i + 9 <= n; i += 8) {
        v8i x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, a + i + 1, sizeof y);
        bad |= x > y;
    }
    int64_t any = 0;
    for (int lane = 0; lane < 8; lane++) any |= bad[lane];
    for (; i + 1 < n; i++) any |= a[i] > a[i + 1];
    return any == 0;
}
