#include <math.h>

#include "plot/tasks/task_plots.h"

const struct cup_bar_kind cup_shown_parts[CUP_SHOWN_COUNT] = {
    [CUP_SHOWN_CPU] = {"CPU", CUP_PAINT_GREEN},
    [CUP_SHOWN_IO] = {"I/O", CUP_PAINT_SKY},
    [CUP_SHOWN_GIL] = {"GIL", CUP_PAINT_RED},
    [CUP_SHOWN_NO_CORE] = {"no core", CUP_PAINT_YELLOW},
    [CUP_SHOWN_REST] = {"locks, other", CUP_PAINT_GREY},
};

void cup_shown_shares(const struct cup_profile *profile, const struct cup_task *task,
                      double shares[CUP_SHOWN_COUNT])
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    size_t index = (size_t)(task - profile->tasks);
    for (int i = 0; i < CUP_SHOWN_COUNT; i++)
        shares[i] = 0;
    if (!task->split || !profile->own_waits || wall_ns == CUP_UNKNOWN64 || wall_ns == 0 ||
        task->cpu_ns == CUP_UNKNOWN64)
        return;
    const uint64_t *waits = profile->own_waits[index].ns;
    double wall = (double)wall_ns, left = 1;
    const double parts[] = {(double)task->cpu_ns, (double)waits[CUP_WAITED_IO],
                            (double)waits[CUP_WAITED_GIL], (double)waits[CUP_WAITED_RUN_DELAY]};
    for (int i = CUP_SHOWN_CPU; i < CUP_SHOWN_REST; i++) {
        shares[i] = fmin(left, parts[i] / wall);
        left -= shares[i];
    }
    shares[CUP_SHOWN_REST] = left;
}
