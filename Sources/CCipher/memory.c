// SPDX-License-Identifier: Apache-2.0
// Memory for secrets: pages that the system neither swaps, nor dumps, nor copies to a forked child, in cells of 64
// bytes. A process may lock few pages (ulimit -l), so secrets share them.
#define _GNU_SOURCE
#include "CCipher.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

enum { PAGE = 4096, CELL = 64, CELLS = PAGE / CELL };

typedef struct page {
    struct page *next;
    uint8_t *memory;
    // A bit for each cell. The first cell holds the stamp that a fork clears.
    uint64_t used;
} page;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static page *pages;
static int is_unlocked;

static void before_fork(void) { pthread_mutex_lock(&guard); }
static void after_fork(void) { pthread_mutex_unlock(&guard); }

// In the child: kernels before 4.14 have copied the secrets.
static void clear_in_child(void) {
    for (page *at = pages; at != NULL; at = at->next) kc_wipe(at->memory, PAGE);
    after_fork();
}

static void prepare(void) { (void)pthread_atfork(before_fork, after_fork, clear_in_child); }

static page *new_page(void) {
    page *fresh = malloc(sizeof *fresh);
    if (fresh == NULL) return NULL;
    void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        free(fresh);
        return NULL;
    }
    if (mlock(memory, PAGE) != 0) is_unlocked = 1;
    (void)madvise(memory, PAGE, MADV_DONTDUMP);
    (void)madvise(memory, PAGE, MADV_WIPEONFORK);
    fresh->memory = memory;
    fresh->memory[0] = 1;
    fresh->used = 1;
    fresh->next = pages;
    pages = fresh;
    return fresh;
}

static uint64_t cells_mask(size_t count) {
    size_t cells = (count + CELL - 1) / CELL;
    return cells >= 64 ? ~0ull : (1ull << cells) - 1;
}

uint8_t *kc_secret_new(size_t count) {
    if (count == 0 || count > KC_SECRET_MAXIMUM) return NULL;
    pthread_once(&once, prepare);
    uint64_t mask = cells_mask(count);
    int last = CELLS - (int)((count + CELL - 1) / CELL);
    uint8_t *result = NULL;
    pthread_mutex_lock(&guard);
    for (page *at = pages; at != NULL && result == NULL; at = at->next) {
        if (at->memory[0] == 0) continue;  // a page of the parent process
        for (int cell = 1; cell <= last && result == NULL; cell++) {
            if (at->used & mask << cell) continue;
            at->used |= mask << cell;
            result = at->memory + cell * CELL;
        }
    }
    if (result == NULL) {
        page *fresh = new_page();
        if (fresh != NULL) {
            fresh->used |= mask << 1;
            result = fresh->memory + CELL;
        }
    }
    pthread_mutex_unlock(&guard);
    return result;
}

void kc_secret_free(uint8_t *secret, size_t count) {
    if (secret == NULL) return;
    kc_wipe(secret, count);
    uint8_t *memory = (uint8_t *)((uintptr_t)secret & ~(uintptr_t)(PAGE - 1));
    pthread_mutex_lock(&guard);
    for (page **link = &pages; *link != NULL; link = &(*link)->next) {
        page *at = *link;
        if (at->memory != memory) continue;
        at->used &= ~(cells_mask(count) << (secret - memory) / CELL);
        if (at->used == 1) {
            *link = at->next;
            (void)munmap(memory, PAGE);
            free(at);
        }
        break;
    }
    pthread_mutex_unlock(&guard);
}

int kc_secrets_are_locked(void) {
    pthread_mutex_lock(&guard);
    int result = !is_unlocked;
    pthread_mutex_unlock(&guard);
    return result;
}

int kc_equal(const uint8_t *a, const uint8_t *b, size_t count) {
    uint8_t difference = 0;
    for (size_t i = 0; i < count; i++) {
        difference |= a[i] ^ b[i];
        // Keeps the compiler from ending the loop early.
        __asm__ volatile("" : "+r"(difference));
    }
    return difference == 0;
}

void kc_wipe(void *memory, size_t count) {
    if (count > 0) memset(memory, 0, count);
    __asm__ volatile("" : : "r"(memory) : "memory");
}
