// SPDX-License-Identifier: Apache-2.0
//
// CDiskVFS: lets SQLite keep its files on a disk of a test, so that the catalog and the segments share one order of
// calls, one fault model and one crash image. Locks and the shared index live in this process.

#ifndef KYMO_CDISK_VFS_H
#define KYMO_CDISK_VFS_H

#include <stdint.h>

/// The calls of a disk. Results are numbers, or negated errno values where a result is possible; otherwise 0 or an
/// errno value.
struct kymo_disk_calls {
    void *context;
    /// Returns a handle above zero, or a negated errno. With `create`, an existing file is opened.
    int64_t (*open)(void *context, const char *path, int32_t create, int32_t writable);
    void (*close)(void *context, int64_t handle);
    /// Returns the number of bytes read, fewer only at the end of the file, or a negated errno.
    int64_t (*read)(void *context, int64_t handle, uint8_t *out, int64_t count, int64_t at);
    int32_t (*write)(void *context, int64_t handle, const uint8_t *bytes, int64_t count, int64_t at);
    int32_t (*truncate)(void *context, int64_t handle, int64_t size);
    int32_t (*sync)(void *context, int64_t handle);
    int64_t (*size)(void *context, int64_t handle);
    int32_t (*remove)(void *context, const char *path);
    /// Returns 1, 0, or a negated errno.
    int32_t (*exists)(void *context, const char *path);
    int32_t (*sync_directory)(void *context, const char *path);
};

/// Registers a VFS under a name. Returns 0 or SQLite's error. Copies the name and the calls.
int32_t kymo_disk_vfs_register(const char *name, const struct kymo_disk_calls *calls);

/// Unregisters a VFS.
///
/// - Requires: no connection uses the VFS.
void kymo_disk_vfs_unregister(const char *name);

/// Returns the number of files open through all registered VFSs.
int32_t kymo_disk_vfs_open_files(void);

/// Opens a database for writing by a second copy of SQLite, which shares no state or VFS with the first one. Returns 0
/// or SQLite's error.
int32_t kymo_other_sqlite_open(const char *path, void **opened);
/// Returns 1 if the copy has its own VFSs, 0 if its calls reach the first copy.
int32_t kymo_other_sqlite_is_apart(void);
/// Runs statements and copies the first column of the first row, or the error message, to `answer`. Returns 0 or
/// SQLite's error.
int32_t kymo_other_sqlite_run(void *database, const char *sql, char *answer, int32_t capacity);
/// Copies pages of the log to the database, by SQLite's function instead of a statement. Returns 0 or SQLite's error.
int32_t kymo_other_sqlite_checkpoint(void *database);
void kymo_other_sqlite_close(void *database);

/// Forks, runs `body` in the child and exits the child with the result. Returns the child's number, or -1.
int32_t kymo_fork_and_run(int32_t (*body)(void *context), void *context);
/// Waits for a child. Returns its exit code, or -1 if a signal ended it.
int32_t kymo_wait_for_child(int32_t child);

/// Opens a pseudo-terminal. Returns the descriptor at which a test types, or -1; writes the path of the terminal, and
/// sets *side to a descriptor of the terminal.
int32_t kymo_terminal_open(char *path, int32_t room, int32_t *side);
/// Returns 1 if the terminal echoes, 0 if it does not, or -1.
int32_t kymo_terminal_echoes(int32_t terminal);
/// Reads the output of the terminal. Returns 0 if there is none within 20 milliseconds.
int32_t kymo_terminal_read(int32_t terminal, uint8_t *bytes, int32_t room);
/// Types bytes. Returns the number of typed bytes, or -1.
int32_t kymo_terminal_type(int32_t terminal, const uint8_t *bytes, int32_t count);
void kymo_terminal_close(int32_t terminal, int32_t side);

#endif
