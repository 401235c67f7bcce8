// SPDX-License-Identifier: Apache-2.0
//
// State shared by the two files about locks.

#ifndef CSQ_VFS_LOCKS_STATE_H
#define CSQ_VFS_LOCKS_STATE_H

#include <stdint.h>

struct layer_locks {
    /// A descriptor of the database's file that carries its locks.
    int database;
    /// SQLite's lock level on the database.
    int level;
    /// The process that opened the database.
    uint64_t owner;
    /// The path of the database, and the ending by which the path of the shared memory differs from it.
    const char *path, *suffix;

    /// A descriptor of the shared memory's file that carries its locks; -1 while it is not open.
    int shared;
    int is_read_only;
    /// Whether no connection with write access has the shared memory open, so that its content is undefined.
    int is_unlocked;
    /// The mappings; each spans as many regions as fit in a page of the operating system.
    void **maps;
    int map_count, regions_of_map, region_size;
};

/// Returns SQLite's code for the errno of a lock call; `failure` for an error that is not a conflict.
int csq_locks_result(int error, int failure);

#endif
