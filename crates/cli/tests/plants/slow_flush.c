/* Preloaded into a server: every fdatasync and fsync takes SLOW_FLUSH_US longer than the device needs. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void delay(void) {
    const char *text = getenv("SLOW_FLUSH_US");
    long us = text ? atol(text) : 0;
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    while (us > 0 && nanosleep(&time, &time) != 0) {}
}

static int flush(int fd, long number) {
    int result = (int)syscall(number, fd);
    delay();
    return result;
}

int fdatasync(int fd) { return flush(fd, SYS_fdatasync); }
int fsync(int fd) { return flush(fd, SYS_fsync); }
