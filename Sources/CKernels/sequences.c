// SPDX-License-Identifier: Apache-2.0
// Decoding of sequences directly from bits to numbers.
//
// Most values of a stream of windows have few bits, so a group of eight can be summed in lanes of 16 or 32 bits. Only
// the sums are widened, and the value before the group is added to all eight at once. All other streams are decoded to
// integers first.

#include "reach.h"
#include "window_plan.h"

#pragma STDC FP_CONTRACT OFF

/// The values of a stream in lanes, with space for 64 more.
typedef union {
    int16_t narrow[CK_STREAM_LIMIT + 64];
    int32_t wide[CK_STREAM_LIMIT + 64];
} __attribute__((aligned(64))) ck_lanes;

/// Kinds for integers below 2^51 and, if scaled, whole divisors up to 2^40. The integers have CK_MAGIC added, the bits
/// of 1.5 * 2^52; the low bits of such a double are those of the integer.
enum { CK_SMALL_WHOLE = CK_AS_ORDERED + 1, CK_SMALL_SCALED };
#define CK_MAGIC UINT64_C(0x4338000000000000)

typedef struct {
    const ck_sequence *sequence;
    int kind;
    /// 1 / divisor, rounded.
    double reciprocal;
} ck_meaning;

/// Returns a bound greater than the distance of any value from the centre.
static inline uint64_t ck_window_reach(const ck_window_plan *plan) {
    return (ck_low_bits(plan->width) >> 1) + plan->reach;
}

/// Whether the sum of eight values less their centres stays within 2^15 (or 2^31) in both directions.
__attribute__((unused)) static inline bool ck_fits_16(const ck_window_plan *plan) {
    return plan->width <= 13 && plan->reach <= 4096 && 8 * ck_window_reach(plan) < 1 << 15;
}

static inline bool ck_fits_32(const ck_window_plan *plan) {
    return plan->width <= CK_LANE_WIDTH && plan->reach <= 1 << 28 && 8 * ck_window_reach(plan) < UINT64_C(1) << 31;
}

/// Whether the fields prove that no integer is less than its predecessor.
static bool ck_proves_ascending(const ck_window_plan *plan, size_t n, const ck_sequence *sequence) {
    if (!sequence->is_delta || sequence->unit >> 31 != 0 || !ck_fits_32(plan)) return false;
    uint64_t reach = ck_window_reach(plan);
    if (plan->centre >> 48 != 0 || plan->centre < (ck_low_bits(plan->width) >> 1) + plan->below) return false;
    unsigned __int128 most = (unsigned __int128)(plan->centre + reach + 1) * n * sequence->unit;
    return (__int128)sequence->base + (__int128)most <= INT64_MAX;
}

/// Returns the sequence's kind, or the corresponding small kind if that suffices; `reach` is a bound of the magnitude
/// of all numbers in the stream.
static int ck_kind_of(const ck_sequence *sequence, size_t n, uint64_t reach) {
    const int kind = sequence->kind;
    if (kind != CK_AS_WHOLE && kind != CK_AS_SCALED) return kind;
    if (sequence->unit >> 31 != 0 || reach >> 31 != 0) return kind;
    uint64_t base = ck_magnitude((uint64_t)sequence->base), step = reach * sequence->unit;
    if (base >> 51 != 0 || step >> 51 != 0 || (base + (sequence->is_delta ? n : 1) * step) >> 51 != 0) return kind;
    if (kind == CK_AS_WHOLE) return CK_SMALL_WHOLE;
    double divisor = sequence->divisor;
    return divisor <= 0x1p40 && divisor == (double)(int64_t)divisor ? CK_SMALL_SCALED : kind;
}

#define CK_LEVELS_OF "sequences_levels.h"
#define CK_WITH_VBMI 1
#include "each_level.h"

/// Requires a level above the portable one, which has no lanes. The caller reads the level once, because it may change.
static bool ck_fill_windows(
    int level, const uint8_t *in, size_t n, const ck_window_plan *plan, const ck_meaning *meaning, uint64_t *out) {
#if CK_X86
    switch (level) {
    case CK_AVX512_VBMI: return ck_fill_windows_vbmi(in, n, plan, meaning, out);
    case CK_AVX512: return ck_fill_windows_avx512(in, n, plan, meaning, out);
    case CK_AVX2: return ck_fill_windows_avx2(in, n, plan, meaning, out);
    }
#endif
    (void)level;
    return ck_fill_windows_portable(in, n, plan, meaning, out);
}

static void ck_emit_any(const uint64_t *y, size_t n, bool are_small, const ck_meaning *meaning, uint64_t *out) {
    CK_DISPATCH(ck_emit_any, y, n, are_small, meaning, out);
}

ck_sequence_result ck_decode_sequence(
    const uint8_t *in, size_t at, size_t end, size_t n, const ck_sequence *sequence, void *out) {
    const size_t length = end - at;
    in += at;
    ck_meaning meaning = {sequence, sequence->kind, 1.0 / sequence->divisor};
    ck_decoded result;
    const int level = ck_level();
    if (sequence->has_windows && level > CK_PORTABLE && sequence->unit >> 31 == 0) {
        ck_window_plan plan;
        result = ck_plan_windows(in, length, n, &plan);
        if (result.error != CK_FINE) return (ck_sequence_result){result.used, result.error, false};
        if (ck_fits_32(&plan)) {
            uint64_t centre = ck_magnitude(plan.centre);
            meaning.kind = ck_kind_of(sequence, n, ck_sum_of_reaches(centre, ck_window_reach(&plan), 0));
            bool fits = ck_fill_windows(level, in, n, &plan, &meaning, out);
            return (ck_sequence_result){
                result.used, fits ? CK_FINE : CK_ESCAPES, fits && ck_proves_ascending(&plan, n, sequence)};
        }
    }
    int64_t y[CK_STREAM_LIMIT + CK_SPARE];
    uint64_t reach;
    if (sequence->has_windows) {
        result = ck_windows_decode_within(in, length, n, y, &reach);
    } else {
        result = ck_stream_decode_within(in, length, n, y, &reach);
    }
    if (result.error == CK_FINE) {
        meaning.kind = ck_kind_of(sequence, n, reach);
        // The product with the unit is then a product of 32-bit numbers.
        bool are_small = reach >> 31 == 0 && sequence->unit >> 31 == 0;
        ck_emit_any((const uint64_t *)y, n, are_small, &meaning, out);
    }
    return (ck_sequence_result){result.used, result.error, false};
}
