// SPDX-License-Identifier: Apache-2.0
// CGuard: copies from mapped memory that survive a vanished page, and the system calls Swift cannot spell.
//
// Nothing here logs, or keeps state beyond the signal handler and the table of descriptors of fork.c. Functions that
// can fail return 0 or an errno value; none of them sets errno.
#ifndef CG_CGUARD_H
#define CG_CGUARD_H

#include <stddef.h>
#include <stdint.h>

// Installs the SIGBUS handler once per process (thread-safe, idempotent). A previous handler is remembered and gets
// every SIGBUS that is not ours. Returns 0 or an errno value.
int cg_guard_install(void);

// 1 while our handler is the one the kernel calls, 0 if it was never installed or another library replaced it. A
// caller that gets 0 must not use cg_guard_copy on a mapping, but read the file instead.
int cg_guard_is_active(void);

// Copies n bytes from mapped memory. Returns 0, or EIO if a page of the source cannot be read (file truncated, disk
// failing); the destination then holds an unspecified part of the copy. Thread-safe; not to be called from a signal
// handler.
int cg_guard_copy(void *destination, const void *source, size_t count);

// Open-file-description locks on the bytes start ..< start + count. Never waits. Returns 0, EAGAIN if another
// description holds a conflicting lock, or another errno value.
int cg_lock(int descriptor, int exclusive, int64_t start, int64_t count);
int cg_unlock(int descriptor, int64_t start, int64_t count);

// Looks for the first lock on the range that would conflict with an exclusive one. Returns 0 and sets *found to 1
// with the range of that lock (*count 0: to the end of the file), or *found to 0.
int cg_lock_test(
    int descriptor, int64_t start, int64_t count, int *found, int64_t *found_start, int64_t *found_count);

// Where the mark is once there is one, and the function that makes it. For cg_process_mark alone.
extern uint64_t *cg_mark_place;
uint64_t cg_new_process_mark(void);

// A number that is not 0, stays the same in this process, and differs in each process that is forked from it. Costs a
// load. A handle that keeps the mark of the process that made it knows whether it is used in a forked child.
static inline uint64_t cg_process_mark(void) {
    const uint64_t *place = __atomic_load_n(&cg_mark_place, __ATOMIC_ACQUIRE);
    uint64_t mark = place == NULL ? 0 : __atomic_load_n(place, __ATOMIC_RELAXED);
    return mark != 0 ? mark : cg_new_process_mark();
}

// Keeps a descriptor with locks for this process alone: in a child that is forked later the number stands for
// /dev/null, so that the child neither holds nor releases the parent's locks. Returns 0, or ENOMEM. Release the
// descriptor before it is closed.
int cg_hold_in_process(int descriptor);
void cg_release_from_process(int descriptor);

// The width of a terminal in columns, or 0 if the descriptor is none.
int cg_terminal_columns(int descriptor);

// 1 if the file system holding the descriptor is known to be on another machine (NFS, SMB, 9p, Ceph, AFS ...), 0 if
// it is not known to be. Returns -1 and sets nothing if the kernel does not say.
int cg_is_network_file_system(int descriptor);

// Asks the system to begin with writing a range of a file to the disk; it promises nothing and cannot fail.
void cg_begin_writing(int descriptor, int64_t start, int64_t count);

// Fills memory with random bytes of the kernel. Returns 0 or an errno value.
int cg_random(void *destination, size_t count);

// Asks the system to back start ..< start + count with large pages, where it has some. Concerns the pages of which at
// most 48 bytes lie outside: there stand the headers of an array and of its allocation. Changes no byte and cannot
// fail: a system without large pages goes on with small ones.
void cg_prefer_large_pages(uintptr_t start, size_t count);

// How many processors this process may run on; 0 if the kernel does not say.
int cg_processor_count(void);

// The text of an errno value, a static string; never NULL.
const char *cg_error_text(int error);

#endif
