// SPDX-License-Identifier: Apache-2.0
//
// The pages of a database in which any page may be damaged, including page 1 and the log. Sound pages are read, damaged
// ones reported. Files are opened through the VFS below, which preserves SQLite's locks in this process.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "CSQLiteVFS.h"
#include "vfs.h"
#include "vfs_cipher.h"

CSQ_KEEPS_CALLS_BEGIN

enum {
    OLD_DATABASE = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB,
    OLD_LOG = SQLITE_OPEN_READONLY | SQLITE_OPEN_WAL,
};

struct csq_pages {
    struct plain_file database, log;
    /// Number of pages in the database as of the last readable commit; 0 while unknown.
    uint32_t count;
    /// For pages 1 to `framed`: the number of the newest committed frame, from 1 on; 0 for none.
    uint32_t *frames;
    uint32_t framed;
    /// The commit of the newest frame.
    uint64_t sequence;
    uint8_t id[16];
    int is_lenient;
    struct copied_pages copied;
    /// The keys of an encrypted database; null if it is not encrypted.
    struct page_cipher *cipher;
    /// Whether the log has frames that the keys do not open.
    int lacks_key;
    /// The fault of the page that was decrypted last.
    enum csq_page_fault last;
};

static int read_at(struct plain_file *from, void *bytes, int count, sqlite3_int64 at) {
    return from->file->pMethods->xRead(from->file, bytes, count, at);
}

int csq_plain_open_file(sqlite3_vfs *base, struct plain_file *opened, const char *path, int flags) {
    struct stat about;
    // Opening a pipe would wait for its other end.
    int is_no_file = base == sqlite3_vfs_find(NULL) && stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    int code = is_no_file ? SQLITE_CANTOPEN : csq_plain_open(opened, base, path, flags);
    if (code == SQLITE_OK) return code;
    csq_plain_close(opened, code);
    *opened = (struct plain_file){0};
    return code;
}

/// Checks a page of an encrypted database that has been decrypted, or any page of another database.
static enum csq_page_fault check(
    const struct csq_pages *pages, const uint8_t *page, struct page_place place, const uint8_t *id, int lenient) {
    if (pages->cipher == NULL) return csq_page_check(page, place, id, lenient);
    return csq_page_is_encrypted(page) ? CSQ_PAGE_SOUND : CSQ_PAGE_CHECKSUM;
}

/// Whether a page has the trailer of a page that the layer wrote.
static int has_trailer(const struct csq_pages *pages, const uint8_t *page) {
    return pages->cipher != NULL ? csq_page_is_encrypted(page) : csq_page_kind_of(page) == PAGE_FULL;
}

// --- The log ---

/// Records the frame of a page; returns 0, or -1 if memory is exhausted.
static int note(struct csq_pages *pages, uint32_t number, uint32_t frame) {
    if (number > pages->framed) {
        uint32_t more = number < 1024 ? 1024 : number + number / 2;
        uint32_t *grown = realloc(pages->frames, sizeof *grown * ((size_t)more + 1));
        if (grown == NULL) return -1;
        size_t known = pages->frames == NULL ? 0 : (size_t)pages->framed + 1;
        memset(grown + known, 0, sizeof *grown * ((size_t)more + 1 - known));
        pages->frames = grown;
        pages->framed = more;
    }
    pages->frames[number] = frame;
    return 0;
}

/// The state of a frame, by SQLite's checksum and by the layer's. `FRAME_OF_OTHER`: another SQLite wrote the frame, or
/// its page belongs to another database; its page is ignored, and the frames after it are used. `FRAME_NO_KEY`: a frame
/// of the log that the keys do not open; it ends the log.
enum frame_state { FRAME_TORN, FRAME_NO_KEY, FRAME_SOUND, FRAME_OF_OTHER };

static enum frame_state examine_frame(
    struct csq_pages *pages, uint8_t *frame, sqlite3_int64 at, const uint8_t *header, uint32_t sum[2]) {
    struct page_place place = csq_layer_frame_place(frame, at);
    if (memcmp(frame + 8, header + 16, 8) != 0 || csq_get_big(frame) == 0) return FRAME_TORN;
    if (csq_get_big(frame) > PAGES_MOST || csq_get_big(frame + 4) > PAGES_MOST) return FRAME_TORN;
    int big_endian = header[3] & 1;
    if (pages->cipher != NULL) {
        enum csq_page_fault opened = csq_page_decrypt(pages->cipher, frame + FRAME_HEADER, frame + 16, place);
        if (opened != CSQ_PAGE_SOUND) return opened == CSQ_PAGE_KEY ? FRAME_NO_KEY : FRAME_TORN;
    }
    csq_wal_add_sum(sum, frame, 8, big_endian);
    csq_wal_add_sum(sum, frame + FRAME_HEADER, PAGE, big_endian);
    if (!csq_wal_is_sum(sum, frame + 16)) return FRAME_TORN;
    const uint8_t *page = frame + FRAME_HEADER;
    enum csq_page_fault fault = check(pages, page, place, csq_page_id(page), 1);
    return fault == CSQ_PAGE_SOUND ? FRAME_SOUND : FRAME_OF_OTHER;
}

/// Reads the log's header in SQLite's form, and begins the running checksum. Returns whether the header is sound.
static int read_header(struct csq_pages *pages, uint8_t *header, uint32_t sum[2]) {
    if (read_at(&pages->log, header, LOG_HEADER, 0) != SQLITE_OK) return 0;
    if (pages->cipher != NULL) csq_log_header_from_disk(header);
    csq_wal_add_sum(sum, header, 24, header[3] & 1);
    return csq_log_header_is_sound(header);
}

/// Finds the frames up to the last commit before the first torn frame.
static int read_log(struct csq_pages *pages) {
    uint8_t header[LOG_HEADER], frame[FRAME];
    uint32_t sum[2] = {0, 0}, committed = 0, *numbers = NULL, room = 0;
    if (!read_header(pages, header, sum)) return 0;
    int code = 0;
    for (uint32_t i = 0; code == 0; i++) {
        sqlite3_int64 at = LOG_HEADER + (sqlite3_int64)i * FRAME;
        if (read_at(&pages->log, frame, FRAME, at) != SQLITE_OK) break;
        enum frame_state state = examine_frame(pages, frame, at, header, sum);
        pages->lacks_key = state == FRAME_NO_KEY;
        if (state == FRAME_TORN || state == FRAME_NO_KEY) break;
        if (i == room) {
            room = room == 0 ? 1024 : room * 2;
            uint32_t *grown = realloc(numbers, sizeof *grown * room);
            if (grown == NULL) code = -1;
            if (grown == NULL) break;
            numbers = grown;
        }
        numbers[i] = state == FRAME_SOUND ? csq_get_big(frame) : 0;
        if (csq_get_big(frame + 4) == 0) continue;
        pages->count = csq_get_big(frame + 4);
        if (state == FRAME_SOUND) pages->sequence = csq_page_sequence(frame + FRAME_HEADER);
        for (; committed <= i && code == 0; committed++)
            if (numbers[committed] > 0) code = note(pages, numbers[committed], committed + 1);
    }
    free(numbers);
    return code;
}

/// Returns the first commit in the log if it does not follow the database's last commit; else 0. Also returns 0 if the
/// commit of a page is unknown, as after a torn checkpoint, or if the log has no complete frame.
static int64_t begins_behind(struct csq_pages *pages) {
    uint8_t header[LOG_HEADER], frame[FRAME], there[PAGE];
    uint32_t sum[2] = {0, 0};
    if (!read_header(pages, header, sum)) return 0;
    if (read_at(&pages->log, frame, FRAME, LOG_HEADER) != SQLITE_OK) return 0;
    if (examine_frame(pages, frame, LOG_HEADER, header, sum) != FRAME_SOUND) return 0;
    const uint8_t *page = frame + FRAME_HEADER;
    uint64_t first = csq_page_sequence(page);
    sqlite3_int64 size = 0;
    if (!has_trailer(pages, page) || first <= 1 || first > INT64_MAX) return 0;
    if (pages->database.file->pMethods->xFileSize(pages->database.file, &size) != SQLITE_OK || size < PAGE) return 0;
    for (sqlite3_int64 at = 0; at + PAGE <= size; at += PAGE) {
        if (at / PAGE + 1 == LOCK_PAGE) continue;
        if (read_at(&pages->database, there + CONTENT, TRAILER, at + CONTENT) != SQLITE_OK) return 0;
        if (!has_trailer(pages, there)) return 0;
        if (pages->cipher == NULL && !csq_page_is_id(there, csq_page_id(page))) return 0;
        if (csq_page_sequence(there) + 1 >= first) return 0;
    }
    return (int64_t)first;
}

int64_t csq_log_ahead(const char *vfs, const char *path, const char *log, int64_t keys) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct csq_pages pages = {0};
    int64_t first = 0;
    int there = 0, code = base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &there);
    if (code == SQLITE_OK && there) {
        code = csq_plain_open_file(base, &pages.log, log, OLD_LOG);
        if (code == SQLITE_OK) code = csq_plain_open_file(base, &pages.database, path, OLD_DATABASE);
        if (code == SQLITE_OK) code = csq_cipher_open(keys, &pages.cipher);
        if (code == SQLITE_OK) first = begins_behind(&pages);
    }
    csq_cipher_close(pages.cipher);
    csq_plain_close(&pages.database, SQLITE_OK);
    csq_plain_close(&pages.log, SQLITE_OK);
    return first;
}

int csq_log_lacks_key(const char *vfs, const char *log, int64_t keys) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct csq_pages pages = {0};
    int there = 0, code = keys == 0 ? SQLITE_OK : base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &there);
    if (code == SQLITE_OK && there) {
        code = csq_plain_open_file(base, &pages.log, log, OLD_LOG);
        if (code == SQLITE_OK) code = csq_cipher_open(keys, &pages.cipher);
        if (code == SQLITE_OK) (void)read_log(&pages);
    }
    csq_cipher_close(pages.cipher);
    csq_plain_close(&pages.log, SQLITE_OK);
    free(pages.frames);
    return pages.lacks_key;
}

// --- Pages ---

/// Decrypts a page that was read; a page that does not open has no trailer afterwards.
static int decrypted(struct csq_pages *pages, int code, uint8_t *page, uint8_t *sums, struct page_place place) {
    if (code == SQLITE_OK && pages->cipher != NULL) pages->last = csq_page_decrypt(pages->cipher, page, sums, place);
    return code;
}

/// Reads a page of the database itself.
static int read_page(struct csq_pages *pages, uint32_t number, uint8_t *page) {
    struct page_place place = {.number = number};
    int code = read_at(&pages->database, page, PAGE, (sqlite3_int64)(number - 1) * PAGE);
    return decrypted(pages, code, page, NULL, place);
}

/// Reads the newest version of a page, from the log if it has one, into `frame`, and sets its location.
static int load(struct csq_pages *pages, uint32_t number, uint8_t *frame, struct page_place *place) {
    uint32_t in_log = number <= pages->framed ? pages->frames[number] : 0;
    if (in_log > 0) {
        sqlite3_int64 at = LOG_HEADER + (sqlite3_int64)(in_log - 1) * FRAME;
        int code = read_at(&pages->log, frame, FRAME, at);
        *place = csq_layer_frame_place(frame, at);
        return decrypted(pages, code, frame + FRAME_HEADER, frame + 16, *place);
    }
    *place = (struct page_place){.number = number};
    return read_page(pages, number, frame + FRAME_HEADER);
}

/// Determines the database's id by a majority of pages, since any single page may belong to another database.
static void vote(struct csq_pages *pages) {
    if (pages->cipher != NULL) return;
    uint8_t frame[FRAME], *page = frame + FRAME_HEADER;
    struct page_place place;
    uint32_t votes = 0, sound = 0;
    for (uint32_t number = 1; number <= pages->count; number++) {
        if (number == LOCK_PAGE || load(pages, number, frame, &place) != SQLITE_OK) continue;
        if (csq_page_check(page, place, csq_page_id(page), 0) != CSQ_PAGE_SOUND) continue;
        sound++;
        if (votes == 0) memcpy(pages->id, csq_page_id(page), sizeof pages->id);
        votes = csq_page_is_id(page, pages->id) ? votes + 1 : votes - 1;
    }
    int is_upgrading = pages->count > 0 && load(pages, 1, frame, &place) == SQLITE_OK &&
                       csq_page_kind_of(page) == PAGE_UPGRADING &&
                       csq_page_check(page, place, pages->id, 0) == CSQ_PAGE_SOUND;
    pages->is_lenient = sound == 0 || is_upgrading;
}

/// Whether the database has a page newer than the log. Then the log is outdated, or lost its end after a checkpoint:
/// both together mix two states. Pages of other databases are ignored.
static int is_ahead_of_log(struct csq_pages *pages) {
    uint8_t frame[FRAME], there[PAGE];
    for (uint32_t number = 1; number <= pages->count; number++) {
        struct page_place place, here = {.number = number};
        if (number == LOCK_PAGE || read_page(pages, number, there) != SQLITE_OK) continue;
        if (check(pages, there, here, pages->id, 0) != CSQ_PAGE_SOUND) continue;
        uint64_t limit = pages->sequence;
        int is_in_log = number <= pages->framed && pages->frames[number] > 0;
        if (is_in_log && load(pages, number, frame, &place) == SQLITE_OK) {
            limit = csq_page_sequence(frame + FRAME_HEADER);
        }
        if (csq_page_sequence(there) > limit) return 1;
    }
    return 0;
}

/// Determines the number of pages: from the last commit in the log, else from page 1, else from the file.
static int measure(struct csq_pages *pages) {
    sqlite3_int64 size = 0;
    uint8_t page[PAGE];
    struct page_place place = {.number = 1};
    int code = pages->database.file->pMethods->xFileSize(pages->database.file, &size);
    if (code != SQLITE_OK) return code;
    uint32_t there = (uint32_t)(size / PAGE > PAGES_MOST ? PAGES_MOST : size / PAGE);
    if (pages->count > 0) {
        uint32_t known = there > pages->framed ? there : pages->framed;
        if (pages->count / 16 > known) pages->count = known;
        return code;
    }
    pages->count = there;
    if (read_page(pages, 1, page) != SQLITE_OK) return SQLITE_OK;
    int is_sound = check(pages, page, place, csq_page_id(page), 0) == CSQ_PAGE_SOUND;
    uint32_t said = csq_get_big(page + 28);
    // Accept the number in page 1 only if the file is not implausibly shorter than that number.
    int is_current = csq_get_big(page + 24) == csq_get_big(page + 92);
    if (is_sound && said > 0 && said / 16 <= pages->count && is_current) pages->count = said;
    return SQLITE_OK;
}

int csq_pages_open(const char *vfs, const char *path, const char *log, int64_t keys, struct csq_pages **opened) {
    sqlite3_vfs *base = csq_vfs_base(vfs);
    struct csq_pages *pages = calloc(1, sizeof *pages);
    if (pages == NULL) return ENOMEM;
    int there = 0, code = csq_plain_open_file(base, &pages->database, path, OLD_DATABASE);
    if (code == SQLITE_OK) code = csq_cipher_open(keys, &pages->cipher);
    if (code == SQLITE_OK && log != NULL) code = base->xAccess(base, log, SQLITE_ACCESS_EXISTS, &there);
    if (code == SQLITE_OK && there) code = csq_plain_open_file(base, &pages->log, log, OLD_LOG);
    if (code == SQLITE_OK && there && read_log(pages) != 0) code = SQLITE_NOMEM;
    if (code == SQLITE_OK) code = measure(pages);
    if (code == SQLITE_OK) vote(pages);
    if (code == SQLITE_OK && pages->frames != NULL && is_ahead_of_log(pages)) code = SQLITE_IOERR;
    if (code == SQLITE_OK) {
        *opened = pages;
        return 0;
    }
    csq_pages_close(pages);
    return csq_vfs_errno(code);
}

void csq_pages_close(struct csq_pages *pages) {
    csq_plain_close(&pages->database, SQLITE_OK);
    csq_plain_close(&pages->log, SQLITE_OK);
    csq_cipher_close(pages->cipher);
    free(pages->frames);
    free(pages);
}

uint32_t csq_pages_count(const struct csq_pages *pages) { return pages->count; }

static int read_database(void *context, uint32_t number, uint8_t *page) {
    struct csq_pages *pages = context;
    return read_at(&pages->database, page, PAGE, (sqlite3_int64)(number - 1) * PAGE);
}

enum csq_page_fault csq_pages_read(struct csq_pages *pages, uint32_t number, uint8_t *page) {
    uint8_t frame[FRAME];
    struct page_place place;
    if (number == 0 || number > pages->count || load(pages, number, frame, &place) != SQLITE_OK) return CSQ_PAGE_SHORT;
    memcpy(page, frame + FRAME_HEADER, PAGE);
    if (pages->cipher != NULL) return pages->last;
    enum csq_page_fault fault = csq_page_check(page, place, pages->id, pages->is_lenient);
    if (fault != CSQ_PAGE_CHECKSUM || place.frame_header != NULL || !csq_page_has_balance(page)) return fault;
    if (pages->copied.state == COPIED_UNKNOWN) {
        (void)csq_copied_find(&pages->copied, read_database, pages, pages->count, pages->id);
    }
    return csq_copied_has(&pages->copied, page, number, pages->id) ? CSQ_PAGE_SOUND : fault;
}

CSQ_KEEPS_CALLS_END
