// SPDX-License-Identifier: Apache-2.0
//
// CDiskVFS: lets SQLite keep its files on a disk that a test provides, so that one order of calls, one fault model and
// one crash image cover the catalog and the segments together. Locks and the shared index live in this process.

#ifndef KYMO_CDISK_VFS_H
#define KYMO_CDISK_VFS_H

#include <stdint.h>

/// The calls of a disk. Numbers below zero, and errors other than 0, are system error numbers (negative where a result
/// could be meant).
struct kymo_disk_calls {
    void *context;
    /// A handle above zero, or a negative error. With `create` a file that is there is opened all the same.
    int64_t (*open)(void *context, const char *path, int32_t create, int32_t writable);
    void (*close)(void *context, int64_t handle);
    /// How many bytes were read, fewer only at the file's end, or a negative error.
    int64_t (*read)(void *context, int64_t handle, uint8_t *out, int64_t count, int64_t at);
    int32_t (*write)(void *context, int64_t handle, const uint8_t *bytes, int64_t count, int64_t at);
    int32_t (*truncate)(void *context, int64_t handle, int64_t size);
    int32_t (*sync)(void *context, int64_t handle);
    int64_t (*size)(void *context, int64_t handle);
    int32_t (*remove)(void *context, const char *path);
    /// 1, 0, or a negative error.
    int32_t (*exists)(void *context, const char *path);
    int32_t (*sync_directory)(void *context, const char *path);
};

/// Registers a VFS under a name; 0, or SQLite's error. The name and the calls are copied.
int32_t kymo_disk_vfs_register(const char *name, const struct kymo_disk_calls *calls);

/// Forgets a VFS that no connection uses any more.
void kymo_disk_vfs_unregister(const char *name);

/// How many files are open through all of them.
int32_t kymo_disk_vfs_open_files(void);

/// Opens a database for writing by a second copy of SQLite, which knows nothing of the first one and of its VFS. 0, or
/// SQLite's error.
int32_t kymo_other_sqlite_open(const char *path, void **opened);
/// 1 if that copy has VFSs of its own, 0 if its calls reach the first copy.
int32_t kymo_other_sqlite_is_apart(void);
/// Runs statements; the first column of the first row, or the message of the error, as text. 0, or SQLite's error.
int32_t kymo_other_sqlite_run(void *database, const char *sql, char *answer, int32_t capacity);
void kymo_other_sqlite_close(void *database);

/// Forks, runs `body` in the child and ends it with what that returns; the child's number, or -1.
int32_t kymo_fork_and_run(int32_t (*body)(void *context), void *context);
/// Waits for a child; what it ended with, or -1 if a signal ended it.
int32_t kymo_wait_for_child(int32_t child);

#endif
