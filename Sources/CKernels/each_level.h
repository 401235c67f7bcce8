// SPDX-License-Identifier: Apache-2.0
// Includes CK_LEVELS_OF (a header without an include guard) once per level, with LEVEL as the suffix of its functions,
// CK_L as the level's number, and the level's instructions enabled. This header has no guard, either, by design.

#define NAME(f) CK_JOIN(f, LEVEL)
#define INLINE static inline __attribute__((always_inline))

#if CK_X86

#if CK_WITH_VBMI
#pragma clang attribute push(__attribute__((target(CK_TARGET_VBMI))), apply_to = function)
#define LEVEL _vbmi
#define CK_L 3
#include CK_LEVELS_OF
#undef LEVEL
#undef CK_L
#pragma clang attribute pop
#endif

#pragma clang attribute push(__attribute__((target(CK_TARGET_AVX512))), apply_to = function)
#define LEVEL _avx512
#define CK_L 2
#include CK_LEVELS_OF
#undef LEVEL
#undef CK_L
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(CK_TARGET_AVX2))), apply_to = function)
#define LEVEL _avx2
#define CK_L 1
#include CK_LEVELS_OF
#undef LEVEL
#undef CK_L
#pragma clang attribute pop

#endif

#define LEVEL _portable
#define CK_L 0
#include CK_LEVELS_OF
#undef LEVEL
#undef CK_L

#undef NAME
#undef INLINE
#undef CK_LEVELS_OF
