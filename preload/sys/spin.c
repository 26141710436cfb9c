#include "preload/sys/spin.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void cup_spin_wait(uint32_t tries)
{
    enum { YIELDS = 100, FIRST_NS = 10000, DOUBLINGS = 7 }; /* 10 us, 20 us, ..., 1.28 ms */
    if (tries < YIELDS) {
        sched_yield();
        return;
    }
    uint32_t doublings = tries - YIELDS < DOUBLINGS ? tries - YIELDS : DOUBLINGS;
    int saved = errno;
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = FIRST_NS << doublings}, NULL);
    errno = saved;
}
