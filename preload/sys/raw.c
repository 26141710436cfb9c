#include "preload/sys/raw.h"

#include "preload/sys/parse_number.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

uint64_t cup_raw_bytes_read;
int cup_remote_process;

/* ---- descriptors --------------------------------------------------------------------------- */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Closes FIRST and those above it that /proc/self/fd lists. Returns 0, or -1: there is no such
 * list. */
static int close_listed(unsigned first)
{
    char entries[2048] __attribute__((aligned(8)));
    long bytes = -1;
    int list = cup_raw_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (list < 0)
        return -1;
    while ((bytes = syscall(SYS_getdents64, list, entries, sizeof entries)) > 0)
        for (long at = 0; at < bytes;) {
            const struct dirent *entry = (const struct dirent *)(entries + at);
            uint64_t fd = 0;
            if (cup_number(entry->d_name, &fd) != entry->d_name && fd >= first &&
                fd != (uint64_t)list)
                cup_raw_close((int)fd);
            at += entry->d_reclen;
        }
    cup_raw_close(list);
    return bytes == 0 ? 0 : -1;
}

void cup_raw_close_from(unsigned first)
{
    int saved = errno;
    bool closed = syscall(SYS_close_range, first, ~0U, 0U) == 0 || close_listed(first) == 0;
    for (long fd = first; !closed && fd < sysconf(_SC_OPEN_MAX); fd++)
        cup_raw_close((int)fd);
    errno = saved;
}

/* ---- seccomp filters ----------------------------------------------------------------------- */

static bool filtered;

void cup_filter_look(void)
{
    char status[4096];
    cup_raw_read_text("/proc/self/status", status, sizeof status);
    const char *mode = strstr(status, "\nSeccomp:\t");
    if (mode && mode[sizeof "\nSeccomp:\t" - 1] != '0')
        cup_filter_comes();
}

void cup_filter_comes(void)
{
    __atomic_store_n(&filtered, true, __ATOMIC_RELAXED);
}

bool cup_below_filter(void)
{
    return __atomic_load_n(&filtered, __ATOMIC_RELAXED);
}

/* ---- memory that may not be mapped --------------------------------------------------------- */

static bool read_by_file(const struct iovec *to, const struct iovec *from, size_t count)
{
    int fd = cup_raw_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
    bool all = fd >= 0;
    for (size_t i = 0; all && i < count; i++)
        all = cup_raw_pread(fd, to[i].iov_base, to[i].iov_len,
                            (uint64_t)(uintptr_t)from[i].iov_base) == (ssize_t)to[i].iov_len;
    if (fd >= 0)
        cup_raw_close(fd);
    return all;
}

static bool read_by_call(int process, const struct iovec *to, const struct iovec *from,
                         size_t count)
{
    ssize_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += (ssize_t)to[i].iov_len;
    return syscall(SYS_process_vm_readv, process, to, count, from, count, 0UL) == bytes;
}

bool cup_memory_read(const void *at, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = cup_remote_at((uintptr_t)at, bytes);
    return (!cup_below_filter() && read_by_call(cup_raw_getpid(), &here, &there, 1)) ||
           read_by_file(&here, &there, 1);
}

bool cup_remote_read(const struct iovec *to, const struct iovec *from, size_t count)
{
    return cup_below_filter() ? read_by_file(to, from, count)
                              : read_by_call(cup_remote_process, to, from, count);
}

void *cup_memory_word(const void *at, size_t offset)
{
    void *word = NULL;
    if (!at || !cup_memory_read((const char *)at + offset, &word, sizeof word))
        return NULL;
    return word;
}
