// SPDX-License-Identifier: Apache-2.0
// Decoding of the fields before the codes of a stream of windows (Docs/Format/Columns.md), with all checks except one:
// whether the number of escapes matches the codes.

#ifndef CK_WINDOW_PLAN_H
#define CK_WINDOW_PLAN_H

#include "levels.h"
#include "varint.h"

enum {
    /// Number of values in a row: the minimum group size, which divides all others.
    CK_ROW = 1 << CK_LEAST_GROUP,
    /// Maximum width of codes that are unpacked into lanes of 32 bits.
    CK_LANE_WIDTH = 25,
};

/// The fields of a stream of windows, without its codes.
typedef struct {
    uint64_t centre;
    /// Offset of the codes; the rows follow each other without gaps.
    size_t at;
    size_t escapes;
    /// The greatest width.
    unsigned width;
    /// Bounds greater than the magnitude of any escape, and of any negative escape.
    uint64_t reach, below;
    uint64_t widths[CK_STREAM_LIMIT / CK_ROW + 8];
    int64_t values[CK_STREAM_LIMIT + CK_SPARE];
} ck_window_plan;

/// Decodes the escapes; `used` is the offset after them.
static inline ck_decoded ck_plan_escapes(const uint8_t *in, size_t length, size_t at, ck_window_plan *plan) {
    plan->reach = plan->below = 0;
    if (plan->escapes == 0) return (ck_decoded){at, CK_FINE};
    ck_decoded result = ck_stream_decode(in + at, length - at, plan->escapes, plan->values);
    if (result.error != CK_FINE) return (ck_decoded){at + result.used, result.error};
    uint64_t bits = 0, negative = 0;
    for (size_t i = 0; i < plan->escapes; i++) {
        uint64_t sign = (uint64_t)(plan->values[i] >> 63);
        bits |= (uint64_t)plan->values[i] ^ sign;
        negative |= ~(uint64_t)plan->values[i] & sign;
    }
    plan->reach = ck_low_bits(ck_bit_length(bits)) + 1;
    plan->below = ck_low_bits(ck_bit_length(negative)) + 1;
    return (ck_decoded){at + result.used, CK_FINE};
}

/// Decodes all fields of a stream of n values and checks the size of its codes; `used` is the length of the stream. If
/// codes are wider than CK_LANE_WIDTH, it stops without an error, and only `width` is valid.
static inline ck_decoded ck_plan_windows(const uint8_t *in, size_t length, size_t n, ck_window_plan *plan) {
    uint64_t number;
    size_t at = 0;
    if (n > CK_STREAM_LIMIT) return (ck_decoded){0, CK_TOO_MANY};
    if (!ck_take_varint(in, length, &at, &number)) return (ck_decoded){at, CK_FRAME};
    plan->centre = ck_unzigzag(number);
    if (length - at < 3) return (ck_decoded){at, CK_HEADERS};
    unsigned group = in[at] & 15, width_bits = in[at] >> 4, least = in[at + 1];
    if (group < CK_LEAST_GROUP || group > CK_MOST_GROUP || width_bits > 6) return (ck_decoded){at, CK_GROUPS};
    at += 2;
    if (!ck_take_varint(in, length, &at, &number) || number > n) return (ck_decoded){at, CK_EXCEPTION_COUNT};
    plan->escapes = number;
    size_t groups = (n + ((size_t)1 << group) - 1) >> group, bytes = (groups * width_bits + 7) / 8;
    if (length - at < bytes) return (ck_decoded){at, CK_HEADERS};
    uint64_t steps[CK_STREAM_LIMIT / CK_ROW + 8];
    ck_unpack(in + at, groups, width_bits, steps);
    at += bytes;
    plan->width = 0;
    for (size_t g = 0; g < groups; g++) {
        unsigned width = (unsigned)steps[g] + least;
        plan->width = width > plan->width ? width : plan->width;
    }
    if (plan->width > CK_LANE_WIDTH) return (ck_decoded){0, CK_FINE};
    ck_decoded result = ck_plan_escapes(in, length, at, plan);
    if (result.error != CK_FINE) return result;
    plan->at = at = result.used;
    for (size_t i = 0, row = 0; i < n; i += CK_ROW, row++) {
        size_t count = n - i < CK_ROW ? n - i : CK_ROW;
        uint64_t width = steps[i >> group] + least;
        bytes = (count * width + 7) / 8;
        if (length - at < bytes) return (ck_decoded){at, CK_BITS};
        plan->widths[row] = width;
        at += bytes;
    }
    return (ck_decoded){at, CK_FINE};
}

#endif
