// SPDX-License-Identifier: Apache-2.0
// Conversion of integers to doubles, and exact quotients of doubles, once per level. Requires FP_CONTRACT OFF.

/// Rounds to the nearest double, ties to even.
INLINE v8d NAME(to_double)(v8i k) {
#if CK_L == 1
    // AVX2 has no such instruction: the halves become mantissas of 2^52 and 2^84; one rounded addition combines them.
    const v8u low_magic = UINT64_C(0x4330000000000000), high_magic = UINT64_C(0x4530000080000000);
    v8u x = (v8u)k, low = (x & 0xffffffff) | low_magic, high = (x >> 32) ^ high_magic;
    return ((v8d)high - (0x1p84 + 0x1p63 + 0x1p52)) + (v8d)low;
#else
    return __builtin_convertvector(k, v8d);
#endif
}

/// Returns the correctly rounded quotient a / divisor of an integer |a| <= 2^63, 1e-3 < divisor < 1e16; `reciprocal` is
/// the rounded 1 / divisor. With a fused multiply-add, two corrections by the exact remainder yield the bits of a
/// division (Markstein 1990: the first makes the quotient faithful, the second correct) in a fifth of the time.
INLINE v8d NAME(divide)(v8d a, double divisor, double reciprocal) {
#if CK_L > 0
    v8d d = divisor, y = reciprocal, q = a * y;
    q = __builtin_elementwise_fma(__builtin_elementwise_fma(-q, d, a), y, q);
    return __builtin_elementwise_fma(__builtin_elementwise_fma(-q, d, a), y, q);
#else
    (void)reciprocal;
    return a / divisor;
#endif
}

/// Like `divide`, for |a| < 2^51 and a whole divisor up to 2^40: one correction suffices. The remainder is exact, so
/// the relative error of the unrounded quotient is less than 2^-104. The relative distance of a / divisor from a
/// midpoint of two doubles is at least 1 / (divisor * 2^54), since a / divisor is no midpoint, which would need 54
/// bits.
INLINE v8d NAME(divide_small)(v8d a, double divisor, double reciprocal) {
#if CK_L > 0
    v8d d = divisor, y = reciprocal, q = a * y;
    return __builtin_elementwise_fma(__builtin_elementwise_fma(-q, d, a), y, q);
#else
    (void)reciprocal;
    return a / divisor;
#endif
}
