// SPDX-License-Identifier: Apache-2.0
// The codes of a stream of windows in lanes of 16 or 32 bits, less the centre, once per level. With `sums`, each lane
// gets the sum of the values of its group of eight up to its own.

#if CK_L == 3

/// Rows of 32 codes of at most 13 bits. Returns how many were escapes.
INLINE size_t NAME(lanes16)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int16_t *escapes, int16_t *y) {
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), top = _mm512_set1_epi16(0x0706);
    const __m512i repeat = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
    __m512i bytes = lanes, from = lanes, all = lanes, half = lanes;
    unsigned width = 0;
    size_t count = 0;
    for (size_t i = 0, row = 0; i < n; i += CK_ROW, row++, in += CK_ROW / 8 * width) {
        if (plan->widths[row] != width || i == 0) {
            // Four codes in each lane of 64 bits: the bytes from the first one's on, then any eight bits for each byte.
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
            // What is not negative lies above the window, by its codes.
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

/// Rows of codes of at most 25 bits.
INLINE size_t NAME(lanes32)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int32_t *escapes, int32_t *y) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i repeat = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
#if CK_L == 2
    // There is no permutation of bytes across lanes of 128 bits: each is loaded from the byte that it begins in.
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

/// Eight codes, of which the first n may be escapes.
INLINE __m256i NAME(replace_escapes)(__m256i x, size_t n, __m256i all, const int32_t *escapes, size_t *count) {
    __m256i same = _mm256_cmpeq_epi32(x, all);
    unsigned which = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
    if (n < 8) {
        which &= (unsigned)ck_low_bits((unsigned)n);
        same = _mm256_and_si256(same, _mm256_cmpgt_epi32(
            _mm256_set1_epi32((int)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)));
    }
    if (which == 0) return x;
    // The first of the escapes to the first of the lanes, and so on.
    uint64_t lanes = _pdep_u64(which, 0x0101010101010101) * 255;
    __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pdep_u64(0x0706050403020100, lanes)));
    __m256i e = _mm256_loadu_si256((const __m256i *)(escapes + *count));
    e = _mm256_add_epi32(e, _mm256_andnot_si256(_mm256_srai_epi32(e, 31), all));
    *count += (unsigned)__builtin_popcount(which);
    return _mm256_blendv_epi8(x, _mm256_permutevar8x32_epi32(e, order), same);
}

/// Rows of codes of at most 25 bits. Returns how many were escapes.
INLINE size_t NAME(lanes32)(
    const uint8_t *in, size_t n, const ck_window_plan *plan, const bool sums, const int32_t *escapes, int32_t *y) {
    const __m256i lanes = _mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0), fourth = _mm256_set1_epi32(3);
    const __m256i repeat = _mm256_set_epi32(
        0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    const __m256i upper = _mm256_set_epi32(-1, -1, 0, 0, -1, -1, 0, 0);
    const __m256i high = _mm256_set_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
    __m256i bytes = lanes, shift = lanes, all = lanes, half = lanes;
    unsigned width = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i += 8, in += width) {
        if (plan->widths[i / CK_ROW] != width || i == 0) {
            // The upper four are loaded from the byte that they begin in.
            width = (unsigned)plan->widths[i / CK_ROW];
            __m256i bits = _mm256_mullo_epi16(lanes, _mm256_set1_epi32((int)width));
            bits = _mm256_add_epi32(bits, _mm256_and_si256(_mm256_set1_epi32((int)(4 * width % 8)), high));
            bytes = _mm256_shuffle_epi8(_mm256_srli_epi32(bits, 3), repeat);
            bytes = _mm256_add_epi8(bytes, _mm256_set1_epi32(0x03020100));
            shift = _mm256_and_si256(bits, _mm256_set1_epi32(7));
            all = _mm256_set1_epi32((int)ck_low_bits(width));
            half = _mm256_srli_epi32(all, 1);
        }
        __m256i x = _mm256_setzero_si256();
        if (width > 0) {
            x = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)in)),
                _mm_loadu_si128((const __m128i *)(in + width / 2)), 1);
            x = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(x, bytes), shift), all);
            x = _mm256_sub_epi32(NAME(replace_escapes)(x, n - i, all, escapes, &count), half);
        }
        if (sums) {
            x = _mm256_add_epi32(x, _mm256_slli_epi64(x, 32));
            x = _mm256_add_epi32(x, _mm256_and_si256(_mm256_shuffle_epi32(x, 0x55), upper));
            x = _mm256_add_epi32(x, _mm256_and_si256(_mm256_permutevar8x32_epi32(x, fourth), high));
        }
        _mm256_store_si256((__m256i *)(y + i), x);
    }
    return count;
}

#endif
