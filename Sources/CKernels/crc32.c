// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of zip archives by carry-less products, as in Intel's "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction": the product of 16 bytes with a power of x modulo the polynomial moves them over other bytes.

#include "levels.h"

#if CK_X86

#define CK_FOLD_TARGET __attribute__((target("sse4.2,pclmul")))

/// Returns 16 bytes moved over as many bytes as `by` is for, combined with the bytes there.
CK_FOLD_TARGET static inline __attribute__((always_inline)) __m128i ck_fold(__m128i x, __m128i by, __m128i there) {
    __m128i low = _mm_clmulepi64_si128(x, by, 0x00), high = _mm_clmulepi64_si128(x, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/// Returns the checksum of a positive multiple of 64 bytes.
CK_FOLD_TARGET static uint32_t ck_crc32_fold(const uint8_t *p, size_t n, uint32_t seed) {
    const __m128i over64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i over16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i over8 = _mm_set_epi64x(0, 0x163cd6124);
    // The polynomial, and the quotient of x^64 and the polynomial.
    const __m128i polynomial = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i words = _mm_setr_epi32(-1, 0, -1, 0);
    const __m128i *from = (const __m128i *)p, *end = (const __m128i *)(p + n);
    __m128i a = _mm_xor_si128(_mm_loadu_si128(from), _mm_cvtsi32_si128((int)~seed));
    __m128i b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
    for (from += 4; from < end; from += 4) {
        a = ck_fold(a, over64, _mm_loadu_si128(from));
        b = ck_fold(b, over64, _mm_loadu_si128(from + 1));
        c = ck_fold(c, over64, _mm_loadu_si128(from + 2));
        d = ck_fold(d, over64, _mm_loadu_si128(from + 3));
    }
    a = ck_fold(ck_fold(ck_fold(a, over16, b), over16, c), over16, d);
    // From 16 bytes to 12, to 8, and to the remainder by Barrett's reduction.
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, over16, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, words), over8, 0x00));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(a, words), polynomial, 0x10);
    a = _mm_xor_si128(a, _mm_clmulepi64_si128(_mm_and_si128(quotient, words), polynomial, 0x00));
    return ~(uint32_t)_mm_extract_epi32(a, 1);
}

#endif

size_t ck_crc32_groups(const uint8_t *bytes, size_t n, uint32_t *crc) {
#if CK_X86
    // Every processor of level AVX2 has these instructions; ck_highest_level checks them.
    size_t whole = n / 64 * 64;
    if (whole > 0 && ck_level() >= CK_AVX2) {
        *crc = ck_crc32_fold(bytes, whole, *crc);
        return whole;
    }
#endif
    return 0;
}
