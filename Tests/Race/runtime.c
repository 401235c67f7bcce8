// SPDX-License-Identifier: Apache-2.0
//
// Reports to ThreadSanitizer the order of events that Swift's runtime libraries establish. The libraries are built
// without the sanitizer. Tools/race-check builds this file as a library and loads it first (LD_PRELOAD). Each function
// replaces the runtime function of the same name, calls it, and reports the order to the sanitizer.
//
// Without this file nearly every contended lock would be reported as a race: the compiler inlines the fast path of
// Mutex into instrumented code, but the slow path is in the library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of the sanitizer. They are absent in a program built without it, such as a child process of a test.
extern void __tsan_acquire(void *at) __attribute__((weak));
extern void __tsan_release(void *at) __attribute__((weak));

static void acquire(void *at) {
    if (__tsan_acquire != NULL) __tsan_acquire(at);
}

static void release(void *at) {
    if (__tsan_release != NULL) __tsan_release(at);
}

/// Returns the replaced function of a name, and caches it in `known`.
static void *next(void **known, const char *name) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *mutex);
typedef SWIFT bool (*try_lock_function)(SELF void *mutex);
typedef SWIFT void (*unlock_function)(SELF void *mutex);

/// `Mutex.withLock` while another thread holds the lock.
SWIFT void race_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void race_lock(uint32_t thread, SELF void *mutex) {
    static void *known;
    ((lock_function)next(&known, LOCK_SLOW))(thread, mutex);
    acquire(mutex);
}

/// `Mutex.withLockIfAvailable` after the fast path has failed.
SWIFT bool race_try_lock(SELF void *mutex) __asm__(TRY_LOCK_SLOW);
SWIFT bool race_try_lock(SELF void *mutex) {
    static void *known;
    bool is_mine = ((try_lock_function)next(&known, TRY_LOCK_SLOW))(mutex);
    if (is_mine) acquire(mutex);
    return is_mine;
}

/// The end of `Mutex.withLock` while other threads wait.
SWIFT void race_unlock(SELF void *mutex) __asm__(UNLOCK_SLOW);
SWIFT void race_unlock(SELF void *mutex) {
    static void *known;
    release(mutex);
    ((unlock_function)next(&known, UNLOCK_SLOW))(mutex);
}

/// The initialiser of a global, and the once token that other threads wait for.
struct first_use {
    void (*body)(void *);
    void *context;
    void *place;
};

static void use_first(void *argument) {
    struct first_use *use = argument;
    use->body(use->context);
    release(use->place);
}

/// The first use of a global.
void swift_once(void *place, void (*body)(void *), void *context) {
    static void *known;
    struct first_use use = {body, context, place};
    ((void (*)(void *, void (*)(void *), void *))next(&known, "swift_once"))(place, use_first, &use);
    acquire(place);
}

// A thread with the only reference to an object may change it in place. This happens after all uses by other threads
// that have released their references.

void swift_release(void *object) {
    static void *known;
    if (object != NULL) release(object);
    ((void (*)(void *))next(&known, "swift_release"))(object);
}

bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
    static void *known;
    bool is_alone = ((bool (*)(const void *))next(&known, "swift_isUniquelyReferenced_nonNull_native"))(object);
    if (is_alone) acquire((void *)object);
    return is_alone;
}

bool swift_isUniquelyReferenced_native(const void *object) {
    static void *known;
    bool is_alone = ((bool (*)(const void *))next(&known, "swift_isUniquelyReferenced_native"))(object);
    if (is_alone) acquire((void *)object);
    return is_alone;
}
