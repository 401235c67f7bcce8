// SPDX-License-Identifier: Apache-2.0
// Streams of windows, once per level; the layout is in Docs/Format/Columns.md.

#include "lengths_levels.h"
#include "layout_levels.h"
#include "packing_levels.h"

// MARK: Encoding

/// Returns an approximate median of 27 values: the median of three medians of three medians of three values each.
INLINE int64_t NAME(median)(const int64_t *v) {
    int64_t sample[9];
    for (size_t i = 0; i < 9; i++) sample[i] = ck_median3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    for (size_t i = 0; i < 3; i++) sample[i] = ck_median3(sample[3 * i], sample[3 * i + 1], sample[3 * i + 2]);
    return ck_median3(sample[0], sample[1], sample[2]);
}

/// Returns the mean of the values near the median, n >= 1. A window around it excludes few values.
INLINE int64_t NAME(centre)(const int64_t *v, size_t n) {
    int64_t sample[27];
    for (size_t i = 0; i < 27; i++) sample[i] = v[(2 * i + 1) * n / 54];
    int64_t median = NAME(median)(sample);
    for (size_t i = 0; i < 27; i++) {
        uint64_t y = (uint64_t)sample[i] - (uint64_t)median;
        sample[i] = (int64_t)((y >> 63 ? 0 - y : y) & INT64_MAX);
    }
    int64_t near = NAME(median)(sample);
    // The limit ensures that the sum of all values fits in 64 bits.
    if (near == 0 || near >= INT64_C(1) << 48) return median;
    near *= 4;
    // Of many values a quarter suffices.
    size_t step = n < 256 ? 8 : 32;
    int64_t sum = 0, count = 0;
#if CK_L >= 2
    __m512i middle = _mm512_set1_epi64(median), limit = _mm512_set1_epi64(near), total = _mm512_setzero_si512();
    for (size_t i = 0; i + 8 <= n; i += step) {
        __m512i y = _mm512_sub_epi64(_mm512_loadu_si512(v + i), middle);
        __mmask8 in = _mm512_cmple_epu64_mask(_mm512_abs_epi64(y), limit);
        total = _mm512_mask_add_epi64(total, in, total, y);
        count += __builtin_popcount(in);
    }
    sum = _mm512_reduce_add_epi64(total);
#elif CK_L == 1
    v8i total = 0, counts = 0;
    for (size_t i = 0; i + 8 <= n; i += step) {
        v8i y;
        memcpy(&y, v + i, sizeof y);
        y = (v8i)((v8u)y - (uint64_t)median);
        v8i out = (y > near) | (y < -near);
        total += y & ~out;
        counts -= ~out;
    }
    sum = __builtin_reduce_add(total);
    count = __builtin_reduce_add(counts);
#else
    for (size_t i = 0; i + 8 <= n; i += step) {
        for (size_t j = i; j < i + 8; j++) {
            int64_t y = (int64_t)((uint64_t)v[j] - (uint64_t)median);
            bool in = y <= near && y >= -near;
            sum += in ? y : 0;
            count += in;
        }
    }
#endif
    if (count == 0) return median;
    int64_t half = sum < 0 ? -(count / 2) : count / 2;
    return (int64_t)((uint64_t)median + (uint64_t)((sum + half) / count));
}

#if CK_L == 3

/// Packs codes of 33 to 57 bits in groups of eight: shifts the lanes to their bit positions, then moves their bytes
/// into place. Every second lane starts more than eight bytes later, so even and odd lanes need one register each.
INLINE uint8_t *NAME(pack_wide)(const uint64_t *v, size_t n, unsigned width, uint8_t *p) {
    uint8_t places[2][64] = {{0}};
    uint64_t there[2] = {0, 0}, shifts[8];
    for (unsigned lane = 0; lane < 8; lane++) {
        unsigned bit = lane * width;
        ck_store64(places[lane % 2] + bit / 8, lane * UINT64_C(0x0808080808080808) + UINT64_C(0x0706050403020100));
        there[lane % 2] |= UINT64_C(255) << bit / 8;
        shifts[lane] = bit % 8;
    }
    __m512i even = _mm512_loadu_si512(places[0]), odd = _mm512_loadu_si512(places[1]);
    __m512i shift = _mm512_loadu_si512(shifts), mask = _mm512_set1_epi64((long long)ck_low_bits(width));
    for (size_t i = 0; i < n; i += 8, p += width) {
        __m512i x = _mm512_sllv_epi64(_mm512_and_si512(_mm512_loadu_si512(v + i), mask), shift);
        __m512i y = _mm512_maskz_permutexvar_epi8(there[0], even, x);
        y = _mm512_or_si512(y, _mm512_maskz_permutexvar_epi8(there[1], odd, x));
        _mm512_storeu_si512(p, y);
    }
    return p;
}

#endif

/// Computes the bit length of each |value - centre|; pads with zeros to a multiple of 64.
INLINE void NAME(lengths)(const int64_t *v, size_t n, int64_t centre, uint8_t *lengths) {
    size_t i = 0;
#if CK_L >= 2
    for (; i + 8 <= n; i += 8) {
        __m512i y = _mm512_sub_epi64(_mm512_loadu_si512(v + i), _mm512_set1_epi64(centre));
        __m512i zeros = _mm512_lzcnt_epi64(_mm512_abs_epi64(y));
        _mm_storel_epi64(
            (__m128i *)(lengths + i), _mm512_cvtepi64_epi8(_mm512_sub_epi64(_mm512_set1_epi64(64), zeros)));
    }
#elif CK_L == 1
    __m256i all = _mm256_setzero_si256();
    for (; i + 32 <= n; i += 32) all = _mm256_or_si256(all, NAME(lengths32)(v + i, centre, true, lengths + i));
    if (NAME(are_long)(all)) i = 0;
#endif
    for (; i < n; i++) {
        uint64_t y = (uint64_t)v[i] - (uint64_t)centre;
        lengths[i] = (uint8_t)ck_bit_length(y >> 63 ? 0 - y : y);
    }
    for (; i % 64 != 0; i++) lengths[i] = 0;
}

#if CK_L == 1

/// Permutations that move the lanes whose bits are set, of four, to the front.
#define CK_LANES(a, b, c, d) {2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1}
static const union {
    int32_t lanes[16][8];
    __m256i of[16];
} NAME(compress_lanes) = {{
    CK_LANES(0, 1, 2, 3), CK_LANES(0, 1, 2, 3), CK_LANES(1, 0, 2, 3), CK_LANES(0, 1, 2, 3),
    CK_LANES(2, 0, 1, 3), CK_LANES(0, 2, 1, 3), CK_LANES(1, 2, 0, 3), CK_LANES(0, 1, 2, 3),
    CK_LANES(3, 0, 1, 2), CK_LANES(0, 3, 1, 2), CK_LANES(1, 3, 0, 2), CK_LANES(0, 1, 3, 2),
    CK_LANES(2, 3, 0, 1), CK_LANES(0, 2, 3, 1), CK_LANES(1, 2, 3, 0), CK_LANES(0, 1, 2, 3),
}};

/// Permutations that move the first numbers, of four, to the lanes whose bits are set.
static const union {
    int32_t lanes[16][8];
    __m256i of[16];
} NAME(expand_lanes) = {{
    CK_LANES(0, 0, 0, 0), CK_LANES(0, 0, 0, 0), CK_LANES(0, 0, 0, 0), CK_LANES(0, 1, 0, 0),
    CK_LANES(0, 0, 0, 0), CK_LANES(0, 0, 1, 0), CK_LANES(0, 0, 1, 0), CK_LANES(0, 1, 2, 0),
    CK_LANES(0, 0, 0, 0), CK_LANES(0, 0, 0, 1), CK_LANES(0, 0, 0, 1), CK_LANES(0, 1, 0, 2),
    CK_LANES(0, 0, 0, 1), CK_LANES(0, 0, 1, 2), CK_LANES(0, 0, 1, 2), CK_LANES(0, 1, 2, 3),
}};
#undef CK_LANES

#endif

/// Writes the codes of at most CK_MINI values. Values outside of the window go to `escapes`, reduced by half a window.
INLINE size_t NAME(codes)(
    const int64_t *v, size_t n, int64_t centre, unsigned width, uint64_t *codes, int64_t *escapes) {
    const int64_t half = width == 0 ? 0 : (int64_t)(ck_low_bits(width) >> 1);
    const uint64_t escape = ck_low_bits(width);
    size_t i = 0, count = 0;
#if CK_L >= 2
    const __m512i middle = _mm512_set1_epi64(centre), h = _mm512_set1_epi64(half), low = _mm512_set1_epi64(-half);
    for (; i + 8 <= n; i += 8) {
        __m512i y = _mm512_sub_epi64(_mm512_loadu_si512(v + i), middle), up = _mm512_add_epi64(y, h);
        __mmask8 above = _mm512_cmpgt_epi64_mask(y, h), below = _mm512_cmplt_epi64_mask(y, low);
        __mmask8 out = above | below;
        _mm512_storeu_si512(codes + i, _mm512_mask_mov_epi64(up, out, _mm512_set1_epi64((long long)escape)));
        __m512i rest = _mm512_mask_sub_epi64(up, above, y, _mm512_set1_epi64(half + 1));
        _mm512_storeu_si512(escapes + count, _mm512_maskz_compress_epi64(out, rest));
        count += (unsigned)__builtin_popcount(out);
    }
#elif CK_L == 1
    const __m256i middle = _mm256_set1_epi64x(centre), h = _mm256_set1_epi64x(half), low = _mm256_set1_epi64x(-half);
    for (; i + 4 <= n; i += 4) {
        __m256i y = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(v + i)), middle), up = _mm256_add_epi64(y, h);
        __m256i above = _mm256_cmpgt_epi64(y, h), out = _mm256_or_si256(above, _mm256_cmpgt_epi64(low, y));
        // Packing removes all bits above the width.
        _mm256_storeu_si256((__m256i *)(codes + i), _mm256_or_si256(up, out));
        unsigned which = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(out));
        if (which == 0) continue;
        __m256i over = _mm256_sub_epi64(y, _mm256_set1_epi64x(half + 1));
        __m256i rest = _mm256_blendv_epi8(up, over, above);
        rest = _mm256_permutevar8x32_epi32(rest, NAME(compress_lanes).of[which]);
        _mm256_storeu_si256((__m256i *)(escapes + count), rest);
        count += (unsigned)__builtin_popcount(which);
    }
#endif
    for (; i < n; i++) {
        int64_t y = (int64_t)((uint64_t)v[i] - (uint64_t)centre);
        bool out = y > half || y < -half;
        codes[i] = out ? escape : (uint64_t)(y + half);
        escapes[count] = y > half ? y - half - 1 : (int64_t)((uint64_t)y + (uint64_t)half);
        count += out;
    }
    return count;
}

static size_t NAME(ck_windows_encode)(const int64_t *v, size_t n, uint8_t *group, uint8_t *out) {
    uint8_t lengths[CK_STREAM_LIMIT + 64], widths[2][CK_STREAM_LIMIT / 32], *chosen = widths[0];
    int64_t centre = n == 0 ? 0 : NAME(centre)(v, n), escapes[CK_STREAM_LIMIT + 8];
    NAME(lengths)(v, n, centre, lengths);
    ck_counts counts;
    NAME(count_lengths)(lengths, n, &counts);
    ck_layout layout = {0};
    if (*group >= CK_LEAST_GROUP) {
        layout = NAME(lay_out)(&counts, n, *group, chosen);
    } else {
        layout.bits = UINT64_MAX;
        for (unsigned some = CK_MOST_GROUP; some >= CK_LEAST_GROUP; some--) {
            // Sizes of which one group contains all values are equivalent.
            if (some < CK_MOST_GROUP && n <= (size_t)1 << some) continue;
            uint8_t *other = chosen == widths[0] ? widths[1] : widths[0];
            ck_layout found = NAME(lay_out)(&counts, n, some, other);
            // Small groups take more time, so they must save one bit in 128.
            if (layout.bits != UINT64_MAX && found.bits + layout.bits / 128 >= layout.bits) continue;
            layout = found;
            chosen = other;
        }
        *group = (uint8_t)layout.group;
    }
    size_t size = (size_t)1 << layout.group, groups = (n + size - 1) / size, count = 0;
    uint8_t packed[CK_STREAM_LIMIT * 8 + 128], *p = packed;
    for (size_t i = 0; i < n; i += size) {
        uint64_t codes[CK_MINI];
        unsigned width = chosen[i >> layout.group];
        size_t end = n - i < size ? n : i + size;
        for (size_t j = i; j < end; j += CK_MINI) {
            size_t part = end - j < CK_MINI ? end - j : CK_MINI;
            count += NAME(codes)(v + j, part, centre, width, codes, escapes + count);
#if CK_L == 3
            if (width > 32 && part % 8 == 0) {
                p = NAME(pack_wide)(codes, part, width, p);
                continue;
            }
#endif
            p += NAME(pack)(codes, part, width, p);
        }
    }
    unsigned width_bits = ck_bit_length(layout.most - layout.least);
    uint8_t *q = ck_put_varint(out, ck_zigzag(centre));
    *q++ = (uint8_t)(layout.group | width_bits << 4);
    *q++ = (uint8_t)layout.least;
    q = ck_put_varint(q, count);
    uint64_t steps[CK_STREAM_LIMIT / 32];
    for (size_t g = 0; g < groups; g++) steps[g] = chosen[g] - layout.least;
    q += NAME(pack)(steps, groups, width_bits, q);
    if (count > 0) q += ck_stream_encode(escapes, count, false, q);
    memcpy(q, packed, (size_t)(p - packed));
    return (size_t)(q - out) + (size_t)(p - packed);
}

// MARK: Decoding

/// Returns the value of an escape. A nonnegative escape is above the window and is increased by the window's codes.
INLINE uint64_t NAME(value_of)(int64_t e, uint64_t escape, uint64_t base) {
    return (e < 0 ? (uint64_t)e : (uint64_t)e + escape) + base;
}

// Adds `base` to the codes x and replaces the greatest code by escapes. If `ready`, the escapes are already values.
#if CK_L >= 2
INLINE __m512i NAME(escape)(__m512i x, __m512i all, __m512i base, const int64_t *escapes, bool ready, size_t *count) {
    __mmask8 which = _mm512_cmpeq_epi64_mask(x, all);
    __m512i e = _mm512_loadu_si512(escapes + *count);
    if (!ready) e = _mm512_add_epi64(_mm512_mask_add_epi64(e, _mm512_movepi64_mask(e) ^ 0xff, e, all), base);
    *count += (unsigned)__builtin_popcount(which);
    return _mm512_mask_expand_epi64(_mm512_add_epi64(x, base), which, e);
}
#elif CK_L == 1
INLINE __m256i NAME(escape)(__m256i x, __m256i all, __m256i base, const int64_t *escapes, bool ready, size_t *count) {
    __m256i same = _mm256_cmpeq_epi64(x, all), e = _mm256_loadu_si256((const __m256i *)(escapes + *count));
    unsigned which = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), e);
    if (!ready) e = _mm256_add_epi64(_mm256_add_epi64(e, _mm256_andnot_si256(negative, all)), base);
    e = _mm256_permutevar8x32_epi32(e, NAME(expand_lanes).of[which]);
    *count += (unsigned)__builtin_popcount(which);
    return _mm256_blendv_epi8(_mm256_add_epi64(x, base), e, same);
}
#endif

/// Decodes codes of `width` bits without escapes; returns whether there is no escape. Reads up to 64 bytes more, writes
/// up to 7 elements more.
INLINE bool NAME(plain_values)(const uint8_t *in, size_t n, unsigned width, int64_t centre, int64_t *out) {
    const uint64_t escape = ck_low_bits(width), base = (uint64_t)centre - (escape >> 1);
    NAME(unpack)(in, n, width, base, (uint64_t *)out);
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++) found |= (uint64_t)out[i] == escape + base;
    return found == 0;
}

/// Decodes codes of `width` bits with escapes; returns the number of escapes used. Reads up to 64 bytes and 8 escapes
/// more than that, writes up to 7 elements more.
INLINE size_t NAME(values)(
    const uint8_t *in, size_t n, unsigned width, int64_t centre, const int64_t *escapes, bool ready, int64_t *out) {
    const uint64_t escape = ck_low_bits(width), base = (uint64_t)centre - (escape >> 1);
    size_t count = 0, i = 0;
#if CK_L == 3
    // As in `unpack`, eight values at a time.
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i bits = _mm512_mullo_epi16(lanes, _mm512_set1_epi64((long long)width));
    __m512i first = _mm512_shuffle_epi8(_mm512_srli_epi64(bits, 3), _mm512_set4_epi64(
        0x0808080808080808, 0, 0x0808080808080808, 0));
    __m512i bytes = _mm512_add_epi8(first, _mm512_set1_epi64(0x0706050403020100));
    __m512i shift = _mm512_and_si512(bits, _mm512_set1_epi64(7)), all = _mm512_set1_epi64((long long)escape);
    const __m512i add = _mm512_set1_epi64((long long)base);
    for (; i + 8 <= n; i += 8, in += width) {
        __m512i x = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(in));
        x = _mm512_and_si512(_mm512_srlv_epi64(x, shift), all);
        _mm512_storeu_si512(out + i, NAME(escape)(x, all, add, escapes, ready, &count));
    }
    if (i < n) NAME(unpack)(in, n - i, width, 0, (uint64_t *)(out + i));
#else
    NAME(unpack)(in, n, width, 0, (uint64_t *)out);
#if CK_L == 2
    const __m512i all = _mm512_set1_epi64((long long)escape), add = _mm512_set1_epi64((long long)base);
    for (; i + 8 <= n; i += 8) {
        _mm512_storeu_si512(out + i, NAME(escape)(_mm512_loadu_si512(out + i), all, add, escapes, ready, &count));
    }
#elif CK_L == 1
    const __m256i all = _mm256_set1_epi64x((long long)escape), add = _mm256_set1_epi64x((long long)base);
    for (; i + 4 <= n; i += 4) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(out + i));
        _mm256_storeu_si256((__m256i *)(out + i), NAME(escape)(x, all, add, escapes, ready, &count));
    }
#endif
#endif
    for (; i < n; i++) {
        uint64_t x = (uint64_t)out[i];
        uint64_t e = ready ? (uint64_t)escapes[count] : NAME(value_of)(escapes[count], escape, base);
        bool same = x == escape;
        out[i] = (int64_t)(same ? e : x + base);
        count += same;
    }
    return count;
}

/// Like `values`, if all values are in one group: converts the escapes to values first.
INLINE size_t NAME(one_group)(
    const uint8_t *in, size_t n, unsigned width, int64_t centre, int64_t *escapes, size_t number, int64_t *out) {
    const uint64_t escape = ck_low_bits(width), base = (uint64_t)centre - (escape >> 1);
    for (size_t i = 0; i < number; i++) escapes[i] = (int64_t)NAME(value_of)(escapes[i], escape, base);
    return NAME(values)(in, n, width, centre, escapes, true, out);
}

static ck_decoded NAME(ck_windows_decode_within)(
    const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach) {
    uint64_t centre, number, steps[CK_STREAM_LIMIT / 32 + 8], all_bits = 0, far = 0;
    int64_t escapes[CK_STREAM_LIMIT + CK_SPARE];
    size_t at = 0;
    if (n > CK_STREAM_LIMIT) return (ck_decoded){0, CK_TOO_MANY};
    if (!ck_take_varint(in, length, &at, &centre)) return (ck_decoded){at, CK_FRAME};
    centre = ck_unzigzag(centre);
    if (length - at < 3) return (ck_decoded){at, CK_HEADERS};
    unsigned group = in[at] & 15, width_bits = in[at] >> 4, least = in[at + 1];
    if (group < CK_LEAST_GROUP || group > CK_MOST_GROUP || width_bits > 6) return (ck_decoded){at, CK_GROUPS};
    at += 2;
    if (!ck_take_varint(in, length, &at, &number) || number > n) return (ck_decoded){at, CK_EXCEPTION_COUNT};
    size_t size = (size_t)1 << group, groups = (n + size - 1) >> group, bytes = (groups * width_bits + 7) / 8;
    if (length - at < bytes) return (ck_decoded){at, CK_HEADERS};
    NAME(unpack)(in + at, groups, width_bits, least, steps);
    at += bytes;
    if (number > 0) {
        ck_decoded result = ck_stream_decode_within(in + at, length - at, number, escapes, &far);
        if (result.error != CK_FINE) return (ck_decoded){at + result.used, result.error};
        at += result.used;
    }
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        size_t i = g << group, part = n - i < size ? n - i : size;
        uint64_t width = steps[g];
        if (width > CK_WINDOW_WIDTH) return (ck_decoded){at, CK_WIDTH};
        all_bits |= ck_low_bits((unsigned)width);
        bytes = (part * width + 7) / 8;
        if (length - at < bytes) return (ck_decoded){at, CK_BITS};
        if (width == 0) {
            for (size_t j = 0; j < part; j++) out[i + j] = (int64_t)centre;
            continue;
        }
        if (count == number) {
            if (!NAME(plain_values)(in + at, part, (unsigned)width, (int64_t)centre, out + i)) {
                return (ck_decoded){at, CK_ESCAPES};
            }
        } else {
            // A group uses at most as many escapes as it has values; that many elements exist, whatever they contain.
            count += groups == 1
                ? NAME(one_group)(in + at, part, (unsigned)width, (int64_t)centre, escapes, number, out)
                : NAME(values)(in + at, part, (unsigned)width, (int64_t)centre, escapes + count, false, out + i);
            if (count > number) return (ck_decoded){at, CK_ESCAPES};
        }
        at += bytes;
    }
    if (count < number) return (ck_decoded){at, CK_ESCAPES};
    *reach = ck_sum_of_reaches(ck_magnitude(centre), all_bits, far);
    return (ck_decoded){at, CK_FINE};
}
