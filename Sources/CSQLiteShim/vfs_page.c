// SPDX-License-Identifier: Apache-2.0
//
// The trailer in the reserved bytes of a page. Docs/Format/Catalog.md has the table.

#include <string.h>

#include "vfs.h"

enum {
    AT_KIND = CONTENT,
    AT_CHECKSUM = CONTENT + 4,
    AT_ID = CONTENT + 8,
    AT_SEQUENCE = CONTENT + 24,
    AT_BALANCE = CONTENT + 32,
};

static const uint8_t full_kind[4] = {'K', 'y', 'p', 'P'}, upgrading_kind[4] = {'K', 'y', 'p', 'U'};

void page_put(uint8_t *to, uint64_t value, int count) {
    for (int i = 0; i < count; i++) to[i] = (uint8_t)(value >> (8 * i));
}

uint64_t page_get(const uint8_t *from, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static int is_zero(const uint8_t *bytes, int count) {
    for (int i = 0; i < count; i++)
        if (bytes[i] != 0) return 0;
    return 1;
}

enum page_kind page_kind_of(const uint8_t *page) {
    if (memcmp(page + AT_KIND, full_kind, 4) == 0) return PAGE_FULL;
    if (memcmp(page + AT_KIND, upgrading_kind, 4) == 0) return PAGE_UPGRADING;
    return is_zero(page + CONTENT, TRAILER) ? PAGE_BLANK : PAGE_UNKNOWN;
}

const uint8_t *page_id(const uint8_t *page) { return page + AT_ID; }
uint64_t page_sequence(const uint8_t *page) { return page_get(page + AT_SEQUENCE, 8); }

/// Over the content, the kind, the id, the sequence, and where the page stands.
static uint32_t checksum(const uint8_t *page, struct page_place place) {
    uint8_t identity[20];
    page_put(identity, place.number, 4);
    size_t count = 4;
    if (place.frame_header != NULL) {
        page_put(identity + 4, place.frame_offset, 8);
        memcpy(identity + 12, place.frame_header + 8, 8);
        count = 20;
    }
    uint32_t sum = page_crc(page, AT_CHECKSUM, 0);
    sum = page_crc(page + AT_ID, AT_BALANCE - AT_ID, sum);
    return page_crc(identity, count, sum);
}

static uint32_t word(const uint8_t *at, int big_endian) {
    uint32_t little = (uint32_t)page_get(at, 4);
    return big_endian ? __builtin_bswap32(little) : little;
}

/// SQLite's checksum of a log adds the words of a frame in pairs: s1 += w + s2, then s2 += w + s1. Both sums are linear
/// in the words. What the first eight words of the trailer changed, the last two take back.
static void balance(uint8_t *page, const uint8_t *former, int big_endian) {
    uint32_t s1 = 0, s2 = 0;
    for (int i = 0; i < TRAILER - 8; i += 8) {
        s1 += word(page + CONTENT + i, big_endian) - word(former + i, big_endian) + s2;
        s2 += word(page + CONTENT + i + 4, big_endian) - word(former + i + 4, big_endian) + s1;
    }
    uint32_t last[2] = {
        word(former + TRAILER - 8, big_endian) - s1 - s2,
        word(former + TRAILER - 4, big_endian) - s2,
    };
    for (int i = 0; i < 2; i++) {
        uint32_t little = big_endian ? __builtin_bswap32(last[i]) : last[i];
        page_put(page + AT_BALANCE + 4 * i, little, 4);
    }
}

void page_stamp(
    uint8_t *page, struct page_place place, enum page_kind kind, const uint8_t *id, uint64_t sequence, int big_endian) {
    uint8_t former[TRAILER];
    memcpy(former, page + CONTENT, TRAILER);
    memcpy(page + AT_KIND, kind == PAGE_UPGRADING ? upgrading_kind : full_kind, 4);
    memcpy(page + AT_ID, id, 16);
    page_put(page + AT_SEQUENCE, sequence, 8);
    page_put(page + AT_CHECKSUM, checksum(page, place), 4);
    if (place.frame_header == NULL) {
        memset(page + AT_BALANCE, 0, 8);
    } else {
        balance(page, former, big_endian);
    }
}

enum kymo_page_fault page_check(const uint8_t *page, struct page_place place, const uint8_t *id, int lenient) {
    enum page_kind kind = page_kind_of(page);
    if (kind == PAGE_BLANK) return lenient ? KYMO_PAGE_SOUND : KYMO_PAGE_BLANK;
    if (kind == PAGE_UNKNOWN || (kind == PAGE_UPGRADING && place.number != 1)) return KYMO_PAGE_TRAILER;
    if (memcmp(page + AT_ID, id, 16) != 0) return KYMO_PAGE_FOREIGN;
    if (page_get(page + AT_CHECKSUM, 4) != checksum(page, place)) return KYMO_PAGE_CHECKSUM;
    if (place.frame_header == NULL && !is_zero(page + AT_BALANCE, 8)) return KYMO_PAGE_TRAILER;
    return KYMO_PAGE_SOUND;
}
