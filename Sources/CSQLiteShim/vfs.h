// SPDX-License-Identifier: Apache-2.0
//
// What the files of this room share about the layer.

#ifndef KYMO_VFS_H
#define KYMO_VFS_H

#include <sqlite3.h>

/// The VFS that really handles the files of the VFS `name`; null if that is the system's default, or ours over it.
sqlite3_vfs *kymo_vfs_foreign(const char *name);

#endif
