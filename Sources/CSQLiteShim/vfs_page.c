// SPDX-License-Identifier: Apache-2.0
//
// The trailer in the reserved bytes of a page. Docs/Format/Catalog.md has its table.

#include <string.h>

#include "vfs.h"

enum {
    AT_KIND = CONTENT,
    AT_CHECKSUM = CONTENT + 4,
    AT_ID = CONTENT + 8,
    AT_PLACE = AT_ID + PAGE_ID,
    AT_SEQUENCE = CONTENT + 24,
    AT_BALANCE = CONTENT + 32,
};

/// The kinds of trailer: in the database, in the database's page 1 during an upgrade, in the log, and in the log's page
/// 1 during an upgrade. Any SQLite may copy log pages into the database, where they are checked, too.
static const char kinds[4][4] = {
    {'K', 'y', 'p', 'P'}, {'K', 'y', 'p', 'U'}, {'K', 'y', 'p', 'L'}, {'K', 'y', 'p', 'V'}};

void csq_page_put(uint8_t *to, uint64_t value, int count) {
    for (int i = 0; i < count; i++) to[i] = (uint8_t)(value >> (8 * i));
}

uint64_t csq_page_get(const uint8_t *from, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

uint32_t csq_get_big(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

void csq_put_big(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static int is_zero(const uint8_t *bytes, int count) {
    for (int i = 0; i < count; i++)
        if (bytes[i] != 0) return 0;
    return 1;
}

enum page_kind csq_page_kind_of(const uint8_t *page) {
    for (int i = 0; i < 4; i++)
        if (memcmp(page + AT_KIND, kinds[i], 4) == 0) return i % 2 == 0 ? PAGE_FULL : PAGE_UPGRADING;
    return is_zero(page + CONTENT, TRAILER) ? PAGE_BLANK : PAGE_UNKNOWN;
}

int csq_page_is_of_log(const uint8_t *page) {
    return memcmp(page + AT_KIND, kinds[2], 4) == 0 || memcmp(page + AT_KIND, kinds[3], 4) == 0;
}

int csq_page_is_id(const uint8_t *page, const uint8_t *id) { return memcmp(page + AT_ID, id, PAGE_ID) == 0; }
const uint8_t *csq_page_id(const uint8_t *page) { return page + AT_ID; }
uint64_t csq_page_sequence(const uint8_t *page) { return csq_page_get(page + AT_SEQUENCE, 8); }

void csq_page_detach(uint8_t *page) {
    if (!csq_page_is_of_log(page)) return;
    memset(page + AT_PLACE, 0, 4);
    memset(page + AT_BALANCE, 0, 8);
}

/// Returns the CRC-32C of a page's content and its kind. Any SQLite changes some bytes of page 1 without changing a
/// row, when it changes the journal mode or writes: the two file format versions (1 or 2), the change counter, and
/// SQLite's version with the counter for which it is valid. If `masked`, these bytes count as zeros.
static uint32_t content_sum(const uint8_t *page, int masked) {
    static const uint8_t zeros[8];
    if (!masked) return csq_page_crc(page, AT_CHECKSUM, 0);
    uint8_t versions[2];
    for (int i = 0; i < 2; i++) versions[i] = page[18 + i] == 1 || page[18 + i] == 2 ? 0 : page[18 + i];
    uint32_t sum = csq_page_crc(page, 18, 0);
    sum = csq_page_crc(versions, 2, sum);
    sum = csq_page_crc(page + 20, 4, sum);
    sum = csq_page_crc(zeros, 4, sum);
    sum = csq_page_crc(page + 28, 64, sum);
    sum = csq_page_crc(zeros, 8, sum);
    return csq_page_crc(page + 100, AT_CHECKSUM - 100, sum);
}

/// Returns the checksum of a log page: over content, kind, id, sequence and page number, so that it is also valid in
/// the database.
static uint32_t log_sum(const uint8_t *page, uint32_t number) {
    uint8_t identity[4];
    csq_page_put(identity, number, 4);
    uint32_t sum = content_sum(page, number == 1);
    sum = csq_page_crc(page + AT_ID, PAGE_ID, sum);
    sum = csq_page_crc(page + AT_SEQUENCE, 8, sum);
    return csq_page_crc(identity, 4, sum);
}

/// Returns the checksum that binds a page to its frame: over the page's checksum, the frame's offset and its
/// generation.
static uint32_t place_sum(const uint8_t *page, struct page_place place) {
    uint8_t offset[8];
    csq_page_put(offset, place.frame_offset, 8);
    uint32_t sum = csq_page_crc(page + AT_CHECKSUM, 4, 0);
    sum = csq_page_crc(offset, 8, sum);
    return csq_page_crc(place.frame_header + 8, 8, sum);
}

/// Returns the checksum of a database page: over content, kind, id with the bytes after it, sequence and page number.
static uint32_t database_sum(const uint8_t *page, uint32_t number, int masked) {
    uint8_t identity[4];
    csq_page_put(identity, number, 4);
    uint32_t sum = csq_page_crc(page + AT_ID, AT_BALANCE - AT_ID, content_sum(page, masked));
    return csq_page_crc(identity, 4, sum);
}

uint32_t csq_page_former_log_sum(const uint8_t *page, uint32_t number, uint64_t offset, const uint8_t *generation) {
    uint8_t place[8];
    csq_page_put(place, offset, 8);
    uint32_t sum = csq_page_crc(place, 8, database_sum(page, number, 0));
    return csq_page_crc(generation, 8, sum);
}

uint32_t csq_page_sum(const uint8_t *page) { return (uint32_t)csq_page_get(page + AT_CHECKSUM, 4); }

int csq_page_has_balance(const uint8_t *page) { return !is_zero(page + AT_BALANCE, 8); }

int csq_page_is_of_former_version(const uint8_t *page) {
    enum page_kind kind = csq_page_kind_of(page);
    if ((kind != PAGE_FULL && kind != PAGE_UPGRADING) || csq_page_is_of_log(page)) return 0;
    return csq_page_has_balance(page) || csq_page_sum(page) != database_sum(page, 1, 1);
}

static uint32_t word(const uint8_t *at, int big_endian) {
    uint32_t little = (uint32_t)csq_page_get(at, 4);
    return big_endian ? __builtin_bswap32(little) : little;
}

// SQLite's checksum of a log adds the words of a frame in pairs: s1 += w + s2, then s2 += w + s1. Both sums are linear
// in the words, so the last two words can cancel the changes of the others.
void csq_page_balance(uint8_t *page, const uint8_t *former, int count, int big_endian) {
    uint32_t s1 = 0, s2 = 0;
    const uint8_t *trailer = page + PAGE - count;
    for (int i = 0; i < count - 8; i += 8) {
        s1 += word(trailer + i, big_endian) - word(former + i, big_endian) + s2;
        s2 += word(trailer + i + 4, big_endian) - word(former + i + 4, big_endian) + s1;
    }
    uint32_t last[2] = {
        word(former + count - 8, big_endian) - s1 - s2,
        word(former + count - 4, big_endian) - s2,
    };
    for (int i = 0; i < 2; i++) {
        uint32_t little = big_endian ? __builtin_bswap32(last[i]) : last[i];
        csq_page_put(page + AT_BALANCE + 4 * i, little, 4);
    }
}

void csq_wal_add_sum(uint32_t sum[2], const uint8_t *bytes, int count, int big_endian) {
    for (int i = 0; i < count; i += 8) {
        sum[0] += word(bytes + i, big_endian) + sum[1];
        sum[1] += word(bytes + i + 4, big_endian) + sum[0];
    }
}

int csq_wal_is_sum(const uint32_t sum[2], const uint8_t *at) {
    return sum[0] == word(at, 1) && sum[1] == word(at + 4, 1);
}

void csq_page_stamp(
    uint8_t *page, struct page_place place, enum page_kind kind, const uint8_t *id, uint64_t sequence, int big_endian) {
    uint8_t former[TRAILER];
    memcpy(former, page + CONTENT, TRAILER);
    int is_frame = place.frame_header != NULL;
    memcpy(page + AT_KIND, kinds[(is_frame ? 2 : 0) + (kind == PAGE_UPGRADING)], 4);
    memcpy(page + AT_ID, id, PAGE_ID + 4);
    csq_page_put(page + AT_SEQUENCE, sequence, 8);
    if (is_frame) {
        csq_page_put(page + AT_CHECKSUM, log_sum(page, place.number), 4);
        csq_page_put(page + AT_PLACE, place_sum(page, place), 4);
        csq_page_balance(page, former, TRAILER, big_endian);
    } else {
        csq_page_put(page + AT_CHECKSUM, database_sum(page, place.number, place.number == 1), 4);
        memset(page + AT_BALANCE, 0, 8);
    }
}

/// Whether a log page of a version without a separate kind for log pages is at its original position.
static int is_former_frame(const uint8_t *page, struct page_place place) {
    return csq_page_sum(page) ==
           csq_page_former_log_sum(page, place.number, place.frame_offset, place.frame_header + 8);
}

enum csq_page_fault csq_page_check(const uint8_t *page, struct page_place place, const uint8_t *id, int lenient) {
    enum page_kind kind = csq_page_kind_of(page);
    if (kind == PAGE_BLANK) return lenient ? CSQ_PAGE_SOUND : CSQ_PAGE_BLANK;
    if (kind == PAGE_UNKNOWN || (kind == PAGE_UPGRADING && place.number != 1)) return CSQ_PAGE_TRAILER;
    if (!csq_page_is_id(page, id)) return CSQ_PAGE_FOREIGN;
    int is_frame = place.frame_header != NULL;
    if (csq_page_is_of_log(page)) {
        if (csq_page_sum(page) != log_sum(page, place.number)) return CSQ_PAGE_CHECKSUM;
        if (!is_frame || csq_page_get(page + AT_PLACE, 4) == place_sum(page, place)) return CSQ_PAGE_SOUND;
        return CSQ_PAGE_CHECKSUM;
    }
    if (is_frame) return is_former_frame(page, place) ? CSQ_PAGE_SOUND : CSQ_PAGE_CHECKSUM;
    // Also accept page 1 of an earlier version, whose checksum covers all its bytes.
    int is_whole = csq_page_sum(page) == database_sum(page, place.number, place.number == 1) ||
                   (place.number == 1 && csq_page_sum(page) == database_sum(page, 1, 0));
    if (!is_whole) return CSQ_PAGE_CHECKSUM;
    return csq_page_has_balance(page) ? CSQ_PAGE_TRAILER : CSQ_PAGE_SOUND;
}
