/* A check of the hooks: the kernel counts the bytes that each process reads (rchar of
 * /proc/self/io), and the hooks must have seen as many. Neither count has pages of mapped files,
 * nor what recv() and similar calls deliver. */
#pragma once

#include "analysis/profile/profile.h"

/* Classes of the bytes that the hooks saw: name in the JSON, text. */
#define CUP_KERNEL_CLASSES(X)                                                                      \
    X(DATA, "read_bytes", "data files")                                                            \
    X(IMPORT, "import_bytes", "imports of all processes")                                          \
    X(PIPE, "pipe_bytes", "pipes and terminals")                                                   \
    X(SPILL, "spill_read_bytes", "Dask's spilling")                                                \
    X(DASK, "dask_read_bytes", "Dask's own threads")                                               \
    X(SOCKET, "socket_read_bytes", "sockets, by read() and splice()")                              \
    X(OTHER, "other_read_bytes", "logs, /proc, /sys and devices")                                  \
    X(OWN, "own_read_bytes", "the library itself")                                                 \
    X(REAPED, "reaped_read_bytes", "children without a log that were waited for")
enum cup_kernel_class {
#define X(id, name, text) CUP_KERNEL_##id,
    CUP_KERNEL_CLASSES(X)
#undef X
        CUP_KERNEL_COUNT
};

struct cup_kernel_check {
    uint64_t processes;  /* processes that were checked: their log has both readings of the kernel's
                            counter */
    uint64_t killed;     /* not checked: killed, or still running */
    uint64_t unreadable; /* not checked: ended normally, but /proc/self/io could not be read */
    uint64_t kernel_bytes; /* without what children with a log of their own read: the kernel adds it
                              to its count of a process that waits for them */
    uint64_t seen_bytes;   /* sum of the classes */
    uint64_t classes[CUP_KERNEL_COUNT];
    uint64_t stdio_bytes;  /* part of seen_bytes: read through stdio, from libc's buffers */
    uint64_t copied_bytes; /* part of seen_bytes: moved inside the kernel, by sendfile() and similar
                              calls */
    /* Sums over processes of the difference between the two counts, whether positive or negative:
     * the part that stdio_bytes and copied_bytes can explain, and the rest. */
    uint64_t explained_bytes, unexplained_bytes;
    uint32_t worst;       /* index of the process with the most unexplained bytes */
    uint64_t worst_bytes; /* unexplained bytes of that process */
};

/* Bytes that the kernel counted less bytes that the hooks saw, for one process; 0 if it cannot be
 * checked. */
int64_t cup_kernel_difference(const struct cup_process *process);
bool cup_kernel_is_checked(const struct cup_process *process);

struct cup_kernel_check cup_kernel_check_make(const struct cup_profile *profile);

/* Writes a sentence if more than 1 % of the kernel's bytes are unexplained; else an empty text. */
void cup_kernel_warning(const struct cup_kernel_check *check, const struct cup_profile *profile,
                        char *to, size_t room);
