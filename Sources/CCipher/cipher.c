// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM and XAES-256-GCM with kept contexts: the key schedule is computed once per key.
#include "libcrypto.h"
#include "observer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, GCM_NONCE = 12, XAES_NONCE = 24 };

struct kc_cipher {
    kc_algorithm algorithm;
    // Each is prepared at the first message of its direction.
    EVP_CIPHER_CTX *encrypt, *decrypt;
    int encrypt_has_key, decrypt_has_key;
    // XAES: the key's block cipher.
    EVP_CIPHER_CTX *block;
    // AES: the key, for the direction that is not prepared yet. XAES: the subkey of CMAC. A fork clears it.
    uint8_t *secret;
};

static int algorithm_is_known(kc_algorithm algorithm) {
    return algorithm == KC_AES_256_GCM || algorithm == KC_XAES_256_GCM;
}

// Sets the block cipher's key, and the subkey as in CMAC: the encrypted zero block, doubled.
static int set_block_key(kc_cipher *cipher, const uint8_t *key) {
    kc_functions *call = &kc_lib.call;
    int count = 0;
    uint8_t *subkey = cipher->secret;
    memset(subkey, 0, BLOCK);
    if (call->EVP_EncryptInit_ex(cipher->block, kc_lib.ecb, NULL, key, NULL) != 1) return KC_FAILED;
    if (call->EVP_CIPHER_CTX_set_padding(cipher->block, 0) != 1) return KC_FAILED;
    if (call->EVP_EncryptUpdate(cipher->block, subkey, &count, subkey, BLOCK) != 1 || count != BLOCK) return KC_FAILED;
    uint8_t carry = 0;
    for (int i = BLOCK - 1; i >= 0; i--) {
        uint8_t next = subkey[i] >> 7;
        subkey[i] = (uint8_t)(subkey[i] << 1 | carry);
        carry = next;
    }
    subkey[BLOCK - 1] ^= (uint8_t)(0x87 & -carry);
    return KC_OK;
}

// Derives the key of one message from the first 12 bytes of its nonce.
static int derive(kc_cipher *cipher, const uint8_t *nonce, uint8_t *key) {
    uint8_t blocks[2 * BLOCK] = {0, 1, 'X', 0};
    memcpy(blocks + 4, nonce, 12);
    memcpy(blocks + BLOCK, blocks, BLOCK);
    blocks[BLOCK + 1] = 2;
    for (int i = 0; i < 2 * BLOCK; i++) blocks[i] ^= cipher->secret[i % BLOCK];
    int count = 0;
    int is_done = kc_lib.call.EVP_EncryptUpdate(cipher->block, key, &count, blocks, 2 * BLOCK);
    kc_wipe(blocks, sizeof blocks);
    return is_done == 1 && count == 2 * BLOCK ? KC_OK : KC_FAILED;
}

int kc_cipher_set_key(kc_cipher *cipher, const uint8_t *key) {
    if (!kc_secret_is_here(cipher->secret)) return KC_FORKED;
    cipher->encrypt_has_key = cipher->decrypt_has_key = 0;
    if (cipher->algorithm == KC_XAES_256_GCM) return set_block_key(cipher, key);
    memcpy(cipher->secret, key, KC_KEY_BYTES);
    return KC_OK;
}

int kc_cipher_new_loaded(kc_algorithm algorithm, const uint8_t *key, kc_cipher **result) {
    kc_functions *call = &kc_lib.call;
    *result = NULL;
    if (!algorithm_is_known(algorithm)) return KC_ARGUMENT;
    kc_cipher *cipher = calloc(1, sizeof *cipher);
    if (cipher == NULL) return KC_FAILED;
    cipher->algorithm = algorithm;
    cipher->encrypt = call->EVP_CIPHER_CTX_new();
    cipher->decrypt = call->EVP_CIPHER_CTX_new();
    cipher->secret = kc_secret_new(KC_KEY_BYTES);
    if (algorithm == KC_XAES_256_GCM) cipher->block = call->EVP_CIPHER_CTX_new();
    int has_memory =
        cipher->encrypt && cipher->decrypt && cipher->secret && (cipher->block || algorithm == KC_AES_256_GCM);
    int code = has_memory ? kc_cipher_set_key(cipher, key) : KC_FAILED;
    if (code != KC_OK) {
        kc_cipher_free(cipher);
        return code;
    }
    *result = cipher;
    return KC_OK;
}

int kc_cipher_new(kc_algorithm algorithm, const uint8_t *key, kc_cipher **result) {
    *result = NULL;
    int code = kc_load();
    return code == KC_OK ? kc_cipher_new_loaded(algorithm, key, result) : code;
}

void kc_cipher_free(kc_cipher *cipher) {
    if (cipher == NULL) return;
    // OpenSSL clears the key schedule of a context that it frees.
    if (cipher->encrypt) kc_lib.call.EVP_CIPHER_CTX_free(cipher->encrypt);
    if (cipher->decrypt) kc_lib.call.EVP_CIPHER_CTX_free(cipher->decrypt);
    if (cipher->block) kc_lib.call.EVP_CIPHER_CTX_free(cipher->block);
    kc_secret_free(cipher->secret, KC_KEY_BYTES);
    kc_wipe(cipher, sizeof *cipher);
    free(cipher);
}

typedef int (*init_call)(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const uint8_t *, const uint8_t *);

// Sets key and nonce of the next message.
static int begin(kc_cipher *cipher, EVP_CIPHER_CTX *context, int *has_key, init_call init, const uint8_t *nonce) {
    if (!kc_secret_is_here(cipher->secret)) return KC_FORKED;
    if (cipher->algorithm == KC_AES_256_GCM) {
        if (*has_key) return init(context, NULL, NULL, NULL, nonce) == 1 ? KC_OK : KC_FAILED;
        if (init(context, kc_lib.gcm, NULL, cipher->secret, nonce) != 1) return KC_FAILED;
        *has_key = 1;
        return KC_OK;
    }
    uint8_t key[KC_KEY_BYTES];
    int code = derive(cipher, nonce, key);
    if (code == KC_OK && init(context, *has_key ? NULL : kc_lib.gcm, NULL, key, nonce + XAES_NONCE - GCM_NONCE) != 1)
        code = KC_FAILED;
    if (code == KC_OK) *has_key = 1;
    kc_wipe(key, sizeof key);
    return code;
}

static int limits_hold(size_t associated_count, const kc_piece *pieces, size_t piece_count) {
    if (associated_count > INT_MAX / 2) return 0;
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].count > INT_MAX / 2) return 0;
    return 1;
}

static void clear(const kc_piece *pieces, size_t piece_count) {
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].count > 0) memset(pieces[i].bytes, 0, pieces[i].count);
}

// Two pieces joined for one call of libcrypto, which is faster than two. The first piece is moved directly before the
// second; `between` keeps the bytes that it overwrites.
typedef struct {
    kc_piece whole;
    uint8_t *first;
    size_t first_count, gap;
    uint8_t between[BLOCK];
} joined_pieces;

// Joins two pieces if the first piece and the gap have at most 16 bytes each; otherwise returns 0 and changes nothing.
static int join(joined_pieces *joined, const kc_piece *pieces, size_t piece_count) {
    if (piece_count != 2 || pieces[0].count == 0 || pieces[0].count > BLOCK) return 0;
    uint8_t *end = pieces[0].bytes + pieces[0].count;
    if (pieces[1].bytes < end || pieces[1].bytes - end > BLOCK) return 0;
    joined->first = pieces[0].bytes;
    joined->first_count = pieces[0].count;
    joined->gap = (size_t)(pieces[1].bytes - end);
    memcpy(joined->between, end, joined->gap);
    memmove(joined->first + joined->gap, joined->first, joined->first_count);
    joined->whole = (kc_piece){joined->first + joined->gap, pieces[0].count + pieces[1].count};
    return 1;
}

// Moves the first piece back, and restores the bytes between the pieces.
static void part(const joined_pieces *joined) {
    memmove(joined->first, joined->whole.bytes, joined->first_count);
    memcpy(joined->first + joined->first_count, joined->between, joined->gap);
}

typedef int (*update_call)(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);

// Encrypts or decrypts the pieces in place.
static int update(EVP_CIPHER_CTX *context, update_call call, const kc_piece *pieces, size_t piece_count) {
    joined_pieces joined;
    int is_joined = join(&joined, pieces, piece_count), code = KC_OK;
    if (is_joined) pieces = &joined.whole, piece_count = 1;
    for (size_t i = 0; i < piece_count && code == KC_OK; i++) {
        if (pieces[i].count == 0) continue;
        int size = (int)pieces[i].count, count = 0;
        if (call(context, pieces[i].bytes, &count, pieces[i].bytes, size) != 1 || count != size) code = KC_FAILED;
    }
    if (is_joined) part(&joined);
    return code;
}

static int encrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, uint8_t *tag) {
    kc_functions *call = &kc_lib.call;
    EVP_CIPHER_CTX *context = cipher->encrypt;
    int count = 0;
    int code = begin(cipher, context, &cipher->encrypt_has_key, call->EVP_EncryptInit_ex, nonce);
    if (code != KC_OK) return code;
    if (associated_count > 0
        && call->EVP_EncryptUpdate(context, NULL, &count, associated, (int)associated_count) != 1)
        return KC_FAILED;
    code = update(context, call->EVP_EncryptUpdate, pieces, piece_count);
    if (code != KC_OK) return code;
    uint8_t rest[BLOCK];
    if (call->EVP_EncryptFinal_ex(context, rest, &count) != 1 || count != 0) return KC_FAILED;
    OSSL_PARAM tags[2] = {{"tag", PARAM_BYTES, tag, KC_TAG_BYTES, 0}, {0}};
    return call->EVP_CIPHER_CTX_get_params(context, tags) == 1 ? KC_OK : KC_FAILED;
}

static int decrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, const uint8_t *tag) {
    kc_functions *call = &kc_lib.call;
    EVP_CIPHER_CTX *context = cipher->decrypt;
    int count = 0;
    int code = begin(cipher, context, &cipher->decrypt_has_key, call->EVP_DecryptInit_ex, nonce);
    if (code != KC_OK) return code;
    if (associated_count > 0
        && call->EVP_DecryptUpdate(context, NULL, &count, associated, (int)associated_count) != 1)
        return KC_FAILED;
    code = update(context, call->EVP_DecryptUpdate, pieces, piece_count);
    if (code != KC_OK) return code;
    uint8_t expected[KC_TAG_BYTES], rest[BLOCK];
    memcpy(expected, tag, sizeof expected);
    OSSL_PARAM tags[2] = {{"tag", PARAM_BYTES, expected, KC_TAG_BYTES, 0}, {0}};
    if (call->EVP_CIPHER_CTX_set_params(context, tags) != 1) return KC_FAILED;
    return call->EVP_DecryptFinal_ex(context, rest, &count) == 1 ? KC_OK : KC_FORGED;
}

int kc_encrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, uint8_t *tag) {
    int code = limits_hold(associated_count, pieces, piece_count) ? KC_OK : KC_ARGUMENT;
#ifdef KC_TESTING
    if (code == KC_OK && kc_is_observed()) {
        // An identity that needs no copy of the key: the tag of an empty message under a nonce that no file uses.
        uint8_t identity[KC_TAG_BYTES], reserved[XAES_NONCE];
        memset(reserved, 0xFF, sizeof reserved);
        uint8_t mark = (uint8_t)cipher->algorithm;
        code = encrypt(cipher, reserved, &mark, 1, NULL, 0, identity);
        size_t nonce_count = cipher->algorithm == KC_AES_256_GCM ? GCM_NONCE : XAES_NONCE;
        if (code == KC_OK) kc_report(identity, nonce, nonce_count, associated, associated_count, pieces, piece_count);
    }
#endif
    if (code == KC_OK) code = encrypt(cipher, nonce, associated, associated_count, pieces, piece_count, tag);
    if (code == KC_OK) return code;
    clear(pieces, piece_count);
    kc_lib.call.ERR_clear_error();
    return code;
}

int kc_decrypt(
    kc_cipher *cipher, const uint8_t *nonce, const uint8_t *associated, size_t associated_count, const kc_piece *pieces,
    size_t piece_count, const uint8_t *tag) {
    int code = limits_hold(associated_count, pieces, piece_count) ? KC_OK : KC_ARGUMENT;
    if (code == KC_OK) code = decrypt(cipher, nonce, associated, associated_count, pieces, piece_count, tag);
    if (code == KC_OK) return code;
    clear(pieces, piece_count);
    kc_lib.call.ERR_clear_error();
    return code;
}

// The two test vectors of C2SP's page on XAES-256-GCM.
int kc_check_answers(void) {
    static const uint8_t expected[2][28] = {
        {0xce, 0x54, 0x6e, 0xf6, 0x3c, 0x9c, 0xc6, 0x07, 0x65, 0x92, 0x36, 0x09, 0xb3, 0x3a,
         0x9a, 0x19, 0x74, 0xe9, 0x6e, 0x52, 0xda, 0xf2, 0xfc, 0xf7, 0x07, 0x5e, 0x22, 0x71},
        {0x98, 0x6e, 0xc1, 0x83, 0x25, 0x93, 0xdf, 0x54, 0x43, 0xa1, 0x79, 0x43, 0x7f, 0xd0,
         0x83, 0xbf, 0x3f, 0xdb, 0x41, 0xab, 0xd7, 0x40, 0xa2, 0x1f, 0x71, 0xeb, 0x76, 0x9d},
    };
    static const char *associated[2] = {"", "c2sp.org/XAES-256-GCM"};
    static const uint8_t nonce[XAES_NONCE + 1] = "ABCDEFGHIJKLMNOPQRSTUVWX";
    for (int i = 0; i < 2; i++) {
        uint8_t key[KC_KEY_BYTES], message[28] = "XAES-256-GCM";
        memset(key, i == 0 ? 1 : 3, sizeof key);
        kc_cipher *cipher = NULL;
        int code = kc_cipher_new_loaded(KC_XAES_256_GCM, key, &cipher);
        if (code != KC_OK) return code;
        kc_piece piece = {message, 12};
        const uint8_t *more = (const uint8_t *)associated[i];
        code = encrypt(cipher, nonce, more, strlen(associated[i]), &piece, 1, message + 12);
        if (code == KC_OK && memcmp(message, expected[i], sizeof message) != 0) code = KC_UNSUITABLE;
        if (code == KC_OK) code = decrypt(cipher, nonce, more, strlen(associated[i]), &piece, 1, message + 12);
        if (code == KC_OK && memcmp(message, "XAES-256-GCM", 12) != 0) code = KC_UNSUITABLE;
        kc_cipher_free(cipher);
        if (code != KC_OK) return code;
    }
    return KC_OK;
}
