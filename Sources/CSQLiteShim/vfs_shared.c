// SPDX-License-Identifier: Apache-2.0
//
// The memory that the processes with a database share: the index of its log, a mapped file.

#include <errno.h>
#include <sys/mman.h>

#include "vfs.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

int layer_has_place(void volatile *shared, int size) {
    // What is no mapping of a file, such as a VFS has that shares memory of its own, or what an older system does not
    // know, is left as it is.
    if (madvise((void *)shared, (size_t)size, MADV_POPULATE_WRITE) == 0) return 1;
    return errno != EFAULT && errno != ENOSPC && errno != EDQUOT;
}
