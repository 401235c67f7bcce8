// SPDX-License-Identifier: Apache-2.0
//
// The layer between SQLite and the files of a catalog: a VFS of our own over another one, which it names. SQLite's
// default VFS stays what it was: other users of SQLite in the process never meet this one.

#ifndef CSQ_CSQLITE_VFS_H
#define CSQ_CSQLITE_VFS_H

#include <stdint.h>

/// Registers the layer under a name, over the VFS called `base`; null is the system's default at this moment. A second
/// registration of a name changes nothing. Returns SQLite's result code: 0, or 1 if there is no such base.
int csq_vfs_register(const char *name, const char *base);
/// Takes the layer of a name away; no connection may use it any more. 0, or 1 if there is none.
int csq_vfs_unregister(const char *name);
/// A number that differs in each process that is forked from this one (`cg_process_mark` of CGuard).
uint64_t csq_vfs_process(void);
/// CRC-32C as pages have it; `in_software` without the processor's instruction for it.
uint32_t csq_vfs_checksum(const uint8_t *bytes, int count, int in_software);

// The checks of an open database, by the connection. Each function returns -1 (or what it says) where the database is
// not opened through the layer.

struct sqlite3;

/// How the pages of a database are checked when they are read.
enum csq_page_checks {
    CSQ_CHECKS_NONE = 0,        ///< its pages have no checksums; none are written either
    CSQ_CHECKS_PRESENT = 1,     ///< an upgrade is not complete: pages with a checksum are checked
    CSQ_CHECKS_ALL = 2,         ///< every page must have one
    CSQ_CHECKS_IMPOSSIBLE = 3,  ///< page 1 is so damaged that no page can be trusted
};

/// What can be wrong with a page.
enum csq_page_fault {
    CSQ_PAGE_SOUND = 0,
    CSQ_PAGE_SHORT = 1,     ///< the file ends before it
    CSQ_PAGE_SIZE = 2,      ///< the header has another size of pages
    CSQ_PAGE_BLANK = 3,     ///< it has no checksum
    CSQ_PAGE_TRAILER = 4,   ///< its trailer is no trailer
    CSQ_PAGE_FOREIGN = 5,   ///< it belongs to another database
    CSQ_PAGE_CHECKSUM = 6,  ///< its bytes, or its place, are not those that were written
    CSQ_PAGE_STALE = 7,     ///< the log is an old one
    CSQ_PAGE_OTHER = 8,     ///< another SQLite wrote it
    CSQ_PAGE_REMOVED = 9,   ///< no page: the database or its log was removed, moved, or replaced by another file
};

struct csq_page_problem {
    int64_t offset;  ///< in the database, or of the frame in the log
    uint32_t page;   ///< 0 where it is not known
    enum csq_page_fault fault;
    int is_in_log;
};

/// The steps of an upgrade of a database to one with checksums, as its writer goes through them.
enum csq_upgrade_step {
    CSQ_UPGRADE_BEGIN = 1,  ///< pages are written with checksums from now on, page 1 with the mark of an upgrade
    CSQ_UPGRADE_REWRITE,    ///< page 1 is written without the mark from now on
    CSQ_UPGRADE_DONE,       ///< every page must have a checksum from now on
    CSQ_UPGRADE_LATER,      ///< the rewriting failed: as after the beginning
    CSQ_UPGRADE_NEVER,      ///< nothing was written, or a new database shall have none: no checksums
};

/// The checks in force, or -1.
int csq_vfs_checks(struct sqlite3 *db);
/// Says which commit the pages belong to that are written from now on. Pages of a log must not be older than the same
/// pages in the database, so it may never go back.
int csq_vfs_set_sequence(struct sqlite3 *db, int64_t sequence);
int csq_vfs_upgrade(struct sqlite3 *db, enum csq_upgrade_step step);
/// 1 if pages of the database were copied from a log of a former version by another SQLite: they are sound, but checked
/// less well than others, and a writer writes them anew.
int csq_vfs_has_copied_pages(struct sqlite3 *db);
/// 0 if the database or its log was removed, moved or replaced by another file since it was opened, else 1.
int csq_vfs_is_named(struct sqlite3 *db);
/// The `user_version` that the database's own file has, whatever its log has; 0 if it cannot be read, -1 if page 1 has
/// no trailer.
int64_t csq_vfs_version_in_file(struct sqlite3 *db);
/// Makes an empty database `copy` one whose pages are marked as those of `source`: a copy of the same pages then always
/// has the same bytes.
int csq_vfs_mark_as(struct sqlite3 *copy, struct sqlite3 *source);
/// What a connection had written and made durable, in its database and its log, since it was opened.
struct csq_vfs_traffic {
    int64_t bytes;  ///< handed to the file system
    int64_t syncs;
};

/// 0, or -1.
int csq_vfs_traffic(struct sqlite3 *db, struct csq_vfs_traffic *traffic);
/// Takes out what was found wrong last: the fault is `CSQ_PAGE_SOUND` if nothing was.
int csq_vfs_take_problem(struct sqlite3 *db, struct csq_page_problem *problem);
/// Checks every page of the database and its log. Returns how many are damaged, the first `capacity` of which are
/// described, or -1 - an SQLite code if one cannot be read.
int csq_vfs_scan(struct sqlite3 *db, struct csq_page_problem *problems, int capacity);

/// The pages of a database that may be damaged anywhere, as of the last commit that can be read.
struct csq_pages;

/// Opens a database, and its log if `log` names one that is there, for reading page by page. Frames of the log count up
/// to the last commit before the first frame with a wrong sum. 0, or an errno; an error, too, where the log is older
/// than the database.
int csq_pages_open(const char *vfs, const char *path, const char *log, struct csq_pages **opened);
void csq_pages_close(struct csq_pages *pages);
uint32_t csq_pages_count(const struct csq_pages *pages);
/// Reads a page of 4,096 bytes: its newest committed bytes, and what is wrong with them.
enum csq_page_fault csq_pages_read(struct csq_pages *pages, uint32_t number, uint8_t *page);

/// EINVAL, ENOENT and EROFS, for Swift, which this room spares the C library's module.
extern const int CSQ_NOT_REGULAR, CSQ_NOT_FOUND, CSQ_READ_ONLY;

// What the catalog asks about files beside SQLite, of the VFS that is called `vfs`. Where that is the system's default,
// or our layer over it, the operating system is asked, which knows more; any other is asked by its own calls.

/// Makes an empty file only its owner can read, where nothing is yet (not even a link). 0, or an errno.
int csq_file_create_private(const char *vfs, const char *path);
/// Size of a regular file, not through a link at its last component. 0, or an errno (EINVAL: not a regular file).
/// `CSQ_NOT_REGULAR` is that EINVAL.
/// It does not open the file; a second SQLite of this process would lose its locks.
int csq_file_size(const char *vfs, const char *path, int64_t *size);
/// 1 if a file is there that this process may not read or, if `beside` is not 0, if it may make no files beside it.
int csq_file_is_denied(const char *vfs, const char *path, int beside);
/// 1 if the file stands on a file system mounted read-only, 0 if not, -1 if that cannot be found out.
int csq_file_on_read_only_mount(const char *vfs, const char *path);
/// Removes a file. 0, or an errno.
int csq_file_remove(const char *vfs, const char *path);
/// Writes a write-ahead log's bytes again where they are and syncs them: what an earlier sync failed to write counts as
/// clean for the system, and only writing it again makes it durable. No locks hang on a log. As a power cut may leave
/// anything where bytes are being written, they are kept in the file `copy` meanwhile. 0, or an errno.
int csq_log_rewrite(const char *vfs, const char *log, const char *copy);
/// What must come before a writer opens the database: a rewriting that was interrupted is done again from its copy, of
/// which `second` is made first, as it may not be durable; a copy that is not whole goes, as its log was not touched.
/// 0, or an errno.
int csq_log_recover(const char *vfs, const char *log, const char *copy, const char *second);
/// The commit that a log begins with, if no page of its database is of the one before or of a later one: then that is
/// an older one, and both together are a mixture. 0 if not, or if that cannot be told.
int64_t csq_log_ahead(const char *vfs, const char *path, const char *log);
/// 1 if a copy has bytes that its log lacks, or if that cannot be found out; 0 if not, and where the copy is not whole.
int csq_log_lacks(const char *vfs, const char *log, const char *copy);
/// Whether an errno says that there is no room: on the disk, of the quota, or in a file that may not grow.
int csq_error_is_full(int error);
/// The text of an errno, in a buffer of the caller's.
void csq_sqlite_error_text(int error, char *buffer, int capacity);

#endif
