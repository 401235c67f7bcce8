// SPDX-License-Identifier: Apache-2.0
// Selection of the processor level.

#include "levels.h"
#include <stdatomic.h>

static _Atomic int chosen = -1;

int ck_highest_level(void) {
#if CK_X86
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))) return CK_PORTABLE;
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
          __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("fma"))) {
        return CK_PORTABLE;
    }
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512cd"))) {
        return CK_AVX2;
    }
    bool vbmi = __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
    return vbmi ? CK_AVX512_VBMI : CK_AVX512;
#else
    return CK_PORTABLE;
#endif
}

int ck_level(void) {
    int level = atomic_load_explicit(&chosen, memory_order_relaxed);
    return __builtin_expect(level < 0, 0) ? ck_force_level(-1) : level;
}

int ck_force_level(int level) {
    int highest = ck_highest_level();
    int use = level < 0 || level > highest ? highest : level;
    atomic_store_explicit(&chosen, use, memory_order_relaxed);
    return use;
}
