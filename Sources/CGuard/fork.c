// SPDX-License-Identifier: Apache-2.0
// Processes and forks. A forked child has a copy of its parent's memory, and its descriptors share the parent's open
// file descriptions, including their locks. The mark distinguishes parent and child; the table of descriptors prevents
// a child from releasing the parent's locks.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

// In a page that the kernel clears in a forked child, even if the child was created without the C library's fork.
uint64_t *cg_mark_place;
static uint64_t fallback;
// Survives a fork, so that a child never gets its parent's mark.
static _Atomic uint64_t last;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int *held;
static int held_count, held_room;

static void before_fork(void) { pthread_mutex_lock(&guard); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&guard); }

static void after_fork_in_child(void) {
    __atomic_store_n(cg_mark_place, 0, __ATOMIC_SEQ_CST);
    // The descriptor numbers stay in use, so that closing one of them later does not close another file.
    int nothing = held_count > 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    for (int i = 0; i < held_count; i++)
        if (nothing >= 0) (void)dup3(nothing, held[i], O_CLOEXEC);
    if (nothing >= 0) (void)close(nothing);
    held_count = 0;
    pthread_mutex_unlock(&guard);
}

static void prepare(void) {
    long page = sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int is_cleared = memory != MAP_FAILED && madvise(memory, (size_t)page, MADV_WIPEONFORK) == 0;
    // Set before the handlers are registered, because they need it. It holds no mark until this function has returned.
    __atomic_store_n(&cg_mark_place, is_cleared ? memory : &fallback, __ATOMIC_RELEASE);
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

uint64_t cg_new_process_mark(void) {
    pthread_once(&once, prepare);
    uint64_t mark = __atomic_load_n(cg_mark_place, __ATOMIC_RELAXED);
    if (mark != 0) return mark;
    uint64_t fresh = atomic_fetch_add(&last, 1) + 1;
    int is_mine = __atomic_compare_exchange_n(cg_mark_place, &mark, fresh, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return is_mine ? fresh : mark;
}

int cg_hold_in_process(int descriptor) {
    (void)cg_process_mark();
    int error = 0;
    pthread_mutex_lock(&guard);
    if (held_count == held_room) {
        int room = held_room == 0 ? 64 : held_room * 2;
        int *grown = realloc(held, sizeof *grown * (size_t)room);
        if (grown == NULL) {
            error = ENOMEM;
        } else {
            held = grown;
            held_room = room;
        }
    }
    if (error == 0) held[held_count++] = descriptor;
    pthread_mutex_unlock(&guard);
    return error;
}

void cg_release_from_process(int descriptor) {
    pthread_mutex_lock(&guard);
    for (int i = 0; i < held_count; i++) {
        if (held[i] != descriptor) continue;
        held[i] = held[--held_count];
        break;
    }
    pthread_mutex_unlock(&guard);
}
