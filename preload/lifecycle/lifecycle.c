#include "preload/lifecycle/lifecycle.h"

/* Calls EVENT of every row that has it, from the first row to the last. */
#define WALK(event, ...)                                                                           \
    for (const struct cup_lifecycle_row *row = cup_lifecycle_rows; row->file; row++)               \
        if (row->event)                                                                            \
    row->event(__VA_ARGS__)

void cup_lifecycle_reset(void)
{
    WALK(reset);
}

void cup_lifecycle_log_opened(enum cup_log_size size)
{
    WALK(log_opened, size);
}

void cup_lifecycle_process_forks(void)
{
    WALK(process_forks);
}

void cup_lifecycle_child_begins(void)
{
    for (const struct cup_lifecycle_row *row = cup_lifecycle_rows; row->file; row++) {
        if (row->reset)
            row->reset();
        if (row->child_begins)
            row->child_begins();
    }
}

void cup_lifecycle_task_begins(uint32_t task, uint64_t cpu_ns)
{
    WALK(task_begins, task, cpu_ns);
}

void cup_lifecycle_task_goes_on(void)
{
    WALK(task_goes_on);
}

void cup_lifecycle_task_ends(uint32_t task, uint64_t cpu_ns)
{
    WALK(task_ends, task, cpu_ns);
}

void cup_lifecycle_task_ended(uint32_t task)
{
    WALK(task_ended, task);
}

void cup_lifecycle_thread_works(uint32_t task, uint64_t cpu_ns)
{
    WALK(thread_works, task, cpu_ns);
}

void cup_lifecycle_thread_helps(void)
{
    WALK(thread_helps);
}

void cup_lifecycle_thread_settles(void)
{
    WALK(thread_settles);
}

void cup_lifecycle_thread_ends(void)
{
    WALK(thread_ends);
}

void cup_lifecycle_process_ends(void)
{
    WALK(process_ends);
}
