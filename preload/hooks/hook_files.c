/* Wrappers of calls on file descriptors. Each one forwards its call. Around a call that moves
 * bytes, opens a file or may wait there are a begin and an end; other wrappers call one function
 * before or after it, such as clear_descriptor(). */
#include "preload/attribution/helper.h"
#include "preload/hooks/waiting.h"
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/thread.h"
#include "preload/python/python.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/raw.h"

#include <errno.h>

/* ---- opened and closed ------------------------------------------------------------------- */

/* The path that openat() opened, for its result FD; NULL if it is relative to DIRECTORY, whose own
 * path is not known. After a failed call PATH may be unreadable, so its first letter is not read.
 */
static const char *path_below(int directory, const char *path, int fd)
{
    bool is_whole = directory == AT_FDCWD || (fd >= 0 && *path == '/');
    return is_whole ? path : NULL;
}

/* FD is closed, or refers to another file from now on: clears what is known about it. Returns FD
 * and keeps errno. */
static int clear_descriptor(int fd)
{
    int saved = errno;
    cup_wire_remove(fd);
    if (fd >= 0 && cup_active() && cup_descriptor_is_ours()) {
        cup_connecting_closed(fd);
        cup_descriptor_clear(fd);
        cup_own_fd_lost((unsigned)fd, (unsigned)fd);
    }
    errno = saved;
    return fd;
}

/* The optional third argument of the open family, which libc reads under the same condition. */
static mode_t read_mode(int flags, va_list arguments)
{
    bool is_there = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return is_there ? va_arg(arguments, mode_t) : 0;
}

/* One of open(), openat() and their siblings, which differ in name only: off_t has 64 bits
 * everywhere. The last arguments are those of the call, up to the flags. */
#define OPEN_SIBLING(name, parameters, directory, ...)                                             \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = read_mode(flags, arguments);                                                 \
        va_end(arguments);                                                                         \
        struct open_call call;                                                                     \
        begin_open(&call, path);                                                                   \
        int fd = CUP_CALL_OPTIONAL(name, __VA_ARGS__, mode);                                       \
        return end_open(&call, fd, path_below(directory, path, fd));                               \
    }

OPEN_SIBLING(open, (const char *path, int flags, ...), AT_FDCWD, path, flags)
OPEN_SIBLING(open64, (const char *path, int flags, ...), AT_FDCWD, path, flags)
OPEN_SIBLING(__open, (const char *path, int flags, ...), AT_FDCWD, path, flags)
OPEN_SIBLING(__open64, (const char *path, int flags, ...), AT_FDCWD, path, flags)
OPEN_SIBLING(openat, (int directory, const char *path, int flags, ...), directory, directory, path,
             flags)
OPEN_SIBLING(openat64, (int directory, const char *path, int flags, ...), directory, directory,
             path, flags)

/* The same for those that have no optional argument. */
#define SHORT_OPEN_SIBLING(name, parameters, directory, ...)                                       \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        struct open_call call;                                                                     \
        begin_open(&call, path);                                                                   \
        int fd = CUP_CALL_OPTIONAL(name, __VA_ARGS__);                                             \
        return end_open(&call, fd, path_below(directory, path, fd));                               \
    }

SHORT_OPEN_SIBLING(__open_2, (const char *path, int flags), AT_FDCWD, path, flags)
SHORT_OPEN_SIBLING(__open64_2, (const char *path, int flags), AT_FDCWD, path, flags)
SHORT_OPEN_SIBLING(__openat_2, (int directory, const char *path, int flags), directory, directory,
                   path, flags)
SHORT_OPEN_SIBLING(__openat64_2, (int directory, const char *path, int flags), directory, directory,
                   path, flags)
SHORT_OPEN_SIBLING(creat, (const char *path, mode_t mode), AT_FDCWD, path, mode)
SHORT_OPEN_SIBLING(creat64, (const char *path, mode_t mode), AT_FDCWD, path, mode)

/* The descriptor is cleared before the call: afterwards the number may already refer to a file that
 * another thread opened. */
CUP_HOOK int close(int fd)
{
    clear_descriptor(fd);
    struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_IO, CUP_MAY_WAIT);
    return end_wait(wait, CUP_REAL(close)(fd));
}

CUP_HOOK int __close(int fd)
{
    clear_descriptor(fd);
    struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_IO, CUP_MAY_WAIT);
    return end_wait(wait, CUP_HAVE(__close) ? real___close(fd) : CUP_REAL(close)(fd));
}

static void clear_descriptors(unsigned first, unsigned last)
{
    int saved = errno;
    cup_wire_remove_range(first, last);
    if (cup_active() && cup_descriptor_is_ours()) {
        cup_connecting_closed_range(first, last);
        cup_descriptor_clear_range(first, last);
        cup_own_fd_lost(first, last);
    }
    errno = saved;
}

enum { CLOSES_AT_EXEC = 1 << 2 }; /* CLOSE_RANGE_CLOEXEC */

CUP_HOOK int close_range(unsigned first, unsigned last, int flags)
{
    if (!(flags & CLOSES_AT_EXEC))
        clear_descriptors(first, last);
    return CUP_CALL_OPTIONAL(close_range, first, last, flags);
}

CUP_HOOK void closefrom(int first)
{
    unsigned lowest = first < 0 ? 0 : (unsigned)first;
    clear_descriptors(lowest, CUP_DESCRIPTORS);
    if (CUP_HAVE(closefrom))
        real_closefrom(first);
    else /* a program that looks the name up finds this function, whatever libc has */
        cup_raw_close_from(lowest);
}

/* dup2() of a descriptor to itself changes nothing. */
static int clear_duplicate(int from, int fd)
{
    return fd == from ? fd : clear_descriptor(fd);
}

#define DUP_HOOK(name, parameters, call)                                                           \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        return clear_duplicate(from, call);                                                        \
    }

DUP_HOOK(dup, (int from), CUP_REAL(dup)(from))
DUP_HOOK(dup2, (int from, int to), CUP_REAL(dup2)(from, to))
DUP_HOOK(__dup2, (int from, int to),
         CUP_HAVE(__dup2) ? real___dup2(from, to) : CUP_REAL(dup2)(from, to))
DUP_HOOK(dup3, (int from, int to, int flags), CUP_REAL(dup3)(from, to, flags))

/* Pipes of native libraries wake their own threads: only those of Python's are noted. */
#define PIPE_HOOK(name, parameters, call)                                                          \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        int result = call;                                                                         \
        if (result == 0 && cup_active() && !cup_self.guard &&                                      \
            cup_python_is_code(__builtin_return_address(0)) && cup_descriptor_is_ours())           \
            cup_descriptor_piped(ends, cup_helper_made_pipe());                                    \
        return result;                                                                             \
    }

PIPE_HOOK(pipe, (int ends[2]), CUP_REAL(pipe)(ends))
PIPE_HOOK(__pipe, (int ends[2]), CUP_HAVE(__pipe) ? real___pipe(ends) : CUP_REAL(pipe)(ends))
PIPE_HOOK(pipe2, (int ends[2], int flags), CUP_REAL(pipe2)(ends, flags))

/* Only F_SETLKW and F_OFD_SETLKW wait: for another process's lock on the file. */
static inline struct cup_wait *begin_control(struct cup_wait *room, int command)
{
    bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
    return waits ? begin_lock_wait(room) : NULL;
}

static inline int end_control(struct cup_wait *wait, int command, int result)
{
    end_wait(wait, result);
    bool makes_descriptor = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    return makes_descriptor ? clear_descriptor(result) : result;
}

/* One of fcntl() and its siblings, some of which older versions of glibc lack. The third argument
 * is an int, a pointer or absent: it is passed on as a pointer, the widest of them. */
#define FCNTL_SIBLING(name)                                                                        \
    CUP_HOOK int name(int fd, int command, ...)                                                    \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        struct cup_wait room, *wait = begin_control(&room, command);                               \
        int result = CUP_HAVE(name) ? real_##name(fd, command, argument)                           \
                                    : CUP_REAL(fcntl)(fd, command, argument);                      \
        return end_control(wait, command, result);                                                 \
    }

FCNTL_SIBLING(fcntl)
FCNTL_SIBLING(fcntl64)
FCNTL_SIBLING(__fcntl)

/* From now on FD belongs to a directory stream, and closedir() closes it where no hook sees that.
 */
CUP_HOOK DIR *fdopendir(int fd)
{
    DIR *directory = CUP_REAL(fdopendir)(fd);
    int saved = errno;
    if (directory && cup_active() && cup_descriptor_is_ours())
        cup_descriptor_clear(fd);
    errno = saved;
    return directory;
}

/* lseek() set FD's position to OFFSET (-1: it failed). Returns OFFSET. */
static off_t note_position(int fd, off_t offset)
{
    if (offset >= 0 && cup_active())
        cup_descriptor_moved(fd, offset);
    return offset;
}

CUP_HOOK off_t lseek(int fd, off_t offset, int whence)
{
    return note_position(fd, CUP_REAL(lseek)(fd, offset, whence));
}

CUP_HOOK off64_t lseek64(int fd, off64_t offset, int whence)
{
    return note_position(fd, CUP_REAL(lseek64)(fd, offset, whence));
}

CUP_HOOK off_t __lseek(int fd, off_t offset, int whence)
{
    return note_position(fd, CUP_HAVE(__lseek) ? real___lseek(fd, offset, whence)
                                               : CUP_REAL(lseek)(fd, offset, whence));
}

/* ---- reads and writes -------------------------------------------------------------------- */

/* The wrapper of a call that reads or writes FD. WAY: CUP_READ or CUP_WRITE. The last arguments are
 * the call, and those that follow it in cup_transfer_end(). Of what is written, only requests are
 * looked at, on sockets: calls with an offset do not pass their buffer on. */
#define TRANSFER_HOOK(name, parameters, way, ...)                                                  \
    CUP_HOOK ssize_t name parameters                                                               \
    {                                                                                              \
        struct cup_transfer room, *transfer = cup_transfer_begin(&room, way, fd);                  \
        return cup_transfer_end(transfer, __VA_ARGS__);                                            \
    }

TRANSFER_HOOK(read, (int fd, void *buffer, size_t bytes), CUP_READ,
              cup_child_answer(CUP_REAL(read)(fd, buffer, bytes), buffer), CUP_AT_CURSOR, buffer, 0)
TRANSFER_HOOK(__read, (int fd, void *buffer, size_t bytes), CUP_READ,
              CUP_CALL_OPTIONAL(__read, fd, buffer, bytes), CUP_AT_CURSOR, buffer, 0)
TRANSFER_HOOK(__read_chk, (int fd, void *buffer, size_t bytes, size_t capacity), CUP_READ,
              CUP_CALL_OPTIONAL(__read_chk, fd, buffer, bytes, capacity), CUP_AT_CURSOR, buffer, 0)
TRANSFER_HOOK(pread, (int fd, void *buffer, size_t bytes, off_t offset), CUP_READ,
              CUP_REAL(pread)(fd, buffer, bytes, offset), offset, buffer, 0)
TRANSFER_HOOK(pread64, (int fd, void *buffer, size_t bytes, off64_t offset), CUP_READ,
              CUP_REAL(pread64)(fd, buffer, bytes, offset), offset, buffer, 0)
TRANSFER_HOOK(__pread64, (int fd, void *buffer, size_t bytes, off64_t offset), CUP_READ,
              CUP_CALL_OPTIONAL(__pread64, fd, buffer, bytes, offset), offset, buffer, 0)
TRANSFER_HOOK(__pread_chk, (int fd, void *buffer, size_t bytes, off_t offset, size_t capacity),
              CUP_READ, CUP_CALL_OPTIONAL(__pread_chk, fd, buffer, bytes, offset, capacity), offset,
              buffer, 0)
TRANSFER_HOOK(__pread64_chk, (int fd, void *buffer, size_t bytes, off64_t offset, size_t capacity),
              CUP_READ, CUP_CALL_OPTIONAL(__pread64_chk, fd, buffer, bytes, offset, capacity),
              offset, buffer, 0)
TRANSFER_HOOK(readv, (int fd, const struct iovec *parts, int count), CUP_READ,
              CUP_REAL(readv)(fd, parts, count), CUP_AT_CURSOR, parts, count)
TRANSFER_HOOK(preadv, (int fd, const struct iovec *parts, int count, off_t offset), CUP_READ,
              CUP_REAL(preadv)(fd, parts, count, offset), offset, parts, count)
TRANSFER_HOOK(preadv64, (int fd, const struct iovec *parts, int count, off64_t offset), CUP_READ,
              CUP_REAL(preadv64)(fd, parts, count, offset), offset, parts, count)

/* For preadv2(), pwritev2() and their 64-bit names, offset -1 means the file position.
 * CUP_AT_CURSOR has the same value. */
TRANSFER_HOOK(preadv2, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
              CUP_READ, CUP_CALL_OPTIONAL(preadv2, fd, parts, count, offset, flags), offset, parts,
              count)
TRANSFER_HOOK(preadv64v2, (int fd, const struct iovec *parts, int count, off64_t offset, int flags),
              CUP_READ, CUP_CALL_OPTIONAL(preadv64v2, fd, parts, count, offset, flags), offset,
              parts, count)

TRANSFER_HOOK(write, (int fd, const void *buffer, size_t bytes), CUP_WRITE,
              CUP_REAL(write)(fd, buffer, bytes), CUP_AT_CURSOR, buffer, 0)
TRANSFER_HOOK(__write, (int fd, const void *buffer, size_t bytes), CUP_WRITE,
              CUP_CALL_OPTIONAL(__write, fd, buffer, bytes), CUP_AT_CURSOR, buffer, 0)
TRANSFER_HOOK(pwrite, (int fd, const void *buffer, size_t bytes, off_t offset), CUP_WRITE,
              CUP_REAL(pwrite)(fd, buffer, bytes, offset), offset, NULL, 0)
TRANSFER_HOOK(pwrite64, (int fd, const void *buffer, size_t bytes, off64_t offset), CUP_WRITE,
              CUP_REAL(pwrite64)(fd, buffer, bytes, offset), offset, NULL, 0)
TRANSFER_HOOK(__pwrite64, (int fd, const void *buffer, size_t bytes, off64_t offset), CUP_WRITE,
              CUP_CALL_OPTIONAL(__pwrite64, fd, buffer, bytes, offset), offset, NULL, 0)
TRANSFER_HOOK(writev, (int fd, const struct iovec *parts, int count), CUP_WRITE,
              CUP_REAL(writev)(fd, parts, count), CUP_AT_CURSOR, parts, count)
TRANSFER_HOOK(pwritev, (int fd, const struct iovec *parts, int count, off_t offset), CUP_WRITE,
              CUP_REAL(pwritev)(fd, parts, count, offset), offset, NULL, 0)
TRANSFER_HOOK(pwritev64, (int fd, const struct iovec *parts, int count, off64_t offset), CUP_WRITE,
              CUP_REAL(pwritev64)(fd, parts, count, offset), offset, NULL, 0)
TRANSFER_HOOK(pwritev2, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
              CUP_WRITE, CUP_CALL_OPTIONAL(pwritev2, fd, parts, count, offset, flags), offset, NULL,
              0)
TRANSFER_HOOK(pwritev64v2,
              (int fd, const struct iovec *parts, int count, off64_t offset, int flags), CUP_WRITE,
              CUP_CALL_OPTIONAL(pwritev64v2, fd, parts, count, offset, flags), offset, NULL, 0)

/* ---- copies inside the kernel ------------------------------------------------------------ */

static inline struct cup_copy *begin_copy(struct cup_copy *room, int from, int to)
{
    return cup_copy_begin(room, from, to) ? room : NULL;
}

/* Where a copy of BYTES began. OFFSET: the call's argument, which the call has moved to the end of
 * the copy (NULL: the call used the file position). It is read only after a call that copied
 * something, which shows that the pointer is valid. */
static int64_t find_start(const off64_t *offset, ssize_t bytes)
{
    return offset && bytes > 0 ? *offset - bytes : CUP_AT_CURSOR;
}

static inline ssize_t end_copy(struct cup_copy *copy, ssize_t bytes, const off64_t *from_offset,
                               const off64_t *to_offset)
{
    if (__builtin_expect(copy != NULL, 0))
        cup_copy_end(copy, bytes, find_start(from_offset, bytes), find_start(to_offset, bytes));
    return bytes;
}

#define COPY_HOOK(name, parameters, call, from_offset, to_offset)                                  \
    CUP_HOOK ssize_t name parameters                                                               \
    {                                                                                              \
        struct cup_copy room, *copy = begin_copy(&room, from, to);                                 \
        return end_copy(copy, call, from_offset, to_offset);                                       \
    }

COPY_HOOK(sendfile, (int to, int from, off_t *offset, size_t bytes),
          CUP_REAL(sendfile)(to, from, offset, bytes), offset, NULL)
COPY_HOOK(sendfile64, (int to, int from, off64_t *offset, size_t bytes),
          CUP_REAL(sendfile64)(to, from, offset, bytes), offset, NULL)
COPY_HOOK(copy_file_range,
          (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
           unsigned flags),
          CUP_CALL_OPTIONAL(copy_file_range, from, from_offset, to, to_offset, bytes, flags),
          from_offset, to_offset)
COPY_HOOK(splice,
          (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
           unsigned flags),
          CUP_REAL(splice)(from, from_offset, to, to_offset, bytes, flags), from_offset, to_offset)
