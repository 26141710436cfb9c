/* System calls of our own, past every hook: by syscall(2), so that neither our wrappers nor
 * another preloaded library's see them. They set errno like the real ones. */
#ifndef CUPPING_PRELOAD_SYS_RAW_H
#define CUPPING_PRELOAD_SYS_RAW_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int cup_raw_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int cup_raw_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

/* The kernel counts these reads as the program's: kernel.h. */
extern uint64_t cup_raw_bytes_read;
static inline ssize_t cup_raw_count(ssize_t bytes)
{
    if (bytes > 0)
        __atomic_fetch_add(&cup_raw_bytes_read, (uint64_t)bytes, __ATOMIC_RELAXED);
    return bytes;
}

static inline ssize_t cup_raw_read(int fd, void *buffer, size_t bytes)
{
    return cup_raw_count(syscall(SYS_read, fd, buffer, bytes));
}

static inline ssize_t cup_raw_pread(int fd, void *buffer, size_t bytes, uint64_t offset)
{
    return cup_raw_count(syscall(SYS_pread64, fd, buffer, bytes, offset));
}

static inline ssize_t cup_raw_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset)
{
    return syscall(SYS_pwrite64, fd, buffer, bytes, offset);
}

static inline off_t cup_raw_lseek(int fd, off_t offset, int whence)
{
    return syscall(SYS_lseek, fd, offset, whence);
}

static inline int cup_raw_fallocate(int fd, uint64_t offset, uint64_t bytes)
{
    return (int)syscall(SYS_fallocate, fd, 0, offset, bytes);
}

/* fstat itself is a symbol of glibc 2.33; the system call is older than all of them. */
static inline int cup_raw_fstat(int fd, struct stat *status)
{
    return (int)syscall(SYS_fstat, fd, status);
}

static inline void *cup_raw_mmap(void *at, size_t bytes, int protection, int flags, int fd,
                                 uint64_t offset)
{
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

static inline int cup_raw_munmap(void *at, size_t bytes)
{
    return (int)syscall(SYS_munmap, at, bytes);
}

static inline int cup_raw_fcntl(int fd, int command, long argument)
{
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

static inline int cup_raw_getrusage_thread(struct rusage *usage)
{
    return (int)syscall(SYS_getrusage, RUSAGE_THREAD, usage);
}

static inline uint32_t cup_raw_gettid(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static inline int cup_raw_getpid(void)
{
    return (int)syscall(SYS_getpid);
}

#endif
