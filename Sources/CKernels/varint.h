// SPDX-License-Identifier: Apache-2.0
// Varints (7 bits a byte, lowest first) and the zigzag mapping of signed numbers (0, -1, 1, -2 ...).

#ifndef CK_VARINT_H
#define CK_VARINT_H

#include "levels.h"

static inline size_t ck_varint_length(uint64_t x) { return x == 0 ? 1 : (ck_bit_length(x) + 6) / 7; }

static inline uint64_t ck_zigzag(int64_t x) { return ((uint64_t)x << 1) ^ (uint64_t)(x >> 63); }

static inline uint64_t ck_unzigzag(uint64_t x) { return (x >> 1) ^ (0 - (x & 1)); }

static inline uint8_t *ck_put_varint(uint8_t *p, uint64_t x) {
    for (; x >= 0x80; x >>= 7) *p++ = (uint8_t)x | 0x80;
    *p++ = (uint8_t)x;
    return p;
}

/// Reads a varint at in[*at]; returns false if it does not end before `length` or has more than 64 bits.
static inline bool ck_take_varint(const uint8_t *in, size_t length, size_t *at, uint64_t *value) {
    uint64_t x = 0;
    size_t i = *at;
    for (unsigned shift = 0; i < length; shift += 7) {
        uint8_t byte = in[i++];
        if (shift == 63 && byte > 1) return false;
        x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at = i;
            *value = x;
            return true;
        }
    }
    return false;
}

#endif
