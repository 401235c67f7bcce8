// SPDX-License-Identifier: Apache-2.0
// Aggregates of buckets, for each level.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF
// Not all functions of sums_levels.h are used here.
#pragma clang diagnostic ignored "-Wunused-function"

#define CK_LEVELS_OF "buckets_levels.h"
#include "each_level.h"

void ck_bucket_merge(ck_bucket *bucket, const ck_bucket *part) { CK_DISPATCH3(ck_bucket_merge, bucket, part); }
void ck_bucket_entries(const int64_t *page, size_t low, size_t high, ck_bucket *bucket) {
    CK_DISPATCH3(ck_bucket_entries, page, low, high, bucket);
}
void ck_bucket_samples(const int64_t *starts, const int64_t *ends, const double *values, size_t n,
                       const int64_t *edges, size_t buckets, size_t *cursor, ck_bucket *rows) {
    CK_DISPATCH3(ck_bucket_samples, starts, ends, values, n, edges, buckets, cursor, rows);
}
