// SPDX-License-Identifier: Apache-2.0
//
// Stores a day of a pulse, and reads it back in three ways. Compile and run:
//
//     Tools/build-library
//     gcc -I.build-library Docs/Examples/C/demo.c -L.build-library -lkymograph -o demo
//     LD_LIBRARY_PATH=.build-library ./demo demo-store

#include "kymograph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static kymo_error *error = NULL;

static void check(kymo_kind kind) {
    if (kind == KYMO_OK) return;
    fprintf(stderr, "error %d: %s\n", (int)kind, kymo_error_message(error));
    kymo_error_free(error);
    exit(1);
}

// Adds up the values of a stream whose column `column` holds doubles, and counts its rows.
static double add_up(struct ArrowArrayStream *stream, int column, int64_t *rows) {
    double sum = 0;
    for (;;) {
        struct ArrowArray batch;
        if (stream->get_next(stream, &batch) != 0) {
            fprintf(stderr, "%s\n", stream->get_last_error(stream));
            exit(1);
        }
        if (batch.release == NULL) break;  // the end
        const double *values = batch.children[column]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++) sum += values[i];
        *rows += batch.length;
        batch.release(&batch);
    }
    stream->release(stream);
    return sum;
}

int main(int count, char **arguments) {
    const char *path = count > 1 ? arguments[1] : "demo-store";
    kymo_open_options options = {
        .size = sizeof options, .mode = KYMO_WRITE | KYMO_CREATE, .home_zone = "Europe/Zurich"};
    kymo_store *store;
    check(kymo_store_open(path, &options, &store, &error));

    const char *labels[] = {"subject", "7", NULL};
    int64_t pulse;
    check(kymo_series_make(store, "pulse", labels, KYMO_DISCRETE, &pulse, &error));

    enum { seconds = 86400 };
    int64_t *starts = malloc(seconds * sizeof *starts);
    double *values = malloc(seconds * sizeof *values);
    for (int i = 0; i < seconds; i++) {
        starts[i] = (INT64_C(1767222000) + i) * 1000000000;  // from 2026-01-01 in Zurich
        values[i] = 60 + i % 40;
    }
    int64_t commit;
    check(kymo_append(store, pulse, starts, NULL, values, seconds, &commit, &error));
    free(starts);
    free(values);

    kymo_snapshot *snapshot;
    check(kymo_store_snapshot(store, -1, &snapshot, &error));
    kymo_store_close(store);  // the snapshot stays valid

    kymo_statistics day = {.size = sizeof day};
    check(kymo_aggregate(snapshot, &pulse, 1, INT64_MIN, INT64_MAX, 0, &day, &error));
    printf("%" PRId64 " samples, mean %.2f, max %.0f\n", day.count, day.mean, day.max);

    kymo_scan_request request = {
        .size = sizeof request, .series = &pulse, .series_count = 1, .columns = KYMO_START | KYMO_VALUE};
    struct ArrowArrayStream stream;
    check(kymo_scan(snapshot, &request, &stream, &error));
    int64_t rows = 0;
    double sum = add_up(&stream, 1, &rows);
    printf("%" PRId64 " rows of the stream, sum %.0f\n", rows, sum);

    kymo_bucket_request hours = {
        .size = sizeof hours, .series = &pulse, .series_count = 1, .unit = KYMO_HOURS, .count = 1,
        .zone = "Europe/Zurich", .stats = KYMO_MEAN};
    check(kymo_buckets(snapshot, &hours, &stream, &error));
    rows = 0;
    sum = add_up(&stream, 3, &rows);
    printf("%" PRId64 " hours, mean of their means %.2f\n", rows, sum / (double)rows);

    kymo_snapshot_free(snapshot);
    if (kymo_live_batches() != 0) return 1;
    return 0;
}
