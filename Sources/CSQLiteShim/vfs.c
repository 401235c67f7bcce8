// SPDX-License-Identifier: Apache-2.0
//
// The layer itself: every call of SQLite goes to the VFS below. The database and its write-ahead log are opened as files
// of our own, which wrap those of the VFS below; every other file (temporary ones, journals) is the VFS's own.

#include "vfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteVFS.h"

/// The layer under one name.
struct layer {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    int over_default;
};

/// A database or a log. The file of the VFS below follows in the same piece of memory.
struct layer_file {
    sqlite3_file face;
};

static struct layer *layer_of(sqlite3_vfs *vfs) { return (struct layer *)vfs->pAppData; }
static sqlite3_vfs *below(sqlite3_vfs *vfs) { return layer_of(vfs)->base; }
static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((struct layer_file *)file + 1); }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return inner(file)->pMethods; }

// --- Files ---

static int file_close(sqlite3_file *file) {
    int code = methods(file)->xClose(inner(file));
    file->pMethods = NULL;
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    return methods(file)->xRead(inner(file), bytes, count, at);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    errno = 0;
    return kymo_vfs_full(methods(file)->xWrite(inner(file), bytes, count, at));
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return methods(file)->xTruncate(inner(file), size);
}

static int file_sync(sqlite3_file *file, int flags) { return methods(file)->xSync(inner(file), flags); }

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return methods(file)->xFileSize(inner(file), size); }

static int file_lock(sqlite3_file *file, int level) { return methods(file)->xLock(inner(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return methods(file)->xUnlock(inner(file), level); }

static int file_check_reserved(sqlite3_file *file, int *held) {
    return methods(file)->xCheckReservedLock(inner(file), held);
}

static int file_control(sqlite3_file *file, int what, void *argument) {
    return methods(file)->xFileControl(inner(file), what, argument);
}

static int file_sector_size(sqlite3_file *file) { return methods(file)->xSectorSize(inner(file)); }

static int file_characteristics(sqlite3_file *file) {
    // Without this promise, which the system's VFS gives by default, SQLite would write pages in parts.
    return methods(file)->xDeviceCharacteristics(inner(file)) | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **found) {
    return methods(file)->xShmMap(inner(file), region, size, extend, found);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return methods(file)->xShmLock(inner(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { methods(file)->xShmBarrier(inner(file)); }

static int file_shm_unmap(sqlite3_file *file, int remove) { return methods(file)->xShmUnmap(inner(file), remove); }

// Version 2 is without xFetch: a page that is read in place could not be checked.
#define FILE_METHODS(version) \
    { \
        .iVersion = version, .xClose = file_close, .xRead = file_read, .xWrite = file_write, \
        .xTruncate = file_truncate, .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, \
        .xUnlock = file_unlock, .xCheckReservedLock = file_check_reserved, .xFileControl = file_control, \
        .xSectorSize = file_sector_size, .xDeviceCharacteristics = file_characteristics, .xShmMap = file_shm_map, \
        .xShmLock = file_shm_lock, .xShmBarrier = file_shm_barrier, .xShmUnmap = file_shm_unmap \
    }
static const sqlite3_io_methods with_shared_memory = FILE_METHODS(2), without_shared_memory = FILE_METHODS(1);

// --- The VFS ---

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    sqlite3_vfs *base = below(vfs);
    if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return base->xOpen(base, name, file, flags, out);
    memset(file, 0, sizeof(struct layer_file));
    sqlite3_file *within = inner(file);
    within->pMethods = NULL;
    errno = 0;
    int code = kymo_vfs_full(base->xOpen(base, name, within, flags, out));
    if (code != SQLITE_OK) {
        // A file with methods is closed even if it could not be opened.
        if (within->pMethods != NULL) within->pMethods->xClose(within);
        return code;
    }
    file->pMethods = within->pMethods->iVersion >= 2 ? &with_shared_memory : &without_shared_memory;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    return below(vfs)->xDelete(below(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *found) {
    return below(vfs)->xAccess(below(vfs), name, flags, found);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int capacity, char *path) {
    return below(vfs)->xFullPathname(below(vfs), name, capacity, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return below(vfs)->xRandomness(below(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) { return below(vfs)->xSleep(below(vfs), microseconds); }

static int vfs_time(sqlite3_vfs *vfs, double *days) { return below(vfs)->xCurrentTime(below(vfs), days); }

static int vfs_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    return below(vfs)->xCurrentTimeInt64(below(vfs), milliseconds);
}

static int vfs_last_error(sqlite3_vfs *vfs, int capacity, char *text) {
    return below(vfs)->xGetLastError == NULL ? 0 : below(vfs)->xGetLastError(below(vfs), capacity, text);
}

int kymo_vfs_register(const char *name, const char *base) {
    sqlite3_vfs *lower = sqlite3_vfs_find(base);
    if (lower == NULL) return SQLITE_ERROR;
    if (sqlite3_vfs_find(name) != NULL) return SQLITE_OK;
    struct layer *made = calloc(1, sizeof *made);
    char *own_name = made == NULL ? NULL : strdup(name);
    if (own_name == NULL) {
        free(made);
        return SQLITE_NOMEM;
    }
    made->base = lower;
    made->over_default = base == NULL;
    made->vfs = (sqlite3_vfs){
        .iVersion = lower->iVersion < 2 ? 1 : 2,
        .szOsFile = (int)sizeof(struct layer_file) + lower->szOsFile,
        .mxPathname = lower->mxPathname,
        .zName = own_name,
        .pAppData = made,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = lower->iVersion < 2 ? NULL : vfs_time_int64,
    };
    int code = sqlite3_vfs_register(&made->vfs, 0);
    if (code != SQLITE_OK) {
        free(own_name);
        free(made);
    }
    return code;
}

/// Our layer of a name, or null.
static struct layer *layer_named(const char *name) {
    sqlite3_vfs *found = sqlite3_vfs_find(name);
    return found != NULL && found->xOpen == vfs_open ? layer_of(found) : NULL;
}

int kymo_vfs_unregister(const char *name) {
    struct layer *found = layer_named(name);
    if (found == NULL) return SQLITE_ERROR;
    sqlite3_vfs_unregister(&found->vfs);
    free((char *)found->vfs.zName);
    free(found);
    return SQLITE_OK;
}

sqlite3_vfs *kymo_vfs_foreign(const char *name) {
    struct layer *found = layer_named(name);
    if (found != NULL) return found->over_default ? NULL : found->base;
    sqlite3_vfs *plain = sqlite3_vfs_find(name);
    return plain == sqlite3_vfs_find(NULL) ? NULL : plain;
}
