// SPDX-License-Identifier: Apache-2.0
//
// Rewriting a write-ahead log such that no power cut loses a commit: first a copy is made durable beside the log, then
// the log is written in place, then the copy is removed durably, before any further commit. A complete copy therefore
// always holds the log's true bytes.
//
// An existing copy may not be on the device: reads come from the system's cache, and the sync of its writer may have
// failed. Recovery therefore copies it to a second file whose sync is known to have succeeded, removes the first
// durably, and only then writes the log. The second copy is never overwritten while it is the only one, because it is
// durable.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteVFS.h"
#include "vfs.h"

CSQ_KEEPS_CALLS_BEGIN

/// The format of a copy: this magic, the log's length and its CRC-32C (both little-endian), then the log's bytes.
static const char magic[8] = {'K', 'y', 'm', 'o', 'C', 'o', 'p', 'y'};
enum { COPY_HEADER = 20 };
enum {
    OLD_LOG = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL,
    NEW_LOG = OLD_LOG | SQLITE_OPEN_CREATE,
    OLD_JOURNAL = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_JOURNAL,
    NEW_JOURNAL = OLD_JOURNAL | SQLITE_OPEN_CREATE,
};

static int write_all(sqlite3_file *file, const uint8_t *bytes, sqlite3_int64 size, sqlite3_int64 at) {
    int code = SQLITE_OK;
    for (sqlite3_int64 done = 0; code == SQLITE_OK && done < size; done += VFS_MOST) {
        int count = size - done < VFS_MOST ? (int)(size - done) : VFS_MOST;
        errno = 0;
        code = csq_vfs_full(file->pMethods->xWrite(file, bytes + done, count, at + done));
    }
    return code;
}

/// Reads all bytes of a file; the caller frees them.
static int read_all(sqlite3_file *file, uint8_t **bytes, sqlite3_int64 *size) {
    int code = file->pMethods->xFileSize(file, size);
    if (code != SQLITE_OK) return code;
    *bytes = malloc(*size > 0 ? (size_t)*size : 1);
    if (*bytes == NULL) return SQLITE_NOMEM;
    for (sqlite3_int64 at = 0; code == SQLITE_OK && at < *size; at += VFS_MOST) {
        int count = *size - at < VFS_MOST ? (int)(*size - at) : VFS_MOST;
        code = file->pMethods->xRead(file, *bytes + at, count, at);
    }
    return code;
}

static int is_system(const sqlite3_vfs *base) { return base == sqlite3_vfs_find(NULL); }

/// Removes a file durably; a missing file is not an error.
static int gone(sqlite3_vfs *base, const char *path) {
    int code = base->xDelete(base, path, 1);
    return code == SQLITE_IOERR_DELETE_NOENT ? SQLITE_OK : code;
}

/// Opens a file that may not exist. The system's VFS syncs the directory of a file that it created with the file's
/// first sync, and ignores a failure, which the kernel reports only once. So this function creates the file itself.
static int open_new(struct plain_file *opened, sqlite3_vfs *base, const char *path, int old, int new) {
    if (!is_system(base)) return csq_plain_open(opened, base, path, new);
    int error = csq_file_create_private(NULL, path);
    if (csq_error_is_full(error)) return SQLITE_FULL;
    if (error != 0 && error != EEXIST) return SQLITE_CANTOPEN;
    return csq_plain_open(opened, base, path, old);
}

/// Creates a copy and makes it durable, including its name. If that fails, for example for lack of space, it removes
/// the copy if possible.
static int keep(sqlite3_vfs *base, const char *path, const uint8_t *bytes, sqlite3_int64 size) {
    struct plain_file copy = {0};
    int code = open_new(&copy, base, path, OLD_JOURNAL, NEW_JOURNAL);
    uint8_t header[COPY_HEADER];
    memcpy(header, magic, sizeof magic);
    csq_page_put(header + 8, (uint64_t)size, 8);
    csq_page_put(header + 16, csq_page_crc(bytes, (size_t)size, 0), 4);
    if (code == SQLITE_OK) code = write_all(copy.file, header, sizeof header, 0);
    if (code == SQLITE_OK) code = write_all(copy.file, bytes, size, COPY_HEADER);
    if (code == SQLITE_OK) code = copy.file->pMethods->xSync(copy.file, SQLITE_SYNC_NORMAL);
    code = csq_plain_close(&copy, code);
    if (code == SQLITE_OK && is_system(base)) code = csq_sync_directory_of(path);
    if (code != SQLITE_OK) (void)base->xDelete(base, path, 0);
    return code;
}

/// Writes the log's bytes in place, syncs them, and removes the copy durably.
static int settle(sqlite3_vfs *base, const char *log, const char *copy, const uint8_t *bytes, sqlite3_int64 size) {
    struct plain_file opened = {0};
    int code = open_new(&opened, base, log, OLD_LOG, NEW_LOG);
    if (code == SQLITE_OK) code = write_all(opened.file, bytes, size, 0);
    if (code == SQLITE_OK) code = opened.file->pMethods->xSync(opened.file, SQLITE_SYNC_NORMAL);
    code = csq_plain_close(&opened, code);
    return code == SQLITE_OK ? base->xDelete(base, copy, 1) : code;
}

int csq_log_rewrite(const char *vfs, const char *log, const char *copy) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct plain_file opened = {0};
    uint8_t *bytes = NULL;
    sqlite3_int64 size = 0;
    int code = csq_plain_open(&opened, base, log, OLD_LOG);
    if (code == SQLITE_OK) code = read_all(opened.file, &bytes, &size);
    code = csq_plain_close(&opened, code);
    if (code == SQLITE_OK) code = keep(base, copy, bytes, size);
    if (code == SQLITE_OK) code = settle(base, log, copy, bytes, size);
    free(bytes);
    return csq_vfs_errno(code);
}

/// Reads a copy and sets `*size` to the log's length; an incomplete copy sets `*bytes` to null and is not an error.
static int read_copy(sqlite3_vfs *base, const char *path, uint8_t **bytes, sqlite3_int64 *size) {
    struct plain_file opened = {0};
    int code = csq_plain_open(&opened, base, path, OLD_JOURNAL);
    if (code == SQLITE_OK) code = read_all(opened.file, bytes, size);
    code = csq_plain_close(&opened, code);
    *size -= COPY_HEADER;
    int is_whole = code == SQLITE_OK && *size >= 0 && memcmp(*bytes, magic, sizeof magic) == 0 &&
                   csq_page_get(*bytes + 8, 8) == (uint64_t)*size &&
                   csq_page_get(*bytes + 16, 4) == csq_page_crc(*bytes + COPY_HEADER, (size_t)*size, 0);
    if (!is_whole) {
        free(*bytes);
        *bytes = NULL;
    }
    return code;
}

int csq_log_lacks(const char *vfs, const char *log, const char *copy) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct plain_file opened = {0};
    uint8_t *kept = NULL, *there = NULL;
    sqlite3_int64 size = 0, known = 0;
    int is_there = 0, code = read_copy(base, copy, &kept, &size);
    int lacks = code != SQLITE_OK;
    if (kept != NULL) code = base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &is_there);
    if (kept != NULL && code == SQLITE_OK && is_there) {
        code = csq_plain_open(&opened, base, log, OLD_LOG);
        if (code == SQLITE_OK) code = read_all(opened.file, &there, &known);
        code = csq_plain_close(&opened, code);
    }
    if (kept != NULL && code != SQLITE_OK) lacks = 1;
    // Zeros are preallocated space, which the log cannot lack.
    for (sqlite3_int64 i = 0; kept != NULL && !lacks && i < size; i++) {
        uint8_t byte = kept[COPY_HEADER + i];
        lacks = byte != 0 && (i >= known || there[i] != byte);
    }
    free(kept);
    free(there);
    return lacks;
}

int csq_log_recover(const char *vfs, const char *log, const char *copy, const char *second) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    int has_copy = 0, has_second = 0;
    int code = base->xAccess(base, copy, SQLITE_ACCESS_EXISTS, &has_copy);
    if (code == SQLITE_OK) code = base->xAccess(base, second, SQLITE_ACCESS_EXISTS, &has_second);
    if (code == SQLITE_OK && !has_copy && !has_second && is_system(base)) {
        // An earlier removal of a copy may not be durable, and the copy must not reappear: sync the directory.
        int64_t bytes = 0;
        if (csq_file_size(NULL, log, &bytes) == 0) code = csq_sync_directory_of(log);
    }
    if (code != SQLITE_OK || !(has_copy || has_second)) return csq_vfs_errno(code);
    uint8_t *bytes = NULL;
    sqlite3_int64 size = 0;
    if (has_copy) code = read_copy(base, copy, &bytes, &size);
    // The first copy still exists, so the second one may be replaced.
    if (code == SQLITE_OK && bytes != NULL) code = gone(base, second);
    if (code == SQLITE_OK && bytes != NULL) code = keep(base, second, bytes + COPY_HEADER, size);
    if (code == SQLITE_OK && bytes != NULL) has_second = 1;
    free(bytes);
    bytes = NULL;
    if (code == SQLITE_OK && has_copy) code = gone(base, copy);
    if (code != SQLITE_OK || !has_second) return csq_vfs_errno(code);
    code = read_copy(base, second, &bytes, &size);
    if (code == SQLITE_OK) {
        code = bytes != NULL ? settle(base, log, second, bytes + COPY_HEADER, size) : gone(base, second);
    }
    free(bytes);
    return csq_vfs_errno(code);
}

CSQ_KEEPS_CALLS_END
