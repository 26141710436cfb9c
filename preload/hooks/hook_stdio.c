/* Wrappers of stdio: counted is what the caller is handed or hands over. libc fills and empties
 * its buffers by calls that nobody can interpose. */
#include "preload/sys/hook_list.h"

#include "preload/io/descriptor.h"
#include "preload/io/opening.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/root/root_records.h"
#include "preload/sys/raw.h"

#include <errno.h>
#include <string.h>

/* The stream's descriptor; -1 for streams without one (memory, cookies), whose bytes, if any
 * come from a file, are counted where they are read. */
static int descriptor_of(FILE *stream)
{
    return stream && (cup_active() || cup_child_waiting) ? stream->_fileno : -1;
}

/* A stream's descriptor was opened inside libc, by a call that began at START (ticks). */
static void stream_opened(FILE *stream, const char *path, uint64_t start)
{
    int saved = errno;
    if (!cup_active()) /* asked once: another thread may open the log in between */
        return;
    if (!stream) {
        cup_opening_failed(path, saved, start);
    } else if (stream->_fileno >= 0 && cup_raw_getpid() == (int)cup_log_header()->pid) {
        cup_descriptor_opened(stream->_fileno, path);
        cup_opening_done(stream->_fileno, start);
    }
    errno = saved;
}

static void stream_closes(FILE *stream)
{
    int saved = errno;
    int fd = cup_active() ? descriptor_of(stream) : -1;
    if (fd >= 0 && cup_raw_getpid() == (int)cup_log_header()->pid)
        cup_descriptor_forget(fd);
    errno = saved;
}

#define DISK(call) CUP_WAITING(CUP_WAIT_IO, CUP_MAY_WAIT, call)

#define OPEN(path, call)                                                                           \
    ({                                                                                             \
        uint64_t start_ = cup_ticks();                                                             \
        FILE *opened_ = DISK(call);                                                                \
        stream_opened(opened_, path, start_);                                                      \
        opened_;                                                                                   \
    })

CUP_HOOK FILE *fopen(const char *path, const char *mode)
{
    return OPEN(path, CUP_REAL(fopen)(path, mode));
}

CUP_HOOK FILE *fopen64(const char *path, const char *mode)
{
    return OPEN(path, CUP_REAL(fopen64)(path, mode));
}

CUP_HOOK FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    stream_closes(stream);
    return OPEN(path, CUP_REAL(freopen)(path, mode, stream));
}

CUP_HOOK FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
    stream_closes(stream);
    return OPEN(path, CUP_REAL(freopen64)(path, mode, stream));
}

CUP_HOOK int fclose(FILE *stream)
{
    stream_closes(stream);
    return DISK(CUP_REAL(fclose)(stream));
}

CUP_HOOK int pclose(FILE *stream)
{
    stream_closes(stream);
    return CUP_WAITING(CUP_WAIT_LOCK, CUP_WAITS, CUP_REAL(pclose)(stream)); /* for the child */
}

#define STREAM(kind, stream, type, call, bytes)                                                    \
    CUP_TRANSFER(kind, descriptor_of(stream), CUP_AT_CURSOR, type, call, bytes, NULL, 0)

/* Of a stream libc moves the position by calls that nobody can interpose: asked for where it is of
 * use, and that is not known otherwise. */
static int64_t began_at(FILE *stream, const struct cup_transfer *transfer, size_t bytes)
{
    if (!bytes || transfer->descriptor->class != CUP_FILE_DATA ||
        !cup_root_may_be(transfer->descriptor->file))
        return CUP_AT_CURSOR;
    int saved = errno;
    int64_t end = ftello(stream);
    errno = saved;
    return end < (int64_t)bytes ? CUP_AT_CURSOR : end - (int64_t)bytes;
}

#define FREAD(buffer, stream, size, call)                                                          \
    CUP_TRANSFER(CUP_GET, descriptor_of(stream), began_at(stream, &transfer, result *(size)),      \
                 size_t, call, result *(size), buffer, 0)

/* One character: the short way if the stream's descriptor is known and the thread runs a task. */
#define CHARACTER(kind, stream, call)                                                              \
    int fd = descriptor_of(stream);                                                                \
    struct cup_transfer transfer;                                                                  \
    cup_child_before((kind) != CUP_WRITE, fd);                                                     \
    struct cup_descriptor *known = fd >= 0 && cup_self.own ? cup_descriptor_known(fd) : NULL;      \
    bool counted = fd >= 0 && !known && cup_transfer_begin(&transfer, fd);                         \
    int result = call;                                                                             \
    if (__builtin_expect(counted, 0))                                                              \
        cup_transfer_end(&transfer, kind, result != EOF, CUP_AT_CURSOR, NULL, 0);                  \
    else if (known && result != EOF)                                                               \
        cup_transfer_character(known, kind);                                                       \
    return result

/* ---- reads ------------------------------------------------------------------------------- */

CUP_HOOK size_t fread(void *buffer, size_t size, size_t count, FILE *stream)
{
    FREAD(buffer, stream, size, CUP_REAL(fread)(buffer, size, count, stream));
}

CUP_HOOK size_t fread_unlocked(void *buffer, size_t size, size_t count, FILE *stream)
{
    FREAD(buffer, stream, size, CUP_REAL(fread_unlocked)(buffer, size, count, stream));
}

CUP_HOOK size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream)
{
    FREAD(buffer, stream, size,
          CUP_HAVE(__fread_chk) ? real___fread_chk(buffer, room, size, count, stream) : 0);
}

CUP_HOOK size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t count,
                                     FILE *stream)
{
    FREAD(buffer, stream, size,
          CUP_HAVE(__fread_unlocked_chk)
              ? real___fread_unlocked_chk(buffer, room, size, count, stream)
              : 0);
}

/* A line with a NUL byte in it counts up to that byte: fgets does not say how long it was. */
CUP_HOOK char *fgets(char *text, int bytes, FILE *stream)
{
    STREAM(CUP_GET, stream, char *, CUP_REAL(fgets)(text, bytes, stream),
           result ? strlen(result) : 0);
}

CUP_HOOK char *fgets_unlocked(char *text, int bytes, FILE *stream)
{
    STREAM(CUP_GET, stream, char *, CUP_REAL(fgets_unlocked)(text, bytes, stream),
           result ? strlen(result) : 0);
}

CUP_HOOK char *__fgets_chk(char *text, size_t room, int bytes, FILE *stream)
{
    STREAM(CUP_GET, stream, char *,
           CUP_HAVE(__fgets_chk) ? real___fgets_chk(text, room, bytes, stream) : NULL,
           result ? strlen(result) : 0);
}

CUP_HOOK char *__fgets_unlocked_chk(char *text, size_t room, int bytes, FILE *stream)
{
    STREAM(CUP_GET, stream, char *,
           CUP_HAVE(__fgets_unlocked_chk) ? real___fgets_unlocked_chk(text, room, bytes, stream)
                                          : NULL,
           result ? strlen(result) : 0);
}

CUP_HOOK int fgetc(FILE *stream)
{
    CHARACTER(CUP_GET, stream, CUP_REAL(fgetc)(stream));
}

CUP_HOOK int fgetc_unlocked(FILE *stream)
{
    CHARACTER(CUP_GET, stream, CUP_REAL(fgetc_unlocked)(stream));
}

CUP_HOOK int getc(FILE *stream)
{
    CHARACTER(CUP_GET, stream, CUP_REAL(getc)(stream));
}

CUP_HOOK int getc_unlocked(FILE *stream)
{
    CHARACTER(CUP_GET, stream, CUP_REAL(getc_unlocked)(stream));
}

CUP_HOOK int _IO_getc(FILE *stream)
{
    CHARACTER(CUP_GET, stream, CUP_HAVE(_IO_getc) ? real__IO_getc(stream) : cup_missing());
}

CUP_HOOK ssize_t getline(char **line, size_t *size, FILE *stream)
{
    STREAM(CUP_GET, stream, ssize_t, CUP_REAL(getline)(line, size, stream), result);
}

CUP_HOOK ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *stream)
{
    STREAM(CUP_GET, stream, ssize_t, CUP_REAL(getdelim)(line, size, delimiter, stream), result);
}

CUP_HOOK ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *stream)
{
    STREAM(CUP_GET, stream, ssize_t,
           CUP_HAVE(__getdelim) ? real___getdelim(line, size, delimiter, stream) : cup_missing(),
           result);
}

/* -1 is a number as well. */
CUP_HOOK int getw(FILE *stream)
{
    STREAM(CUP_GET, stream, int, CUP_REAL(getw)(stream),
           result == EOF && feof(stream) ? 0 : sizeof result);
}

CUP_HOOK int getchar(void)
{
    CHARACTER(CUP_GET, stdin, CUP_REAL(getchar)());
}

CUP_HOOK int getchar_unlocked(void)
{
    CHARACTER(CUP_GET, stdin, CUP_REAL(getchar_unlocked)());
}

/* scanf does not say how many bytes it took: the position before and after does. */
static int64_t position(FILE *stream)
{
    int saved = errno;
    int64_t at = ftello(stream);
    errno = saved;
    return at;
}

#define SCAN(stream, call)                                                                         \
    int fd = descriptor_of(stream);                                                                \
    struct cup_transfer transfer;                                                                  \
    cup_child_before(true, fd);                                                                    \
    bool counted = fd >= 0 && cup_transfer_begin(&transfer, fd);                                   \
    int64_t before = counted ? position(stream) : 0;                                               \
    int result = call;                                                                             \
    if (__builtin_expect(counted, 0))                                                              \
        cup_transfer_end(&transfer, CUP_GET, position(stream) - before, CUP_AT_CURSOR, NULL, 0);   \
    return result

/* The headers send fscanf to __isoc99_fscanf by an assembler name; the plain ones, which old
 * programs call, are given theirs the same way. */
int plain_vfscanf(FILE *stream, const char *format, va_list arguments) __asm__("vfscanf");
int plain_fscanf(FILE *stream, const char *format, ...) __asm__("fscanf");

CUP_HOOK int plain_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    SCAN(stream, CUP_REAL(vfscanf)(stream, format, arguments));
}

CUP_HOOK int __isoc99_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    SCAN(stream, CUP_HAVE(__isoc99_vfscanf) ? real___isoc99_vfscanf(stream, format, arguments)
                                            : cup_missing());
}

CUP_HOOK int __isoc23_vfscanf(FILE *stream, const char *format, va_list arguments)
{
    SCAN(stream, CUP_HAVE(__isoc23_vfscanf) ? real___isoc23_vfscanf(stream, format, arguments)
                                            : cup_missing());
}

/* The variable forms hand on to the va_list forms, whose wrappers count. */
#define VARIADIC(last, call)                                                                       \
    va_list arguments;                                                                             \
    va_start(arguments, last);                                                                     \
    int result = call;                                                                             \
    va_end(arguments);                                                                             \
    return result

CUP_HOOK int plain_fscanf(FILE *stream, const char *format, ...)
{
    VARIADIC(format, plain_vfscanf(stream, format, arguments));
}

CUP_HOOK int __isoc99_fscanf(FILE *stream, const char *format, ...)
{
    VARIADIC(format, __isoc99_vfscanf(stream, format, arguments));
}

CUP_HOOK int __isoc23_fscanf(FILE *stream, const char *format, ...)
{
    VARIADIC(format, __isoc23_vfscanf(stream, format, arguments));
}

/* ---- writes ------------------------------------------------------------------------------ */

CUP_HOOK size_t fwrite(const void *buffer, size_t size, size_t count, FILE *stream)
{
    STREAM(CUP_WRITE, stream, size_t, CUP_REAL(fwrite)(buffer, size, count, stream), result * size);
}

CUP_HOOK size_t fwrite_unlocked(const void *buffer, size_t size, size_t count, FILE *stream)
{
    STREAM(CUP_WRITE, stream, size_t, CUP_REAL(fwrite_unlocked)(buffer, size, count, stream),
           result * size);
}

CUP_HOOK int fputs(const char *text, FILE *stream)
{
    STREAM(CUP_WRITE, stream, int, CUP_REAL(fputs)(text, stream), result < 0 ? 0 : strlen(text));
}

CUP_HOOK int fputs_unlocked(const char *text, FILE *stream)
{
    STREAM(CUP_WRITE, stream, int, CUP_REAL(fputs_unlocked)(text, stream),
           result < 0 ? 0 : strlen(text));
}

CUP_HOOK int fputc(int c, FILE *stream)
{
    CHARACTER(CUP_WRITE, stream, CUP_REAL(fputc)(c, stream));
}

CUP_HOOK int fputc_unlocked(int c, FILE *stream)
{
    CHARACTER(CUP_WRITE, stream, CUP_REAL(fputc_unlocked)(c, stream));
}

CUP_HOOK int putc(int c, FILE *stream)
{
    CHARACTER(CUP_WRITE, stream, CUP_REAL(putc)(c, stream));
}

CUP_HOOK int putc_unlocked(int c, FILE *stream)
{
    CHARACTER(CUP_WRITE, stream, CUP_REAL(putc_unlocked)(c, stream));
}

CUP_HOOK int _IO_putc(int c, FILE *stream)
{
    CHARACTER(CUP_WRITE, stream, CUP_HAVE(_IO_putc) ? real__IO_putc(c, stream) : cup_missing());
}

CUP_HOOK int vfprintf(FILE *stream, const char *format, va_list arguments)
{
    STREAM(CUP_WRITE, stream, int, CUP_REAL(vfprintf)(stream, format, arguments), result);
}

CUP_HOOK int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments)
{
    STREAM(CUP_WRITE, stream, int,
           CUP_HAVE(__vfprintf_chk) ? real___vfprintf_chk(stream, flag, format, arguments)
                                    : cup_missing(),
           result);
}

CUP_HOOK int fprintf(FILE *stream, const char *format, ...)
{
    VARIADIC(format, vfprintf(stream, format, arguments));
}

CUP_HOOK int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    VARIADIC(format, __vfprintf_chk(stream, flag, format, arguments));
}

CUP_HOOK int putw(int word, FILE *stream)
{
    STREAM(CUP_WRITE, stream, int, CUP_REAL(putw)(word, stream), result == EOF ? 0 : sizeof word);
}

/* ---- writes to standard output ----------------------------------------------------------- */

CUP_HOOK int putchar(int c)
{
    CHARACTER(CUP_WRITE, stdout, CUP_REAL(putchar)(c));
}

CUP_HOOK int putchar_unlocked(int c)
{
    CHARACTER(CUP_WRITE, stdout, CUP_REAL(putchar_unlocked)(c));
}

/* It adds the end of the line. */
CUP_HOOK int puts(const char *text)
{
    STREAM(CUP_WRITE, stdout, int, CUP_REAL(puts)(text), result < 0 ? 0 : strlen(text) + 1);
}

CUP_HOOK int vprintf(const char *format, va_list arguments)
{
    STREAM(CUP_WRITE, stdout, int, CUP_REAL(vprintf)(format, arguments), result);
}

CUP_HOOK int __vprintf_chk(int flag, const char *format, va_list arguments)
{
    STREAM(CUP_WRITE, stdout, int,
           CUP_HAVE(__vprintf_chk) ? real___vprintf_chk(flag, format, arguments) : cup_missing(),
           result);
}

CUP_HOOK int printf(const char *format, ...)
{
    VARIADIC(format, vprintf(format, arguments));
}

CUP_HOOK int __printf_chk(int flag, const char *format, ...)
{
    VARIADIC(format, __vprintf_chk(flag, format, arguments));
}

/* ---- writes to a descriptor -------------------------------------------------------------- */

CUP_HOOK int vdprintf(int fd, const char *format, va_list arguments)
{
    CUP_TRANSFER(CUP_WRITE, fd, CUP_AT_CURSOR, int, CUP_REAL(vdprintf)(fd, format, arguments),
                 result, NULL, 0);
}

CUP_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    CUP_TRANSFER(CUP_WRITE, fd, CUP_AT_CURSOR, int,
                 CUP_HAVE(__vdprintf_chk) ? real___vdprintf_chk(fd, flag, format, arguments)
                                          : cup_missing(),
                 result, NULL, 0);
}

CUP_HOOK int dprintf(int fd, const char *format, ...)
{
    VARIADIC(format, vdprintf(fd, format, arguments));
}

CUP_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    VARIADIC(format, __vdprintf_chk(fd, flag, format, arguments));
}
