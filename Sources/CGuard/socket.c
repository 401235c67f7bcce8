// SPDX-License-Identifier: Apache-2.0
// Sockets between processes of one machine, named by a file in a directory.
#define _GNU_SOURCE
#include "CGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// An address has room for 107 bytes. A name below a descriptor of the directory is short for every path.
static int address_of(struct sockaddr_un *address, int directory, const char *name) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", directory, name);
    return length < 0 || (size_t)length >= sizeof address->sun_path ? ENAMETOOLONG : 0;
}

// A peer that does not read must not block the caller for ever: sending fails after two seconds.
static int limit_sending(int number) {
    struct timeval limit = {.tv_sec = 2};
    return setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ? errno : 0;
}

static int open_socket(const char *path, const char *name, int listens, int *result) {
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    struct sockaddr_un address;
    int error = address_of(&address, directory, name);
    int number = error ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!error && number < 0) error = errno;
    if (!error && listens) {
        // A socket of a killed process stays as a file.
        unlinkat(directory, name, 0);
        if (bind(number, (struct sockaddr *)&address, sizeof address) != 0) error = errno;
        if (!error && fchmodat(directory, name, S_IRUSR | S_IWUSR, 0) != 0) error = errno;
        if (!error && listen(number, 4) != 0) error = errno;
    } else if (!error) {
        int failed;
        do failed = connect(number, (struct sockaddr *)&address, sizeof address);
        while (failed != 0 && errno == EINTR);
        if (failed != 0) error = errno;
        if (!error) error = limit_sending(number);
    }
    close(directory);
    if (error && number >= 0) close(number);
    if (!error) *result = number;
    return error;
}

int cg_socket_listen(const char *path, const char *name, int *result) { return open_socket(path, name, 1, result); }

int cg_socket_connect(const char *path, const char *name, int *result) { return open_socket(path, name, 0, result); }

int cg_socket_accept(int listener, int milliseconds, int *result) {
    struct pollfd one = {.fd = listener, .events = POLLIN};
    int count = poll(&one, 1, milliseconds);
    if (count < 0) return errno == EINTR ? EAGAIN : errno;
    if (count == 0) return EAGAIN;
    int number = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (number < 0) return errno;
    int error = limit_sending(number);
    if (error) {
        close(number);
        return error;
    }
    *result = number;
    return 0;
}

int cg_socket_send(int number, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t done = send(number, next, count, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        next += done;
        count -= (size_t)done;
    }
    return 0;
}

int cg_socket_receive(int number, void *bytes, size_t count) {
    char *next = bytes;
    while (count > 0) {
        ssize_t done = recv(number, next, count, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return EPIPE;
        next += done;
        count -= (size_t)done;
    }
    return 0;
}

void cg_socket_shutdown(int number) { shutdown(number, SHUT_RDWR); }
