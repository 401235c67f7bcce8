// SPDX-License-Identifier: Apache-2.0
// What is left of samples, once per level. Sums are those of sums_levels.h: value i goes to lane i mod 8.

#include "sums_levels.h"

INLINE v8u NAME(load_words)(const void *p) {
    v8u x;
    memcpy(&x, p, sizeof x);
    return x;
}

/// value * part / length to some 100 bits, as DoubleDouble.product and divided(by:) have it.
INLINE v8d NAME(share)(v8d value, v8d part, v8d length, v8d *rest) {
    const double infinity = __builtin_inf();
    v8d zero = 0.0;
    v8d p = value * part, e = NAME(product_error)(value, part, p);
    v8d q = p / length;
    v8d back = q * length, error = NAME(product_error)(q, length, back);
    v8d left = (((p - back) - error) + e) / length;
    v8d hi = q + left, lo = left - (hi - q);
    // The product of a huge value overflows where its share does not.
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
        least = is_left & (v < least) ? v : least;
        greatest = is_left & (v > greatest) ? v : greatest;
        left -= is_left;
        if (__builtin_reduce_or(is_cut)) {
            v8d rest, part = NAME(share)(v, __builtin_convertvector(h, v8d), __builtin_convertvector(whole, v8d), &rest);
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
