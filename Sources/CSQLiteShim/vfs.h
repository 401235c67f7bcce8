// SPDX-License-Identifier: Apache-2.0
//
// Declarations shared by the files of the VFS layer: its files in memory, and the trailer of a page.

#ifndef CSQ_VFS_H
#define CSQ_VFS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "CSQLiteVFS.h"

// Tail calls are disabled: tests identify the call site of each file operation from the stack.
#ifdef __clang__
#define CSQ_KEEPS_CALLS_BEGIN _Pragma("clang attribute push(__attribute__((disable_tail_calls)), apply_to = function)")
#define CSQ_KEEPS_CALLS_END _Pragma("clang attribute pop")
#else
#define CSQ_KEEPS_CALLS_BEGIN
#define CSQ_KEEPS_CALLS_END
#endif

// Keeps a function's file operations apart from those of its callers, for the same tests.
#define CSQ_APART __attribute__((noinline))

enum {
    PAGE = 4096,
    TRAILER = 40,
    CONTENT = PAGE - TRAILER,
    /// Size of a database's id in bytes. In database pages four more bytes follow it; in log pages these hold the
    /// place.
    PAGE_ID = 12,
    LOG_HEADER = 32,
    FRAME_HEADER = 24,
    FRAME = FRAME_HEADER + PAGE,
    /// The page that SQLite never uses, because it holds the lock bytes.
    LOCK_PAGE = (1 << 30) / PAGE + 1,
    /// Maximum number of pages, 128 GiB; no catalog is as large. It also bounds the memory that a forged log can claim.
    PAGES_MOST = 1 << 25,
    /// Maximum size of one write to the VFS below. SQLite's own VFS for Unix writes at most 128 KiB less one byte at
    /// once, and reports a full disk for longer writes.
    VFS_MOST = 1 << 16,
};

// --- crc.c ---

/// Returns the CRC-32C; `seed` is the checksum of the preceding bytes, or 0.
uint32_t csq_page_crc(const uint8_t *bytes, size_t count, uint32_t seed);

// --- vfs_page.c: pure functions over bytes ---

/// The kind of a page, by its trailer.
enum page_kind { PAGE_BLANK, PAGE_UPGRADING, PAGE_FULL, PAGE_UNKNOWN };

/// Write and read little-endian numbers of up to eight bytes.
void csq_page_put(uint8_t *to, uint64_t value, int count);
uint64_t csq_page_get(const uint8_t *from, int count);

/// Read and write SQLite's numbers of four bytes, which are big-endian.
uint32_t csq_get_big(const uint8_t *from);
void csq_put_big(uint8_t *to, uint32_t value);

enum page_kind csq_page_kind_of(const uint8_t *page);
/// Whether the trailer was written for the log.
int csq_page_is_of_log(const uint8_t *page);
const uint8_t *csq_page_id(const uint8_t *page);
int csq_page_is_id(const uint8_t *page, const uint8_t *id);
uint64_t csq_page_sequence(const uint8_t *page);
uint32_t csq_page_sum(const uint8_t *page);
/// Whether an earlier version wrote page 1 of a database, with a checksum over all its bytes.
int csq_page_is_of_former_version(const uint8_t *page);
/// Whether the trailer has the balance bytes, which it has only in a log.
int csq_page_has_balance(const uint8_t *page);
/// Removes place and balance from the trailer of a log page. SQLite computes the checksum of the page's next frame over
/// these bytes; they must differ from the bytes of every frame that may be on the disk.
void csq_page_detach(uint8_t *page);

/// The location of a page: its number in the database; in a log also its frame's header and the header's offset.
struct page_place {
    uint32_t number;
    const uint8_t *frame_header;
    uint64_t frame_offset;
};

/// Writes the trailer. SQLite has already computed its running checksum over the frames of a log; the last eight bytes
/// of the trailer compensate for the change. `big_endian` is the word order of that checksum.
void csq_page_stamp(
    uint8_t *page, struct page_place place, enum page_kind kind, const uint8_t *id, uint64_t sequence, int big_endian);
/// Returns the checksum of a page in the logs of earlier versions, which is meaningless in the database.
uint32_t csq_page_former_log_sum(const uint8_t *page, uint32_t number, uint64_t offset, const uint8_t *generation);
/// Sets the last eight of the last `count` bytes of a page such that SQLite's checksum of a log is that of a page with
/// the bytes `former` at their place.
void csq_page_balance(uint8_t *page, const uint8_t *former, int count, int big_endian);
/// Checks a page; 0, or the fault. If `lenient`, a page without a trailer is accepted.
enum csq_page_fault csq_page_check(const uint8_t *page, struct page_place place, const uint8_t *id, int lenient);

/// Adds bytes to SQLite's running checksum of a log, in the word order named by the log's header.
void csq_wal_add_sum(uint32_t sum[2], const uint8_t *bytes, int count, int big_endian);
/// Whether a checksum equals the one stored at `at`, which is always big-endian.
int csq_wal_is_sum(const uint32_t sum[2], const uint8_t *at);

// --- vfs_log_header.c ---

/// Convert the header of an encrypted log between SQLite's form and that on the disk. A header with another version, or
/// with a wrong checksum, stays as it is.
void csq_log_header_to_disk(uint8_t *header);
void csq_log_header_from_disk(uint8_t *header);
/// Whether a header in SQLite's form is complete and belongs to a log of this page size.
int csq_log_header_is_sound(const uint8_t *header);

// --- vfs_copied.c ---

/// Pages that another SQLite copied from a log of an earlier version into the database. Their checksum is that of the
/// log: it covers the frame's offset and the log's generation, which no longer exist.
struct copied_pages {
    enum { COPIED_UNKNOWN, COPIED_NONE, COPIED_SINGLE, COPIED_SEVERAL } state;
    /// For `COPIED_SINGLE`: the page.
    uint32_t number;
    /// For `COPIED_SEVERAL`: the generation's contribution to each checksum, and the maximum number of frames in the
    /// log.
    uint32_t constant, frames;
};
/// Reads a page of a database; returns an SQLite code.
typedef int copied_reader(void *context, uint32_t number, uint8_t *page);
/// Scans all `count` pages of a database for copied pages. Returns an SQLite code.
int csq_copied_find(struct copied_pages *found, copied_reader *read, void *context, uint32_t count, const uint8_t *id);
/// Whether a page that fails `csq_page_check` is an unchanged copied page.
int csq_copied_has(const struct copied_pages *found, const uint8_t *page, uint32_t number, const uint8_t *id);

// --- vfs_file.c ---

/// A database or a log. The file of the VFS below follows in the same allocation.
struct layer_file {
    sqlite3_file face;
    /// The log's database; null for a database.
    struct layer_file *database;

    // For a database:
    enum csq_page_checks checks;
    uint8_t id[16];
    /// The commit in progress, or the last one; written pages are marked with it.
    uint64_t sequence;
    /// The mark of page 1. During an upgrade, pages that are read do not change the checks.
    enum page_kind first_page_kind;
    int is_upgrading;
    /// The first region of the shared memory, which contains the log's generation; null if it is not mapped.
    const volatile uint8_t *shared;
    /// The last problem found.
    struct csq_page_problem problem;
    /// Traffic to the file system below, including that of the log.
    struct csq_vfs_traffic traffic;
    struct copied_pages copied;
    /// The keys of an encrypted database; null if the database is not encrypted.
    struct page_cipher *cipher;
    /// The layer's own locks and shared memory; null if the VFS below handles them.
    struct layer_locks *locks;

    // For both:
    /// The file's path and identity, for detecting its removal; no path if the identity is unknown.
    const char *name;
    uint64_t device, inode;

    // For a log:
    /// The frame whose header was last written or read; its page follows.
    uint8_t frame[FRAME];
    sqlite3_int64 frame_at;
    /// Whether the header is not written yet, because its page follows.
    int is_pending;
    /// The end of the bytes that this connection wrote.
    sqlite3_int64 end;
    /// The length of the file, as far as known; 0 if unknown.
    sqlite3_int64 room;
    /// Whether preallocation failed; it is not retried until the log restarts.
    int has_no_room;
    /// The generation that this connection writes. For a generation that it started, the shared memory is updated by
    /// the first commit.
    uint8_t generation[8];
    /// Whether the paths were checked since the last sync, before the last frame of a commit was written.
    int is_named;
    /// -1 if unknown.
    int big_endian;
};

sqlite3_file *csq_layer_inner(sqlite3_file *file);
/// Opens a database or a log over the VFS below.
/// `is_system`: whether that VFS is the system's default, whose file names are paths of the operating system.
int csq_layer_open(sqlite3_vfs *base, int is_system, sqlite3_filename name, sqlite3_file *file, int flags, int *out);

/// The layer's own file controls for a database. SQLite does not use these numbers.
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

int csq_layer_read_below(struct layer_file *file, void *bytes, int count, sqlite3_int64 at);
int csq_layer_write_below(struct layer_file *file, const void *bytes, int count, sqlite3_int64 at);
/// The traffic counters of a database and its log together.
struct csq_vfs_traffic *csq_layer_traffic(struct layer_file *file);
/// Records a problem, and returns SQLite's code for it.
int csq_layer_refuse(
    struct layer_file *database, enum csq_page_fault fault, uint32_t page, sqlite3_int64 at, int is_in_log);
int csq_layer_is_log(sqlite3_file *file);
/// Whether a file is an encrypted database.
int csq_layer_is_encrypted(sqlite3_file *file);

// --- vfs_checks.c ---

/// Determines the checks of an open database from its first page; returns an error if the page is unreadable.
int csq_layer_examine(struct layer_file *database, sqlite3_vfs *base);
/// Sets the kind of page checks for the database from a sound page 1.
void csq_layer_learn(struct layer_file *database, const uint8_t *page, struct page_place place);
/// 0, or the reason why a page of the database differs from the page that the layer wrote there. Decrypts the page of
/// an encrypted database in place; a refused page is zeros then.
enum csq_page_fault csq_layer_check_page(struct layer_file *database, uint8_t *page, struct page_place place);
/// Whether the database has, or may have, pages that were copied from a log of an earlier version. If page 1 has a
/// checksum of the current form, it was written later, and there are none.
int csq_layer_has_copied(struct layer_file *database);
/// Returns the `user_version` in the database's own page 1; 0 if it is unreadable, -1 if the page has no trailer.
int64_t csq_layer_version(struct layer_file *database);
/// The steps of the upgrade of a database without checksums, executed by its writer.
int csq_layer_upgrade(struct layer_file *database, enum csq_upgrade_step step);

// --- vfs_log.c ---

// The I/O methods of a log.
int csq_layer_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at);
int csq_layer_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at);
int csq_layer_log_sync(sqlite3_file *file, int flags);
int csq_layer_log_size(sqlite3_file *file, sqlite3_int64 *size);
int csq_layer_log_truncate(sqlite3_file *file, sqlite3_int64 size);
/// Records the identity of the file of a database or a log.
void csq_layer_note_name(struct layer_file *file, const char *name);
/// Whether the paths of a log and its database still lead to the open files.
int csq_layer_is_named(const struct layer_file *log);
struct page_place csq_layer_frame_place(const uint8_t *frame, sqlite3_int64 at);
/// Checks a frame of the log including its page; 0, or the fault. Decrypts the frame of an encrypted log in place;
/// checksums and page of a refused frame are zeros then.
enum csq_page_fault csq_layer_check_frame(struct layer_file *log, uint8_t *frame, struct page_place place);

// --- vfs_scan.c ---

/// The argument of LAYER_SCAN.
struct csq_layer_scan {
    /// The log, or null.
    sqlite3_file *log;
    struct csq_page_problem *problems;
    int capacity;
    int found;
};
int csq_layer_scan(struct layer_file *database, struct csq_layer_scan *scan);
/// Whether SQLite's checksums match from the start of the log to a frame. After damage they do not match.
int csq_layer_log_sum_fits(struct layer_file *log, sqlite3_int64 frame);

// --- vfs.c ---

/// Returns the VFS that handles the files of the VFS `name`; null for the system's default, or for a layer over it.
sqlite3_vfs *csq_vfs_foreign(const char *name);
/// Returns the VFS below the layer that handles the files of the VFS `name`.
sqlite3_vfs *csq_vfs_base(const char *name);

// --- files.c ---

/// Returns the result of a call of the VFS below, with SQLITE_FULL also for an exhausted quota, the limit of a file's
/// size or missing space for another file. Requires `errno` to be 0 before that call.
int csq_vfs_full(int code);
/// Syncs the parent directory of a file of the system's VFS; returns an SQLite code.
int csq_sync_directory_of(const char *path);
/// A file of the VFS below, beside the database and its log.
struct plain_file {
    sqlite3_file *file;
    const char *name;
};
int csq_plain_open(struct plain_file *opened, sqlite3_vfs *vfs, const char *path, int flags);
/// Opens a file unless it is a pipe or a directory. After an error `opened` is closed.
int csq_plain_open_file(sqlite3_vfs *base, struct plain_file *opened, const char *path, int flags);
/// Closes the file if it is open, and frees its memory. Returns the first error: `code`, or that of closing.
int csq_plain_close(struct plain_file *opened, int code);
/// Converts an SQLite code to the errno that Swift receives; 0 for success.
int csq_vfs_errno(int code);

#endif
