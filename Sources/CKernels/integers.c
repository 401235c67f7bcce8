// SPDX-License-Identifier: Apache-2.0
// Transforms of integers; all arithmetic wraps.

#include "levels.h"

#define CK_LEVELS_OF "integers_levels.h"
#include "each_level.h"

void ck_delta(const int64_t *v, size_t n, int64_t *d) { CK_DISPATCH3(ck_delta, v, n, d); }

void ck_accumulate(int64_t *v, size_t n, uint64_t unit, int64_t base) { CK_DISPATCH3(ck_accumulate, v, n, unit, base); }

void ck_scale(int64_t *v, size_t n, uint64_t unit, int64_t base) { CK_DISPATCH3(ck_scale, v, n, unit, base); }

size_t ck_divide_exactly(const int64_t *d, size_t n, uint64_t unit, int64_t *q) {
    CK_DISPATCH3(ck_divide_exactly, d, n, unit, q);
}

size_t ck_to_ticks(const int64_t *v, size_t n, int64_t second, int64_t *ticks) {
    CK_DISPATCH3(ck_to_ticks, v, n, second, ticks);
}

void ck_from_ticks(int64_t *v, size_t n, int64_t second) { CK_DISPATCH3(ck_from_ticks, v, n, second); }

size_t ck_count_nonzero(const int64_t *d, size_t n) { CK_DISPATCH3(ck_count_nonzero, d, n); }

size_t ck_count_changes(const int64_t *v, size_t n) { CK_DISPATCH3(ck_count_changes, v, n); }

static inline uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t ck_gcd(const int64_t *d, size_t n, int64_t *scratch) {
    uint64_t common = 0;
    for (size_t i = 0; i < n && common != 1; i++) {
        // The vector loop skips all values that the current divisor divides.
        if (common != 0) i += ck_divide_exactly(d + i, n - i, common, scratch);
        if (i < n && d[i] != 0) common = gcd(common, magnitude(d[i]));
    }
    return common;
}

void ck_look_up(const uint64_t *codes, size_t n, const int64_t *table, int64_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = table[codes[i] & 255];
}

size_t ck_distinct(const int64_t *v, size_t n, size_t limit, int64_t *table, uint64_t *codes) {
        // Open addressing with space for four times the limit; 0 marks a free slot.
    enum { SLOTS = 1024 };
    uint16_t index[SLOTS] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t slot = (size_t)(((uint64_t)v[i] * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
        while (index[slot] != 0 && table[index[slot] - 1] != v[i]) slot = (slot + 1) % SLOTS;
        if (index[slot] == 0) {
            if (count == limit) return 0;
            table[count++] = v[i];
            index[slot] = (uint16_t)count;
        }
        codes[i] = (uint64_t)index[slot] - 1;
    }
    return count;
}
