// SPDX-License-Identifier: Apache-2.0
// The sums from which the factors of a prediction follow, for each level.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF

#define CK_LEVELS_OF "predict_levels.h"
#include "each_level.h"

double ck_prediction_errors(const double *x, size_t n, const double *factors, double *errors) {
    CK_DISPATCH3(ck_prediction_errors, x + 4, n, factors, errors);
}

void ck_prediction_sums(const double *x, const double *errors, size_t n, double scale, double *sums) {
    CK_DISPATCH3(ck_prediction_sums, x + 4, errors, n, scale, sums);
}
