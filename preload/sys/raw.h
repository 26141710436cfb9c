/* System calls that the library makes for itself. They go through syscall(2), so that neither our
 * own wrappers nor those of another preloaded library see them. They set errno as the libc
 * functions do. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static inline int cup_raw_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int cup_raw_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

/* Closes FIRST and all descriptors above it, as closefrom() does in glibc since 2.34. Without
 * close_range() and /proc, not those above RLIMIT_NOFILE, if that was lowered. Keeps errno. */
void cup_raw_close_from(unsigned first);

/* Sets VARIABLE to zeros without a store to each of its pages: in a forked child, such a store
 * would first make a copy of the page. VARIABLE must have no initializer: pages with one would get
 * their first contents again. */
static inline void cup_raw_clear(void *variable, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)variable;
    uintptr_t first = (begin + page - 1) & -page, last = (begin + bytes) & -page;
    if (first >= last || syscall(SYS_madvise, first, last - first, MADV_DONTNEED))
        first = last = begin + bytes;
    memset(variable, 0, first - begin);
    memset((void *)last, 0, begin + bytes - last);
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

/* Reads the beginning of a small file into TEXT, as much as fits into SIZE with a NUL behind it.
 * Returns its length; 0: it cannot be read. */
static inline size_t cup_raw_read_text(const char *path, char *text, size_t size)
{
    int fd = cup_raw_open(path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t bytes = fd < 0 ? 0 : cup_raw_read(fd, text, size - 1);
    if (fd >= 0)
        cup_raw_close(fd);
    size_t length = bytes > 0 ? (size_t)bytes : 0;
    text[length] = '\0';
    return length;
}

static inline ssize_t cup_raw_pread(int fd, void *buffer, size_t bytes, uint64_t offset)
{
    return cup_raw_count(syscall(SYS_pread64, fd, buffer, bytes, offset));
}

static inline ssize_t cup_raw_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset)
{
    return syscall(SYS_pwrite64, fd, buffer, bytes, offset);
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

static inline int cup_raw_getpid(void)
{
    return (int)syscall(SYS_getpid);
}

/* ---- memory that may not be mapped --------------------------------------------------------- */

/* The kernel copies such memory (process_vm_readv on this very process) and answers EFAULT where a
 * load would raise SIGSEGV. A seccomp filter may kill the process for this call, as it does for
 * ptrace(), and what a filter does cannot be asked. So below any filter, memory is read from
 * /proc/self/mem instead, which takes a call for each range.
 *
 * cup_filter_look() asks the kernel whether the process has a filter; called once, when the library
 * is loaded. cup_filter_comes(): the program is about to install one. */
void cup_filter_look(void);
void cup_filter_comes(void);
bool cup_below_filter(void);

/* cup_memory_read() copies BYTES from AT. False: not all of them are mapped. cup_memory_word() is
 * the word at AT + OFFSET; NULL if it cannot be read, or if AT is NULL. Both also work in sandboxes
 * that forbid process_vm_readv, but are slow: for verification, never at every call of a hook. */
bool cup_memory_read(const void *at, void *to, size_t bytes);
void *cup_memory_word(const void *at, size_t offset);

/* The cup_remote_* functions are for memory that other threads may change or unmap at any moment.
 * CUP_REMOTE_PROCESS is the PID of this process, once cup_remote_verify() has set it. */
extern int cup_remote_process;

static inline struct iovec cup_remote_at(uint64_t address, size_t bytes)
{
    return (struct iovec){(void *)(uintptr_t)address, bytes};
}

/* Copies COUNT ranges, in their order: in one system call, or below a seccomp filter one by one.
 * False: not all of them are mapped. */
bool cup_remote_read(const struct iovec *to, const struct iovec *from, size_t count);

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
