// SPDX-License-Identifier: Apache-2.0
// CZlib: the system's zlib, for reading and writing the members of a zip archive.

#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/// Starts reading a raw deflate stream, as zip members are; the original is a macro, which Swift does not see.
static inline int cz_inflate_raw_init(z_streamp stream) { return inflateInit2(stream, -15); }

/// Starts writing a raw deflate stream at a level from 1 (fast) to 9 (small).
static inline int cz_deflate_raw_init(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

#endif
