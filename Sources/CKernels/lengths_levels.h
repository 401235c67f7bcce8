// SPDX-License-Identifier: Apache-2.0
// Bit lengths of numbers, once per level.

#if CK_L == 1

/// Returns the lengths of four numbers below 2^52, plus 1022 if they are not 0: the exponents of their doubles.
INLINE __m256i NAME(exponents)(__m256i x) {
    const __m256d magic = _mm256_set1_pd(0x1p52);
    __m256d y = _mm256_castsi256_pd(_mm256_or_si256(x, _mm256_castpd_si256(magic)));
    return _mm256_srli_epi64(_mm256_castpd_si256(_mm256_sub_pd(y, magic)), 52);
}

/// Computes the lengths of 32 numbers: of each v[i], with negative ones complemented, or, with `magnitudes`, of each
/// |v[i] - less|. Returns the combined bits of the numbers; lengths of numbers with bit 52 or higher are wrong.
INLINE __m256i NAME(lengths32)(const int64_t *v, int64_t less, const bool magnitudes, uint8_t *lengths) {
    const __m256i centre = _mm256_set1_epi64x(less);
    __m256i all = _mm256_setzero_si256(), eight[4], sixteen[2];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(v + 4 * i));
        if (magnitudes) x = _mm256_sub_epi64(x, centre);
        __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
        x = _mm256_xor_si256(x, sign);
        if (magnitudes) x = _mm256_sub_epi64(x, sign);
        all = _mm256_or_si256(all, x);
        x = NAME(exponents)(x);
        eight[i / 2] = i % 2 == 0 ? x : _mm256_packus_epi32(eight[i / 2], x);
    }
    for (int i = 0; i < 2; i++) {
        __m256i x = _mm256_packus_epi32(eight[2 * i], eight[2 * i + 1]);
        sixteen[i] = _mm256_subs_epu16(x, _mm256_set1_epi16(1022));
    }
    // The first two numbers of each four are now in the lower half, the others in the upper half.
    __m256i x = _mm256_packus_epi16(sixteen[0], sixteen[1]);
    __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    _mm_storeu_si128((__m128i *)lengths, _mm_unpacklo_epi16(low, high));
    _mm_storeu_si128((__m128i *)(lengths + 16), _mm_unpackhi_epi16(low, high));
    return all;
}

/// Whether a number processed so far is so long that its length is wrong.
INLINE bool NAME(are_long)(__m256i all) { return !_mm256_testz_si256(all, _mm256_set1_epi64x(-(INT64_C(1) << 52))); }

#endif
