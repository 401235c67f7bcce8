// SPDX-License-Identifier: Apache-2.0
//
// A write-ahead log as the layer presents it to SQLite: the page of a frame gets its trailer when it is written and is
// checked against it when it is read.

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs.h"
#include "vfs_cipher.h"

CSQ_KEEPS_CALLS_BEGIN

static struct layer_file *mine(sqlite3_file *file) { return (struct layer_file *)file; }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return csq_layer_inner(file)->pMethods; }

void csq_layer_note_name(struct layer_file *file, const char *name) {
    struct stat about;
    if (stat(name, &about) != 0) return;
    file->name = name;
    file->device = about.st_dev;
    file->inode = about.st_ino;
}

static int has_name(const struct layer_file *file) {
    struct stat about;
    if (file->name == NULL) return 1;
    if (stat(file->name, &about) != 0) return errno != ENOENT && errno != ENOTDIR;
    return about.st_dev == file->device && about.st_ino == file->inode;
}

int csq_layer_is_named(const struct layer_file *log) { return has_name(log) && has_name(log->database); }

static int is_page_of_frame(int count, sqlite3_int64 at) {
    return count == PAGE && at > LOG_HEADER && (at - LOG_HEADER) % FRAME == FRAME_HEADER;
}

struct page_place csq_layer_frame_place(const uint8_t *frame, sqlite3_int64 at) {
    return (struct page_place){.number = csq_get_big(frame), .frame_header = frame, .frame_offset = (uint64_t)at};
}

int csq_log_complete(struct layer_file *log, uint8_t *frame_header) {
    static const uint8_t none[8];
    if (memcmp(frame_header + 8, none, 8) != 0) return SQLITE_OK;
    return csq_layer_read_below(log, frame_header + 8, 8, 16);
}

/// Writes a pending header.
static int settle(struct layer_file *log) {
    if (!log->is_pending) return SQLITE_OK;
    log->is_pending = 0;
    if (log->database->cipher != NULL) return csq_log_settle_encrypted(log);
    return csq_layer_write_below(log, log->frame, FRAME_HEADER, log->frame_at);
}

/// Whether the database holds the page of a later commit; in that case the log is outdated.
static int is_older_than_database(struct layer_file *log, const uint8_t *page, uint32_t number) {
    uint8_t there[PAGE];
    sqlite3_int64 at = (sqlite3_int64)(number - 1) * PAGE;
    struct layer_file *database = log->database;
    uint8_t *trailer = there + CONTENT;
    if (csq_layer_read_below(database, trailer, TRAILER, at + CONTENT) != SQLITE_OK) return 0;
    int is_whole = database->cipher != NULL ? csq_page_is_encrypted(there) : csq_page_kind_of(there) == PAGE_FULL;
    if (!is_whole || csq_page_sequence(there) <= csq_page_sequence(page)) return 0;
    // This case is rare, so verify it: a damaged page, or one being written, proves nothing.
    if (csq_layer_read_below(database, there, PAGE, at) != SQLITE_OK) return 0;
    struct page_place place = {.number = number};
    enum csq_page_fault fault = database->cipher != NULL ? csq_layer_check_page(database, there, place)
                                                         : csq_page_check(there, place, database->id, 0);
    return fault == CSQ_PAGE_SOUND && csq_page_sequence(there) > csq_page_sequence(page);
}

/// Whether SQLite has restarted the log since this frame was written.
static int is_of_other_generation(const struct layer_file *log, const uint8_t *frame) {
    const volatile uint8_t *shared = log->database->shared;
    if (shared == NULL || memcmp(log->generation, frame + 8, 8) == 0) return 0;
    for (int i = 0; i < 8; i++)
        if (shared[32 + i] != frame[8 + i]) return 1;
    return 0;
}

enum csq_page_fault csq_layer_check_frame(struct layer_file *log, uint8_t *frame, struct page_place place) {
    struct layer_file *database = log->database;
    uint8_t *page = frame + FRAME_HEADER;
    if (database->cipher != NULL) {
        enum csq_page_fault fault = csq_page_decrypt(database->cipher, page, frame + 16, place);
        if (fault != CSQ_PAGE_SOUND) return fault;
        return is_of_other_generation(log, frame) ? CSQ_PAGE_STALE : CSQ_PAGE_SOUND;
    }
    // A checkpoint torn by a power cut may have left page 1 without its trailer; the log still has the page.
    if (database->checks == CSQ_CHECKS_IMPOSSIBLE) csq_layer_learn(database, page, place);
    if (database->checks == CSQ_CHECKS_IMPOSSIBLE || place.number == 0) return CSQ_PAGE_TRAILER;
    enum csq_page_fault fault = csq_page_check(page, place, database->id, database->checks == CSQ_CHECKS_PRESENT);
    if (fault != CSQ_PAGE_SOUND || csq_page_kind_of(page) == PAGE_BLANK) return fault;
    return is_of_other_generation(log, frame) ? CSQ_PAGE_STALE : CSQ_PAGE_SOUND;
}

/// Invalidates the checksum of a frame whose trailer a power cut has lost.
///
/// SQLite finds the end of a log by its own checksums, which do not cover the trailers. Such a frame was never
/// acknowledged and must end the log like any torn frame. Its trailer is all zeros. With any other trailer, either
/// SQLite's checksum is wrong, too (`csq_page_detach`), or another SQLite wrote the frame; the page is then refused
/// when it is read, like a page of another database.
static void end_at_torn(struct layer_file *log, uint8_t *frame, sqlite3_int64 at) {
    struct layer_file *database = log->database;
    struct page_place place = csq_layer_frame_place(frame, at);
    if (database->checks == CSQ_CHECKS_IMPOSSIBLE) csq_layer_learn(database, frame + FRAME_HEADER, place);
    if (database->checks != CSQ_CHECKS_ALL) return;
    if (csq_page_kind_of(frame + FRAME_HEADER) == PAGE_BLANK) frame[FRAME_HEADER - 1] ^= 0xFF;
}

int csq_layer_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *log = mine(file), *database = log->database;
    int code = settle(log);
    if (code != SQLITE_OK) return code;
    if (database->cipher != NULL && !is_page_of_frame(count, at)) {
        return at < LOG_HEADER ? csq_log_read_header(log, bytes, count, at)
                               : csq_log_read_part(log, bytes, count, at);
    }
    if (!is_page_of_frame(count, at)) {
        // SQLite reads headers, and whole frames when it recovers the log or, as its writer, recomputes its checksums.
        code = csq_layer_read_below(log, bytes, count, at);
        if (code == SQLITE_OK && count == FRAME && at >= LOG_HEADER && log->end == 0) end_at_torn(log, bytes, at);
        return code;
    }
    sqlite3_int64 start = at - FRAME_HEADER;
    uint8_t frame[FRAME];
    code = csq_layer_read_below(log, frame, FRAME, start);
    struct page_place place = csq_layer_frame_place(frame, start);
    if (database->checks == CSQ_CHECKS_NONE) {
        memcpy(bytes, frame + FRAME_HEADER, PAGE);
        if (code == SQLITE_OK) csq_layer_learn(database, bytes, place);
        return code;
    }
    if (code == SQLITE_IOERR_SHORT_READ) return csq_layer_refuse(database, CSQ_PAGE_SHORT, 0, start, 1);
    if (code == SQLITE_OK) code = csq_log_complete(log, frame);
    if (code != SQLITE_OK) return code;
    enum csq_page_fault fault = csq_layer_check_frame(log, frame, place);
    const uint8_t *page = frame + FRAME_HEADER;
    if (fault == CSQ_PAGE_SOUND && is_older_than_database(log, page, place.number)) fault = CSQ_PAGE_STALE;
    if (fault != CSQ_PAGE_SOUND) {
        if (fault != CSQ_PAGE_STALE && csq_layer_log_sum_fits(log, start)) fault = CSQ_PAGE_OTHER;
        return csq_layer_refuse(database, fault, place.number, start, 1);
    }
    memcpy(bytes, page, PAGE);
    csq_layer_learn(database, bytes, place);
    csq_page_detach(bytes);
    return SQLITE_OK;
}

/// The word order of SQLite's checksums in this log: the last bit of the first number in the log's header.
static int order(struct layer_file *log) {
    uint8_t magic[4];
    if (log->big_endian < 0 && csq_layer_read_below(log, magic, 4, 0) == SQLITE_OK) log->big_endian = magic[3] & 1;
    return log->big_endian > 0;
}

/// Limits of the number of bytes by which a log file grows at once.
enum { ROOM_LEAST = VFS_MOST, ROOM_MOST = 8 * VFS_MOST };

/// Preallocates a log file with zeros, which end a log like any invalid frame. A sync of existing bytes takes half as
/// long as a sync that records a new length and new blocks.
static void make_room(struct layer_file *log, sqlite3_int64 end) {
    static uint8_t zeros[VFS_MOST];
    sqlite3_file *inner = csq_layer_inner(&log->face);
    if (end <= log->room || log->has_no_room) return;
    sqlite3_int64 size = 0;
    log->has_no_room = inner->pMethods->xFileSize(inner, &size) != SQLITE_OK;
    log->room = size;
    if (end <= size || log->has_no_room) return;
    sqlite3_int64 longer = size + (size < ROOM_LEAST ? ROOM_LEAST : size > ROOM_MOST ? ROOM_MOST : size);
    int code = SQLITE_OK;
    for (sqlite3_int64 at = size; code == SQLITE_OK && at < longer; at += VFS_MOST)
        code = csq_layer_write_below(log, zeros, longer - at < VFS_MOST ? (int)(longer - at) : VFS_MOST, at);
    if (code == SQLITE_OK) {
        log->room = longer;
        return;
    }
    // The remaining space is left to the actual write, which reports an error if it does not suffice.
    log->has_no_room = 1;
    (void)inner->pMethods->xTruncate(inner, size);
}

/// Whether another SQLite wrote frames before this position, in a log that this connection has not written to yet.
/// Reads once the frames of an earlier writer.
static int has_other_before(struct layer_file *log, sqlite3_int64 at) {
    uint8_t frame[FRAME];
    for (sqlite3_int64 one = LOG_HEADER; one < at; one += FRAME) {
        if (csq_layer_read_below(log, frame, FRAME, one) != SQLITE_OK) return 1;
        if (csq_layer_check_frame(log, frame, csq_layer_frame_place(frame, one)) != CSQ_PAGE_SOUND) return 1;
    }
    return 0;
}

/// Whether a frame follows frames that this connection has not written. Only one connection at a time writes a catalog;
/// frames of another SQLite would be lost or, worse, would hide the commits after them.
static int is_behind_other(struct layer_file *log, const uint8_t *frame_header, sqlite3_int64 at) {
    static const uint8_t none[8];
    if (log->end == 0) return has_other_before(log, at);
    int is_of_other = memcmp(frame_header + 8, none, 8) != 0 && memcmp(frame_header + 8, log->generation, 8) != 0;
    return at > log->end || is_of_other;
}

/// Refuses to write to files that their paths no longer lead to: their bytes would be lost when the files are closed.
static int require_names(struct layer_file *log) {
    if (csq_layer_is_named(log)) return SQLITE_OK;
    return csq_layer_refuse(log->database, CSQ_PAGE_REMOVED, 0, 0, 1);
}

/// Whether a frame header is that of the last frame of a commit; without this frame the commit does not exist.
static int ends_commit(const uint8_t *header) { return csq_get_big(header + 4) != 0; }

/// Writes the page of a frame whose header is pending, or replaces the page of an existing frame.
CSQ_APART static int write_encrypted_page(
    struct layer_file *log, const uint8_t *bytes, sqlite3_int64 at, int is_pending) {
    uint8_t *page = log->frame + FRAME_HEADER;
    log->frame_at = at - FRAME_HEADER;
    log->is_pending = 0;
    if (!is_pending) {
        enum csq_page_fault fault = CSQ_PAGE_SHORT;
        int code = csq_log_read_encrypted(log, log->frame, log->frame_at, &fault);
        if (code != SQLITE_OK) return code;
        if (fault != CSQ_PAGE_SOUND) return csq_layer_refuse(log->database, fault, 0, log->frame_at, 1);
    }
    memcpy(page, bytes, PAGE);
    struct page_place place = csq_layer_frame_place(log->frame, log->frame_at);
    csq_page_mark_encrypted(log->database->cipher, page, place, log->database->sequence, order(log));
    if (at + PAGE > log->end) {
        log->end = at + PAGE;
        make_room(log, log->end);
    }
    return csq_log_write_encrypted(log, log->frame, log->frame_at);
}

int csq_layer_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *log = mine(file), *database = log->database;
    int is_page = is_page_of_frame(count, at);
    int follows = is_page && log->frame_at == at - FRAME_HEADER;
    int code = follows ? SQLITE_OK : settle(log);
    int is_header = count == FRAME_HEADER && at >= LOG_HEADER && (at - LOG_HEADER) % FRAME == 0;
    if (code == SQLITE_OK && is_header && ends_commit(bytes)) {
        code = require_names(log);
        log->is_named = 1;
    }
    if (code != SQLITE_OK) return code;
    if (database->checks == CSQ_CHECKS_NONE) return csq_layer_write_below(log, bytes, count, at);
    if (count == LOG_HEADER && at == 0) {
        log->big_endian = ((const uint8_t *)bytes)[3] & 1;
        log->end = LOG_HEADER;
        log->has_no_room = 0;
        memcpy(log->generation, (const uint8_t *)bytes + 16, 8);
        if (database->cipher != NULL) return csq_log_write_header(log, bytes);
        return csq_layer_write_below(log, bytes, count, at);
    }
    if (is_header) {
        if (is_behind_other(log, bytes, at)) return csq_layer_refuse(database, CSQ_PAGE_OTHER, 0, log->end, 1);
        if (log->end == 0) memcpy(log->generation, (const uint8_t *)bytes + 8, 8);
        memcpy(log->frame, bytes, FRAME_HEADER);
        log->frame_at = at;
        // The page of a new frame follows; one write stores both.
        log->is_pending = at >= log->end || database->cipher != NULL;
        return log->is_pending ? SQLITE_OK : csq_layer_write_below(log, bytes, count, at);
    }
    if (!is_page || database->checks == CSQ_CHECKS_IMPOSSIBLE) return SQLITE_IOERR_WRITE;
    if (database->cipher != NULL) return write_encrypted_page(log, bytes, at, follows && log->is_pending);
    if (!follows) {
        log->frame_at = at - FRAME_HEADER;
        code = csq_layer_read_below(log, log->frame, FRAME_HEADER, log->frame_at);
        if (code != SQLITE_OK) return code;
    }
    uint8_t *page = log->frame + FRAME_HEADER, header[FRAME_HEADER];
    memcpy(page, bytes, PAGE);
    memcpy(header, log->frame, FRAME_HEADER);
    code = csq_log_complete(log, header);
    if (code != SQLITE_OK) return code;
    struct page_place place = csq_layer_frame_place(header, log->frame_at);
    enum page_kind kind = place.number == 1 ? database->first_page_kind : PAGE_FULL;
    csq_page_stamp(page, place, kind, database->id, database->sequence, order(log));
    if (at + PAGE > log->end) log->end = at + PAGE;
    if (!log->is_pending) return csq_layer_write_below(log, page, PAGE, at);
    log->is_pending = 0;
    make_room(log, log->frame_at + FRAME);
    return csq_layer_write_below(log, log->frame, FRAME, log->frame_at);
}

int csq_layer_log_sync(sqlite3_file *file, int flags) {
    struct layer_file *log = mine(file);
    int code = settle(log);
    csq_layer_traffic(log)->syncs += 1;
    // If the files lose their paths after the check, the sync counts as part of a commit before that.
    if (code == SQLITE_OK && !log->is_named) code = require_names(log);
    log->is_named = 0;
    return code == SQLITE_OK ? methods(file)->xSync(csq_layer_inner(file), flags) : code;
}

int csq_layer_log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = settle(mine(file));
    return code != SQLITE_OK ? code : methods(file)->xFileSize(csq_layer_inner(file), size);
}

int csq_layer_log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    mine(file)->is_pending = 0;
    mine(file)->end = 0;
    mine(file)->room = 0;
    mine(file)->has_no_room = 0;
    return methods(file)->xTruncate(csq_layer_inner(file), size);
}

CSQ_KEEPS_CALLS_END
