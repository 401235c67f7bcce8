// SPDX-License-Identifier: Apache-2.0
//
// A database and its write-ahead log as the layer shows them to SQLite: a page gets its trailer when it is written and
// is checked against it when it is read. Everything else is the VFS's below.

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "vfs.h"

KYMO_KEEPS_CALLS_BEGIN

sqlite3_file *layer_inner(sqlite3_file *file) { return (sqlite3_file *)((struct layer_file *)file + 1); }

static struct layer_file *mine(sqlite3_file *file) { return (struct layer_file *)file; }
static sqlite3_file *inner_of(struct layer_file *file) { return layer_inner(&file->face); }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return layer_inner(file)->pMethods; }

static int read_below(struct layer_file *file, void *bytes, int count, sqlite3_int64 at) {
    sqlite3_file *inner = inner_of(file);
    return inner->pMethods->xRead(inner, bytes, count, at);
}

/// What is counted for a database and its log together.
static struct kymo_vfs_traffic *traffic_of(struct layer_file *file) {
    return file->database != NULL ? &file->database->traffic : &file->traffic;
}

static int write_below(struct layer_file *file, const void *bytes, int count, sqlite3_int64 at) {
    sqlite3_file *inner = inner_of(file);
    traffic_of(file)->bytes += count;
    errno = 0;
    return kymo_vfs_full(inner->pMethods->xWrite(inner, bytes, count, at));
}

/// Remembers what is wrong, and gives SQLite the code for it.
static int refuse(
    struct layer_file *database, enum kymo_page_fault fault, uint32_t page, sqlite3_int64 at, int is_in_log) {
    database->problem = (struct kymo_page_problem){at, page, fault, is_in_log};
    return SQLITE_IOERR_DATA;
}

/// Page 1 says how the pages of the database are to be checked, and may say more after a commit of another connection.
static void learn(struct layer_file *database, const uint8_t *page, struct page_place place) {
    if (place.number != 1 || database->is_upgrading || database->checks == KYMO_CHECKS_ALL) return;
    enum page_kind kind = page_kind_of(page);
    if (kind != PAGE_FULL && kind != PAGE_UPGRADING) return;
    const uint8_t *id = database->checks == KYMO_CHECKS_PRESENT ? database->id : page_id(page);
    if (page_check(page, place, id, 0) != KYMO_PAGE_SOUND) return;
    memcpy(database->id, page_id(page), sizeof database->id);
    database->checks = kind == PAGE_FULL ? KYMO_CHECKS_ALL : KYMO_CHECKS_PRESENT;
    database->first_page_kind = kind;
}

// --- The database ---

static int database_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *database = mine(file);
    int code = read_below(database, bytes, count, at);
    // SQLite looks at a few bytes of the header, too, before it reads the whole page.
    if (count < 512) return code;
    struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
    if (database->checks == KYMO_CHECKS_NONE) {
        if (code == SQLITE_OK && at == 0 && count == PAGE) learn(database, bytes, place);
        return code;
    }
    if (count != PAGE || at % PAGE != 0) return refuse(database, KYMO_PAGE_SIZE, place.number, at, 0);
    if (code == SQLITE_IOERR_SHORT_READ) return refuse(database, KYMO_PAGE_SHORT, place.number, at, 0);
    if (code != SQLITE_OK) return code;
    enum kymo_page_fault fault =
        database->checks == KYMO_CHECKS_IMPOSSIBLE
            ? KYMO_PAGE_TRAILER
            : page_check(bytes, place, database->id, database->checks == KYMO_CHECKS_PRESENT);
    if (fault != KYMO_PAGE_SOUND) return refuse(database, fault, place.number, at, 0);
    learn(database, bytes, place);
    return SQLITE_OK;
}

static int database_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *database = mine(file);
    if (database->checks == KYMO_CHECKS_NONE) return write_below(database, bytes, count, at);
    if (count != PAGE || at % PAGE != 0 || database->checks == KYMO_CHECKS_IMPOSSIBLE) return SQLITE_IOERR_WRITE;
    struct page_place place = {.number = (uint32_t)(at / PAGE) + 1};
    enum page_kind kind = place.number == 1 ? database->first_page_kind : PAGE_FULL;
    uint64_t sequence = database->sequence;
    // A page that comes from the log keeps its mark.
    enum page_kind former = page_kind_of(bytes);
    if ((former == PAGE_FULL || former == PAGE_UPGRADING) && memcmp(page_id(bytes), database->id, 16) == 0) {
        sequence = page_sequence(bytes);
        kind = former;
    }
    uint8_t page[PAGE];
    memcpy(page, bytes, PAGE);
    page_stamp(page, place, kind, database->id, sequence, 0);
    return write_below(database, page, PAGE, at);
}

static int database_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **found) {
    int code = methods(file)->xShmMap(layer_inner(file), region, size, extend, found);
    if (code == SQLITE_OK && *found != NULL && !layer_has_place(*found, size)) {
        // Mapped it is, but whoever asks for it again comes here again.
        *found = NULL;
        code = SQLITE_IOERR_SHMSIZE;
    }
    if (region == 0) mine(file)->shared = code == SQLITE_OK || code == SQLITE_READONLY ? *found : NULL;
    return code;
}

static int database_shm_unmap(sqlite3_file *file, int remove) {
    mine(file)->shared = NULL;
    return methods(file)->xShmUnmap(layer_inner(file), remove);
}

/// Steps of the upgrade of a database without checksums, by its writer.
static int upgrade(struct layer_file *database, enum kymo_upgrade_step step) {
    switch (step) {
    case KYMO_UPGRADE_BEGIN:
        if (database->checks == KYMO_CHECKS_NONE) sqlite3_randomness(sizeof database->id, database->id);
        database->checks = KYMO_CHECKS_PRESENT;
        database->first_page_kind = PAGE_UPGRADING;
        database->is_upgrading = 1;
        return SQLITE_OK;
    case KYMO_UPGRADE_REWRITE: database->first_page_kind = PAGE_FULL; return SQLITE_OK;
    case KYMO_UPGRADE_DONE:
        database->checks = KYMO_CHECKS_ALL;
        database->is_upgrading = 0;
        return SQLITE_OK;
    case KYMO_UPGRADE_LATER:
        database->first_page_kind = PAGE_UPGRADING;
        database->is_upgrading = 0;
        return SQLITE_OK;
    case KYMO_UPGRADE_NEVER:
        database->checks = KYMO_CHECKS_NONE;
        database->is_upgrading = 0;
        return SQLITE_OK;
    }
    return SQLITE_MISUSE;
}

static int database_control(sqlite3_file *file, int what, void *argument) {
    struct layer_file *database = mine(file);
    switch (what) {
    case LAYER_STATE: *(enum kymo_page_checks *)argument = database->checks; return SQLITE_OK;
    case LAYER_SEQUENCE: database->sequence = *(const uint64_t *)argument; return SQLITE_OK;
    case LAYER_UPGRADE: return upgrade(database, *(const enum kymo_upgrade_step *)argument);
    case LAYER_PROBLEM:
        *(struct kymo_page_problem *)argument = database->problem;
        database->problem.fault = KYMO_PAGE_SOUND;
        return SQLITE_OK;
    case LAYER_SCAN: return layer_scan(database, argument);
    case LAYER_ID: memcpy(argument, database->id, sizeof database->id); return SQLITE_OK;
    case LAYER_SET_ID: memcpy(database->id, argument, sizeof database->id); return SQLITE_OK;
    case LAYER_TRAFFIC: *(struct kymo_vfs_traffic *)argument = database->traffic; return SQLITE_OK;
    default: return methods(file)->xFileControl(layer_inner(file), what, argument);
    }
}

// --- The log ---

static int is_page_of_frame(int count, sqlite3_int64 at) {
    return count == PAGE && at > LOG_HEADER && (at - LOG_HEADER) % FRAME == FRAME_HEADER;
}

struct page_place layer_frame_place(const uint8_t *frame, sqlite3_int64 at) {
    uint32_t number = (uint32_t)frame[0] << 24 | (uint32_t)frame[1] << 16 | (uint32_t)frame[2] << 8 | frame[3];
    return (struct page_place){.number = number, .frame_header = frame, .frame_offset = (uint64_t)at};
}

/// A transaction that writes a page of the log twice leaves zeros for the generation of its further frames until it is
/// committed. Here it takes the one that the log's header has.
static int complete(struct layer_file *log, uint8_t *frame_header) {
    static const uint8_t none[8];
    if (memcmp(frame_header + 8, none, 8) != 0) return SQLITE_OK;
    return read_below(log, frame_header + 8, 8, 16);
}

/// Writes a header that was held back.
static int settle(struct layer_file *log) {
    if (!log->is_pending) return SQLITE_OK;
    log->is_pending = 0;
    return write_below(log, log->frame, FRAME_HEADER, log->frame_at);
}

/// Whether the database holds this page as a later commit left it: then the log is an old one.
static int is_older_than_database(struct layer_file *log, const uint8_t *page, uint32_t number) {
    uint8_t there[PAGE];
    sqlite3_int64 at = (sqlite3_int64)(number - 1) * PAGE;
    struct layer_file *database = log->database;
    uint8_t *trailer = there + CONTENT;
    if (read_below(database, trailer, TRAILER, at + CONTENT) != SQLITE_OK) return 0;
    if (page_kind_of(there) != PAGE_FULL || page_sequence(there) <= page_sequence(page)) return 0;
    // Rare enough to make sure: a damaged page proves nothing, nor does one that is just being written.
    if (read_below(database, there, PAGE, at) != SQLITE_OK) return 0;
    struct page_place place = {.number = number};
    return page_check(there, place, database->id, 0) == KYMO_PAGE_SOUND && page_sequence(there) > page_sequence(page);
}

/// Whether SQLite has begun the log anew since this frame was written.
static int is_of_other_generation(const struct layer_file *log, const uint8_t *frame) {
    const volatile uint8_t *shared = log->database->shared;
    if (shared == NULL || memcmp(log->generation, frame + 8, 8) == 0) return 0;
    for (int i = 0; i < 8; i++)
        if (shared[32 + i] != frame[8 + i]) return 1;
    return 0;
}

enum kymo_page_fault layer_check_frame(struct layer_file *log, const uint8_t *frame, struct page_place place) {
    struct layer_file *database = log->database;
    const uint8_t *page = frame + FRAME_HEADER;
    // A checkpoint that a power cut has torn may have left page 1 without its trailer; the log still has it.
    if (database->checks == KYMO_CHECKS_IMPOSSIBLE) learn(database, page, place);
    if (database->checks == KYMO_CHECKS_IMPOSSIBLE || place.number == 0) return KYMO_PAGE_TRAILER;
    enum kymo_page_fault fault = page_check(page, place, database->id, database->checks == KYMO_CHECKS_PRESENT);
    if (fault != KYMO_PAGE_SOUND || page_kind_of(page) == PAGE_BLANK) return fault;
    return is_of_other_generation(log, frame) ? KYMO_PAGE_STALE : KYMO_PAGE_SOUND;
}

/// SQLite finds the end of a log by its own sums, which do not see the trailers. A frame of which a power cut kept all
/// but the trailer was never acknowledged and ends the log like any other torn one: here it gets a wrong sum. A page of
/// another database stays, and is refused when it is needed.
static void end_at_torn(struct layer_file *log, uint8_t *frame, sqlite3_int64 at) {
    struct layer_file *database = log->database;
    struct page_place place = layer_frame_place(frame, at);
    if (database->checks == KYMO_CHECKS_IMPOSSIBLE) learn(database, frame + FRAME_HEADER, place);
    if (database->checks != KYMO_CHECKS_ALL && database->checks != KYMO_CHECKS_PRESENT) return;
    enum kymo_page_fault fault =
        page_check(frame + FRAME_HEADER, place, database->id, database->checks == KYMO_CHECKS_PRESENT);
    if (fault != KYMO_PAGE_SOUND && fault != KYMO_PAGE_FOREIGN) frame[FRAME_HEADER - 1] ^= 0xFF;
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *log = mine(file), *database = log->database;
    int code = settle(log);
    if (code != SQLITE_OK) return code;
    if (!is_page_of_frame(count, at)) {
        // Headers, and whole frames when the log is recovered or, by who writes it, its checksums are made anew.
        code = read_below(log, bytes, count, at);
        if (code == SQLITE_OK && count == FRAME && at >= LOG_HEADER && log->end == 0) end_at_torn(log, bytes, at);
        return code;
    }
    sqlite3_int64 start = at - FRAME_HEADER;
    uint8_t frame[FRAME];
    code = read_below(log, frame, FRAME, start);
    struct page_place place = layer_frame_place(frame, start);
    if (database->checks == KYMO_CHECKS_NONE) {
        memcpy(bytes, frame + FRAME_HEADER, PAGE);
        if (code == SQLITE_OK) learn(database, bytes, place);
        return code;
    }
    if (code == SQLITE_IOERR_SHORT_READ) return refuse(database, KYMO_PAGE_SHORT, 0, start, 1);
    if (code == SQLITE_OK) code = complete(log, frame);
    if (code != SQLITE_OK) return code;
    enum kymo_page_fault fault = layer_check_frame(log, frame, place);
    const uint8_t *page = frame + FRAME_HEADER;
    if (fault == KYMO_PAGE_SOUND && is_older_than_database(log, page, place.number)) fault = KYMO_PAGE_STALE;
    if (fault != KYMO_PAGE_SOUND) return refuse(database, fault, place.number, start, 1);
    memcpy(bytes, page, PAGE);
    learn(database, bytes, place);
    return SQLITE_OK;
}

/// How SQLite's checksums of this log read words: the last bit of its header's first number.
static int order(struct layer_file *log) {
    uint8_t magic[4];
    if (log->big_endian < 0 && read_below(log, magic, 4, 0) == SQLITE_OK) log->big_endian = magic[3] & 1;
    return log->big_endian > 0;
}

/// By how many bytes the file of a log grows at once.
enum { ROOM_LEAST = VFS_MOST, ROOM_MOST = 8 * VFS_MOST };

/// Makes a log's file longer than what goes to it next, by zeros, which end a log like anything that is no frame. After
/// bytes that a file had already a sync takes half as long as one that has to note its new length and new blocks.
static void make_room(struct layer_file *log, sqlite3_int64 end) {
    static uint8_t zeros[VFS_MOST];
    sqlite3_file *inner = inner_of(log);
    if (end <= log->room || log->has_no_room) return;
    sqlite3_int64 size = 0;
    log->has_no_room = inner->pMethods->xFileSize(inner, &size) != SQLITE_OK;
    log->room = size;
    if (end <= size || log->has_no_room) return;
    sqlite3_int64 longer = size + (size < ROOM_LEAST ? ROOM_LEAST : size > ROOM_MOST ? ROOM_MOST : size);
    int code = SQLITE_OK;
    for (sqlite3_int64 at = size; code == SQLITE_OK && at < longer; at += VFS_MOST)
        code = write_below(log, zeros, longer - at < VFS_MOST ? (int)(longer - at) : VFS_MOST, at);
    if (code == SQLITE_OK) {
        log->room = longer;
        return;
    }
    // What little room there is belongs to what is written; whether that finds any, it will see itself.
    log->has_no_room = 1;
    (void)inner->pMethods->xTruncate(inner, size);
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
    struct layer_file *log = mine(file), *database = log->database;
    int is_page = is_page_of_frame(count, at);
    int follows = is_page && log->frame_at == at - FRAME_HEADER;
    int code = follows ? SQLITE_OK : settle(log);
    if (code != SQLITE_OK) return code;
    if (database->checks == KYMO_CHECKS_NONE) return write_below(log, bytes, count, at);
    if (count == LOG_HEADER && at == 0) {
        log->big_endian = ((const uint8_t *)bytes)[3] & 1;
        log->end = LOG_HEADER;
        log->has_no_room = 0;
        memcpy(log->generation, (const uint8_t *)bytes + 16, 8);
        return write_below(log, bytes, count, at);
    }
    if (count == FRAME_HEADER && at >= LOG_HEADER && (at - LOG_HEADER) % FRAME == 0) {
        memcpy(log->frame, bytes, FRAME_HEADER);
        log->frame_at = at;
        // The page of a new frame is written next: one call will do for both.
        log->is_pending = at >= log->end;
        return log->is_pending ? SQLITE_OK : write_below(log, bytes, count, at);
    }
    if (!is_page || database->checks == KYMO_CHECKS_IMPOSSIBLE) return SQLITE_IOERR_WRITE;
    if (!follows) {
        log->frame_at = at - FRAME_HEADER;
        code = read_below(log, log->frame, FRAME_HEADER, log->frame_at);
        if (code != SQLITE_OK) return code;
    }
    uint8_t *page = log->frame + FRAME_HEADER, header[FRAME_HEADER];
    memcpy(page, bytes, PAGE);
    memcpy(header, log->frame, FRAME_HEADER);
    code = complete(log, header);
    if (code != SQLITE_OK) return code;
    struct page_place place = layer_frame_place(header, log->frame_at);
    enum page_kind kind = place.number == 1 ? database->first_page_kind : PAGE_FULL;
    page_stamp(page, place, kind, database->id, database->sequence, order(log));
    if (at + PAGE > log->end) log->end = at + PAGE;
    if (!log->is_pending) return write_below(log, page, PAGE, at);
    log->is_pending = 0;
    make_room(log, log->frame_at + FRAME);
    return write_below(log, log->frame, FRAME, log->frame_at);
}

static int log_sync(sqlite3_file *file, int flags) {
    int code = settle(mine(file));
    traffic_of(mine(file))->syncs += 1;
    return code != SQLITE_OK ? code : methods(file)->xSync(layer_inner(file), flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = settle(mine(file));
    return code != SQLITE_OK ? code : methods(file)->xFileSize(layer_inner(file), size);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    mine(file)->is_pending = 0;
    mine(file)->end = 0;
    mine(file)->room = 0;
    mine(file)->has_no_room = 0;
    return methods(file)->xTruncate(layer_inner(file), size);
}

// --- What both leave to the VFS below ---

static int file_close(sqlite3_file *file) {
    int code = methods(file)->xClose(layer_inner(file));
    file->pMethods = NULL;
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return methods(file)->xTruncate(layer_inner(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    traffic_of(mine(file))->syncs += 1;
    return methods(file)->xSync(layer_inner(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return methods(file)->xFileSize(layer_inner(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return methods(file)->xLock(layer_inner(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return methods(file)->xUnlock(layer_inner(file), level); }

static int file_check_reserved(sqlite3_file *file, int *held) {
    return methods(file)->xCheckReservedLock(layer_inner(file), held);
}

static int file_control(sqlite3_file *file, int what, void *argument) {
    return methods(file)->xFileControl(layer_inner(file), what, argument);
}

static int file_sector_size(sqlite3_file *file) { return methods(file)->xSectorSize(layer_inner(file)); }

static int file_characteristics(sqlite3_file *file) {
    // Without this promise, which the system's VFS gives by default, SQLite would write pages in parts.
    return methods(file)->xDeviceCharacteristics(layer_inner(file)) | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return methods(file)->xShmLock(layer_inner(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { methods(file)->xShmBarrier(layer_inner(file)); }

// Version 2 is without xFetch: a page that is read in place could not be checked.
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
    .iVersion = 1, .xClose = file_close, .xRead = log_read, .xWrite = log_write, .xTruncate = log_truncate,
    .xSync = log_sync, .xFileSize = log_size, .xLock = file_lock, .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved, .xFileControl = file_control, .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

int layer_is_log(sqlite3_file *file) { return file != NULL && file->pMethods == &log_methods; }

static int is_database(sqlite3_file *file) {
    return file != NULL && (file->pMethods == &database_methods || file->pMethods == &plain_database_methods);
}

// --- Opening ---

/// What an open database's first page says of its checks; an error if it cannot be read.
static int examine(struct layer_file *database, sqlite3_vfs *base) {
    sqlite3_file *inner = inner_of(database);
    sqlite3_int64 size = 0;
    int code = inner->pMethods->xFileSize(inner, &size);
    if (code != SQLITE_OK) return code;
    database->first_page_kind = PAGE_FULL;
    if (size == 0) {
        base->xRandomness(base, sizeof database->id, (char *)database->id);
        database->checks = KYMO_CHECKS_ALL;
        return SQLITE_OK;
    }
    database->checks = KYMO_CHECKS_NONE;
    if (size < PAGE) return SQLITE_OK;
    uint8_t page[PAGE];
    // The page may be about to be written by a checkpoint. Kind and id stay what they are, but for an upgrade.
    for (int attempt = 0; attempt < 10; attempt++) {
        code = read_below(database, page, PAGE, 0);
        if (code != SQLITE_OK) return code;
        enum page_kind kind = page_kind_of(page);
        if (kind == PAGE_BLANK) return SQLITE_OK;
        if (kind != PAGE_UNKNOWN) {
            memcpy(database->id, page_id(page), sizeof database->id);
            database->checks = kind == PAGE_FULL ? KYMO_CHECKS_ALL : KYMO_CHECKS_PRESENT;
            database->first_page_kind = kind;
            return SQLITE_OK;
        }
        base->xSleep(base, 1000);
    }
    // Some other file, or a catalog of which no page can be trusted.
    int is_ours = memcmp(page, "SQLite format 3", 16) == 0 && page[20] == TRAILER;
    if (is_ours) database->checks = KYMO_CHECKS_IMPOSSIBLE;
    return SQLITE_OK;
}

int layer_open(sqlite3_vfs *base, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    struct layer_file *opened = mine(file);
    memset(opened, 0, sizeof *opened);
    sqlite3_file *inner = layer_inner(file);
    inner->pMethods = NULL;
    int is_log = (flags & SQLITE_OPEN_WAL) != 0, code = SQLITE_OK;
    if (is_log) {
        sqlite3_file *database = sqlite3_database_file_object(name);
        if (!is_database(database)) return SQLITE_CANTOPEN;
        opened->database = mine(database);
        opened->big_endian = -1;
    }
    errno = 0;
    code = kymo_vfs_full(base->xOpen(base, name, inner, flags, out));
    if (code == SQLITE_OK && !is_log) code = examine(opened, base);
    if (code != SQLITE_OK) {
        // A file with methods is closed even if it could not be opened.
        if (inner->pMethods != NULL) inner->pMethods->xClose(inner);
        return code;
    }
    int shares = inner->pMethods->iVersion >= 2;
    file->pMethods = is_log ? &log_methods : shares ? &database_methods : &plain_database_methods;
    return SQLITE_OK;
}

KYMO_KEEPS_CALLS_END
