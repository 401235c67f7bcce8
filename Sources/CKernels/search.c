// SPDX-License-Identifier: Apache-2.0
// Searching in arrays.

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
