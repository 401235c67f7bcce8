// SPDX-License-Identifier: Apache-2.0
// Decoding of streams with a bound of the results, which permits cheaper arithmetic for small numbers.

#ifndef CK_REACH_H
#define CK_REACH_H

#include "levels.h"

/// No bound is known.
#define CK_ANY_REACH UINT64_MAX

/// Like ck_stream_decode and ck_windows_decode; *reach is set to a bound of the magnitude of all values.
ck_decoded ck_stream_decode_within(const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach);
ck_decoded ck_windows_decode_within(const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach);

static inline uint64_t ck_magnitude(uint64_t x) { return x >> 63 != 0 ? 0 - x : x; }

/// Returns a bound of the magnitude of a sum of three numbers, from bounds of the numbers.
static inline uint64_t ck_sum_of_reaches(uint64_t a, uint64_t b, uint64_t c) {
    return ((a | b | c) >> 61) != 0 ? CK_ANY_REACH : a + b + c;
}

#endif
