// SPDX-License-Identifier: Apache-2.0
// Doubles as whole numbers of steps from an offset, with what that misses (Docs/Format/Columns.md).

#ifndef CKERNELS_SCALED_H
#define CKERNELS_SCALED_H

#include <stddef.h>
#include <stdint.h>

/// k[i] is the whole number nearest to (v[i] - offset) * divisor, or 0 where that has more than 51 bits, and c[i] the
/// difference of the ordered patterns of v[i] and of k[i] / divisor + offset. Returns how many c[i] are not 0.
size_t ck_to_steps(const double *v, size_t n, double divisor, double offset, int64_t *k, int64_t *c);
/// The reverse, for any numbers.
void ck_from_steps(const int64_t *k, const int64_t *c, size_t n, double divisor, double offset, double *v);
/// The step that all differences of n ascending numbers are multiples of but for `noise`; 0 where there is none.
double ck_common_step(const double *v, size_t n, double noise);

#endif
