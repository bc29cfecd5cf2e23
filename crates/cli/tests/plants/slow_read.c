/* Preloaded into a program: every read at a place of a file below a folder "base" takes SLOW_READ_US longer, as long
   as the file SLOW_READ_WHILE is there. A database has its tables there. With SLOW_READ_PER_S all processes that have the
   library together do no more than that many reads per second, as a volume with a budget does: the file SLOW_READ_WHILE, of at
   least 8 bytes, holds the time at which the next one may begin. A file SLOW_READ_COUNT of 16 bytes counts the sleeps of all processes,
   and the ns that they took without the wait for a processor afterwards, as 64-bit numbers of the machine. */
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

/* Maps the first bytes of a file once per process. */
static int64_t *shared(const char *file, size_t bytes) {
    int fd = open(file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* Takes the next place in the line of all processes, and sleeps until it has come. */
static void wait_in_line(const char *file, long per_s) {
    static int64_t *next;
    if (!next) next = shared(file, sizeof *next);
    if (!next) return;
    int64_t old = __atomic_load_n(next, __ATOMIC_RELAXED), end;
    do {
        int64_t now = now_ns();
        end = (old > now ? old : now) + 1000000000LL / per_s;
    } while (!__atomic_compare_exchange_n(next, &old, end, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    struct timespec time = {end / 1000000000LL, end % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {}
}

/* For how long this thread has waited for a processor, ns. */
static int64_t queued_ns(void) {
    static int fd = -1;
    static pid_t of;
    char text[128];
    if (of != getpid()) {
        of = getpid();
        fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    }
    /* Not `pread`, which is the one below. */
    ssize_t length = fd < 0 ? -1 : syscall(SYS_pread64, fd, text, sizeof text - 1, 0);
    if (length <= 0) return 0;
    text[length] = 0;
    const char *second = strchr(text, ' ');
    return second ? atoll(second + 1) : 0;
}

static void sleep_counted(struct timespec time) {
    static int64_t *count;
    static int known;
    if (!known) {
        const char *file = getenv("SLOW_READ_COUNT");
        count = file ? shared(file, 2 * sizeof *count) : NULL;
        known = 1;
    }
    int64_t queued = count ? queued_ns() : 0, from = count ? now_ns() : 0;
    while (nanosleep(&time, &time) != 0) {}
    if (!count) return;
    int64_t took = now_ns() - from;
    __atomic_fetch_add(&count[0], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count[1], took - (queued_ns() - queued), __ATOMIC_RELAXED);
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
    sleep_counted(time);
}

static ssize_t read_at(int fd, void *to, size_t bytes, off_t at) {
    ssize_t result = syscall(SYS_pread64, fd, to, bytes, at);
    delay(fd);
    return result;
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) { return read_at(fd, to, bytes, at); }
ssize_t pread64(int fd, void *to, size_t bytes, off_t at) { return read_at(fd, to, bytes, at); }
