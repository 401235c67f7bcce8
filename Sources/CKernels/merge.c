// SPDX-License-Identifier: Apache-2.0
// Covered time and visible samples, for each level.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF
// Not all functions of sums_levels.h are used here.
#pragma clang diagnostic ignored "-Wunused-function"

#define CK_LEVELS_OF "merge_levels.h"
#include "each_level.h"

void ck_bucket_visible(const int64_t *starts, const int64_t *ends, const double *values, const uint64_t *hidden,
                       size_t n, ck_bucket *bucket, ck_dd *hidden_sum) {
    CK_DISPATCH3(ck_bucket_visible, starts, ends, values, hidden, n, bucket, hidden_sum);
}

int ck_hidden(const int64_t *starts, const int64_t *ends, size_t n, const int64_t *cover_starts,
              const int64_t *cover_ends, const uint64_t *before, size_t count, size_t *cursor, uint64_t *hidden) {
    CK_DISPATCH3(ck_hidden, starts, ends, n, cover_starts, cover_ends, before, count, cursor, hidden);
}

size_t ck_cover(const int64_t *starts, const int64_t *ends, size_t n, int64_t *cover_starts, int64_t *cover_ends,
                uint64_t *before, size_t count) {
    if (n == 0) return count;
    size_t i = 0, first = count;
    if (count == 0) {
        cover_starts[0] = starts[0];
        cover_ends[0] = ends[0];
        before[0] = 0;
        count = i = 1;
        first = 1;
    }
    // Whether a sample begins an interval is unpredictable, so the code has no branch for it.
    int64_t from = cover_starts[count - 1], to = cover_ends[count - 1];
    for (; i < n; i++) {
        int64_t s = starts[i], e = ends[i];
        int fresh = s > to;
        int64_t later = e > to ? e : to;
        from = fresh ? s : from;
        to = fresh ? e : later;
        count += (size_t)fresh;
        cover_starts[count - 1] = from;
        cover_ends[count - 1] = to;
    }
    for (i = first; i < count; i++)
        before[i] = before[i - 1] + ((uint64_t)cover_ends[i - 1] - (uint64_t)cover_starts[i - 1]);
    for (i = count; i < count + CK_COVER_SPARE; i++) cover_starts[i] = cover_ends[i] = INT64_MAX;
    return count;
}
