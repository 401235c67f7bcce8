// SPDX-License-Identifier: Apache-2.0
//
// How the pages of a database are checked: from its first page when it is opened, and again when page 1 changes.

#include <string.h>

#include "vfs.h"
#include "vfs_cipher.h"

CSQ_KEEPS_CALLS_BEGIN

int csq_layer_examine(struct layer_file *database, sqlite3_vfs *base) {
    sqlite3_file *inner = csq_layer_inner(&database->face);
    sqlite3_int64 size = 0;
    int code = inner->pMethods->xFileSize(inner, &size);
    if (code != SQLITE_OK) return code;
    database->first_page_kind = PAGE_FULL;
    if (database->cipher != NULL) {
        database->checks = CSQ_CHECKS_ALL;
        return SQLITE_OK;
    }
    if (size == 0) {
        base->xRandomness(base, sizeof database->id, (char *)database->id);
        database->checks = CSQ_CHECKS_ALL;
        return SQLITE_OK;
    }
    database->checks = CSQ_CHECKS_NONE;
    if (size < PAGE) return SQLITE_OK;
    uint8_t page[PAGE];
    // A checkpoint may be writing the page. Its kind and id do not change, except by an upgrade.
    for (int attempt = 0; attempt < 10; attempt++) {
        code = csq_layer_read_below(database, page, PAGE, 0);
        if (code != SQLITE_OK) return code;
        enum page_kind kind = csq_page_kind_of(page);
        if (kind == PAGE_BLANK) return SQLITE_OK;
        if (kind != PAGE_UNKNOWN) {
            memcpy(database->id, csq_page_id(page), sizeof database->id);
            database->checks = kind == PAGE_FULL ? CSQ_CHECKS_ALL : CSQ_CHECKS_PRESENT;
            database->first_page_kind = kind;
            return SQLITE_OK;
        }
        base->xSleep(base, 1000);
    }
    // Another kind of file, or a catalog in which no page can be trusted.
    int is_ours = memcmp(page, "SQLite format 3", 16) == 0 && page[20] == TRAILER;
    if (is_ours) database->checks = CSQ_CHECKS_IMPOSSIBLE;
    return SQLITE_OK;
}

/// Page 1 determines how the pages are checked; after a commit of another connection it may require more checks.
void csq_layer_learn(struct layer_file *database, const uint8_t *page, struct page_place place) {
    if (place.number != 1 || database->is_upgrading || database->checks == CSQ_CHECKS_ALL) return;
    enum page_kind kind = csq_page_kind_of(page);
    if (kind != PAGE_FULL && kind != PAGE_UPGRADING) return;
    const uint8_t *id = database->checks == CSQ_CHECKS_PRESENT ? database->id : csq_page_id(page);
    if (csq_page_check(page, place, id, 0) != CSQ_PAGE_SOUND) return;
    memcpy(database->id, csq_page_id(page), sizeof database->id);
    database->checks = kind == PAGE_FULL ? CSQ_CHECKS_ALL : CSQ_CHECKS_PRESENT;
    database->first_page_kind = kind;
}

static int read_page(void *database, uint32_t number, uint8_t *page) {
    return csq_layer_read_below(database, page, PAGE, (sqlite3_int64)(number - 1) * PAGE);
}

/// Searches once for pages that another SQLite copied from a log of an earlier version.
static void find_copied(struct layer_file *database) {
    sqlite3_file *inner = csq_layer_inner(&database->face);
    sqlite3_int64 size = 0;
    if (database->copied.state != COPIED_UNKNOWN || inner->pMethods->xFileSize(inner, &size) != SQLITE_OK) return;
    (void)csq_copied_find(&database->copied, read_page, database, (uint32_t)(size / PAGE), database->id);
}

enum csq_page_fault csq_layer_check_page(struct layer_file *database, uint8_t *page, struct page_place place) {
    if (database->cipher != NULL) return csq_page_decrypt(database->cipher, page, NULL, place);
    enum csq_page_fault fault = csq_page_check(page, place, database->id, database->checks == CSQ_CHECKS_PRESENT);
    if (fault != CSQ_PAGE_CHECKSUM || !csq_page_has_balance(page)) return fault;
    find_copied(database);
    return csq_copied_has(&database->copied, page, place.number, database->id) ? CSQ_PAGE_SOUND : fault;
}

int csq_layer_has_copied(struct layer_file *database) {
    uint8_t page[PAGE];
    int is_checked = database->checks == CSQ_CHECKS_ALL || database->checks == CSQ_CHECKS_PRESENT;
    if (database->cipher != NULL) return 0;
    if (!is_checked || read_page(database, 1, page) != SQLITE_OK || !csq_page_is_of_former_version(page)) return 0;
    find_copied(database);
    return database->copied.state == COPIED_SINGLE || database->copied.state == COPIED_SEVERAL;
}

int64_t csq_layer_version(struct layer_file *database) {
    uint8_t page[PAGE];
    if (read_page(database, 1, page) != SQLITE_OK) return 0;
    struct page_place place = {.number = 1};
    if (database->cipher != NULL && csq_layer_check_page(database, page, place) != CSQ_PAGE_SOUND) return 0;
    if (csq_page_kind_of(page) == PAGE_BLANK) return -1;
    return csq_get_big(page + 60);
}

int csq_layer_upgrade(struct layer_file *database, enum csq_upgrade_step step) {
    // An encrypted database has checksums from its creation on.
    if (database->cipher != NULL) return SQLITE_MISUSE;
    switch (step) {
    case CSQ_UPGRADE_BEGIN:
        if (database->checks == CSQ_CHECKS_NONE) sqlite3_randomness(sizeof database->id, database->id);
        database->checks = CSQ_CHECKS_PRESENT;
        database->first_page_kind = PAGE_UPGRADING;
        database->is_upgrading = 1;
        return SQLITE_OK;
    case CSQ_UPGRADE_REWRITE: database->first_page_kind = PAGE_FULL; return SQLITE_OK;
    case CSQ_UPGRADE_DONE:
        database->checks = CSQ_CHECKS_ALL;
        database->is_upgrading = 0;
        return SQLITE_OK;
    case CSQ_UPGRADE_LATER:
        database->first_page_kind = PAGE_UPGRADING;
        database->is_upgrading = 0;
        return SQLITE_OK;
    case CSQ_UPGRADE_NEVER:
        database->checks = CSQ_CHECKS_NONE;
        database->is_upgrading = 0;
        return SQLITE_OK;
    }
    return SQLITE_MISUSE;
}

CSQ_KEEPS_CALLS_END
