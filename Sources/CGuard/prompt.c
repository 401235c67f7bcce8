// SPDX-License-Identifier: Apache-2.0
// A line from a terminal without an echo. Signals that end or stop the process take effect after the terminal's
// settings are restored.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// The signal that arrived during the prompt; 0 without one. A signal that ends the process replaces SIGTSTP.
static int caught;

static void note(int number) {
    int before = __atomic_load_n(&caught, __ATOMIC_SEQ_CST);
    if (before == 0 || before == SIGTSTP) __atomic_store_n(&caught, number, __ATOMIC_SEQ_CST);
}

static int is_caught(void) { return __atomic_load_n(&caught, __ATOMIC_SEQ_CST); }

// The handlers and the mask from before a prompt.
struct former {
    struct sigaction actions[NUMBERS];
    sigset_t mask;
};

// Catches the signals. A signal that the process ignores stays ignored, as under nohup.
static void catch_signals(struct former *former) {
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = note;
    sigset_t all;
    sigemptyset(&all);
    __atomic_store_n(&caught, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < NUMBERS; i++) {
        sigaction(numbers[i], NULL, &former->actions[i]);
        if (former->actions[i].sa_handler == SIG_IGN) continue;
        sigaction(numbers[i], &ours, NULL);
        sigaddset(&all, numbers[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &all, &former->mask);
}

static void release_signals(const struct former *former) {
    pthread_sigmask(SIG_SETMASK, &former->mask, NULL);
    for (int i = 0; i < NUMBERS; i++) sigaction(numbers[i], &former->actions[i], NULL);
}

// Sends the process a signal with its default effect. Returns only after SIGTSTP, when the process continues.
static void deliver(int number) {
    struct sigaction standard, former;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigset_t one, mask;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigaction(number, &standard, &former);
    pthread_sigmask(SIG_UNBLOCK, &one, &mask);
    raise(number);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(number, &former, NULL);
}

static int set(int terminal, const struct termios *settings) {
    while (tcsetattr(terminal, TCSAFLUSH, settings) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

// Reads a line. Returns early if a signal is caught, which another thread may have received.
static int read_line(int terminal, unsigned char *bytes, size_t room, size_t *count) {
    while (is_caught() == 0) {
        struct pollfd wait = {.fd = terminal, .events = POLLIN, .revents = 0};
        int found = poll(&wait, 1, 100);
        if (found < 0 && errno != EINTR) return errno;
        if (found <= 0) continue;
        unsigned char byte = 0;
        ssize_t got = read(terminal, &byte, 1);
        if (got < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (got < 0) continue;
        if (got == 0 || byte == '\n') return 0;
        if (*count == room) return EFBIG;
        bytes[(*count)++] = byte;
    }
    return 0;
}

// Shows the prompt once. Sets *number to the signal that ended the prompt, or 0.
static int ask(int terminal, const char *prompt, unsigned char *bytes, size_t room, size_t *count, int *number) {
    struct termios before;
    *number = 0;
    if (tcgetattr(terminal, &before) != 0) return errno;
    struct termios silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    silent.c_lflag |= ECHONL | ICANON | ISIG;
    struct former former;
    catch_signals(&former);
    // The prompt comes after the flush, so that an answer to the prompt is never discarded.
    int error = set(terminal, &silent);
    if (error == 0) {
        (void)!write(terminal, prompt, strlen(prompt));
        error = read_line(terminal, bytes, room, count);
    }
    (void)set(terminal, &before);
    *number = is_caught();
    if (*number != 0) (void)!write(terminal, "\n", 1);
    release_signals(&former);
    return error;
}

int cg_prompt(const char *path, const char *prompt, void *destination, size_t room, size_t *count) {
    *count = 0;
    int terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return 0;
    int error, number;
    do {
        error = ask(terminal, prompt, destination, room, count, &number);
        if (number != 0 || error != 0) {
            explicit_bzero(destination, room);
            *count = 0;
        }
        if (number != 0) deliver(number);
    } while (number != 0);
    close(terminal);
    return error;
}
