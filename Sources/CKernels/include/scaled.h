// SPDX-License-Identifier: Apache-2.0
// Doubles as numbers of steps from an offset, with corrections (Docs/Format/Columns.md).

#ifndef CKERNELS_SCALED_H
#define CKERNELS_SCALED_H

#include <stddef.h>
#include <stdint.h>

/// Computes k[i], the whole number nearest to (v[i] - offset) * divisor, or 0 if it has more than 51 bits, and c[i],
/// the difference of the ordered patterns of v[i] and k[i] / divisor + offset. Returns the number of nonzero c[i].
size_t ck_to_steps(const double *v, size_t n, double divisor, double offset, int64_t *k, int64_t *c);
/// Reverses ck_to_steps, for any numbers.
void ck_from_steps(const int64_t *k, const int64_t *c, size_t n, double divisor, double offset, double *v);
/// Returns the step that divides all differences of n ascending numbers within `noise`; 0 if there is none.
double ck_common_step(const double *v, size_t n, double noise);

#endif
