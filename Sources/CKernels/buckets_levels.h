// SPDX-License-Identifier: Apache-2.0
// Buckets, once per level. Sums as in sums_levels.h: value i of a range goes to lane i mod 8.

#include "sums_levels.h"

/// Adds two double-doubles; a result that is not finite has no rest.
INLINE void NAME(add_pair)(double *hi, double *lo, double other_hi, double other_lo) {
    double high = *hi + other_hi, back = high - *hi;
    double error = ((*hi - (high - back)) + (other_hi - back)) + (*lo + other_lo);
    double sum = high + error;
    bool finite = __builtin_fabs(sum) < __builtin_inf();
    *lo = finite ? error - (sum - high) : 0.0;
    *hi = finite ? sum : high;
}

INLINE void NAME(merge)(ck_bucket *row, const ck_bucket *part) {
    if (part->count == 0) return;
    if (row->count == 0) {
        *row = *part;
        return;
    }
    row->count += part->count;
    NAME(add_pair)(&row->sum_hi, &row->sum_lo, part->sum_hi, part->sum_lo);
    row->min = part->min < row->min ? part->min : row->min;
    row->max = part->max > row->max ? part->max : row->max;
    if (part->first_start < row->first_start ||
        (part->first_start == row->first_start && part->first_end < row->first_end)) {
        row->first_start = part->first_start;
        row->first_end = part->first_end;
        row->first_value = part->first_value;
    }
    if (part->last_start > row->last_start ||
        (part->last_start == row->last_start && part->last_end >= row->last_end)) {
        row->last_start = part->last_start;
        row->last_end = part->last_end;
        row->last_value = part->last_value;
    }
}

static void NAME(ck_bucket_merge)(ck_bucket *bucket, const ck_bucket *part) { NAME(merge)(bucket, part); }

INLINE double NAME(real)(const int64_t *page, int column, size_t i) {
    double x;
    memcpy(&x, page + column * CK_ENTRY_STRIDE + i, sizeof x);
    return x;
}

static void NAME(ck_bucket_entries)(const int64_t *page, size_t low, size_t high, ck_bucket *bucket) {
    if (low >= high) return;
    const double *hi = (const double *)(page + CK_ENTRY_SUM_HI * CK_ENTRY_STRIDE);
    const double *lo = (const double *)(page + CK_ENTRY_SUM_LO * CK_ENTRY_STRIDE);
    const double *min = (const double *)(page + CK_ENTRY_MIN * CK_ENTRY_STRIDE);
    const double *max = (const double *)(page + CK_ENTRY_MAX * CK_ENTRY_STRIDE);
    const int64_t *counts = page + CK_ENTRY_COUNT * CK_ENTRY_STRIDE;
    ck_bucket part;
    if (high - low == 1) {
        part.count = counts[low];
        part.sum_hi = hi[low];
        part.sum_lo = lo[low];
        part.min = min[low];
        part.max = max[low];
    } else {
        const double infinity = __builtin_inf();
        v8d s = 0.0, c = 0.0, least = infinity, greatest = -infinity;
        int64_t count = 0;
        size_t i = low;
        for (; i + 8 <= high; i += 8) {
            v8d x = NAME(load)(min + i), y = NAME(load)(max + i);
            c += NAME(load)(lo + i);
            NAME(two_sum)(&s, &c, NAME(load)(hi + i));
            least = x < least ? x : least;
            greatest = y > greatest ? y : greatest;
        }
        if (i < high) {
            size_t n = high - i;
            v8d x = NAME(load_tail)(min + i, n, infinity), y = NAME(load_tail)(max + i, n, -infinity);
            c += NAME(load_tail)(lo + i, n, 0.0);
            NAME(two_sum)(&s, &c, NAME(load_tail)(hi + i, n, 0.0));
            least = x < least ? x : least;
            greatest = y > greatest ? y : greatest;
        }
        for (i = low; i < high; i++) count += counts[i];
        ck_dd sum = NAME(fold)(s, c);
        part.count = count;
        part.sum_hi = sum.hi;
        part.sum_lo = sum.lo;
        part.min = NAME(least)(least);
        part.max = NAME(greatest)(greatest);
    }
    part.first_start = page[CK_ENTRY_FIRST_START * CK_ENTRY_STRIDE + low];
    part.first_end = page[CK_ENTRY_FIRST_END * CK_ENTRY_STRIDE + low];
    part.first_value = NAME(real)(page, CK_ENTRY_FIRST_VALUE, low);
    part.last_start = page[CK_ENTRY_LAST_START * CK_ENTRY_STRIDE + high - 1];
    part.last_end = page[CK_ENTRY_LAST_END * CK_ENTRY_STRIDE + high - 1];
    part.last_value = NAME(real)(page, CK_ENTRY_LAST_VALUE, high - 1);
    NAME(merge)(bucket, &part);
}

/// Returns the bucket that contains `at`, which is not before bucket b and is before the last edge.
INLINE size_t NAME(seek)(const int64_t *edges, size_t buckets, size_t b, int64_t at) {
    if (at < edges[b + 1]) return b;
    if (at < edges[b + 2]) return b + 1;
    size_t low = b + 2, high = buckets;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

/// Aggregates the samples from i on that start before `upper`; returns the first sample that does not.
INLINE size_t NAME(stretch)(const int64_t *starts, const double *v, size_t i, size_t n, int64_t upper,
                            ck_bucket *part) {
#if CK_L >= 2
    const double infinity = __builtin_inf();
    v8d s = 0.0, c = 0.0, least = infinity, greatest = -infinity;
    __m512i edge = _mm512_set1_epi64(upper);
    // The next load must not wait for the comparison: the loop assumes that all eight samples are included.
    for (; n - i >= 8; i += 8) {
        if (_mm512_cmplt_epi64_mask(_mm512_loadu_si512(starts + i), edge) != 0xff) break;
        v8d x = NAME(load)(v + i);
        NAME(two_sum)(&s, &c, x);
        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
    }
    __mmask8 room = n - i >= 8 ? 0xff : (__mmask8)((1u << (n - i)) - 1);
    __mmask8 in = _mm512_mask_cmplt_epi64_mask(room, _mm512_maskz_loadu_epi64(room, starts + i), edge);
    __m512d x = _mm512_maskz_loadu_pd(in, v + i);
    NAME(two_sum)(&s, &c, (v8d)x);
    least = (v8d)_mm512_mask_min_pd((__m512d)least, in, x, (__m512d)least);
    greatest = (v8d)_mm512_mask_max_pd((__m512d)greatest, in, x, (__m512d)greatest);
    i += (size_t)__builtin_popcount(in);
    ck_dd sum = NAME(fold)(s, c);
    part->sum_hi = sum.hi;
    part->sum_lo = sum.lo;
    part->min = NAME(least)(least);
    part->max = NAME(greatest)(greatest);
    return i;
#else
    size_t end = i + 1;
    while (end + 8 <= n && starts[end + 7] < upper) end += 8;
    while (end < n && starts[end] < upper) end++;
    ck_sums_result sums = NAME(ck_sums)(v + i, end - i);
    part->sum_hi = sums.sum.hi;
    part->sum_lo = sums.sum.lo;
    part->min = sums.min;
    part->max = sums.max;
    return end;
#endif
}

static void NAME(ck_bucket_samples)(const int64_t *starts, const int64_t *ends, const double *values, size_t n,
                                    const int64_t *edges, size_t buckets, size_t *cursor, ck_bucket *rows) {
    const int64_t *stops = ends ? ends : starts;
    size_t b = *cursor, i = 0;
    while (i < n) {
        b = NAME(seek)(edges, buckets, b, starts[i]);
        ck_bucket part;
        size_t next = NAME(stretch)(starts, values, i, n, edges[b + 1], &part);
        part.count = (int64_t)(next - i);
        part.first_start = starts[i];
        part.first_end = stops[i];
        part.first_value = values[i];
        part.last_start = starts[next - 1];
        part.last_end = stops[next - 1];
        part.last_value = values[next - 1];
        NAME(merge)(rows + b, &part);
        i = next;
    }
    *cursor = b;
}
