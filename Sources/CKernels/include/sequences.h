// SPDX-License-Identifier: Apache-2.0
// Sequences straight from their bits to the numbers that a reader wants, without a pass for each step.

#ifndef CKERNELS_SEQUENCES_H
#define CKERNELS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What becomes of the integers k of a sequence.
enum {
    CK_AS_INTEGERS = 0, // int64_t, k
    CK_AS_WHOLE, // double, k
    CK_AS_SCALED, // double, k / divisor, correctly rounded
    CK_AS_ORDERED, // double, the one whose ordered pattern is k
};

/// The fields before the stream of a packed or delta sequence (Docs/Format/Columns.md), and what it is to become.
typedef struct {
    int64_t base;
    uint64_t unit;
    bool is_delta;
    /// Whether the stream is one of windows.
    bool has_windows;
    int kind;
    /// For CK_AS_SCALED: between 1e-3 and 1e16.
    double divisor;
} ck_sequence;

typedef struct {
    /// Length of the stream, or the offset of what is wrong.
    size_t used;
    /// CK_FINE or what is wrong with the stream.
    int error;
    /// Whether the stream's fields prove that no integer is less than the one before. False says nothing.
    bool is_ascending;
} ck_sequence_result;

/// Reads n <= CK_STREAM_LIMIT integers from a stream in the bytes in + at to in + end and writes what they become:
/// exactly n elements of 8 bytes, anything after an error. CK_SPARE bytes more are readable. `used` counts from `at`.
ck_sequence_result ck_decode_sequence(
    const uint8_t *in, size_t at, size_t end, size_t n, const ck_sequence *sequence, void *out);

#endif
