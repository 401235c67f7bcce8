// SPDX-License-Identifier: Apache-2.0
//
// The locks of a database file (https://www.sqlite.org/lockingv3.html), as locks of an open file description.

#define _GNU_SOURCE
#include "vfs_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CGuard.h"
#include "vfs.h"
#include "vfs_locks_state.h"

CSQ_KEEPS_CALLS_BEGIN

/// The bytes that SQLite locks, in the page that it never uses.
enum { PENDING = 0x40000000, RESERVED = PENDING + 1, SHARED = PENDING + 2, SHARED_COUNT = 510 };

int csq_locks_result(int error, int failure) {
    switch (error) {
    case 0: return SQLITE_OK;
    case EAGAIN: case EACCES: case EINTR: case ETIMEDOUT: case ENOLCK: return SQLITE_BUSY;
    case EPERM: return SQLITE_PERM;
    default: errno = error; return failure;
    }
}

int csq_locks_are_of_parent(const struct layer_locks *locks) { return locks->owner != cg_process_mark(); }

int csq_locks_open(const char *path, const char *suffix, struct layer_locks **opened) {
    struct layer_locks *made = calloc(1, sizeof *made);
    if (made == NULL) return SQLITE_NOMEM;
    *made = (struct layer_locks){
        .database = -1, .shared = -1, .owner = cg_process_mark(), .path = path, .suffix = suffix};
    made->database = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (made->database < 0 && (errno == EACCES || errno == EPERM || errno == EROFS)) {
        made->database = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    int error = made->database < 0 ? errno : cg_hold_in_process(made->database);
    if (error == 0) {
        *opened = made;
        return SQLITE_OK;
    }
    if (made->database >= 0) close(made->database);
    free(made);
    errno = error;
    return error == ENOMEM ? SQLITE_NOMEM : SQLITE_CANTOPEN;
}

void csq_locks_close(struct layer_locks *locks) {
    if (locks == NULL) return;
    csq_locks_shm_unmap(locks, 0);
    cg_release_from_process(locks->database);
    close(locks->database);
    free(locks);
}

static int take(struct layer_locks *locks, int exclusive, int64_t start, int64_t count) {
    return csq_locks_result(cg_lock(locks->database, exclusive, start, count), SQLITE_IOERR_LOCK);
}

int csq_locks_lock(struct layer_locks *locks, int level) {
    if (locks->level >= level) return SQLITE_OK;
    if (csq_locks_are_of_parent(locks)) return SQLITE_IOERR_LOCK;
    int code = SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        // A connection that waits for an exclusive lock holds this byte, which keeps new readers out.
        code = take(locks, 0, PENDING, 1);
        if (code != SQLITE_OK) return code;
        code = take(locks, 0, SHARED, SHARED_COUNT);
        int error = cg_unlock(locks->database, PENDING, 1);
        if (code == SQLITE_OK && error != 0) {
            (void)cg_unlock(locks->database, SHARED, SHARED_COUNT);
            code = SQLITE_IOERR_UNLOCK;
        }
    } else if (level == SQLITE_LOCK_RESERVED) {
        code = take(locks, 1, RESERVED, 1);
    } else {
        if (locks->level == SQLITE_LOCK_RESERVED) {
            code = take(locks, 1, PENDING, 1);
            if (code != SQLITE_OK) return code;
            locks->level = SQLITE_LOCK_PENDING;
        }
        if (level == SQLITE_LOCK_EXCLUSIVE) code = take(locks, 1, SHARED, SHARED_COUNT);
    }
    if (code == SQLITE_OK) locks->level = level;
    return code;
}

int csq_locks_unlock(struct layer_locks *locks, int level) {
    if (locks->level <= level) return SQLITE_OK;
    if (csq_locks_are_of_parent(locks)) {
        locks->level = level;
        return SQLITE_OK;
    }
    int error = 0;
    if (level == SQLITE_LOCK_SHARED) {
        error = cg_lock(locks->database, 0, SHARED, SHARED_COUNT);
        if (error == 0) error = cg_unlock(locks->database, PENDING, 2);
    } else {
        error = cg_unlock(locks->database, PENDING, 2 + SHARED_COUNT);
    }
    if (error != 0) return SQLITE_IOERR_UNLOCK;
    locks->level = level;
    return SQLITE_OK;
}

int csq_locks_check_reserved(struct layer_locks *locks, int *held) {
    *held = 1;
    if (locks->level > SQLITE_LOCK_SHARED) return SQLITE_OK;
    int64_t start = 0, count = 0;
    int error = cg_lock_test(locks->database, RESERVED, 1, held, &start, &count);
    return error == 0 ? SQLITE_OK : SQLITE_IOERR_CHECKRESERVEDLOCK;
}

CSQ_KEEPS_CALLS_END
