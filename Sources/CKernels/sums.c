// SPDX-License-Identifier: Apache-2.0
// Sums by TwoSum in eight lanes, for each level; Docs/Internals/Accuracy.md is the definition.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF

#define CK_LEVELS_OF "sums_levels.h"
#include "each_level.h"

ck_sums_result ck_sums(const double *v, size_t n) { CK_DISPATCH3(ck_sums, v, n); }
ck_dd ck_sum_of_squares(const double *v, size_t n) { CK_DISPATCH3(ck_sum_of_squares, v, n); }
ck_dd ck_integral(const double *v, const int64_t *t, size_t n) { CK_DISPATCH3(ck_integral, v, t, n); }
ck_summary_result ck_summary(const double *v, const int64_t *t, size_t n) { CK_DISPATCH3(ck_summary, v, t, n); }
ck_ends_result ck_ends(const int64_t *starts, const int64_t *ends, size_t n) {
    CK_DISPATCH3(ck_ends, starts, ends, n);
}
