// SPDX-License-Identifier: Apache-2.0
// Loads libcrypto and fetches its algorithms.
#define _GNU_SOURCE
#include "libcrypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

kc_library kc_lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int outcome = KC_ABSENT;
static char detail[256] = "libcrypto.so.3";

// No handler at exit: threads may still use ciphers while the process ends.
enum { INIT_NO_ATEXIT = 0x00080000 };

static int fail(int code, const char *what, const char *why) {
    snprintf(detail, sizeof detail, "%s%s%s", what, why ? ": " : "", why ? why : "");
    return code;
}

#define FIND(name)                                                                  \
    do {                                                                            \
        void *found = dlsym(library, #name);                                        \
        if (found == NULL) return fail(KC_UNSUITABLE, "libcrypto.so.3 lacks", #name); \
        memcpy(&kc_lib.call.name, &found, sizeof found);                            \
    } while (0)

static int find_functions(void *library) {
    FIND(OPENSSL_init_crypto);
    FIND(OSSL_LIB_CTX_new);
    FIND(ERR_clear_error);
    FIND(EVP_CIPHER_fetch);
    FIND(EVP_CIPHER_CTX_new);
    FIND(EVP_CIPHER_CTX_free);
    FIND(EVP_CIPHER_CTX_get_params);
    FIND(EVP_CIPHER_CTX_set_params);
    FIND(EVP_CIPHER_CTX_set_padding);
    FIND(EVP_EncryptInit_ex);
    FIND(EVP_EncryptUpdate);
    FIND(EVP_EncryptFinal_ex);
    FIND(EVP_DecryptInit_ex);
    FIND(EVP_DecryptUpdate);
    FIND(EVP_DecryptFinal_ex);
    FIND(EVP_KDF_fetch);
    FIND(EVP_KDF_CTX_new);
    FIND(EVP_KDF_CTX_free);
    FIND(EVP_KDF_derive);
    FIND(EVP_MAC_fetch);
    FIND(EVP_MAC_CTX_new);
    FIND(EVP_MAC_CTX_free);
    FIND(EVP_MAC_init);
    FIND(EVP_MAC_update);
    FIND(EVP_MAC_final);
    return KC_OK;
}

static int fetch_algorithms(void) {
    kc_functions *call = &kc_lib.call;
    (void)call->OPENSSL_init_crypto(INIT_NO_ATEXIT, NULL);
    // A context of our own: neither openssl.cnf nor the settings of the program change the algorithms.
    OSSL_LIB_CTX *own = call->OSSL_LIB_CTX_new();
    if (own == NULL) return fail(KC_UNSUITABLE, "libcrypto.so.3 has no memory for a context", NULL);
    kc_lib.gcm = call->EVP_CIPHER_fetch(own, "AES-256-GCM", NULL);
    kc_lib.ecb = call->EVP_CIPHER_fetch(own, "AES-256-ECB", NULL);
    kc_lib.hkdf = call->EVP_KDF_fetch(own, "HKDF", NULL);
    kc_lib.scrypt = call->EVP_KDF_fetch(own, "SCRYPT", NULL);
    kc_lib.hmac = call->EVP_MAC_fetch(own, "HMAC", NULL);
    call->ERR_clear_error();
    if (!kc_lib.gcm || !kc_lib.ecb || !kc_lib.hkdf || !kc_lib.scrypt || !kc_lib.hmac)
        return fail(KC_UNSUITABLE, "libcrypto.so.3 lacks AES-256-GCM, AES-256-ECB, HKDF, SCRYPT or HMAC", NULL);
    return KC_OK;
}

static void load(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        outcome = fail(KC_ABSENT, "libcrypto.so.3", dlerror());
        return;
    }
    outcome = find_functions(library);
    if (outcome == KC_OK) outcome = fetch_algorithms();
    if (outcome == KC_OK && kc_check_answers() != KC_OK)
        outcome = fail(KC_UNSUITABLE, "libcrypto.so.3 gives wrong answers to known inputs", NULL);
}

int kc_load(void) {
    pthread_once(&once, load);
    return outcome;
}

const char *kc_load_detail(void) {
    (void)kc_load();
    return detail;
}
