// SPDX-License-Identifier: Apache-2.0
//
// What the files of this room share about the layer.

#ifndef KYMO_VFS_H
#define KYMO_VFS_H

#include <sqlite3.h>

/// The VFS that really handles the files of the VFS `name`; null if that is the system's default, or ours over it.
sqlite3_vfs *kymo_vfs_foreign(const char *name);

/// The result of a call of the VFS below, before which `errno` was set to 0: no room by quota, by the limit of a file's
/// size or for one more file is SQLITE_FULL, too.
int kymo_vfs_full(int code);

#endif
