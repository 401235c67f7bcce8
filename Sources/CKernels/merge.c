// SPDX-License-Identifier: Apache-2.0
// Covered time, whose loops no level makes faster; and what is left of samples, for each level.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF
// Of the sums only some are used here.
#pragma clang diagnostic ignored "-Wunused-function"

#define CK_LEVELS_OF "merge_levels.h"
#include "each_level.h"

void ck_bucket_visible(const int64_t *starts, const int64_t *ends, const double *values, const uint64_t *hidden,
                       size_t n, ck_bucket *bucket, ck_dd *hidden_sum) {
    CK_DISPATCH3(ck_bucket_visible, starts, ends, values, hidden, n, bucket, hidden_sum);
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
    // Whether a sample begins a stretch is anybody's guess, so it is no branch.
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
    return count;
}

/// The last of the stretches from `low`, which starts before `at`, that does.
static inline size_t ck_last_before(const int64_t *starts, size_t low, size_t count, int64_t at) {
    // Mostly it is one of the next.
    size_t near = count - low < 8 ? count : low + 8;
    while (low + 1 < near && starts[low + 1] < at) low++;
    if (low + 1 < near) return low;
    size_t high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (starts[middle] < at) low = middle;
        else high = middle;
    }
    return low;
}

int ck_hidden(const int64_t *starts, const int64_t *ends, size_t n, const int64_t *cover_starts,
              const int64_t *cover_ends, const uint64_t *before, size_t count, size_t *cursor, uint64_t *hidden) {
    size_t j = *cursor;
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t s = starts[i], e = ends[i];
        while (j < count && cover_ends[j] <= s) j++;
        uint64_t h = 0;
        if (j < count) {
            int64_t from = cover_starts[j];
            if (e <= s) {
                h = from <= s;
            } else if (from < e) {
                size_t k = ck_last_before(cover_starts, j, count, e);
                int64_t to = e < cover_ends[k] ? e : cover_ends[k];
                uint64_t passed = s > from ? (uint64_t)s - (uint64_t)from : 0;
                h = before[k] - before[j] + ((uint64_t)to - (uint64_t)cover_starts[k]) - passed;
            }
        }
        hidden[i] = h;
        any |= h;
    }
    *cursor = j;
    return any != 0;
}
