// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C for pages: by the processor's instruction if available, else by eight tables.

#include <pthread.h>
#include <string.h>

#include "vfs.h"

static uint32_t table[8][256];

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
        table[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 255];
}

static uint32_t by_table(const uint8_t *p, size_t count, uint32_t seed) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_table);
    uint32_t crc = ~seed;
    for (; count >= 8; p += 8, count -= 8) {
        uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        crc = table[7][low & 255] ^ table[6][(low >> 8) & 255] ^ table[5][(low >> 16) & 255] ^ table[4][low >> 24] ^
              table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    }
    while (count-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t by_instruction(const uint8_t *p, size_t count, uint32_t seed) {
    uint64_t crc = (uint32_t)~seed;
    for (; count >= 8; p += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = _mm_crc32_u64(crc, word);
    }
    for (; count > 0; p++, count--) crc = _mm_crc32_u8((uint32_t)crc, *p);
    return ~(uint32_t)crc;
}

static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static uint32_t by_instruction(const uint8_t *p, size_t count, uint32_t seed) {
    uint32_t crc = ~seed;
    for (; count >= 8; p += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
    }
    for (; count > 0; p++, count--) crc = __crc32cb(crc, *p);
    return ~crc;
}

static int has_instruction(void) { return 1; }

#else

static uint32_t by_instruction(const uint8_t *p, size_t count, uint32_t seed) { return by_table(p, count, seed); }

static int has_instruction(void) { return 0; }

#endif

uint32_t csq_page_crc(const uint8_t *bytes, size_t count, uint32_t seed) {
    return has_instruction() ? by_instruction(bytes, count, seed) : by_table(bytes, count, seed);
}

uint32_t csq_vfs_checksum(const uint8_t *bytes, int count, int in_software) {
    return in_software ? by_table(bytes, (size_t)count, 0) : csq_page_crc(bytes, (size_t)count, 0);
}
