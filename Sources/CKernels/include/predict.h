// SPDX-License-Identifier: Apache-2.0
// The sums from which the factors of a prediction follow (Docs/Format/Columns.md). Their operations and the order of
// them are fixed: sums have eight lanes, or two, so that all levels give the same bits.

#ifndef CKERNELS_PREDICT_H
#define CKERNELS_PREDICT_H

#include <stddef.h>

/// Sets the magnitudes of the errors of a prediction by four factors, the one of the last number first; returns their
/// sum.
///
/// The first number is x[4], and the four before it are zeros. `errors` has n elements.
double ck_prediction_errors(const double *x, size_t n, const double *factors, double *errors);

/// Sets the sums of the weighted products of the four numbers before each number: with all four of them, in rows from
/// sums[0], sums[4], sums[8] and sums[12], and with the number, from sums[16]. The last number comes first.
///
/// The weight of a number is scale / (error + scale), or 1 for a scale of 0. The first number is x[4], and the four
/// before it are zeros.
void ck_prediction_sums(const double *x, const double *errors, size_t n, double scale, double *sums);

#endif
