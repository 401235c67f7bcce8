// SPDX-License-Identifier: Apache-2.0
//
// Memory that callers of the C interface free. Not a part of the interface.

#ifndef KYMOGRAPH_MEMORY_H
#define KYMOGRAPH_MEMORY_H

// Returns a copy of a text, which kymo_text_free frees; NULL without memory.
char *ck_copy_text(const char *text);

#endif
