// SPDX-License-Identifier: Apache-2.0
//
// The pages of an encrypted database, on the disk and in memory. Docs/Format/EncryptedCatalog.md has the layout.

#ifndef CSQ_VFS_CIPHER_H
#define CSQ_VFS_CIPHER_H

#include "CCipher.h"
#include "vfs.h"

enum {
    /// The reserved bytes of an encrypted page: the nonce, then the trailer, in which the tag replaces id and place.
    CIPHER_TRAILER = 64,
    CIPHER_CONTENT = PAGE - CIPHER_TRAILER,
};

// --- vfs_keys.c ---

/// The keys and prepared ciphers of one open database with its log. Not thread-safe, like the database.
struct page_cipher;

/// Opens the keys of a number of the table; sets null for number 0. Returns an SQLite code.
int csq_cipher_open(int64_t number, struct page_cipher **opened);
/// Null is allowed.
void csq_cipher_close(struct page_cipher *cipher);
/// The id of the store, 16 bytes.
const uint8_t *csq_cipher_store(const struct page_cipher *cipher);
/// The generation that encrypts.
int csq_cipher_newest(const struct page_cipher *cipher);
/// Returns the cipher of a generation; null if its key is unknown, or after a fork.
kc_cipher *csq_cipher_of(struct page_cipher *cipher, uint8_t generation);
/// Makes a nonce of 24 bytes and 8 random bytes. Returns a code of CCipher.
int csq_cipher_nonce(struct page_cipher *cipher, uint8_t *nonce, uint8_t *pad);

// --- vfs_cipher.c ---

/// Whether a page has the mark of an encrypted page.
int csq_page_is_encrypted(const uint8_t *page);
/// Encrypts a page in place. For a page of the log, `sums` are the two checksums in its frame's header, which are
/// encrypted with it: they are taken over the plain page, and would reveal parts of the page. Returns an SQLite code.
int csq_page_encrypt(struct page_cipher *cipher, uint8_t *page, uint8_t *sums, struct page_place place);
/// Decrypts a page in place, and removes checksum, nonce and tag. If the result is not `CSQ_PAGE_SOUND`, page and sums
/// are zeros.
enum csq_page_fault csq_page_decrypt(
    struct page_cipher *cipher, uint8_t *page, uint8_t *sums, struct page_place place);
/// Checks the checksum of an encrypted page as it is stored, which needs no key.
enum csq_page_fault csq_page_check_stored(
    const uint8_t *store, const uint8_t *page, const uint8_t *sums, struct page_place place);
/// Prepares a page of SQLite for its encryption: mark, commit and the bytes that keep SQLite's checksum of a log valid.
void csq_page_mark_encrypted(
    struct page_cipher *cipher, uint8_t *page, struct page_place place, uint64_t sequence, int big_endian);

// --- vfs_log.c ---

/// Sets the generation in a frame header. A transaction that writes a page of the log twice stores zeros as the
/// generation of its later frames until it commits; the generation of the log's header replaces them.
int csq_log_complete(struct layer_file *log, uint8_t *frame_header);

// --- vfs_log_cipher.c ---

/// Encrypts a frame and writes it whole.
int csq_log_write_encrypted(struct layer_file *log, const uint8_t *frame, sqlite3_int64 at);
/// Reads a frame of an encrypted log and decrypts it. The header keeps its stored generation.
int csq_log_read_encrypted(struct layer_file *log, uint8_t *frame, sqlite3_int64 at, enum csq_page_fault *fault);
/// Encrypts a frame again under a header that came without its page.
int csq_log_settle_encrypted(struct layer_file *log);
/// Read the header of an encrypted log, or its checksums, in SQLite's form, and write it.
int csq_log_read_header(struct layer_file *log, uint8_t *bytes, int count, sqlite3_int64 at);
int csq_log_write_header(struct layer_file *log, const uint8_t *bytes);
/// Reads a whole frame of an encrypted log, or its checksums or header. SQLite reads whole frames when it recovers a
/// log. A torn frame then ends the log, and is read as zeros; a frame of the log whose key is unknown is refused.
int csq_log_read_part(struct layer_file *log, uint8_t *bytes, int count, sqlite3_int64 at);

#endif
