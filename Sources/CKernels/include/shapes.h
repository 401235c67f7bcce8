// SPDX-License-Identifier: Apache-2.0
// Shapes of curves: deviations, extremes and corners; and histograms of values.

#ifndef CKERNELS_SHAPES_H
#define CKERNELS_SHAPES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double sum_hi, sum_lo, squares_hi, squares_lo;
} ck_deviations_result;

/// Returns the sums of d and d * d, where d = v[i] * scale - centre * scale; `scale` is a power of two. Computed in the
/// lanes of Docs/Internals/Accuracy.md.
ck_deviations_result ck_deviations(const double *v, size_t n, double centre, double scale);

typedef struct {
    size_t least, greatest;
} ck_extremes_result;

/// Returns the first positions of the least and of the greatest of n >= 1 values, none of which is NaN.
ck_extremes_result ck_extremes(const double *v, size_t n);

typedef struct {
    double area;
    size_t at;
} ck_corner;

/// Returns the greatest |width * (v[i] - value) - (t[i] - start) * height| and its first position; -1 and 0 if none of
/// them is a number. No t[i] is before `start`.
ck_corner ck_largest_triangle(const int64_t *t, const double *v, size_t n, int64_t start, double value, double width,
                              double height);

typedef struct {
    uint64_t low, high;
} ck_wide;

/// Returns the sum of t[i] - start, none of which is negative, as 128 bits.
ck_wide ck_sum_of_times(const int64_t *t, size_t n, int64_t start);

/// Counts values by their order-preserving patterns without the `shift` <= 52 lowest bits, in a table of 1 << bits
/// pairs of key and count, of which at most half may be used; a count of 0 marks a free slot. NaN is not counted, -0
/// counts as 0.
///
/// Stops at a value that needs a new slot if `*used` is `most`; returns the number of values counted.
size_t ck_count_keys(const double *v, size_t n, unsigned shift, uint64_t *table, unsigned bits, size_t *used,
                     size_t most);
/// Counts one given key; returns whether it was counted.
int ck_count_key(int64_t key, uint64_t count, uint64_t *table, unsigned bits, size_t *used, size_t most);

#endif
