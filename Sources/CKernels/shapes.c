// SPDX-License-Identifier: Apache-2.0
// Shapes of curves, for each level; and tables of counts, whose loop no level makes faster.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF
// Of the sums only some are used here.
#pragma clang diagnostic ignored "-Wunused-function"

#define CK_LEVELS_OF "shapes_levels.h"
#include "each_level.h"

ck_deviations_result ck_deviations(const double *v, size_t n, double centre, double scale) {
    CK_DISPATCH3(ck_deviations, v, n, centre, scale);
}

ck_extremes_result ck_extremes(const double *v, size_t n) { CK_DISPATCH3(ck_extremes, v, n); }

ck_corner ck_largest_triangle(const int64_t *t, const double *v, size_t n, int64_t start, double value, double width,
                              double height) {
    CK_DISPATCH3(ck_largest_triangle, t, v, n, start, value, width, height);
}

ck_wide ck_sum_of_times(const int64_t *t, size_t n, int64_t start) { CK_DISPATCH3(ck_sum_of_times, t, n, start); }

/// The place of a key in a table, or the free one where it would be.
static inline size_t ck_place(const uint64_t *table, unsigned bits, int64_t key) {
    size_t mask = ((size_t)1 << bits) - 1, at = (size_t)(((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
    while (table[2 * at + 1] != 0 && table[2 * at] != (uint64_t)key) at = (at + 1) & mask;
    return at;
}

int ck_count_key(int64_t key, uint64_t count, uint64_t *table, unsigned bits, size_t *used, size_t most) {
    size_t at = ck_place(table, bits, key);
    if (table[2 * at + 1] == 0) {
        if (*used >= most) return 0;
        ++*used;
        table[2 * at] = (uint64_t)key;
    }
    table[2 * at + 1] += count;
    return 1;
}

size_t ck_count_keys(const double *v, size_t n, unsigned shift, uint64_t *table, unsigned bits, size_t *used,
                     size_t most) {
    for (size_t i = 0; i < n; i++) {
        double x = v[i] + 0.0;
        if (x != x) continue;
        int64_t key;
        memcpy(&key, &x, sizeof key);
        key ^= (int64_t)((uint64_t)(key >> 63) >> 1);
        if (!ck_count_key(key >> shift, 1, table, bits, used, most)) return i;
    }
    return n;
}
