/* Wrappers of stdio. They count what a caller receives or hands over, not the reads and writes of
 * libc's buffers: those are calls inside libc that cannot be intercepted. */
#include "preload/sys/hook_list.h"

#include "preload/hooks/waiting.h"
#include "preload/io/descriptor.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/thread.h"
#include "preload/root/root_records.h"

#include <errno.h>
#include <string.h>

/* The stream's descriptor; -1 where nothing is recorded, and for streams without one (in memory, or
 * made by fopencookie()). If the bytes of those come from a file, the reads of that file count. As
 * libc's fileno() does, this looks at the flag _IO_IS_FILEBUF first: of open_memstream()'s streams
 * _fileno is any number. */
static int descriptor_of(FILE *stream)
{
    enum { IS_FILEBUF = 0x2000 };
    bool has = stream && (cup_active() || cup_child_waiting) && stream->_flags & IS_FILEBUF;
    return has ? stream->_fileno : -1;
}

/* ---- opened and closed ------------------------------------------------------------------- */

/* fopen() calls open() inside libc, where no hook sees it. The call returned STREAM; returns it
 * too. */
static inline FILE *end_stream_open(struct open_call *call, FILE *stream, const char *path)
{
    finish_wait(call->wait);
    if (!stream || stream->_fileno >= 0)
        note_opened(call, stream ? stream->_fileno : -1, path);
    return stream;
}

/* Clears the stream's descriptor before it is closed: afterwards the number may already refer to a
 * file that another thread opened. */
static void clear_stream(FILE *stream)
{
    int saved = errno;
    int fd = cup_active() ? descriptor_of(stream) : -1;
    if (fd >= 0 && cup_descriptor_is_ours())
        cup_descriptor_clear(fd);
    errno = saved;
}

#define FOPEN_SIBLING(name)                                                                        \
    CUP_HOOK FILE *name(const char *path, const char *mode)                                        \
    {                                                                                              \
        struct open_call call;                                                                     \
        begin_open(&call, path);                                                                   \
        return end_stream_open(&call, CUP_REAL(name)(path, mode), path);                           \
    }

FOPEN_SIBLING(fopen)
FOPEN_SIBLING(fopen64)

#define FREOPEN_SIBLING(name)                                                                      \
    CUP_HOOK FILE *name(const char *path, const char *mode, FILE *stream)                          \
    {                                                                                              \
        struct open_call call;                                                                     \
        clear_stream(stream);                                                                      \
        begin_open(&call, path);                                                                   \
        return end_stream_open(&call, CUP_REAL(name)(path, mode, stream), path);                   \
    }

FREOPEN_SIBLING(freopen)
FREOPEN_SIBLING(freopen64)

CUP_HOOK int fclose(FILE *stream)
{
    clear_stream(stream);
    struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_IO, CUP_MAY_WAIT);
    return end_wait(wait, CUP_REAL(fclose)(stream));
}

/* pclose() waits for the process at the other end of the pipe. */
CUP_HOOK int pclose(FILE *stream)
{
    clear_stream(stream);
    struct cup_wait room, *wait = begin_lock_wait(&room);
    return end_wait(wait, CUP_REAL(pclose)(stream));
}

/* ---- one call ---------------------------------------------------------------------------- */

static inline struct cup_transfer *begin_get(struct cup_transfer *room, FILE *stream)
{
    return cup_transfer_begin(room, CUP_GET, descriptor_of(stream));
}

static inline struct cup_transfer *begin_put(struct cup_transfer *room, FILE *stream)
{
    return cup_transfer_begin(room, CUP_WRITE, descriptor_of(stream));
}

/* For calls that return how many bytes they moved. */
static inline ssize_t end_bytes(struct cup_transfer *transfer, ssize_t bytes)
{
    return cup_transfer_end(transfer, bytes, CUP_AT_CURSOR, NULL, 0);
}

/* Where a read of BYTES began. libc moves a stream's position by calls that cannot be intercepted,
 * so ftello() is called after the read, but only where it is of use: to look for baskets in a file
 * that may be a ROOT file. */
static int64_t find_start(FILE *stream, const struct cup_transfer *transfer, size_t bytes)
{
    if (!bytes || transfer->descriptor->class != CUP_FILE_DATA ||
        !cup_root_may_be(transfer->descriptor->file))
        return CUP_AT_CURSOR;
    int saved = errno;
    int64_t end = ftello(stream);
    errno = saved;
    return end < (int64_t)bytes ? CUP_AT_CURSOR : end - (int64_t)bytes;
}

/* COUNT items of SIZE bytes were read into BUFFER. Returns COUNT. */
static inline size_t end_fread(struct cup_transfer *transfer, size_t count, size_t size,
                               const void *buffer, FILE *stream)
{
    size_t bytes = count * size;
    if (__builtin_expect(transfer != NULL, 0))
        cup_transfer_finish(transfer, (ssize_t)bytes, find_start(stream, transfer, bytes), buffer,
                            0);
    return count;
}

/* How an fread() of COUNT items of SIZE bytes is recorded: it asks for single bytes, because of an
 * item of which only a part was there, fread() says nothing. Libc does the same inside. */
struct items {
    size_t size, count; /* that are asked for */
    size_t bytes;       /* of an item; 1: what is asked for is what the program asked for */
};

static inline struct items split_items(const struct cup_transfer *transfer, size_t size,
                                       size_t count)
{
    size_t bytes;
    bool splits = transfer && size > 1 && !__builtin_mul_overflow(size, count, &bytes);
    return splits ? (struct items){1, bytes, size} : (struct items){size, count, 1};
}

static inline size_t whole_items(struct items items, size_t got)
{
    return items.bytes > 1 ? got / items.bytes : got;
}

static inline size_t end_fwrite(struct cup_transfer *transfer, size_t count, size_t size)
{
    end_bytes(transfer, (ssize_t)(count * size));
    return count;
}

/* For fgets(), which does not return how long the line is: a line with a NUL byte counts up to that
 * byte. */
static inline char *end_line(struct cup_transfer *transfer, char *line)
{
    if (__builtin_expect(transfer != NULL, 0))
        end_bytes(transfer, line ? (ssize_t)strlen(line) : 0);
    return line;
}

/* For fputs() and puts(), whose result is not a length: they wrote TEXT, and MORE bytes. */
static inline int end_text(struct cup_transfer *transfer, int result, const char *text, int more)
{
    if (__builtin_expect(transfer != NULL, 0))
        end_bytes(transfer, result < 0 ? 0 : (ssize_t)strlen(text) + more);
    return result;
}

/* ---- one character ----------------------------------------------------------------------- */

/* A call that moves one character takes a nanosecond, and programs make millions of them. If the
 * descriptor is known and the thread runs a task, it is counted and not timed; else it is a
 * transfer like any other. */
static inline struct cup_transfer *begin_character(struct cup_transfer *room, enum cup_call call,
                                                   FILE *stream)
{
    int fd = descriptor_of(stream);
    struct cup_descriptor *known = fd >= 0 && cup_self.own ? cup_descriptor_known(fd) : NULL;
    if (!known)
        return cup_transfer_begin(room, call, fd);
    cup_transfer_begin_character(room, call, known);
    return room;
}

static inline int end_character(struct cup_transfer *transfer, int result)
{
    if (__builtin_expect(transfer != NULL, 0)) {
        if (!cup_transfer_is_character(transfer))
            cup_transfer_finish(transfer, result != EOF, CUP_AT_CURSOR, NULL, 0);
        else if (result != EOF)
            cup_transfer_finish_character(transfer);
    }
    return result;
}

/* ---- reads ------------------------------------------------------------------------------- */

/* The wrapper of a call that reads from STREAM. It ends with END(), one of the functions above,
 * whose arguments are the call and what follows it. PUT_HOOK() is the same for a call that writes.
 */
#define GET_HOOK(type, name, parameters, end, ...)                                                 \
    CUP_HOOK type name parameters                                                                  \
    {                                                                                              \
        struct cup_transfer room, *transfer = begin_get(&room, stream);                            \
        return end(transfer, __VA_ARGS__);                                                         \
    }
#define PUT_HOOK(type, name, parameters, stream, end, ...)                                         \
    CUP_HOOK type name parameters                                                                  \
    {                                                                                              \
        struct cup_transfer room, *transfer = begin_put(&room, stream);                            \
        return (type)end(transfer, __VA_ARGS__);                                                   \
    }

#define FREAD_HOOK(name, parameters, call)                                                         \
    CUP_HOOK size_t name parameters                                                                \
    {                                                                                              \
        struct cup_transfer room, *transfer = begin_get(&room, stream);                            \
        struct items ask = split_items(transfer, size, count);                                     \
        return whole_items(ask, end_fread(transfer, call, ask.size, buffer, stream));              \
    }

/* clang-format off */
FREAD_HOOK(fread, (void *buffer, size_t size, size_t count, FILE *stream),
           CUP_REAL(fread)(buffer, ask.size, ask.count, stream))
FREAD_HOOK(fread_unlocked, (void *buffer, size_t size, size_t count, FILE *stream),
           CUP_REAL(fread_unlocked)(buffer, ask.size, ask.count, stream))
FREAD_HOOK(__fread_chk, (void *buffer, size_t capacity, size_t size, size_t count, FILE *stream),
           CUP_HAVE(__fread_chk)
               ? real___fread_chk(buffer, capacity, ask.size, ask.count, stream)
               : 0)
FREAD_HOOK(__fread_unlocked_chk,
           (void *buffer, size_t capacity, size_t size, size_t count, FILE *stream),
           CUP_HAVE(__fread_unlocked_chk)
               ? real___fread_unlocked_chk(buffer, capacity, ask.size, ask.count, stream)
               : 0)
GET_HOOK(char *, fgets, (char *text, int bytes, FILE *stream), end_line,
         CUP_REAL(fgets)(text, bytes, stream))
GET_HOOK(char *, fgets_unlocked, (char *text, int bytes, FILE *stream), end_line,
         CUP_REAL(fgets_unlocked)(text, bytes, stream))
GET_HOOK(char *, __fgets_chk, (char *text, size_t capacity, int bytes, FILE *stream), end_line,
         CUP_HAVE(__fgets_chk) ? real___fgets_chk(text, capacity, bytes, stream) : NULL)
GET_HOOK(char *, __fgets_unlocked_chk, (char *text, size_t capacity, int bytes, FILE *stream),
         end_line,
         CUP_HAVE(__fgets_unlocked_chk) ? real___fgets_unlocked_chk(text, capacity, bytes, stream)
                                        : NULL)
GET_HOOK(ssize_t, getline, (char **line, size_t *size, FILE *stream), end_bytes,
         CUP_REAL(getline)(line, size, stream))
GET_HOOK(ssize_t, getdelim, (char **line, size_t *size, int delimiter, FILE *stream), end_bytes,
         CUP_REAL(getdelim)(line, size, delimiter, stream))
GET_HOOK(ssize_t, __getdelim, (char **line, size_t *size, int delimiter, FILE *stream), end_bytes,
         CUP_CALL_OPTIONAL(__getdelim, line, size, delimiter, stream))
/* clang-format on */

/* One of getc(), putc() and their siblings, which differ in name, and in locking the stream. */
#define CHARACTER_HOOK(name, parameters, way, stream, call)                                        \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        struct cup_transfer room, *transfer = begin_character(&room, way, stream);                 \
        return end_character(transfer, call);                                                      \
    }
#define GETC_SIBLING(name)                                                                         \
    CHARACTER_HOOK(name, (FILE * stream), CUP_GET, stream, CUP_CALL_OPTIONAL(name, stream))

GETC_SIBLING(fgetc)
GETC_SIBLING(fgetc_unlocked)
GETC_SIBLING(getc)
GETC_SIBLING(getc_unlocked)
GETC_SIBLING(_IO_getc)
CHARACTER_HOOK(getchar, (void), CUP_GET, stdin, CUP_REAL(getchar)())
CHARACTER_HOOK(getchar_unlocked, (void), CUP_GET, stdin, CUP_REAL(getchar_unlocked)())

/* -1 is also a number, so only feof() shows that nothing was read. */
CUP_HOOK int getw(FILE *stream)
{
    struct cup_transfer room, *transfer = begin_get(&room, stream);
    int result = CUP_REAL(getw)(stream);
    if (__builtin_expect(transfer != NULL, 0))
        end_bytes(transfer, result == EOF && feof(stream) ? 0 : (ssize_t)sizeof result);
    return result;
}

static int64_t find_position(FILE *stream)
{
    int saved = errno;
    int64_t at = ftello(stream);
    errno = saved;
    return at;
}

/* ---- positions --------------------------------------------------------------------------- */

/* A call that sets STREAM's position returned RESULT: 0 if it did. Returns RESULT. */
static int note_stream_position(FILE *stream, int result)
{
    int fd = result == 0 && cup_active() ? descriptor_of(stream) : -1;
    int64_t at = fd >= 0 ? find_position(stream) : -1;
    if (at >= 0)
        cup_descriptor_moved(fd, at);
    return result;
}

/* clang-format off */
#define SEEK_HOOK(name, parameters, ...)                                                           \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        return note_stream_position(stream, CUP_REAL(name)(__VA_ARGS__));                          \
    }
SEEK_HOOK(fseek, (FILE *stream, long offset, int whence), stream, offset, whence)
SEEK_HOOK(fseeko, (FILE *stream, off_t offset, int whence), stream, offset, whence)
SEEK_HOOK(fseeko64, (FILE *stream, off64_t offset, int whence), stream, offset, whence)
SEEK_HOOK(fsetpos, (FILE *stream, const fpos_t *position), stream, position)
SEEK_HOOK(fsetpos64, (FILE *stream, const fpos64_t *position), stream, position)
/* clang-format on */

CUP_HOOK void rewind(FILE *stream)
{
    CUP_REAL(rewind)(stream);
    int saved = errno;
    note_stream_position(stream, 0);
    errno = saved;
}

/* ---- scanf ------------------------------------------------------------------------------- */

/* scanf() returns how many items it read; how many bytes those took shows in the stream's position
 * before and after. */
struct scan_call {
    int64_t before;
    struct cup_transfer room, *transfer;
};

static inline void begin_scan(struct scan_call *call, FILE *stream)
{
    call->transfer = begin_get(&call->room, stream);
    call->before = call->transfer ? find_position(stream) : 0;
}

static inline int end_scan(struct scan_call *call, int result, FILE *stream)
{
    if (call->transfer)
        end_bytes(call->transfer, find_position(stream) - call->before);
    return result;
}

/* The headers give fscanf() the assembler name __isoc99_fscanf. The plain names, which old programs
 * call, are assigned in the same way. */
int plain_vfscanf(FILE *stream, const char *format, va_list arguments) __asm__("vfscanf");
int plain_fscanf(FILE *stream, const char *format, ...) __asm__("fscanf");

#define SCAN_HOOK(name, call)                                                                      \
    CUP_HOOK int name(FILE *stream, const char *format, va_list arguments)                         \
    {                                                                                              \
        struct scan_call scan;                                                                     \
        begin_scan(&scan, stream);                                                                 \
        return end_scan(&scan, call, stream);                                                      \
    }

SCAN_HOOK(plain_vfscanf, CUP_REAL(vfscanf)(stream, format, arguments))
SCAN_HOOK(__isoc99_vfscanf, CUP_CALL_OPTIONAL(__isoc99_vfscanf, stream, format, arguments))
SCAN_HOOK(__isoc23_vfscanf, CUP_CALL_OPTIONAL(__isoc23_vfscanf, stream, format, arguments))

/* Forms with variable arguments call the wrapper of their va_list form, FORM, which counts. The
 * last arguments, up to the format, are those that go before the va_list. */
#define VARIADIC_HOOK(name, parameters, form, ...)                                                 \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        int result = form(__VA_ARGS__, arguments);                                                 \
        va_end(arguments);                                                                         \
        return result;                                                                             \
    }

/* clang-format off */
VARIADIC_HOOK(plain_fscanf, (FILE *stream, const char *format, ...), plain_vfscanf, stream, format)
VARIADIC_HOOK(__isoc99_fscanf, (FILE *stream, const char *format, ...), __isoc99_vfscanf,
              stream, format)
VARIADIC_HOOK(__isoc23_fscanf, (FILE *stream, const char *format, ...), __isoc23_vfscanf,
              stream, format)

/* ---- writes ------------------------------------------------------------------------------ */

PUT_HOOK(size_t, fwrite, (const void *buffer, size_t size, size_t count, FILE *stream), stream,
         end_fwrite, CUP_REAL(fwrite)(buffer, size, count, stream), size)
PUT_HOOK(size_t, fwrite_unlocked, (const void *buffer, size_t size, size_t count, FILE *stream),
         stream, end_fwrite, CUP_REAL(fwrite_unlocked)(buffer, size, count, stream), size)
PUT_HOOK(int, fputs, (const char *text, FILE *stream), stream, end_text,
         CUP_REAL(fputs)(text, stream), text, 0)
PUT_HOOK(int, fputs_unlocked, (const char *text, FILE *stream), stream, end_text,
         CUP_REAL(fputs_unlocked)(text, stream), text, 0)
PUT_HOOK(int, puts, (const char *text), stdout, end_text, CUP_REAL(puts)(text), text, 1)

#define PUTC_SIBLING(name)                                                                         \
    CHARACTER_HOOK(name, (int c, FILE *stream), CUP_WRITE, stream,                                 \
                   CUP_CALL_OPTIONAL(name, c, stream))

PUTC_SIBLING(fputc)
PUTC_SIBLING(fputc_unlocked)
PUTC_SIBLING(putc)
PUTC_SIBLING(putc_unlocked)
PUTC_SIBLING(_IO_putc)
CHARACTER_HOOK(putchar, (int c), CUP_WRITE, stdout, CUP_REAL(putchar)(c))
CHARACTER_HOOK(putchar_unlocked, (int c), CUP_WRITE, stdout, CUP_REAL(putchar_unlocked)(c))

PUT_HOOK(int, vfprintf, (FILE *stream, const char *format, va_list arguments), stream, end_bytes,
         CUP_REAL(vfprintf)(stream, format, arguments))
PUT_HOOK(int, __vfprintf_chk, (FILE *stream, int flag, const char *format, va_list arguments),
         stream, end_bytes, CUP_CALL_OPTIONAL(__vfprintf_chk, stream, flag, format, arguments))
PUT_HOOK(int, vprintf, (const char *format, va_list arguments), stdout, end_bytes,
         CUP_REAL(vprintf)(format, arguments))
PUT_HOOK(int, __vprintf_chk, (int flag, const char *format, va_list arguments), stdout, end_bytes,
         CUP_CALL_OPTIONAL(__vprintf_chk, flag, format, arguments))

VARIADIC_HOOK(fprintf, (FILE *stream, const char *format, ...), vfprintf, stream, format)
VARIADIC_HOOK(__fprintf_chk, (FILE *stream, int flag, const char *format, ...), __vfprintf_chk,
              stream, flag, format)
VARIADIC_HOOK(printf, (const char *format, ...), vprintf, format)
VARIADIC_HOOK(__printf_chk, (int flag, const char *format, ...), __vprintf_chk, flag, format)
VARIADIC_HOOK(dprintf, (int fd, const char *format, ...), vdprintf, fd, format)
VARIADIC_HOOK(__dprintf_chk, (int fd, int flag, const char *format, ...), __vdprintf_chk,
              fd, flag, format)
/* clang-format on */

CUP_HOOK int putw(int word, FILE *stream)
{
    struct cup_transfer room, *transfer = begin_put(&room, stream);
    int result = CUP_REAL(putw)(word, stream);
    if (__builtin_expect(transfer != NULL, 0))
        end_bytes(transfer, result == EOF ? 0 : (ssize_t)sizeof word);
    return result;
}

CUP_HOOK int vdprintf(int fd, const char *format, va_list arguments)
{
    struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_WRITE, fd);
    return (int)end_bytes(transfer, CUP_REAL(vdprintf)(fd, format, arguments));
}

CUP_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_WRITE, fd);
    return (int)end_bytes(transfer, CUP_CALL_OPTIONAL(__vdprintf_chk, fd, flag, format, arguments));
}
