// SPDX-License-Identifier: Apache-2.0
// Streams of windows: numbers around a centre, in groups of one width; the rest escape (Docs/Format/Columns.md).

#ifndef CKERNELS_WINDOWS_H
#define CKERNELS_WINDOWS_H

#include "CKernels.h"

enum {
    /// Widest code of a window.
    CK_WINDOW_WIDTH = 57,
    /// Binary logarithm of the values of the smallest and of the greatest group.
    CK_LEAST_GROUP = 5,
    CK_MOST_GROUP = 11,
};

/// What else can be wrong, beside what is of a stream (CK_FINE and so on).
enum {
    CK_GROUPS = 11, // unknown groups
    CK_ESCAPES = 12, // number of escapes is wrong
};

/// Greatest length of a stream of windows of n values.
size_t ck_windows_bound(size_t n);
/// Writes n <= CK_STREAM_LIMIT values in groups of 2^*group at out + at and returns the length; ck_windows_bound(n) +
/// CK_SPARE bytes are there. A *group below CK_LEAST_GROUP is replaced by the cheapest.
size_t ck_windows_encode(const int64_t *v, size_t n, uint8_t *group, uint8_t *out, size_t at);
/// Reads n <= CK_STREAM_LIMIT values from the bytes in + at to in + end, as ck_stream_decode does: CK_SPARE bytes more
/// are readable, CK_SPARE elements more may be overwritten. The offset that comes back counts from `at`.
ck_decoded ck_windows_decode(const uint8_t *in, size_t at, size_t end, size_t n, int64_t *out);

#endif
