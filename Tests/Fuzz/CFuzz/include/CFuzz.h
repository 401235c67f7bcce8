// SPDX-License-Identifier: Apache-2.0

// What libFuzzer offers to a program that has a `main` of its own.

#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Runs `test` on inputs as the arguments say. Comes with the toolchain.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
