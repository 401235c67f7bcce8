// SPDX-License-Identifier: Apache-2.0
// Statistics of buckets, filled from summaries in an index page or from decoded samples.

#ifndef CKERNELS_BUCKETS_H
#define CKERNELS_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

/// Aggregates of the samples that start in one bucket. Empty: count is 0, and the other fields are ignored.
typedef struct {
    int64_t count;
    double sum_hi, sum_lo, min, max;
    int64_t first_start, first_end;
    double first_value;
    int64_t last_start, last_end;
    double last_value;
} ck_bucket;

/// The columns of an index page in memory, in this order, CK_ENTRY_STRIDE words each; doubles as their bits.
enum {
    CK_ENTRY_STRIDE = 64,
    CK_ENTRY_COUNT = 0,
    CK_ENTRY_SUM_HI,
    CK_ENTRY_SUM_LO,
    CK_ENTRY_MIN,
    CK_ENTRY_MAX,
    CK_ENTRY_FIRST_START,
    CK_ENTRY_FIRST_END,
    CK_ENTRY_FIRST_VALUE,
    CK_ENTRY_LAST_START,
    CK_ENTRY_LAST_END,
    CK_ENTRY_LAST_VALUE,
    CK_ENTRY_MAX_END,
};

/// Adds samples with arbitrary times to a bucket; `part` may be empty.
void ck_bucket_merge(ck_bucket *bucket, const ck_bucket *part);

/// Adds the entries low ..< high <= CK_ENTRY_STRIDE of a page to a bucket.
void ck_bucket_entries(const int64_t *page, size_t low, size_t high, ck_bucket *bucket);

/// Adds n samples to the buckets in which they start. Requires ascending starts in edges[0] ..< edges[buckets].
///
/// `cursor` is a bucket at or before that of the first sample; it is set to the bucket of the last sample. `ends` is
/// null for points. Buckets in which no sample starts are unchanged.
void ck_bucket_samples(const int64_t *starts, const int64_t *ends, const double *values, size_t n,
                       const int64_t *edges, size_t buckets, size_t *cursor, ck_bucket *rows);

#endif
