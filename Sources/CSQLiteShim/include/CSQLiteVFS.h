// SPDX-License-Identifier: Apache-2.0
//
// The layer between SQLite and the files of a catalog: a VFS of our own over another one, which it names. SQLite's
// default VFS stays what it was: other users of SQLite in the process never meet this one.

#ifndef KYMO_CSQLITE_VFS_H
#define KYMO_CSQLITE_VFS_H

#include <stdint.h>

/// Registers the layer under a name, over the VFS called `base`; null is the system's default at this moment. A second
/// registration of a name changes nothing. Returns SQLite's result code: 0, or 1 if there is no such base.
int kymo_vfs_register(const char *name, const char *base);
/// Takes the layer of a name away; no connection may use it any more. 0, or 1 if there is none.
int kymo_vfs_unregister(const char *name);

/// EINVAL, ENOENT, ENOSPC and EROFS, for Swift, which this room spares the C library's module.
extern const int KYMO_NOT_REGULAR, KYMO_NOT_FOUND, KYMO_NO_SPACE, KYMO_READ_ONLY;

// What the catalog asks about files beside SQLite, of the VFS that is called `vfs`. Where that is the system's default,
// or our layer over it, the operating system is asked, which knows more; any other is asked by its own calls.

/// Makes an empty file only its owner can read, where nothing is yet (not even a link). 0, or an errno.
int kymo_file_create_private(const char *vfs, const char *path);
/// Size of a regular file, not through a link at its last component. 0, or an errno (EINVAL: not a regular file).
/// `KYMO_NOT_REGULAR` is that EINVAL.
/// It does not open the file: closing a descriptor of a database would drop the locks SQLite holds on it.
int kymo_file_size(const char *vfs, const char *path, int64_t *size);
/// 1 if the file stands on a file system mounted read-only, 0 if not, -1 if that cannot be found out.
int kymo_file_on_read_only_mount(const char *vfs, const char *path);
/// Removes a file. 0, or an errno.
int kymo_file_remove(const char *vfs, const char *path);
/// Writes a write-ahead log's bytes again where they are and syncs them: what an earlier sync failed to write counts as
/// clean for the system, and only writing it again makes it durable. No locks hang on a log. 0, or an errno.
int kymo_file_rewrite_log(const char *vfs, const char *path);
/// The text of an errno, in a buffer of the caller's.
void kymo_sqlite_error_text(int error, char *buffer, int capacity);

#endif
