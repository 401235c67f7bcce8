// SPDX-License-Identifier: Apache-2.0
//
// File operations of the catalog outside SQLite.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "CSQLiteVFS.h"
#include "vfs.h"

CSQ_KEEPS_CALLS_BEGIN

const int CSQ_NOT_REGULAR = EINVAL, CSQ_NOT_FOUND = ENOENT, CSQ_READ_ONLY = EROFS;

int csq_vfs_full(int code) {
    if (code == SQLITE_OK) return code;
    return csq_error_is_full(errno) ? SQLITE_FULL : code;
}

int csq_error_is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

int csq_vfs_errno(int code) {
    switch (code & 255) {
    case SQLITE_OK: return 0;
    case SQLITE_FULL: return ENOSPC;
    case SQLITE_READONLY: return EROFS;
    case SQLITE_NOMEM: return ENOMEM;
    default: return EIO;
    }
}

/// Whether a VFS other than the system's has the file. Returns an errno if that is unknown.
static int present(sqlite3_vfs *vfs, const char *path, int *found) {
    return csq_vfs_errno(vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, found));
}

int csq_plain_open(struct plain_file *opened, sqlite3_vfs *vfs, const char *path, int flags) {
    opened->file = calloc(1, (size_t)vfs->szOsFile);
    // SQLite requires a file name with parameters, not a plain text.
    opened->name = sqlite3_create_filename(path, "", "", 0, NULL);
    if (opened->file == NULL || opened->name == NULL) return SQLITE_NOMEM;
    int out = 0;
    errno = 0;
    return csq_vfs_full(vfs->xOpen(vfs, opened->name, opened->file, flags, &out));
}

int csq_plain_close(struct plain_file *opened, int code) {
    if (opened->file != NULL && opened->file->pMethods != NULL) {
        int closed = opened->file->pMethods->xClose(opened->file);
        if (code == SQLITE_OK) code = closed;
    }
    sqlite3_free_filename((sqlite3_filename)opened->name);
    free(opened->file);
    return code;
}

/// Opens a file of a VFS other than the system's, reads its size and closes it.
static int probe(sqlite3_vfs *vfs, const char *path, int flags, sqlite3_int64 *size) {
    struct plain_file opened = {0};
    int code = csq_plain_open(&opened, vfs, path, flags | SQLITE_OPEN_MAIN_DB);
    int is_directory = code != SQLITE_OK && errno == EISDIR;
    if (code == SQLITE_OK) code = opened.file->pMethods->xFileSize(opened.file, size);
    code = csq_plain_close(&opened, code);
    return is_directory ? CSQ_NOT_REGULAR : csq_vfs_errno(code);
}

int csq_file_create_private(const char *vfs, const char *path) {
    sqlite3_vfs *foreign = csq_vfs_foreign(vfs);
    if (foreign != NULL) {
        int found = 0, error = present(foreign, path, &found);
        if (error != 0) return error;
        if (found) return EEXIST;
        sqlite3_int64 size = 0;
        return probe(foreign, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE, &size);
    }
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    return close(descriptor) == 0 ? 0 : errno;
}

int csq_file_size(const char *vfs, const char *path, int64_t *size) {
    sqlite3_vfs *foreign = csq_vfs_foreign(vfs);
    if (foreign != NULL) {
        int found = 0, error = present(foreign, path, &found);
        if (error != 0) return error;
        if (!found) return ENOENT;
        sqlite3_int64 bytes = 0;
        error = probe(foreign, path, SQLITE_OPEN_READONLY, &bytes);
        *size = bytes;
        return error;
    }
    struct stat about;
    if (lstat(path, &about) != 0) return errno;
    if (!S_ISREG(about.st_mode)) return EINVAL;
    *size = about.st_size;
    return 0;
}

/// Returns the parent directory of a file; the caller frees it.
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int csq_file_is_denied(const char *vfs, const char *path, int beside) {
    if (csq_vfs_foreign(vfs) != NULL) return 0;
    // Checks the effective rights without opening the file, which would release the locks of a second SQLite.
    char *directory = beside ? directory_of(path) : NULL;
    int code = faccessat(AT_FDCWD, directory == NULL ? path : directory, beside ? W_OK : R_OK, AT_EACCESS);
    int is_denied = code != 0 && (errno == EACCES || errno == EPERM);
    free(directory);
    return is_denied;
}

int csq_file_on_read_only_mount(const char *vfs, const char *path) {
    if (csq_vfs_foreign(vfs) != NULL) return 0;
    struct statvfs about;
    if (statvfs(path, &about) != 0) return -1;
    return (about.f_flag & ST_RDONLY) != 0;
}

int csq_file_remove(const char *vfs, const char *path) {
    sqlite3_vfs *foreign = csq_vfs_foreign(vfs);
    if (foreign != NULL) return csq_vfs_errno(foreign->xDelete(foreign, path, 0));
    return unlink(path) == 0 ? 0 : errno;
}

int csq_sync_directory_of(const char *path) {
    char *directory = directory_of(path);
    if (directory == NULL) return SQLITE_NOMEM;
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (descriptor < 0) return SQLITE_IOERR_DIR_FSYNC;
    errno = 0;
    int code = fsync(descriptor) == 0 ? SQLITE_OK : csq_vfs_full(SQLITE_IOERR_DIR_FSYNC);
    close(descriptor);
    return code;
}

void csq_sqlite_error_text(int error, char *buffer, int capacity) {
    if (capacity <= 0) return;
    const char *text = strerrordesc_np(error);
    snprintf(buffer, (size_t)capacity, "%s", text == NULL ? "unknown error" : text);
}

CSQ_KEEPS_CALLS_END
