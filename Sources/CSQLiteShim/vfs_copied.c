// SPDX-License-Identifier: Apache-2.0
//
// Pages that another SQLite copied into the database from a log of an earlier version, whose checksums were valid only
// in the log. Such a checksum is the CRC-32C of the page and, last, of its frame's offset and the log's generation. The
// log no longer exists, but CRC is linear: the contribution of an offset is known for each frame, and that of the
// generation is one number for all frames. If several pages agree on this number, it serves to check each of them. With
// two pages the check is weaker: it finds most damage, not all.

#include <stdlib.h>
#include <string.h>

#include "vfs.h"

enum {
    /// Frames of the longest log considered: half a GiB.
    FRAMES_MOST = 1 << 17,
    FRAMES_LEAST = 1 << 8,
};

static const uint8_t no_generation[8];

/// Returns the contribution of a frame's offset to a checksum; the first frame is 0.
static uint32_t of_offset(uint32_t frame) {
    uint8_t place[16] = {0};
    uint32_t nothing = csq_page_crc(place, sizeof place, 0);
    csq_page_put(place, LOG_HEADER + (uint64_t)frame * FRAME, 8);
    return csq_page_crc(place, sizeof place, 0) ^ nothing;
}

/// Returns the combined contribution of offset and generation to the checksum of a page.
static uint32_t added(const uint8_t *page, uint32_t number) {
    return csq_page_sum(page) ^ csq_page_former_log_sum(page, number, 0, no_generation);
}

static int is_candidate(const uint8_t *page, uint32_t number, const uint8_t *id) {
    enum page_kind kind = csq_page_kind_of(page);
    if (kind != PAGE_FULL && !(kind == PAGE_UPGRADING && number == 1)) return 0;
    return !csq_page_is_of_log(page) && csq_page_is_id(page, id) && csq_page_has_balance(page);
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/// Returns the number of candidates that match a constant.
static uint32_t support(
    const uint32_t *sums, uint32_t count, uint32_t constant, const uint32_t *offsets, uint32_t frames) {
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t wanted = sums[i] ^ constant;
        fitting += bsearch(&wanted, offsets, frames, sizeof wanted, compare) != NULL;
        if (i == 3 && fitting == 1) break;
    }
    return fitting;
}

/// Finds the constant that matches at least two candidates and three quarters of them, with the shortest possible log.
static int agree(struct copied_pages *found, const uint32_t *sums, uint32_t count) {
    uint32_t *offsets = malloc(sizeof *offsets * FRAMES_MOST);
    if (offsets == NULL) return SQLITE_NOMEM;
    for (uint32_t frames = FRAMES_LEAST; frames <= FRAMES_MOST && found->state == COPIED_NONE; frames *= 2) {
        for (uint32_t i = 0; i < frames; i++) offsets[i] = of_offset(i);
        qsort(offsets, frames, sizeof *offsets, compare);
        // The first candidate may be damaged, so the second one is tried, too.
        for (uint32_t base = 0; base < 2 && found->state == COPIED_NONE; base++) {
            for (uint32_t i = 0; i < frames; i++) {
                uint32_t constant = sums[base] ^ offsets[i];
                uint32_t fitting = support(sums, count, constant, offsets, frames);
                if (fitting < 2 || fitting < count - count / 4) continue;
                *found = (struct copied_pages){COPIED_SEVERAL, 0, constant, frames};
                break;
            }
        }
    }
    free(offsets);
    return SQLITE_OK;
}

int csq_copied_find(struct copied_pages *found, copied_reader *read, void *context, uint32_t count, const uint8_t *id) {
    uint8_t page[PAGE];
    uint32_t *sums = NULL, candidates = 0, room = 0, number_of_last = 0;
    uint64_t newest = 0, newest_candidate = 0;
    int code = SQLITE_OK;
    *found = (struct copied_pages){.state = COPIED_NONE};
    for (uint32_t number = 1; number <= count && code == SQLITE_OK; number++) {
        if (number == LOCK_PAGE || read(context, number, page) != SQLITE_OK) continue;
        if (csq_page_kind_of(page) != PAGE_FULL && csq_page_kind_of(page) != PAGE_UPGRADING) continue;
        uint64_t sequence = csq_page_sequence(page);
        if (!is_candidate(page, number, id)) {
            if (sequence > newest && csq_page_is_id(page, id)) newest = sequence;
            continue;
        }
        if (candidates == room) {
            room = room == 0 ? 64 : room * 2;
            uint32_t *grown = realloc(sums, sizeof *grown * room);
            if (grown == NULL) code = SQLITE_NOMEM;
            if (grown == NULL) break;
            sums = grown;
        }
        sums[candidates++] = added(page, number);
        number_of_last = number;
        newest_candidate = sequence;
    }
    if (code == SQLITE_OK && candidates > 1) code = agree(found, sums, candidates);
    // A single page proves nothing about its bytes: either the last commit of the log wrote it, or it is damaged.
    if (candidates == 1 && newest_candidate >= newest) {
        *found = (struct copied_pages){.state = COPIED_SINGLE, .number = number_of_last};
    }
    free(sums);
    return code;
}

int csq_copied_has(const struct copied_pages *found, const uint8_t *page, uint32_t number, const uint8_t *id) {
    if (found->state != COPIED_SINGLE && found->state != COPIED_SEVERAL) return 0;
    if (!is_candidate(page, number, id)) return 0;
    if (found->state == COPIED_SINGLE) return number == found->number;
    uint32_t wanted = added(page, number) ^ found->constant;
    for (uint32_t i = 0; i < found->frames; i++)
        if (of_offset(i) == wanted) return 1;
    return 0;
}
