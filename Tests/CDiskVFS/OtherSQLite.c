// SPDX-License-Identifier: Apache-2.0
//
// A second copy of SQLite in one process, as another program or language may bring. The library's file is copied and
// loaded again with RTLD_DEEPBIND, so that it finds its own functions before those of the first copy. The copy shares
// no state with the first one and opens files with its own VFS.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CDiskVFS.h"

static struct {
    int (*open)(const char *, sqlite3 **, int, const char *);
    int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*close)(sqlite3 *);
    int (*checkpoint)(sqlite3 *, const char *, int, int *, int *);
    int (*busy_timeout)(sqlite3 *, int);
    void (*free)(void *);
    sqlite3_vfs *(*vfs_find)(const char *);
} other;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static int copy_file(const char *from, int to) {
    FILE *source = fopen(from, "rb");
    char bytes[65536];
    size_t count;
    if (source == NULL) return 0;
    int is_whole = 1;
    while (is_whole && (count = fread(bytes, 1, sizeof bytes, source)) > 0)
        is_whole = write(to, bytes, count) == (ssize_t)count;
    fclose(source);
    return is_whole;
}

static void load(void) {
    Dl_info about;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (dladdr((void *)sqlite3_libversion, &about) == 0 || about.dli_fname == NULL) return;
    snprintf(path, sizeof path, "%s/other-sqlite-XXXXXX", folder == NULL ? "/tmp" : folder);
    int copy = mkstemp(path);
    if (copy < 0) return;
    int is_copied = copy_file(about.dli_fname, copy);
    close(copy);
    void *library = is_copied ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    unlink(path);
    if (library == NULL) return;
    *(void **)&other.open = dlsym(library, "sqlite3_open_v2");
    *(void **)&other.exec = dlsym(library, "sqlite3_exec");
    *(void **)&other.close = dlsym(library, "sqlite3_close");
    *(void **)&other.checkpoint = dlsym(library, "sqlite3_wal_checkpoint_v2");
    *(void **)&other.busy_timeout = dlsym(library, "sqlite3_busy_timeout");
    *(void **)&other.free = dlsym(library, "sqlite3_free");
    *(void **)&other.vfs_find = dlsym(library, "sqlite3_vfs_find");
}

int32_t kymo_other_sqlite_is_apart(void) {
    pthread_once(&once, load);
    return other.vfs_find != NULL && other.vfs_find(NULL) != sqlite3_vfs_find(NULL);
}

int32_t kymo_other_sqlite_open(const char *path, void **opened) {
    pthread_once(&once, load);
    if (other.open == NULL || other.exec == NULL || other.close == NULL) return SQLITE_ERROR;
    if (!kymo_other_sqlite_is_apart()) return SQLITE_MISUSE;
    sqlite3 *database = NULL;
    int code = other.open(path, &database, SQLITE_OPEN_READWRITE, NULL);
    if (code != SQLITE_OK) {
        other.close(database);
        return code;
    }
    other.busy_timeout(database, 100);
    *opened = database;
    return SQLITE_OK;
}

struct text {
    char *bytes;
    int32_t capacity;
};

static int first_column(void *context, int count, char **values, char **names) {
    struct text *text = context;
    (void)names;
    if (count > 0 && values[0] != NULL && text->bytes[0] == 0) snprintf(text->bytes, text->capacity, "%s", values[0]);
    return 0;
}

int32_t kymo_other_sqlite_run(void *database, const char *sql, char *answer, int32_t capacity) {
    struct text text = {answer, capacity};
    char *message = NULL;
    answer[0] = 0;
    int code = other.exec(database, sql, first_column, &text, &message);
    if (code != SQLITE_OK && message != NULL) snprintf(answer, capacity, "%s", message);
    other.free(message);
    return code;
}

int32_t kymo_other_sqlite_checkpoint(void *database) {
    return other.checkpoint(database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

void kymo_other_sqlite_close(void *database) { other.close(database); }
