// SPDX-License-Identifier: Apache-2.0
// Time that some samples cover, and what it leaves of others.

#ifndef CKERNELS_MERGE_H
#define CKERNELS_MERGE_H

#include "buckets.h"
#include "CKernels.h"

/// Elements behind the last stretch.
enum { CK_COVER_SPARE = 8 };

/// Adds the time from starts[i] until before ends[i] of n samples, whose starts ascend and are not before those that
/// were added earlier, to `count` stretches. These ascend and do not touch each other; `before` is the length of all
/// stretches before one, modulo 2^64. There is room for n and CK_COVER_SPARE more; those behind the last are set to the
/// last instant. A point makes an empty stretch, or none.
///
/// Returns how many stretches there are now.
size_t ck_cover(const int64_t *starts, const int64_t *ends, size_t n, int64_t *cover_starts, int64_t *cover_ends,
                uint64_t *before, size_t count);

/// How much of the time of each of n samples, whose starts ascend, is covered; of a point, 1 if it is.
///
/// `cursor` is a stretch before which none ends after the first start, and is so afterwards for the last one. Returns
/// whether anything is covered.
int ck_hidden(const int64_t *starts, const int64_t *ends, size_t n, const int64_t *cover_starts,
              const int64_t *cover_ends, const uint64_t *before, size_t count, size_t *cursor, uint64_t *hidden);

/// What is left of n > 0 samples of one bucket of which some time is hidden. Those that are hidden whole (all their
/// time; a point, if `hidden` is not 0) are left out; of the others the whole values are added up, and in
/// `hidden_sum` value * hidden / length of those of which a part is hidden.
void ck_bucket_visible(const int64_t *starts, const int64_t *ends, const double *values, const uint64_t *hidden,
                       size_t n, ck_bucket *bucket, ck_dd *hidden_sum);

#endif
