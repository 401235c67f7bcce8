// SPDX-License-Identifier: Apache-2.0
//
// A forked child, which Swift cannot make.

#include <sys/wait.h>
#include <unistd.h>

#include "CDiskVFS.h"

int32_t kymo_fork_and_run(int32_t (*body)(void *context), void *context) {
    pid_t child = fork();
    if (child == 0) {
        // A child that waits for ever fails the test; it does not stop it.
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
