/* System calls that the library makes for itself. They go through syscall(2), so that neither our
 * own wrappers nor those of another preloaded library see them. They set errno as the libc
 * functions do. */
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

/* Bytes that the library itself read, in all threads. The kernel counts them as the program's;
 * kernel_count.h subtracts them. */
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

/* libc exports fstat() only since glibc 2.33; the system call exists everywhere. */
static inline int cup_raw_fstat(int fd, struct stat *status)
{
    return (int)syscall(SYS_fstat, fd, status);
}

static inline void *cup_raw_mmap(void *at, size_t bytes, int protection, int flags, int fd,
                                 uint64_t offset)
{
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

/* Grows the library's own mapping OLD from OLD_BYTES to BYTES, and returns its address, which may
 * be another one; the added bytes are zero. If OLD is NULL, maps a new one. Returns NULL if there
 * is no memory; OLD is then unchanged. */
static inline void *cup_raw_grow(void *old, size_t old_bytes, size_t bytes)
{
    void *at =
        old ? (void *)syscall(SYS_mremap, old, old_bytes, bytes, MREMAP_MAYMOVE)
            : cup_raw_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
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
