// SPDX-License-Identifier: Apache-2.0
// Streams of windows: numbers around a centre, in groups of equal width; other numbers escape (Docs/Format/Columns.md).

#ifndef CKERNELS_WINDOWS_H
#define CKERNELS_WINDOWS_H

#include "CKernels.h"

enum {
    /// Maximum width of a code in a window.
    CK_WINDOW_WIDTH = 57,
    /// Binary logarithms of the minimum and maximum group size.
    CK_LEAST_GROUP = 5,
    CK_MOST_GROUP = 11,
};

/// Errors in addition to those of a stream (CK_FINE and so on).
enum {
    CK_GROUPS = 11, // unknown groups
    CK_ESCAPES = 12, // wrong number of escapes
};

/// Returns the maximum length of a stream of windows of n values.
size_t ck_windows_bound(size_t n);
/// Encodes n <= CK_STREAM_LIMIT values in groups of 2^*group at out + at and returns the length; ck_windows_bound(n) +
/// CK_SPARE bytes must be available. A *group below CK_LEAST_GROUP is replaced by the cheapest.
size_t ck_windows_encode(const int64_t *v, size_t n, uint8_t *group, uint8_t *out, size_t at);
/// Decodes n <= CK_STREAM_LIMIT values from the bytes in + at to in + end. As in ck_stream_decode, CK_SPARE more bytes
/// must be readable and CK_SPARE more elements may be overwritten. The returned offset counts from `at`.
ck_decoded ck_windows_decode(const uint8_t *in, size_t at, size_t end, size_t n, int64_t *out);

#endif
