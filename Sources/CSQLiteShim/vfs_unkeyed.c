// SPDX-License-Identifier: Apache-2.0
//
// Checks the checksums of an encrypted database and its log without their keys.

#include <stdlib.h>
#include <string.h>

#include "CSQLiteVFS.h"
#include "vfs.h"
#include "vfs_cipher.h"

CSQ_KEEPS_CALLS_BEGIN

enum { DATABASE = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, LOG = SQLITE_OPEN_READONLY | SQLITE_OPEN_WAL };

struct unkeyed {
    struct plain_file database, log;
    const uint8_t *store;
    struct csq_page_problem *problems;
    int capacity, found;
};

static int read_at(struct plain_file *from, void *bytes, int count, sqlite3_int64 at) {
    return from->file->pMethods->xRead(from->file, bytes, count, at);
}

static void report(struct unkeyed *all, struct csq_page_problem problem) {
    if (all->found < all->capacity) all->problems[all->found] = problem;
    all->found++;
}

static enum csq_page_fault frame_fault(struct unkeyed *all, uint8_t *frame, const uint8_t *header, sqlite3_int64 at) {
    struct page_place place = csq_layer_frame_place(frame, at);
    if (memcmp(frame + 8, header + 16, 8) != 0) return CSQ_PAGE_STALE;
    return csq_page_check_stored(all->store, frame + FRAME_HEADER, frame + 16, place);
}

static int read_log_header(struct unkeyed *all, uint8_t *header) {
    return read_at(&all->log, header, LOG_HEADER, 0);
}

/// Marks in `has` the pages with a sound frame of the log's generation, and finds the last of these frames.
static int find_frames(
    struct unkeyed *all, const uint8_t *header, uint8_t *has, uint32_t pages, sqlite3_int64 *last) {
    uint8_t frame[FRAME];
    sqlite3_int64 size = 0;
    int code = all->log.file->pMethods->xFileSize(all->log.file, &size);
    for (sqlite3_int64 at = LOG_HEADER; code == SQLITE_OK && at + FRAME <= size; at += FRAME) {
        code = read_at(&all->log, frame, FRAME, at);
        if (code != SQLITE_OK || frame_fault(all, frame, header, at) != CSQ_PAGE_SOUND) continue;
        *last = at;
        uint32_t number = csq_layer_frame_place(frame, at).number;
        if (number >= 1 && number <= pages) has[number - 1] = 1;
    }
    return code;
}

/// Checks the frames of the log's generation. Frames after the last sound one are its torn end, which is no damage.
/// Marks in `has` the pages with a sound frame. Sets `*is_restarted` if a writer has restarted the log meanwhile.
static int check_frames(struct unkeyed *all, uint8_t *has, uint32_t pages, int *is_restarted) {
    uint8_t header[LOG_HEADER], now[LOG_HEADER], frame[FRAME];
    sqlite3_int64 last = 0;
    if (read_log_header(all, header) != SQLITE_OK) return SQLITE_OK;
    int code = find_frames(all, header, has, pages, &last);
    for (sqlite3_int64 at = LOG_HEADER; code == SQLITE_OK && at < last; at += FRAME) {
        code = read_at(&all->log, frame, FRAME, at);
        if (code != SQLITE_OK) break;
        enum csq_page_fault fault = frame_fault(all, frame, header, at);
        uint32_t number = csq_layer_frame_place(frame, at).number;
        if (fault != CSQ_PAGE_SOUND) report(all, (struct csq_page_problem){at, number, fault, 1});
    }
    *is_restarted = code == SQLITE_OK && read_log_header(all, now) == SQLITE_OK && memcmp(now, header, LOG_HEADER) != 0;
    return code;
}

static int check_log(struct unkeyed *all, uint8_t *has, uint32_t pages) {
    int code = SQLITE_OK, is_restarted = all->log.file != NULL;
    for (int attempt = 0; attempt < 10 && code == SQLITE_OK && is_restarted; attempt++) {
        all->found = 0;
        memset(has, 0, pages);
        code = check_frames(all, has, pages, &is_restarted);
    }
    return code;
}

static int check_database(struct unkeyed *all, const uint8_t *has, uint32_t pages) {
    uint8_t page[PAGE];
    for (uint32_t number = 1; number <= pages; number++) {
        if (number == LOCK_PAGE || has[number - 1]) continue;
        struct page_place place = {.number = number};
        sqlite3_int64 at = (sqlite3_int64)(number - 1) * PAGE;
        enum csq_page_fault fault = CSQ_PAGE_SHORT;
        // If a checkpoint is writing the page, a later attempt finds it sound.
        for (int attempt = 0; attempt < 3 && fault != CSQ_PAGE_SOUND; attempt++) {
            int code = read_at(&all->database, page, PAGE, at);
            if (code != SQLITE_OK) return code;
            fault = csq_page_check_stored(all->store, page, NULL, place);
        }
        if (fault != CSQ_PAGE_SOUND) report(all, (struct csq_page_problem){at, number, fault, 0});
    }
    return SQLITE_OK;
}

int csq_check_without_keys(
    const char *vfs, const char *path, const char *log, const uint8_t *store, struct csq_page_problem *problems,
    int capacity) {
    sqlite3_vfs *base = csq_vfs_foreign(vfs);
    if (base == NULL) base = sqlite3_vfs_find(NULL);
    struct unkeyed all = {.store = store, .problems = problems, .capacity = capacity};
    sqlite3_int64 size = 0;
    uint8_t *has = NULL;
    int there = 0, code = csq_plain_open_file(base, &all.database, path, DATABASE);
    if (code == SQLITE_OK) code = base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &there);
    if (code == SQLITE_OK && there) code = csq_plain_open_file(base, &all.log, log, LOG);
    if (code == SQLITE_OK) code = all.database.file->pMethods->xFileSize(all.database.file, &size);
    uint32_t pages = (uint32_t)(size / PAGE);
    if (code == SQLITE_OK && (has = calloc(1, (size_t)pages + 1)) == NULL) code = SQLITE_NOMEM;
    if (code == SQLITE_OK) code = check_log(&all, has, pages);
    if (code == SQLITE_OK) code = check_database(&all, has, pages);
    if (code == SQLITE_OK && size % PAGE != 0) {
        report(&all, (struct csq_page_problem){size - size % PAGE, pages + 1, CSQ_PAGE_SHORT, 0});
    }
    free(has);
    code = csq_plain_close(&all.log, code);
    code = csq_plain_close(&all.database, code);
    return code == SQLITE_OK ? all.found : -1 - code;
}

int csq_page_1_is_encrypted(const char *vfs, const char *path) {
    sqlite3_vfs *base = csq_vfs_foreign(vfs);
    if (base == NULL) base = sqlite3_vfs_find(NULL);
    struct plain_file database = {0};
    uint8_t page[PAGE];
    int code = csq_plain_open_file(base, &database, path, DATABASE);
    if (code == SQLITE_OK) code = read_at(&database, page, PAGE, 0);
    int is_encrypted = code == SQLITE_OK && csq_page_is_encrypted(page) && memcmp(page, "SQLite format 3", 16) != 0;
    csq_plain_close(&database, code);
    return is_encrypted;
}

CSQ_KEEPS_CALLS_END
