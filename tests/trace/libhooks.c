/* Every hook of descriptors, reads, writes and streams by its own name: see try.h. */
#include "tests/trace/try.h"

#include <stdint.h>
#include <sys/stat.h>

enum { BUFFER = 4096 };
static char buffer[BUFFER];

/* ---- descriptors come and go ------------------------------------------------------------------
 */

/* A descriptor from an open call: the first read of it counts the open. */
static void use_opened(struct trace *trace, int fd)
{
    say(trace, "opened %d\n", fd >= 0);
    expect_read(trace, SAY(trace, read(fd, buffer, 10)));
    expect_read(trace, SAY(trace, read(fd, buffer, 20)));
    trace->open_calls++;
    say(trace, "flags %x\n", fcntl(fd, F_GETFD));
    close(fd);
}

#define TRY_OPEN(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = trace->file;                                                            \
        use_opened(trace, SAY_FD(call(__VA_ARGS__)));                                              \
        path = "/nonexistent/file";                                                                \
        SAY_FD(call(__VA_ARGS__));                                                                 \
    }

TRY_OPEN(open, path, O_RDONLY | O_CLOEXEC)
TRY_OPEN(open64, path, O_RDONLY)
TRY_OPEN(__open, path, O_RDONLY)
TRY_OPEN(__open64, path, O_RDONLY)
TRY_OPEN(__open_2, path, O_RDONLY)
TRY_OPEN(__open64_2, path, O_RDONLY)
TRY_OPEN(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC)
TRY_OPEN(openat64, AT_FDCWD, path, O_RDONLY)
TRY_OPEN(__openat_2, AT_FDCWD, path, O_RDONLY)
TRY_OPEN(__openat64_2, AT_FDCWD, path, O_RDONLY)

/* The mode argument arrives. */
static void say_mode(struct trace *trace, const char *path)
{
    struct stat status;
    say(trace, "mode %o\n", stat(path, &status) ? 0 : status.st_mode);
}

static void use_created(struct trace *trace, int fd, const char *path)
{
    expect_write(trace, SAY(trace, write(fd, buffer, 33)));
    trace->open_calls++;
    say_mode(trace, path);
    close(fd);
    unlink(path);
}

#define TRY_CREAT(name)                                                                            \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = scratch_file(trace, #name);                                             \
        use_created(trace, SAY_FD(call(path, 0640)), path);                                        \
        SAY_FD(call("/nonexistent/file", 0640));                                                   \
    }
TRY_CREAT(creat)
TRY_CREAT(creat64)

void open_creates_with_its_mode(struct trace *trace)
{
    const char *path = scratch_file(trace, "mode");
    use_created(trace, SAY_FD(open(path, O_CREAT | O_WRONLY | O_EXCL, 0604)), path);
    use_created(trace, SAY_FD(openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 0460)), path);
    use_created(trace, SAY_FD(open64(path, O_CREAT | O_WRONLY, 0600)), path);
    int fd = SAY_FD(open(trace->scratch, O_TMPFILE | O_WRONLY, 0620));
    struct stat status;
    say(trace, "mode %o\n", fstat(fd, &status) ? 0 : status.st_mode);
    close(fd);
}

/* A number whose file was closed by CALL and that another file then got by ways that no hook
 * sees: what is read then belongs to the new file, or nothing is known of the old. */
static int known_descriptor(struct trace *trace)
{
    int fd = quiet_open(trace->file, O_RDONLY);
    expect_read(trace, read(fd, buffer, 100));
    return fd;
}

/* FD was closed: a pipe takes its number, whose bytes are no file's. */
static void expect_forgotten(struct trace *trace, int fd)
{
    int ends[2];
    if (syscall(SYS_pipe2, ends, 0))
        return;
    syscall(SYS_dup2, ends[0], fd);
    write(ends[1], "12345", 5);
    trace->pipe_bytes += SAY(trace, read(fd, buffer, 5));
    for (int i = 0; i < 2; i++)
        if (ends[i] != fd)
            close(ends[i]);
    close(fd); /* for good: the next test may get the number by ways that no hook sees */
}

#define TRY_CLOSE(name, ...)                                                                       \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = known_descriptor(trace);                                                          \
        SAY(trace, call(__VA_ARGS__));                                                             \
        say(trace, "is closed: %d\n", syscall(SYS_fcntl, fd, F_GETFD) < 0);                        \
        expect_forgotten(trace, fd);                                                               \
        fd = -1;                                                                                   \
        SAY(trace, call(__VA_ARGS__));                                                             \
    }
TRY_CLOSE(close, fd)
TRY_CLOSE(__close, fd)
TRY_CLOSE(close_range, (unsigned)fd, (unsigned)fd, fd < 0 ? 1 << 20 : 0)

/* Of one that is to close at the next exec nothing is forgotten: it was opened once. */
void closes_at_exec(struct trace *trace)
{
    int fd = known_descriptor(trace);
    SAY(trace, close_range((unsigned)fd, (unsigned)fd, 1 << 2));
    say(trace, "flags %d\n", fcntl(fd, F_GETFD));
    expect_read(trace, SAY(trace, read(fd, buffer, 10)));
    close(fd);
}

/* Everything from a high number on: nothing of the program's lies there. */
TRY(closefrom)
{
    int fd = known_descriptor(trace);
    syscall(SYS_dup2, fd, 900);
    quiet_close(fd);
    expect_read(trace, read(900, buffer, 10));
    errno = ERRNO_BEFORE;
    call(900);
    say(trace, "errno %d\n", errno);
    expect_forgotten(trace, 900);
}

/* A duplicate is a descriptor of the same file, whatever its number was before. */
static void use_duplicate(struct trace *trace, int fd, int copy)
{
    expect_read(trace, SAY(trace, read(copy, buffer, 50)));
    expect_read(trace, SAY(trace, pread(copy, buffer, 60, 1600)));
    say_bytes(trace, buffer, 60);
    close(fd);
    expect_read(trace, SAY(trace, read(copy, buffer, 70)));
    close(copy);
}

/* Number TARGET is a pipe that was read from: it must not stay one. */
static int pipe_at(struct trace *trace, int target)
{
    int ends[2];
    if (syscall(SYS_pipe2, ends, 0))
        return -1;
    syscall(SYS_dup2, ends[0], target);
    write(ends[1], "123", 3);
    trace->pipe_bytes += read(target, buffer, 3);
    close(ends[0]);
    close(ends[1]);
    return target;
}

#define TRY_DUP2(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = known_descriptor(trace), to = pipe_at(trace, 901);                                \
        use_duplicate(trace, fd, SAY(trace, call(__VA_ARGS__)));                                   \
        fd = -1;                                                                                   \
        SAY(trace, call(__VA_ARGS__));                                                             \
    }
TRY_DUP2(dup2, fd, to)
TRY_DUP2(__dup2, fd, to)
TRY_DUP2(dup3, fd, to, O_CLOEXEC)

TRY(dup)
{
    int fd = known_descriptor(trace);
    use_duplicate(trace, fd, SAY_FD(call(fd)));
    SAY(trace, call(-1));
}

#define TRY_FCNTL(name)                                                                            \
    TRY(name)                                                                                      \
    {                                                                                              \
        static const int commands[] = {F_DUPFD, F_DUPFD_CLOEXEC};                                  \
        for (int i = 0; i < 2; i++) {                                                              \
            pipe_at(trace, 902);                                                                   \
            quiet_close(902);                                                                      \
            int fd = known_descriptor(trace);                                                      \
            use_duplicate(trace, fd, SAY(trace, call(fd, commands[i], 902)));                      \
        }                                                                                          \
        int fd = known_descriptor(trace);                                                          \
        struct flock lock = {.l_type = F_RDLCK, .l_len = 10};                                      \
        SAY(trace, call(fd, F_SETFD, FD_CLOEXEC));                                                 \
        SAY(trace, call(fd, F_GETFD));                                                             \
        SAY(trace, call(fd, F_SETLK, &lock));                                                      \
        SAY(trace, call(-1, F_GETFL));                                                             \
        close(fd);                                                                                 \
    }
TRY_FCNTL(fcntl)
TRY_FCNTL(fcntl64)
TRY_FCNTL(__fcntl)

#define TRY_PIPE(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        int ends[2] = {-1, -1};                                                                    \
        SAY(trace, call(__VA_ARGS__));                                                             \
        write(ends[1], "12345", 5);                                                                \
        trace->pipe_bytes += SAY(trace, read(ends[0], buffer, 5));                                 \
        close(ends[0]);                                                                            \
        close(ends[1]);                                                                            \
    }
TRY_PIPE(pipe, ends)
TRY_PIPE(__pipe, ends)
TRY_PIPE(pipe2, ends, O_CLOEXEC)

#define TRY_LSEEK(name)                                                                            \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = known_descriptor(trace);                                                          \
        SAY(trace, call(fd, 1000, SEEK_SET));                                                      \
        expect_read(trace, SAY(trace, read(fd, buffer, 32)));                                      \
        say_bytes(trace, buffer, 32);                                                              \
        SAY(trace, call(fd, 0, SEEK_END));                                                         \
        SAY(trace, call(fd, -1, SEEK_SET));                                                        \
        SAY(trace, call(-1, 0, SEEK_SET));                                                         \
        close(fd);                                                                                 \
    }
TRY_LSEEK(lseek)
TRY_LSEEK(lseek64)
TRY_LSEEK(__lseek)

/* ---- reads and writes ---------------------------------------------------------------------------
 */

/* READ delivers 100 bytes, 16 at the file's end, 0 behind it where it has an offset; then fails
 * on a bad descriptor and on a directory. */
#define TRY_READ(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = quiet_open(trace->file, O_RDONLY);                                                \
        long offset = 1608;                                                                        \
        struct iovec parts[2] = {{buffer, 40}, {buffer + 40, 60}};                                 \
        (void)offset, (void)parts;                                                                 \
        expect_read(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        say_bytes(trace, buffer, 100);                                                             \
        syscall(SYS_lseek, fd, offset = TRACE_BYTES - 16, SEEK_SET);                               \
        expect_read(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        syscall(SYS_lseek, fd, offset = TRACE_BYTES, SEEK_SET);                                    \
        expect_read(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        close(fd);                                                                                 \
        fd = -1;                                                                                   \
        SAY(trace, call(__VA_ARGS__));                                                             \
        fd = quiet_open(trace->scratch, O_RDONLY | O_DIRECTORY);                                   \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(fd);                                                                                 \
    }

TRY_READ(read, fd, buffer, 100)
TRY_READ(__read, fd, buffer, 100)
TRY_READ(__read_chk, fd, buffer, 100, BUFFER)
TRY_READ(pread, fd, buffer, 100, offset)
TRY_READ(pread64, fd, buffer, 100, offset)
TRY_READ(__pread64, fd, buffer, 100, offset)
TRY_READ(__pread_chk, fd, buffer, 100, offset, BUFFER)
TRY_READ(__pread64_chk, fd, buffer, 100, offset, BUFFER)
TRY_READ(readv, fd, parts, 2)
TRY_READ(preadv, fd, parts, 2, offset)
TRY_READ(preadv64, fd, parts, 2, offset)
TRY_READ(preadv2, fd, parts, 2, offset, 0)
TRY_READ(preadv64v2, fd, parts, 2, offset, 0)

/* Offset -1 is the cursor for these two. */
void preadv2_at_the_cursor(struct trace *trace)
{
    int fd = quiet_open(trace->file, O_RDONLY);
    struct iovec part = {buffer, 100};
    expect_read(trace, SAY(trace, preadv2(fd, &part, 1, -1, 0)));
    expect_read(trace, SAY(trace, preadv64v2(fd, &part, 1, -1, 0)));
    say_bytes(trace, buffer, 100);
    SAY(trace, preadv2(fd, &part, 1, -2, 0));
    SAY(trace, preadv2(fd, &part, 1, 0, 1 << 30));
    close(fd);
}

#define TRY_WRITE(name, ...)                                                                       \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = quiet_open(scratch_file(trace, #name), O_RDWR | O_CREAT | O_TRUNC);               \
        long offset = 5000;                                                                        \
        struct iovec parts[2] = {{buffer, 40}, {buffer + 40, 60}};                                 \
        (void)offset, (void)parts;                                                                 \
        memset(buffer, 'w', 100);                                                                  \
        expect_write(trace, SAY(trace, call(__VA_ARGS__)));                                        \
        expect_write(trace, SAY(trace, call(__VA_ARGS__)));                                        \
        say(trace, "size %ld\n", (long)syscall(SYS_lseek, fd, 0, SEEK_END));                       \
        close(fd);                                                                                 \
        fd = -1;                                                                                   \
        SAY(trace, call(__VA_ARGS__));                                                             \
        fd = quiet_open(trace->file, O_RDONLY);                                                    \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(fd);                                                                                 \
    }

TRY_WRITE(write, fd, buffer, 100)
TRY_WRITE(__write, fd, buffer, 100)
TRY_WRITE(pwrite, fd, buffer, 100, offset)
TRY_WRITE(pwrite64, fd, buffer, 100, offset)
TRY_WRITE(__pwrite64, fd, buffer, 100, offset)
TRY_WRITE(writev, fd, parts, 2)
TRY_WRITE(pwritev, fd, parts, 2, offset)
TRY_WRITE(pwritev64, fd, parts, 2, offset)
TRY_WRITE(pwritev2, fd, parts, 2, offset, 0)
TRY_WRITE(pwritev64v2, fd, parts, 2, offset, 0)

/* ---- stdio
 * --------------------------------------------------------------------------------------- */

static FILE *quiet_stream(const char *path, int flags, const char *mode)
{
    return fdopen(quiet_open(path, flags), mode);
}

#define TRY_FOPEN(name, ...)                                                                       \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = trace->file;                                                            \
        FILE *stream = quiet_stream("/dev/null", O_RDONLY, "r"), *old = stream;                    \
        (void)old;                                                                                 \
        stream = SAY_POINTER(trace, call(__VA_ARGS__));                                            \
        expect_get(trace, SAY(trace, fread(buffer, 1, 100, stream)));                              \
        expect_get(trace, SAY(trace, fread(buffer, 1, 100, stream)));                              \
        trace->open_calls++;                                                                       \
        if (stream != old)                                                                         \
            fclose(old);                                                                           \
        old = stream;                                                                              \
        path = "/nonexistent/file";                                                                \
        stream = SAY_POINTER(trace, call(__VA_ARGS__));                                            \
        (void)stream;                                                                              \
    }
TRY_FOPEN(fopen, path, "r")
TRY_FOPEN(fopen64, path, "r")
TRY_FOPEN(freopen, path, "r", old)
TRY_FOPEN(freopen64, path, "r", old)

TRY(fclose)
{
    FILE *stream = quiet_stream(trace->file, O_RDONLY, "r");
    int fd = fileno(stream);
    expect_get(trace, fread(buffer, 1, 100, stream));
    SAY(trace, call(stream));
    expect_forgotten(trace, fd);
}

/* Sets the position twice, and fails once if there is a call that fails. */
#define TRY_SEEK(name, bad, ...)                                                                   \
    TRY(name)                                                                                      \
    {                                                                                              \
        FILE *stream = quiet_stream(trace->file, O_RDONLY, "r");                                   \
        fpos_t position __attribute__((unused));                                                   \
        int whence __attribute__((unused)) = SEEK_SET;                                             \
        expect_get(trace, SAY(trace, fread(buffer, 1, 100, stream)));                              \
        fgetpos(stream, &position);                                                                \
        for (int i = 0; i < 2; i++) {                                                              \
            SAY(trace, (__VA_ARGS__));                                                             \
            expect_get(trace, SAY(trace, fread(buffer, 1, 16, stream)));                           \
            say_bytes(trace, buffer, 16);                                                          \
        }                                                                                          \
        whence = 99;                                                                               \
        if (bad)                                                                                   \
            SAY(trace, (__VA_ARGS__));                                                             \
        fclose(stream);                                                                            \
    }
TRY_SEEK(fseek, true, call(stream, 3200, whence))
TRY_SEEK(fseeko, true, call(stream, 3200, whence))
TRY_SEEK(fseeko64, true, call(stream, 3200, whence))
TRY_SEEK(fsetpos, false, call(stream, &position))
TRY_SEEK(fsetpos64, false, call(stream, (const fpos64_t *)&position))
TRY_SEEK(rewind, false, call(stream), 0)

/* Far apart, so that each read is an access extent of its own. */
void stream_that_seeks(struct trace *trace)
{
    FILE *stream = fopen(trace->file, "r");
    trace->open_calls++;
    for (long at = 900000; at > 0; at -= 200000) {
        SAY(trace, fseek(stream, at, SEEK_SET));
        expect_get(trace, SAY(trace, fread(buffer, 1, 1000, stream)));
    }
    fclose(stream);
}

/* An item of which only a part is left: its bytes were read, too. */
void fread_of_less_than_an_item(struct trace *trace)
{
    FILE *stream = quiet_stream(trace->file, O_RDONLY, "r");
    SAY(trace, fseek(stream, -250, SEEK_END));
    SAY(trace, fread(buffer, 100, 4, stream));
    expect_get(trace, 250);
    say_bytes(trace, buffer, 250);
    say(trace, "at %ld, end %d, error %d\n", ftell(stream), feof(stream) != 0, ferror(stream));
    SAY(trace, fread(buffer, 0, 4, stream));
    SAY(trace, fread(buffer, 4, 0, stream));
    expect_get(trace, 0);
    expect_get(trace, 0);
    fclose(stream);
}

/* The number in a stream of open_memstream() is no descriptor: libc never sets it. */
void stream_in_memory(struct trace *trace)
{
    char *text = NULL;
    size_t bytes = 0;
    int fd = quiet_open(scratch_file(trace, "beside"), O_RDWR | O_CREAT | O_TRUNC);
    expect_write(trace, SAY(trace, write(fd, "12345", 5)));
    FILE *stream = open_memstream(&text, &bytes);
    stream->_fileno = fd;
    SAY(trace, fputs("not in the file", stream));
    SAY(trace, fclose(stream));
    say(trace, "%s\n", text);
    free(text);
    expect_write(trace, SAY(trace, write(fd, "12345", 5)));
    close(fd);
}

/* From the file's start, then at its end. A call should deliver MORE bytes first; whether one that
 * finds the end counts (ENDS) depends on what it returns then: -1 is a failed call. */
#define TRY_GET(name, more, ends, ...)                                                             \
    TRY(name)                                                                                      \
    {                                                                                              \
        FILE *stream = quiet_stream(trace->file, O_RDONLY, "r");                                   \
        char *line = NULL;                                                                         \
        size_t room = 0;                                                                           \
        int number = 0;                                                                            \
        (void)line, (void)room, (void)number;                                                      \
        memset(buffer, 0, sizeof buffer);                                                          \
        SAY(trace, (__VA_ARGS__) != 0);                                                            \
        expect_get(trace, more);                                                                   \
        say_bytes(trace, buffer, 200);                                                             \
        say(trace, "at %ld, number %d, line %s", ftell(stream), number, line ? line : "-\n");      \
        SAY(trace, (__VA_ARGS__) != 0);                                                            \
        expect_get(trace, ftell(stream) - (more));                                                 \
        fseek(stream, 0, SEEK_END);                                                                \
        SAY(trace, (long)(__VA_ARGS__) > 0);                                                       \
        trace->read_calls += ends;                                                                 \
        say(trace, "end %d error %d\n", feof(stream), ferror(stream));                             \
        free(line);                                                                                \
        fclose(stream);                                                                            \
    }

TRY_GET(fread, 90, 1, call(buffer, 3, 30, stream))
TRY_GET(fread_unlocked, 90, 1, call(buffer, 3, 30, stream))
TRY_GET(__fread_chk, 90, 1, call(buffer, BUFFER, 3, 30, stream))
TRY_GET(__fread_unlocked_chk, 90, 1, call(buffer, BUFFER, 3, 30, stream))
TRY_GET(fgets, 16, 1, call(buffer, 100, stream))
TRY_GET(fgets_unlocked, 16, 1, call(buffer, 100, stream))
TRY_GET(__fgets_chk, 16, 1, call(buffer, BUFFER, 100, stream))
TRY_GET(__fgets_unlocked_chk, 16, 1, call(buffer, BUFFER, 100, stream))
TRY_GET(fgetc, 1, 0, call(stream))
TRY_GET(fgetc_unlocked, 1, 0, call(stream))
TRY_GET(getc, 1, 0, call(stream))
TRY_GET(getc_unlocked, 1, 0, call(stream))
TRY_GET(_IO_getc, 1, 0, call(stream))
TRY_GET(getline, 16, 0, call(&line, &room, stream))
TRY_GET(getdelim, 4, 0, call(&line, &room, 'e', stream))
TRY_GET(__getdelim, 4, 0, call(&line, &room, 'e', stream))

/* CALL with a standard stream that is STREAM. */
#define WITH(standard, stream, call)                                                               \
    ({                                                                                             \
        FILE *before_ = standard;                                                                  \
        standard = stream;                                                                         \
        __auto_type got_ = call;                                                                   \
        standard = before_;                                                                        \
        got_;                                                                                      \
    })

TRY_GET(getw, 4, 1, call(stream))
TRY_GET(getchar, 1, 0, WITH(stdin, stream, call()))
TRY_GET(getchar_unlocked, 1, 0, WITH(stdin, stream, call()))

static int with_list(__typeof__(__isoc99_vfscanf) *call, FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(stream, format, arguments);
    va_end(arguments);
    return result;
}

TRY_GET(fscanf, 16, 1, call(stream, "line %d\n", &number))
TRY_GET(__isoc99_fscanf, 16, 1, call(stream, "line %d\n", &number))
TRY_GET(__isoc23_fscanf, 16, 1, call(stream, "line %d\n", &number))
TRY_GET(vfscanf, 16, 1, with_list(call, stream, "line %d\n", &number))
TRY_GET(__isoc99_vfscanf, 16, 1, with_list(call, stream, "line %d\n", &number))
TRY_GET(__isoc23_vfscanf, 16, 1, with_list(call, stream, "line %d\n", &number))

/* Twice BYTES; then to a stream that cannot be written: a call (FAILS) unless it returns -1. */
#define TRY_PUT(name, bytes, fails, ...)                                                           \
    TRY(name)                                                                                      \
    {                                                                                              \
        FILE *stream = quiet_stream(scratch_file(trace, #name), O_RDWR | O_CREAT | O_TRUNC, "w+"); \
        memset(buffer, 0, sizeof buffer);                                                          \
        memset(buffer, 'p', 99);                                                                   \
        SAY(trace, __VA_ARGS__);                                                                   \
        expect_write(trace, bytes);                                                                \
        SAY(trace, __VA_ARGS__);                                                                   \
        expect_write(trace, bytes);                                                                \
        say(trace, "at %ld\n", ftell(stream));                                                     \
        fclose(stream);                                                                            \
        stream = quiet_stream(trace->file, O_RDONLY, "r");                                         \
        SAY(trace, __VA_ARGS__);                                                                   \
        trace->write_calls += fails;                                                               \
        say(trace, "error %d\n", ferror(stream));                                                  \
        fclose(stream);                                                                            \
    }

static int put_list(__typeof__(vfprintf) *call, FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(stream, format, arguments);
    va_end(arguments);
    return result;
}

static int put_list_chk(__typeof__(__vfprintf_chk) *call, FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(stream, 1, format, arguments);
    va_end(arguments);
    return result;
}

TRY_PUT(fwrite, 90, 1, call(buffer, 3, 30, stream))
TRY_PUT(fwrite_unlocked, 90, 1, call(buffer, 3, 30, stream))
TRY_PUT(fputs, 99, 1, call(buffer, stream) >= 0)
TRY_PUT(fputs_unlocked, 99, 1, call(buffer, stream) >= 0)
TRY_PUT(fputc, 1, 1, call('x', stream))
TRY_PUT(fputc_unlocked, 1, 1, call('x', stream))
TRY_PUT(putc, 1, 1, call('x', stream))
TRY_PUT(putc_unlocked, 1, 1, call('x', stream))
TRY_PUT(_IO_putc, 1, 1, call('x', stream))
TRY_PUT(fprintf, 12, 0, call(stream, "%5d %s\n", 7, "seven"))
TRY_PUT(__fprintf_chk, 12, 0, call(stream, 1, "%5d %s\n", 7, "seven"))
TRY_PUT(vfprintf, 12, 0, put_list(call, stream, "%5d %s\n", 7, "seven"))
TRY_PUT(__vfprintf_chk, 12, 0, put_list_chk(call, stream, "%5d %s\n", 7, "seven"))

static int print_list(__typeof__(vprintf) *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(format, arguments);
    va_end(arguments);
    return result;
}

static int print_list_chk(__typeof__(__vprintf_chk) *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(1, format, arguments);
    va_end(arguments);
    return result;
}

TRY_PUT(putw, 4, 1, call(77, stream))
TRY_PUT(putchar, 1, 1, WITH(stdout, stream, call('x')))
TRY_PUT(putchar_unlocked, 1, 1, WITH(stdout, stream, call('x')))
TRY_PUT(puts, 100, 1, WITH(stdout, stream, call(buffer)) >= 0)
TRY_PUT(printf, 12, 0, WITH(stdout, stream, call("%5d %s\n", 7, "seven")))
TRY_PUT(__printf_chk, 12, 0, WITH(stdout, stream, call(1, "%5d %s\n", 7, "seven")))
TRY_PUT(vprintf, 12, 0, WITH(stdout, stream, print_list(call, "%5d %s\n", 7, "seven")))
TRY_PUT(__vprintf_chk, 12, 0, WITH(stdout, stream, print_list_chk(call, "%5d %s\n", 7, "seven")))

/* Straight to the descriptor: no stream holds anything back. */
#define TRY_PRINT(name, ...)                                                                       \
    TRY(name)                                                                                      \
    {                                                                                              \
        int fd = quiet_open(scratch_file(trace, #name), O_RDWR | O_CREAT | O_TRUNC);               \
        expect_write(trace, SAY(trace, __VA_ARGS__));                                              \
        expect_write(trace, SAY(trace, __VA_ARGS__));                                              \
        say(trace, "at %ld\n", (long)lseek(fd, 0, SEEK_CUR));                                      \
        close(fd);                                                                                 \
        SAY(trace, __VA_ARGS__);                                                                   \
    }

static int print_to(__typeof__(vdprintf) *call, int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(fd, format, arguments);
    va_end(arguments);
    return result;
}

static int print_to_chk(__typeof__(__vdprintf_chk) *call, int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = call(fd, 1, format, arguments);
    va_end(arguments);
    return result;
}

TRY_PRINT(dprintf, call(fd, "%5d %s\n", 7, "seven"))
TRY_PRINT(__dprintf_chk, call(fd, 1, "%5d %s\n", 7, "seven"))
TRY_PRINT(vdprintf, print_to(call, fd, "%5d %s\n", 7, "seven"))
TRY_PRINT(__vdprintf_chk, print_to_chk(call, fd, "%5d %s\n", 7, "seven"))

/* ---- copies inside the kernel ------------------------------------------------------------ */

static void expect_copy(struct trace *trace, long bytes)
{
    expect_read(trace, bytes);
    trace->copied_bytes += bytes;
}

/* From file to file, 100 bytes by an offset and 50 from the cursor; 16 at the file's end; then to a
 * descriptor that cannot be written, from a bad pointer, from none. */
#define TRY_COPY(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        const char *path = scratch_file(trace, #name);                                             \
        int from = quiet_open(trace->file, O_RDONLY);                                              \
        int to = quiet_open(path, O_RDWR | O_CREAT | O_TRUNC);                                     \
        long at = 1600, *offset = &at, bytes = 100;                                                \
        expect_copy(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        expect_write(trace, bytes);                                                                \
        say(trace, "offset %ld\n", at);                                                            \
        offset = NULL, bytes = 50;                                                                 \
        expect_copy(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        expect_write(trace, bytes);                                                                \
        expect_read(trace, SAY(trace, read(from, buffer, 16)));                                    \
        say_bytes(trace, buffer, 16);                                                              \
        offset = &at, at = TRACE_BYTES - 16;                                                       \
        expect_copy(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        expect_write(trace, 16);                                                                   \
        expect_copy(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        expect_write(trace, 0);                                                                    \
        expect_read(trace, SAY(trace, pread(to, buffer, BUFFER, 0)));                              \
        say_bytes(trace, buffer, 166);                                                             \
        offset = (long *)8;                                                                        \
        SAY(trace, call(__VA_ARGS__));                                                             \
        offset = &at, at = -5;                                                                     \
        SAY(trace, call(__VA_ARGS__));                                                             \
        at = 0, quiet_close(to), to = quiet_open(path, O_RDONLY);                                  \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(to), to = -1;                                                                        \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(from), from = -1;                                                                    \
        SAY(trace, call(__VA_ARGS__));                                                             \
    }
TRY_COPY(sendfile, to, from, offset, (size_t)bytes)
TRY_COPY(sendfile64, to, from, offset, (size_t)bytes)
TRY_COPY(copy_file_range, from, offset, to, NULL, (size_t)bytes, 0)

/* Both offsets by pointer: neither cursor moves. */
void copy_file_range_between_offsets(struct trace *trace)
{
    int from = quiet_open(trace->file, O_RDONLY);
    int to = quiet_open(scratch_file(trace, "range"), O_RDWR | O_CREAT | O_TRUNC);
    off64_t from_at = 3200, to_at = 40;
    expect_copy(trace, SAY(trace, copy_file_range(from, &from_at, to, &to_at, 64, 0)));
    expect_write(trace, 64);
    say(trace, "%ld %ld\n", (long)from_at, (long)to_at);
    expect_read(trace, SAY(trace, read(from, buffer, 16)));
    say_bytes(trace, buffer, 16);
    expect_read(trace, SAY(trace, read(to, buffer, BUFFER)));
    say_bytes(trace, buffer, 104);
    close(from);
    close(to);
}

/* From a file into a pipe and on into another file. */
TRY(splice)
{
    int from = quiet_open(trace->file, O_RDONLY), ends[2];
    int to = quiet_open(scratch_file(trace, "splice"), O_RDWR | O_CREAT | O_TRUNC);
    off64_t from_at = 1600, to_at = 10;
    if (syscall(SYS_pipe2, ends, 0))
        return;
    expect_copy(trace, SAY(trace, call(from, &from_at, ends[1], NULL, 100, 0)));
    expect_copy(trace, SAY(trace, call(from, NULL, ends[1], NULL, 50, 0)));
    say(trace, "%ld\n", (long)from_at);
    trace->pipe_bytes += SAY(trace, call(ends[0], NULL, to, &to_at, 70, 0));
    expect_write(trace, 70);
    trace->pipe_bytes += SAY(trace, call(ends[0], NULL, to, NULL, 200, 0));
    expect_write(trace, 80);
    expect_read(trace, SAY(trace, pread(to, buffer, BUFFER, 0)));
    say_bytes(trace, buffer, 80);
    SAY(trace, call(from, NULL, to, NULL, 10, 0));
    SAY(trace, call(from, (off64_t *)8, ends[1], NULL, 10, 0));
    SAY(trace, call(-1, NULL, ends[1], NULL, 10, 0));
    SAY(trace, call(from, NULL, -1, NULL, 10, 0));
    close(ends[0]);
    close(ends[1]);
    close(to);
    close(from);
}

/* ---- what is no file ---------------------------------------------------------------------------
 */

/* Bytes of devices, of /proc and of memory files are counted apart. */
void reads_of_other_things(struct trace *trace)
{
    int fd = open("/dev/zero", O_RDONLY);
    trace->other_read_bytes += SAY(trace, read(fd, buffer, 300));
    close(fd);
    fd = open("/proc/self/cmdline", O_RDONLY);
    trace->other_read_bytes += SAY(trace, read(fd, buffer, 10));
    close(fd);
    fd = (int)syscall(SYS_memfd_create, "memory", 0);
    SAY(trace, write(fd, buffer, 1000));
    trace->other_read_bytes += SAY(trace, pread(fd, buffer, 600, 0));
    close(fd);
    fd = (int)syscall(SYS_eventfd2, 3, 0);
    trace->other_read_bytes += SAY(trace, read(fd, buffer, 8));
    close(fd);
    FILE *stream = fopen("/dev/zero", "r");
    trace->other_read_bytes += SAY(trace, fread(buffer, 1, 100, stream));
    trace->stdio_read_bytes += 100;
    fclose(stream);
}
