// SPDX-License-Identifier: Apache-2.0
// Shapes of curves, once per level. Each result comes from operations on its own values or from the lanes of
// sums_levels.h, so all levels yield the same bits.

#include "sums_levels.h"

static ck_deviations_result NAME(ck_deviations)(const double *v, size_t n, double centre, double scale) {
    v8d s = 0.0, c = 0.0, q = 0.0, qc = 0.0, middle = centre * scale;
    for (size_t i = 0; i < n; i += 8) {
        v8d x = i + 8 <= n ? NAME(load)(v + i) : NAME(load_tail)(v + i, n - i, centre);
        v8d d = x * scale - middle, p = d * d;
        NAME(two_sum)(&s, &c, d);
        qc += NAME(product_error)(d, d, p);
        NAME(two_sum)(&q, &qc, p);
    }
    ck_dd sum = NAME(fold)(s, c), squares = NAME(fold)(q, qc);
    return (ck_deviations_result){sum.hi, sum.lo, squares.hi, squares.lo};
}

static ck_extremes_result NAME(ck_extremes)(const double *v, size_t n) {
    ck_extremes_result found = {0, 0};
    double low = v[0], high = v[0];
    size_t i = 0;
    if (n >= 16) {
        v8d least = low, greatest = high;
        v8i at_least = 0, at_greatest = 0, at = {0, 1, 2, 3, 4, 5, 6, 7};
        for (; i + 8 <= n; i += 8, at += 8) {
            v8d x = NAME(load)(v + i);
            v8i less = x < least, more = x > greatest;
            least = less ? x : least;
            at_least = less ? at : at_least;
            greatest = more ? x : greatest;
            at_greatest = more ? at : at_greatest;
        }
        // Of equal values the first position, in any lane.
        for (int lane = 0; lane < 8; lane++) {
            size_t a = (size_t)at_least[lane], b = (size_t)at_greatest[lane];
            if (least[lane] < low || (least[lane] == low && a < found.least)) {
                low = least[lane];
                found.least = a;
            }
            if (greatest[lane] > high || (greatest[lane] == high && b < found.greatest)) {
                high = greatest[lane];
                found.greatest = b;
            }
        }
    }
    for (; i < n; i++) {
        if (v[i] < low) {
            low = v[i];
            found.least = i;
        }
        if (v[i] > high) {
            high = v[i];
            found.greatest = i;
        }
    }
    return found;
}

static ck_corner NAME(ck_largest_triangle)(const int64_t *t, const double *v, size_t n, int64_t start, double value,
                                           double width, double height) {
    ck_corner found = {-1.0, 0};
    size_t i = 0;
    if (n >= 16) {
        v8d best = -1.0;
        v8i at_best = 0, at = {0, 1, 2, 3, 4, 5, 6, 7};
        for (; i + 8 <= n; i += 8, at += 8) {
            v8u x;
            memcpy(&x, t + i, sizeof x);
            v8d away = __builtin_convertvector(x - (uint64_t)start, v8d);
            v8d area = __builtin_elementwise_abs(width * (NAME(load)(v + i) - value) - away * height);
            v8i more = area > best;
            best = more ? area : best;
            at_best = more ? at : at_best;
        }
        for (int lane = 0; lane < 8; lane++) {
            size_t place = (size_t)at_best[lane];
            if (best[lane] > found.area || (best[lane] == found.area && best[lane] >= 0 && place < found.at)) {
                found.area = best[lane];
                found.at = place;
            }
        }
    }
    for (; i < n; i++) {
        double away = (double)((uint64_t)t[i] - (uint64_t)start);
        double area = __builtin_fabs(width * (v[i] - value) - away * height);
        if (area > found.area) {
            found.area = area;
            found.at = i;
        }
    }
    return found;
}

static ck_wide NAME(ck_sum_of_times)(const int64_t *t, size_t n, int64_t start) {
    v8u low = 0, high = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8u x;
        memcpy(&x, t + i, sizeof x);
        x -= (uint64_t)start;
        low += x & 0xffffffff;
        high += x >> 32;
    }
    uint64_t low_sum = 0, high_sum = 0;
    for (int lane = 0; lane < 8; lane++) {
        low_sum += low[lane];
        high_sum += high[lane];
    }
    for (; i < n; i++) {
        uint64_t x = (uint64_t)t[i] - (uint64_t)start;
        low_sum += x & 0xffffffff;
        high_sum += x >> 32;
    }
    high_sum += low_sum >> 32;
    return (ck_wide){(high_sum << 32) | (low_sum & 0xffffffff), high_sum >> 32};
}
