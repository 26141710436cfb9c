/* What the library knows of each file descriptor: looked up with the kernel at its first read or
 * write (so a descriptor that came by any way is known), forgotten when it is closed or
 * replaced. */
#ifndef CUPPING_PRELOAD_IO_DESCRIPTOR_H
#define CUPPING_PRELOAD_IO_DESCRIPTOR_H

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CUP_DESCRIPTORS = 65536 }; /* higher ones are looked up at every call: slow, but right */

/* A pair: of Unix sockets without a name, as event loops have them to be woken by. */
enum cup_peer_state { CUP_PEER_KNOWN = 1, CUP_PEER_PAIR = 2, CUP_PEER_DASK = 3 };

struct cup_descriptor {
    uint32_t class; /* enum cup_file_class; 0: not looked up yet */
    uint32_t file;  /* FILE record: a file's, or a socket's peer's; 0 for pipes, others */
    union {
        int64_t cursor; /* where the next read() begins, as far as reads and seeks were seen */
        bool wire;      /* of a socket: what it carries is counted where it is handed out */
    };
    union {
        int64_t end;       /* where the last read ended */
        uint32_t previous; /* of a socket: the task that sent on it before `owner` */
    };
    uint8_t opened; /* 1: opened, and not read or written since */
    uint8_t quick;  /* calls on it that did not block, one after the other; at most CUP_QUICK */
    uint16_t peer;  /* enum cup_peer_state; 0: a socket's peer was not looked up */
    uint32_t owner; /* task that opened it, and nobody else has used it; 0: none. Of a socket: the
                       one that sent last */
};
_Static_assert(sizeof(struct cup_descriptor) == 32, "two of them in a cache line");

/* After so many in a row the next call is not expected to block, and its CPU time not measured. */
enum { CUP_QUICK = 4 };

/* Called once, by the constructor. */
int cup_descriptor_init(void);

/* The entry of FD if it has been looked up already; else NULL. */
extern struct cup_descriptor *cup_descriptor_table CUP_OURS; /* CUP_DESCRIPTORS entries, or NULL */
static inline struct cup_descriptor *cup_descriptor_known(int fd)
{
    if ((unsigned)fd >= CUP_DESCRIPTORS || !cup_descriptor_table)
        return NULL;
    struct cup_descriptor *entry = &cup_descriptor_table[fd];
    return entry->class ? entry : NULL;
}

/* The entry of FD, looked up. SPARE is filled and returned for descriptors beyond the table.
 * NULL: not a descriptor. Keeps errno. */
struct cup_descriptor *cup_descriptor_get(int fd, struct cup_descriptor *spare);

/* Looks up the peer of a socket, FD, at its first use by anyone but Dask itself: from then on FILE
 * is the peer's (0: too many peers). Not at the descriptor's first use: Dask has a connection to
 * every other worker. Changes errno. */
void cup_descriptor_peer(struct cup_descriptor *entry, int fd);

/* The peer of that address: its FILE record (0: too many peers), and whether it is one of Dask's
 * servers. */
uint32_t cup_descriptor_address(const char *address);
bool cup_descriptor_is_dask(const char *address);

/* What FD is now, past the table, and nothing is remembered: for a process without a log. */
enum cup_file_class cup_descriptor_class(int fd);

/* FD is new: whatever was known of that number is void. Opened: by open() and its like, as
 * PATH (NULL: not known). */
void cup_descriptor_opened(int fd, const char *path);
void cup_descriptor_forget(int fd);
void cup_descriptor_forget_range(unsigned first, unsigned last);

/* FD, a socket, is about to be connected by a library whose reads are counted themselves: what it
 * delivers is for no task. Also before there is a log. Keeps errno. */
void cup_descriptor_wire(int fd);

/* FD is closed, or another one from now on. Costs a load while there are no such sockets. */
extern bool cup_descriptor_wires;
bool cup_descriptor_is_wire(int fd);
void cup_descriptor_unwire_slowly(int fd);
static inline void cup_descriptor_unwire(int fd)
{
    if (__builtin_expect(cup_descriptor_wires, 0))
        cup_descriptor_unwire_slowly(fd);
}

/* Likewise from FIRST to LAST. */
void cup_descriptor_unwire_range(unsigned first, unsigned last);

/* FILE record of URL, a file that no descriptor leads to; 0: too many files. */
uint32_t cup_descriptor_remote(const char *url);

/* FD's position is now OFFSET. */
void cup_descriptor_moved(int fd, int64_t offset);

/* In a forked child, and when a log is opened: file ids of another log mean nothing. */
void cup_descriptor_reset(void);

/* Files below DIRECTORY (a Dask worker's own) are spilled data from now on. */
void cup_descriptor_spill_directory(const char *directory);

/* Connections with ADDRESS ("tcp://10.0.0.1:8786") at either end are Dask's own from now on. */
void cup_descriptor_dask_address(const char *address);

/* Class of a regular file by its path: import, spill or data; OTHER for /proc, /sys and memory
 * files. */
enum cup_file_class cup_file_class_of(const char *path);

#endif
