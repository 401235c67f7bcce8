// SPDX-License-Identifier: Apache-2.0
// examine.c: checks of samples before they are accepted.

#ifndef CK_EXAMINE_H
#define CK_EXAMINE_H

#include <stddef.h>
#include <stdint.h>

enum {
    CK_UNORDERED = 1, // a sample follows a later one: by start, then by end
    CK_NOT_FINITE = 2, // a value is NaN or infinite
    CK_OUTSIDE = 4, // a start is before the first allowed time, or an end after the last one
    CK_BACKWARDS = 8, // a sample ends before it starts
    CK_LASTING = 16, // a sample has a duration
};

/// Return the flags above that apply to n samples, with allowed times first ... last. Samples without ends are points.
unsigned ck_examine_points(const int64_t *starts, const double *values, size_t n, int64_t first, int64_t last);
unsigned ck_examine(const int64_t *starts, const int64_t *ends, const double *values, size_t n, int64_t first,
                    int64_t last);

#endif
