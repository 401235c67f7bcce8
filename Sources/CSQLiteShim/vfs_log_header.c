// SPDX-License-Identifier: Apache-2.0
//
// The header of a log. On the disk, that of an encrypted log has a version number of its own with a matching checksum.
// Another SQLite, which cannot read the frames, treats a log with the usual number as empty, and deletes it when it
// closes the database. It refuses a log with an unknown version number, and does not change it.

#include <string.h>

#include "vfs.h"

enum {
    LOG_MAGIC = 0x377F0682,
    AT_VERSION = 4,
    AT_PAGE_SIZE = 8,
    AT_SUM = 24,
};

/// SQLite's version number of a log, and that of an encrypted log.
static const uint32_t plain_version = 3007000, encrypted_version = 0x4B794531;

static int has_sum(const uint8_t *header) {
    uint32_t sum[2] = {0, 0};
    csq_wal_add_sum(sum, header, AT_SUM, header[3] & 1);
    return csq_wal_is_sum(sum, header + AT_SUM);
}

/// Replaces one version by another, if the checksum matches.
static void change(uint8_t *header, uint32_t from, uint32_t to) {
    if (csq_get_big(header + AT_VERSION) != from || !has_sum(header)) return;
    uint32_t sum[2] = {0, 0};
    csq_put_big(header + AT_VERSION, to);
    csq_wal_add_sum(sum, header, AT_SUM, header[3] & 1);
    csq_put_big(header + AT_SUM, sum[0]);
    csq_put_big(header + AT_SUM + 4, sum[1]);
}

void csq_log_header_to_disk(uint8_t *header) { change(header, plain_version, encrypted_version); }

void csq_log_header_from_disk(uint8_t *header) { change(header, encrypted_version, plain_version); }

int csq_log_header_is_sound(const uint8_t *header) {
    int is_ours = (csq_get_big(header) & ~1u) == LOG_MAGIC && csq_get_big(header + AT_PAGE_SIZE) == PAGE;
    return is_ours && csq_get_big(header + AT_VERSION) == plain_version && has_sum(header);
}
