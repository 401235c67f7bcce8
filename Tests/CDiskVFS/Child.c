// SPDX-License-Identifier: Apache-2.0
//
// Forks a child process, which Swift cannot do.

#include <sys/wait.h>
#include <unistd.h>

#include "CDiskVFS.h"

int32_t kymo_fork_and_run(int32_t (*body)(void *context), void *context) {
    pid_t child = fork();
    if (child == 0) {
        // Limits the life of a child to 120 seconds, so that a hanging child fails the test and does not block it.
        alarm(120);
        _exit(body(context));
    }
    return child;
}

int32_t kymo_wait_for_child(int32_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
