// SPDX-License-Identifier: Apache-2.0
// Compiles one source into several functions: each_level.h includes it once per level, CK_DISPATCH calls the right one.

#ifndef CK_LEVELS_H
#define CK_LEVELS_H

#include "include/CKernels.h"
#include <string.h>

#if defined(__x86_64__)
#define CK_X86 1
#include <immintrin.h>
#else
#define CK_X86 0
#endif

#define CK_JOIN2(a, b) a##b
#define CK_JOIN(a, b) CK_JOIN2(a, b)

// Eight lanes: one register of AVX-512, two of AVX2, four of SSE2 or NEON. They are part of the definition of a sum.
typedef double v8d __attribute__((ext_vector_type(8)));
typedef int64_t v8i __attribute__((ext_vector_type(8)));
typedef uint64_t v8u __attribute__((ext_vector_type(8)));
typedef double v4d __attribute__((ext_vector_type(4)));
typedef double v2d __attribute__((ext_vector_type(2)));

static inline __attribute__((always_inline)) uint64_t ck_load64(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

static inline __attribute__((always_inline)) void ck_store64(uint8_t *p, uint64_t x) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(p, &x, 8);
}

static inline __attribute__((always_inline)) unsigned ck_bit_length(uint64_t x) {
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/// Returns a number with the lowest `width` <= 64 bits set.
static inline __attribute__((always_inline)) uint64_t ck_low_bits(unsigned width) {
    return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

// Vectors wider than a level's registers are passed only between inlined functions.
#pragma clang diagnostic ignored "-Wpsabi"

// Calls FUNCTION for the level in use.
#if CK_X86
#define CK_DISPATCH(FUNCTION, ...)                                                                                     \
    switch (ck_level()) {                                                                                              \
    case CK_AVX512_VBMI: return FUNCTION##_vbmi(__VA_ARGS__);                                                          \
    case CK_AVX512: return FUNCTION##_avx512(__VA_ARGS__);                                                             \
    case CK_AVX2: return FUNCTION##_avx2(__VA_ARGS__);                                                                 \
    default: return FUNCTION##_portable(__VA_ARGS__);                                                                  \
    }
// For functions that gain nothing from VBMI.
#define CK_DISPATCH3(FUNCTION, ...)                                                                                    \
    switch (ck_level()) {                                                                                              \
    case CK_AVX512_VBMI:                                                                                               \
    case CK_AVX512: return FUNCTION##_avx512(__VA_ARGS__);                                                             \
    case CK_AVX2: return FUNCTION##_avx2(__VA_ARGS__);                                                                 \
    default: return FUNCTION##_portable(__VA_ARGS__);                                                                  \
    }
#else
#define CK_DISPATCH(FUNCTION, ...) return FUNCTION##_portable(__VA_ARGS__)
#define CK_DISPATCH3(FUNCTION, ...) return FUNCTION##_portable(__VA_ARGS__)
#endif

#define CK_TARGET_AVX2 "avx2,bmi,bmi2,lzcnt,popcnt,fma"
#define CK_TARGET_AVX512 "avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx2,bmi,bmi2,lzcnt,popcnt,fma"
#define CK_TARGET_VBMI                                                                                                 \
    "avx512vbmi2,avx512vbmi,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx2,bmi,bmi2,lzcnt,popcnt,fma"

#endif
