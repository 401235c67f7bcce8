// SPDX-License-Identifier: Apache-2.0
//
// Locks and shared memory of databases on a test disk, for the connections of this process.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "DiskVFS.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes;

void kymo_disk_enter(void) { pthread_mutex_lock(&guard); }
void kymo_disk_leave(void) { pthread_mutex_unlock(&guard); }

struct node *kymo_disk_node(const struct kymo_disk_calls *disk, const char *path) {
    for (struct node *node = nodes; node; node = node->next) {
        if (node->disk == disk && strcmp(node->path, path) == 0) {
            node->users++;
            return node;
        }
    }
    struct node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->path = strdup(path);
    if (!node->path) {
        free(node);
        return NULL;
    }
    node->disk = disk;
    node->users = 1;
    node->next = nodes;
    nodes = node;
    return node;
}

static void forget_memory(struct node *node) {
    for (int i = 0; i < SHARED_REGIONS; i++) {
        free(node->regions[i]);
        node->regions[i] = NULL;
    }
}

void kymo_disk_release(struct node *node, struct disk_file *file) {
    for (struct disk_file **at = &node->files; *at; at = &(*at)->next) {
        if (*at == file) {
            *at = file->next;
            break;
        }
    }
    if (--node->users > 0) return;
    for (struct node **at = &nodes; *at; at = &(*at)->next) {
        if (*at == node) {
            *at = node->next;
            break;
        }
    }
    forget_memory(node);
    free(node->path);
    free(node);
}

/// Sets one of SQLite's five lock levels, as its documentation of file locking describes them.
static int lock(struct disk_file *file, int level) {
    struct node *node = file->node;
    if (file->level >= level) return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        if (node->pending || node->exclusive) return SQLITE_BUSY;
        node->shared++;
        file->level = SQLITE_LOCK_SHARED;
        return SQLITE_OK;
    }
    if (level == SQLITE_LOCK_RESERVED) {
        if ((node->reserved && node->reserved != file) || node->pending || node->exclusive) return SQLITE_BUSY;
        node->reserved = file;
        file->level = SQLITE_LOCK_RESERVED;
        return SQLITE_OK;
    }
    if ((node->reserved && node->reserved != file) || (node->pending && node->pending != file)) return SQLITE_BUSY;
    node->pending = file;
    file->level = SQLITE_LOCK_PENDING;
    if (node->shared > 1) return SQLITE_BUSY;
    node->exclusive = file;
    file->level = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static void unlock(struct disk_file *file, int level) {
    struct node *node = file->node;
    if (file->level <= level) return;
    if (node->exclusive == file) node->exclusive = NULL;
    if (node->pending == file) node->pending = NULL;
    if (node->reserved == file) node->reserved = NULL;
    if (level == SQLITE_LOCK_NONE && file->level >= SQLITE_LOCK_SHARED) node->shared--;
    file->level = level;
}

int kymo_disk_lock(sqlite3_file *base, int level) {
    kymo_disk_enter();
    int result = lock((struct disk_file *)base, level);
    kymo_disk_leave();
    return result;
}

int kymo_disk_unlock(sqlite3_file *base, int level) {
    kymo_disk_enter();
    unlock((struct disk_file *)base, level);
    kymo_disk_leave();
    return SQLITE_OK;
}

int kymo_disk_check_reserved(sqlite3_file *base, int *result) {
    struct disk_file *file = (struct disk_file *)base;
    kymo_disk_enter();
    *result = file->node->reserved || file->node->pending || file->node->exclusive;
    kymo_disk_leave();
    return SQLITE_OK;
}

int kymo_disk_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **out) {
    struct disk_file *file = (struct disk_file *)base;
    *out = NULL;
    if (region < 0 || region >= SHARED_REGIONS) return SQLITE_IOERR_SHMSIZE;
    int result = SQLITE_OK;
    kymo_disk_enter();
    if (!file->has_shared_memory) {
        file->has_shared_memory = 1;
        file->node->shared_memory_users++;
    }
    void **place = &file->node->regions[region];
    if (!*place && extend) {
        *place = calloc(1, (size_t)size);
        if (!*place) result = SQLITE_NOMEM;
    }
    *out = *place;
    kymo_disk_leave();
    return result;
}

int kymo_disk_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    struct disk_file *file = (struct disk_file *)base;
    uint16_t mask = (uint16_t)((1u << (offset + count)) - (1u << offset));
    int result = SQLITE_OK;
    kymo_disk_enter();
    if (flags & SQLITE_SHM_UNLOCK) {
        file->shared_mask &= (uint16_t)~mask;
        file->exclusive_mask &= (uint16_t)~mask;
    } else {
        for (struct disk_file *other = file->node->files; other; other = other->next) {
            if (other == file) continue;
            uint16_t held = other->exclusive_mask;
            if (flags & SQLITE_SHM_EXCLUSIVE) held |= other->shared_mask;
            if (held & mask) result = SQLITE_BUSY;
        }
        if (result == SQLITE_OK && (flags & SQLITE_SHM_EXCLUSIVE)) file->exclusive_mask |= mask;
        if (result == SQLITE_OK && (flags & SQLITE_SHM_SHARED)) file->shared_mask |= mask;
    }
    kymo_disk_leave();
    return result;
}

void kymo_disk_shm_barrier(sqlite3_file *base) {
    (void)base;
    __sync_synchronize();
    // A barrier that also waits for the threads that hold the guard, as in the system's VFS.
    kymo_disk_enter();
    kymo_disk_leave();
}

int kymo_disk_shm_unmap(sqlite3_file *base, int remove) {
    (void)remove;
    struct disk_file *file = (struct disk_file *)base;
    kymo_disk_enter();
    if (file->has_shared_memory) {
        file->has_shared_memory = 0;
        file->shared_mask = 0;
        file->exclusive_mask = 0;
        if (--file->node->shared_memory_users == 0) forget_memory(file->node);
    }
    kymo_disk_leave();
    return SQLITE_OK;
}
