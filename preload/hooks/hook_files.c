/* Wrappers of calls on descriptors. Each forwards and makes one named call of policy. */
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/opening.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/raw.h"
#include "preload/waits/wait.h"

#include <errno.h>

/* ---- descriptors come and go ------------------------------------------------------------- */

/* A child of vfork shares our memory: what it closes and opens is not ours. Asked only where a
 * number changes its meaning, next to a system call that costs more. */
static bool same_process(void)
{
    return cup_raw_getpid() == (int)cup_log_header()->pid;
}

/* By a call that began at START (ticks). PATH: NULL if it is relative to a directory that is named
 * by a descriptor. */
static void opened(int fd, const char *path, uint64_t start)
{
    int saved = errno;
    if (fd < 0 && cup_active()) {
        cup_opening_failed(path, saved, start);
    } else if (cup_active() && same_process()) {
        cup_descriptor_opened(fd, path);
        cup_opening_done(fd, start);
    }
    errno = saved;
}

/* Not every PATH of a call that failed can be read. */
static const char *path_at(int fd, int directory, const char *path)
{
    bool whole = directory == AT_FDCWD || (fd >= 0 && *path == '/');
    return whole ? path : NULL;
}

static int replaced(int fd)
{
    int saved = errno;
    cup_descriptor_unwire(fd);
    if (fd >= 0 && cup_active() && same_process()) {
        cup_connecting_closed(fd);
        cup_descriptor_forget(fd);
        cup_own_fd_lost((unsigned)fd, (unsigned)fd);
    }
    errno = saved;
    return fd;
}

static bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* The optional third argument of the open family, read as libc reads it. */
#define MODE_ARGUMENT(flags)                                                                       \
    ({                                                                                             \
        mode_t mode_ = 0;                                                                          \
        if (takes_mode(flags)) {                                                                   \
            va_list arguments_;                                                                    \
            va_start(arguments_, flags);                                                           \
            mode_ = va_arg(arguments_, mode_t);                                                    \
            va_end(arguments_);                                                                    \
        }                                                                                          \
        mode_;                                                                                     \
    })

/* A path is looked up, a file closed: on a far file system that may take long. */
#define DISK(call) CUP_WAITING(CUP_WAIT_IO, CUP_MAY_WAIT, call)

/* PATH: an expression in `fd`, what the call returned. */
#define OPEN(path, call)                                                                           \
    ({                                                                                             \
        uint64_t start_ = cup_ticks();                                                             \
        int fd = DISK(call);                                                                       \
        opened(fd, path, start_);                                                                  \
        fd;                                                                                        \
    })
#define OPEN_AT(directory, path, call) OPEN(path_at(fd, directory, path), call)

CUP_HOOK int open(const char *path, int flags, ...)
{
    return OPEN(path, CUP_REAL(open)(path, flags, MODE_ARGUMENT(flags)));
}

CUP_HOOK int open64(const char *path, int flags, ...)
{
    return OPEN(path, CUP_REAL(open64)(path, flags, MODE_ARGUMENT(flags)));
}

CUP_HOOK int __open(const char *path, int flags, ...)
{
    mode_t mode = MODE_ARGUMENT(flags);
    return CUP_HAVE(__open) ? OPEN(path, real___open(path, flags, mode)) : cup_missing();
}

CUP_HOOK int __open64(const char *path, int flags, ...)
{
    mode_t mode = MODE_ARGUMENT(flags);
    return CUP_HAVE(__open64) ? OPEN(path, real___open64(path, flags, mode)) : cup_missing();
}

CUP_HOOK int __open_2(const char *path, int flags)
{
    return CUP_HAVE(__open_2) ? OPEN(path, real___open_2(path, flags)) : cup_missing();
}

CUP_HOOK int __open64_2(const char *path, int flags)
{
    return CUP_HAVE(__open64_2) ? OPEN(path, real___open64_2(path, flags)) : cup_missing();
}

CUP_HOOK int openat(int directory, const char *path, int flags, ...)
{
    return OPEN_AT(directory, path, CUP_REAL(openat)(directory, path, flags, MODE_ARGUMENT(flags)));
}

CUP_HOOK int openat64(int directory, const char *path, int flags, ...)
{
    return OPEN_AT(directory, path,
                   CUP_REAL(openat64)(directory, path, flags, MODE_ARGUMENT(flags)));
}

CUP_HOOK int __openat_2(int directory, const char *path, int flags)
{
    return CUP_HAVE(__openat_2) ? OPEN_AT(directory, path, real___openat_2(directory, path, flags))
                                : cup_missing();
}

CUP_HOOK int __openat64_2(int directory, const char *path, int flags)
{
    return CUP_HAVE(__openat64_2)
               ? OPEN_AT(directory, path, real___openat64_2(directory, path, flags))
               : cup_missing();
}

CUP_HOOK int creat(const char *path, mode_t mode)
{
    return OPEN(path, CUP_REAL(creat)(path, mode));
}

CUP_HOOK int creat64(const char *path, mode_t mode)
{
    return OPEN(path, CUP_REAL(creat64)(path, mode));
}

/* Forgotten before the call: afterwards the number may already be another thread's file. */
CUP_HOOK int close(int fd)
{
    replaced(fd);
    return DISK(CUP_REAL(close)(fd));
}

CUP_HOOK int __close(int fd)
{
    replaced(fd);
    return CUP_HAVE(__close) ? DISK(real___close(fd)) : DISK(CUP_REAL(close)(fd));
}

static void range_closes(unsigned first, unsigned last)
{
    int saved = errno;
    cup_descriptor_unwire_range(first, last);
    if (cup_active() && same_process()) {
        cup_descriptor_forget_range(first, last);
        cup_own_fd_lost(first, last);
    }
    errno = saved;
}

enum { CLOSES_LATER = 1 << 2 }; /* CLOSE_RANGE_CLOEXEC: at the next exec */

CUP_HOOK int close_range(unsigned first, unsigned last, int flags)
{
    if (!(flags & CLOSES_LATER))
        range_closes(first, last);
    return CUP_HAVE(close_range) ? real_close_range(first, last, flags) : cup_missing();
}

CUP_HOOK void closefrom(int first)
{
    range_closes(first < 0 ? 0 : (unsigned)first, CUP_DESCRIPTORS);
    if (CUP_HAVE(closefrom))
        real_closefrom(first);
}

CUP_HOOK int dup(int from)
{
    return replaced(CUP_REAL(dup)(from));
}

CUP_HOOK int dup2(int from, int to)
{
    return replaced(CUP_REAL(dup2)(from, to));
}

CUP_HOOK int __dup2(int from, int to)
{
    return replaced(CUP_HAVE(__dup2) ? real___dup2(from, to) : CUP_REAL(dup2)(from, to));
}

CUP_HOOK int dup3(int from, int to, int flags)
{
    return replaced(CUP_REAL(dup3)(from, to, flags));
}

/* The third argument is an int, a pointer or absent: passed on as the widest. */
#define POINTER_ARGUMENT(last)                                                                     \
    ({                                                                                             \
        va_list arguments_;                                                                        \
        va_start(arguments_, last);                                                                \
        void *pointer_ = va_arg(arguments_, void *);                                               \
        va_end(arguments_);                                                                        \
        pointer_;                                                                                  \
    })

static int controlled(int command, int result)
{
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        replaced(result);
    return result;
}

/* Whoever asks for a file's lock with F_SETLKW waits for it. */
#define CONTROL(command, call)                                                                     \
    controlled(command,                                                                            \
               waits_for_lock(command) ? CUP_WAITING(CUP_WAIT_LOCK, CUP_WAITS, call) : (call))

static bool waits_for_lock(int command)
{
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

CUP_HOOK int fcntl(int fd, int command, ...)
{
    void *argument = POINTER_ARGUMENT(command);
    return CONTROL(command, CUP_REAL(fcntl)(fd, command, argument));
}

CUP_HOOK int fcntl64(int fd, int command, ...)
{
    void *argument = POINTER_ARGUMENT(command);
    return CONTROL(command, CUP_HAVE(fcntl64) ? real_fcntl64(fd, command, argument)
                                              : CUP_REAL(fcntl)(fd, command, argument));
}

CUP_HOOK int __fcntl(int fd, int command, ...)
{
    void *argument = POINTER_ARGUMENT(command);
    return CONTROL(command, CUP_HAVE(__fcntl) ? real___fcntl(fd, command, argument)
                                              : CUP_REAL(fcntl)(fd, command, argument));
}

static off_t moved(int fd, off_t offset)
{
    if (offset >= 0 && cup_active())
        cup_descriptor_moved(fd, offset);
    return offset;
}

CUP_HOOK off_t lseek(int fd, off_t offset, int whence)
{
    return moved(fd, CUP_REAL(lseek)(fd, offset, whence));
}

CUP_HOOK off64_t lseek64(int fd, off64_t offset, int whence)
{
    return moved(fd, CUP_REAL(lseek64)(fd, offset, whence));
}

CUP_HOOK off_t __lseek(int fd, off_t offset, int whence)
{
    return moved(fd, CUP_HAVE(__lseek) ? real___lseek(fd, offset, whence)
                                       : CUP_REAL(lseek)(fd, offset, whence));
}

/* ---- reads and writes -------------------------------------------------------------------- */

#define READ(fd, position, call, to, parts)                                                        \
    CUP_TRANSFER(CUP_READ, fd, position, ssize_t, call, result, to, parts)
#define WRITE(fd, position, call)                                                                  \
    CUP_TRANSFER(CUP_WRITE, fd, position, ssize_t, call, result, NULL, 0)

CUP_HOOK ssize_t read(int fd, void *buffer, size_t bytes)
{
    READ(fd, CUP_AT_CURSOR, cup_child_answer(CUP_REAL(read)(fd, buffer, bytes), buffer), buffer, 0);
}

CUP_HOOK ssize_t __read(int fd, void *buffer, size_t bytes)
{
    READ(fd, CUP_AT_CURSOR, CUP_HAVE(__read) ? real___read(fd, buffer, bytes) : cup_missing(),
         buffer, 0);
}

CUP_HOOK ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
    READ(fd, CUP_AT_CURSOR,
         CUP_HAVE(__read_chk) ? real___read_chk(fd, buffer, bytes, room) : cup_missing(), buffer,
         0);
}

CUP_HOOK ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    READ(fd, offset, CUP_REAL(pread)(fd, buffer, bytes, offset), buffer, 0);
}

CUP_HOOK ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    READ(fd, offset, CUP_REAL(pread64)(fd, buffer, bytes, offset), buffer, 0);
}

CUP_HOOK ssize_t __pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    READ(fd, offset,
         CUP_HAVE(__pread64) ? real___pread64(fd, buffer, bytes, offset) : cup_missing(), buffer,
         0);
}

CUP_HOOK ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t offset, size_t room)
{
    READ(fd, offset,
         CUP_HAVE(__pread_chk) ? real___pread_chk(fd, buffer, bytes, offset, room) : cup_missing(),
         buffer, 0);
}

CUP_HOOK ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t offset, size_t room)
{
    READ(fd, offset,
         CUP_HAVE(__pread64_chk) ? real___pread64_chk(fd, buffer, bytes, offset, room)
                                 : cup_missing(),
         buffer, 0);
}

CUP_HOOK ssize_t readv(int fd, const struct iovec *parts, int count)
{
    READ(fd, CUP_AT_CURSOR, CUP_REAL(readv)(fd, parts, count), parts, count);
}

CUP_HOOK ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
    READ(fd, offset, CUP_REAL(preadv)(fd, parts, count, offset), parts, count);
}

CUP_HOOK ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    READ(fd, offset, CUP_REAL(preadv64)(fd, parts, count, offset), parts, count);
}

/* Offset -1 means the cursor, for these alone. */
CUP_HOOK ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    READ(fd, offset,
         CUP_HAVE(preadv2) ? real_preadv2(fd, parts, count, offset, flags) : cup_missing(), parts,
         count);
}

CUP_HOOK ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
    READ(fd, offset,
         CUP_HAVE(preadv64v2) ? real_preadv64v2(fd, parts, count, offset, flags) : cup_missing(),
         parts, count);
}

CUP_HOOK ssize_t write(int fd, const void *buffer, size_t bytes)
{
    WRITE(fd, CUP_AT_CURSOR, CUP_REAL(write)(fd, buffer, bytes));
}

CUP_HOOK ssize_t __write(int fd, const void *buffer, size_t bytes)
{
    WRITE(fd, CUP_AT_CURSOR, CUP_HAVE(__write) ? real___write(fd, buffer, bytes) : cup_missing());
}

CUP_HOOK ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    WRITE(fd, offset, CUP_REAL(pwrite)(fd, buffer, bytes, offset));
}

CUP_HOOK ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    WRITE(fd, offset, CUP_REAL(pwrite64)(fd, buffer, bytes, offset));
}

CUP_HOOK ssize_t __pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    WRITE(fd, offset,
          CUP_HAVE(__pwrite64) ? real___pwrite64(fd, buffer, bytes, offset) : cup_missing());
}

CUP_HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    WRITE(fd, CUP_AT_CURSOR, CUP_REAL(writev)(fd, parts, count));
}

CUP_HOOK ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    WRITE(fd, offset, CUP_REAL(pwritev)(fd, parts, count, offset));
}

CUP_HOOK ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    WRITE(fd, offset, CUP_REAL(pwritev64)(fd, parts, count, offset));
}

CUP_HOOK ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    WRITE(fd, offset,
          CUP_HAVE(pwritev2) ? real_pwritev2(fd, parts, count, offset, flags) : cup_missing());
}

CUP_HOOK ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off64_t offset,
                             int flags)
{
    WRITE(fd, offset,
          CUP_HAVE(pwritev64v2) ? real_pwritev64v2(fd, parts, count, offset, flags)
                                : cup_missing());
}

/* ---- copies inside the kernel ------------------------------------------------------------ */

/* Where a copy began, from an offset that the call moved on. Only now: before the call nobody
 * knows whether the pointer is any good. */
#define BEGAN_AT(offset, bytes)                                                                    \
    ((offset) && (bytes) >= 0 ? (int64_t) * (offset) - (bytes) : CUP_AT_CURSOR)

#define COPY(from, from_offset, to, to_offset, call)                                               \
    struct cup_copy copy;                                                                          \
    bool counted = cup_copy_begin(&copy, from, to);                                                \
    ssize_t result = call;                                                                         \
    if (__builtin_expect(counted, 0))                                                              \
        cup_copy_end(&copy, result, BEGAN_AT(from_offset, result), BEGAN_AT(to_offset, result));   \
    return result

static off_t *const at_cursor;

CUP_HOOK ssize_t sendfile(int to, int from, off_t *offset, size_t bytes)
{
    COPY(from, offset, to, at_cursor, CUP_REAL(sendfile)(to, from, offset, bytes));
}

CUP_HOOK ssize_t sendfile64(int to, int from, off64_t *offset, size_t bytes)
{
    COPY(from, offset, to, at_cursor, CUP_REAL(sendfile64)(to, from, offset, bytes));
}

CUP_HOOK ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset,
                                 size_t bytes, unsigned flags)
{
    COPY(from, from_offset, to, to_offset,
         CUP_HAVE(copy_file_range)
             ? real_copy_file_range(from, from_offset, to, to_offset, bytes, flags)
             : cup_missing());
}

CUP_HOOK ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
                        unsigned flags)
{
    COPY(from, from_offset, to, to_offset,
         CUP_REAL(splice)(from, from_offset, to, to_offset, bytes, flags));
}
