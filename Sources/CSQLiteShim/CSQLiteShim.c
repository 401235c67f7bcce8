// SPDX-License-Identifier: Apache-2.0
//
// CSQLiteShim: calls of the system's SQLite that Swift cannot make.

#include "CSQLiteShim.h"

#include <stddef.h>

int csq_sqlite_config(struct sqlite3 *db, enum csq_sqlite_switch what, int on) {
    int op = 0;
    switch (what) {
    case CSQ_SQLITE_DEFENSIVE: op = SQLITE_DBCONFIG_DEFENSIVE; break;
    case CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE: op = SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE; break;
    case CSQ_SQLITE_TRIGGERS: op = SQLITE_DBCONFIG_ENABLE_TRIGGER; break;
    case CSQ_SQLITE_VIEWS: op = SQLITE_DBCONFIG_ENABLE_VIEW; break;
    case CSQ_SQLITE_LOAD_EXTENSION: op = SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION; break;
    case CSQ_SQLITE_QUOTED_TEXTS: {
        int ddl = -1, dml = -1;
        if (sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, on, &ddl) != SQLITE_OK) return -1;
        return sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, on, &dml) == SQLITE_OK ? ddl | dml : -1;
    }
    default: return -1;
    }
    int now = -1;
    return sqlite3_db_config(db, op, on, &now) == SQLITE_OK ? now : -1;
}

int csq_sqlite_limit(struct sqlite3 *db, enum csq_sqlite_bound what, int value) {
    switch (what) {
    case CSQ_SQLITE_LENGTH: return sqlite3_limit(db, SQLITE_LIMIT_LENGTH, value);
    case CSQ_SQLITE_SQL_LENGTH: return sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, value);
    case CSQ_SQLITE_ATTACHED: return sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, value);
    default: return -1;
    }
}

int csq_sqlite_reserve_bytes(struct sqlite3 *db, int count) {
    // The first call sets the wish and returns the previous number; only a second call returns the number in force.
    int wish = count;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &wish) != SQLITE_OK) return -1;
    if (count < 0) return wish;
    int now = -1;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &now) != SQLITE_OK) return -1;
    return now;
}

int64_t csq_sqlite_pages_written(struct sqlite3 *db) {
    int now = 0, high = 0;
    if (sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, &now, &high, 0) != SQLITE_OK) return 0;
    return now;
}

int csq_sqlite_system_errno(struct sqlite3 *db) { return sqlite3_system_errno(db); }

int csq_sqlite_bind_bytes(struct sqlite3_stmt *statement, int parameter, const void *bytes, int count, int is_text) {
    // A null pointer would bind NULL.
    const void *some = bytes == NULL ? "" : bytes;
    return is_text ? sqlite3_bind_text(statement, parameter, some, count, SQLITE_TRANSIENT)
                   : sqlite3_bind_blob(statement, parameter, some, count, SQLITE_TRANSIENT);
}

int csq_sqlite_run(struct sqlite3_stmt *statement, int64_t first, const void *bytes, int count) {
    // A null pointer would bind NULL, not the empty blob.
    int code = sqlite3_bind_int64(statement, 1, first);
    if (code == SQLITE_OK) code = sqlite3_bind_blob(statement, 2, bytes == NULL ? "" : bytes, count, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

int csq_sqlite_step(struct sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return 1;
    if (code == SQLITE_DONE) return 0;
    return -code;
}

void csq_sqlite_reset(struct sqlite3_stmt *statement) { sqlite3_reset(statement); }

int csq_sqlite_column_type(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column);
}

double csq_sqlite_column_double(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_double(statement, column);
}

// Reads values instead of columns: every call for a column fetches and checks it again, which dominates the cost of a
// row.
// The values are safe to read, because only one thread uses a connection at a time.
struct csq_sqlite_integers csq_sqlite_column_integers(struct sqlite3_stmt *statement, int first, int count) {
    struct csq_sqlite_integers found = {{0}, 0};
    while (found.count < count && found.count < CSQ_SQLITE_MOST_INTEGERS) {
        sqlite3_value *value = sqlite3_column_value(statement, first + found.count);
        if (sqlite3_value_type(value) != SQLITE_INTEGER) break;
        found.values[found.count++] = sqlite3_value_int64(value);
    }
    return found;
}

const void *csq_sqlite_column_bytes(struct sqlite3_stmt *statement, int column, int type, int *count) {
    sqlite3_value *value = sqlite3_column_value(statement, column);
    *count = -1;
    if (sqlite3_value_type(value) != type) return NULL;
    const void *bytes = sqlite3_value_blob(value);
    int length = sqlite3_value_bytes(value);
    *count = bytes == NULL ? 0 : length;
    return bytes;
}
