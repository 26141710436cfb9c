/* The kernel counts what each process reads (rchar of /proc/self/io): what the hooks saw must add
 * up to it. Mapped pages and what recv() and its relatives deliver are in neither. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_KERNEL_CHECK_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_KERNEL_CHECK_H

#include "analysis/profile/profile.h"

/* What the kernel's count is made of, as we saw it. */
#define CUP_KERNEL_CLASSES(X)                                                                      \
    X(DATA, "read_bytes", "data files")                                                            \
    X(IMPORT, "import_bytes", "imports")                                                           \
    X(PIPE, "pipe_bytes", "pipes, terminals")                                                      \
    X(SPILL, "spill_read_bytes", "Dask's spilling")                                                \
    X(DASK, "dask_read_bytes", "Dask's own threads")                                               \
    X(SOCKET, "socket_read_bytes", "sockets, by read() and splice()")                              \
    X(OTHER, "other_read_bytes", "/proc, /sys, devices")                                           \
    X(OWN, "own_read_bytes", "the library itself")                                                 \
    X(REAPED, "reaped_read_bytes", "children that were waited for")
enum cup_kernel_class {
#define X(id, name, text) CUP_KERNEL_##id,
    CUP_KERNEL_CLASSES(X)
#undef X
        CUP_KERNEL_COUNT
};

struct cup_kernel_check {
    uint64_t processes;  /* checked: both readings of the kernel's counter are in the log */
    uint64_t killed;     /* not checked: they did not end in good order, or still run */
    uint64_t unreadable; /* not checked: ended, without readings of /proc/self/io */
    uint64_t kernel_bytes;
    uint64_t seen_bytes; /* sum of the classes */
    uint64_t classes[CUP_KERNEL_COUNT];
    uint64_t stdio_bytes;       /* of the seen ones: handed out of libc's buffers */
    uint64_t copied_bytes;      /* of the seen ones: moved inside the kernel */
    uint64_t explained_bytes;   /* sum over processes of what these two may explain, */
    uint64_t unexplained_bytes; /* and of the rest, whichever way it goes */
    uint32_t worst;             /* process with the largest such rest, which is: */
    uint64_t worst_bytes;
};

/* Kernel less seen, of one process; 0 where it cannot be checked. */
int64_t cup_kernel_difference(const struct cup_process *process);
bool cup_kernel_is_checked(const struct cup_process *process);

struct cup_kernel_check cup_kernel_check_make(const struct cup_profile *profile);

/* A sentence where more than 1 % of the kernel's bytes is unexplained; else empty. */
void cup_kernel_warning(const struct cup_kernel_check *check, const struct cup_profile *profile,
                        char *to, size_t room);

#endif
