// SPDX-License-Identifier: Apache-2.0
// CKernels: the hot loops in C, each compiled for several levels of the processor with equal results on all of them.
//
// Rules of this room: no allocation, no global state but the chosen level, nothing written past what a comment allows.
// A caller passes valid pointers and lengths; what comes from disk is checked here before it is used.

#ifndef CKERNELS_H
#define CKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buckets.h"
#include "examine.h"
#include "shapes.h"

// Levels, in rising order. The level in use is the highest that the processor has, or a lower one that a test forced.
enum { CK_PORTABLE = 0, CK_AVX2 = 1, CK_AVX512 = 2, CK_AVX512_VBMI = 3 };

/// The level in use.
int ck_level(void);
/// The highest level of this processor.
int ck_highest_level(void);
/// Uses `level`, or the highest one below it that the processor has; a negative level means the highest. Returns it.
int ck_force_level(int level);

// --- sums.c: sums by TwoSum in eight lanes (Docs/Sums.md) ---

typedef struct {
    double hi, lo;
} ck_dd;

typedef struct {
    ck_dd sum;
    double min, max;
} ck_sums_result;

typedef struct {
    int64_t max_end, max_end_except_last;
    uint64_t duration_low, duration_high;
} ck_ends_result;

/// Sum, least and greatest of n values; n == 0 gives 0, +inf, -inf.
ck_sums_result ck_sums(const double *v, size_t n);
/// Sum of the squares.
ck_dd ck_sum_of_squares(const double *v, size_t n);
/// Sum over i < n - 1 of v[i] * (t[i + 1] - t[i]), t in nanoseconds, the result in value times nanoseconds.
ck_dd ck_integral(const double *v, const int64_t *t, size_t n);
typedef struct {
    ck_sums_result sums;
    ck_dd squares, integral;
} ck_summary_result;

/// The three of them in one go, with the same bits.
ck_summary_result ck_summary(const double *v, const int64_t *t, size_t n);
/// Greatest end, greatest end but the last one's, and the sum of end - start; n >= 1.
ck_ends_result ck_ends(const int64_t *starts, const int64_t *ends, size_t n);

// --- search.c, checks.c ---

/// First index with a[i] >= key, or n; `a` is ascending.
size_t ck_lower_bound(const int64_t *a, size_t n, int64_t key);
bool ck_all_finite(const double *v, size_t n);
bool ck_is_ascending(const int64_t *a, size_t n);

// --- crc32c.c ---

/// CRC-32C (Castagnoli) of n bytes, continuing from `seed`, the CRC of what went before (0 at the start).
uint32_t ck_crc32c(const uint8_t *bytes, size_t n, uint32_t seed);

// --- stream.c: patched frame of reference in mini-blocks of 128 values (Docs/Format/Columns.md) ---

enum {
    /// Values of a mini-block.
    CK_MINI = 128,
    /// Greatest number of values of a stream.
    CK_STREAM_LIMIT = 1536,
    /// Readable bytes needed after the bytes of a stream, and elements writable after its values.
    CK_SPARE = 64,
};

/// What is wrong with the bytes of a stream.
enum {
    CK_FINE = 0,
    CK_TOO_MANY, // too many values
    CK_HEADERS, // mini-block headers run past the end
    CK_WIDTH, // width above 64
    CK_EXCEPTION_COUNT, // too many exceptions
    CK_FRAME, // frame is no varint
    CK_BITS, // bits run past the end
    CK_EXCEPTIONS, // exceptions run past the end
    CK_POSITION, // exception out of place
    CK_VARINT, // exception is no varint
    CK_HIGH, // exception too wide
};

/// How a decoder ended: bytes used and CK_FINE, or the offset of the error and which one it is.
typedef struct {
    size_t used;
    int error;
} ck_decoded;

/// Exact bytes of the stream of n <= CK_STREAM_LIMIT values; `whole_bytes`: only widths 0, 8, 16 ..., no exceptions.
size_t ck_stream_cost(const int64_t *v, size_t n, bool whole_bytes);
/// Greatest length of a stream of n values.
size_t ck_stream_bound(size_t n);
/// Writes the stream and returns its length; `out` has ck_stream_bound(n) + CK_SPARE bytes.
size_t ck_stream_encode(const int64_t *v, size_t n, bool whole_bytes, uint8_t *out);
/// Reads n <= CK_STREAM_LIMIT values from at most `length` bytes. CK_SPARE bytes after them are readable, and CK_SPARE
/// elements after out[n] may be overwritten.
ck_decoded ck_stream_decode(const uint8_t *in, size_t length, size_t n, int64_t *out);
/// Plain bit packing of n values of `width` bits, LSB first; returns ceil(n * width / 8), writes up to 16 bytes more.
size_t ck_pack(const uint64_t *v, size_t n, unsigned width, uint8_t *out);
/// The reverse; reads up to 64 bytes more, writes up to 8 elements more.
void ck_unpack(const uint8_t *in, size_t n, unsigned width, uint64_t *out);

#include "merge.h"
#include "scaled.h"
#include "windows.h"

#include "sequences.h"

// --- integers.c: transforms of integers; all arithmetic wraps ---

/// d[0] = 0, d[i] = v[i] - v[i - 1].
void ck_delta(const int64_t *v, size_t n, int64_t *d);
/// v[i] = base + unit * (v[0] + ... + v[i]); may overwrite 8 elements after the last.
void ck_accumulate(int64_t *v, size_t n, uint64_t unit, int64_t base);
/// v[i] = base + unit * v[i]; may overwrite 8 elements after the last.
void ck_scale(int64_t *v, size_t n, uint64_t unit, int64_t base);
/// q[i] = d[i] / unit as far as that is exact; returns how many were (n: all), possibly rounded down to a multiple of
/// 8.
size_t ck_divide_exactly(const int64_t *d, size_t n, uint64_t unit, int64_t *q);
/// Greatest common divisor of the magnitudes; 0 when all are 0. Overwrites n elements of `scratch`.
uint64_t ck_gcd(const int64_t *d, size_t n, int64_t *scratch);
/// Nanoseconds as ticks of 2^-23 s after `second`, as far as that is exact; returns how many were (n: all).
size_t ck_to_ticks(const int64_t *v, size_t n, int64_t second, int64_t *ticks);
/// The reverse: each tick rounded to the nearest nanosecond, up in the middle.
void ck_from_ticks(int64_t *v, size_t n, int64_t second);
/// Number of values that differ from 0.
size_t ck_count_nonzero(const int64_t *d, size_t n);
/// Number of values that differ from the one before.
size_t ck_count_changes(const int64_t *v, size_t n);
/// out[i] = table[codes[i]] where codes[i] < 256.
void ck_look_up(const uint64_t *codes, size_t n, const int64_t *table, int64_t *out);
/// The different values in order of appearance and each value's code; 0 when there are more than `limit` <= 256.
size_t ck_distinct(const int64_t *v, size_t n, size_t limit, int64_t *table, uint64_t *codes);

// --- reals.c: doubles as integers and back ---

/// k[i] with k[i] / divisor == v[i] to the bit and |k[i]| < 2^51. Where there is none, k[i] repeats a neighbour and i
/// is added to `exceptions`; returns their number.
size_t ck_to_scaled(const double *v, size_t n, double divisor, int64_t *k, uint16_t *exceptions);
/// v[i] = k[i] / divisor; may overwrite 8 elements after the last.
void ck_from_scaled(const int64_t *k, size_t n, double divisor, double *v);
/// Order-preserving 32-bit integers of the floats that v[i] came from; exceptions as above.
size_t ck_to_float32(const double *v, size_t n, int64_t *k, uint16_t *exceptions);
void ck_from_float32(const int64_t *k, size_t n, double *v);
/// Order-preserving 64-bit integers of the bit patterns.
void ck_to_ordered(const double *v, size_t n, int64_t *k);
void ck_from_ordered(const int64_t *k, size_t n, double *v);
/// The doubles of n little-endian bit patterns from in + at on.
void ck_from_bytes(const uint8_t *in, size_t at, size_t n, double *v);
/// Bytes of equal significance together, lowest first, of each pattern or its difference (xor) to the previous one, the
/// first one to itself.
/// Planes of zeros are left out; `mask` says which are there. `out` has 8 * n + 64 bytes; returns the bytes written.
size_t ck_shuffle(const double *v, size_t n, bool with_previous, uint8_t *mask, uint8_t *out);
/// The reverse; `in` has popcount(mask) * n bytes, `first` is the pattern of the first value where with_previous is
/// set.
void ck_unshuffle(const uint8_t *in, size_t n, bool with_previous, uint64_t first, uint8_t mask, double *v);

#endif
