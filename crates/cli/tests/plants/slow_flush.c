/* Preloaded into a program: every fdatasync and fsync takes SLOW_FLUSH_US longer than the device needs; with
   SLOW_FLUSH_UNDER only those of files below that folder, with SLOW_FLUSH_WHILE only as long as that file is there. With SLOW_FLUSH_SAYS it says so on standard error before it waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void delay(void) {
    const char *text = getenv("SLOW_FLUSH_US");
    long us = text ? atol(text) : 0;
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    const char said[] = "a flush takes its time\n";
    if (getenv("SLOW_FLUSH_SAYS") && write(2, said, sizeof said - 1) < 0) return;
    while (us > 0 && nanosleep(&time, &time) != 0) {}
}

static int meant(int fd) {
    const char *under = getenv("SLOW_FLUSH_UNDER");
    const char *during = getenv("SLOW_FLUSH_WHILE");
    char link[64], path[4096];
    if (during && access(during, F_OK) != 0) return 0;
    if (!under) return 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 0 && strncmp(path, under, strlen(under)) == 0;
}

static int flush(int fd, long number) {
    int result = (int)syscall(number, fd);
    if (meant(fd)) delay();
    return result;
}

int fdatasync(int fd) { return flush(fd, SYS_fdatasync); }
int fsync(int fd) { return flush(fd, SYS_fsync); }
