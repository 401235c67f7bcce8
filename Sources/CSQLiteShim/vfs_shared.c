// SPDX-License-Identifier: Apache-2.0
//
// The memory shared by the processes that use a database: the index of its log, a mapped file with locks of its own.
// The lock bytes are those of SQLite's VFS for Unix.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CGuard.h"
#include "vfs.h"
#include "vfs_locks.h"
#include "vfs_locks_state.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

CSQ_KEEPS_CALLS_BEGIN

enum {
    /// The first of the eight locks of a write-ahead log: writer, checkpointer, ...
    FIRST_LOCK = 120,
    WRITE_LOCK = FIRST_LOCK,
    /// Every connection that has the memory open holds a shared lock here; the first one resets the memory.
    PRESENCE = 128,
    /// Number of retries, one millisecond apart, for a short conflict before it is reported.
    TRIES = 200,
};

int csq_layer_has_place(void volatile *shared, int size) {
    // Memory that is not a file mapping (of another VFS), and older systems, need no action.
    if (madvise((void *)shared, (size_t)size, MADV_POPULATE_WRITE) == 0) return 1;
    return errno != EFAULT && errno != ENOSPC && errno != EDQUOT;
}

/// Returns the type of the first lock that conflicts with an exclusive one, and the process that holds it; -1 on an
/// error.
static int conflict(int descriptor, int64_t start, int64_t count, pid_t *process) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count};
    if (fcntl(descriptor, F_OFD_GETLK, &range) != 0) return -1;
    *process = range.l_pid;
    return range.l_type;
}

/// Takes a shared lock on the presence byte. The first connection empties the file before that, because a killed
/// process may have left an incomplete index.
static int enter(struct layer_locks *locks) {
    for (int attempt = 0;; attempt++) {
        pid_t process = 0;
        int found = conflict(locks->shared, PRESENCE, 1, &process), error = EAGAIN;
        if (found < 0) return SQLITE_IOERR_LOCK;
        if (found == F_UNLCK) {
            if (locks->is_read_only) {
                locks->is_unlocked = 1;
                return SQLITE_READONLY_CANTINIT;
            }
            error = cg_lock(locks->shared, 1, PRESENCE, 1);
            if (error == 0 && ftruncate(locks->shared, 3) != 0) return SQLITE_IOERR_SHMOPEN;
        } else if (found == F_RDLCK) {
            error = 0;
        }
        if (error == 0) error = cg_lock(locks->shared, 0, PRESENCE, 1);
        if (error != EAGAIN || attempt == TRIES) return csq_locks_result(error, SQLITE_IOERR_SHMLOCK);
        usleep(1000);
    }
}

/// Returns the path of the memory's file; the caller frees it.
static char *path_of(const struct layer_locks *locks) {
    size_t length = strlen(locks->path) + strlen(locks->suffix) + 1;
    char *path = malloc(length);
    if (path != NULL) snprintf(path, length, "%s%s", locks->path, locks->suffix);
    return path;
}

static int open_shared(struct layer_locks *locks) {
    struct stat about;
    char *path = path_of(locks);
    if (path == NULL) return SQLITE_NOMEM;
    int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, made = -1;
    if (fstat(locks->database, &about) != 0) {
        free(path);
        return SQLITE_IOERR_FSTAT;
    }
    errno = 0;
    mode_t mode = about.st_mode & 0777;
    int descriptor = open(path, O_RDWR | O_CREAT | flags, mode);
    if (descriptor < 0 && (errno == EACCES || errno == EPERM || errno == EROFS)) {
        descriptor = open(path, O_RDONLY | flags);
        locks->is_read_only = 1;
    } else if (descriptor >= 0 && geteuid() == 0) {
        // A file that root creates belongs to the owner of the database.
        made = fchown(descriptor, about.st_uid, about.st_gid);
    }
    free(path);
    if (descriptor < 0) return csq_vfs_full(SQLITE_CANTOPEN);
    int code = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) ? SQLITE_OK : SQLITE_CANTOPEN;
    // A new file gets the mode of the database regardless of the umask. A process that does not own the file keeps it.
    int is_masked = about.st_size == 0 && (about.st_mode & 0777) != mode && !locks->is_read_only;
    if (code == SQLITE_OK && is_masked) made = fchmod(descriptor, mode);
    (void)made;
    if (code == SQLITE_OK && cg_hold_in_process(descriptor) != 0) code = SQLITE_NOMEM;
    if (code != SQLITE_OK) {
        close(descriptor);
        return code;
    }
    locks->shared = descriptor;
    return enter(locks);
}

/// Extends the file to contain a region.
static int extend_to(struct layer_locks *locks, int64_t size, int extend, int *is_there) {
    struct stat about;
    if (fstat(locks->shared, &about) != 0) return SQLITE_IOERR_SHMSIZE;
    *is_there = about.st_size >= size;
    if (*is_there || !extend) return SQLITE_OK;
    errno = 0;
    // Writing one byte of each 4,096 allocates the blocks; a write to a mapped hole on a full disk ends the process.
    for (int64_t at = about.st_size / 4096; at < size / 4096; at++)
        if (pwrite(locks->shared, "", 1, at * 4096 + 4095) != 1) return SQLITE_IOERR_SHMSIZE;
    *is_there = 1;
    return SQLITE_OK;
}

/// Maps all missing regions up to `region`.
static int map_to(struct layer_locks *locks, int region) {
    int64_t length = (int64_t)locks->regions_of_map * locks->region_size;
    int wanted = region / locks->regions_of_map + 1;
    if (wanted <= locks->map_count) return SQLITE_OK;
    void **grown = realloc(locks->maps, sizeof *grown * (size_t)wanted);
    if (grown == NULL) return SQLITE_IOERR_NOMEM;
    locks->maps = grown;
    int protection = locks->is_read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    for (; locks->map_count < wanted; locks->map_count++) {
        void *map = mmap(
            NULL, (size_t)length, protection, MAP_SHARED, locks->shared, (off_t)(length * locks->map_count));
        if (map == MAP_FAILED) return SQLITE_IOERR_SHMMAP;
        locks->maps[locks->map_count] = map;
    }
    return SQLITE_OK;
}

int csq_locks_shm_map(struct layer_locks *locks, int region, int size, int extend, void volatile **found) {
    *found = NULL;
    if (csq_locks_are_of_parent(locks)) return SQLITE_IOERR_SHMMAP;
    int code = SQLITE_OK;
    if (locks->shared < 0) {
        long page = sysconf(_SC_PAGESIZE);
        locks->region_size = size;
        locks->regions_of_map = page > size ? (int)(page / size) : 1;
        code = open_shared(locks);
        // The file stays open: the next call checks again for a connection with write access.
        if (code != SQLITE_OK && code != SQLITE_READONLY_CANTINIT) csq_locks_shm_unmap(locks, 0);
    } else if (locks->is_unlocked) {
        locks->is_unlocked = 0;
        code = enter(locks);
    }
    if (code != SQLITE_OK) return code;
    int is_there = 0;
    int64_t end = ((int64_t)region / locks->regions_of_map + 1) * locks->regions_of_map * size;
    code = extend_to(locks, end, extend, &is_there);
    if (code == SQLITE_OK && !is_there) return locks->is_read_only ? SQLITE_READONLY : SQLITE_OK;
    if (code == SQLITE_OK) code = map_to(locks, region);
    if (code != SQLITE_OK) return code;
    char *map = locks->maps[region / locks->regions_of_map];
    *found = map + (size_t)(region % locks->regions_of_map) * (size_t)size;
    return locks->is_read_only ? SQLITE_READONLY : SQLITE_OK;
}

int csq_locks_shm_lock(struct layer_locks *locks, int offset, int count, int flags) {
    if (locks->shared < 0) return SQLITE_IOERR_SHMLOCK;
    int is_release = (flags & SQLITE_SHM_UNLOCK) != 0;
    if (csq_locks_are_of_parent(locks)) return is_release ? SQLITE_OK : SQLITE_IOERR_SHMLOCK;
    int error = is_release
                    ? cg_unlock(locks->shared, FIRST_LOCK + offset, count)
                    : cg_lock(locks->shared, (flags & SQLITE_SHM_EXCLUSIVE) != 0, FIRST_LOCK + offset, count);
    return csq_locks_result(error, SQLITE_IOERR_SHMLOCK);
}

/// Waits briefly for another copy of SQLite in this process that writes or copies the log: closing a descriptor of the
/// file releases its locks.
static void wait_for_neighbour(struct layer_locks *locks) {
    pid_t process = 0;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        int found = conflict(locks->shared, WRITE_LOCK, 2, &process);
        if (found < 0 || found == F_UNLCK || process != getpid()) return;
        usleep(1000);
    }
}

int csq_locks_shm_unmap(struct layer_locks *locks, int remove) {
    if (locks->shared < 0) return SQLITE_OK;
    int is_own = !csq_locks_are_of_parent(locks);
    char *path = is_own && remove ? path_of(locks) : NULL;
    size_t length = (size_t)locks->regions_of_map * (size_t)locks->region_size;
    for (int i = 0; i < locks->map_count; i++) munmap(locks->maps[i], length);
    free(locks->maps);
    locks->maps = NULL;
    locks->map_count = 0;
    if (path != NULL) (void)unlink(path);
    free(path);
    if (is_own) {
        (void)cg_unlock(locks->shared, FIRST_LOCK, PRESENCE + 1 - FIRST_LOCK);
        wait_for_neighbour(locks);
    }
    cg_release_from_process(locks->shared);
    close(locks->shared);
    locks->shared = -1;
    locks->is_unlocked = 0;
    locks->is_read_only = 0;
    return SQLITE_OK;
}

CSQ_KEEPS_CALLS_END
