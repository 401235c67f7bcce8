// SPDX-License-Identifier: Apache-2.0
//
// Encryption of pages by XAES-256-GCM. Kind, commit and the balance bytes of the trailer stay at their places, so that
// code that looks at these reads plain and encrypted pages alike.

#include "vfs_cipher.h"

#include <string.h>

enum {
    AT_NONCE = CIPHER_CONTENT,
    NONCE = 24,
    AT_KIND = CONTENT,
    AT_CHECKSUM = AT_KIND + 4,
    AT_TAG = AT_CHECKSUM + 4,
    AT_SEQUENCE = AT_TAG + KC_TAG_BYTES,
    AT_BALANCE = AT_SEQUENCE + 8,
    /// Maximum size of the associated data.
    ASSOCIATED = 37,
};

/// The first bytes of the kind; the generation follows.
static const char kind[3] = {'K', 'y', 'E'};

int csq_page_is_encrypted(const uint8_t *page) { return memcmp(page + AT_KIND, kind, sizeof kind) == 0; }

/// Writes what is authenticated with a page and not encrypted: kind, commit and place. Returns the size.
static size_t associate(const uint8_t *page, struct page_place place, uint8_t *associated) {
    associated[0] = place.frame_header != NULL ? 'L' : 'D';
    memcpy(associated + 1, page + AT_KIND, 4);
    memcpy(associated + 5, page + AT_SEQUENCE, 8);
    csq_page_put(associated + 13, place.number, 4);
    if (place.frame_header == NULL) return 17;
    // The database's size after the commit, and the log's generation.
    memcpy(associated + 17, place.frame_header + 4, 4);
    csq_page_put(associated + 21, place.frame_offset, 8);
    memcpy(associated + 29, place.frame_header + 8, 8);
    return ASSOCIATED;
}

/// Returns the checksum of all stored bytes, of the place and of the store.
static uint32_t stored_sum(
    const uint8_t *store, const uint8_t *page, const uint8_t *sums, struct page_place place) {
    uint8_t number[4], offset[8];
    csq_page_put(number, place.number, 4);
    uint32_t sum = csq_page_crc(page, AT_CHECKSUM, 0);
    sum = csq_page_crc(page + AT_TAG, PAGE - AT_TAG, sum);
    sum = csq_page_crc(number, 4, sum);
    if (place.frame_header != NULL) {
        csq_page_put(offset, place.frame_offset, 8);
        sum = csq_page_crc(place.frame_header + 4, 12, sum);
        sum = csq_page_crc(sums, 8, sum);
        sum = csq_page_crc(offset, 8, sum);
    }
    return csq_page_crc(store, 16, sum);
}

enum csq_page_fault csq_page_check_stored(
    const uint8_t *store, const uint8_t *page, const uint8_t *sums, struct page_place place) {
    if (!csq_page_is_encrypted(page)) {
        enum page_kind found = csq_page_kind_of(page);
        if (found == PAGE_BLANK) return CSQ_PAGE_BLANK;
        return found == PAGE_UNKNOWN ? CSQ_PAGE_TRAILER : CSQ_PAGE_PLAIN;
    }
    int fits = csq_page_get(page + AT_CHECKSUM, 4) == stored_sum(store, page, sums, place);
    return fits ? CSQ_PAGE_SOUND : CSQ_PAGE_CHECKSUM;
}

int csq_page_encrypt(struct page_cipher *cipher, uint8_t *page, uint8_t *sums, struct page_place place) {
    uint8_t associated[ASSOCIATED], pad[8];
    kc_cipher *prepared = csq_cipher_of(cipher, page[AT_KIND + 3]);
    if (prepared == NULL || csq_cipher_nonce(cipher, page + AT_NONCE, pad) != KC_OK) return SQLITE_IOERR_WRITE;
    // In a log the balance bytes have a purpose. In the database random bytes replace them: SQLite's shared memory has
    // a checksum over the page as SQLite sees it.
    if (sums == NULL) memcpy(page + AT_BALANCE, pad, sizeof pad);
    size_t count = associate(page, place, associated);
    kc_piece pieces[3] = {{page, CIPHER_CONTENT}, {page + AT_BALANCE, 8}, {sums, 8}};
    int code = kc_encrypt(prepared, page + AT_NONCE, associated, count, pieces, sums == NULL ? 2 : 3, page + AT_TAG);
    if (code != KC_OK) return SQLITE_IOERR_WRITE;
    csq_page_put(page + AT_CHECKSUM, stored_sum(csq_cipher_store(cipher), page, sums, place), 4);
    return SQLITE_OK;
}

enum csq_page_fault csq_page_decrypt(
    struct page_cipher *cipher, uint8_t *page, uint8_t *sums, struct page_place place) {
    uint8_t associated[ASSOCIATED], stored[PAGE], stored_sums[8] = {0};
    memcpy(stored, page, PAGE);
    if (sums != NULL) memcpy(stored_sums, sums, sizeof stored_sums);
    int code = KC_FORGED;
    kc_cipher *prepared = csq_page_is_encrypted(page) ? csq_cipher_of(cipher, page[AT_KIND + 3]) : NULL;
    if (prepared != NULL) {
        size_t count = associate(page, place, associated);
        kc_piece pieces[3] = {{page, CIPHER_CONTENT}, {page + AT_BALANCE, 8}, {sums, 8}};
        code = kc_decrypt(
            prepared, page + AT_NONCE, associated, count, pieces, sums == NULL ? 2 : 3, page + AT_TAG);
    }
    if (code == KC_OK) {
        memset(page + AT_NONCE, 0, NONCE);
        memset(page + AT_CHECKSUM, 0, 4 + KC_TAG_BYTES);
        return CSQ_PAGE_SOUND;
    }
    memset(page, 0, PAGE);
    if (sums != NULL) memset(sums, 0, 8);
    enum csq_page_fault fault = csq_page_check_stored(csq_cipher_store(cipher), stored, stored_sums, place);
    if (fault != CSQ_PAGE_SOUND) return fault;
    return prepared != NULL && code == KC_FORGED ? CSQ_PAGE_FORGED : CSQ_PAGE_KEY;
}

void csq_page_mark_encrypted(
    struct page_cipher *cipher, uint8_t *page, struct page_place place, uint64_t sequence, int big_endian) {
    uint8_t former[CIPHER_TRAILER];
    memcpy(former, page + CIPHER_CONTENT, CIPHER_TRAILER);
    memset(page + CIPHER_CONTENT, 0, CIPHER_TRAILER);
    memcpy(page + AT_KIND, kind, sizeof kind);
    page[AT_KIND + 3] = (uint8_t)csq_cipher_newest(cipher);
    csq_page_put(page + AT_SEQUENCE, sequence, 8);
    if (place.frame_header != NULL) csq_page_balance(page, former, CIPHER_TRAILER, big_endian);
}
