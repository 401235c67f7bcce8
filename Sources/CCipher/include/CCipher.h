// SPDX-License-Identifier: Apache-2.0
// CCipher: ciphers and key derivation of the system's libcrypto, and memory for keys.
//
// The library is loaded by the first call that needs it, so that a program without encrypted stores neither links nor
// loads it, and no header of OpenSSL is needed to build. Functions return KC_OK or another code of this list.
#ifndef KC_CCIPHER_H
#define KC_CCIPHER_H

#include <stddef.h>
#include <stdint.h>

enum {
    KC_OK = 0,
    // libcrypto.so.3 cannot be loaded.
    KC_ABSENT = 1,
    // The library lacks a function, or gives wrong answers to known inputs.
    KC_UNSUITABLE = 2,
    // An argument is outside its limits.
    KC_ARGUMENT = 3,
    // The library or the system returned an error, such as a lack of memory.
    KC_FAILED = 4,
    // The bytes and their tag do not belong together under this key, nonce and associated data.
    KC_FORGED = 5,
    // The process was forked, and this child has no keys.
    KC_FORKED = 6,
};

enum { KC_KEY_BYTES = 32, KC_TAG_BYTES = 16, KC_DIGEST_BYTES = 32 };

// Loads the library and checks it with known answers, once per process (thread-safe). Later calls return the same code.
int kc_load(void);

// Returns the reason of the system or the library's name for a code of kc_load; a static string, never NULL.
const char *kc_load_detail(void);

// MARK: Authenticated encryption

typedef enum {
    // AES-256-GCM with a nonce of 12 bytes. A nonce must not repeat under a key.
    KC_AES_256_GCM = 1,
    // XAES-256-GCM (C2SP) with a nonce of 24 bytes, which may be random.
    KC_XAES_256_GCM = 2,
} kc_algorithm;

// A range of bytes that is encrypted or decrypted in place.
typedef struct {
    uint8_t *bytes;
    size_t count;
} kc_piece;

// A prepared key. Not thread-safe: each thread has its own.
typedef struct kc_cipher kc_cipher;

// Prepares a key of 32 bytes. Returns KC_OK and sets *result, or another code.
int kc_cipher_new(kc_algorithm algorithm, const uint8_t *key, kc_cipher **result);

// Replaces the key; costs less than a new cipher.
int kc_cipher_set_key(kc_cipher *cipher, const uint8_t *key);

// Wipes and frees a cipher; NULL is allowed.
void kc_cipher_free(kc_cipher *cipher);

// Encrypts the pieces in place, in order and as one message, and writes the tag of 16 bytes. The associated data is
// authenticated and not encrypted. After an error the pieces are zeros.
int kc_encrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, uint8_t *tag);

// Decrypts the pieces in place. Returns KC_FORGED if the tag does not belong to the message. After any error the pieces
// are zeros.
int kc_decrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, const uint8_t *tag);

// Called before each encryption with 16 bytes that identify key and algorithm, the nonce, and a digest of 32 bytes over
// associated data and plain text.
typedef void (*kc_observer)(
    void *context, const uint8_t *key_identity, const uint8_t *nonce, size_t nonce_count, const uint8_t *digest);

// Sets the observer of this process, or removes it with NULL. Only test builds (KC_TESTING) have observers: returns 1
// in these, 0 in others.
int kc_observe(kc_observer observer, void *context);

// MARK: Derivation

// HKDF-SHA256 (RFC 5869): 1 to 8,160 bytes of output, and a key that is not empty.
int kc_hkdf(
    const uint8_t *key, size_t key_count, const uint8_t *salt, size_t salt_count, const uint8_t *info,
    size_t info_count, uint8_t *out, size_t out_count);

// HMAC-SHA256 (RFC 2104): 32 bytes of output, and a key that is not empty.
int kc_hmac(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t *out);

// scrypt (RFC 7914): N is a power of two from 2 to 2^20, r 1 to 8, p 1 to 16. Takes 128 * N * r bytes of memory.
int kc_scrypt(
    const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, uint64_t n, uint32_t r,
    uint32_t p, uint8_t *out, size_t out_count);

// MARK: Memory

// Returns 1 if the bytes are equal, otherwise 0, in a time that depends on the count only.
int kc_equal(const uint8_t *a, const uint8_t *b, size_t count);

// Overwrites memory with zeros, also where the compiler sees no later use.
void kc_wipe(void *memory, size_t count);

enum { KC_SECRET_MAXIMUM = 4032 };

// Returns count zero bytes (1 to KC_SECRET_MAXIMUM) in memory that is locked, left out of core dumps and cleared in a
// forked child; NULL without memory. Thread-safe.
uint8_t *kc_secret_new(size_t count);

// Wipes the bytes and frees them; NULL is allowed.
void kc_secret_free(uint8_t *secret, size_t count);

// Returns 0 in a forked child, where the bytes have been cleared, otherwise 1. Costs one load.
static inline int kc_secret_is_here(const uint8_t *secret) {
    // The first byte of each page is not zero, except after a fork.
    return *(const volatile uint8_t *)((uintptr_t)secret & ~(uintptr_t)4095) != 0;
}

// Returns 1 if the system has locked all memory for secrets so far, 0 if a limit (ulimit -l) prevented it.
int kc_secrets_are_locked(void);

#endif
