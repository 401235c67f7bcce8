// SPDX-License-Identifier: Apache-2.0
// Conversion of streams to numbers, once per level.

#include "division_levels.h"

#include "lanes_levels.h"

/// Converts and writes eight integers.
INLINE void NAME(put)(v8i k, const int kind, const ck_meaning *e, uint64_t *out) {
    v8d x;
    switch (kind) {
    case CK_AS_INTEGERS: memcpy(out, &k, sizeof k); return;
    case CK_AS_ORDERED: k ^= (k >> 63) & INT64_MAX; memcpy(out, &k, sizeof k); return;
    case CK_AS_WHOLE: x = NAME(to_double)(k); break;
    case CK_SMALL_WHOLE: x = (v8d)k - 0x1.8p52; break;
    case CK_SMALL_SCALED: x = NAME(divide_small)((v8d)k - 0x1.8p52, e->sequence->divisor, e->reciprocal); break;
    default: x = NAME(divide)(NAME(to_double)(k), e->sequence->divisor, e->reciprocal);
    }
    memcpy(out, &x, sizeof x);
}

/// Converts eight integers and writes the first `count`, at most eight.
INLINE void NAME(put_some)(v8i k, size_t count, const int kind, const ck_meaning *e, uint64_t *out) {
    uint64_t eight[8];
    if (__builtin_expect(count >= 8, 1)) {
        NAME(put)(k, kind, e, out);
        return;
    }
    NAME(put)(k, kind, e, eight);
    memcpy(out, eight, count * sizeof *out);
}

// Calls BODY with the kind as a compile-time constant.
#define CK_BY_KIND(KIND, BODY)                                                                                         \
    switch (KIND) {                                                                                                    \
    case CK_AS_INTEGERS: BODY(CK_AS_INTEGERS); break;                                                                  \
    case CK_AS_WHOLE: BODY(CK_AS_WHOLE); break;                                                                        \
    case CK_AS_SCALED: BODY(CK_AS_SCALED); break;                                                                      \
    default: BODY(CK_AS_ORDERED);                                                                                      \
    }

/// Returns the products of signed 32-bit numbers.
INLINE v8i NAME(times)(v8i a, v8i b) {
#if CK_L == 0
    return a * b;
#elif CK_L >= 2
    return (v8i)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#else
    __m256i x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int half = 0; half < 2; half++) x[half] = _mm256_mul_epi32(x[half], y[half]);
    memcpy(&a, x, sizeof x);
    return a;
#endif
}

/// The factor of a stream's numbers: none; a unit for which products of 32-bit numbers suffice; or any unit.
enum { NAME(ck_by_one), NAME(ck_by_small), NAME(ck_by_any) };

INLINE v8u NAME(multiply)(v8u x, uint64_t unit, const int by) {
    // AVX-512 and later have an instruction for 64-bit products.
    if (CK_L == 1 && by == NAME(ck_by_small)) return (v8u)NAME(times)((v8i)x, (v8i)(v8u)unit);
    return by == NAME(ck_by_one) ? x : x * unit;
}

/// Converts and writes integers of any width, with 64-bit arithmetic. Reads up to 7 elements more.
INLINE void NAME(emit_any)(
    const uint64_t *y, size_t n, const int by, const int kind, const ck_meaning *e, uint64_t *out) {
    const uint64_t unit = e->sequence->unit;
    const uint64_t first = (uint64_t)e->sequence->base + (kind > CK_AS_ORDERED ? CK_MAGIC : 0);
    if (!e->sequence->is_delta) {
        const v8u base = first;
        for (size_t i = 0; i < n; i += 8) {
            v8u x;
            memcpy(&x, y + i, sizeof x);
            NAME(put_some)((v8i)(NAME(multiply)(x, unit, by) + base), n - i, kind, e, out + i);
        }
        return;
    }
#if CK_L == 0
    uint64_t carry = first;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t k[8];
        for (size_t j = 0; j < 8; j++) k[j] = carry += by == NAME(ck_by_one) ? y[i + j] : y[i + j] * unit;
        v8i x;
        memcpy(&x, k, sizeof x);
        NAME(put_some)(x, n - i, kind, e, out + i);
    }
#elif CK_L == 1
    // Prefix sums in registers of four: shift by one lane, then by two, then carry to the other register.
    typedef uint64_t v4u __attribute__((ext_vector_type(4)));
    const v4u zero = 0;
    v4u carry = first;
    for (size_t i = 0; i < n; i += 8) {
        v8u eight;
        v4u x[2];
        memcpy(&eight, y + i, sizeof eight);
        eight = NAME(multiply)(eight, unit, by);
        memcpy(x, &eight, sizeof x);
        for (int half = 0; half < 2; half++) {
            x[half] += __builtin_shufflevector(zero, x[half], 0, 4, 2, 6);
            x[half] += __builtin_shufflevector(zero, x[half], 0, 1, 5, 5);
        }
        x[1] += __builtin_shufflevector(x[0], x[0], 3, 3, 3, 3);
        v4u sum = __builtin_shufflevector(x[1], x[1], 3, 3, 3, 3);
        x[0] += carry;
        x[1] += carry;
        carry += sum;
        v8i k;
        memcpy(&k, x, sizeof k);
        NAME(put_some)(k, n - i, kind, e, out + i);
    }
#else
    const v8u zero = 0;
    v8u carry = first;
    for (size_t i = 0; i < n; i += 8) {
        v8u x;
        memcpy(&x, y + i, sizeof x);
        x = NAME(multiply)(x, unit, by);
        x += __builtin_shufflevector(zero, x, 0, 8, 9, 10, 11, 12, 13, 14);
        x += __builtin_shufflevector(zero, x, 0, 1, 8, 9, 10, 11, 12, 13);
        x += __builtin_shufflevector(zero, x, 0, 1, 2, 3, 8, 9, 10, 11);
        v8u sum = __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
        NAME(put_some)((v8i)(x + carry), n - i, kind, e, out + i);
        carry += sum;
    }
#endif
}

static void NAME(ck_emit_any)(const uint64_t *y, size_t n, bool are_small, const ck_meaning *e, uint64_t *out) {
    const bool by_one = e->sequence->unit == 1;
#define CK_EMIT(KIND)                                                                                                  \
    if (by_one) {                                                                                                      \
        NAME(emit_any)(y, n, NAME(ck_by_one), KIND, e, out);                                                           \
    } else {                                                                                                           \
        NAME(emit_any)(y, n, NAME(ck_by_any), KIND, e, out);                                                           \
    }
#define CK_EMIT_SMALL(KIND)                                                                                            \
    if (by_one) {                                                                                                      \
        NAME(emit_any)(y, n, NAME(ck_by_one), KIND, e, out);                                                           \
    } else {                                                                                                           \
        NAME(emit_any)(y, n, NAME(ck_by_small), KIND, e, out);                                                         \
    }
    if (e->kind == CK_SMALL_WHOLE) {
        CK_EMIT_SMALL(CK_SMALL_WHOLE)
    } else if (e->kind == CK_SMALL_SCALED) {
        CK_EMIT_SMALL(CK_SMALL_SCALED)
    } else if (e->kind == CK_AS_INTEGERS && are_small) {
        CK_EMIT_SMALL(CK_AS_INTEGERS)
    } else {
        CK_BY_KIND(e->kind, CK_EMIT)
    }
#undef CK_EMIT
#undef CK_EMIT_SMALL
}

#if CK_L > 0

typedef int16_t NAME(v8s) __attribute__((ext_vector_type(8)));
typedef int32_t NAME(v8w) __attribute__((ext_vector_type(8)));

/// Returns eight lanes, widened to 64 bits.
INLINE v8i NAME(group)(const ck_lanes *y, const bool narrow, size_t i) {
    if (narrow) {
        NAME(v8s) part;
        memcpy(&part, y->narrow + i, sizeof part);
        return __builtin_convertvector(part, v8i);
    }
    NAME(v8w) part;
    memcpy(&part, y->wide + i, sizeof part);
    return __builtin_convertvector(part, v8i);
}

#if CK_L >= 2

/// Returns the last lanes of eight groups, from value i on.
INLINE v8i NAME(last_lanes)(const ck_lanes *y, const bool narrow, size_t i) {
    v8i a, b, c, d;
    if (narrow) {
        memcpy(&a, y->narrow + i, sizeof a);
        memcpy(&b, y->narrow + i + 32, sizeof b);
        return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15) >> 48;
    }
    memcpy(&a, y->wide + i, sizeof a);
    memcpy(&b, y->wide + i + 16, sizeof b);
    memcpy(&c, y->wide + i + 32, sizeof c);
    memcpy(&d, y->wide + i + 48, sizeof d);
    a = __builtin_shufflevector(a, b, 3, 7, 11, 15, 3, 7, 11, 15);
    c = __builtin_shufflevector(c, d, 3, 7, 11, 15, 3, 7, 11, 15);
    return __builtin_shufflevector(a, c, 0, 1, 2, 3, 8, 9, 10, 11) >> 32;
}

#endif

/// Computes the values before each group of eight sums.
INLINE void NAME(chain)(const ck_lanes *y, size_t n, const bool narrow, uint64_t centre, const ck_meaning *e,
                        uint64_t *before) {
    const uint64_t unit = e->sequence->unit, step = 8 * centre * unit;
    uint64_t carry = (uint64_t)e->sequence->base;
#if CK_L >= 2
    const v8i factor = (int64_t)unit, more = (int64_t)step, zero = 0;
    v8i sum = (int64_t)carry;
    for (size_t i = 0; i < n; i += 64) {
        v8i own = NAME(times)(NAME(last_lanes)(y, narrow, i), factor) + more, x = own;
        x += __builtin_shufflevector(zero, x, 0, 8, 9, 10, 11, 12, 13, 14);
        x += __builtin_shufflevector(zero, x, 0, 1, 8, 9, 10, 11, 12, 13);
        x += __builtin_shufflevector(zero, x, 0, 1, 2, 3, 8, 9, 10, 11);
        v8i first = x - own + sum;
        memcpy(before + i / 8, &first, sizeof first);
        sum += __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7);
    }
#else
    for (size_t i = 0; i < n; i += 8) {
        before[i / 8] = carry;
        carry += step + (uint64_t)(int64_t)(narrow ? y->narrow[i + 7] : y->wide[i + 7]) * unit;
    }
#endif
}

/// Converts the lanes and writes the results.
INLINE void NAME(emit)(
    const ck_lanes *y, size_t n, const bool narrow, const bool sums, const bool scaled, const int kind,
    uint64_t centre, const uint64_t *before, const ck_meaning *e, uint64_t *out) {
    const uint64_t unit = e->sequence->unit, magic = kind > CK_AS_ORDERED ? CK_MAGIC : 0;
    // A sum lacks the centres of its values; a plain value lacks one centre.
    const v8u order = {1, 2, 3, 4, 5, 6, 7, 8};
    const v8u centres = sums ? order * (centre * unit) : (v8u)(centre * unit + (uint64_t)e->sequence->base);
    const v8i more = (v8i)(centres + magic);
    const v8i factor = (int64_t)unit;
    size_t i = 0;
#pragma clang loop unroll_count(4)
    for (; i + 8 <= n; i += 8) {
        v8i k = NAME(group)(y, narrow, i);
        if (scaled) k = NAME(times)(k, factor);
        k += more;
        if (sums) k += (int64_t)before[i / 8];
        NAME(put)(k, kind, e, out + i);
    }
    if (i < n) {
        v8i k = NAME(group)(y, narrow, i);
        if (scaled) k = NAME(times)(k, factor);
        k += more;
        if (sums) k += (int64_t)before[i / 8];
        NAME(put_some)(k, n - i, kind, e, out + i);
    }
}

/// Converts a stream of windows whose values fit in the lanes; returns whether the number of escapes matches the codes.
INLINE bool NAME(fill)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool narrow, const bool sums, const ck_meaning *e,
    uint64_t *out) {
    ck_lanes y, escapes;
    uint64_t before[CK_STREAM_LIMIT / 8 + 8];
    // The array has space for reading one row beyond the last escape.
    for (size_t i = 0; i < plan->escapes; i++) {
        if (narrow) {
            escapes.narrow[i] = (int16_t)plan->values[i];
        } else {
            escapes.wide[i] = (int32_t)plan->values[i];
        }
    }
    size_t count;
#if CK_L == 3
    if (narrow) {
        count = NAME(lanes16)(in + plan->at, n, plan, sums, escapes.narrow, y.narrow);
    } else
#endif
        count = NAME(lanes32)(in + plan->at, n, plan, sums, escapes.wide, y.wide);
    if (count != plan->escapes) return false;
    if (sums) NAME(chain)(&y, n, narrow, plan->centre, e, before);
#define CK_EMIT(KIND) NAME(emit)(&y, n, narrow, sums, true, KIND, plan->centre, before, e, out)
#define CK_EMIT_SMALL(KIND)                                                                                            \
    if (e->sequence->unit == 1) {                                                                                      \
        NAME(emit)(&y, n, narrow, sums, false, KIND, plan->centre, before, e, out);                                    \
    } else {                                                                                                           \
        CK_EMIT(KIND);                                                                                                 \
    }
    if (e->kind == CK_SMALL_WHOLE) {
        CK_EMIT_SMALL(CK_SMALL_WHOLE)
    } else if (e->kind == CK_SMALL_SCALED) {
        CK_EMIT_SMALL(CK_SMALL_SCALED)
    } else {
        CK_BY_KIND(e->kind, CK_EMIT)
    }
#undef CK_EMIT
#undef CK_EMIT_SMALL
    return true;
}

static bool NAME(ck_fill_windows)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const ck_meaning *e, uint64_t *out) {
    const bool sums = e->sequence->is_delta;
#if CK_L == 3
    if (ck_fits_16(plan)) {
        return sums ? NAME(fill)(in, n, plan, true, true, e, out) : NAME(fill)(in, n, plan, true, false, e, out);
    }
#endif
    return sums ? NAME(fill)(in, n, plan, false, true, e, out) : NAME(fill)(in, n, plan, false, false, e, out);
}

#else

static bool NAME(ck_fill_windows)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const ck_meaning *e, uint64_t *out) {
    (void)in, (void)n, (void)plan, (void)e, (void)out;
    return false;
}

#endif

#undef CK_BY_KIND
