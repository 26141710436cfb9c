#include "preload/stacks/stacks.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct cup_stack_walker cup_stack_walkers[CUP_STACK_WALKERS];

static bool is_any_inside(void)
{
    for (int i = 0; i < CUP_STACK_WALKERS; i++)
        if (__atomic_load_n(&cup_stack_walkers[i].inside, __ATOMIC_ACQUIRE))
            return true;
    return false;
}

void cup_stack_walkers_wait(void)
{
    const struct timespec pause = {0, 50 * 1000};
    for (int i = 0; i == 0 || (i < 2000 && is_any_inside()); i++)
        syscall(SYS_nanosleep, &pause, NULL);
}
