// SPDX-License-Identifier: Apache-2.0
// CGuard: copies from mapped memory that survive unreadable pages, and system calls that Swift cannot make.
//
// No function logs. The only state is the signal handler and the table of descriptors in fork.c. Functions that can
// fail return 0 or an errno value and do not set errno.
#ifndef CG_CGUARD_H
#define CG_CGUARD_H

#include <stddef.h>
#include <stdint.h>

// Installs the SIGBUS handler once per process (thread-safe, idempotent). A previous handler still receives every
// SIGBUS that does not come from a guarded copy. Returns 0 or an errno value.
int cg_guard_install(void);

// Returns 1 while the guard's handler is installed, 0 if it never was or another library replaced it. If 0, the caller
// must not use cg_guard_copy on a mapping, but read the file instead.
int cg_guard_is_active(void);

// Copies n bytes from mapped memory. Returns 0, or EIO if a page of the source is unreadable (file truncated, disk
// failing); the destination then holds an unspecified part of the copy. Thread-safe; must not be called from a signal
// handler.
int cg_guard_copy(void *destination, const void *source, size_t count);

// Open-file-description locks on the bytes start ..< start + count. Never waits. Returns 0, EAGAIN if another
// description holds a conflicting lock, or another errno value.
int cg_lock(int descriptor, int exclusive, int64_t start, int64_t count);
int cg_unlock(int descriptor, int64_t start, int64_t count);

// Finds the first lock on the range that conflicts with an exclusive lock. Returns 0 and sets *found to 1 with the
// range of that lock (*count 0: to the end of the file), or sets *found to 0.
int cg_lock_test(
    int descriptor, int64_t start, int64_t count, int *found, int64_t *found_start, int64_t *found_count);

// The location of the mark, once it exists, and the function that creates it. Only for cg_process_mark.
extern uint64_t *cg_mark_place;
uint64_t cg_new_process_mark(void);

// Returns a nonzero number that is constant in this process and differs in each process forked from it. Costs one load.
// A handle that stores the mark of its process can detect its use in a forked child.
static inline uint64_t cg_process_mark(void) {
    const uint64_t *place = __atomic_load_n(&cg_mark_place, __ATOMIC_ACQUIRE);
    uint64_t mark = place == NULL ? 0 : __atomic_load_n(place, __ATOMIC_RELAXED);
    return mark != 0 ? mark : cg_new_process_mark();
}

// Reserves a descriptor with locks for this process: in a child forked later its number refers to /dev/null, so that
// the child neither holds nor releases the parent's locks. Returns 0, or ENOMEM. Release the descriptor before closing
// it.
int cg_hold_in_process(int descriptor);
void cg_release_from_process(int descriptor);

// Forbids core dumps of this process, and debuggers of other programs of the user. Cannot fail visibly.
void cg_protect_memory(void);

// Shows a prompt on a terminal and reads a line without an echo into room bytes; the line feed does not count. Returns
// 0 and sets *count, 0 also if the terminal cannot be opened or the line is empty; EFBIG for a longer line; or another
// errno value. SIGINT, SIGTERM, SIGHUP and SIGQUIT end the process, even if it has handlers for them, and SIGTSTP stops
// it and shows the prompt again; the terminal's settings are restored before. For one thread at a time.
int cg_prompt(const char *path, const char *prompt, void *destination, size_t room, size_t *count);

// Returns the width of a terminal in columns, or 0 if the descriptor is not a terminal.
int cg_terminal_columns(int descriptor);

// Asks the system to start writing a range of a file to the disk. Advice only: it guarantees nothing and cannot fail.
void cg_begin_writing(int descriptor, int64_t start, int64_t count);

// Fills memory with random bytes of the kernel. Returns 0 or an errno value.
int cg_random(void *destination, size_t count);

// Asks the system to back start ..< start + count with large pages, if available. The advice includes pages of which at
// most 48 bytes lie outside, where the headers of an array and of its allocation are. Changes no byte and cannot fail.
void cg_prefer_large_pages(uintptr_t start, size_t count);

// Returns unused memory of the allocator to the system, if the C library can. Changes no byte and cannot fail.
void cg_release_memory(void);

// Returns the number of processors that this process may run on; 0 if the kernel does not report it.
int cg_processor_count(void);

// Returns the text of an errno value, a static string; never NULL.
const char *cg_error_text(int error);

// Creates a socket that listens under a name in a directory, with mode 0600; replaces a socket of that name. Paths may
// have any length. Returns 0 and sets *result to a descriptor, or an errno value.
int cg_socket_listen(const char *path, const char *name, int *result);

// Connects to the socket of a name in a directory. Returns 0 and sets *result to a descriptor, or an errno value.
int cg_socket_connect(const char *path, const char *name, int *result);

// Waits for a connection. Returns 0 and sets *result to a descriptor, EAGAIN after the time, or another errno value.
int cg_socket_accept(int listener, int milliseconds, int *result);

// Sends, or receives, exactly count bytes. Returns 0, EPIPE if the other side is gone, or another errno value.
int cg_socket_send(int number, const void *bytes, size_t count);
int cg_socket_receive(int number, void *bytes, size_t count);

// Runs a program without a shell, finds it on PATH, and reads its standard output into room bytes; arguments end with
// NULL. Returns 0 and sets *exit_code (-1 after a signal), ETIMEDOUT after the time, EFBIG if the output is longer, or
// another errno value. The program has ended in each case.
int cg_program_output(
    char *const arguments[], int milliseconds, void *destination, size_t room, size_t *count, int *exit_code);

// Ends running and later calls on a socket.
void cg_socket_shutdown(int number);

#endif
