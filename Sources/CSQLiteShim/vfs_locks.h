// SPDX-License-Identifier: Apache-2.0
//
// The locks of a database and the memory that its processes share, as the layer takes them.
//
// SQLite's own VFS for Unix takes locks of the process. They are dropped when any code of the process closes a
// descriptor of the file, for instance another copy of SQLite, and a forked child has none. These are locks of open
// file descriptions: at the same bytes and of the same meaning, so that any SQLite in any process respects them.

#ifndef CSQ_VFS_LOCKS_H
#define CSQ_VFS_LOCKS_H

#include <sqlite3.h>

struct layer_locks;

/// Opens the database's file once more, for its locks, and reads its access mode for the shared memory. An SQLite code.
int csq_locks_open(const char *path, struct layer_locks **opened);
/// Closes it, which ends the locks. Null is nothing.
void csq_locks_close(struct layer_locks *locks);

// The methods of the same names (https://www.sqlite.org/c3ref/io_methods.html).
int csq_locks_lock(struct layer_locks *locks, int level);
int csq_locks_unlock(struct layer_locks *locks, int level);
int csq_locks_check_reserved(struct layer_locks *locks, int *held);
int csq_locks_shm_map(struct layer_locks *locks, int region, int size, int extend, void volatile **found);
int csq_locks_shm_lock(struct layer_locks *locks, int offset, int count, int flags);
int csq_locks_shm_unmap(struct layer_locks *locks, int remove);

/// Whether the calling process is a child that was forked with the database open. A child takes and releases no locks.
int csq_locks_are_of_parent(const struct layer_locks *locks);

/// Makes sure that every page of shared memory that is written later has a place in the file system. With blocks of
/// less than 4,096 bytes a file has holes, and to write to one on a full disk ends the process.
int csq_vfs_layer_has_place(void volatile *shared, int size);

#endif
