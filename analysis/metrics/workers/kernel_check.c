#include "analysis/metrics/workers/kernel_check.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/units.h"
#include "analysis/profile/roles.h"

bool cup_kernel_is_checked(const struct cup_process *process)
{
    const uint64_t *health = process->header.health;
    return health[CUP_H_KERNEL_READ_START] &&
           health[CUP_H_KERNEL_READ_STOP] >= health[CUP_H_KERNEL_READ_START];
}

static uint64_t counted(const struct cup_process *process, int counter)
{
    return process->with_task[counter] + process->without_task[counter];
}

static void count_classes(const struct cup_process *process, uint64_t classes[CUP_KERNEL_COUNT])
{
    static const int counters[] = {
        [CUP_KERNEL_IMPORT] = CUP_C_IMPORT_BYTES,      [CUP_KERNEL_PIPE] = CUP_C_PIPE_BYTES,
        [CUP_KERNEL_SPILL] = CUP_C_SPILL_READ_BYTES,   [CUP_KERNEL_DASK] = CUP_C_DASK_READ_BYTES,
        [CUP_KERNEL_SOCKET] = CUP_C_SOCKET_READ_BYTES, [CUP_KERNEL_OTHER] = CUP_C_OTHER_READ_BYTES,
    };
    classes[CUP_KERNEL_DATA] = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_NONE_BYTES; method++)
        classes[CUP_KERNEL_DATA] += counted(process, method);
    /* What came from servers, also through XRootD's client, are sockets to the kernel. */
    classes[CUP_KERNEL_DATA] -=
        counted(process, CUP_C_REMOTE_READ_BYTES) + counted(process, CUP_C_SERVER_READ_BYTES);
    for (int i = CUP_KERNEL_IMPORT; i <= CUP_KERNEL_OTHER; i++)
        classes[i] = counted(process, counters[i]);
    classes[CUP_KERNEL_OWN] = process->header.health[CUP_H_OWN_READ_BYTES];
    classes[CUP_KERNEL_REAPED] = process->header.health[CUP_H_REAPED_READ_BYTES];
}

static uint64_t kernel_bytes(const struct cup_process *process)
{
    const uint64_t *health = process->header.health;
    return health[CUP_H_KERNEL_READ_STOP] - health[CUP_H_KERNEL_READ_START];
}

int64_t cup_kernel_difference(const struct cup_process *process)
{
    uint64_t classes[CUP_KERNEL_COUNT], seen = 0;
    if (!cup_kernel_is_checked(process))
        return 0;
    count_classes(process, classes);
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        seen += classes[i];
    return (int64_t)(kernel_bytes(process) - seen);
}

/* The largest difference that has a known cause. For stdio, the hooks count what libc returns to
 * the program, and the kernel what libc reads into its buffers. The kernel's count is higher where
 * libc reads ahead: by up to a block for each stream, and after each seek. It is lower where libc
 * returns one block twice. The bytes that stdio returned are taken as the limit of both. sendfile()
 * and copy_file_range() are in the kernel's count, splice() is not. */
static uint64_t most_explained_bytes(const struct cup_process *process, int64_t difference)
{
    enum { BLOCK = 4096 };
    uint64_t stdio = counted(process, CUP_C_STDIO_READ_BYTES);
    if (difference < 0)
        return stdio + counted(process, CUP_C_COPIED_BYTES);
    return stdio ? stdio + BLOCK * counted(process, CUP_C_OPEN_CALLS) : 0;
}

/* ---- children with a log of their own ------------------------------------------------------- */

/* The kernel's count of all that PROCESS read, until its log ended. Of a process that was killed:
 * at least so much. */
static uint64_t count_of_life(const struct cup_process *process)
{
    uint64_t classes[CUP_KERNEL_COUNT], count = process->header.health[CUP_H_KERNEL_READ_START];
    if (cup_kernel_is_checked(process))
        return process->header.health[CUP_H_KERNEL_READ_STOP];
    count_classes(process, classes);
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        count += classes[i];
    return count;
}

/* CHILD ended while the log of its parent PROCESS was open. */
static bool is_child_of(const struct cup_process *child, const struct cup_process *process)
{
    const struct cup_log_header *of_child = &child->header, *header = &process->header;
    int64_t end_ns = cup_process_last_sign_ns(child);
    return of_child->ppid == header->pid && strcmp(of_child->host, header->host) == 0 &&
           of_child->process_start_ns >= header->process_start_ns &&
           end_ns >= header->log_start_ns && end_ns <= header->log_stop_ns;
}

/* What children of PROCESS read that was added to its count when it waited for them, and that their
 * own logs have. */
static uint64_t count_recorded_children(const struct cup_profile *profile,
                                        const struct cup_process *process)
{
    uint64_t reaped = process->header.health[CUP_H_REAPED_READ_BYTES], sum = 0;
    for (uint32_t i = 0; sum < reaped && i < profile->process_count; i++)
        if (is_child_of(&profile->processes[i], process))
            sum += count_of_life(&profile->processes[i]);
    return sum < reaped ? sum : reaped;
}

/* ---- the check ------------------------------------------------------------------------------ */

static void check_process(struct cup_kernel_check *check, const struct cup_profile *profile,
                          uint32_t index)
{
    const struct cup_process *process = &profile->processes[index];
    int64_t difference = cup_kernel_difference(process);
    uint64_t size = difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
    uint64_t most = most_explained_bytes(process, difference),
             explained = size < most ? size : most;
    uint64_t classes[CUP_KERNEL_COUNT];
    uint64_t recorded = count_recorded_children(profile, process);
    count_classes(process, classes);
    classes[CUP_KERNEL_REAPED] -= recorded;
    check->processes++;
    check->kernel_bytes += kernel_bytes(process) - recorded;
    for (int i = 0; i < CUP_KERNEL_COUNT; i++) {
        check->classes[i] += classes[i];
        check->seen_bytes += classes[i];
    }
    check->stdio_bytes += counted(process, CUP_C_STDIO_READ_BYTES);
    check->copied_bytes += counted(process, CUP_C_COPIED_BYTES);
    check->explained_bytes += explained;
    check->unexplained_bytes += size - explained;
    if (size - explained > check->worst_bytes) {
        check->worst_bytes = size - explained;
        check->worst = index;
    }
}

struct cup_kernel_check cup_kernel_check_make(const struct cup_profile *profile)
{
    struct cup_kernel_check check = {0};
    for (uint32_t i = 0; i < profile->process_count; i++) {
        if (cup_kernel_is_checked(&profile->processes[i]))
            check_process(&check, profile, i);
        else if (profile->processes[i].header.log_stop_ns == 0)
            check.killed++;
        else
            check.unreadable++;
    }
    return check;
}

static const double worth_a_warning = 0.01; /* as a share of the kernel's bytes */

void cup_kernel_warning(const struct cup_kernel_check *check, const struct cup_profile *profile,
                        char *to, size_t room)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], all[CUP_HUMAN_READABLE_ROOM],
        worst[CUP_HUMAN_READABLE_ROOM];
    char share[CUP_HUMAN_READABLE_ROOM];
    double unexplained = (double)check->unexplained_bytes, kernel = (double)check->kernel_bytes;
    *to = '\0';
    if (unexplained <= worth_a_warning * kernel)
        return;
    const struct cup_process *process = &profile->processes[check->worst];
    snprintf(
        to, room,
        "The kernel's count of bytes read differs by %s, %s of %s (threshold 1 %%), from what was "
        "seen: %s of it in process %u on %s (%s). Reads may be missing, or counted twice.",
        cup_print_human_readable(bytes, cup_count(check->unexplained_bytes), CUP_UNIT_BYTES),
        cup_print_human_readable(share, cup_ratio(unexplained, kernel), CUP_UNIT_SHARE),
        cup_print_human_readable(all, cup_count(check->kernel_bytes), CUP_UNIT_BYTES),
        cup_print_human_readable(worst, cup_count(check->worst_bytes), CUP_UNIT_BYTES),
        process->header.pid, process->header.host, cup_role_name(cup_process_role(process)));
}
