/* What cupping knows about each file descriptor. The kernel is asked at the first read or write, so
 * it does not matter how the program got the descriptor. An entry is cleared when its descriptor is
 * closed or refers to another file. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"
#include "preload/sys/ordered.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Size of the table. Higher descriptors are looked up at every call: slow, but right. */
enum { CUP_DESCRIPTORS = 65536 };

/* What is known of a socket's peer. KNOWN: its address. TCP: the same, and it is a server or client
 * at an IP address. PAIR: both ends are unnamed Unix sockets,
 * as those of the socketpair() that wakes an event loop. DASK: either end is a server of Dask. */
enum cup_peer_state { CUP_PEER_KNOWN = 1, CUP_PEER_PAIR = 2, CUP_PEER_DASK = 3, CUP_PEER_TCP = 4 };

/* After this many calls in a row that did not block, the next one is not expected to block: its CPU
 * time is not measured. */
enum { CUP_QUICK = 4 };

struct cup_descriptor {
    uint32_t class; /* enum cup_file_class; 0: not looked up yet */
    uint32_t file;  /* number of the file's FILE record, or of the peer's; 0: it has none. Of an
                       entry that is not looked up yet: of descriptor.c */
    union {
        int64_t cursor; /* the file position, where the next read() begins; wrong if a hook missed a
                           move */
        struct {        /* of a socket: */
            bool wire;  /* XRootD's client reads it, see cup_wire_add() */
            uint8_t protocol; /* enum cup_protocol, see exchange.h */
            bool connects;    /* it counts in repeats.h, for the task CONNECTOR */
            uint32_t connector;
        };
    };
    union {
        int64_t end;       /* where the last read ended */
        uint32_t previous; /* of a socket: the task that sent on it before OWNER did */
    };
    uint8_t opened; /* 1: opened, and not read or written since */
    uint8_t quick;  /* calls in a row that did not block, at most CUP_QUICK */
    union {
        uint16_t peer;  /* of a socket: enum cup_peer_state; 0: not looked up yet */
        uint16_t mount; /* of a data file: its file system, as in mounts.h; 0: a local one */
    };
    uint32_t owner; /* the task that opened it, while no other one has used it; 0: none. Of a
                       socket: the task that sent on it last. Of a pipe: the task that made it */
};
_Static_assert(sizeof(struct cup_descriptor) == 32, "two of them in a cache line");

/* Called once, by the constructor. Returns 0 or -1. */
int cup_descriptor_init(void);

/* Clears all that is known: of descriptors, files, spill directories and Dask's addresses. Called
 * in a forked child, and when a log is opened. */
void cup_descriptor_reset(void);

/* FD's entry if it has been looked up; else NULL. */
extern struct cup_descriptor *cup_descriptor_table CUP_OURS; /* CUP_DESCRIPTORS entries, or NULL */
static inline struct cup_descriptor *cup_descriptor_known(int fd)
{
    if ((unsigned)fd >= CUP_DESCRIPTORS || !cup_descriptor_table)
        return NULL;
    struct cup_descriptor *entry = &cup_descriptor_table[fd];
    cup_kernel_gave(entry);
    return __atomic_load_n(&entry->class, __ATOMIC_ACQUIRE) ? entry : NULL;
}

/* FD's entry. Asks the kernel if FD has not been looked up yet. SPARE is filled and returned for
 * descriptors beyond the table. NULL: FD is not open. Any thread, guard held; keeps errno. */
struct cup_descriptor *cup_descriptor_look_up(int fd, struct cup_descriptor *spare);

/* The next call on the descriptor is not expected to block, see CUP_QUICK. Never true of a socket
 * or a pipe, which may block at any time. */
static inline bool cup_descriptor_is_quick(const struct cup_descriptor *descriptor)
{
    return descriptor->class != CUP_FILE_SOCKET && descriptor->class != CUP_FILE_PIPE &&
           descriptor->quick >= CUP_QUICK;
}

/* Asks the kernel for FD's class and does not store it: for a process that has no log. */
enum cup_file_class cup_descriptor_class(int fd);

/* False in a child of vfork(): it shares this process's memory, but opens and closes descriptors of
 * its own. Costs a system call, so only the wrappers of calls that open, close or map a file call
 * this function. A log must be open. */
bool cup_descriptor_is_ours(void);

/* open() or one of its siblings returned FD, for PATH (NULL: not known). */
void cup_descriptor_opened(int fd, const char *path);

/* TASK (0: none) made a pipe with these descriptors. */
void cup_descriptor_piped(const int ends[2], uint32_t task);

/* FD's position is OFFSET from now on. */
void cup_descriptor_moved(int fd, int64_t offset);

/* Clears FD's entry, or those of all descriptors from FIRST to LAST: they are closed, or refer to
 * another file from now on. */
void cup_descriptor_clear(int fd);
void cup_descriptor_clear_range(unsigned first, unsigned last);

/* Sockets of XRootD's client. What the client reads is counted where it hands the bytes to its
 * caller, so the same bytes on its sockets ("wires") are counted for no task. A socket can be older
 * than the log. So this set is also kept while no log is open, and is not cleared when one is
 * opened. All functions: any thread; they keep errno.
 *
 * XRootD's client is about to connect FD: */
void cup_wire_add(int fd);

bool cup_wire_is(int fd);

/* FD is closed, or refers to another file from now on. Costs one load while there is no wire. */
extern bool cup_wires_exist CUP_OURS;
void cup_wire_remove_slowly(int fd);
static inline void cup_wire_remove(int fd)
{
    if (__builtin_expect(cup_wires_exist, 0))
        cup_wire_remove_slowly(fd);
}

/* The same for all descriptors from FIRST to LAST. */
void cup_wire_remove_range(unsigned first, unsigned last);
