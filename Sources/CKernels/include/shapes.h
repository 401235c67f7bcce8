// SPDX-License-Identifier: Apache-2.0
// What a curve looks like: how far its values deviate, where its extremes and its corners are, how often values occur.

#ifndef CKERNELS_SHAPES_H
#define CKERNELS_SHAPES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double sum_hi, sum_lo, squares_hi, squares_lo;
} ck_deviations_result;

/// Sums of d and d * d, where d = v[i] * scale - centre * scale; `scale` is a power of two. In the lanes of
/// Docs/Sums.md.
ck_deviations_result ck_deviations(const double *v, size_t n, double centre, double scale);

typedef struct {
    size_t least, greatest;
} ck_extremes_result;

/// The first places of the least and of the greatest of n >= 1 values, none of which is NaN.
ck_extremes_result ck_extremes(const double *v, size_t n);

typedef struct {
    double area;
    size_t at;
} ck_corner;

/// The first place with the greatest |width * (v[i] - value) - (t[i] - start) * height|, and that number; -1 and 0
/// where none of them is a number. The starts are not before `start`.
ck_corner ck_largest_triangle(const int64_t *t, const double *v, size_t n, int64_t start, double value, double width,
                              double height);

typedef struct {
    uint64_t low, high;
} ck_wide;

/// The sum of t[i] - start, none of which is negative, as 128 bits.
ck_wide ck_sum_of_times(const int64_t *t, size_t n, int64_t start);

/// Counts values by the leading bits of their order-preserving patterns, `shift` <= 52 bits dropped, in a table of
/// 1 << bits pairs of key and count, of which at most half may be taken; a count of 0 is a free place. NaN is not
/// counted, -0 as 0.
///
/// Ends before a value that needs a new place when `*used` is `most`; returns how many were counted.
size_t ck_count_keys(const double *v, size_t n, unsigned shift, uint64_t *table, unsigned bits, size_t *used,
                     size_t most);
/// The same for one key that was found elsewhere; returns whether it was counted.
int ck_count_key(int64_t key, uint64_t count, uint64_t *table, unsigned bits, size_t *used, size_t most);

#endif
