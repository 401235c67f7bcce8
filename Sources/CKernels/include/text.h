// SPDX-License-Identifier: Apache-2.0
// Searches in UTF-8 text. Each searches the range `from..<to`, and returns `to` if it finds nothing.

#ifndef CKERNELS_TEXT_H
#define CKERNELS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the first place with a control character other than tab, line feed and carriage return, or with a byte that
/// does not begin a whole character of well-formed UTF-8.
size_t ck_find_irregular(const uint8_t *text, size_t from, size_t to);

/// Returns the number of line feeds.
size_t ck_count_lines(const uint8_t *text, size_t from, size_t to);

/// Returns the first place with the byte `quote`, and sets `special` if an `&` or a `<` precedes it.
size_t ck_find_quote(const uint8_t *text, size_t from, size_t to, uint8_t quote, bool *special);

#endif
