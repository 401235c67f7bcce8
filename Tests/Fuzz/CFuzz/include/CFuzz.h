// SPDX-License-Identifier: Apache-2.0

// Functions that libFuzzer offers to a program with its own `main`, and functions that hide code from it.

#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Runs `test` on inputs according to the arguments. Part of the toolchain.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

/// Hides the code that follows from libFuzzer: it sees neither edges nor comparisons.
void fuzz_hide(void);
/// Ends the hiding and restores libFuzzer's counters. Returns the number of edges reached in between for the first time
/// by any code.
size_t fuzz_show(void);
/// Returns 1 if one of those edges was reached since the last call, and removes it from them; otherwise 0.
int fuzz_reached(void);

/// Counts one input. Prints the numbers of all and of distinct inputs when the program ends, and ends it after the
/// number of distinct inputs in the environment variable `KYMOGRAPH_FUZZ_DISTINCT`.
void fuzz_count(const uint8_t *data, size_t size);

/// Leaks an allocation.
void fuzz_leak(void);

#endif
