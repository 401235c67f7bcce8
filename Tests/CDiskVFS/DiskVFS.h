// SPDX-License-Identifier: Apache-2.0
//
// Declarations shared by the files of CDiskVFS: an open file, and the locks of the file that it stands for.

#ifndef KYMO_DISK_VFS_PRIVATE_H
#define KYMO_DISK_VFS_PRIVATE_H

#include <sqlite3.h>

#include "CDiskVFS.h"

enum { SHARED_REGIONS = 64 };

/// One file under one name, shared by all connections that have it open.
struct node {
    struct node *next;
    const struct kymo_disk_calls *disk;
    char *path;
    int users;
    // Locks of the database file.
    int shared;
    struct disk_file *reserved;
    struct disk_file *pending;
    struct disk_file *exclusive;
    // The index of the write-ahead log.
    int shared_memory_users;
    void *regions[SHARED_REGIONS];
    struct disk_file *files;
};

struct disk_file {
    sqlite3_file base;
    const struct kymo_disk_calls *disk;
    int64_t handle;
    struct node *node;
    struct disk_file *next;
    int level;
    /// True if the first sync must make the name of a new log durable, as in the system's VFS.
    int sync_directory;
    int has_shared_memory;
    uint16_t shared_mask;
    uint16_t exclusive_mask;
};

/// Guards all nodes.
void kymo_disk_enter(void);
void kymo_disk_leave(void);

struct node *kymo_disk_node(const struct kymo_disk_calls *disk, const char *path);
void kymo_disk_release(struct node *node, struct disk_file *file);

int kymo_disk_lock(sqlite3_file *base, int level);
int kymo_disk_unlock(sqlite3_file *base, int level);
int kymo_disk_check_reserved(sqlite3_file *base, int *result);
int kymo_disk_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **out);
int kymo_disk_shm_lock(sqlite3_file *base, int offset, int count, int flags);
void kymo_disk_shm_barrier(sqlite3_file *base);
int kymo_disk_shm_unmap(sqlite3_file *base, int remove);

#endif
