// SPDX-License-Identifier: Apache-2.0
// Sums, once per level. Every operation is explicit and the compiler may not contract them, so all levels yield the
// same bits.

INLINE v8d NAME(load)(const double *p) {
    v8d x;
    memcpy(&x, p, sizeof x);
    return x;
}

/// Loads the last n < 8 values, with `fill` in the other lanes.
INLINE v8d NAME(load_tail)(const double *p, size_t n, double fill) {
#if CK_L >= 2
    return (v8d)_mm512_mask_loadu_pd(_mm512_set1_pd(fill), (__mmask8)((1u << n) - 1), p);
#else
    double x[8] = {fill, fill, fill, fill, fill, fill, fill, fill};
    for (size_t i = 0; i < n; i++) x[i] = p[i];
    v8d v;
    memcpy(&v, x, sizeof v);
    return v;
#endif
}

/// Adds x to s, and the rounding error to c.
INLINE void NAME(two_sum)(v8d *s, v8d *c, v8d x) {
    v8d a = *s, t = a + x, b = t - a;
    *c += (a - (t - b)) + (x - b);
    *s = t;
}

/// Returns the rounding error of p = a * b; 0 if p is below 2^-960 or not finite.
INLINE v8d NAME(product_error)(v8d a, v8d b, v8d p) {
    v8d magnitude = __builtin_elementwise_abs(p), zero = 0.0;
#if CK_L > 0 || defined(__aarch64__) || defined(__FMA__)
    v8d e = __builtin_elementwise_fma(a, b, -p);
#else
    // Dekker's product; factors near the upper limit are scaled so that the splitting does not overflow.
    v8d one = 1.0, down = 0x1p-64, up = 0x1p64, limit = 0x1p990;
    v8i big_a = __builtin_elementwise_abs(a) > limit, big_b = __builtin_elementwise_abs(b) > limit;
    v8d sa = big_a ? down : one, sb = big_b ? down : one, back = (big_a ? up : one) * (big_b ? up : one);
    v8d x = a * sa, y = b * sb, q = p * sa * sb;
    v8d tx = x * 134217729.0, ty = y * 134217729.0;
    v8d xh = tx - (tx - x), yh = ty - (ty - y), xl = x - xh, yl = y - yh;
    v8d e = (((xh * yh - q) + xh * yl + xl * yh) + xl * yl) * back;
#endif
    v8i exact = (magnitude >= 0x1p-960) & (magnitude < __builtin_inf());
    return exact ? e : zero;
}

/// Folds eight lanes into one double-double: lanes i and i + 4, then i and i + 2, then the last two, by TwoSum.
INLINE ck_dd NAME(fold)(v8d s, v8d c) {
    v4d a4 = s.lo, x4 = s.hi, t4 = a4 + x4, b4 = t4 - a4;
    v4d c4 = (c.lo + c.hi) + ((a4 - (t4 - b4)) + (x4 - b4));
    v2d a2 = t4.lo, x2 = t4.hi, t2 = a2 + x2, b2 = t2 - a2;
    v2d c2 = (c4.lo + c4.hi) + ((a2 - (t2 - b2)) + (x2 - b2));
    double a = t2.x, x = t2.y, t = a + x, b = t - a;
    double rest = (c2.x + c2.y) + ((a - (t - b)) + (x - b));
    // Normalised; zero is +0.0, and a sum that is not finite has no rest.
    double hi = t + rest, lo = rest - (hi - t);
    if (!(__builtin_fabs(t) < __builtin_inf())) return (ck_dd){t != t ? __builtin_nan("") : t, 0.0};
    if (!(__builtin_fabs(hi) < __builtin_inf())) return (ck_dd){hi != hi ? __builtin_nan("") : hi, 0.0};
    return (ck_dd){hi + 0.0, lo + 0.0};
}

/// Return the least and the greatest of eight lanes; zeros are +0.0.
INLINE double NAME(least)(v8d x) {
    v4d a = x.lo < x.hi ? x.lo : x.hi;
    v2d b = a.lo < a.hi ? a.lo : a.hi;
    return (b.x < b.y ? b.x : b.y) + 0.0;
}

INLINE double NAME(greatest)(v8d x) {
    v4d a = x.lo > x.hi ? x.lo : x.hi;
    v2d b = a.lo > a.hi ? a.lo : a.hi;
    return (b.x > b.y ? b.x : b.y) + 0.0;
}

static ck_sums_result NAME(ck_sums)(const double *v, size_t n) {
    const double infinity = __builtin_inf();
    v8d s = 0.0, c = 0.0, least = infinity, greatest = -infinity;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8d x = NAME(load)(v + i);
        NAME(two_sum)(&s, &c, x);
        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
    }
    if (i < n) {
        NAME(two_sum)(&s, &c, NAME(load_tail)(v + i, n - i, 0.0));
        v8d x = NAME(load_tail)(v + i, n - i, infinity), y = NAME(load_tail)(v + i, n - i, -infinity);
        least = x < least ? x : least;
        greatest = y > greatest ? y : greatest;
    }
    return (ck_sums_result){NAME(fold)(s, c), NAME(least)(least), NAME(greatest)(greatest)};
}

static ck_dd NAME(ck_sum_of_squares)(const double *v, size_t n) {
    v8d s = 0.0, c = 0.0;
    for (size_t i = 0; i < n; i += 8) {
        v8d x = i + 8 <= n ? NAME(load)(v + i) : NAME(load_tail)(v + i, n - i, 0.0);
        v8d p = x * x;
        c += NAME(product_error)(x, x, p);
        NAME(two_sum)(&s, &c, p);
    }
    return NAME(fold)(s, c);
}

/// Returns the steps t[i + 1] - t[i] of `count` <= 8 values, 0 in the other lanes. Unsigned: a step may exceed
/// INT64_MAX.
INLINE v8d NAME(steps)(const int64_t *t, size_t count) {
    if (count == 8) {
        v8u from, to;
        memcpy(&from, t, sizeof from);
        memcpy(&to, t + 1, sizeof to);
        return __builtin_convertvector(to - from, v8d);
    }
    double steps[8] = {0};
    for (size_t i = 0; i < count; i++) steps[i] = (double)((uint64_t)t[i + 1] - (uint64_t)t[i]);
    return NAME(load)(steps);
}

static ck_dd NAME(ck_integral)(const double *v, const int64_t *t, size_t n) {
    v8d s = 0.0, c = 0.0;
    for (size_t i = 0; i + 1 < n; i += 8) {
        size_t count = n - 1 - i < 8 ? n - 1 - i : 8;
        v8d x = count == 8 ? NAME(load)(v + i) : NAME(load_tail)(v + i, count, 0.0);
        v8d d = NAME(steps)(t + i, count), p = x * d;
        c += NAME(product_error)(x, d, p);
        NAME(two_sum)(&s, &c, p);
    }
    return NAME(fold)(s, c);
}

static ck_summary_result NAME(ck_summary)(const double *v, const int64_t *t, size_t n) {
#if CK_L >= 2
    // These levels have enough registers to read the values only once.
    const double infinity = __builtin_inf();
    v8d s = 0.0, c = 0.0, least = infinity, greatest = -infinity, squares = 0.0, sc = 0.0, area = 0.0, ac = 0.0;
    size_t i = 0;
    for (; i + 9 <= n; i += 8) {
        v8d x = NAME(load)(v + i), d = NAME(steps)(t + i, 8);
        NAME(two_sum)(&s, &c, x);
        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
        v8d p = x * x, q = x * d;
        sc += NAME(product_error)(x, x, p);
        NAME(two_sum)(&squares, &sc, p);
        ac += NAME(product_error)(x, d, q);
        NAME(two_sum)(&area, &ac, q);
    }
    if (i < n) {
        v8d x = NAME(load_tail)(v + i, n - i, 0.0), last = NAME(load_tail)(v + i, n - i - 1, 0.0);
        v8d low = NAME(load_tail)(v + i, n - i, infinity), high = NAME(load_tail)(v + i, n - i, -infinity);
        NAME(two_sum)(&s, &c, x);
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
        v8d d = NAME(steps)(t + i, n - i - 1), p = x * x, q = last * d;
        sc += NAME(product_error)(x, x, p);
        NAME(two_sum)(&squares, &sc, p);
        ac += NAME(product_error)(last, d, q);
        NAME(two_sum)(&area, &ac, q);
    }
    ck_sums_result sums = {NAME(fold)(s, c), NAME(least)(least), NAME(greatest)(greatest)};
    return (ck_summary_result){sums, NAME(fold)(squares, sc), NAME(fold)(area, ac)};
#else
    return (ck_summary_result){NAME(ck_sums)(v, n), NAME(ck_sum_of_squares)(v, n), NAME(ck_integral)(v, t, n)};
#endif
}

static ck_ends_result NAME(ck_ends)(const int64_t *starts, const int64_t *ends, size_t n) {
    v8i greatest = INT64_MIN;
    v8u low = 0, high = 0;
    size_t i = 0, all = n - 1;
    for (; i + 8 <= all; i += 8) {
        v8i from, to;
        memcpy(&from, starts + i, sizeof from);
        memcpy(&to, ends + i, sizeof to);
        v8u d = (v8u)to - (v8u)from;
        greatest = to > greatest ? to : greatest;
        low += d & 0xffffffff;
        high += d >> 32;
    }
    int64_t most = INT64_MIN;
    uint64_t low_sum = 0, high_sum = 0;
    for (int lane = 0; lane < 8; lane++) {
        most = greatest[lane] > most ? greatest[lane] : most;
        low_sum += low[lane];
        high_sum += high[lane];
    }
    for (; i < all; i++) {
        uint64_t d = (uint64_t)ends[i] - (uint64_t)starts[i];
        most = ends[i] > most ? ends[i] : most;
        low_sum += d & 0xffffffff;
        high_sum += d >> 32;
    }
    uint64_t d = (uint64_t)ends[all] - (uint64_t)starts[all];
    low_sum += d & 0xffffffff;
    high_sum += d >> 32;
    high_sum += low_sum >> 32;
    return (ck_ends_result){ends[all] > most ? ends[all] : most, most, (high_sum << 32) | (low_sum & 0xffffffff),
                            high_sum >> 32};
}
