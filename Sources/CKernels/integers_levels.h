// SPDX-License-Identifier: Apache-2.0
// Transforms of integers, once per level.

INLINE v8u NAME(load)(const void *p) {
    v8u x;
    memcpy(&x, p, sizeof x);
    return x;
}

static void NAME(ck_delta)(const int64_t *v, size_t n, int64_t *d) {
    if (n == 0) return;
    d[0] = 0;
    for (size_t i = 1; i < n; i++) d[i] = (int64_t)((uint64_t)v[i] - (uint64_t)v[i - 1]);
}

INLINE void NAME(accumulate)(int64_t *v, size_t n, uint64_t unit, bool scaled, int64_t base) {
#if CK_L == 0
    uint64_t sum = (uint64_t)base;
    for (size_t i = 0; i < n; i++) {
        sum += scaled ? (uint64_t)v[i] * unit : (uint64_t)v[i];
        v[i] = (int64_t)sum;
    }
#else
    const v8u zero = 0;
    v8u carry = (uint64_t)base;
    for (size_t i = 0; i < n; i += 8) {
        v8u x = NAME(load)(v + i);
        if (scaled) x *= unit;
        x += __builtin_shufflevector(zero, x, 0, 8, 9, 10, 11, 12, 13, 14);
        x += __builtin_shufflevector(zero, x, 0, 1, 8, 9, 10, 11, 12, 13);
        x += __builtin_shufflevector(zero, x, 0, 1, 2, 3, 8, 9, 10, 11);
        x += carry;
        carry = __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
        memcpy(v + i, &x, sizeof x);
    }
#endif
}

// Two versions of the loop: otherwise the compiler multiplies by 1 instead of branching.
static void NAME(ck_accumulate)(int64_t *v, size_t n, uint64_t unit, int64_t base) {
    if (unit == 1) {
        NAME(accumulate)(v, n, 1, false, base);
    } else {
        NAME(accumulate)(v, n, unit, true, base);
    }
}

static void NAME(ck_scale)(int64_t *v, size_t n, uint64_t unit, int64_t base) {
    if (unit == 1) {
        for (size_t i = 0; i < n; i += 8) {
            v8u x = NAME(load)(v + i) + (uint64_t)base;
            memcpy(v + i, &x, sizeof x);
        }
        return;
    }
    for (size_t i = 0; i < n; i += 8) {
        v8u x = NAME(load)(v + i) * unit + (uint64_t)base;
        memcpy(v + i, &x, sizeof x);
    }
}

static size_t NAME(ck_divide_exactly)(const int64_t *d, size_t n, uint64_t unit, int64_t *q) {
    // An exact quotient is the product with the inverse of the odd part; the product is exact if it is in range.
    unsigned zeros = (unsigned)__builtin_ctzll(unit);
    uint64_t odd = unit >> zeros, inverse = odd;
    for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
    uint64_t most = (uint64_t)INT64_MAX / unit, least = (UINT64_C(1) << 63) / unit, low = (UINT64_C(1) << zeros) - 1;
    size_t i = 0;
#if CK_L > 0
    for (; i + 8 <= n; i += 8) {
        v8u x = NAME(load)(d + i), y = (v8u)((v8i)x >> zeros) * inverse;
        v8i wrong = ((x & low) != 0) | (y + least > most + least);
        if (__builtin_reduce_or(wrong) != 0) break;
        memcpy(q + i, &y, sizeof y);
    }
#endif
    for (; i < n; i++) {
        uint64_t x = (uint64_t)d[i], y = (uint64_t)(d[i] >> zeros) * inverse;
        if ((x & low) != 0 || y + least > most + least) return i;
        q[i] = (int64_t)y;
    }
    return n;
}

static size_t NAME(ck_count_nonzero)(const int64_t *d, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += d[i] != 0;
    return count;
}

static size_t NAME(ck_count_changes)(const int64_t *v, size_t n) {
    size_t count = 0;
    for (size_t i = 1; i < n; i++) count += v[i] != v[i - 1];
    return count;
}

/// 2^23 ticks are 10^9 ns, so one tick is 1953125 / 2^14 ns.
INLINE int64_t NAME(from_tick)(int64_t tick, int64_t second) {
    uint64_t seconds = (uint64_t)(tick >> 23) + (uint64_t)second, rest = (uint64_t)tick & 0x7fffff;
    return (int64_t)(seconds * 1000000000 + ((rest * 1953125 + 8192) >> 14));
}

static size_t NAME(ck_to_ticks)(const int64_t *v, size_t n, int64_t second, int64_t *ticks) {
    for (size_t i = 0; i < n; i++) {
        int64_t whole = v[i] / 1000000000 - (v[i] % 1000000000 < 0);
        uint64_t rest = (uint64_t)v[i] - (uint64_t)whole * 1000000000;
        ticks[i] = (int64_t)((((uint64_t)whole - (uint64_t)second) << 23) + ((rest << 14) + 976562) / 1953125);
        if (NAME(from_tick)(ticks[i], second) != v[i]) return i;
    }
    return n;
}

static void NAME(ck_from_ticks)(int64_t *v, size_t n, int64_t second) {
    for (size_t i = 0; i < n; i++) v[i] = NAME(from_tick)(v[i], second);
}
