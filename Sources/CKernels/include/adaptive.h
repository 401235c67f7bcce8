// SPDX-License-Identifier: Apache-2.0
// Adaptive streams (Docs/Format/Columns.md): integers as binary choices whose probabilities follow the choices before.

#ifndef CKERNELS_ADAPTIVE_H
#define CKERNELS_ADAPTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the number of bytes that an adaptive stream of n numbers may need, and the number of bytes of the scratch.
size_t ck_adaptive_bound(size_t n);

/// Encodes n numbers as an adaptive stream and returns its length.
///
/// The stream begins at `out + at`. There and in `scratch` are ck_adaptive_bound(n) bytes, and they do not overlap.
/// Returns 0 if the stream does not fit.
size_t ck_adaptive_encode(const int64_t *v, size_t n, uint8_t *out, size_t at, uint8_t *scratch);

/// Decodes n numbers from `choices` bytes of choices at `in + at`, and from `plain` bytes of plain bits after them.
///
/// Returns whether the stream has the bytes that the numbers need, and no other byte.
bool ck_adaptive_decode(
    const uint8_t *in, size_t at, size_t choices, size_t plain, uint8_t start, size_t n, int64_t *out);

#endif
