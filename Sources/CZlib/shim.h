// SPDX-License-Identifier: Apache-2.0
// CZlib: the system's zlib, for reading and writing the members of a zip archive.

#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/// Initialises a raw deflate stream for reading, as in zip members. zlib's own function is a macro, which Swift cannot
/// call.
static inline int cz_inflate_raw_init(z_streamp stream) { return inflateInit2(stream, -15); }

/// Initialises a raw deflate stream for writing, with a level from 1 (fast) to 9 (small).
static inline int cz_deflate_raw_init(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

#endif
