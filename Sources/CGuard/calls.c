// SPDX-License-Identifier: Apache-2.0
// System calls that are variadic, or whose constants Swift does not import.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

static int lock_call(int descriptor, int command, struct flock *range) {
    int result;
    do {
        result = fcntl(descriptor, command, range);
    } while (result == -1 && errno == EINTR);
    if (result != -1) return 0;
    return errno == EACCES ? EAGAIN : errno;  // POSIX allows either for a held lock
}

static struct flock range_of(short type, int64_t start, int64_t count) {
    struct flock range;
    memset(&range, 0, sizeof range);  // l_pid must be zero for these locks
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = count;
    return range;
}

int cg_lock(int descriptor, int exclusive, int64_t start, int64_t count) {
    struct flock range = range_of(exclusive ? F_WRLCK : F_RDLCK, start, count);
    return lock_call(descriptor, F_OFD_SETLK, &range);
}

int cg_unlock(int descriptor, int64_t start, int64_t count) {
    struct flock range = range_of(F_UNLCK, start, count);
    return lock_call(descriptor, F_OFD_SETLK, &range);
}

int cg_lock_test(
    int descriptor, int64_t start, int64_t count, int *found, int64_t *found_start, int64_t *found_count) {
    struct flock range = range_of(F_WRLCK, start, count);
    int error = lock_call(descriptor, F_OFD_GETLK, &range);
    *found = error == 0 && range.l_type != F_UNLCK;
    *found_start = range.l_start;
    *found_count = range.l_len;
    return error;
}

void cg_protect_memory(void) {
    struct rlimit limit = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &limit);
    (void)prctl(PR_SET_DUMPABLE, 0);
}

int cg_terminal_columns(int descriptor) {
    struct winsize size;
    memset(&size, 0, sizeof size);
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

void cg_begin_writing(int descriptor, int64_t start, int64_t count) {
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(descriptor, start, count, SYNC_FILE_RANGE_WRITE);
#endif
}

int cg_random(void *destination, size_t count) {
    unsigned char *next = destination;
    while (count > 0) {
        ssize_t n = getrandom(next, count, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        next += n;
        count -= (size_t)n;
    }
    return 0;
}

void cg_release_memory(void) {
#ifdef __GLIBC__
    int saved = errno;
    (void)malloc_trim(0);
    errno = saved;
#endif
}

void cg_prefer_large_pages(uintptr_t start, size_t count) {
#ifdef MADV_HUGEPAGE
    long size = sysconf(_SC_PAGESIZE);
    if (size <= 0 || start > UINTPTR_MAX / 2 || count > UINTPTR_MAX / 4) return;
    // A page counts as inside if only the headers lie outside.
    uintptr_t page = (uintptr_t)size, headers = 48;
    uintptr_t low = start <= headers ? 0 : (start - headers + page - 1) / page * page;
    uintptr_t high = (start + count + headers) / page * page;
    int saved = errno;
    if (low < high) (void)madvise((void *)low, high - low, MADV_HUGEPAGE);
    errno = saved;
#else
    (void)start, (void)count;
#endif
}

int cg_processor_count(void) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;  // more than 1,024 processors
    return CPU_COUNT(&allowed);
}

const char *cg_error_text(int error) {
#ifdef __GLIBC__
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
#else
    return strerror(error);
#endif
}
