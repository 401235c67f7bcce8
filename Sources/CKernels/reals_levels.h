// SPDX-License-Identifier: Apache-2.0
// Doubles as integers and back, once per level.

#include "division_levels.h"

/// Adds the positions of the lanes of `good` that are 0 to the exceptions.
INLINE size_t NAME(note_exceptions)(v8i good, size_t i, uint16_t *exceptions, size_t count) {
    if (__builtin_reduce_and(good) != 0) return count;
    for (int lane = 0; lane < 8; lane++) {
        if (good[lane] == 0) exceptions[count++] = (uint16_t)(i + (size_t)lane);
    }
    return count;
}

INLINE size_t NAME(to_scaled)(
    const double *v, size_t n, double divisor, bool scaled, int64_t *k, uint16_t *exceptions) {
    // Adding 1.5 * 2^52 rounds to an integer, ties to even, and leaves it in the low bits.
    const double magic = 0x1.8p52;
    const v8i magic_bits = (int64_t)UINT64_C(0x4338000000000000);
    const double reciprocal = 1.0 / divisor;
    size_t count = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        v8d a;
        memcpy(&a, v + i, sizeof a);
        v8d x = scaled ? a * divisor : a, y = x + magic, r = y - magic;
        if (scaled) r = NAME(divide)(r, divisor, reciprocal);
        v8i good = (__builtin_elementwise_abs(x) < 0x1p51) & ((v8i)r == (v8i)a);
        v8i integer = ((v8i)y - magic_bits) & good;
        memcpy(k + i, &integer, sizeof integer);
        count = NAME(note_exceptions)(good, i, exceptions, count);
    }
    for (; i < n; i++) {
        double x = v[i] * divisor, r = (x + magic) - magic;
        bool good = x < 0x1p51 && x > -0x1p51 && bits_of(r / divisor) == bits_of(v[i]);
        k[i] = good ? (int64_t)r : 0;
        if (!good) exceptions[count++] = (uint16_t)i;
    }
    fill_exceptions(k, n, exceptions, count);
    return count;
}

INLINE void NAME(from_scaled)(const int64_t *k, size_t n, double divisor, bool scaled, double *v) {
#if CK_L == 0
    for (size_t i = 0; i < n; i++) v[i] = scaled ? (double)k[i] / divisor : (double)k[i];
#else
    const double reciprocal = 1.0 / divisor;
    for (size_t i = 0; i < n; i += 8) {
        v8i a;
        memcpy(&a, k + i, sizeof a);
        v8d x = NAME(to_double)(a);
        if (scaled) x = NAME(divide)(x, divisor, reciprocal);
        memcpy(v + i, &x, sizeof x);
    }
#endif
}

// Two versions of each loop: otherwise the compiler divides by 1 instead of branching.
static size_t NAME(ck_to_scaled)(const double *v, size_t n, double divisor, int64_t *k, uint16_t *exceptions) {
    if (divisor == 1.0) return NAME(to_scaled)(v, n, 1.0, false, k, exceptions);
    return NAME(to_scaled)(v, n, divisor, true, k, exceptions);
}

static void NAME(ck_from_scaled)(const int64_t *k, size_t n, double divisor, double *v) {
    if (divisor == 1.0) {
        NAME(from_scaled)(k, n, 1.0, false, v);
    } else {
        NAME(from_scaled)(k, n, divisor, true, v);
    }
}

static size_t NAME(ck_to_float32)(const double *v, size_t n, int64_t *k, uint16_t *exceptions) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        float f = (float)v[i];
        uint32_t u;
        memcpy(&u, &f, 4);
        u ^= (uint32_t)((int32_t)u >> 31) | 0x80000000u;
        k[i] = (int64_t)u;
        exceptions[count] = (uint16_t)i;
        count += bits_of((double)f) != bits_of(v[i]);
    }
    fill_exceptions(k, n, exceptions, count);
    return count;
}

static void NAME(ck_from_float32)(const int64_t *k, size_t n, double *v) {
    for (size_t i = 0; i < n; i++) {
        uint32_t u = (uint32_t)k[i];
        float f;
        u ^= (uint32_t)((int32_t)~u >> 31) | 0x80000000u;
        memcpy(&f, &u, 4);
        v[i] = (double)f;
    }
}

static void NAME(ck_to_ordered)(const double *v, size_t n, int64_t *k) {
    for (size_t i = 0; i < n; i++) {
        int64_t x = (int64_t)bits_of(v[i]);
        k[i] = x ^ ((x >> 63) & INT64_MAX);
    }
}

static void NAME(ck_from_ordered)(const int64_t *k, size_t n, double *v) {
    for (size_t i = 0; i < n; i++) v[i] = real_of((uint64_t)(k[i] ^ ((k[i] >> 63) & INT64_MAX)));
}
