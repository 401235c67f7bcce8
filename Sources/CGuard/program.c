// SPDX-License-Identifier: Apache-2.0
// Runs a program and reads its output.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int spawn(char *const arguments[], int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0) error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Reads up to the end of the output.
static int read_all(int input, unsigned char *destination, size_t room, size_t *count, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - now_milliseconds();
        if (left <= 0) return ETIMEDOUT;
        struct pollfd wait = {.fd = input, .events = POLLIN};
        int ready = poll(&wait, 1, left > 1000 ? 1000 : (int)left);
        if (ready < 0 && errno != EINTR) return errno;
        if (ready <= 0) continue;
        // The last read finds the end, or one byte too many.
        unsigned char more;
        ssize_t n = *count < room ? read(input, destination + *count, room - *count) : read(input, &more, 1);
        if (n < 0 && errno != EINTR) return errno;
        if (n == 0) return 0;
        if (n > 0 && *count == room) return EFBIG;
        if (n > 0) *count += (size_t)n;
    }
}

static int wait_for(pid_t child, int *status, int64_t deadline) {
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child) return 0;
        if (ended < 0 && errno != EINTR) return errno;
        if (now_milliseconds() >= deadline) return ETIMEDOUT;
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
}

int cg_program_output(
    char *const arguments[], int milliseconds, void *destination, size_t room, size_t *count, int *exit_code) {
    *count = 0;
    *exit_code = -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    pid_t child = 0;
    int error = spawn(arguments, ends[1], &child);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return error;
    }
    int64_t deadline = now_milliseconds() + milliseconds;
    int status = 0;
    error = read_all(ends[0], destination, room, count, deadline);
    (void)close(ends[0]);
    if (error == 0) error = wait_for(child, &status, deadline);
    if (error != 0) {
        (void)kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        return error;
    }
    if (WIFEXITED(status)) *exit_code = WEXITSTATUS(status);
    return 0;
}
