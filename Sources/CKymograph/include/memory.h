// SPDX-License-Identifier: Apache-2.0
//
// Copies of texts for callers of the C interface. Not a part of the interface.

#ifndef KYMOGRAPH_MEMORY_H
#define KYMOGRAPH_MEMORY_H

// Returns a copy of a text, which kymo_text_free frees; NULL without memory.
char *ck_copy_text(const char *text);

#endif
