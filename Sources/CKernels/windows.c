// SPDX-License-Identifier: Apache-2.0
// Streams of windows; the layout is in Docs/Format/Columns.md.

#include "reach.h"
#include "varint.h"

static inline int64_t ck_median3(int64_t a, int64_t b, int64_t c) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/// The layout of a stream's groups; `bits` is their expected size.
typedef struct {
    unsigned group, least, most;
    uint64_t bits;
} ck_layout;

enum {
    /// Number of group sizes, and of widths tried for a group.
    CK_SIZES = CK_MOST_GROUP - CK_LEAST_GROUP + 1,
    CK_TRIES = 6,
    /// Number of rows of 32 values, and of columns for their counts.
    CK_LENGTH_ROWS = CK_STREAM_LIMIT / 32,
    CK_COLUMNS = 80,
};

/// The distribution of the values' lengths.
typedef struct {
    /// above[r][w - least + 8]: the number of values before row r with at least w bits.
    uint16_t above[CK_LENGTH_ROWS + 1][CK_COLUMNS];
    unsigned least;
    /// The length that at most one value in 32 exceeds.
    unsigned tail;
    /// The greatest length in each group, for each group size.
    uint8_t most[CK_SIZES][CK_LENGTH_ROWS + 1];
} ck_counts;

#define CK_WITH_VBMI 1
#define CK_LEVELS_OF "windows_levels.h"
#include "each_level.h"

size_t ck_windows_bound(size_t n) { return 32 + n / 32 + n * 8 + ck_stream_bound(n); }

size_t ck_windows_encode(const int64_t *v, size_t n, uint8_t *group, uint8_t *out, size_t at) {
    CK_DISPATCH(ck_windows_encode, v, n, group, out + at);
}

ck_decoded ck_windows_decode_within(const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach) {
    CK_DISPATCH(ck_windows_decode_within, in, length, n, out, reach);
}

ck_decoded ck_windows_decode(const uint8_t *in, size_t at, size_t end, size_t n, int64_t *out) {
    uint64_t reach;
    return ck_windows_decode_within(in + at, end - at, n, out, &reach);
}
