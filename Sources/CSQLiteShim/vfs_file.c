// SPDX-License-Identifier: Apache-2.0
//
// A database as the layer presents it to SQLite: a page gets its trailer when it is written and is checked against it
// when it is read. The VFS below handles everything else except the locks.

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "vfs.h"
#include "vfs_cipher.h"
#include "vfs_locks.h"

CSQ_KEEPS_CALLS_BEGIN

sqlite3_file *csq_layer_inner(sqlite3_file *file) { return (sqlite3_file *)((struct layer_file *)file + 1); }

static struct layer_file *mine(sqlite3_file *file) { return (struct layer_file *)file; }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return csq_layer_inner(file)->pMethods; }

int csq_layer_read_below(struct layer_file *file, void *bytes, int count, sqlite3_int64 at) {
    sqlite3_file *inner = csq_layer_inner(&file->face);
    return inner->pMethods->xRead(inner, bytes, count, at);
}

/// The traffic counters of a database and its log together.
struct csq_vfs_traffic *csq_layer_traffic(struct layer_file *file) {
    return file->database != NULL ? &file->database->traffic : &file->traffic;
}

int csq_layer_write_below(struct layer_file *file, const void *bytes, int count, sqlite3_int64 at) {
    sqlite3_file *inner = csq_layer_inner(&file->face);
    csq_layer_traffic(file)->bytes += count;
    errno = 0;
    return csq_vfs_full(inner->pMethods->xWrite(inner, bytes, count, at));
}

/// Records a problem, and returns SQLite's code for it.
int csq_layer_refuse(
    struct layer_file *database, enum csq_page_fault fault, uint32_t page, sqlite3_int64 at, int is_in_log) {
    database->problem = (struct csq_page_problem){at, page, fault, is_in_log};
    return SQLITE_IOERR_DATA;
}

// --- The database ---

/// Reads a few bytes of an encrypted page, as SQLite does with the header of the database. Without a lock the page may
/// be incomplete, because a checkpoint is writing it. If it does not open, the bytes are zeros: SQLite then reads the
/// whole page, which is refused.
CSQ_APART static int read_part(struct layer_file *database, void *bytes, int count, sqlite3_int64 at) {
    uint8_t page[PAGE];
    sqlite3_int64 start = at / PAGE * PAGE;
    struct page_place place = {.number = (uint32_t)(start / PAGE) + 1};
    memset(bytes, 0, (size_t)count);
    if (at - start + count > PAGE) return SQLITE_IOERR_READ;
    for (int attempt = 0; attempt < 10; attempt++) {
        int code = csq_layer_read_below(database, page, PAGE, start);
        if (code != SQLITE_OK) return code;
        if (csq_layer_check_page(database, page, place) == CSQ_PAGE_SOUND) {
            memcpy(bytes, page + (at - start), (size_t)count);
            return SQLITE_OK;
        }
        usleep(1000);
    }
    return SQLITE_OK;
}

static int database_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *database = mine(file);
    if (database->cipher != NULL && count < 512) return read_part(database, bytes, count, at);
    int code = csq_layer_read_below(database, bytes, count, at);
    // SQLite also reads a few bytes of the header before it reads the whole page.
    if (count < 512) return code;
    struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
    if (database->checks == CSQ_CHECKS_NONE) {
        if (code == SQLITE_OK && at == 0 && count == PAGE) csq_layer_learn(database, bytes, place);
        return code;
    }
    if (count != PAGE || at % PAGE != 0) return csq_layer_refuse(database, CSQ_PAGE_SIZE, place.number, at, 0);
    if (code == SQLITE_IOERR_SHORT_READ) return csq_layer_refuse(database, CSQ_PAGE_SHORT, place.number, at, 0);
    if (code != SQLITE_OK) return code;
    enum csq_page_fault fault = CSQ_PAGE_TRAILER;
    if (database->checks != CSQ_CHECKS_IMPOSSIBLE) fault = csq_layer_check_page(database, bytes, place);
    if (fault != CSQ_PAGE_SOUND) return csq_layer_refuse(database, fault, place.number, at, 0);
    csq_layer_learn(database, bytes, place);
    csq_page_detach(bytes);
    return SQLITE_OK;
}

/// Encrypts a page and writes it.
CSQ_APART static int write_encrypted(struct layer_file *database, const void *bytes, sqlite3_int64 at) {
    struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
    uint8_t page[PAGE];
    memcpy(page, bytes, PAGE);
    // A page copied from the log keeps its commit.
    uint64_t sequence = csq_page_is_encrypted(page) ? csq_page_sequence(page) : database->sequence;
    csq_page_mark_encrypted(database->cipher, page, place, sequence, 0);
    int code = csq_page_encrypt(database->cipher, page, NULL, place);
    return code == SQLITE_OK ? csq_layer_write_below(database, page, PAGE, at) : code;
}

static int database_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *database = mine(file);
    if (database->checks == CSQ_CHECKS_NONE) return csq_layer_write_below(database, bytes, count, at);
    if (count != PAGE || at % PAGE != 0 || database->checks == CSQ_CHECKS_IMPOSSIBLE) return SQLITE_IOERR_WRITE;
    if (database->cipher != NULL) return write_encrypted(database, bytes, at);
    struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
    enum page_kind kind = place.number == 1 ? database->first_page_kind : PAGE_FULL;
    uint64_t sequence = database->sequence;
    // A page copied from the log keeps its mark.
    enum page_kind former = csq_page_kind_of(bytes);
    if ((former == PAGE_FULL || former == PAGE_UPGRADING) && csq_page_is_id(bytes, database->id)) {
        sequence = csq_page_sequence(bytes);
        kind = former;
    }
    uint8_t page[PAGE];
    memcpy(page, bytes, PAGE);
    csq_page_stamp(page, place, kind, database->id, sequence, 0);
    return csq_layer_write_below(database, page, PAGE, at);
}

static int database_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **found) {
    struct layer_locks *locks = mine(file)->locks;
    int code = locks != NULL ? csq_locks_shm_map(locks, region, size, extend, found)
                             : methods(file)->xShmMap(csq_layer_inner(file), region, size, extend, found);
    if (code == SQLITE_OK && *found != NULL && !csq_layer_has_place(*found, size)) {
        // The region is mapped; the next request for it is checked again. For a hole that cannot be allocated, the
        // kernel reports only that a write would fault.
        *found = NULL;
        code = SQLITE_IOERR_SHMSIZE;
        errno = ENOSPC;
    }
    if (region == 0) mine(file)->shared = code == SQLITE_OK || code == SQLITE_READONLY ? *found : NULL;
    return code;
}

static int database_shm_unmap(sqlite3_file *file, int remove) {
    struct layer_locks *locks = mine(file)->locks;
    mine(file)->shared = NULL;
    return locks != NULL ? csq_locks_shm_unmap(locks, remove)
                         : methods(file)->xShmUnmap(csq_layer_inner(file), remove);
}

static int database_control(sqlite3_file *file, int what, void *argument) {
    struct layer_file *database = mine(file);
    switch (what) {
    case LAYER_STATE: *(enum csq_page_checks *)argument = database->checks; return SQLITE_OK;
    case LAYER_SEQUENCE: database->sequence = *(const uint64_t *)argument; return SQLITE_OK;
    case LAYER_UPGRADE: return csq_layer_upgrade(database, *(const enum csq_upgrade_step *)argument);
    case LAYER_PROBLEM:
        *(struct csq_page_problem *)argument = database->problem;
        database->problem.fault = CSQ_PAGE_SOUND;
        return SQLITE_OK;
    case LAYER_SCAN: return csq_layer_scan(database, argument);
    case LAYER_ID: memcpy(argument, database->id, sizeof database->id); return SQLITE_OK;
    case LAYER_SET_ID: memcpy(database->id, argument, sizeof database->id); return SQLITE_OK;
    case LAYER_COPIED: *(int *)argument = csq_layer_has_copied(database); return SQLITE_OK;
    case LAYER_NAMED: {
        sqlite3_file *log = *(sqlite3_file **)argument;
        return !csq_layer_is_log(log) || csq_layer_is_named((struct layer_file *)log) ? SQLITE_OK
                                                                                      : SQLITE_IOERR_DATA;
    }
    case LAYER_VERSION: *(int64_t *)argument = csq_layer_version(database); return SQLITE_OK;
    case LAYER_TRAFFIC: *(struct csq_vfs_traffic *)argument = database->traffic; return SQLITE_OK;
    default: return methods(file)->xFileControl(csq_layer_inner(file), what, argument);
    }
}

// --- Methods of both files that the VFS below implements ---

static int file_close(sqlite3_file *file) {
    int code = methods(file)->xClose(csq_layer_inner(file));
    csq_locks_close(mine(file)->locks);
    mine(file)->locks = NULL;
    csq_cipher_close(mine(file)->cipher);
    mine(file)->cipher = NULL;
    file->pMethods = NULL;
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return methods(file)->xTruncate(csq_layer_inner(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    csq_layer_traffic(mine(file))->syncs += 1;
    return methods(file)->xSync(csq_layer_inner(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return methods(file)->xFileSize(csq_layer_inner(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    struct layer_locks *locks = mine(file)->locks;
    return locks != NULL ? csq_locks_lock(locks, level) : methods(file)->xLock(csq_layer_inner(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
    struct layer_locks *locks = mine(file)->locks;
    return locks != NULL ? csq_locks_unlock(locks, level) : methods(file)->xUnlock(csq_layer_inner(file), level);
}

static int file_check_reserved(sqlite3_file *file, int *held) {
    struct layer_locks *locks = mine(file)->locks;
    return locks != NULL ? csq_locks_check_reserved(locks, held)
                         : methods(file)->xCheckReservedLock(csq_layer_inner(file), held);
}

static int file_control(sqlite3_file *file, int what, void *argument) {
    return methods(file)->xFileControl(csq_layer_inner(file), what, argument);
}

static int file_sector_size(sqlite3_file *file) { return methods(file)->xSectorSize(csq_layer_inner(file)); }

static int file_characteristics(sqlite3_file *file) {
    // The system's VFS reports this property by default; without it SQLite would write pages in parts.
    return methods(file)->xDeviceCharacteristics(csq_layer_inner(file)) | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    struct layer_locks *locks = mine(file)->locks;
    return locks != NULL ? csq_locks_shm_lock(locks, offset, count, flags)
                         : methods(file)->xShmLock(csq_layer_inner(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
    if (mine(file)->locks == NULL) methods(file)->xShmBarrier(csq_layer_inner(file));
    atomic_thread_fence(memory_order_seq_cst);
}

// Version 2 has no xFetch: a page that SQLite reads in place could not be checked.
#define DATABASE_METHODS(version) \
    { \
        .iVersion = version, .xClose = file_close, .xRead = database_read, .xWrite = database_write, \
        .xTruncate = file_truncate, .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, \
        .xUnlock = file_unlock, .xCheckReservedLock = file_check_reserved, .xFileControl = database_control, \
        .xSectorSize = file_sector_size, .xDeviceCharacteristics = file_characteristics, \
        .xShmMap = database_shm_map, .xShmLock = file_shm_lock, .xShmBarrier = file_shm_barrier, \
        .xShmUnmap = database_shm_unmap \
    }
static const sqlite3_io_methods database_methods = DATABASE_METHODS(2), plain_database_methods = DATABASE_METHODS(1);
static const sqlite3_io_methods log_methods = {
    .iVersion = 1, .xClose = file_close, .xRead = csq_layer_log_read, .xWrite = csq_layer_log_write,
    .xTruncate = csq_layer_log_truncate, .xSync = csq_layer_log_sync, .xFileSize = csq_layer_log_size,
    .xLock = file_lock, .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved, .xFileControl = file_control, .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

int csq_layer_is_log(sqlite3_file *file) { return file != NULL && file->pMethods == &log_methods; }

static int is_database(sqlite3_file *file) {
    return file != NULL && (file->pMethods == &database_methods || file->pMethods == &plain_database_methods);
}

int csq_layer_is_encrypted(sqlite3_file *file) { return is_database(file) && mine(file)->cipher != NULL; }

// --- Opening ---

int csq_layer_open(sqlite3_vfs *base, int is_system, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    struct layer_file *opened = mine(file);
    memset(opened, 0, sizeof *opened);
    sqlite3_file *inner = csq_layer_inner(file);
    inner->pMethods = NULL;
    int is_log = (flags & SQLITE_OPEN_WAL) != 0, code = SQLITE_OK;
    if (is_log) {
        sqlite3_file *database = sqlite3_database_file_object(name);
        if (!is_database(database)) return SQLITE_CANTOPEN;
        opened->database = mine(database);
        opened->big_endian = -1;
    }
    errno = 0;
    code = csq_vfs_full(base->xOpen(base, name, inner, flags, out));
    if (code == SQLITE_OK && !is_log) code = csq_cipher_open(sqlite3_uri_int64(name, "keys", 0), &opened->cipher);
    if (code == SQLITE_OK && !is_log) code = csq_layer_examine(opened, base);
    // Another SQLite must not find the index of an encrypted log: by it, it could copy encrypted pages of the log to
    // the database, where they do not open.
    const char *index = opened->cipher != NULL ? "-index" : "-shm";
    if (code == SQLITE_OK && !is_log && is_system) code = csq_locks_open(name, index, &opened->locks);
    if (code != SQLITE_OK) {
        // SQLite closes a file that has methods, even if opening it failed.
        int error = errno;
        if (inner->pMethods != NULL) inner->pMethods->xClose(inner);
        csq_cipher_close(opened->cipher);
        opened->cipher = NULL;
        errno = error;
        return code;
    }
    if (is_system) csq_layer_note_name(opened, name);
    int shares = inner->pMethods->iVersion >= 2;
    file->pMethods = is_log ? &log_methods : shares ? &database_methods : &plain_database_methods;
    return SQLITE_OK;
}

CSQ_KEEPS_CALLS_END
