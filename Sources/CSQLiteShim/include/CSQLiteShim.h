// SPDX-License-Identifier: Apache-2.0
//
// CSQLiteShim: calls of the system's SQLite that Swift cannot make (variadic functions, file controls), raw column
// reads that never trap, and the file layer under SQLite (CSQLiteVFS.h). It gives Swift the calls of <sqlite3.h>, and
// contains no copy of SQLite.

#ifndef CSQ_CSQLITE_SHIM_H
#define CSQ_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stdint.h>

/// The switches of `csq_sqlite_config`, for one connection.
enum csq_sqlite_switch {
    CSQ_SQLITE_DEFENSIVE = 1,             ///< no writes to the schema table, shadow tables or journal mode OFF
    CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE = 2,  ///< closing the last connection does not change the write-ahead log
    CSQ_SQLITE_TRIGGERS = 3,              ///< triggers run
    CSQ_SQLITE_VIEWS = 4,                 ///< views can be read
    CSQ_SQLITE_LOAD_EXTENSION = 5,        ///< `sqlite3_load_extension` works
    CSQ_SQLITE_QUOTED_TEXTS = 6,          ///< an unknown name in double quotes is a text
};

/// The limits of `csq_sqlite_limit`, for one connection.
enum csq_sqlite_bound {
    CSQ_SQLITE_LENGTH = 1,      ///< bytes of one row, string or blob
    CSQ_SQLITE_SQL_LENGTH = 2,  ///< bytes of one statement
    CSQ_SQLITE_ATTACHED = 3,    ///< attached databases
};

/// Sets a switch (`on` is 0 or 1) or only reads it (`on` is -1). Returns the switch after the call, or -1 on an error.
int csq_sqlite_config(struct sqlite3 *db, enum csq_sqlite_switch what, int on);

/// Sets a limit and returns its previous value; a negative value only reads it.
int csq_sqlite_limit(struct sqlite3 *db, enum csq_sqlite_bound what, int value);

/// Requests `count` reserved bytes at the end of every page; only an empty database accepts the request. A negative
/// count requests nothing. Returns the number in force, or -1 on an error.
int csq_sqlite_reserve_bytes(struct sqlite3 *db, int count);

/// Returns the pages that this connection has written to the write-ahead log, or to the database with a rollback
/// journal.
int64_t csq_sqlite_pages_written(struct sqlite3 *db);

/// Returns the errno of the last failed system call (`sqlite3_system_errno`); 0 if none failed.
int csq_sqlite_system_errno(struct sqlite3 *db);

/// Gives a parameter (the first is 1) a copy of these bytes: a text in UTF-8 if `is_text` is not 0, else a blob. A null
/// pointer is empty. Returns SQLite's result code.
int csq_sqlite_bind_bytes(struct sqlite3_stmt *statement, int parameter, const void *bytes, int count, int is_text);

/// Runs a statement with two parameters, an integer and a blob that must live only during the call, and resets it.
/// Returns SQLite's result code; 101 (done) is success.
int csq_sqlite_run(struct sqlite3_stmt *statement, int64_t first, const void *bytes, int count);

/// `sqlite3_step`: 0 for done, 1 for a row, otherwise the negated result code.
int csq_sqlite_step(struct sqlite3_stmt *statement);
/// `sqlite3_reset`; its result is ignored, because the step has reported it.
void csq_sqlite_reset(struct sqlite3_stmt *statement);
/// Returns the type of a column of the current row: 1 integer, 2 real, 3 text, 4 blob, 5 null or no such column.
int csq_sqlite_column_type(struct sqlite3_stmt *statement, int column);

#define CSQ_SQLITE_MOST_INTEGERS 5
struct csq_sqlite_integers {
    int64_t values[CSQ_SQLITE_MOST_INTEGERS];
    /// Number of leading columns that are integers.
    int count;
};
/// Returns the integers in adjacent columns of the current row, at most `CSQ_SQLITE_MOST_INTEGERS`.
struct csq_sqlite_integers csq_sqlite_column_integers(struct sqlite3_stmt *statement, int first, int count);
double csq_sqlite_column_double(struct sqlite3_stmt *statement, int column);
/// Returns the bytes of a text or blob column; null if there are none. `*count` is their number, negative if the column
/// has another type. Valid until the next step.
const void *csq_sqlite_column_bytes(struct sqlite3_stmt *statement, int column, int type, int *count);

#endif
