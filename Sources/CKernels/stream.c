// SPDX-License-Identifier: Apache-2.0
// Patched frame of reference in mini-blocks; the layout is in Docs/Format/Columns.md.

#include "reach.h"
#include "varint.h"

/// Sorts eight numbers with a sorting network, which has no branches.
static inline __attribute__((always_inline)) void ck_sort8(int64_t *a) {
    static const uint8_t pairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                                         {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
#pragma clang loop unroll(full)
    for (int i = 0; i < 19; i++) {
        int64_t x = a[pairs[i][0]], y = a[pairs[i][1]];
        a[pairs[i][0]] = x < y ? x : y;
        a[pairs[i][1]] = x < y ? y : x;
    }
}

/// The encoding of one mini-block; `bytes` is the size of its header, bits and exceptions.
typedef struct {
    int64_t frame;
    unsigned width, exceptions;
    size_t bytes;
} ck_mini;

#define CK_WITH_VBMI 1
#define CK_LEVELS_OF "stream_levels.h"
#include "each_level.h"

size_t ck_stream_bound(size_t n) { return n * 8 + (n / CK_MINI + 1) * 12; }

size_t ck_stream_cost(const int64_t *v, size_t n, bool whole_bytes) {
    CK_DISPATCH(ck_stream_cost, v, n, whole_bytes);
}

size_t ck_stream_encode(const int64_t *v, size_t n, bool whole_bytes, uint8_t *out) {
    CK_DISPATCH(ck_stream_encode, v, n, whole_bytes, out);
}

ck_decoded ck_stream_decode_within(const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach) {
    CK_DISPATCH(ck_stream_decode_within, in, length, n, out, reach);
}

ck_decoded ck_stream_decode(const uint8_t *in, size_t length, size_t n, int64_t *out) {
    uint64_t reach;
    return ck_stream_decode_within(in, length, n, out, &reach);
}

size_t ck_pack(const uint64_t *v, size_t n, unsigned width, uint8_t *out) { CK_DISPATCH(ck_pack, v, n, width, out); }

void ck_unpack(const uint8_t *in, size_t n, unsigned width, uint64_t *out) {
    CK_DISPATCH(ck_unpack, in, n, width, out);
}
