/* Copies memory that other threads may change or unmap at any moment. The kernel makes the copies
 * (process_vm_readv on this very process), so an address that is not mapped is an error and no
 * SIGSEGV. */
#ifndef CUPPING_PRELOAD_SYS_REMOTE_MEMORY_H
#define CUPPING_PRELOAD_SYS_REMOTE_MEMORY_H

#include "preload/sys/raw.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* The PID of this process; set by cup_remote_verify(). */
extern int cup_remote_process;

static inline struct iovec cup_remote_at(uint64_t address, size_t bytes)
{
    return (struct iovec){(void *)(uintptr_t)address, bytes};
}

/* Copies COUNT ranges in one system call. False: not all of them are mapped. */
static inline bool cup_remote_read(const struct iovec *to, const struct iovec *from, size_t count)
{
    ssize_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += (ssize_t)to[i].iov_len;
    return syscall(SYS_process_vm_readv, cup_remote_process, to, count, from, count, 0UL) == bytes;
}

static inline bool cup_remote_copy(void *to, uint64_t from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = cup_remote_at(from, bytes);
    return cup_remote_read(&here, &there, 1);
}

/* The word at FROM; 0 if it is not mapped. */
static inline uint64_t cup_remote_word(uint64_t from)
{
    uint64_t word;
    return cup_remote_copy(&word, from, sizeof word) ? word : 0;
}

#endif
