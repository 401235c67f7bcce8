// SPDX-License-Identifier: Apache-2.0
//
// The version, texts and streams in memory of the library, and the destructor of Python's capsules.

#include "kymograph.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *(*get_pointer)(void *, const char *);
static int (*is_valid)(void *, const char *);

int32_t kymo_abi_version(void) { return KYMO_ABI; }

const char *kymo_version(void) { return "0.1.0"; }

struct ArrowArrayStream *kymo_stream_alloc(void) { return calloc(1, sizeof(struct ArrowArrayStream)); }

void kymo_stream_free(struct ArrowArrayStream *stream) {
    if (stream == NULL) return;
    if (stream->release != NULL) stream->release(stream);
    free(stream);
}

char *ck_copy_text(const char *text) { return strdup(text); }

void kymo_text_free(char *text) { free(text); }

void kymo_python_init(void *(*get)(void *, const char *), int (*valid)(void *, const char *)) {
    get_pointer = get;
    is_valid = valid;
}

void kymo_python_capsule_destructor(void *capsule) {
    if (get_pointer == NULL || is_valid == NULL) return;
    // A consumer renames the capsule whose stream it has taken.
    if (is_valid(capsule, "arrow_array_stream")) kymo_stream_free(get_pointer(capsule, "arrow_array_stream"));
}
