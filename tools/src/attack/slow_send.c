/* Preloaded into a PostgreSQL server: every answer of a session takes SLOW_SEND_US longer, in a sleep that no wait event names. */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

ssize_t send(int fd, const void *bytes, size_t length, int flags) {
    static long us = -1;
    if (us < 0) {
        const char *text = getenv("SLOW_SEND_US");
        us = text ? atol(text) : 0;
        prctl(PR_SET_TIMERSLACK, 1000);
    }
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    while (us > 0 && nanosleep(&time, &time) != 0) {}
    return syscall(SYS_sendto, fd, bytes, length, flags, NULL, 0);
}
