// SPDX-License-Identifier: Apache-2.0
// The functions of libcrypto 3 that this room calls, as pointers, with OpenSSL's documented signatures.
#ifndef KC_LIBCRYPTO_H
#define KC_LIBCRYPTO_H

#include "CCipher.h"

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_kdf_st EVP_KDF;
typedef struct evp_kdf_ctx_st EVP_KDF_CTX;
typedef struct evp_mac_st EVP_MAC;
typedef struct evp_mac_ctx_st EVP_MAC_CTX;
typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;

// OpenSSL documents this layout as public: OSSL_PARAM(3).
typedef struct {
    const char *key;
    unsigned int type;
    void *data;
    size_t count;
    size_t return_size;
} OSSL_PARAM;

enum { PARAM_UNSIGNED = 2, PARAM_TEXT = 4, PARAM_BYTES = 5 };

typedef struct {
    int (*OPENSSL_init_crypto)(uint64_t options, const void *settings);
    OSSL_LIB_CTX *(*OSSL_LIB_CTX_new)(void);
    void (*ERR_clear_error)(void);
    EVP_CIPHER *(*EVP_CIPHER_fetch)(OSSL_LIB_CTX *, const char *name, const char *properties);
    EVP_CIPHER_CTX *(*EVP_CIPHER_CTX_new)(void);
    void (*EVP_CIPHER_CTX_free)(EVP_CIPHER_CTX *);
    int (*EVP_CIPHER_CTX_get_params)(EVP_CIPHER_CTX *, OSSL_PARAM *);
    int (*EVP_CIPHER_CTX_set_params)(EVP_CIPHER_CTX *, const OSSL_PARAM *);
    int (*EVP_CIPHER_CTX_set_padding)(EVP_CIPHER_CTX *, int padding);
    int (*EVP_EncryptInit_ex)(
        EVP_CIPHER_CTX *, const EVP_CIPHER *, void *engine, const uint8_t *key, const uint8_t *nonce);
    int (*EVP_EncryptUpdate)(EVP_CIPHER_CTX *, uint8_t *out, int *out_count, const uint8_t *bytes, int count);
    int (*EVP_EncryptFinal_ex)(EVP_CIPHER_CTX *, uint8_t *out, int *out_count);
    int (*EVP_DecryptInit_ex)(
        EVP_CIPHER_CTX *, const EVP_CIPHER *, void *engine, const uint8_t *key, const uint8_t *nonce);
    int (*EVP_DecryptUpdate)(EVP_CIPHER_CTX *, uint8_t *out, int *out_count, const uint8_t *bytes, int count);
    int (*EVP_DecryptFinal_ex)(EVP_CIPHER_CTX *, uint8_t *out, int *out_count);
    EVP_KDF *(*EVP_KDF_fetch)(OSSL_LIB_CTX *, const char *name, const char *properties);
    EVP_KDF_CTX *(*EVP_KDF_CTX_new)(EVP_KDF *);
    void (*EVP_KDF_CTX_free)(EVP_KDF_CTX *);
    int (*EVP_KDF_derive)(EVP_KDF_CTX *, uint8_t *out, size_t count, const OSSL_PARAM *);
    EVP_MAC *(*EVP_MAC_fetch)(OSSL_LIB_CTX *, const char *name, const char *properties);
    EVP_MAC_CTX *(*EVP_MAC_CTX_new)(EVP_MAC *);
    void (*EVP_MAC_CTX_free)(EVP_MAC_CTX *);
    int (*EVP_MAC_init)(EVP_MAC_CTX *, const uint8_t *key, size_t count, const OSSL_PARAM *);
    int (*EVP_MAC_update)(EVP_MAC_CTX *, const uint8_t *bytes, size_t count);
    int (*EVP_MAC_final)(EVP_MAC_CTX *, uint8_t *out, size_t *out_count, size_t room);
} kc_functions;

// Everything that loading yields. The algorithms are fetched once; fetching costs more than a message.
typedef struct {
    kc_functions call;
    EVP_CIPHER *gcm;
    EVP_CIPHER *ecb;
    EVP_KDF *hkdf;
    EVP_KDF *scrypt;
    EVP_MAC *hmac;
} kc_library;

// Valid after kc_load has returned KC_OK.
extern kc_library kc_lib;

// Runs the ciphers on known inputs while the library is loaded.
int kc_check_answers(void);

// Prepares a cipher without loading the library.
int kc_cipher_new_loaded(kc_algorithm algorithm, const uint8_t *key, kc_cipher **result);

#endif
