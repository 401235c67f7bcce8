// SPDX-License-Identifier: Apache-2.0
// Visible parts of samples, once per level. Sums as in sums_levels.h: value i goes to lane i mod 8.

#include "sums_levels.h"

/// Returns how many of eight ascending numbers are at or below x.
INLINE size_t NAME(not_after)(const int64_t *p, int64_t x) {
#if CK_L >= 2
    return (size_t)__builtin_popcount(_mm512_cmple_epi64_mask(_mm512_loadu_si512(p), _mm512_set1_epi64(x)));
#else
    size_t count = 0;
    for (int i = 0; i < 8; i++) count += p[i] <= x;
    return count;
#endif
}

/// Returns the first of `count` intervals from `low` on that ends after an instant, or `count`.
INLINE size_t NAME(first_after)(const int64_t *ends, size_t low, size_t count, int64_t at) {
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends[middle] <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// Returns the last of the intervals from `low` on that starts before `at`; `low` if there is none.
INLINE size_t NAME(last_before)(const int64_t *starts, size_t low, size_t count, int64_t at) {
    size_t next = NAME(not_after)(starts + low, at - 1);
    if (next < 8) return low + next - (next > 0);
    size_t high = count;
    low += 7;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (starts[middle] < at) low = middle;
        else high = middle;
    }
    return low;
}

/// Returns the covered time from s until before e; interval j is the first that ends after s.
INLINE uint64_t NAME(hidden_time)(int64_t s, int64_t e, const int64_t *starts, const int64_t *ends,
                                  const uint64_t *before, size_t j, size_t count) {
    int64_t from = starts[j];
    if (e <= s) return from <= s;
    // Whether the time is covered at all is unpredictable, so the code has no branch for it.
    size_t k = NAME(last_before)(starts, j, count, e);
    int64_t to = e < ends[k] ? e : ends[k];
    uint64_t passed = s > from ? (uint64_t)s - (uint64_t)from : 0;
    uint64_t time = before[k] - before[j] + ((uint64_t)to - (uint64_t)starts[k]) - passed;
    return from < e ? time : 0;
}

static int NAME(ck_hidden)(const int64_t *starts, const int64_t *ends, size_t n, const int64_t *cover_starts,
                           const int64_t *cover_ends, const uint64_t *before, size_t count, size_t *cursor,
                           uint64_t *hidden) {
    // Each search depends on the previous one, so four parts of the samples are searched in parallel.
    enum { PART = 32, PARTS = 4 };
    uint64_t any = 0;
    size_t i = 0, j = *cursor;
    // The elements after the last interval are set to the greatest instant, which must exceed all starts.
    int is_early = n > 0 && starts[n - 1] < INT64_MAX;
    for (; is_early && n - i >= PART * PARTS; i += PART * PARTS) {
        size_t at[PARTS], first[PARTS][PART];
        for (size_t p = 0; p < PARTS; p++) at[p] = j = NAME(first_after)(cover_ends, j, count, starts[i + p * PART]);
        for (size_t k = 0; k < PART; k++) {
            for (size_t p = 0; p < PARTS; p++) {
                int64_t s = starts[i + p * PART + k];
                size_t passed = NAME(not_after)(cover_ends + at[p], s);
                at[p] += passed;
                while (passed == 8) at[p] += passed = NAME(not_after)(cover_ends + at[p], s);
                first[p][k] = at[p];
            }
        }
        for (size_t p = 0; p < PARTS; p++) {
            size_t low = i + p * PART;
            if (first[p][0] == first[p][PART - 1]) {
                // Check whether all samples lie before the next interval.
                int64_t latest = starts[low + PART - 1] + 1;
                for (size_t k = 0; k < PART; k++) latest = ends[low + k] > latest ? ends[low + k] : latest;
                if (latest <= cover_starts[first[p][0]]) {
                    memset(hidden + low, 0, PART * sizeof *hidden);
                    continue;
                }
            }
            for (size_t k = 0; k < PART; k++) {
                size_t row = low + k;
                any |= hidden[row] =
                    NAME(hidden_time)(starts[row], ends[row], cover_starts, cover_ends, before, first[p][k], count);
            }
        }
        j = at[PARTS - 1];
    }
    for (; i < n; i++) {
        while (j < count && cover_ends[j] <= starts[i]) j++;
        any |= hidden[i] = NAME(hidden_time)(starts[i], ends[i], cover_starts, cover_ends, before, j, count);
    }
    *cursor = j;
    return any != 0;
}

INLINE v8u NAME(load_words)(const void *p) {
    v8u x;
    memcpy(&x, p, sizeof x);
    return x;
}

/// Computes value * part / length to about 100 bits, like DoubleDouble.product and divided(by:).
INLINE v8d NAME(share)(v8d value, v8d part, v8d length, v8d *rest) {
    const double infinity = __builtin_inf();
    v8d zero = 0.0;
    v8d p = value * part, e = NAME(product_error)(value, part, p);
    v8d q = p / length;
    v8d back = q * length, error = NAME(product_error)(q, length, back);
    v8d left = (((p - back) - error) + e) / length;
    v8d hi = q + left, lo = left - (hi - q);
    // The product of a huge value may overflow although its share does not.
    v8i finite = __builtin_elementwise_abs(hi) < infinity;
    *rest = finite ? lo : zero;
    v8d plain = value * (part / length);
    return finite ? hi : plain;
}

static void NAME(ck_bucket_visible)(const int64_t *starts, const int64_t *ends, const double *values,
                                    const uint64_t *hidden, size_t n, ck_bucket *bucket, ck_dd *hidden_sum) {
    const double infinity = __builtin_inf();
    v8d s = 0.0, c = 0.0, hs = 0.0, hc = 0.0, least = infinity, greatest = -infinity, zero = 0.0;
    v8u one = 1;
    v8i left = 0;
    for (size_t i = 0; i < n; i += 8) {
        v8u from, to, h;
        v8d v;
        if (n - i >= 8) {
            from = NAME(load_words)(starts + i);
            to = NAME(load_words)(ends + i);
            h = NAME(load_words)(hidden + i);
            v = NAME(load)(values + i);
        } else {
            uint64_t words[3][8] = {{0}};
            double tail[8] = {0};
            for (size_t k = 0; k < 8; k++) words[2][k] = UINT64_MAX;
            memcpy(words[0], starts + i, (n - i) * 8);
            memcpy(words[1], ends + i, (n - i) * 8);
            memcpy(words[2], hidden + i, (n - i) * 8);
            memcpy(tail, values + i, (n - i) * 8);
            from = NAME(load_words)(words[0]);
            to = NAME(load_words)(words[1]);
            h = NAME(load_words)(words[2]);
            v = NAME(load)(tail);
        }
        v8u length = to - from;
        v8u whole = length > one ? length : one;
        v8i is_left = h < whole;
        v8i is_cut = is_left & (h != 0);
        v8d x = is_left ? v : zero;
        NAME(two_sum)(&s, &c, x);
        least = (is_left & (v < least)) ? v : least;
        greatest = (is_left & (v > greatest)) ? v : greatest;
        left -= is_left;
        if (__builtin_reduce_or(is_cut)) {
            v8d time = __builtin_convertvector(h, v8d), all = __builtin_convertvector(whole, v8d), rest;
            v8d part = NAME(share)(v, time, all, &rest);
            part = is_cut ? part : zero;
            rest = is_cut ? rest : zero;
            hc += rest;
            NAME(two_sum)(&hs, &hc, part);
        }
    }
    ck_dd sum = NAME(fold)(s, c);
    *hidden_sum = NAME(fold)(hs, hc);
    bucket->count = __builtin_reduce_add(left);
    bucket->sum_hi = sum.hi;
    bucket->sum_lo = sum.lo;
    bucket->min = NAME(least)(least);
    bucket->max = NAME(greatest)(greatest);
    if (bucket->count == 0) return;
    size_t first = 0, last = n - 1;
    while (hidden[first] != 0 && hidden[first] >= (uint64_t)ends[first] - (uint64_t)starts[first]) first++;
    while (hidden[last] != 0 && hidden[last] >= (uint64_t)ends[last] - (uint64_t)starts[last]) last--;
    bucket->first_start = starts[first];
    bucket->first_end = ends[first];
    bucket->first_value = values[first];
    bucket->last_start = starts[last];
    bucket->last_end = ends[last];
    bucket->last_value = values[last];
}
