// SPDX-License-Identifier: Apache-2.0
//
// The layer's implementation of a database's locks and of the memory shared between processes.
//
// SQLite's own VFS for Unix uses locks of the process. Such locks are released when any code in the process closes a
// descriptor of the file, for instance another copy of SQLite, and a forked child has none. These are locks of open
// file descriptions, with the same bytes and meaning, so that any SQLite in any process respects them.

#ifndef CSQ_VFS_LOCKS_H
#define CSQ_VFS_LOCKS_H

#include <sqlite3.h>

struct layer_locks;

/// Opens another descriptor of the database's file for its locks. Returns an SQLite code.
/// `suffix`: the ending by which the path of the shared memory differs from `path`.
int csq_locks_open(const char *path, const char *suffix, struct layer_locks **opened);
/// Closes the descriptor, which releases the locks. Null is allowed.
void csq_locks_close(struct layer_locks *locks);

// The I/O methods of the same names (https://www.sqlite.org/c3ref/io_methods.html).
int csq_locks_lock(struct layer_locks *locks, int level);
int csq_locks_unlock(struct layer_locks *locks, int level);
int csq_locks_check_reserved(struct layer_locks *locks, int *held);
int csq_locks_shm_map(struct layer_locks *locks, int region, int size, int extend, void volatile **found);
int csq_locks_shm_lock(struct layer_locks *locks, int offset, int count, int flags);
int csq_locks_shm_unmap(struct layer_locks *locks, int remove);

/// Whether the process was forked while its parent had the database open. A child takes and releases no locks.
int csq_locks_are_of_parent(const struct layer_locks *locks);

/// Ensures that the file system has allocated every page of the shared memory. With blocks smaller than 4,096 bytes a
/// file may have holes, and a write to a hole on a full disk ends the process.
int csq_layer_has_place(void volatile *shared, int size);

#endif
