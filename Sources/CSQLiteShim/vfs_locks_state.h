// SPDX-License-Identifier: Apache-2.0
//
// What the two files about locks share.

#ifndef CSQ_VFS_LOCKS_STATE_H
#define CSQ_VFS_LOCKS_STATE_H

#include <stdint.h>

struct layer_locks {
    /// A descriptor of the database's file that carries its locks.
    int database;
    /// SQLite's level of the lock on the database.
    int level;
    /// The process that opened it.
    uint64_t owner;
    /// The path of the database; the shared memory's is made of it.
    const char *path;

    /// A descriptor of the shared memory's file, which carries its locks; -1 while it is not open.
    int shared;
    int is_read_only;
    /// No connection that may write the shared memory had it open, so its content means nothing.
    int is_unlocked;
    /// The maps, each of as many regions as a page of the operating system needs.
    void **maps;
    int map_count, regions_of_map, region_size;
};

/// SQLite's code for an errno of a lock; `failure` for what is no conflict.
int csq_locks_result(int error, int failure);

#endif
