// SPDX-License-Identifier: Apache-2.0
// CKernels: the hot loops in C, compiled for several levels of the processor with identical results on all of them.
//
// Rules of this module: no allocation, no global state except the chosen level, no writes beyond the documented range.
// Callers pass valid pointers and lengths; data from disk is checked here before it is used.

#ifndef CKERNELS_H
#define CKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adaptive.h"
#include "buckets.h"
#include "examine.h"
#include "predict.h"
#include "shapes.h"
#include "text.h"

// Levels, in rising order. The level in use is the highest that the processor supports, or a lower one forced by a
// test.
enum { CK_PORTABLE = 0, CK_AVX2 = 1, CK_AVX512 = 2, CK_AVX512_VBMI = 3 };

/// Returns the level in use.
int ck_level(void);
/// Returns the highest level that this processor supports.
int ck_highest_level(void);
/// Sets the level to `level`, or to the highest supported one below it; a negative level means the highest. Returns it.
int ck_force_level(int level);

// --- sums.c: sums by TwoSum in eight lanes (Docs/Internals/Accuracy.md) ---

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

/// Returns sum, least and greatest of n values; n == 0 gives 0, +inf, -inf.
ck_sums_result ck_sums(const double *v, size_t n);
/// Returns the sum of the squares.
ck_dd ck_sum_of_squares(const double *v, size_t n);
/// Returns the sum over i < n - 1 of v[i] * (t[i + 1] - t[i]) in value times nanoseconds; t is in nanoseconds.
ck_dd ck_integral(const double *v, const int64_t *t, size_t n);
typedef struct {
    ck_sums_result sums;
    ck_dd squares, integral;
} ck_summary_result;

/// Returns the results of ck_sums, ck_sum_of_squares and ck_integral, computed in one pass, with the same bits.
ck_summary_result ck_summary(const double *v, const int64_t *t, size_t n);
/// Returns the greatest end, the greatest end without the last one, and the sum of end - start; n >= 1.
ck_ends_result ck_ends(const int64_t *starts, const int64_t *ends, size_t n);

// --- search.c, checks.c ---

/// Returns the first index with a[i] >= key, or n; `a` is ascending.
size_t ck_lower_bound(const int64_t *a, size_t n, int64_t key);
bool ck_all_finite(const double *v, size_t n);
bool ck_is_ascending(const int64_t *a, size_t n);

// --- crc32c.c ---

/// Returns the CRC-32C (Castagnoli) of n bytes, continuing from `seed`, the CRC of the preceding bytes (0 at the
/// start).
uint32_t ck_crc32c(const uint8_t *bytes, size_t n, uint32_t seed);

// --- crc32.c, fnv.c ---

/// Moves *crc, a CRC-32 as in zip archives, over as many of the bytes as this processor has fast instructions for, and
/// returns their number: a multiple of 64, or 0.
size_t ck_crc32_groups(const uint8_t *bytes, size_t n, uint32_t *crc);

/// Returns a hash of FNV-1a with 64 bits after n more bytes.
uint64_t ck_fnv(const uint8_t *bytes, size_t n, uint64_t hash);

// --- stream.c: patched frame of reference in mini-blocks of 128 values (Docs/Format/Columns.md) ---

enum {
    /// Number of values in a mini-block.
    CK_MINI = 128,
    /// Maximum number of values in a stream.
    CK_STREAM_LIMIT = 6144,
    /// Readable bytes required after the bytes of a stream, and writable elements required after its values.
    CK_SPARE = 64,
};

/// Errors in the bytes of a stream.
enum {
    CK_FINE = 0,
    CK_TOO_MANY, // too many values
    CK_HEADERS, // mini-block headers run past the end
    CK_WIDTH, // width above 64
    CK_EXCEPTION_COUNT, // too many exceptions
    CK_FRAME, // frame is not a varint
    CK_BITS, // bits run past the end
    CK_EXCEPTIONS, // exceptions run past the end
    CK_POSITION, // exception out of place
    CK_VARINT, // exception is not a varint
    CK_HIGH, // exception too wide
};

/// The result of a decoder: CK_FINE and the number of bytes used, or an error and its offset.
typedef struct {
    size_t used;
    int error;
} ck_decoded;

/// Returns the exact size of the stream of n <= CK_STREAM_LIMIT values; `whole_bytes`: only widths 0, 8, 16 ..., no
/// exceptions.
size_t ck_stream_cost(const int64_t *v, size_t n, bool whole_bytes);
/// Returns the maximum length of a stream of n values.
size_t ck_stream_bound(size_t n);
/// Encodes a stream and returns its length; `out` has ck_stream_bound(n) + CK_SPARE bytes.
size_t ck_stream_encode(const int64_t *v, size_t n, bool whole_bytes, uint8_t *out);
/// Decodes n <= CK_STREAM_LIMIT values from at most `length` bytes. CK_SPARE bytes after these must be readable, and
/// CK_SPARE elements after out[n] may be overwritten.
ck_decoded ck_stream_decode(const uint8_t *in, size_t length, size_t n, int64_t *out);
/// Packs n values of `width` bits, LSB first; returns ceil(n * width / 8), and may write up to 16 bytes more.
size_t ck_pack(const uint64_t *v, size_t n, unsigned width, uint8_t *out);
/// Reverses ck_pack; may read up to 64 bytes more and write up to 8 elements more.
void ck_unpack(const uint8_t *in, size_t n, unsigned width, uint64_t *out);

#include "merge.h"
#include "scaled.h"
#include "windows.h"

#include "sequences.h"

// --- integers.c: transforms of integers; all arithmetic wraps ---

/// Computes d[0] = 0, d[i] = v[i] - v[i - 1].
void ck_delta(const int64_t *v, size_t n, int64_t *d);
/// Computes v[i] = base + unit * (v[0] + ... + v[i]); may overwrite 8 elements after the last.
void ck_accumulate(int64_t *v, size_t n, uint64_t unit, int64_t base);
/// Computes v[i] = base + unit * v[i]; may overwrite 8 elements after the last.
void ck_scale(int64_t *v, size_t n, uint64_t unit, int64_t base);
/// Computes q[i] = d[i] / unit up to the first inexact quotient; returns the number of exact ones (n if all are exact),
/// possibly rounded down to a multiple of 8.
size_t ck_divide_exactly(const int64_t *d, size_t n, uint64_t unit, int64_t *q);
/// Returns the greatest common divisor of the magnitudes; 0 if all are 0. Overwrites n elements of `scratch`.
uint64_t ck_gcd(const int64_t *d, size_t n, int64_t *scratch);
/// Converts nanoseconds to ticks of 2^-23 s after `second`, up to the first inexact one; returns the number converted.
size_t ck_to_ticks(const int64_t *v, size_t n, int64_t second, int64_t *ticks);
/// Reverses ck_to_ticks: rounds each tick to the nearest nanosecond, ties up.
void ck_from_ticks(int64_t *v, size_t n, int64_t second);
/// Returns the number of values that differ from 0.
size_t ck_count_nonzero(const int64_t *d, size_t n);
/// Returns the number of values that differ from their predecessors.
size_t ck_count_changes(const int64_t *v, size_t n);
/// Computes out[i] = table[codes[i]], with codes[i] < 256.
void ck_look_up(const uint64_t *codes, size_t n, const int64_t *table, int64_t *out);
/// Collects the distinct values in order of appearance and each value's code; returns 0 for more than `limit` <= 256
/// values.
size_t ck_distinct(const int64_t *v, size_t n, size_t limit, int64_t *table, uint64_t *codes);

// --- reals.c: doubles as integers and back ---

/// Finds k[i] with k[i] / divisor == v[i] to the bit and |k[i]| < 2^51. If there is none, k[i] repeats a neighbour and
/// i is added to `exceptions`. Returns the number of exceptions.
size_t ck_to_scaled(const double *v, size_t n, double divisor, int64_t *k, uint16_t *exceptions);
/// Computes v[i] = k[i] / divisor; may overwrite 8 elements after the last.
void ck_from_scaled(const int64_t *k, size_t n, double divisor, double *v);
/// Converts v[i] to order-preserving 32-bit integers of equal floats; exceptions as in ck_to_scaled.
size_t ck_to_float32(const double *v, size_t n, int64_t *k, uint16_t *exceptions);
void ck_from_float32(const int64_t *k, size_t n, double *v);
/// Converts bit patterns to order-preserving 64-bit integers.
void ck_to_ordered(const double *v, size_t n, int64_t *k);
void ck_from_ordered(const int64_t *k, size_t n, double *v);
/// Reads the doubles of n little-endian bit patterns, starting at in + at.
void ck_from_bytes(const uint8_t *in, size_t at, size_t n, double *v);
/// Groups bytes of equal significance of all patterns, lowest first. With `with_previous`, of each pattern's difference
/// (xor) to the previous one; the first pattern is compared with itself.
/// Planes of zeros are omitted; `mask` marks the others. `out` has 8 * n + 64 bytes; returns the number of bytes
/// written.
size_t ck_shuffle(const double *v, size_t n, bool with_previous, uint8_t *mask, uint8_t *out);
/// Reverses ck_shuffle; `in` has popcount(mask) * n bytes, `first` is the pattern of the first value if with_previous
/// is set.
void ck_unshuffle(const uint8_t *in, size_t n, bool with_previous, uint64_t first, uint8_t mask, double *v);

#endif
