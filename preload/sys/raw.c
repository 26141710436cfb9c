#include "preload/sys/raw.h"

uint64_t cup_raw_bytes_read;
int cup_remote_process;

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
    struct iovec here = {to, bytes}, there = cup_remote_at((uintptr_t)at, bytes);
    ssize_t got = syscall(SYS_process_vm_readv, cup_raw_getpid(), &here, 1UL, &there, 1UL, 0UL);
    return got == (ssize_t)bytes || read_by_file(at, to, bytes);
}

void *cup_memory_word(const void *at, size_t offset)
{
    void *word = NULL;
    if (!at || !cup_memory_read((const char *)at + offset, &word, sizeof word))
        return NULL;
    return word;
}
