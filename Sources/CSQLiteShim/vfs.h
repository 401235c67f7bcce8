// SPDX-License-Identifier: Apache-2.0
//
// What the files of this room share about the layer: its files in memory, and the trailer of a page.

#ifndef CSQ_VFS_H
#define CSQ_VFS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "CSQLiteVFS.h"

// A call of the file system below stays a call, so that a stack names the place it came from.
#ifdef __clang__
#define CSQ_KEEPS_CALLS_BEGIN _Pragma("clang attribute push(__attribute__((disable_tail_calls)), apply_to = function)")
#define CSQ_KEEPS_CALLS_END _Pragma("clang attribute pop")
#else
#define CSQ_KEEPS_CALLS_BEGIN
#define CSQ_KEEPS_CALLS_END
#endif

enum {
    PAGE = 4096,
    TRAILER = 40,
    CONTENT = PAGE - TRAILER,
    /// Bytes of the id of a database. Four more follow it, which pages of the log have for their place.
    PAGE_ID = 12,
    LOG_HEADER = 32,
    FRAME_HEADER = 24,
    FRAME = FRAME_HEADER + PAGE,
    /// The page that SQLite never uses, because its locks lie there.
    LOCK_PAGE = (1 << 30) / PAGE + 1,
    /// What one call of the VFS below is given at most: SQLite's own for Unix writes no more than 128 KiB less one byte
    /// at once, and calls the disk full where it is given more.
    VFS_MOST = 1 << 16,
};

// --- crc.c ---

/// CRC-32C; `seed` is the checksum of what came before, or 0.
uint32_t csq_page_crc(const uint8_t *bytes, size_t count, uint32_t seed);

// --- vfs_page.c: pure functions over bytes ---

/// What a trailer says of its page.
enum page_kind { PAGE_BLANK, PAGE_UPGRADING, PAGE_FULL, PAGE_UNKNOWN };

/// Little-endian numbers of up to eight bytes.
void csq_page_put(uint8_t *to, uint64_t value, int count);
uint64_t csq_page_get(const uint8_t *from, int count);

enum page_kind csq_page_kind_of(const uint8_t *page);
/// Whether the trailer was written for the log.
int csq_page_is_of_log(const uint8_t *page);
const uint8_t *csq_page_id(const uint8_t *page);
int csq_page_is_id(const uint8_t *page, const uint8_t *id);
uint64_t csq_page_sequence(const uint8_t *page);
uint32_t csq_page_sum(const uint8_t *page);
/// Whether page 1 of a database was written when all its bytes counted.
int csq_page_is_of_former_version(const uint8_t *page);
/// Whether the trailer has the bytes that make up for it in a log.
int csq_page_has_balance(const uint8_t *page);
/// Removes the place and the balance from the trailer of a page of the log. SQLite computes the checksum of the page's
/// next frame with these bytes, which must differ from the bytes of every frame that may be on the disk.
void csq_page_detach(uint8_t *page);

/// Where a page stands: its number in the database, and in a log its frame's header and that one's offset.
struct page_place {
    uint32_t number;
    const uint8_t *frame_header;
    uint64_t frame_offset;
};

/// Writes the trailer. In a log the last eight bytes make up for the change, so that SQLite's own running checksum over
/// the frames, which it has taken already, stays right: `big_endian` is how it reads words.
void csq_page_stamp(
    uint8_t *page, struct page_place place, enum page_kind kind, const uint8_t *id, uint64_t sequence, int big_endian);
/// The checksum of a page in the logs of former versions, which has no meaning in the database.
uint32_t csq_page_former_log_sum(const uint8_t *page, uint32_t number, uint64_t offset, const uint8_t *generation);
/// 0, or why this page is not what was written there; `lenient` lets a page without a trailer pass.
enum csq_page_fault csq_page_check(const uint8_t *page, struct page_place place, const uint8_t *id, int lenient);

/// Adds bytes to SQLite's own running checksum of a log, over words of the order that the log's header names.
void csq_wal_add_sum(uint32_t sum[2], const uint8_t *bytes, int count, int big_endian);
/// Whether such a checksum is the one that is written, as always big-endian, at `at`.
int csq_wal_is_sum(const uint32_t sum[2], const uint8_t *at);

// --- vfs_copied.c ---

/// What is known of pages that another SQLite copied from a log of a former version into the database. Their checksum
/// is the one of the log: over their frame's offset and the log's generation, which are gone.
struct copied_pages {
    enum { COPIED_UNKNOWN, COPIED_NONE, COPIED_SINGLE, COPIED_SEVERAL } state;
    /// Of `COPIED_SINGLE`: the page.
    uint32_t number;
    /// Of `COPIED_SEVERAL`: what the generation adds to each checksum, and how many frames the log may have had.
    uint32_t constant, frames;
};
/// Reads a page of a database; an SQLite code.
typedef int copied_reader(void *context, uint32_t number, uint8_t *page);
/// Scans all `count` pages of a database for copied pages. Returns an SQLite code.
int csq_copied_find(struct copied_pages *found, copied_reader *read, void *context, uint32_t count, const uint8_t *id);
/// Whether a page that does not pass `csq_page_check` is one of them, unchanged.
int csq_copied_has(const struct copied_pages *found, const uint8_t *page, uint32_t number, const uint8_t *id);

// --- vfs_file.c ---

/// A database or a log. The file of the VFS below follows in the same piece of memory.
struct layer_file {
    sqlite3_file face;
    /// The log's database; null in a database.
    struct layer_file *database;

    // Of a database:
    enum csq_page_checks checks;
    uint8_t id[16];
    /// The commit under way, or the last one: what written pages are marked with.
    uint64_t sequence;
    /// What page 1 is marked with; the checks do not change by what is read while an upgrade is under way.
    enum page_kind first_page_kind;
    int is_upgrading;
    /// The first region of the shared memory, where SQLite keeps the generation of the log; null for none.
    const volatile uint8_t *shared;
    /// The last thing found wrong.
    struct csq_page_problem problem;
    /// What went to the file system below, for the log, too.
    struct csq_vfs_traffic traffic;
    struct copied_pages copied;
    /// The locks and the shared memory, where they are the layer's own.
    struct layer_locks *locks;

    // Of both:
    /// The file's name and which file it is, to notice that it has been removed; no name where that cannot be known.
    const char *name;
    uint64_t device, inode;

    // Of a log:
    /// The frame whose header was written or read last; its page goes behind it.
    uint8_t frame[FRAME];
    sqlite3_int64 frame_at;
    /// The header was not written yet, because its page comes next.
    int is_pending;
    /// The end of what this connection has written.
    sqlite3_int64 end;
    /// The length of its file, as far as it is known; 0 for unknown.
    sqlite3_int64 room;
    /// There was no room ahead, and none is looked for until the log begins anew.
    int has_no_room;
    /// The generation that this connection writes; where it began it, the shared memory has it after the first commit.
    uint8_t generation[8];
    /// The names were checked since the last sync, before the last frame of a commit was written.
    int is_named;
    /// -1 while it is unknown.
    int big_endian;
};

sqlite3_file *csq_vfs_layer_inner(sqlite3_file *file);
/// Opens a database or a log over the VFS below.
/// `is_system`: that one is the system's default, whose files have names of the operating system.
int csq_vfs_layer_open(sqlite3_vfs *base, int is_system, sqlite3_filename name, sqlite3_file *file, int flags, int *out);

/// The file controls of a database that are the layer's own. Numbers that SQLite does not use.
enum {
    LAYER_STATE = 0x4B590001,
    LAYER_SEQUENCE,
    LAYER_UPGRADE,
    LAYER_PROBLEM,
    LAYER_SCAN,
    LAYER_ID,
    LAYER_SET_ID,
    LAYER_TRAFFIC,
    LAYER_COPIED,
    LAYER_NAMED,
    LAYER_VERSION,
};

int csq_vfs_layer_read_below(struct layer_file *file, void *bytes, int count, sqlite3_int64 at);
int csq_vfs_layer_write_below(struct layer_file *file, const void *bytes, int count, sqlite3_int64 at);
/// What is counted for a database and its log together.
struct csq_vfs_traffic *csq_vfs_layer_traffic(struct layer_file *file);
/// Remembers what is wrong, and returns SQLite's code for it.
int csq_vfs_layer_refuse(
    struct layer_file *database, enum csq_page_fault fault, uint32_t page, sqlite3_int64 at, int is_in_log);
/// Takes from a sound page 1 how the pages of the database are to be checked.
void csq_vfs_layer_learn(struct layer_file *database, const uint8_t *page, struct page_place place);
int csq_vfs_layer_is_log(sqlite3_file *file);
/// 0, or why a page of the database differs from the page that the layer wrote there.
enum csq_page_fault csq_vfs_layer_check_page(struct layer_file *database, const uint8_t *page, struct page_place place);

// --- vfs_log.c ---

// The methods of a log.
int csq_vfs_layer_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at);
int csq_vfs_layer_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at);
int csq_vfs_layer_log_sync(sqlite3_file *file, int flags);
int csq_vfs_layer_log_size(sqlite3_file *file, sqlite3_int64 *size);
int csq_vfs_layer_log_truncate(sqlite3_file *file, sqlite3_int64 size);
/// Notes which file a database or a log is.
void csq_vfs_layer_note_name(struct layer_file *file, const char *name);
/// Whether a log and its database are still the files of their names.
int csq_vfs_layer_is_named(const struct layer_file *log);
struct page_place csq_vfs_layer_frame_place(const uint8_t *frame, sqlite3_int64 at);
/// 0, or why a frame of the log, page and all, is not what was written there.
enum csq_page_fault csq_vfs_layer_check_frame(struct layer_file *log, const uint8_t *frame, struct page_place place);

// --- vfs_scan.c ---

/// The argument of LAYER_SCAN.
struct csq_vfs_layer_scan {
    /// The log, or null.
    sqlite3_file *log;
    struct csq_page_problem *problems;
    int capacity;
    int found;
};
int csq_vfs_layer_scan(struct layer_file *database, struct csq_vfs_layer_scan *scan);
/// Whether SQLite's own sums fit from the beginning of the log to a frame, which they do not after damage.
int csq_vfs_layer_log_sum_fits(struct layer_file *log, sqlite3_int64 frame);

// --- vfs.c ---

/// The VFS that really handles the files of the VFS `name`; null if that is the system's default, or ours over it.
sqlite3_vfs *csq_vfs_foreign(const char *name);

// --- files.c ---

/// The result of a call of the VFS below, before which `errno` was set to 0: no room by quota, by the limit of a file's
/// size or for one more file is SQLITE_FULL, too.
int csq_vfs_full(int code);
/// Syncs the directory that a file of the system's VFS stands in; an SQLite code.
int csq_sync_directory_of(const char *path);
/// A file of the VFS below, beside the database and its log.
struct plain_file {
    sqlite3_file *file;
    const char *name;
};
int csq_plain_open(struct plain_file *opened, sqlite3_vfs *vfs, const char *path, int flags);
/// Closes it, if it is open, and frees what opening took; what went wrong first, `code` or the closing.
int csq_plain_close(struct plain_file *opened, int code);
/// What Swift is told of a result of SQLite: 0, or an errno.
int csq_vfs_errno(int code);

#endif
