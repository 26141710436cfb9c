#include "preload/sys/memory.h"

#include "preload/sys/raw.h"

#include <sys/uio.h>

/* For sandboxes that forbid process_vm_readv(); most of them allow reading this file. */
static bool read_by_file(const void *at, void *to, size_t bytes)
{
    int fd = cup_raw_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    ssize_t got = cup_raw_pread(fd, to, bytes, (uint64_t)(uintptr_t)at);
    cup_raw_close(fd);
    return got == (ssize_t)bytes;
}

bool cup_memory_read(const void *at, void *to, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)at, bytes};
    ssize_t got = syscall(SYS_process_vm_readv, cup_raw_getpid(), &local, 1UL, &remote, 1UL, 0UL);
    return got == (ssize_t)bytes || read_by_file(at, to, bytes);
}

void *cup_memory_word(const void *at, size_t offset)
{
    void *word = NULL;
    if (!at || !cup_memory_read((const char *)at + offset, &word, sizeof word))
        return NULL;
    return word;
}
