// SPDX-License-Identifier: Apache-2.0
// Pseudo-terminals, in which a test types.
#define _GNU_SOURCE
#include "CDiskVFS.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int32_t kymo_terminal_open(char *path, int32_t room, int32_t *side) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -1;
    if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, path, (size_t)room) != 0
        || (*side = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
        close(master);
        return -1;
    }
    return master;
}

int32_t kymo_terminal_echoes(int32_t terminal) {
    struct termios settings;
    if (tcgetattr(terminal, &settings) != 0) return -1;
    return (settings.c_lflag & ECHO) != 0;
}

int32_t kymo_terminal_read(int32_t terminal, uint8_t *bytes, int32_t room) {
    struct pollfd wait = {.fd = terminal, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, 20) <= 0) return 0;
    ssize_t count = read(terminal, bytes, (size_t)room);
    return count < 0 ? 0 : (int32_t)count;
}

int32_t kymo_terminal_type(int32_t terminal, const uint8_t *bytes, int32_t count) {
    return (int32_t)write(terminal, bytes, (size_t)count);
}

void kymo_terminal_close(int32_t terminal, int32_t side) {
    close(terminal);
    close(side);
}
