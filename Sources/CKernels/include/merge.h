// SPDX-License-Identifier: Apache-2.0
// The time that some samples cover, and the part of other samples that stays visible.

#ifndef CKERNELS_MERGE_H
#define CKERNELS_MERGE_H

#include "buckets.h"
#include "CKernels.h"

/// Number of spare elements after the last interval.
enum { CK_COVER_SPARE = 8 };

/// Adds the time from starts[i] until before ends[i] of n samples to `count` intervals. The starts ascend and are not
/// before those added earlier. The intervals ascend with gaps between them; before[j] is the total length of the
/// intervals before j, modulo 2^64. The arrays have space for n + CK_COVER_SPARE more intervals; those after the last
/// are set to the greatest instant. A point adds an empty interval, or none.
///
/// Returns the new number of intervals.
size_t ck_cover(const int64_t *starts, const int64_t *ends, size_t n, int64_t *cover_starts, int64_t *cover_ends,
                uint64_t *before, size_t count);

/// Computes the covered time of each of n samples with ascending starts; for a point, 1 if it is covered.
///
/// `cursor` is an interval; all intervals before it end at or before the first start. It is updated for the last start.
/// Returns whether any time is covered.
int ck_hidden(const int64_t *starts, const int64_t *ends, size_t n, const int64_t *cover_starts,
              const int64_t *cover_ends, const uint64_t *before, size_t count, size_t *cursor, uint64_t *hidden);

/// Aggregates the visible ones of n > 0 samples of one bucket. A sample is excluded if all its time is hidden; a point,
/// if `hidden` is not 0. The other samples count with their full values; `hidden_sum` receives the sum of value *
/// hidden / length of the partly hidden samples.
void ck_bucket_visible(const int64_t *starts, const int64_t *ends, const double *values, const uint64_t *hidden,
                       size_t n, ck_bucket *bucket, ck_dd *hidden_sum);

#endif
