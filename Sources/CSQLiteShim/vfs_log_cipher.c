// SPDX-License-Identifier: Apache-2.0
//
// The log of an encrypted database: its header and its frames, which are encrypted and decrypted whole.

#include <string.h>

#include "vfs.h"
#include "vfs_cipher.h"

CSQ_KEEPS_CALLS_BEGIN

CSQ_APART int csq_log_write_encrypted(struct layer_file *log, const uint8_t *frame, sqlite3_int64 at) {
    uint8_t stored[FRAME], header[FRAME_HEADER];
    memcpy(stored, frame, FRAME);
    memcpy(header, frame, FRAME_HEADER);
    int code = csq_log_complete(log, header);
    if (code != SQLITE_OK) return code;
    struct page_place place = csq_layer_frame_place(header, at);
    code = csq_page_encrypt(log->database->cipher, stored + FRAME_HEADER, stored + 16, place);
    return code == SQLITE_OK ? csq_layer_write_below(log, stored, FRAME, at) : code;
}

CSQ_APART int csq_log_read_encrypted(
    struct layer_file *log, uint8_t *frame, sqlite3_int64 at, enum csq_page_fault *fault) {
    uint8_t header[FRAME_HEADER];
    int code = csq_layer_read_below(log, frame, FRAME, at);
    if (code != SQLITE_OK) return code;
    memcpy(header, frame, FRAME_HEADER);
    code = csq_log_complete(log, header);
    if (code != SQLITE_OK) return code;
    struct page_place place = csq_layer_frame_place(header, at);
    *fault = csq_page_decrypt(log->database->cipher, frame + FRAME_HEADER, frame + 16, place);
    return SQLITE_OK;
}

CSQ_APART int csq_log_settle_encrypted(struct layer_file *log) {
    uint8_t frame[FRAME];
    enum csq_page_fault fault = CSQ_PAGE_SHORT;
    int code = csq_log_read_encrypted(log, frame, log->frame_at, &fault);
    if (code != SQLITE_OK) return code;
    if (fault != CSQ_PAGE_SOUND) return csq_layer_refuse(log->database, fault, 0, log->frame_at, 1);
    memcpy(frame, log->frame, FRAME_HEADER);
    return csq_log_write_encrypted(log, frame, log->frame_at);
}

CSQ_APART int csq_log_read_header(struct layer_file *log, uint8_t *bytes, int count, sqlite3_int64 at) {
    uint8_t header[LOG_HEADER];
    int code = csq_layer_read_below(log, header, LOG_HEADER, 0);
    if (at + count > LOG_HEADER) return SQLITE_IOERR_READ;
    csq_log_header_from_disk(header);
    memcpy(bytes, header + at, (size_t)count);
    return code;
}

CSQ_APART int csq_log_write_header(struct layer_file *log, const uint8_t *bytes) {
    uint8_t header[LOG_HEADER];
    memcpy(header, bytes, LOG_HEADER);
    csq_log_header_to_disk(header);
    return csq_layer_write_below(log, header, LOG_HEADER, 0);
}

/// Whether a frame as it is stored has the generation of the log's header, so that it is not a frame of an earlier log.
static int has_generation_of_log(struct layer_file *log, const uint8_t *frame) {
    uint8_t generation[8];
    if (csq_layer_read_below(log, generation, 8, 16) != SQLITE_OK) return 0;
    return memcmp(frame + 8, generation, 8) == 0;
}

int csq_log_read_part(struct layer_file *log, uint8_t *bytes, int count, sqlite3_int64 at) {
    uint8_t frame[FRAME];
    sqlite3_int64 start = LOG_HEADER + (at - LOG_HEADER) / FRAME * FRAME;
    enum csq_page_fault fault = CSQ_PAGE_SOUND;
    memset(bytes, 0, (size_t)count);
    if (at - start + count > FRAME) return SQLITE_IOERR_READ;
    int code = csq_log_read_encrypted(log, frame, start, &fault);
    if (code != SQLITE_OK) return code;
    // A frame with an unknown key is not torn: another process has added the key, and may have committed with it.
    int is_needed = fault == CSQ_PAGE_KEY && has_generation_of_log(log, frame);
    if (fault != CSQ_PAGE_SOUND && (count != FRAME || is_needed))
        return csq_layer_refuse(log->database, fault, 0, start, 1);
    if (fault == CSQ_PAGE_SOUND) memcpy(bytes, frame + (at - start), (size_t)count);
    return SQLITE_OK;
}

CSQ_KEEPS_CALLS_END
