/* Preloaded into a program: every read at a place of a file below a folder "base" takes SLOW_READ_US longer, as long
   as the file SLOW_READ_WHILE is there. A database has its tables there. With SLOW_READ_PER_S all processes that have the
   library together do no more than that many reads per second, as a volume with a budget does: the file SLOW_READ_WHILE, of at
   least 8 bytes, holds the time at which the next one may begin. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Takes the next place in the line of all processes, and sleeps until it has come. */
static void wait_in_line(const char *file, long per_s) {
    static int64_t *next;
    if (!next) {
        int fd = open(file, O_RDWR | O_CLOEXEC);
        if (fd < 0) return;
        void *shared = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (shared == MAP_FAILED) return;
        next = shared;
    }
    int64_t old = __atomic_load_n(next, __ATOMIC_RELAXED), end;
    do {
        int64_t now = now_ns();
        end = (old > now ? old : now) + 1000000000LL / per_s;
    } while (!__atomic_compare_exchange_n(next, &old, end, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    struct timespec time = {end / 1000000000LL, end % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {}
}

static void delay(int fd) {
    static long us = -1, per_s;
    static const char *during;
    char link[64], path[4096];
    if (us < 0) {
        const char *text = getenv("SLOW_READ_US");
        const char *budget = getenv("SLOW_READ_PER_S");
        us = text ? atol(text) : 0;
        per_s = budget ? atol(budget) : 0;
        during = getenv("SLOW_READ_WHILE");
        /* A sleep ends when it is asked to, not 50 us later. */
        prctl(PR_SET_TIMERSLACK, 1000);
    }
    if ((us == 0 && per_s == 0) || !during || access(during, F_OK) != 0) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    if (!strstr(path, "/base/")) return;
    if (per_s > 0) wait_in_line(during, per_s);
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    while (nanosleep(&time, &time) != 0) {}
}

static ssize_t read_at(int fd, void *to, size_t bytes, off_t at) {
    ssize_t result = syscall(SYS_pread64, fd, to, bytes, at);
    delay(fd);
    return result;
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) { return read_at(fd, to, bytes, at); }
ssize_t pread64(int fd, void *to, size_t bytes, off_t at) { return read_at(fd, to, bytes, at); }
