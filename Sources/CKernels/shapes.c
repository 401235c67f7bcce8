// SPDX-License-Identifier: Apache-2.0
// Shapes of curves, for each level; and histograms, whose loop gains nothing from higher levels.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF
// Not all functions of sums_levels.h are used here.
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

/// Returns the preferred slot of a key in a table.
static inline size_t ck_home(int64_t key, unsigned bits) {
    return (size_t)(((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

/// Adds to the count of a key, searching from slot `at`; returns whether there was space for it.
static inline int ck_count_at(size_t at, int64_t key, uint64_t count, uint64_t *table, unsigned bits, size_t *used,
                              size_t most) {
    size_t mask = ((size_t)1 << bits) - 1;
    while (table[2 * at + 1] != 0 && table[2 * at] != (uint64_t)key) at = (at + 1) & mask;
    if (table[2 * at + 1] == 0) {
        if (*used >= most) return 0;
        ++*used;
        table[2 * at] = (uint64_t)key;
    }
    table[2 * at + 1] += count;
    return 1;
}

int ck_count_key(int64_t key, uint64_t count, uint64_t *table, unsigned bits, size_t *used, size_t most) {
    return ck_count_at(ck_home(key, bits), key, count, table, bits, used, most);
}

size_t ck_count_keys(const double *v, size_t n, unsigned shift, uint64_t *table, unsigned bits, size_t *used,
                     size_t most) {
    // Compute all keys of a batch first, so that this arithmetic does not wait for the table's memory.
    enum { BATCH = 64 };
    int64_t keys[BATCH];
    size_t homes[BATCH];
    for (size_t from = 0; from < n; from += BATCH) {
        size_t count = n - from < BATCH ? n - from : BATCH;
        for (size_t i = 0; i < count; i++) {
            double x = v[from + i] + 0.0;
            int64_t key;
            memcpy(&key, &x, sizeof key);
            key ^= (int64_t)((uint64_t)(key >> 63) >> 1);
            keys[i] = key >> shift;
            homes[i] = ck_home(keys[i], bits);
        }
        for (size_t i = 0; i < count; i++) {
            if (v[from + i] != v[from + i]) continue;
            if (!ck_count_at(homes[i], keys[i], 1, table, bits, used, most)) return from + i;
        }
    }
    return n;
}
