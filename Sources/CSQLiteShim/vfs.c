// SPDX-License-Identifier: Apache-2.0
//
// The layer itself forwards every call of SQLite to the VFS below. The database and its write-ahead log are files of
// the layer, which wrap those of the VFS below. That VFS opens journals itself. Temporary files are refused.

#include "vfs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "CGuard.h"
#include "CSQLiteVFS.h"

CSQ_KEEPS_CALLS_BEGIN

/// The layer registered under one name.
struct layer {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    int over_default;
};

static struct layer *layer_of(sqlite3_vfs *vfs) { return (struct layer *)vfs->pAppData; }
static sqlite3_vfs *below(sqlite3_vfs *vfs) { return layer_of(vfs)->base; }

/// Whether a path exists and is not a regular file. SQLite would wait for the other end of a pipe, and create a file at
/// the target of a link. Links in the names of databases are already resolved here.
static int is_no_file(sqlite3_vfs *vfs, const char *name) {
    struct stat about;
    if (name == NULL || !layer_of(vfs)->over_default || lstat(name, &about) != 0) return 0;
    return !S_ISREG(about.st_mode);
}

enum {
    /// The kinds of files without a name.
    TEMPORARY =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    sqlite3_vfs *base = below(vfs);
    if (is_no_file(vfs, name)) {
        file->pMethods = NULL;
        return SQLITE_CANTOPEN;
    }
    if ((flags & TEMPORARY) != 0) {
        // Connections keep temporary data in memory: a file would hold plain rows.
        file->pMethods = NULL;
        return SQLITE_CANTOPEN;
    }
    if ((flags & SQLITE_OPEN_MAIN_JOURNAL) != 0 && csq_layer_is_encrypted(sqlite3_database_file_object(name))) {
        // A rollback journal would hold plain pages.
        file->pMethods = NULL;
        return SQLITE_CANTOPEN;
    }
    if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return base->xOpen(base, name, file, flags, out);
    return csq_layer_open(base, layer_of(vfs)->over_default, name, file, flags, out);
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

int csq_vfs_register(const char *name, const char *base) {
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

uint64_t csq_vfs_process(void) { return cg_process_mark(); }

/// Returns the layer registered under a name; null if there is none.
static struct layer *layer_named(const char *name) {
    sqlite3_vfs *found = sqlite3_vfs_find(name);
    return found != NULL && found->xOpen == vfs_open ? layer_of(found) : NULL;
}

int csq_vfs_unregister(const char *name) {
    struct layer *found = layer_named(name);
    if (found == NULL) return SQLITE_ERROR;
    sqlite3_vfs_unregister(&found->vfs);
    free((char *)found->vfs.zName);
    free(found);
    return SQLITE_OK;
}

sqlite3_vfs *csq_vfs_foreign(const char *name) {
    struct layer *found = layer_named(name);
    if (found != NULL) return found->over_default ? NULL : found->base;
    sqlite3_vfs *plain = sqlite3_vfs_find(name);
    return plain == sqlite3_vfs_find(NULL) ? NULL : plain;
}

sqlite3_vfs *csq_vfs_base(const char *name) {
    sqlite3_vfs *foreign = csq_vfs_foreign(name);
    return foreign == NULL ? sqlite3_vfs_find(NULL) : foreign;
}

// --- Calls by connection ---

static int control(sqlite3 *db, int what, void *argument) { return sqlite3_file_control(db, "main", what, argument); }

int csq_vfs_checks(sqlite3 *db) {
    enum csq_page_checks checks = CSQ_CHECKS_NONE;
    return control(db, LAYER_STATE, &checks) == SQLITE_OK ? (int)checks : -1;
}

int csq_vfs_set_sequence(sqlite3 *db, int64_t sequence) {
    uint64_t number = (uint64_t)sequence;
    return control(db, LAYER_SEQUENCE, &number) == SQLITE_OK ? 0 : -1;
}

int csq_vfs_traffic(sqlite3 *db, struct csq_vfs_traffic *traffic) {
    return control(db, LAYER_TRAFFIC, traffic) == SQLITE_OK ? 0 : -1;
}

int csq_vfs_upgrade(sqlite3 *db, enum csq_upgrade_step step) {
    return control(db, LAYER_UPGRADE, &step) == SQLITE_OK ? 0 : -1;
}

int csq_vfs_has_copied_pages(sqlite3 *db) {
    int has = 0;
    return control(db, LAYER_COPIED, &has) == SQLITE_OK && has;
}

int csq_vfs_is_named(sqlite3 *db) {
    sqlite3_file *log = NULL;
    int code = control(db, SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK) code = control(db, LAYER_NAMED, &log);
    return code != SQLITE_IOERR_DATA;
}

int64_t csq_vfs_version_in_file(sqlite3 *db) {
    int64_t version = -1;
    return control(db, LAYER_VERSION, &version) == SQLITE_OK ? version : -1;
}

int csq_vfs_mark_as(sqlite3 *copy, sqlite3 *source) {
    uint8_t id[sizeof((struct layer_file *)NULL)->id];
    if (control(source, LAYER_ID, id) != SQLITE_OK) return -1;
    return control(copy, LAYER_SET_ID, id) == SQLITE_OK ? 0 : -1;
}

int csq_vfs_take_problem(sqlite3 *db, struct csq_page_problem *problem) {
    return control(db, LAYER_PROBLEM, problem) == SQLITE_OK ? 0 : -1;
}

int csq_vfs_scan(sqlite3 *db, struct csq_page_problem *problems, int capacity) {
    struct csq_layer_scan scan = {.problems = problems, .capacity = capacity};
    int code = control(db, SQLITE_FCNTL_JOURNAL_POINTER, &scan.log);
    if (code == SQLITE_OK) code = control(db, LAYER_SCAN, &scan);
    if (code == SQLITE_NOTFOUND) return -1;
    return code == SQLITE_OK ? scan.found : -1 - code;
}

CSQ_KEEPS_CALLS_END
