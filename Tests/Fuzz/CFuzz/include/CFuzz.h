// SPDX-License-Identifier: Apache-2.0

// What libFuzzer offers to a program that has a `main` of its own, and what is laid between the two.

#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Runs `test` on inputs as the arguments say. Comes with the toolchain.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

/// From here on nothing is told to libFuzzer: neither edges nor comparisons.
void fuzz_hide(void);
/// From here on libFuzzer sees again, and finds its counters as they were. How many edges were reached in between that
/// no input had reached, nor anything hidden.
size_t fuzz_show(void);
/// Whether one of those edges was reached since the last call, which is then no longer one of them.
int fuzz_reached(void);

/// Counts one input, and prints the number of all and of different ones when the program ends. It does so when there
/// were as many different ones as `KYMOGRAPH_FUZZ_DISTINCT` says in the environment.
void fuzz_count(const uint8_t *data, size_t size);

/// Loses an allocation.
void fuzz_leak(void);

#endif
