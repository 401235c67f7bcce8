// SPDX-License-Identifier: Apache-2.0

#include "CFuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A counter for each edge, placed by the compiler.
extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));

static int hidden;
// The counters after the input, and whether each edge was ever reached.
static uint8_t *kept, *seen;
// Edges that only hidden code has reached.
static size_t fresh[1024], freshCount;

static size_t edges(void) { return (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs); }

void fuzz_hide(void) {
    if (kept == NULL) {
        kept = malloc(edges() + 1);
        seen = calloc(edges() + 1, 1);
        if (kept == NULL || seen == NULL) abort();
    }
    memcpy(kept, __start___sancov_cntrs, edges());
    hidden = 1;
}

// Returns whether a range of counters includes an edge that was never reached before, and marks its edges as reached.
// Vectorizable, because it reads all edges after every input.
__attribute__((no_sanitize("address", "undefined"))) static int find(size_t start, size_t end) {
    const uint8_t *counters = __start___sancov_cntrs;
    uint8_t any = 0;
    for (size_t edge = start; edge < end; edge++) {
        any |= counters[edge] & (uint8_t)~seen[edge] & (uint8_t)-(kept[edge] == 0);
        seen[edge] |= (uint8_t)-(counters[edge] != 0);
    }
    return any != 0;
}

size_t fuzz_show(void) {
    if (!hidden) return 0;
    enum { stretch = 1024 };
    uint8_t before[stretch];
    freshCount = 0;
    for (size_t start = 0; start < edges(); start += stretch) {
        size_t end = start + stretch < edges() ? start + stretch : edges();
        memcpy(before, seen + start, end - start);
        if (!find(start, end)) continue;
        for (size_t edge = start; edge < end && freshCount < sizeof fresh / sizeof *fresh; edge++) {
            if (seen[edge] && !before[edge - start] && kept[edge] == 0) fresh[freshCount++] = edge;
        }
    }
    memcpy(__start___sancov_cntrs, kept, edges());
    hidden = 0;
    return freshCount;
}

int fuzz_reached(void) {
    size_t left = 0;
    for (size_t index = 0; index < freshCount; index++) {
        if (__start___sancov_cntrs[fresh[index]] == 0) fresh[left++] = fresh[index];
    }
    int reached = left < freshCount;
    freshCount = left;
    return reached;
}

// The linker places these before libFuzzer's functions (`--wrap`). Each ends in a jump, so that the return address
// remains that of the comparison.
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

// The number of distinct inputs is estimated by the longest run of zeros among the hashes of each of 2^14 classes
// (HyperLogLog): within 1 %, in 16 KiB.
enum { classes = 1 << 14 };
static uint8_t longest[classes];
// The numbers of all inputs, and of those without variants.
static uint64_t count, inputs;

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

// Part of the toolchain: checks for leaks and ends the process if it finds any.
extern void __lsan_do_leak_check(void) __attribute__((weak));

static void report(void) {
    fprintf(stderr, "stat::decoded: %llu\nstat::distinct: %llu\n", (unsigned long long)count,
            (unsigned long long)different());
}

static uint64_t fold(uint64_t value) {
    unsigned __int128 product = (unsigned __int128)(value ^ 0xa0761d6478bd642f) * 0xe7037ed1a0b428db;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

void fuzz_count(const uint8_t *data, size_t size) {
    static uint64_t goal;
    if (count == 0) {
        atexit(report);
        const char *text = getenv("KYMOGRAPH_FUZZ_DISTINCT");
        goal = text == NULL ? 0 : strtoull(text, NULL, 10);
    }
    // libFuzzer has no such limit and would report an exit as a finding.
    if (goal > 0 && count % 65536 == 0 && different() >= goal) {
        fprintf(stderr, "stat::number_of_executed_units: %llu\n", (unsigned long long)inputs);
        report();
        if (__lsan_do_leak_check) __lsan_do_leak_check();
        _exit(0);
    }
    count++;
    inputs += !hidden;
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
