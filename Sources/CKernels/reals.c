// SPDX-License-Identifier: Apache-2.0
// Doubles as integers and back.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF

static inline uint64_t bits_of(double x) {
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

static inline double real_of(uint64_t u) {
    double x;
    memcpy(&x, &u, 8);
    return x;
}

/// Sets the integers at the exceptions to their predecessors; leading exceptions get the first regular integer.
static void fill_exceptions(int64_t *k, size_t n, const uint16_t *exceptions, size_t count) {
    if (count == 0) return;
    size_t first = 0;
    while (first < count && exceptions[first] == first) first++;
    int64_t filler = first < n ? k[first] : 0;
    for (size_t i = 0; i < first; i++) k[i] = filler;
    for (size_t i = first; i < count; i++) k[exceptions[i]] = k[exceptions[i] - 1];
}

#define CK_LEVELS_OF "reals_levels.h"
#include "each_level.h"

size_t ck_to_scaled(const double *v, size_t n, double divisor, int64_t *k, uint16_t *exceptions) {
    CK_DISPATCH3(ck_to_scaled, v, n, divisor, k, exceptions);
}

void ck_from_scaled(const int64_t *k, size_t n, double divisor, double *v) {
    CK_DISPATCH3(ck_from_scaled, k, n, divisor, v);
}

size_t ck_to_float32(const double *v, size_t n, int64_t *k, uint16_t *exceptions) {
    CK_DISPATCH3(ck_to_float32, v, n, k, exceptions);
}

void ck_from_float32(const int64_t *k, size_t n, double *v) { CK_DISPATCH3(ck_from_float32, k, n, v); }

void ck_to_ordered(const double *v, size_t n, int64_t *k) { CK_DISPATCH3(ck_to_ordered, v, n, k); }

void ck_from_ordered(const int64_t *k, size_t n, double *v) { CK_DISPATCH3(ck_from_ordered, k, n, v); }

void ck_from_bytes(const uint8_t *in, size_t at, size_t n, double *v) {
    for (size_t i = 0; i < n; i++) v[i] = real_of(ck_load64(in + at + 8 * i));
}

size_t ck_shuffle(const double *v, size_t n, bool with_previous, uint8_t *mask, uint8_t *out) {
    uint64_t first = n > 0 ? bits_of(v[0]) : 0, any = 0, previous = first;
    for (size_t i = 0; i < n; i++) {
        uint64_t u = bits_of(v[i]);
        any |= with_previous ? u ^ previous : u;
        previous = u;
    }
    uint8_t present = 0, *p = out;
    for (unsigned plane = 0; plane < 8; plane++) {
        if (((any >> (8 * plane)) & 255) == 0) continue;
        present |= (uint8_t)(1u << plane);
        previous = first;
        for (size_t i = 0; i < n; i++) {
            uint64_t u = bits_of(v[i]);
            *p++ = (uint8_t)((with_previous ? u ^ previous : u) >> (8 * plane));
            previous = u;
        }
    }
    *mask = present;
    return (size_t)(p - out);
}

void ck_unshuffle(const uint8_t *in, size_t n, bool with_previous, uint64_t first, uint8_t mask, double *v) {
    uint64_t previous = first;
    for (size_t i = 0; i < n; i++) {
        uint64_t u = 0;
        const uint8_t *p = in + i;
        for (unsigned plane = 0; plane < 8; plane++) {
            if ((mask >> plane & 1) == 0) continue;
            u |= (uint64_t)*p << (8 * plane);
            p += n;
        }
        if (with_previous) u ^= previous;
        previous = u;
        v[i] = real_of(u);
    }
}
