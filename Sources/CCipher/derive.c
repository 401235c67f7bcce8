// SPDX-License-Identifier: Apache-2.0
// Key derivation and message authentication codes.
#include "libcrypto.h"

#include <string.h>

static const size_t unmodified = (size_t)-1;

static OSSL_PARAM bytes_param(const char *name, const uint8_t *bytes, size_t count) {
    OSSL_PARAM param = {name, PARAM_BYTES, (void *)bytes, count, unmodified};
    return param;
}

static OSSL_PARAM text_param(const char *name, const char *text) {
    OSSL_PARAM param = {name, PARAM_TEXT, (void *)text, strlen(text), unmodified};
    return param;
}

static OSSL_PARAM number_param(const char *name, void *number, size_t size) {
    OSSL_PARAM param = {name, PARAM_UNSIGNED, number, size, unmodified};
    return param;
}

static int derive(EVP_KDF *kdf, uint8_t *out, size_t out_count, const OSSL_PARAM *params) {
    kc_functions *call = &kc_lib.call;
    EVP_KDF_CTX *context = call->EVP_KDF_CTX_new(kdf);
    if (context == NULL) return KC_FAILED;
    int is_done = call->EVP_KDF_derive(context, out, out_count, params) == 1;
    call->EVP_KDF_CTX_free(context);
    if (is_done) return KC_OK;
    kc_wipe(out, out_count);
    call->ERR_clear_error();
    return KC_FAILED;
}

int kc_hkdf(
    const uint8_t *key, size_t key_count, const uint8_t *salt, size_t salt_count, const uint8_t *info,
    size_t info_count, uint8_t *out, size_t out_count) {
    int code = kc_load();
    if (code != KC_OK) return code;
    if (key_count == 0 || out_count == 0 || out_count > 255 * KC_DIGEST_BYTES) return KC_ARGUMENT;
    OSSL_PARAM params[5];
    int used = 0;
    params[used++] = text_param("digest", "SHA256");
    params[used++] = bytes_param("key", key, key_count);
    // Some versions refuse empty values, and an absent value is the same.
    if (salt_count > 0) params[used++] = bytes_param("salt", salt, salt_count);
    if (info_count > 0) params[used++] = bytes_param("info", info, info_count);
    memset(&params[used], 0, sizeof params[used]);
    return derive(kc_lib.hkdf, out, out_count, params);
}

int kc_hmac(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count, uint8_t *out) {
    int code = kc_load();
    if (code != KC_OK) return code;
    if (key_count == 0) return KC_ARGUMENT;
    kc_functions *call = &kc_lib.call;
    EVP_MAC_CTX *context = call->EVP_MAC_CTX_new(kc_lib.hmac);
    if (context == NULL) return KC_FAILED;
    OSSL_PARAM params[2];
    params[0] = text_param("digest", "SHA256");
    memset(&params[1], 0, sizeof params[1]);
    size_t written = 0;
    int is_done = call->EVP_MAC_init(context, key, key_count, params) == 1
        && (count == 0 || call->EVP_MAC_update(context, bytes, count) == 1)
        && call->EVP_MAC_final(context, out, &written, KC_DIGEST_BYTES) == 1 && written == KC_DIGEST_BYTES;
    call->EVP_MAC_CTX_free(context);
    if (is_done) return KC_OK;
    call->ERR_clear_error();
    return KC_FAILED;
}

int kc_scrypt(
    const uint8_t *password, size_t password_count, const uint8_t *salt, size_t salt_count, uint64_t n, uint32_t r,
    uint32_t p, uint8_t *out, size_t out_count) {
    // Before the library is loaded, so that hostile numbers cost nothing.
    if (n < 2 || n > 1 << 20 || (n & (n - 1)) != 0 || r < 1 || r > 8 || p < 1 || p > 16 || out_count == 0)
        return KC_ARGUMENT;
    int code = kc_load();
    if (code != KC_OK) return code;
    uint64_t memory = 128 * n * r + 256 * (uint64_t)r * p + (1 << 20);
    static const uint8_t none[1] = {0};
    OSSL_PARAM params[7] = {
        bytes_param("pass", password_count > 0 ? password : none, password_count),
        bytes_param("salt", salt_count > 0 ? salt : none, salt_count),
        number_param("n", &n, sizeof n),
        number_param("r", &r, sizeof r),
        number_param("p", &p, sizeof p),
        number_param("maxmem_bytes", &memory, sizeof memory),
    };
    memset(&params[6], 0, sizeof params[6]);
    return derive(kc_lib.scrypt, out, out_count, params);
}
