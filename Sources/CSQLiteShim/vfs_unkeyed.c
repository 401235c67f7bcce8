// SPDX-License-Identifier: Apache-2.0
//
// Checks the checksums of an encrypted database and its log without their keys.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/// The state of a log's header.
enum header_state { HEADER_NONE, HEADER_SOUND, HEADER_DAMAGED };

/// Reads the header as it is stored, and finds its state. A log without a header is empty; if it has frames, the header
/// is lost.
static int read_log_header(struct unkeyed *all, uint8_t *header, enum header_state *state) {
    static const uint8_t none[LOG_HEADER];
    uint8_t plain[LOG_HEADER], frame[FRAME];
    sqlite3_int64 size = 0;
    *state = HEADER_NONE;
    int code = all->log.file->pMethods->xFileSize(all->log.file, &size);
    if (code != SQLITE_OK || size < LOG_HEADER) return code;
    code = read_at(&all->log, header, LOG_HEADER, 0);
    memcpy(plain, header, LOG_HEADER);
    csq_log_header_from_disk(plain);
    if (code == SQLITE_OK && csq_log_header_is_sound(plain)) *state = HEADER_SOUND;
    if (code != SQLITE_OK || *state == HEADER_SOUND) return code;
    if (memcmp(header, none, LOG_HEADER) != 0) *state = HEADER_DAMAGED;
    for (sqlite3_int64 at = LOG_HEADER; *state == HEADER_NONE && at + FRAME <= size; at += FRAME) {
        code = read_at(&all->log, frame, FRAME, at);
        if (code != SQLITE_OK) return code;
        if (csq_page_is_encrypted(frame + FRAME_HEADER)) *state = HEADER_DAMAGED;
    }
    return SQLITE_OK;
}

/// Whether a frame was not written since the log was restarted: it is zeros, or a sound frame of an earlier generation.
static int is_unwritten(struct unkeyed *all, uint8_t *frame, const uint8_t *header, sqlite3_int64 at) {
    static const uint8_t none[FRAME];
    if (memcmp(frame + 8, header + 16, 8) == 0) return 0;
    if (memcmp(frame, none, FRAME) == 0) return 1;
    struct page_place place = csq_layer_frame_place(frame, at);
    return csq_page_check_stored(all->store, frame + FRAME_HEADER, frame + 16, place) == CSQ_PAGE_SOUND;
}

/// Finds the last sound frame that ends a commit, before the first frame that was not written.
static int find_last_commit(struct unkeyed *all, const uint8_t *header, sqlite3_int64 *last) {
    uint8_t frame[FRAME];
    sqlite3_int64 size = 0;
    int code = all->log.file->pMethods->xFileSize(all->log.file, &size);
    for (sqlite3_int64 at = LOG_HEADER; code == SQLITE_OK && at + FRAME <= size; at += FRAME) {
        code = read_at(&all->log, frame, FRAME, at);
        if (code == SQLITE_OK && is_unwritten(all, frame, header, at)) break;
        int ends_commit = csq_get_big(frame + 4) != 0;
        if (code == SQLITE_OK && ends_commit && frame_fault(all, frame, header, at) == CSQ_PAGE_SOUND) *last = at;
    }
    return code;
}

/// Checks the frames of the log's generation up to its last commit. The frames after it are a commit that was not
/// completed, which is no damage. Marks in `has` the pages with a sound frame. Sets `*is_changed` if the header is
/// damaged, or if a writer has restarted the log meanwhile: then a later attempt may find another state.
static int check_frames(struct unkeyed *all, uint8_t *has, uint32_t pages, int *is_changed) {
    uint8_t header[LOG_HEADER], now[LOG_HEADER], frame[FRAME];
    enum header_state state;
    sqlite3_int64 last = 0;
    *is_changed = 0;
    int code = read_log_header(all, header, &state);
    if (code != SQLITE_OK || state == HEADER_NONE) return code;
    *is_changed = 1;
    if (state == HEADER_DAMAGED) {
        report(all, (struct csq_page_problem){0, 0, CSQ_PAGE_CHECKSUM, 1});
        return SQLITE_OK;
    }
    code = find_last_commit(all, header, &last);
    for (sqlite3_int64 at = LOG_HEADER; code == SQLITE_OK && at <= last; at += FRAME) {
        code = read_at(&all->log, frame, FRAME, at);
        if (code != SQLITE_OK) break;
        enum csq_page_fault fault = frame_fault(all, frame, header, at);
        uint32_t number = csq_layer_frame_place(frame, at).number;
        if (fault != CSQ_PAGE_SOUND) report(all, (struct csq_page_problem){at, number, fault, 1});
        else if (number >= 1 && number <= pages) has[number - 1] = 1;
    }
    if (code == SQLITE_OK) code = read_log_header(all, now, &state);
    *is_changed = state != HEADER_SOUND || memcmp(now, header, LOG_HEADER) != 0;
    return code;
}

static int check_log(struct unkeyed *all, uint8_t *has, uint32_t pages) {
    int code = SQLITE_OK, is_changed = all->log.file != NULL;
    for (int attempt = 0; attempt < 10 && code == SQLITE_OK && is_changed; attempt++) {
        if (attempt > 0) usleep(1000);
        all->found = 0;
        memset(has, 0, pages);
        code = check_frames(all, has, pages, &is_changed);
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
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct unkeyed all = {.store = store, .problems = problems, .capacity = capacity};
    sqlite3_int64 size = 0;
    uint8_t *has = NULL;
    int there = 0, code = csq_plain_open_file(base, &all.database, path, DATABASE);
    if (code == SQLITE_OK) code = base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &there);
    if (code == SQLITE_OK && there) code = csq_plain_open_file(base, &all.log, log, LOG);
    if (code == SQLITE_OK) code = all.database.file->pMethods->xFileSize(all.database.file, &size);
    uint32_t pages = (uint32_t)(size / PAGE > PAGES_MOST ? PAGES_MOST : size / PAGE);
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
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct plain_file database = {0};
    uint8_t page[PAGE];
    int code = csq_plain_open_file(base, &database, path, DATABASE);
    if (code == SQLITE_OK) code = read_at(&database, page, PAGE, 0);
    int is_encrypted = code == SQLITE_OK && csq_page_is_encrypted(page) && memcmp(page, "SQLite format 3", 16) != 0;
    csq_plain_close(&database, code);
    return is_encrypted;
}

CSQ_KEEPS_CALLS_END
