// SPDX-License-Identifier: Apache-2.0
//
// CSQLiteShim: the calls of the system's SQLite that Swift cannot make (variadic functions, file controls), the raw
// column reads that never trap, and the file layer under SQLite (CSQLiteVFS.h).
//
// The header declares SQLite's two handles without including <sqlite3.h>, so that the declarations of the SQLite module
// that GRDB brings along stay the only ones a Swift file can see. This room holds no copy of SQLite.

#ifndef CSQ_CSQLITE_SHIM_H
#define CSQ_CSQLITE_SHIM_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

/// What `csq_sqlite_config` can switch on one connection.
enum csq_sqlite_switch {
    CSQ_SQLITE_DEFENSIVE = 1,             ///< no writes to the schema table, shadow tables or journal mode OFF
    CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE = 2,  ///< closing the last connection leaves the write-ahead log alone
    CSQ_SQLITE_TRIGGERS = 3,              ///< triggers run
    CSQ_SQLITE_VIEWS = 4,                 ///< views can be read
    CSQ_SQLITE_LOAD_EXTENSION = 5,        ///< `sqlite3_load_extension` works
};

/// What `csq_sqlite_limit` can bound on one connection.
enum csq_sqlite_bound {
    CSQ_SQLITE_LENGTH = 1,      ///< bytes of one row, string or blob
    CSQ_SQLITE_SQL_LENGTH = 2,  ///< bytes of one statement
    CSQ_SQLITE_ATTACHED = 3,    ///< attached databases
};

/// Sets a switch (`on` is 0 or 1) or only reads it (`on` is -1). Returns the switch after the call, or -1 on an error.
int csq_sqlite_config(struct sqlite3 *db, enum csq_sqlite_switch what, int on);

/// Sets a bound and returns its former value; a negative value only reads it.
int csq_sqlite_limit(struct sqlite3 *db, enum csq_sqlite_bound what, int value);

/// Asks for `count` reserved bytes at the end of every page; only an empty database obeys. A negative count asks for
/// nothing. Returns the number in force, or -1 on an error.
int csq_sqlite_reserve_bytes(struct sqlite3 *db, int count);

/// Pages this connection has written (to the write-ahead log, or to the database by a rollback journal).
int64_t csq_sqlite_pages_written(struct sqlite3 *db);

/// The errno behind the last call that failed of the operating system (`sqlite3_system_errno`); 0 if none did.
int csq_sqlite_system_errno(struct sqlite3 *db);

/// 1 if the library takes "file:" addresses for paths, else 0. The first call must come before SQLite is used.
int csq_sqlite_takes_uris(void);

/// Runs a statement of two parameters, an integer and a blob that need only live as long as the call, and resets it.
/// SQLite's result code; 101 (done) is success.
int csq_sqlite_run(struct sqlite3_stmt *statement, int64_t first, const void *bytes, int count);

/// `sqlite3_step`: 0 for done, 1 for a row, otherwise the negated result code.
int csq_sqlite_step(struct sqlite3_stmt *statement);
/// `sqlite3_reset`, its result ignored: the step has reported it.
void csq_sqlite_reset(struct sqlite3_stmt *statement);
/// The type of a column of the current row: 1 integer, 2 real, 3 text, 4 blob, 5 null; 5 as well outside the columns.
int csq_sqlite_column_type(struct sqlite3_stmt *statement, int column);

#define CSQ_SQLITE_MOST_INTEGERS 5
struct csq_sqlite_integers {
    int64_t values[CSQ_SQLITE_MOST_INTEGERS];
    /// How many columns are integers before the first that is not.
    int count;
};
/// The integers in some neighbouring columns of the current row, at most `CSQ_SQLITE_MOST_INTEGERS`.
struct csq_sqlite_integers csq_sqlite_column_integers(struct sqlite3_stmt *statement, int first, int count);
double csq_sqlite_column_double(struct sqlite3_stmt *statement, int column);
/// The bytes of a text or blob column and their number, which is negative where the column is not of this type; null
/// for none. Valid until the next step.
const void *csq_sqlite_column_bytes(struct sqlite3_stmt *statement, int column, int type, int *count);

#endif
