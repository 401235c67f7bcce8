// SPDX-License-Identifier: Apache-2.0
// Unpacking of the codes of a stream of windows into lanes of 16 or 32 bits, less the centre, once per level. With
// `sums`, each lane gets the sum of the values of its group of eight up to and including its own.

#if CK_L == 3

/// Unpacks rows of 32 codes of at most 13 bits. Returns the number of escapes.
INLINE size_t NAME(lanes16)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int16_t *escapes, int16_t *y) {
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), top = _mm512_set1_epi16(0x0706);
    const __m512i repeat = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
    __m512i bytes = lanes, from = lanes, all = lanes, half = lanes;
    unsigned width = 0;
    size_t count = 0;
    for (size_t i = 0, row = 0; i < n; i += CK_ROW, row++, in += CK_ROW / 8 * width) {
        if (plan->widths[row] != width || i == 0) {
            // Four codes for each 64-bit lane: gather the bytes from the first code on, then any eight bits for each
            // byte.
            width = (unsigned)plan->widths[row];
            __m512i bits = _mm512_mullo_epi16(lanes, _mm512_set1_epi64((long long)(4 * width)));
            bytes = _mm512_shuffle_epi8(_mm512_srli_epi64(bits, 3), repeat);
            bytes = _mm512_add_epi8(bytes, _mm512_set1_epi64(0x0706050403020100));
            uint64_t four = width * UINT64_C(0x0303020201010000) + UINT64_C(0x0800080008000800);
            from = _mm512_shuffle_epi8(_mm512_and_si512(bits, _mm512_set1_epi64(7)), repeat);
            from = _mm512_add_epi8(from, _mm512_set1_epi64((long long)four));
            all = _mm512_set1_epi16((short)ck_low_bits(width));
            half = _mm512_srli_epi16(all, 1);
        }
        __m512i x = _mm512_setzero_si512();
        if (width > 0) {
            x = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(in));
            x = _mm512_and_si512(_mm512_multishift_epi64_epi8(from, x), all);
            __mmask32 which = _mm512_cmpeq_epi16_mask(x, all);
            if (n - i < CK_ROW) which &= (__mmask32)ck_low_bits((unsigned)(n - i));
            // A nonnegative escape is above the window and is increased by the window's codes.
            __m512i e = _mm512_loadu_si512(escapes + count);
            e = _mm512_mask_add_epi16(e, ~_mm512_movepi16_mask(e), e, all);
            x = _mm512_sub_epi16(_mm512_mask_expand_epi16(x, which, e), half);
            count += (unsigned)__builtin_popcount(which);
        }
        if (sums) {
            x = _mm512_add_epi16(x, _mm512_slli_epi64(x, 16));
            x = _mm512_add_epi16(x, _mm512_slli_epi64(x, 32));
            x = _mm512_add_epi16(x, _mm512_maskz_shuffle_epi8(0xff00ff00ff00ff00, x, top));
        }
        _mm512_store_si512(y + i, x);
    }
    return count;
}

#endif

#if CK_L >= 2

/// Unpacks rows of codes of at most 25 bits. Returns the number of escapes.
INLINE size_t NAME(lanes32)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int32_t *escapes, int32_t *y) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i repeat = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
#if CK_L == 2
    // Bytes cannot be permuted across lanes of 128 bits, so each lane is loaded from its first byte.
    const __m512i place = _mm512_set_epi32(3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0);
    const __m512i odd = _mm512_set_epi32(4, 4, 4, 4, 0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0);
#endif
    const __m512i fourth = _mm512_set_epi32(11, 11, 11, 11, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0);
    __m512i bytes = lanes, shift = lanes, all = lanes, half = lanes;
    unsigned width = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i += 16, in += 2 * width) {
        if (plan->widths[i / CK_ROW] != width || i == 0) {
            width = (unsigned)plan->widths[i / CK_ROW];
#if CK_L == 2
            __m512i bits = _mm512_mullo_epi16(place, _mm512_set1_epi32((int)width));
            if (width % 2 == 1) bits = _mm512_add_epi32(bits, odd);
#else
            __m512i bits = _mm512_mullo_epi16(lanes, _mm512_set1_epi32((int)width));
#endif
            bytes = _mm512_shuffle_epi8(_mm512_srli_epi32(bits, 3), repeat);
            bytes = _mm512_add_epi8(bytes, _mm512_set1_epi32(0x03020100));
            shift = _mm512_and_si512(bits, _mm512_set1_epi32(7));
            all = _mm512_set1_epi32((int)ck_low_bits(width));
            half = _mm512_srli_epi32(all, 1);
        }
        __m512i x = _mm512_setzero_si512();
        if (width > 0) {
#if CK_L == 2
            x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)in));
            x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(in + width / 2)), 1);
            x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(in + width)), 2);
            x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(in + 3 * width / 2)), 3);
            x = _mm512_shuffle_epi8(x, bytes);
#else
            x = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(in));
#endif
            x = _mm512_and_si512(_mm512_srlv_epi32(x, shift), all);
            __mmask16 which = _mm512_cmpeq_epi32_mask(x, all);
            if (n - i < 16) which &= (__mmask16)ck_low_bits((unsigned)(n - i));
            __m512i e = _mm512_loadu_si512(escapes + count);
            e = _mm512_mask_add_epi32(e, (__mmask16)~_mm512_movepi32_mask(e), e, all);
            x = _mm512_sub_epi32(_mm512_mask_expand_epi32(x, which, e), half);
            count += (unsigned)__builtin_popcount(which);
        }
        if (sums) {
            x = _mm512_add_epi32(x, _mm512_slli_epi64(x, 32));
            x = _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xcccc, x, 0x55));
            x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xf0f0, fourth, x));
        }
        _mm512_store_si512(y + i, x);
    }
    return count;
}

#elif CK_L == 1

/// The number of bits of b below bit j, which is the index of the number for lane j if bit j is set.
#define CK_BELOW(b, j) (uint8_t)__builtin_popcount((b) & ((1 << (j)) - 1))
#define CK_ONE(b)                                                                                                      \
    {CK_BELOW(b, 0), CK_BELOW(b, 1), CK_BELOW(b, 2), CK_BELOW(b, 3),                                                   \
     CK_BELOW(b, 4), CK_BELOW(b, 5), CK_BELOW(b, 6), CK_BELOW(b, 7)}
#define CK_FOUR(b) CK_ONE(b), CK_ONE(b + 1), CK_ONE(b + 2), CK_ONE(b + 3)
#define CK_SIXTEEN(b) CK_FOUR(b), CK_FOUR(b + 4), CK_FOUR(b + 8), CK_FOUR(b + 12)
#define CK_QUARTER(b) CK_SIXTEEN(b), CK_SIXTEEN(b + 16), CK_SIXTEEN(b + 32), CK_SIXTEEN(b + 48)
static const uint8_t NAME(expand8)[256][8] = {CK_QUARTER(0), CK_QUARTER(64), CK_QUARTER(128), CK_QUARTER(192)};
#undef CK_BELOW
#undef CK_ONE
#undef CK_FOUR
#undef CK_SIXTEEN
#undef CK_QUARTER

/// Replaces the escapes among the first n of eight codes.
INLINE __m256i NAME(replace_escapes)(__m256i x, size_t n, __m256i all, const int32_t *escapes, size_t *count) {
    __m256i same = _mm256_cmpeq_epi32(x, all);
    if (n < 8) {
        same = _mm256_and_si256(same, _mm256_cmpgt_epi32(
            _mm256_set1_epi32((int)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)));
    }
    unsigned which = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
    // The escapes go to the marked lanes in order.
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)NAME(expand8)[which]));
    __m256i e = _mm256_loadu_si256((const __m256i *)(escapes + *count));
    e = _mm256_add_epi32(e, _mm256_andnot_si256(_mm256_srai_epi32(e, 31), all));
    *count += (unsigned)__builtin_popcount(which);
    return _mm256_blendv_epi8(x, _mm256_permutevar8x32_epi32(e, order), same);
}

/// The constants for unpacking codes of one width.
typedef struct {
    __m256i bytes, shift, all, half;
    size_t width;
} NAME(ck_unpacking);

INLINE NAME(ck_unpacking) NAME(unpacking)(unsigned width) {
    const __m256i lanes = _mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0);
    const __m256i repeat = _mm256_set_epi32(
        0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    NAME(ck_unpacking) u = {.width = width};
    // The upper four codes are loaded from their first byte.
    __m256i bits = _mm256_mullo_epi16(lanes, _mm256_set1_epi32((int)width));
    bits = _mm256_add_epi32(bits, _mm256_set_m128i(_mm_set1_epi32((int)(4 * width % 8)), _mm_setzero_si128()));
    u.bytes = _mm256_shuffle_epi8(_mm256_srli_epi32(bits, 3), repeat);
    u.bytes = _mm256_add_epi8(u.bytes, _mm256_set1_epi32(0x03020100));
    u.shift = _mm256_and_si256(bits, _mm256_set1_epi32(7));
    u.all = _mm256_set1_epi32((int)ck_low_bits(width));
    u.half = _mm256_srli_epi32(u.all, 1);
    return u;
}

/// Unpacks eight times `parts` <= 4 codes, of which the first n are valid.
INLINE void NAME(lanes_of)(
    const uint8_t *in, const size_t parts, size_t n, const NAME(ck_unpacking) *u, const bool sums,
    const int32_t *escapes, size_t *count, int32_t *y) {
    // The second lane of each four goes to its upper two, the fourth of the lower four to the upper four.
    const __m256i second = _mm256_set_epi64x(0x0706050407060504, -1, 0x0706050407060504, -1);
    const __m256i zero = _mm256_setzero_si256();
    __m256i x[4], found = zero;
#pragma clang loop unroll(full)
    for (size_t j = 0; j < parts; j++) {
        const uint8_t *p = in + j * u->width;
        x[j] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
            _mm_loadu_si128((const __m128i *)(p + u->width / 2)), 1);
        x[j] = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(x[j], u->bytes), u->shift), u->all);
        found = _mm256_or_si256(found, _mm256_cmpeq_epi32(x[j], u->all));
    }
    if (!_mm256_testz_si256(found, found)) {
#pragma clang loop unroll(full)
        for (size_t j = 0; j < parts; j++) {
            x[j] = NAME(replace_escapes)(x[j], n - 8 * j, u->all, escapes, count);
        }
    }
#pragma clang loop unroll(full)
    for (size_t j = 0; j < parts; j++) {
        x[j] = _mm256_sub_epi32(x[j], u->half);
        if (sums) {
            x[j] = _mm256_add_epi32(x[j], _mm256_slli_epi64(x[j], 32));
            x[j] = _mm256_add_epi32(x[j], _mm256_shuffle_epi8(x[j], second));
            __m256i fourth = _mm256_permute2x128_si256(x[j], x[j], 0x08);
            x[j] = _mm256_add_epi32(x[j], _mm256_shuffle_epi32(fourth, 0xff));
        }
        _mm256_store_si256((__m256i *)(y + 8 * j), x[j]);
    }
}

/// Unpacks rows of codes of at most 25 bits. Returns the number of escapes.
INLINE size_t NAME(lanes32)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int32_t *escapes, int32_t *y) {
    NAME(ck_unpacking) u = NAME(unpacking)(0);
    size_t count = 0;
    for (size_t i = 0, row = 0; i < n; i += CK_ROW, row++, in += CK_ROW / 8 * u.width) {
        if (plan->widths[row] != u.width) u = NAME(unpacking)((unsigned)plan->widths[row]);
        if (u.width == 0) {
            memset(y + i, 0, CK_ROW * sizeof *y);
        } else if (n - i >= CK_ROW) {
            NAME(lanes_of)(in, 4, CK_ROW, &u, sums, escapes, &count, y + i);
        } else {
            // Reads only the bytes of the remaining values.
            for (size_t j = 0; i + j < n; j += 8) {
                NAME(lanes_of)(in + j / 8 * u.width, 1, n - i - j, &u, sums, escapes, &count, y + i + j);
            }
        }
    }
    return count;
}

#endif
