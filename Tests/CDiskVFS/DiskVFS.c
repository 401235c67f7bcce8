// SPDX-License-Identifier: Apache-2.0
//
// The VFS: forwards SQLite's calls to the test disk.

#include "DiskVFS.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int open_files;

int32_t kymo_disk_vfs_open_files(void) { return atomic_load(&open_files); }

struct disk_vfs {
    sqlite3_vfs base;
    struct kymo_disk_calls calls;
    char *name;
};

static struct disk_file *file_of(sqlite3_file *base) { return (struct disk_file *)base; }

static int close_file(sqlite3_file *base) {
    struct disk_file *file = file_of(base);
    kymo_disk_shm_unmap(base, 0);
    kymo_disk_unlock(base, SQLITE_LOCK_NONE);
    kymo_disk_enter();
    kymo_disk_release(file->node, file);
    kymo_disk_leave();
    file->disk->close(file->disk->context, file->handle);
    atomic_fetch_sub(&open_files, 1);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *out, int count, sqlite3_int64 at) {
    struct disk_file *file = file_of(base);
    int64_t got = file->disk->read(file->disk->context, file->handle, out, count, at);
    if (got < 0) return SQLITE_IOERR_READ;
    if (got == count) return SQLITE_OK;
    memset((char *)out + got, 0, (size_t)(count - got));
    return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 at) {
    struct disk_file *file = file_of(base);
    int32_t error = file->disk->write(file->disk->context, file->handle, bytes, count, at);
    return error == 0 ? SQLITE_OK : error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    struct disk_file *file = file_of(base);
    return file->disk->truncate(file->disk->context, file->handle, size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int sync_file(sqlite3_file *base, int flags) {
    (void)flags;
    struct disk_file *file = file_of(base);
    if (file->disk->sync(file->disk->context, file->handle) != 0) return SQLITE_IOERR_FSYNC;
    if (file->sync_directory) {
        if (file->disk->sync_directory(file->disk->context, file->node->path) != 0) return SQLITE_IOERR_DIR_FSYNC;
        file->sync_directory = 0;
    }
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct disk_file *file = file_of(base);
    int64_t found = file->disk->size(file->disk->context, file->handle);
    if (found < 0) return SQLITE_IOERR_FSTAT;
    *size = found;
    return SQLITE_OK;
}

static int control(sqlite3_file *base, int operation, void *argument) {
    (void)base;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

/// Declares that a torn write does not damage adjacent bytes, as the system's VFS does.
static int characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = kymo_disk_lock,
    .xUnlock = kymo_disk_unlock,
    .xCheckReservedLock = kymo_disk_check_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = kymo_disk_shm_map,
    .xShmLock = kymo_disk_shm_lock,
    .xShmBarrier = kymo_disk_shm_barrier,
    .xShmUnmap = kymo_disk_shm_unmap,
};

static int open_file(sqlite3_vfs *base, const char *path, sqlite3_file *out, int flags, int *out_flags) {
    struct disk_vfs *vfs = (struct disk_vfs *)base;
    struct disk_file *file = file_of(out);
    memset(file, 0, sizeof *file);
    // Temporary files have no name; the catalog uses none.
    if (!path) return SQLITE_CANTOPEN;
    int create = (flags & SQLITE_OPEN_CREATE) != 0;
    int writable = (flags & SQLITE_OPEN_READWRITE) != 0;
    int64_t handle = vfs->calls.open(vfs->calls.context, path, create, writable);
    // Sets errno as the system's VFS does, for callers that distinguish a directory from an unreadable file.
    if (handle == -ENOTSUP) errno = EISDIR;
    if (handle <= 0) return handle == -ENOMEM ? SQLITE_NOMEM : SQLITE_CANTOPEN;
    kymo_disk_enter();
    struct node *node = kymo_disk_node(&vfs->calls, path);
    if (node) {
        file->node = node;
        file->next = node->files;
        node->files = file;
    }
    kymo_disk_leave();
    if (!node) {
        vfs->calls.close(vfs->calls.context, handle);
        return SQLITE_NOMEM;
    }
    file->disk = &vfs->calls;
    file->handle = handle;
    file->sync_directory = create && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL));
    file->base.pMethods = &methods;
    atomic_fetch_add(&open_files, 1);
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *base, const char *path, int sync_directory) {
    struct disk_vfs *vfs = (struct disk_vfs *)base;
    int32_t error = vfs->calls.remove(vfs->calls.context, path);
    if (error == ENOENT) return SQLITE_IOERR_DELETE_NOENT;
    if (error != 0) return SQLITE_IOERR_DELETE;
    if (sync_directory && vfs->calls.sync_directory(vfs->calls.context, path) != 0) return SQLITE_IOERR_DIR_FSYNC;
    return SQLITE_OK;
}

static int access_file(sqlite3_vfs *base, const char *path, int flags, int *result) {
    (void)flags;
    struct disk_vfs *vfs = (struct disk_vfs *)base;
    int32_t found = vfs->calls.exists(vfs->calls.context, path);
    if (found < 0) return SQLITE_IOERR_ACCESS;
    *result = found;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *base, const char *path, int size, char *out) {
    (void)base;
    size_t length = strlen(path);
    if (length >= (size_t)size) return SQLITE_CANTOPEN;
    memcpy(out, path, length + 1);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *base, int count, char *out) {
    (void)base;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xRandomness(system, count, out);
}

static int wait_for(sqlite3_vfs *base, int microseconds) {
    (void)base;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xSleep(system, microseconds);
}

static int current_time(sqlite3_vfs *base, double *out) {
    (void)base;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xCurrentTime(system, out);
}

static int last_error(sqlite3_vfs *base, int count, char *out) {
    (void)base;
    (void)count;
    (void)out;
    return 0;
}

int32_t kymo_disk_vfs_register(const char *name, const struct kymo_disk_calls *calls) {
    struct disk_vfs *vfs = calloc(1, sizeof *vfs);
    if (!vfs) return SQLITE_NOMEM;
    vfs->name = strdup(name);
    if (!vfs->name) {
        free(vfs);
        return SQLITE_NOMEM;
    }
    vfs->calls = *calls;
    vfs->base = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct disk_file),
        .mxPathname = 1024,
        .zName = vfs->name,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xRandomness = randomness,
        .xSleep = wait_for,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
    };
    return sqlite3_vfs_register(&vfs->base, 0);
}

void kymo_disk_vfs_unregister(const char *name) {
    sqlite3_vfs *found = sqlite3_vfs_find(name);
    if (!found || found->xOpen != open_file) return;
    struct disk_vfs *vfs = (struct disk_vfs *)found;
    sqlite3_vfs_unregister(found);
    free(vfs->name);
    free(vfs);
}
