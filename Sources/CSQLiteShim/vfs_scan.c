// SPDX-License-Identifier: Apache-2.0
//
// Checks every page of a database and its log, including unused pages.

#include <string.h>

#include "vfs.h"

CSQ_KEEPS_CALLS_BEGIN

static void report(struct csq_layer_scan *scan, struct csq_page_problem problem) {
    if (scan->found < scan->capacity) scan->problems[scan->found] = problem;
    scan->found++;
}

/// Returns the number of valid frames according to SQLite's shared memory.
static uint32_t frames_of(const struct layer_file *database) {
    return database->shared == NULL ? 0 : *(const volatile uint32_t *)(database->shared + 16);
}

/// The log's generation according to SQLite's shared memory.
static uint64_t generation_of(const struct layer_file *database) {
    uint64_t generation = 0;
    for (int i = 0; i < 8 && database->shared != NULL; i++) generation = generation << 8 | database->shared[32 + i];
    return generation;
}

/// Reads and checks a frame; returns an error code if it is unreadable.
static int check_one_frame(
    struct layer_file *log, uint32_t index, uint8_t *frame, struct page_place *place, enum csq_page_fault *fault) {
    sqlite3_int64 at = LOG_HEADER + (sqlite3_int64)index * FRAME;
    sqlite3_file *inner = csq_layer_inner(&log->face);
    int code = inner->pMethods->xRead(inner, frame, FRAME, at);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    *place = csq_layer_frame_place(frame, at);
    *fault = code == SQLITE_OK ? csq_layer_check_frame(log, frame, *place) : CSQ_PAGE_SHORT;
    return SQLITE_OK;
}

/// SQLite's checksums of a log, computed from its start.
struct running_sum {
    sqlite3_int64 end;
    uint32_t sum[2];
    uint8_t header[LOG_HEADER];
    /// Whether all checksums up to `end` match.
    int fits;
};

/// Continues to the end of a frame; returns whether all checksums up to there match.
static int sum_through(struct running_sum *running, struct layer_file *log, sqlite3_int64 frame) {
    sqlite3_file *inner = csq_layer_inner(&log->face);
    uint8_t bytes[FRAME], *header = running->header;
    if (running->end == 0) {
        running->fits = inner->pMethods->xRead(inner, header, LOG_HEADER, 0) == SQLITE_OK;
        if (running->fits) csq_wal_add_sum(running->sum, header, 24, header[3] & 1);
        running->fits = running->fits && csq_wal_is_sum(running->sum, header + 24);
        running->end = LOG_HEADER;
    }
    for (sqlite3_int64 at = running->end; running->fits && at <= frame; at += FRAME) {
        running->fits = inner->pMethods->xRead(inner, bytes, FRAME, at) == SQLITE_OK;
        if (!running->fits || memcmp(bytes + 8, header + 16, 8) != 0) return running->fits = 0;
        csq_wal_add_sum(running->sum, bytes, 8, header[3] & 1);
        csq_wal_add_sum(running->sum, bytes + FRAME_HEADER, PAGE, header[3] & 1);
        running->fits = csq_wal_is_sum(running->sum, bytes + 16);
        running->end = at + FRAME;
    }
    return running->fits;
}

int csq_layer_log_sum_fits(struct layer_file *log, sqlite3_int64 frame) {
    // No other SQLite writes valid frames of an encrypted log.
    if (log->database->cipher != NULL) return 0;
    struct running_sum running = {0};
    return sum_through(&running, log, frame);
}

/// Checks the frames of the log. A transaction that reads nothing from the log does not prevent a writer from
/// restarting it. The scan then ends: the database has all pages that the transaction reads.
static int scan_log(struct layer_file *log, struct csq_layer_scan *scan) {
    uint8_t frame[FRAME];
    struct running_sum running = {0};
    uint64_t generation = generation_of(log->database);
    uint32_t count = frames_of(log->database);
    for (uint32_t i = 0; i < count; i++) {
        struct page_place place;
        enum csq_page_fault fault;
        int code = check_one_frame(log, i, frame, &place, &fault);
        if (code != SQLITE_OK) return code;
        if (fault != CSQ_PAGE_SOUND) {
            // The writer publishes the new generation before it writes a frame.
            if (generation_of(log->database) != generation) return SQLITE_OK;
            int can_be_other = fault != CSQ_PAGE_STALE && log->database->cipher == NULL;
            if (can_be_other && sum_through(&running, log, (sqlite3_int64)place.frame_offset)) {
                fault = CSQ_PAGE_OTHER;
            }
            report(scan, (struct csq_page_problem){(int64_t)place.frame_offset, place.number, fault, 1});
        }
    }
    return SQLITE_OK;
}

/// Whether the log has a sound copy of a page; in that case the page in the database is never read.
static int is_in_log(struct layer_file *log, uint32_t number) {
    uint8_t frame[FRAME];
    for (uint32_t i = log == NULL ? 0 : frames_of(log->database); i > 0; i--) {
        struct page_place place;
        enum csq_page_fault fault;
        if (check_one_frame(log, i - 1, frame, &place, &fault) != SQLITE_OK) return 0;
        if (place.number == number && fault == CSQ_PAGE_SOUND) return 1;
    }
    return 0;
}

/// Determines the end of the database, from the last commit or from the file. The file may have further pages that a
/// commit in the log has already removed.
static int end_of(struct layer_file *database, sqlite3_int64 *end) {
    if (frames_of(database) > 0) {
        *end = (sqlite3_int64) * (const volatile uint32_t *)(database->shared + 20) * PAGE;
        return SQLITE_OK;
    }
    sqlite3_file *inner = csq_layer_inner(&database->face);
    return inner->pMethods->xFileSize(inner, end);
}

int csq_layer_scan(struct layer_file *database, struct csq_layer_scan *scan) {
    scan->found = 0;
    if (database->checks == CSQ_CHECKS_NONE) return SQLITE_OK;
    struct layer_file *log = scan->log == NULL || !csq_layer_is_log(scan->log) ? NULL : (struct layer_file *)scan->log;
    int code = log == NULL ? SQLITE_OK : scan_log(log, scan);
    if (code != SQLITE_OK) return code;
    sqlite3_file *inner = csq_layer_inner(&database->face);
    sqlite3_int64 end = 0;
    code = end_of(database, &end);
    if (code != SQLITE_OK) return code;
    uint8_t page[PAGE];
    for (sqlite3_int64 at = 0; at < end; at += PAGE) {
        struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
        if (place.number == LOCK_PAGE) continue;
        enum csq_page_fault fault = CSQ_PAGE_TRAILER;
        // If a checkpoint is writing the page, a later attempt finds it sound.
        for (int attempt = 0; attempt < 3 && fault != CSQ_PAGE_SOUND; attempt++) {
            code = inner->pMethods->xRead(inner, page, PAGE, at);
            if (code == SQLITE_IOERR_SHORT_READ) {
                fault = CSQ_PAGE_SHORT;
            } else if (code != SQLITE_OK) {
                return code;
            } else {
                fault = csq_layer_check_page(database, page, place);
            }
        }
        if (fault != CSQ_PAGE_SOUND && !is_in_log(log, place.number)) {
            report(scan, (struct csq_page_problem){at, place.number, fault, 0});
        }
    }
    return SQLITE_OK;
}

CSQ_KEEPS_CALLS_END
