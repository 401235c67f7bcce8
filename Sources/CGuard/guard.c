// SPDX-License-Identifier: Apache-2.0
// The guarded copy. An unreadable mapped page raises SIGBUS in the thread that accesses it. The handler detects by a
// thread-local range that this thread is inside cg_guard_copy, and jumps back to it; the jump crosses only memcpy.
// Every other SIGBUS is forwarded to the previous handler.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// initial-exec: the handler may run in a thread that never copied, where a lazily allocated block would need malloc.
#define TLS static _Thread_local __attribute__((tls_model("initial-exec")))

TLS sigjmp_buf back;
TLS volatile uintptr_t low, high;   // whole pages of the source
TLS volatile sig_atomic_t armed;

static struct sigaction previous;   // written once, before our handler can run
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int install_error = EAGAIN;
static uintptr_t page_mask = 4095;

// Forwards the signal with the signal mask that the previous handler requested.
static void hand_on(int number, siginfo_t *info, void *context) {
    int is_plain = !(previous.sa_flags & SA_SIGINFO);
    if (is_plain && previous.sa_handler == SIG_IGN && info->si_code <= 0) return;  // sent by a process: ignored
    if (is_plain && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        sigaction(number, &standard, NULL);
        if (info->si_code <= 0) raise(number);
        return;  // the fault recurs on return and ends the process, as without this handler
    }
    sigset_t before, during = previous.sa_mask;
    if (!(previous.sa_flags & SA_NODEFER)) sigaddset(&during, number);
    pthread_sigmask(SIG_BLOCK, &during, &before);
    if (is_plain) {
        previous.sa_handler(number);
    } else {
        previous.sa_sigaction(number, info, context);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (armed && info->si_code > 0 && address >= low && address < high) {
        armed = 0;
        siglongjmp(back, 1);  // SA_NODEFER: the signal mask is unchanged and need not be restored
    }
    int saved = errno;
    hand_on(number, info, context);
    errno = saved;
}

static void install(void) {
    long size = sysconf(_SC_PAGESIZE);
    if (size > 0) page_mask = (uintptr_t)size - 1;
    if (sigaction(SIGBUS, NULL, &previous) != 0) {
        install_error = errno;
        return;
    }
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    install_error = sigaction(SIGBUS, &ours, NULL) == 0 ? 0 : errno;
}

int cg_guard_install(void) {
    pthread_once(&once, install);
    return install_error;
}

int cg_guard_is_active(void) {
    struct sigaction current;
    if (sigaction(SIGBUS, NULL, &current) != 0) return 0;
    return (current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_bus_error;
}

int cg_guard_copy(void *destination, const void *source, size_t count) {
    if (count == 0) return 0;
    // The kernel may report the start of an unreadable page, so the range is extended to whole pages.
    low = (uintptr_t)source & ~page_mask;
    high = ((uintptr_t)source + count + page_mask) & ~page_mask;
    if (sigsetjmp(back, 0)) return EIO;
    armed = 1;
    __asm__ volatile("" ::: "memory");
    memcpy(destination, source, count);
    __asm__ volatile("" ::: "memory");
    armed = 0;
    return 0;
}
