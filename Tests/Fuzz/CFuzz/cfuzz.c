// SPDX-License-Identifier: Apache-2.0

#include "CFuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A counter for each edge, where the compiler puts them.
extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));

static int hidden;
static uint8_t *kept;

void fuzz_hide(void) {
    size_t size = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
    if (kept == NULL && (kept = malloc(size + 1)) == NULL) abort();
    memcpy(kept, __start___sancov_cntrs, size);
    hidden = 1;
}

void fuzz_show(void) {
    if (!hidden) return;
    memcpy(__start___sancov_cntrs, kept, (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs));
    hidden = 0;
}

// The linker puts these before libFuzzer's own (`--wrap`). Each ends in a jump, so that the place of the comparison
// is still the caller's.
#define WRAP(name, type)                                                                                               \
    void __real_##name(type, type);                                                                                    \
    void __wrap_##name(type left, type right) {                                                                        \
        if (!hidden) __real_##name(left, right);                                                                       \
    }
WRAP(__sanitizer_cov_trace_cmp1, uint8_t)
WRAP(__sanitizer_cov_trace_cmp2, uint16_t)
WRAP(__sanitizer_cov_trace_cmp4, uint32_t)
WRAP(__sanitizer_cov_trace_cmp8, uint64_t)
WRAP(__sanitizer_cov_trace_const_cmp1, uint8_t)
WRAP(__sanitizer_cov_trace_const_cmp2, uint16_t)
WRAP(__sanitizer_cov_trace_const_cmp4, uint32_t)
WRAP(__sanitizer_cov_trace_const_cmp8, uint64_t)

void __real___sanitizer_cov_trace_switch(uint64_t, uint64_t *);
void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) {
    if (!hidden) __real___sanitizer_cov_trace_switch(value, cases);
}

// How many different inputs there were is estimated by the longest run of zeros among the hashes of each of 2^14
// classes (HyperLogLog): within 1 %, in 16 KiB.
enum { classes = 1 << 14 };
static uint8_t longest[classes];
static uint64_t count;

static uint64_t different(void) {
    double sum = 0, zeros = 0;
    for (int index = 0; index < classes; index++) {
        sum += 1.0 / (double)(1ull << longest[index]);
        zeros += longest[index] == 0;
    }
    double estimate = 0.7213 / (1 + 1.079 / classes) * classes * (double)classes / sum;
    if (zeros > 0 && estimate < 2.5 * classes) estimate = classes * __builtin_log(classes / zeros);
    return estimate < (double)count ? (uint64_t)estimate : count;
}

static void report(void) {
    fprintf(stderr, "stat::decoded: %llu\nstat::distinct: %llu\n", (unsigned long long)count,
            (unsigned long long)different());
}

static uint64_t fold(uint64_t value) {
    unsigned __int128 product = (unsigned __int128)(value ^ 0xa0761d6478bd642f) * 0xe7037ed1a0b428db;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

void fuzz_count(const uint8_t *data, size_t size) {
    if (count == 0) atexit(report);
    count++;
    uint64_t state = 0x9e3779b97f4a7c15 ^ size, word = 0;
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        memcpy(&word, data + at, 8);
        state = fold(state ^ word);
    }
    word = 0;
    for (; at < size; at++) word = word << 8 | data[at];
    state = fold(fold(state ^ word) ^ 0xd6e8feb86659fd93);
    uint8_t zeros = (uint8_t)(__builtin_ctzll(state >> 14 | 1ull << 49) + 1);
    if (zeros > longest[state % classes]) longest[state % classes] = zeros;
}

void fuzz_leak(void) {
    void *volatile lost = malloc(1);
    lost = NULL;
    (void)lost;
}
