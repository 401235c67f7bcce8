// SPDX-License-Identifier: Apache-2.0
//
// The layer between SQLite and the files of a catalog: a VFS that wraps another VFS. SQLite's default VFS stays
// unchanged, so the layer does not affect other users of SQLite in the process.

#ifndef CSQ_CSQLITE_VFS_H
#define CSQ_CSQLITE_VFS_H

#include <stdint.h>

/// Registers the layer under a name, over the VFS `base`; null is the current default of the system. Registering a name
/// again changes nothing. Returns SQLite's result code: 0, or 1 if the base does not exist.
int csq_vfs_register(const char *name, const char *base);
/// Unregisters a layer. Requires that no connection uses it. Returns 0, or 1 if there is none.
int csq_vfs_unregister(const char *name);
/// Returns a number that differs in each process forked from this one (`cg_process_mark` of CGuard).
uint64_t csq_vfs_process(void);
/// Returns the CRC-32C used in pages; `in_software` avoids the processor's CRC instruction.
uint32_t csq_vfs_checksum(const uint8_t *bytes, int count, int in_software);

// The keys of encrypted databases. The parameter `keys` of a database's address is a number of this table.

/// Creates an entry for the keys of a store, whose id has 16 bytes. Returns its number; 0 without memory.
int64_t csq_keys_new(const uint8_t *store);
/// Adds the key of a generation (1 to 255), 32 bytes; the greatest generation encrypts. A generation that has a key
/// keeps it. Returns a code of CCipher.
int csq_keys_add(int64_t keys, uint8_t generation, const uint8_t *key);
/// Removes an entry. Open databases keep its keys.
void csq_keys_free(int64_t keys);

// The checks of an open database, by connection. Unless stated otherwise, each function returns -1 if the database was
// not opened through the layer.

struct sqlite3;

/// How the pages of a database are checked when they are read.
enum csq_page_checks {
    CSQ_CHECKS_NONE = 0,        ///< pages have no checksums, and none are written
    CSQ_CHECKS_PRESENT = 1,     ///< an upgrade is incomplete: only pages with a checksum are checked
    CSQ_CHECKS_ALL = 2,         ///< every page must have a checksum
    CSQ_CHECKS_IMPOSSIBLE = 3,  ///< page 1 is so damaged that no page can be trusted
};

/// The faults of a page.
enum csq_page_fault {
    CSQ_PAGE_SOUND = 0,
    CSQ_PAGE_SHORT = 1,     ///< the file ends before or within the page
    CSQ_PAGE_SIZE = 2,      ///< the header states another page size
    CSQ_PAGE_BLANK = 3,     ///< the page has no checksum
    CSQ_PAGE_TRAILER = 4,   ///< the trailer is invalid
    CSQ_PAGE_FOREIGN = 5,   ///< the page belongs to another database
    CSQ_PAGE_CHECKSUM = 6,  ///< the bytes or the position differ from those written
    CSQ_PAGE_STALE = 7,     ///< the log is older than the database
    CSQ_PAGE_OTHER = 8,     ///< another SQLite wrote the page
    CSQ_PAGE_REMOVED = 9,   ///< not a page: the database or its log was removed, moved, or replaced by another file
    CSQ_PAGE_FORGED = 10,   ///< the checksum is right, and the tag wrong: the page was changed or moved on purpose
    CSQ_PAGE_PLAIN = 11,    ///< the page of an encrypted database is not encrypted
    CSQ_PAGE_KEY = 12,      ///< the key of the page's generation is unknown or cannot be used
};

struct csq_page_problem {
    int64_t offset;  ///< of the page in the database, or of its frame in the log
    uint32_t page;   ///< 0 if unknown
    enum csq_page_fault fault;
    int is_in_log;
};

/// The steps by which a writer upgrades a database to page checksums.
enum csq_upgrade_step {
    CSQ_UPGRADE_BEGIN = 1,  ///< from now on pages are written with checksums, page 1 with the mark of an upgrade
    CSQ_UPGRADE_REWRITE,    ///< from now on page 1 is written without the mark
    CSQ_UPGRADE_DONE,       ///< from now on every page must have a checksum
    CSQ_UPGRADE_LATER,      ///< the rewrite failed: the state is that after CSQ_UPGRADE_BEGIN
    CSQ_UPGRADE_NEVER,      ///< no checksums: nothing was written, or a new database is to have none
};

/// Returns the checks in force, or -1.
int csq_vfs_checks(struct sqlite3 *db);
/// Sets the commit that is recorded in all pages written from now on. Requires a sequence that never decreases: pages
/// of the log must not be older than the same pages in the database.
int csq_vfs_set_sequence(struct sqlite3 *db, int64_t sequence);
int csq_vfs_upgrade(struct sqlite3 *db, enum csq_upgrade_step step);
/// Returns 1 if another SQLite copied pages of the database from a log of an earlier version. These pages are sound,
/// but their check is weaker; a writer rewrites them.
int csq_vfs_has_copied_pages(struct sqlite3 *db);
/// Returns 0 if the database or its log was removed, moved or replaced by another file since it was opened, else 1.
int csq_vfs_is_named(struct sqlite3 *db);
/// Returns the `user_version` in the database file itself, ignoring the log; 0 if it is unreadable, -1 if page 1 has no
/// trailer.
int64_t csq_vfs_version_in_file(struct sqlite3 *db);
/// Marks the pages of an empty database `copy` as pages of `source`, so that copies of equal pages have equal bytes.
int csq_vfs_mark_as(struct sqlite3 *copy, struct sqlite3 *source);
/// The traffic of a connection to its database and log since it was opened.
struct csq_vfs_traffic {
    int64_t bytes;  ///< bytes written to the file system
    int64_t syncs;
};

/// Reads the traffic. Returns 0, or -1.
int csq_vfs_traffic(struct sqlite3 *db, struct csq_vfs_traffic *traffic);
/// Returns the last problem found and clears it; its fault is `CSQ_PAGE_SOUND` if there was none.
int csq_vfs_take_problem(struct sqlite3 *db, struct csq_page_problem *problem);
/// Checks every page of the database and its log. Returns the number of damaged pages and describes the first
/// `capacity` of them; returns -1 minus an SQLite code if a page is unreadable.
int csq_vfs_scan(struct sqlite3 *db, struct csq_page_problem *problems, int capacity);

/// Checks the checksums of all pages of an encrypted database and its log without its keys. `store` is the store's id.
/// Returns the number of damaged pages and describes the first `capacity` of them; returns -1 minus an SQLite code if a
/// page is unreadable.
int csq_check_without_keys(
    const char *vfs, const char *path, const char *log, const uint8_t *store, struct csq_page_problem *problems,
    int capacity);
/// Whether the first page of a file is that of an encrypted database; 0 if it cannot be read.
int csq_page_1_is_encrypted(const char *vfs, const char *path);

/// The pages of a database as of its last readable commit; any of them may be damaged.
struct csq_pages;

/// Opens a database for reading page by page, with the log `log` if that is not null and exists. The log is read up to
/// the last commit before the first frame with a wrong checksum. `keys` are those of an encrypted database, or 0.
/// Returns 0, or an errno, also if the log is older than the database.
int csq_pages_open(const char *vfs, const char *path, const char *log, int64_t keys, struct csq_pages **opened);
void csq_pages_close(struct csq_pages *pages);
uint32_t csq_pages_count(const struct csq_pages *pages);
/// Reads the newest committed bytes of a page (4,096 bytes) and returns their fault.
enum csq_page_fault csq_pages_read(struct csq_pages *pages, uint32_t number, uint8_t *page);

/// EINVAL, ENOENT and EROFS, for Swift code that does not import the C library's module.
extern const int CSQ_NOT_REGULAR, CSQ_NOT_FOUND, CSQ_READ_ONLY;

// File operations of the catalog outside SQLite, for the files of the VFS `vfs`. If that is the system's default or a
// layer over it, the operating system is called directly, because it reports more; otherwise the VFS's own methods are
// called.

/// Creates an empty file that only its owner can read. Returns 0, or an errno, also if the path exists (even as a
/// link).
int csq_file_create_private(const char *vfs, const char *path);
/// Reads the size of a regular file; does not follow a link in the last path component. Returns 0, or an errno
/// (`CSQ_NOT_REGULAR`, which is EINVAL: not a regular file).
/// It does not open the file: that would release the locks of a second SQLite in this process.
int csq_file_size(const char *vfs, const char *path, int64_t *size);
/// Returns 1 if the file exists and this process may not read it or, if `beside` is not 0, may not create files beside
/// it.
int csq_file_is_denied(const char *vfs, const char *path, int beside);
/// Returns 1 if the file system of the file is mounted read-only, 0 if not, -1 if that is unknown.
int csq_file_on_read_only_mount(const char *vfs, const char *path);
/// Removes a file. Returns 0, or an errno.
int csq_file_remove(const char *vfs, const char *path);
/// Rewrites a write-ahead log in place and syncs it. After a failed sync the system treats the unwritten bytes as
/// clean; only writing them again makes them durable. A log carries no locks. A power cut may destroy bytes that are
/// being written, so a copy is kept in the file `copy` meanwhile. Returns 0, or an errno.
int csq_log_rewrite(const char *vfs, const char *log, const char *copy);
/// Completes an interrupted rewrite from its copy. The copy may not be durable, so it is first copied to `second`. An
/// incomplete copy is removed, because its log was not changed. Must precede a writer's opening of the database.
/// Returns 0, or an errno.
int csq_log_recover(const char *vfs, const char *log, const char *copy, const char *second);
/// Returns the first commit in a log if no page of the database belongs to the preceding commit or a later one: then
/// the database is outdated, and both together mix two states. Otherwise, or if that is unknown, returns 0. `keys` are
/// those of an encrypted database, or 0.
int64_t csq_log_ahead(const char *vfs, const char *path, const char *log, int64_t keys);
/// Whether a log ends, for these keys, at a frame that was encrypted with a key they do not have. 0 for a torn frame.
int csq_log_lacks_key(const char *vfs, const char *log, int64_t keys);
/// Returns 1 if a copy has bytes that its log lacks, or if that is unknown; 0 if not, or if the copy is incomplete.
int csq_log_lacks(const char *vfs, const char *log, const char *copy);
/// Whether an errno means that the disk or the quota is full, or that the file may not grow.
int csq_error_is_full(int error);
/// Writes the text of an errno to the caller's buffer.
void csq_sqlite_error_text(int error, char *buffer, int capacity);

#endif
