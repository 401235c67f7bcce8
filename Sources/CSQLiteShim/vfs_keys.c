// SPDX-License-Identifier: Apache-2.0
//
// The keys of encrypted databases. A key never stands in an address or in a pragma: the address names a number of this
// table, and a file that is opened takes a reference to the keys.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "vfs_cipher.h"

enum { GENERATIONS = 256 };

struct page_keys {
    struct page_keys *next;
    int64_t number;
    /// The table's reference, and one for each open file.
    int references;
    uint8_t store[16];
    /// The generation that encrypts; 0 without keys.
    int newest;
    uint8_t *keys[GENERATIONS];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct page_keys *all;
static int64_t last;

static void lock(void) { pthread_mutex_lock(&guard); }
static void unlock(void) { pthread_mutex_unlock(&guard); }
static void prepare(void) { (void)pthread_atfork(lock, unlock, unlock); }

static struct page_keys *named(int64_t number) {
    for (struct page_keys *at = all; at != NULL; at = at->next)
        if (at->number == number) return at;
    return NULL;
}

/// Drops a reference; requires the lock. Returns the keys if it was the last one, for `release`, otherwise null.
static struct page_keys *drop(struct page_keys *keys) { return --keys->references > 0 ? NULL : keys; }

/// Wipes and frees keys; null is allowed. Ordering: without the lock. The memory of secrets has a lock of its own, and
/// a fork takes both.
static void release(struct page_keys *keys) {
    if (keys == NULL) return;
    for (int i = 0; i < GENERATIONS; i++) kc_secret_free(keys->keys[i], KC_KEY_BYTES);
    free(keys);
}

int64_t csq_keys_new(const uint8_t *store) {
    pthread_once(&once, prepare);
    struct page_keys *made = calloc(1, sizeof *made);
    if (made == NULL) return 0;
    memcpy(made->store, store, sizeof made->store);
    made->references = 1;
    lock();
    made->number = ++last;
    made->next = all;
    all = made;
    unlock();
    return made->number;
}

int csq_keys_add(int64_t number, uint8_t generation, const uint8_t *key) {
    uint8_t *copy = kc_secret_new(KC_KEY_BYTES);
    if (copy == NULL) return KC_FAILED;
    memcpy(copy, key, KC_KEY_BYTES);
    lock();
    struct page_keys *keys = named(number);
    int is_new = keys != NULL && generation > 0 && keys->keys[generation] == NULL;
    if (is_new) {
        keys->keys[generation] = copy;
        if (generation > keys->newest) keys->newest = generation;
    }
    unlock();
    if (!is_new) kc_secret_free(copy, KC_KEY_BYTES);
    return keys != NULL && generation > 0 ? KC_OK : KC_ARGUMENT;
}

void csq_keys_free(int64_t number) {
    struct page_keys *last_use = NULL;
    lock();
    for (struct page_keys **link = &all; *link != NULL; link = &(*link)->next) {
        struct page_keys *keys = *link;
        if (keys->number != number) continue;
        *link = keys->next;
        last_use = drop(keys);
        break;
    }
    unlock();
    release(last_use);
}

// --- The ciphers of one file ---

struct page_cipher {
    struct page_keys *keys;
    /// Prepared at the first page of the generation.
    kc_cipher *ciphers[GENERATIONS];
    /// The first half of each nonce. It differs from that of any other opened file of this machine, even if the
    /// system's random numbers repeat.
    uint8_t session[12];
    int has_session;
    uint64_t count;
};

int csq_cipher_open(int64_t number, struct page_cipher **opened) {
    *opened = NULL;
    if (number == 0) return SQLITE_OK;
    struct page_cipher *made = calloc(1, sizeof *made);
    if (made == NULL) return SQLITE_NOMEM;
    lock();
    made->keys = named(number);
    if (made->keys != NULL) made->keys->references++;
    unlock();
    if (made->keys == NULL) {
        free(made);
        return SQLITE_CANTOPEN;
    }
    *opened = made;
    return SQLITE_OK;
}

void csq_cipher_close(struct page_cipher *cipher) {
    if (cipher == NULL) return;
    for (int i = 0; i < GENERATIONS; i++) kc_cipher_free(cipher->ciphers[i]);
    lock();
    struct page_keys *last_use = drop(cipher->keys);
    unlock();
    release(last_use);
    free(cipher);
}

const uint8_t *csq_cipher_store(const struct page_cipher *cipher) { return cipher->keys->store; }

int csq_cipher_newest(const struct page_cipher *cipher) {
    lock();
    int newest = cipher->keys->newest;
    unlock();
    return newest;
}

kc_cipher *csq_cipher_of(struct page_cipher *cipher, uint8_t generation) {
    if (cipher->ciphers[generation] != NULL) return cipher->ciphers[generation];
    lock();
    // Keys are added, never replaced, and the reference keeps them.
    const uint8_t *key = cipher->keys->keys[generation];
    unlock();
    if (key == NULL || !kc_secret_is_here(key)) return NULL;
    (void)kc_cipher_new(KC_XAES_256_GCM, key, &cipher->ciphers[generation]);
    return cipher->ciphers[generation];
}

/// Sets the first half of the nonces.
static int begin_session(struct page_cipher *cipher) {
    static uint64_t sessions;
    struct {
        uint8_t random[32];
        struct timespec wall, steady;
        uint64_t process, session, address;
    } seed;
    memset(&seed, 0, sizeof seed);
    if (getrandom(seed.random, sizeof seed.random, 0) != (ssize_t)sizeof seed.random) return KC_FAILED;
    clock_gettime(CLOCK_REALTIME, &seed.wall);
    clock_gettime(CLOCK_MONOTONIC, &seed.steady);
    lock();
    const uint8_t *key = cipher->keys->keys[cipher->keys->newest];
    seed.session = ++sessions;
    unlock();
    seed.process = (uint64_t)getpid();
    seed.address = (uint64_t)(uintptr_t)cipher;
    uint8_t digest[KC_DIGEST_BYTES];
    if (key == NULL || !kc_secret_is_here(key)) return KC_FORKED;
    int code = kc_hmac(key, KC_KEY_BYTES, (const uint8_t *)&seed, sizeof seed, digest);
    if (code != KC_OK) return code;
    memcpy(cipher->session, digest, sizeof cipher->session);
    cipher->has_session = 1;
    return KC_OK;
}

int csq_cipher_nonce(struct page_cipher *cipher, uint8_t *nonce, uint8_t *pad) {
    uint8_t fresh[20];
    if (!cipher->has_session) {
        int code = begin_session(cipher);
        if (code != KC_OK) return code;
    }
    if (getrandom(fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) return KC_FAILED;
    uint64_t count = ++cipher->count;
    for (int i = 0; i < 8; i++) fresh[i] ^= (uint8_t)(count >> (8 * i));
    memcpy(nonce, cipher->session, 12);
    memcpy(nonce + 12, fresh, 12);
    memcpy(pad, fresh + 12, 8);
    return KC_OK;
}
