// SPDX-License-Identifier: Apache-2.0
// Decoding of sequences directly from bits to the final numbers, without a pass for each step.

#ifndef CKERNELS_SEQUENCES_H
#define CKERNELS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The conversions of the integers k of a sequence.
enum {
    CK_AS_INTEGERS = 0, // int64_t, k
    CK_AS_WHOLE, // double, k
    CK_AS_SCALED, // double, k / divisor, correctly rounded
    CK_AS_ORDERED, // double whose ordered pattern is k
};

/// The fields before the stream of a packed or delta sequence (Docs/Format/Columns.md), and its conversion.
typedef struct {
    int64_t base;
    uint64_t unit;
    bool is_delta;
    /// Whether the stream consists of windows.
    bool has_windows;
    int kind;
    /// For CK_AS_SCALED: between 1e-3 and 1e16.
    double divisor;
} ck_sequence;

typedef struct {
    /// Length of the stream, or the offset of the error.
    size_t used;
    /// CK_FINE or the error of the stream.
    int error;
    /// Whether the stream's fields prove that no integer is less than its predecessor. False proves nothing.
    bool is_ascending;
} ck_sequence_result;

/// Decodes n <= CK_STREAM_LIMIT integers from a stream in the bytes in + at to in + end, and writes the converted
/// numbers: exactly n elements of 8 bytes, undefined after an error. CK_SPARE bytes after `end` must be readable.
/// `used` counts from `at`.
ck_sequence_result ck_decode_sequence(
    const uint8_t *in, size_t at, size_t end, size_t n, const ck_sequence *sequence, void *out);

#endif
