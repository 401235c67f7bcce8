// SPDX-License-Identifier: Apache-2.0
// FNV-1a of 64 bits. Each byte takes four cycles, because each step needs the step before: hash = (hash ^ byte) * P.
//
// With AVX-512, 64 bytes are processed together. Each bit of the hash depends on equal and lower bits only, so the
// lowest bytes of the hash are found first for all 64 steps, bit by bit: a bit is that of the step before, xor the bit
// of the byte, xor a function of lower bits, and a carry-less product with ones gives such a sequence at once. Then
// each step is hash = (hash + d) * P with a known d, the difference that the exclusive or makes, and the hash is a sum
// of products with powers of P.

#include "levels.h"

#define CK_FNV_FACTOR UINT64_C(0x100000001b3)

static uint64_t ck_fnv_steps(const uint8_t *p, size_t n, uint64_t hash) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * CK_FNV_FACTOR;
    return hash;
}

#if CK_X86

#define CK_FNV_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,pclmul,sse4.2")))

enum { CK_FNV_GROUP = 64 };

/// Returns in bit i the exclusive or of the bits 0 to i.
CK_FNV_TARGET static inline __attribute__((always_inline)) uint64_t ck_running_xor(uint64_t bits) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)bits), _mm_set1_epi64x(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

static inline __attribute__((always_inline)) uint64_t ck_majority(uint64_t a, uint64_t b, uint64_t c) {
    return (a & b) | (c & (a ^ b));
}

/// Returns the lowest bytes of the hash before each of 64 steps. lowest[k] has the bit k of the hash in all places, and
/// moves to the hash after the steps.
CK_FNV_TARGET static inline __attribute__((always_inline)) __m512i ck_lowest_bytes(__m512i bytes, uint64_t *lowest) {
    // The bits k of the bytes after the exclusive or. Their product with 0xb3 = 1 + 2 + 16 + 32 + 128 is added up with
    // the carries of three additions; the last one concerns only the highest bit.
    uint64_t mixed[8], carry2 = 0, carry16 = 0, carry32 = 0;
    __m512i result = _mm512_setzero_si512();
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
        uint64_t by2 = k >= 1 ? mixed[k - 1] ^ carry2 : 0;
        uint64_t by16 = k >= 4 ? mixed[k - 4] ^ carry16 : 0;
        uint64_t by32 = k >= 5 ? mixed[k - 5] ^ carry32 : 0;
        uint64_t by128 = k == 7 ? mixed[0] : 0;
        uint64_t bit = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((char)(1 << k)));
        uint64_t changes = ck_running_xor(bit ^ by2 ^ by16 ^ by32 ^ by128);
        uint64_t before = changes << 1 ^ lowest[k];
        lowest[k] ^= 0 - (changes >> 63);
        mixed[k] = before ^ bit;
        if (k >= 1) carry2 = ck_majority(mixed[k], mixed[k - 1], carry2);
        if (k >= 4) carry16 = ck_majority(mixed[k] ^ by2, mixed[k - 4], carry16);
        if (k >= 5) carry32 = ck_majority(mixed[k] ^ by2 ^ by16, mixed[k - 5], carry32);
        result = _mm512_or_si512(result, _mm512_maskz_set1_epi8(before, (char)(1 << k)));
    }
    return result;
}

CK_FNV_TARGET static uint64_t ck_fnv_groups(const uint8_t *p, size_t groups, uint64_t hash) {
    // factors[i] is P^(64 - i).
    uint64_t factors[CK_FNV_GROUP], power = 1;
    for (int i = CK_FNV_GROUP - 1; i >= 0; i--) factors[i] = power *= CK_FNV_FACTOR;
    __m512i sums = _mm512_setzero_si512(), all = _mm512_set1_epi64((long long)power);
    uint64_t lowest[8];
    for (int k = 0; k < 8; k++) lowest[k] = 0 - (hash >> k & 1);
    for (; groups > 0; groups--, p += CK_FNV_GROUP) {
        __m512i bytes = _mm512_loadu_si512(p), before = ck_lowest_bytes(bytes, lowest);
        uint8_t from[CK_FNV_GROUP], to[CK_FNV_GROUP];
        _mm512_storeu_si512(from, before);
        _mm512_storeu_si512(to, _mm512_xor_si512(before, bytes));
        hash *= power;
        sums = _mm512_mullo_epi64(sums, all);
#pragma clang loop unroll(full)
        for (int i = 0; i < CK_FNV_GROUP; i += 8) {
            __m512i difference = _mm512_sub_epi64(
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(to + i))),
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(from + i))));
            sums = _mm512_add_epi64(sums, _mm512_mullo_epi64(difference, _mm512_loadu_si512(factors + i)));
        }
    }
    return hash + (uint64_t)_mm512_reduce_add_epi64(sums);
}

#endif

uint64_t ck_fnv(const uint8_t *p, size_t n, uint64_t hash) {
#if CK_X86
    // The powers cost as much as some groups.
    if (n >= 8 * CK_FNV_GROUP && ck_level() >= CK_AVX512) {
        hash = ck_fnv_groups(p, n / CK_FNV_GROUP, hash);
        p += n / CK_FNV_GROUP * CK_FNV_GROUP;
        n %= CK_FNV_GROUP;
    }
#endif
    return ck_fnv_steps(p, n, hash);
}
