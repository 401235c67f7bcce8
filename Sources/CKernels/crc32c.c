// SPDX-License-Identifier: Apache-2.0
// CRC-32C: three streams of the processor's instruction, combined by a carry-less product, or eight tables.

#include "levels.h"

#include "crc32c_table.h"

__attribute__((unused)) static uint32_t ck_crc32c_tables(const uint8_t *p, size_t n, uint32_t crc) {
    crc = ~crc;
    while (n >= 8) {
        uint64_t x = ck_load64(p) ^ crc;
        crc = crc32c_table[7][x & 255] ^ crc32c_table[6][(x >> 8) & 255] ^ crc32c_table[5][(x >> 16) & 255] ^
              crc32c_table[4][(x >> 24) & 255] ^ crc32c_table[3][(x >> 32) & 255] ^ crc32c_table[2][(x >> 40) & 255] ^
              crc32c_table[1][(x >> 48) & 255] ^ crc32c_table[0][x >> 56];
        p += 8;
        n -= 8;
    }
    while (n-- > 0) crc = (crc >> 8) ^ crc32c_table[0][(crc ^ *p++) & 255];
    return ~crc;
}

#if CK_X86

// x^(8 * bytes - 33) mod P, reflected. The product of a checksum and one of these constants, passed through the
// instruction, is the checksum moved over that many zero bytes; KernelsTests compares it with the tables.
#define CK_OVER_64 0x9e4addf8
#define CK_OVER_128 0x0d3b6092
#define CK_OVER_256 0xb9e02b86
#define CK_OVER_512 0xdd7e3b0c

#define CK_CRC_TARGET __attribute__((target("sse4.2,pclmul")))

CK_CRC_TARGET static inline uint64_t ck_move(uint64_t crc, uint32_t constant) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc), _mm_cvtsi32_si128((int)constant), 0);
    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

/// Processes three streams of `length` bytes in parallel: the instruction takes three cycles, and one starts per cycle.
CK_CRC_TARGET static inline __attribute__((always_inline)) uint64_t ck_three(
    const uint8_t *p, size_t length, uint64_t crc, uint32_t over_one, uint32_t over_two) {
    uint64_t a = crc, b = 0, c = 0;
    for (size_t i = 0; i < length; i += 8) {
        a = _mm_crc32_u64(a, ck_load64(p + i));
        b = _mm_crc32_u64(b, ck_load64(p + length + i));
        c = _mm_crc32_u64(c, ck_load64(p + 2 * length + i));
    }
    return ck_move(a, over_two) ^ ck_move(b, over_one) ^ c;
}

CK_CRC_TARGET static uint32_t ck_crc32c_hardware(const uint8_t *p, size_t n, uint32_t seed) {
    uint64_t crc = (uint32_t)~seed;
    for (; n >= 3 * 256; p += 3 * 256, n -= 3 * 256) crc = ck_three(p, 256, crc, CK_OVER_256, CK_OVER_512);
    for (; n >= 3 * 64; p += 3 * 64, n -= 3 * 64) crc = ck_three(p, 64, crc, CK_OVER_64, CK_OVER_128);
    for (; n >= 8; p += 8, n -= 8) crc = _mm_crc32_u64(crc, ck_load64(p));
    for (; n > 0; p++, n--) crc = _mm_crc32_u8((uint32_t)crc, *p);
    return ~(uint32_t)crc;
}

#elif defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

static uint32_t ck_crc32c_hardware(const uint8_t *p, size_t n, uint32_t seed) {
    uint32_t crc = ~seed;
    for (; n >= 8; p += 8, n -= 8) crc = __crc32cd(crc, ck_load64(p));
    for (; n > 0; p++, n--) crc = __crc32cb(crc, *p);
    return ~crc;
}

#endif

uint32_t ck_crc32c(const uint8_t *p, size_t n, uint32_t seed) {
#if CK_X86
    // Every processor of level AVX2 has these instructions; ck_highest_level checks them.
    return ck_level() >= CK_AVX2 ? ck_crc32c_hardware(p, n, seed) : ck_crc32c_tables(p, n, seed);
#elif defined(__ARM_FEATURE_CRC32)
    return ck_crc32c_hardware(p, n, seed);
#else
    return ck_crc32c_tables(p, n, seed);
#endif
}
