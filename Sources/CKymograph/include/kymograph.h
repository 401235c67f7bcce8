// SPDX-License-Identifier: Apache-2.0
//
// The C interface of Kymograph. Docs/Examples/C/README.md is its manual; Docs/Examples/C/demo.c is a complete program.
//
// A call that can fail returns a kymo_kind and, unless `error` is NULL, fills *error; *out is unchanged then. Free an
// error with kymo_error_free. Any thread may call any function; a stream is used by one thread at a time. Handles are
// numbers in the form of pointers: a closed handle gives KYMO_CLOSED, and a handle of a parent process KYMO_FORKED.
// Times are nanoseconds since 1970-01-01 UTC. Texts are UTF-8 that ends with a zero byte, and are read during the call.
// A struct begins with its size, so that later versions can add fields: set it to sizeof, the rest to zero.

#ifndef KYMOGRAPH_H
#define KYMOGRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KYMO_ABI 1

// MARK: The Arrow C data interface, as its specification has it

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

// MARK: Versions and errors

typedef struct kymo_store kymo_store;        // an open store
typedef struct kymo_snapshot kymo_snapshot;  // one commit of a store, unchanging; stays valid when the store is closed
typedef struct kymo_error kymo_error;        // what failed, where, and what to do next

// The kinds of error. The numbers are those of StoreError.Kind and never change.
typedef enum kymo_kind {
    KYMO_OK = 0,
    KYMO_NOT_A_STORE = 1,
    KYMO_IS_BACKUP = 2,
    KYMO_ALREADY_EXISTS = 3,
    KYMO_NEWER_FORMAT = 4,
    KYMO_LOCKED = 5,
    KYMO_READ_ONLY = 6,
    KYMO_CORRUPT = 7,
    KYMO_ROLLED_BACK = 8,
    KYMO_DISK_FULL = 9,
    KYMO_INPUT_OUTPUT = 10,
    KYMO_OUTCOME_UNKNOWN = 11,
    KYMO_WRITER_FAILED = 12,
    KYMO_INVALID_SAMPLE = 13,
    KYMO_IDENTITY_TAKEN = 14,
    KYMO_INVALID_ARGUMENT = 15,
    KYMO_UNKNOWN_SERIES = 16,
    KYMO_KIND_MISMATCH = 17,
    KYMO_CLOSED = 18,
    KYMO_CANCELLED = 19,
    KYMO_OVERLOADED = 20,
    KYMO_ANCHOR_EXPIRED = 21,
    KYMO_NOT_RETAINED = 22,
    KYMO_SNAPSHOT_EXPIRED = 23,
    KYMO_FORKED = 24,
    KYMO_NEEDS_KEY = 25,
    KYMO_WRONG_KEY = 26,
    KYMO_NOT_ENCRYPTED = 27,
    KYMO_FORGED = 28,
    // Of this interface.
    KYMO_BAD_ARROW = 101,  // an input stream breaks the rules of Arrow, or has columns that do not fit
    KYMO_OTHER = 199
} kymo_kind;

int32_t kymo_abi_version(void);    // KYMO_ABI of the library
const char *kymo_version(void);    // such as "1.0.0"

kymo_kind kymo_error_kind(const kymo_error *error);
// The texts live as long as the error. The path is NULL, the offset -1 and the series 0 if the error has none.
const char *kymo_error_message(const kymo_error *error);
const char *kymo_error_path(const kymo_error *error);
int64_t kymo_error_offset(const kymo_error *error);
int64_t kymo_error_series(const kymo_error *error);
void kymo_error_free(kymo_error *error);  // does nothing with NULL

// MARK: Stores and snapshots

enum { KYMO_READ = 0, KYMO_WRITE = 1, KYMO_SHARED = 2, KYMO_CREATE = 16 };  // modes; KYMO_CREATE makes a missing store

typedef struct kymo_open_options {
    size_t size;
    uint32_t mode;
    int32_t threads;          // 0: one for each processor
    const char *home_zone;    // of a new store; NULL: UTC
    int64_t writer_wait_ms;   // 0: 5 s; negative: none
    const char *key_file;     // of an encrypted store; NULL: none
    const char *passphrase;   // of an encrypted store; NULL: none
} kymo_open_options;

kymo_kind kymo_store_open(const char *path, const kymo_open_options *options, kymo_store **out, kymo_error **error);
// Does nothing with NULL. Snapshots and streams stay valid.
void kymo_store_close(kymo_store *store);
// Loads the commits of other processes. *is_new is 1 if there were any; NULL is allowed.
kymo_kind kymo_store_refresh(kymo_store *store, int32_t *is_new, kymo_error **error);
// Waits for a commit after a number. *commit is the last commit, also when the time is over.
kymo_kind kymo_store_wait(
    kymo_store *store, int64_t after_commit, int64_t timeout_ms, int64_t *commit, kymo_error **error);
// The store now (as_of -1), or as a commit that is still retained left it.
kymo_kind kymo_store_snapshot(kymo_store *store, int64_t as_of, kymo_snapshot **out, kymo_error **error);
// The store's facts as a JSON object: id, home zone, samples, series, bytes, and so on. Free it with kymo_text_free.
kymo_kind kymo_store_info(kymo_store *store, char **json, kymo_error **error);
// Reads and checks everything. The report is a JSON object with the list "problems"; damage is no error of this call.
kymo_kind kymo_store_verify(kymo_store *store, char **json, kymo_error **error);
// Merges small segments and removes deleted samples from the files.
kymo_kind kymo_store_compact(kymo_store *store, kymo_error **error);

int64_t kymo_snapshot_commit(const kymo_snapshot *snapshot);  // -1 for a closed handle
void kymo_snapshot_free(kymo_snapshot *snapshot);

// MARK: Samples and statistics, as Arrow streams

// Columns of a scan, in this order: series int64, the labels, start and end timestamp, value double, identity as 16
// bytes (a UUID), commit int64. 0 means start, end and value, and series if the request is not for one series.
enum {
    KYMO_START = 1, KYMO_END = 2, KYMO_VALUE = 4, KYMO_SERIES = 8, KYMO_IDENTITY = 16, KYMO_COMMIT = 32,
};
enum {
    KYMO_BACKWARD = 1,    // latest first
    KYMO_MERGED = 2,      // one order over all series; otherwise series by series
    KYMO_PLAIN_TEXT = 4,  // labels as texts; otherwise as dictionaries
};
enum { KYMO_NANOSECONDS = 0, KYMO_MICROSECONDS = 1, KYMO_MILLISECONDS = 2 };  // units of timestamps, rounded down

typedef struct kymo_scan_request {
    size_t size;
    const int64_t *series;       // NULL: all, by number
    size_t series_count;
    int64_t start, end;          // samples that start from start to before end
    uint32_t has_range;          // 0: all samples; start and end are ignored
    uint32_t columns;
    uint32_t flags;
    int32_t time_unit;
    int64_t limit;               // 0: none
    int64_t batch_rows;          // 0: 131,072
    const char *const *labels;   // a column for each
    size_t label_count;
} kymo_scan_request;

kymo_kind kymo_scan(
    const kymo_snapshot *snapshot, const kymo_scan_request *request, struct ArrowArrayStream *out, kymo_error **error);

enum {
    KYMO_FIXED = 0,  // count nanoseconds
    KYMO_MINUTES = 1, KYMO_HOURS = 2, KYMO_DAYS = 3, KYMO_WEEKS = 4, KYMO_MONTHS = 5, KYMO_YEARS = 6,
    KYMO_EDGES = 7,
};
// The statistics of a bucket, as columns in this order; 0 means count, sum, min, max and mean. Durations are in
// seconds.
enum {
    KYMO_COUNT = 1, KYMO_SUM = 2, KYMO_MIN = 4, KYMO_MAX = 8, KYMO_MEAN = 16, KYMO_FIRST = 32, KYMO_LAST = 64,
    KYMO_STDDEV = 128, KYMO_TIME_WEIGHTED = 256, KYMO_DURATION = 512,
};
enum {
    KYMO_SKIP_EMPTY = 8,     // no rows for empty buckets
    KYMO_TOGETHER = 16,      // all series of equal labels as one; otherwise each series by itself
    // With KYMO_TOGETHER, for cumulative series: where series overlap in time, the first of them in the request counts.
    // Not with KYMO_STDDEV and KYMO_TIME_WEIGHTED.
    KYMO_MERGE_SOURCES = 32,
};

typedef struct kymo_bucket_request {
    size_t size;
    const int64_t *series;       // NULL: all, by number
    size_t series_count;
    int64_t start, end;          // buckets that overlap this range
    uint32_t has_range;          // 0: from the first sample to the last
    int32_t unit;
    int64_t count;               // the length of a bucket in units
    int64_t anchor;              // an edge, or an instant of the day whose midnight is one
    const char *zone;            // of calendar units; NULL: the store's home zone
    const int64_t *edges;        // with KYMO_EDGES: ascending
    size_t edge_count;
    uint32_t stats;
    uint32_t flags;
    int32_t time_unit;
    const char *const *labels;   // a column for each
    size_t label_count;
} kymo_bucket_request;

// Columns: series (without KYMO_TOGETHER), the labels, start, end, the statistics. A statistic of no samples is null.
kymo_kind kymo_buckets(
    const kymo_snapshot *snapshot, const kymo_bucket_request *request, struct ArrowArrayStream *out,
    kymo_error **error);

// A row for each series: series, name, kind, count, first, last, the labels. NULL: series of any name; a NULL label
// list: every label of any series.
kymo_kind kymo_series_table(
    const kymo_snapshot *snapshot, const char *name, const char *const *labels, size_t label_count,
    struct ArrowArrayStream *out, kymo_error **error);

// The number of the series with this name and exactly these labels: key, value, ..., NULL. NULL: no labels.
kymo_kind kymo_series_find(
    const kymo_snapshot *snapshot, const char *name, const char *const *labels, int64_t *out, kymo_error **error);

typedef struct kymo_statistics {
    size_t size;
    int64_t count;
    int64_t first_start, last_start;  // 0 without samples
    // NaN without samples, or if not computed.
    double sum, min, max, mean, first, last, standard_deviation, time_weighted_mean, duration_seconds;
} kymo_statistics;

// Statistics of some series as one. `stats` selects KYMO_STDDEV, KYMO_TIME_WEIGHTED and KYMO_DURATION; the others are
// always computed.
kymo_kind kymo_aggregate(
    const kymo_snapshot *snapshot, const int64_t *series, size_t series_count, int64_t start, int64_t end,
    uint32_t stats, kymo_statistics *out, kymo_error **error);

// Quantiles of the values of some series as one, one for each probability from 0 to 1; NaN without samples.
kymo_kind kymo_quantiles(
    const kymo_snapshot *snapshot, const int64_t *series, size_t series_count, int64_t start, int64_t end,
    const double *probabilities, size_t probability_count, double *values, double *relative_error,
    kymo_error **error);

// A few samples whose line resembles that of all: columns start, end, value. is_exact decodes every sample; otherwise
// summaries answer for most.
kymo_kind kymo_downsample(
    const kymo_snapshot *snapshot, const int64_t *series, size_t series_count, int64_t start, int64_t end,
    int64_t points, int32_t is_exact, int32_t time_unit, struct ArrowArrayStream *out, kymo_error **error);

// A page of the changes since an anchor, of about `limit` samples (0: a million). Samples have the columns series,
// start, end, value, identity, commit; deletions series, commit, start, end, identity (null: all samples of the range).
// The anchor NULL begins with everything. Free the next anchor with kymo_text_free. *is_complete is 0 if another page
// follows.
kymo_kind kymo_changes(
    kymo_store *store, const char *anchor, int64_t limit, int32_t time_unit, struct ArrowArrayStream *samples,
    struct ArrowArrayStream *deletions, char **next_anchor, int32_t *is_complete, kymo_error **error);

// MARK: Writing

enum { KYMO_DISCRETE = 1, KYMO_CUMULATIVE = 2 };  // kinds of series

// The series of a name and labels (key, value, ..., NULL), made if it does not exist.
kymo_kind kymo_series_make(
    kymo_store *store, const char *name, const char *const *labels, int32_t kind, int64_t *out, kymo_error **error);
// Adds samples, durable on return. ends may be NULL: points. *commit may be NULL.
kymo_kind kymo_append(
    kymo_store *store, int64_t series, const int64_t *starts, const int64_t *ends, const double *values, size_t count,
    int64_t *commit, kymo_error **error);

typedef struct kymo_load_options {
    size_t size;
    int64_t series;  // of all rows; 0: by the columns of the stream
    int32_t kind;    // of new series; 0: KYMO_DISCRETE
} kymo_load_options;

typedef struct kymo_load_report {
    size_t size;
    int64_t samples, commit, new_series;
} kymo_load_report;

// Stores the rows of a stream in one commit, durable on return. Columns: start (timestamp, or integer nanoseconds), end
// (optional), value, and series (integer) or name (text); every other column is a label. The stream is released in any
// case. options and report may be NULL.
kymo_kind kymo_load(
    kymo_store *store, const kymo_load_options *options, struct ArrowArrayStream *in, kymo_load_report *report,
    kymo_error **error);
// Deletes the samples that start in a range. *deleted and *commit may be NULL.
kymo_kind kymo_delete(
    kymo_store *store, int64_t series, int64_t start, int64_t end, int64_t *deleted, int64_t *commit,
    kymo_error **error);

// MARK: Memory

void kymo_text_free(char *text);
// A stream in memory of the library, for languages that wrap it in a capsule; kymo_stream_free releases it first.
struct ArrowArrayStream *kymo_stream_alloc(void);
void kymo_stream_free(struct ArrowArrayStream *stream);
// Batches that were handed out and not released yet. For tests.
int64_t kymo_live_batches(void);

// For Python: the destructor of a capsule named "arrow_array_stream", after kymo_python_init received the addresses of
// PyCapsule_GetPointer and PyCapsule_IsValid. No Python code runs in it.
void kymo_python_init(
    void *(*get_pointer)(void *capsule, const char *name), int (*is_valid)(void *capsule, const char *name));
void kymo_python_capsule_destructor(void *capsule);

#ifdef __cplusplus
}
#endif

#endif
